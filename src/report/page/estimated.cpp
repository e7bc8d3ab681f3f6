// Strong effects among many parts, found from some of the combinations: with their errors, and how far they explain
// what the model does where it was not looked at.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/effect_network.h"
#include "report/page/places.h"
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kListed = 12, kNamedParts = 3;
using document::Estimated, document::EstimatedSet;

// Read off the leaves of decision trees, not estimated.
bool is_exact(const Estimated& section) { return section.estimator == "trees"; }

std::string names_of_set(const Places& places, const EstimatedSet& set) {
  std::vector<std::string> names;
  for (const size_t player : set.players) {
    if (names.size() == kNamedParts && set.players.size() > kNamedParts + 1) break;
    names.push_back(places.name(player));
  }
  const std::string text = fmt::format("{}", fmt::join(names, " + "));
  const size_t others = set.players.size() - names.size();
  return others == 0 ? text : fmt::format("{} and {} more", text, others);
}

// "± 0.12": two digits, because an error is not known better.
std::string error_text(const Number& error) {
  if (!error) return "± unknown";
  const double unit = *error > 0 ? std::pow(10, std::floor(std::log10(*error)) - 1) : 0;
  return "± " + plain_number(unit > 0 ? std::round(*error / unit) * unit : *error);
}

// The bar of a value, and a line as wide as its error.
void write_bar(Html& html, const std::string& name, const EstimatedSet& set, double limit) {
  const double half = limit > 0 ? 50 * std::abs(set.value) / limit : 0;
  html.in("div", {{"class", "bar"}}, [&] {
    html.in("span", {{"class", "name"}}, name);
    html.in("span", {{"class", "track zero"}}, [&] {
      html.in("span",
              {{"class", set.value < 0 ? "fill negative" : "fill positive"},
               {"style", fmt::format("left:{:.2f}%;width:{:.2f}%", set.value < 0 ? 50 - half : 50, half)}},
              "");
      if (set.error.value_or(0) > 0 && limit > 0) {
        const double middle = 50 + 50 * set.value / limit, reach = 50 * *set.error / limit;
        const double left = std::max(0.0, middle - reach), right = std::min(100.0, middle + reach);
        html.in("span",
                {{"class", "whisker"}, {"style", fmt::format("left:{:.2f}%;width:{:.2f}%", left, right - left)}}, "");
      }
    });
    html.in("span", {{"class", "number"}}, [&] {
      html.text(plain_beside(set.value, limit));
      if (set.error != 0) html.in("span", {{"class", "faint"}}, " " + error_text(set.error));
    });
  });
}

void write_sets(Html& html, const Places& places, const std::vector<EstimatedSet>& sets) {
  double limit = 0;
  for (const EstimatedSet& set : sets) limit = std::max(limit, std::abs(set.value) + set.error.value_or(0));
  html.in("div", {{"class", "bars sets estimated"}}, [&] {
    for (size_t i = 0; i < std::min(sets.size(), kListed); ++i) {
      write_bar(html, names_of_set(places, sets[i]), sets[i], limit);
    }
  });
}

// The network of what parts do only together, over the picture or as a ring of names.
void write_network(Html& html, const RowPage& page, const Estimated& section) {
  if (section.interactions.empty()) return;
  EffectSummary summary;
  Players players;
  const Places places(page.row, section.players);
  for (size_t p = 0; p < section.players.count(); ++p) players.names.push_back(places.name(p));
  EffectPictures pictures{summary, players, std::nullopt, ""};
  if (page.row.image && !section.players.owner.empty()) {
    const Image& image = *page.row.image;
    players.owner = section.players.owner;
    players.image = ImageShape{.layout = PixelLayout::chw, .channels = 1, .height = image.height, .width = image.width};
    pictures.input = image;
  }
  std::vector<Effect> effects;
  for (const EstimatedSet& set : section.interactions) {
    Effect effect;
    for (const size_t player : set.players) effect.support.push_back(static_cast<int>(player));
    effect.value = set.value;
    effects.push_back(std::move(effect));
  }
  html.drawing(network_drawing(pictures, effects),
               "Lines between the parts that act together, and stars where three or more do", {{"class", "drawing"}});
}

// What the numbers of the sets are.
const char* what_is_told(const Estimated& section) {
  if (section.in_company) {
    return "Then the strongest were asked about anew, beside other parts drawn at random: the bars show what they do "
           "there on average, and the interval (±) holds that average 19 times out of 20.";
  }
  return "The bars show what each does with all other parts hidden.";
}

// How many of the sets that were asked about stood it, and what that means where none did.
std::string stood_text(const Estimated& section) {
  const int64_t asked = section.asked_together;
  const auto stood = std::ssize(section.interactions);
  if (section.effects == 0) return "No set of parts was found that does anything.";
  if (is_exact(section)) return stood > 0 ? "" : "Every column acts by itself: no two do anything only together.";
  if (asked == 0) {
    return stood > 0 ? "" : "No two parts were found that do something only together: each seems to act by itself.";
  }
  if (stood == 0) {
    return fmt::format(
        "Nothing can be said for sure here. {} that seemed to act together {} asked about again, and what {} together "
        "is "
        "smaller than the error of asking so few times. More time for the report makes the errors smaller.",
        asked == 1 ? "One set" : fmt::format("{} sets", asked), asked == 1 ? "was" : "were",
        asked == 1 ? "it does" : "each of them does");
  }
  int64_t found = 0;
  for (const OrderEffects& order : section.orders) found += order.order >= 2 ? order.effects : 0;
  if (stood >= asked && asked >= found) return "";
  const std::string again = asked < found
                                ? fmt::format(
                                      "{} sets seem to act together; there was time to ask about {} of "
                                      "them again.",
                                      found, asked)
                                : fmt::format("{} sets that seemed to act together were asked about again.", asked);
  const std::string shown = stood == 1 ? "Shown is the one that is" : fmt::format("Shown are the {} that are", stood);
  return fmt::format("{} {} larger than the error; the others may be nothing.", again, shown);
}

