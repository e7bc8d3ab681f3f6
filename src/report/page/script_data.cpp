// What the script of the page gets: every number once, in as few bytes as keeps it what it is in the report.
#include <algorithm>
#include <numeric>

#include "draw/heat_map.h"
#include "report/page/places.h"
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

// Whose values the table can show: everybody, or of more than kMany only the strongest.
constexpr size_t kMany = 4096, kStrongest = 1000;

// [owner, pixels, owner, pixels, ...]
Json runs(const std::vector<int32_t>& owner) {
  Json list = Json::list();
  for (size_t i = 0; i < owner.size();) {
    size_t end = i;
    while (end < owner.size() && owner[end] == owner[i]) ++end;
    list.push(owner[i]);
    list.push(end - i);
    i = end;
  }
  return list;
}

bool every_pixel_is_its_own_player(const Row& row) {
  if (row.players.owner.size() != row.players.count()) return false;
  for (size_t i = 0; i < row.players.owner.size(); ++i) {
    if (row.players.owner[i] != static_cast<int32_t>(i)) return false;
  }
  return true;
}

// Every number of a series, in every method, for those who point at it: up to some megabytes.
bool readable_over_time(const Row& row) {
  constexpr size_t kMostNumbers = 1 << 20;
  return row.series->size() * (row.methods.size() + 1) <= kMostNumbers;
}

Json series_json(const Row& row) {
  if (!row.series || !readable_over_time(row)) return {};
  const document::Series& series = *row.series;
  return Json::object({{"steps", series.steps}, {"channels", series.channels}, {"values", series.values}});
}

Json method_json(const Row& row, const MethodResult& method, const std::vector<size_t>& players) {
  std::vector<Number> values;
  for (const size_t player : players) values.push_back(method.values[player]);
  const double largest = largest_magnitude(method.values);
  const bool plain = row.kind == RowKind::table || row.kind == RowKind::text;
  return Json::object({{"title", method.title},
                       {"limit", plain ? largest : robust_limit(shown_values(row, method))},
                       {"largest", largest},
                       {"values", values},
                       {"map", row.series && !readable_over_time(row) ? Json() : Json(method.map)}});
}

}  // namespace

Json script_data(const Row& row) {
  const std::vector<size_t> shown = strongest_players(row, row.players.count() > kMany ? kStrongest : kMany);
  const bool pixels = every_pixel_is_its_own_player(row), texts = !row.players.values.empty();
  const Places places(row);
  std::vector<std::string> names, values;
  for (const size_t player : shown) {
    names.push_back(places.name(player));
    if (texts) values.push_back(row.players.values[player]);
  }
  Json methods = Json::list();
  for (const MethodResult& method : row.methods) methods.push(method_json(row, method, shown));
  const Extent size =
      row.series ? Extent{row.series->steps, static_cast<int64_t>(row.series->channels.size())} : extent(row);
  return Json::object({{"kind", to_string(row.kind)},
                       {"width", size.width},
                       {"height", size.height},
                       {"count", row.players.count()},
                       {"noun", part_noun(row)},
                       {"counted", counted_parts(row.kind, row.players)},
                       {"players", shown},  // of the lists that follow; the strongest first
                       {"names", names},
                       {"texts", texts ? Json(values) : Json()},
                       {"pixels", pixels},
                       {"owner", row.players.owner.empty() || pixels ? Json() : runs(row.players.owner)},
                       {"series", series_json(row)},
                       {"methods", std::move(methods)}});
}

}  // namespace ascribe::core::page
