// The decomposition: how much single parts do by themselves and how much only together, and which parts those are.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/diverging.h"
#include "report/effect_pictures.h"
#include "report/page/places.h"
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kMostListed = 12, kMostTriples = 6;
constexpr size_t kManyInSet = 6;      // of so many it is shorter to say who is not in it, if that are fewer
constexpr int64_t kTripleSide = 112;  // pixels of a picture of a triple; more would only make the file larger

Effect drawn(const SetEffect& set) {
  Effect effect;
  for (const size_t player : set.players) effect.support.push_back(static_cast<int>(player));
  effect.value = set.value;
  return effect;
}

// The effects in the form that the pictures of `ascribe decompose` are drawn from.
struct Drawable {
  EffectSummary summary;
  Players players;
  Image input;

  Drawable(const Effects& effects, const Image& image) : input(image) {
    const Places places(effects.players, image.width);
    players.owner = effects.players.owner;
    for (size_t p = 0; p < effects.players.count(); ++p) players.names.push_back(places.name(p));
    players.description = effects.players.description;
    players.image = ImageShape{.layout = PixelLayout::chw, .channels = 1, .height = image.height, .width = image.width};
    summary.players = players.count();
    for (const Number& psi : effects.independent) summary.independent.push_back(psi.value_or(0));
    for (const SetEffect& pair : effects.pairs) summary.pairs.push_back(drawn(pair));
  }
  EffectPictures pictures() const { return {summary, players, input, ""}; }
};

std::string order_name(int64_t order) {
  if (order == 1) return "single parts";
  if (order == 2) return "pairs";
  return order == 3 ? "triples" : fmt::format("sets of {}", order);
}

// From dark to light: the higher the order the paler.
std::string order_color(size_t index) { return fmt::format("background:var(--order{})", std::min<size_t>(index, 5)); }

void write_stack(Html& html, const Effects& effects) {
  html.in("div", {{"class", "stack"}, {"aria-hidden", "true"}}, [&] {
    for (size_t i = 0; i < effects.orders.size(); ++i) {
      const double share = std::clamp(effects.orders[i].share.value_or(0), 0.0, 1.0);
      html.in("span", {{"style", fmt::format("flex-grow:{:.4f};{}", share, order_color(i))}},
              share > 0.09 ? fmt::format("{:.0f} %", 100 * share) : "");
    }
  });
  html.in("p", {{"class", "faint keys"}}, [&] {
    for (size_t i = 0; i < effects.orders.size(); ++i) {
      if (effects.orders[i].share.value_or(0) < 0.0005) continue;
      const int64_t order = effects.orders[i].order;
      html.in("span", {}, [&] {
        html.in("span", {{"class", "key"}, {"style", order_color(i)}}, "");
        html.text(fmt::format("{} {}", order == 1 ? "alone" : fmt::format("{} together", order),
                              percent_text(effects.orders[i].share)));
      });
    }
  });
}

