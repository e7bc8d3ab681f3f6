// What every player got from every method, as a table that can be sorted; the strongest first.
#include <algorithm>

#include <fmt/format.h>

#include "report/page/places.h"
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kShown = 20, kShownOfTable = 40;
constexpr size_t kOnPaper = 12;  // print.css has the same number

// The one that a narrow window shows at first: the one to trust.
size_t first_method(const Row& row) {
  const MethodResult* trusted = trusted_method(row);
  for (size_t m = 0; m < row.methods.size(); ++m) {
    if (&row.methods[m] == trusted) return m;
  }
  return 0;
}

void write_head(Html& html, const Row& row) {
  html.in("thead", {}, [&] {
    html.in("tr", {}, [&] {
      sortable_head(html, part_noun(row), false);
      if (!row.players.values.empty()) html.in("th", {{"scope", "col"}, {"class", "number"}}, "value");
      const size_t first = first_method(row);
      for (size_t m = 0; m < row.methods.size(); ++m) sortable_head(html, row.methods[m].title, true, m == first);
    });
  });
}

// Three digits: many columns have to fit. The script writes as many.
std::string short_text(const Number& value) {
  if (!value) return "–";
  return *value == 0 ? "0" : fmt::format("{:+.3g}", *value);
}

void write_line(Html& html, const Row& row, const Places& places, size_t player, const std::vector<double>& limits) {
  html.in("tr", {{"data-player", std::to_string(player)}}, [&] {
    html.in("th", {{"scope", "row"}}, places.name(player));
    if (!row.players.values.empty()) html.in("td", {{"class", "number"}}, row.players.values[player]);
    for (size_t m = 0; m < row.methods.size(); ++m) {
      const Number value = row.methods[m].values[player];
      const double t = limits[m] > 0 ? value.value_or(0) / limits[m] : 0;
      html.in("td", {{"class", "number"}, {"style", cell_style(t)}, {"data-v", exact_text(value)}}, short_text(value));
    }
  });
}

}  // namespace

void write_players(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how = fmt::format(
      "A line for every {} and a column for every method, coloured by the largest value in the column: red raises the "
      "result, blue lowers it. The strongest of the method shown first come first. The heads of the columns sort. {}",
      part_noun(row), places_note(row.players));
  const Places places(row);
  section(html, page.id("players"), "All values", how, [&] {
    std::vector<double> limits;
    for (const MethodResult& method : row.methods) limits.push_back(largest_magnitude(method.values));
    const bool table = row.kind == RowKind::table;
    const std::vector<size_t> shown = strongest_players(row, table ? kShownOfTable : kShown);
    scrolling(html, "Table of all values", [&] {
      html.in("table", {{"class", table ? "players choosable whole" : "players choosable"}}, [&] {
        html.in("caption", {{"class", "hidden"}}, "What every part got from every method");
        write_head(html, row);
        html.in("tbody", {}, [&] {
          for (const size_t player : shown) write_line(html, row, places, player, limits);
        });
      });
    });
    if (!table && shown.size() > kOnPaper) {
      on_paper(html, fmt::format("On paper the first {} of {}; all of them are in the page on screen and in its data.",
                                 kOnPaper, row.players.count()));
    }
    html.in("p", {{"class", "more"}}, [&] {
      html.in("span", {{"class", "faint"}},
              fmt::format("{} of {}.", shown.size(), counted_parts(row.kind, row.players)));
      if (shown.size() < row.players.count()) {
        html.in("button", {{"type", "button"}, {"class", "all"}, {"hidden", ""}}, "Show all");
      }
    });
  });
}

}  // namespace ascribe::core::page
