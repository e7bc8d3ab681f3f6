// The decomposition: how much single parts do by themselves and how much only together, and which parts those are.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/diverging.h"
#include "report/effect_pictures.h"
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
    players.owner = effects.players.owner;
    players.names = effects.players.names;
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

std::string names_of_set(const PlayerList& players, const SetEffect& set) {
  std::vector<std::string> names, others;
  for (const size_t player : set.players) names.push_back(players.names[player]);
  for (size_t player = 0; player < players.count(); ++player) {
    if (std::find(set.players.begin(), set.players.end(), player) == set.players.end())
      others.push_back(players.names[player]);
  }
  if (names.size() < kManyInSet || others.size() >= names.size()) return fmt::format("{}", fmt::join(names, " & "));
  return others.empty() ? "all parts" : fmt::format("all parts but {}", listed(others));
}

void write_sets(Html& html, const PlayerList& players, const std::vector<SetEffect>& sets, bool numbered) {
  double limit = 0;
  for (const SetEffect& set : sets) limit = std::max(limit, std::abs(set.value));
  html.in("div", {{"class", numbered ? "bars sets numbered" : "bars sets"}}, [&] {
    for (size_t i = 0; i < std::min(sets.size(), kMostListed); ++i) {
      const double half = limit > 0 ? 50 * std::abs(sets[i].value) / limit : 0;
      html.in("div", {{"class", "bar"}}, [&] {
        html.in("span", {{"class", "name"}},
                (numbered ? fmt::format("{}  ", i + 1) : "") + names_of_set(players, sets[i]));
        html.in("span", {{"class", "track zero"}}, [&] {
          html.in("span",
                  {{"class", sets[i].value < 0 ? "fill negative" : "fill positive"},
                   {"style", fmt::format("left:{:.2f}%;width:{:.2f}%", sets[i].value < 0 ? 50 - half : 50, half)}},
                  "");
        });
        html.in("span", {{"class", "number"}}, signed_number_text(sets[i].value));
      });
    }
    if (sets.empty()) html.in("p", {{"class", "faint"}}, "None beyond rounding.");
  });
}

void write_pairs(Html& html, const RowPage& page, const Effects& effects) {
  html.in("h4", "Strongest pairs, drawn on the input");
  html.in("div", {{"class", "columns"}}, [&] {
    html.drawing(pairs_drawing(Drawable(effects, *page.row.image).pictures()),
                 "The input with lines between the parts that act together most", {{"class", "drawing"}});
    html.in("div", {{"class", "wide"}}, [&] {
      write_sets(html, effects.players, effects.pairs, true);
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
  double limit = 0;
  for (const SetEffect& set : effects.triples) limit = std::max(limit, std::abs(set.value));
  html.in("div", {{"class", "maps triples"}}, [&] {
    for (size_t i = 0; i < std::min(effects.triples.size(), kMostTriples); ++i) {
      const SetEffect& set = effects.triples[i];
      const std::string names = names_of_set(effects.players, set);
      html.in("figure", {{"class", "card"}}, [&] {
        html.single("img", {{"src", data_uri(thinned(players_image(drawable.pictures(), drawn(set), limit)))},
                            {"alt", "The input with " + names + " marked"}});
        html.in("figcaption", {}, [&] {
          html.in("b", signed_number_text(set.value));
          html.in("span", {{"class", "faint"}}, names);
        });
      });
    }
  });
}

}  // namespace

void write_effects(Html& html, const RowPage& page) {
  if (!page.row.effects) return write_absent(html, page, "decomposition", "Alone and together");
  const Effects& effects = *page.row.effects;
  const std::string how = fmt::format(
      "The change of the output is split, without remainder, into what every part does by itself and what sets of "
      "parts "
      "do only together, by evaluating the model with parts replaced by the baseline. Strength is the sum of "
      "magnitudes. "
      "Where single parts hold most of it, a list of contributions says nearly everything; where interactions do, "
      "every "
      "method has to choose how to divide them, and there the methods part. Parts here: {} ({}).",
      effects.players.count(), effects.players.description);
  section(html, page.id("effects"), "Alone and together", how, [&] {
    write_stack(html, effects);
    html.in("div", {{"class", "columns"}}, [&] {
      html.in("div", {{"class", "orders"}}, [&] { write_orders(html, effects); });
      html.in("div", {{"class", "wide"}}, [&] {
        html.in("h4", "Strongest effects of all");
        write_sets(html, effects.players, effects.strongest, false);
      });
    });
    if (page.row.image && !effects.players.owner.empty()) {
      write_pairs(html, page, effects);
      write_triples(html, page.row, effects);
    } else {
      html.in("h4", "Strongest pairs");
      write_sets(html, effects.players, effects.pairs, false);
    }
    const double change = effects.output.value_or(0) - effects.baseline_output.value_or(0);
    if (std::abs(effects.remainder.value_or(0)) > 1e-5 * std::abs(change)) {  // less is rounding
      html.in("p", {{"class", "faint"}}, "Not in these effects: " + signed_number_text(effects.remainder) + ".");
    }
  });
}

}  // namespace ascribe::core::page
