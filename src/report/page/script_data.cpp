// What the script of the page gets: every number once, in as few bytes as keeps it what it is in the report.
#include <algorithm>
#include <numeric>

#include "draw/heat_map.h"
#include "report/page/sections.h"
#include "draw/svg.h"

namespace ascribe::core::page {

namespace {

using Json = nlohmann::ordered_json;

// Whose values the table can show: everybody, or of more than kMany only the strongest.
constexpr size_t kMany = 4096, kStrongest = 1000;

// [owner, pixels, owner, pixels, ...]
Json runs(const std::vector<int32_t>& owner) {
  Json list = Json::array();
  for (size_t i = 0; i < owner.size();) {
    size_t end = i;
    while (end < owner.size() && owner[end] == owner[i]) ++end;
    list.push_back(owner[i]);
    list.push_back(end - i);
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

Json map_json(const Map& map) {
  std::string bytes;
  bytes.reserve(2 * map.data.size());
  for (const int16_t value : map.data) {
    const auto bits = static_cast<uint16_t>(value);
    bytes += static_cast<char>(bits & 0xff);
    bytes += static_cast<char>(bits >> 8);
  }
  return {{"scale", map.scale}, {"data", base64(bytes)}};
}

Json method_json(const Row& row, const MethodResult& method, const std::vector<size_t>& players) {
  Json values = Json::array();
  for (const size_t player : players) {
    const Number value = method.values[player];
    values.push_back(value ? Json(*value) : Json());
  }
  return {
      {"title", method.title},
      {"limit", row.kind == Kind::table ? largest_magnitude(method.values) : robust_limit(shown_values(row, method))},
      {"largest", largest_magnitude(method.values)},
      {"values", values},
      {"map", method.map ? map_json(*method.map) : Json()}};
}

}  // namespace

nlohmann::ordered_json script_data(const Row& row) {
  const std::vector<size_t> shown = strongest_players(row, row.players.count() > kMany ? kStrongest : kMany);
  Json names = Json::array(), texts = Json::array(), methods = Json::array();
  for (const size_t player : shown) {
    names.push_back(row.players.names[player]);
    if (!row.players.values.empty()) texts.push_back(row.players.values[player]);
  }
  for (const MethodResult& method : row.methods) methods.push_back(method_json(row, method, shown));
  const Extent size = extent(row);
  return {{"kind", row.kind == Kind::image ? "image" : (row.kind == Kind::table ? "table" : "sequence")},
          {"width", size.width},
          {"height", size.height},
          {"count", row.players.count()},
          {"players", shown},  // of the lists that follow; the strongest first
          {"names", names},
          {"texts", row.players.values.empty() ? Json() : texts},
          {"pixels", every_pixel_is_its_own_player(row)},
          {"owner", row.players.owner.empty() || every_pixel_is_its_own_player(row) ? Json() : runs(row.players.owner)},
          {"methods", methods}};
}

}  // namespace ascribe::core::page
