// The text once for every method, each token on the colour of what its player got.
#include <algorithm>

#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

void write_token(Html& html, const Row& row, const MethodResult& method, const TextToken& token, double limit) {
  if (token.space) html.text(" ");
  if (token.player < 0) {
    html.in("span", {{"class", "token nobody"}}, token.text);
    return;
  }
  const auto player = static_cast<size_t>(token.player);
  const Number& value = method.values[player];
  html.in("span",
          {{"class", "token"},
           {"data-player", std::to_string(player)},
           {"style", cell_style(limit > 0 ? value.value_or(0) / limit : 0)},
           {"title", fmt::format("{}: {}", row.players.names[player], signed_number_text(value))}},
          token.text);
}

void write_method(Html& html, const Row& row, const MethodResult& method) {
  const double limit = largest_magnitude(method.values);
  html.in("figure", {{"class", "text-card"}}, [&] {
    html.in("figcaption", {}, [&] {
      html.in("b", method.title);
      write_kind(html, row, method);
      html.in("span", {{"class", "faint"}},
              fmt::format("sum {}, largest {}", signed_number_text(method.sum), number_text(limit)));
    });
    write_tokens(html, row, method);
  });
}

}  // namespace

void write_tokens(Html& html, const Row& row, const MethodResult& method) {
  const double limit = largest_magnitude(method.values);
  html.in("p", {{"class", "tokens"}}, [&] {
    for (const TextToken& token : row.text) write_token(html, row, method, token, limit);
  });
}

void write_text(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "The text once for every method: red raises the result, blue lowers it, white does nothing. Each text has a "
      "scale "
      "of its own, up to its largest value, which is written above it. Point at a word to find it everywhere on the "
      "page.";
  section(html, page.id("maps"), "All methods side by side", how, [&] {
    html.in("div", {{"class", "texts"}}, [&] {
      for (const MethodResult& method : row.methods) write_method(html, row, method);
    });
    write_left_out(html, row);
  });
}

}  // namespace ascribe::core::page
