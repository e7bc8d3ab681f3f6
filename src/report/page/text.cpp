// The text once for every method, each token on the colour of what its player got. Colour is not all: what raises the
// output has a solid line below it and what lowers it a dotted one, the strongest tokens are named in words, and every
// value can be read by pointing or with the arrow keys.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "report/page/tracks.h"

namespace ascribe::core::page {

namespace {

constexpr double kFaintest = 0.08;  // of the largest: weaker tokens have no line
constexpr size_t kNamed = 3;        // tokens that are named above each text

// "raises", "lowers" or nothing, for the line below a token.
std::string mark_of(double t) {
  if (std::abs(t) < kFaintest) return "token";
  return t > 0 ? "token raises" : "token lowers";
}

// Words are one box of their pieces: the first piece has the space before it, and pieces are told apart by their
// edges.
void write_token(Html& html, const Row& row, const MethodResult& method, size_t place, double limit) {
  const TextToken& token = row.text[place];
  if (token.space) html.text(" ");
  const std::string piece = token.space || place == 0 ? "" : " piece";
  if (token.player < 0) {
    html.in("span", {{"class", "token nobody" + piece}}, token.text);
    return;
  }
  const auto player = static_cast<size_t>(token.player);
  const Number& value = method.values[player];
  const double t = limit > 0 ? value.value_or(0) / limit : 0;
  html.in("span",
          {{"class", mark_of(t) + piece},
           {"data-player", std::to_string(player)},
           {"data-token", std::to_string(place)},
           {"style", cell_style(t)},
           {"title", fmt::format("{}: {}", row.players.names[player], signed_number_text(value))}},
          token.text);
}

// The text of a player, as it stands in the text.
std::string text_of_player(const Row& row, size_t player) {
  std::string text;
  for (const TextToken& token : row.text) {
    if (token.player != static_cast<int64_t>(player)) continue;
    if (!text.empty() && token.space) text += ' ';
    text += token.text;
  }
  return text.empty() ? row.players.names[player] : text;
}

// "strongest: “great” +1.2, “not” −0.8"
std::string strongest_tokens(const Row& row, const MethodResult& method) {
  std::vector<size_t> order(method.values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::abs(method.values[a].value_or(0)) > std::abs(method.values[b].value_or(0));
  });
  std::vector<std::string> texts;
  for (const size_t player : order) {
    if (texts.size() == kNamed || method.values[player].value_or(0) == 0) break;
    texts.push_back(fmt::format("“{}” {}", text_of_player(row, player), signed_number_text(method.values[player])));
  }
  return texts.empty() ? "gives nothing to any token" : "strongest: " + listed(texts);
}

void write_method(Html& html, const Row& row, size_t index) {
  const MethodResult& method = row.methods[index];
  const double limit = largest_magnitude(method.values);
  const std::string strongest = strongest_tokens(row, method);
  html.in("figure", {{"class", "text-card"}, {"data-method", std::to_string(index)}}, [&] {
    html.in("figcaption", {}, [&] {
      html.in("b", method.title);
      write_kind(html, row, method);
      html.in("span", {{"class", "faint"}}, fmt::format("sum {}; {}", signed_number_text(method.sum), strongest));
    });
    html.in("p",
            {{"class", "tokens"},
             {"tabindex", "0"},
             {"role", "group"},
             {"aria-label",
              fmt::format("The text as {} sees it; {}. Arrow keys go from token to token", method.title, strongest)}},
            [&] {
              for (size_t t = 0; t < row.text.size(); ++t) write_token(html, row, method, t, limit);
            });
    write_ramp(html, limit);
  });
}

}  // namespace

void write_tokens(Html& html, const Row& row, const MethodResult& method) {
  const double limit = largest_magnitude(method.values);
  html.in("p", {{"class", "tokens"}}, [&] {
    for (size_t t = 0; t < row.text.size(); ++t) write_token(html, row, method, t, limit);
  });
}

void write_text(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "The text once for every method: red with a solid line below raises the result, blue with a dotted line lowers "
      "it, white does nothing. Words that the model reads in pieces are written as one word; a thin edge shows where "
      "the pieces meet. Pieces that count together have one colour. Each text has a scale of its own, up to its "
      "largest value, and the scale stands below it. Point at a word, or go to a text with Tab and to a word with the "
      "arrow keys, to read its value in every method and to find it everywhere on the page.";
  section(html, page.id("maps"), "All methods side by side", how, [&] {
    html.in("div", {{"class", "readout over-tokens"}, {"hidden", ""}}, [&] {
      html.in("p", {{"class", "place"}, {"aria-live", "polite"}},
              "Point at a token, or go to a text with Tab and move with the arrow keys.");
      html.in("ul", {{"class", "step-values"}}, "");
    });
    html.in("p", {{"class", "faint legend"}}, [&] {
      html.in("span", {{"class", "token raises"}, {"style", cell_style(0.6)}}, "raises");
      html.text(" solid line; ");
      html.in("span", {{"class", "token lowers"}, {"style", cell_style(-0.6)}}, "lowers");
      html.text(" dotted line; ");
      html.in("span", {{"class", "token nobody"}}, "framed");
      html.text(" takes no part");
    });
    html.in("div", {{"class", "texts"}}, [&] {
      for (size_t i = 0; i < row.methods.size(); ++i) write_method(html, row, i);
    });
    write_left_out(html, row);
  });
}

}  // namespace ascribe::core::page