void write_orders(Html& html, const Effects& effects) {
  scrolling(html, "Effects by order", [&] {
    html.in("table", {}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          for (const char* head : {"effects of", "how many", "sum", "strength", "share of strength"}) {
            html.in("th", {{"scope", "col"}, {"class", std::string_view(head) == "effects of" ? "text" : "number"}},
                    head);
          }
        });
      });
      html.in("tbody", {}, [&] {
        for (size_t i = 0; i < effects.orders.size(); ++i) {
          const OrderEffects& order = effects.orders[i];
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, [&] {
              html.in("span", {{"class", "key"}, {"style", order_color(i)}}, "");
              html.text(order_name(order.order));
            });
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

// Of large sets it is shorter to say who is not in them.
std::string names_of_set(const Places& places, const SetEffect& set) {
  std::vector<std::string> names, others;
  for (size_t player = 0; player < places.count(); ++player) {
    const bool in = std::find(set.players.begin(), set.players.end(), player) != set.players.end();
    (in ? names : others).push_back(places.name(player));
  }
  if (names.size() < kManyInSet || others.size() >= names.size()) return fmt::format("{}", fmt::join(names, " + "));
  return others.empty() ? "all parts" : fmt::format("all parts but {}", listed(others));
}

void write_sets(Html& html, const Places& places, const std::vector<SetEffect>& sets, bool numbered) {
  double limit = 0;
  for (const SetEffect& set : sets) limit = std::max(limit, std::abs(set.value));
  html.in("div", {{"class", numbered ? "bars sets numbered" : "bars sets"}}, [&] {
    for (size_t i = 0; i < std::min(sets.size(), kMostListed); ++i) {
      const double half = limit > 0 ? 50 * std::abs(sets[i].value) / limit : 0;
      html.in("div", {{"class", "bar"}}, [&] {
        html.in("span", {{"class", "name"}},
                (numbered ? fmt::format("{}  ", i + 1) : "") + names_of_set(places, sets[i]));
        html.in("span", {{"class", "track zero"}}, [&] {
          html.in("span",
                  {{"class", sets[i].value < 0 ? "fill negative" : "fill positive"},
                   {"style", fmt::format("left:{:.2f}%;width:{:.2f}%", sets[i].value < 0 ? 50 - half : 50, half)}},
                  "");
        });
        html.in("span", {{"class", "number"}}, plain_beside(sets[i].value, limit));
      });
    }
    if (sets.empty()) html.in("p", {{"class", "faint"}}, "None.");
  });
}

void write_pairs(Html& html, const RowPage& page, const Effects& effects) {
  html.in("h4", "Pairs that act together most");
  html.in("div", {{"class", "columns"}}, [&] {
    html.drawing(pairs_drawing(Drawable(effects, *page.row.image).pictures()),
                 "The input with lines between the parts that act together most", {{"class", "drawing"}});
    html.in("div", {{"class", "wide"}}, [&] {
      write_sets(html, Places(page.row, effects.players), effects.pairs, true);
      html.in("p", {{"class", "faint"}}, "Red: together more than apart. Blue: together less than apart.");
    });
  });
}

// Every so many pixels, so that the longer side has about kTripleSide.
Image thinned(const Image& image) {
  const int64_t step = std::max<int64_t>(1, std::max(image.width, image.height) / kTripleSide);
  Image small{(image.height + step - 1) / step, (image.width + step - 1) / step, image.channels, {}, false};
  for (int64_t y = 0; y < small.height; ++y) {
    for (int64_t x = 0; x < small.width; ++x) {
      for (int64_t c = 0; c < small.channels; ++c) small.pixels.push_back(image.at(y * step, x * step, c));
    }
  }
  return small;
}

void write_triples(Html& html, const Row& row, const Effects& effects) {
  if (effects.triples.empty()) return;
  html.in("h4", "Strongest triples");
  const Drawable drawable(effects, *row.image);
  const Places places(row, effects.players);
  double limit = 0;
  for (const SetEffect& set : effects.triples) limit = std::max(limit, std::abs(set.value));
  html.in("div", {{"class", "maps triples"}}, [&] {
    for (size_t i = 0; i < std::min(effects.triples.size(), kMostTriples); ++i) {
      const SetEffect& set = effects.triples[i];
      const std::string names = names_of_set(places, set);
      html.in("figure", {{"class", "card"}}, [&] {
        html.single("img", {{"src", data_uri(thinned(players_image(drawable.pictures(), drawn(set), limit)))},
                            {"alt", "The input with " + names + " marked"}});
        html.in("figcaption", {}, [&] {
          html.in("b", plain_beside(set.value, limit));
          html.in("span", {{"class", "faint"}}, names);
        });
      });
    }
  });
}

}  // namespace

namespace {

// "9 % is what single parts do, the rest what they do only together."
std::string together_text(const Effects& effects) {
  if (effects.orders.empty() || !effects.orders[0].share) return "";
  const double alone = std::clamp(*effects.orders[0].share, 0.0, 1.0);
  if (alone > 0.995) return "Here every part acts by itself: nothing depends on which parts are seen together.";
  return fmt::format(
      "Of everything that parts do to the result here, {} is what single parts do by themselves; {} happens only when "
      "several of them are seen together.",
      rough_percent(alone), rough_percent(1 - alone));
}

void write_remainder(Html& html, const Effects& effects) {
  const double change = effects.output.value_or(0) - effects.baseline_output.value_or(0);
  if (std::abs(effects.remainder.value_or(0)) > 1e-5 * std::abs(change)) {  // less is rounding
    html.in("p", {{"class", "faint"}}, "Not in these: " + plain_signed_number(effects.remainder) + ".");
  }
}

}  // namespace

void write_effects(Html& html, const RowPage& page) {
  if (!page.row.effects) return write_absent(html, page, "decomposition", "Alone and together");
  const Effects& effects = *page.row.effects;
  const std::string how = fmt::format(
      "The model was asked about every combination of {}, with the others hidden. So what it does can be split without "
      "remainder into what each part does by itself and what parts do only together. Where single parts do most, a "
      "list "
      "of values says nearly everything; where they act together, every method has to choose how to divide that, and "
      "there the methods differ.",
      counted_parts(page.row.kind, effects.players));
  const bool drawn_on_input = page.row.image && !effects.players.owner.empty();
  section(html, page.id("effects"), "Alone and together", how, [&] {
    html.in("p", together_text(effects));
    if (are_the_strongest(effects.players)) html.in("p", {{"class", "faint"}}, strongest_words(effects.players));
    write_stack(html, effects);
    html.in("h4", "What does most");
    write_sets(html, Places(page.row, effects.players), effects.strongest, false);
    if (drawn_on_input) {
      write_pairs(html, page, effects);
    } else {
      html.in("h4", "Pairs that act together most");
      write_sets(html, Places(page.row, effects.players), effects.pairs, false);
    }
    write_remainder(html, effects);
    on_paper(html, "Larger sets of parts are in the page on screen and in its data.");
    for_experts(
        html, "effects by order, and the strongest triples",
        [&] {
          html.in("p", {{"class", "faint"}},
                  fmt::format("Effects are Harsanyi dividends over {} players ({}); strength is the sum of magnitudes.",
                              effects.players.count(), effects.players.description));
          write_orders(html, effects);
          if (drawn_on_input) write_triples(html, page.row, effects);
        },
        Paper::without);
  });
}

}  // namespace ascribe::core::page