// What the effects explain, in words.
std::string sure_text(const Estimated& section) {
  if (is_exact(section)) return "The model is a sum of decision trees, so these are exact, and none is missing.";
  if (!section.r2) return "Whatever is hidden, the result is the same: there is nothing to explain.";
  const double r2 = std::max(*section.r2, 0.0);
  const std::string where = fmt::format("of {} combinations that were not used to find them", section.held_out);
  if (r2 >= 0.9) {
    return fmt::format(
        "These are estimates: all that were found explain together {} of the differences {}. Which parts act together "
        "is less sure than that, so the strongest were asked about again.",
        rough_percent(r2), where);
  }
  if (r2 >= 0.5) {
    return fmt::format(
        "These are estimates: together they explain {} of the differences {}; the rest is spread over "
        "many weaker effects.",
        rough_percent(r2), where);
  }
  return fmt::format(
      "Read them with care: together they explain only {} of the differences {}. The model acts on many "
      "weaker effects that were not found.",
      rough_percent(r2), where);
}

// The colours are explained beside what has them, and only there.
void write_together(Html& html, const RowPage& page, const Estimated& section) {
  html.in("h4", "Parts that act together most");
  const std::string stood = stood_text(section);
  if (!stood.empty()) html.in("p", stood);
  if (section.interactions.empty()) return;
  html.in("div", {{"class", "columns"}}, [&] {
    write_network(html, page, section);
    html.in("div", {{"class", "wide"}}, [&] {
      write_sets(html, Places(page.row, section.players), section.interactions);
      html.in("p", {{"class", "faint"}},
              "Red: together more than apart. Blue: together less than apart. The thin line in a bar is its error.");
    });
  });
}

// Only if it has more than the list above.
void write_strongest(Html& html, const Places& places, const Estimated& section) {
  if (section.strongest.size() <= section.interactions.size()) return;
  html.in("h4", "What does most, alone or together");
  write_sets(html, places, section.strongest);
}

void write_orders(Html& html, const Estimated& section) {
  scrolling(html, "Estimated effects by order", [&] {
    html.in("table", {}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          for (const char* head : {"parts in the set", "found", "sum", "strength", "share of strength"}) {
            html.in("th", {{"scope", "col"}, {"class", "number"}}, head);
          }
        });
      });
      html.in("tbody", {}, [&] {
        for (const OrderEffects& order : section.orders) {
          if (order.effects == 0) continue;
          html.in("tr", {}, [&] {
            html.in("td", {{"class", "number"}}, fmt::format("{}", order.order));
            html.in("td", {{"class", "number"}}, fmt::format("{}", order.effects));
            html.in("td", {{"class", "number"}}, signed_number_text(order.sum));
            html.in("td", {{"class", "number"}}, number_text(order.strength));
            html.in("td", {{"class", "number"}}, percent_text(order.share));
          });
        }
      });
    });
  });
}

}  // namespace

void write_estimated(Html& html, const RowPage& page) {
  if (!page.row.estimated) return;
  const Estimated& section_data = *page.row.estimated;
  const Places places(page.row, section_data.players);
  const std::string parts = counted_parts(page.row.kind, section_data.players);
  const std::string how =
      is_exact(section_data)
          ? fmt::format(
                "Of {} every combination can be looked up in the leaves of the trees: what each column does by "
                "itself, and what several do only together.",
                parts)
          : fmt::format(
                "There are far too many combinations of {} to ask the model about all of them. It was asked about {} "
                "of them, and the few sets that explain most of its answers were looked for: single parts, and two or "
                "more that do something only together. {}",
                parts, plain_number(static_cast<double>(section_data.evaluations)), what_is_told(section_data));
  section(html, page.id("estimated"), "Together, in finer parts", how, [&] {
    html.in("p", sure_text(section_data));
    write_together(html, page, section_data);
    write_strongest(html, places, section_data);
    for_experts(
        html, "estimated effects by order, and how they were found",
        [&] {
          html.in("p", {{"class", "faint"}},
                  is_exact(section_data)
                      ? fmt::format("{} Harsanyi dividends over {} players ({}).", section_data.effects,
                                    section_data.players.count(), section_data.players.description)
                      : fmt::format(
                            "{} terms over {} players ({}) by the estimator {}, from {} evaluations; R2 {} ± {} on {} "
                            "held-out coalitions; not found: {} of the change. Bars are {}; the table is of the fit.",
                            section_data.effects, section_data.players.count(), section_data.players.description,
                            section_data.estimator, section_data.evaluations, number_text(section_data.r2),
                            number_text(section_data.r2_error), section_data.held_out,
                            signed_number_text(section_data.not_found),
                            section_data.in_company ? "Shapley interaction indices (of one part: Shapley values)"
                                                    : "Harsanyi dividends"));
          write_orders(html, section_data);
        },
        Paper::without);
  });
}

}  // namespace ascribe::core::page
