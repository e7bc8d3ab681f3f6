#include "serve/asking.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/base64.h"

namespace ascribe::core::serve {

namespace {

constexpr std::string_view kWhere = "request";
constexpr JsonLimits kLimits = {16, 200'000};
constexpr int64_t kMostRow = int64_t{1} << 40;
constexpr int64_t kMostCells = 64;  // along a side of a picture
constexpr size_t kMostMethods = 64;

// "zero", "mean", "blur:2.5", "value:0.5": what names no file.
std::string baseline_from(const JsonPlace& place) {
  const std::string text = place.text();
  if (text == "zero" || text == "mean" || text == "pad") return text;
  for (const std::string_view begin : {"blur:", "value:"}) {
    if (!text.starts_with(begin)) continue;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data() + begin.size(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return text;
  }
  place.complain("zero, mean, pad, blur:SIGMA or value:V");
}

// "top", or the number of a class.
std::string target_from(const JsonPlace& place) {
  if (place.json().is_text() && place.text() == "top") return "top";
  return std::to_string(place.whole(0, kMostRow));
}

// [rows, columns] of a picture.
std::string players_from(const JsonPlace& place) {
  if (place.length() != 2) place.complain("the number of rows and of columns");
  return fmt::format("grid:{}x{}", place.item(0).whole(1, kMostCells), place.item(1).whole(1, kMostCells));
}

}  // namespace

Json parse_body(std::string_view body) { return parse_json(body, kWhere, ErrorKind::argument, kLimits); }

Asking asking_from(const JsonPlace& json) {
  Asking asking;
  const std::string from = json.text("from");
  if (from != "data" && from != "file") json.at("from").complain("data or file");
  asking.file = from == "file";
  asking.row = json.at("row").whole(0, kMostRow);
  if (json.has("target")) asking.target = target_from(json.at("target"));
  if (json.has("baseline")) asking.baseline = baseline_from(json.at("baseline"));
  if (json.has("regions")) asking.players = players_from(json.at("regions"));
  return asking;
}

study::RowChange change_from(const JsonPlace& json, int64_t places) {
  study::RowChange change;
  if (json.has("masked")) {
    const auto bits = decode_base64(json.text("masked"));
    if (!bits) json.at("masked").complain("base64");
    if (std::ssize(*bits) != (places + 7) / 8) {
      json.at("masked").refuse(
          fmt::format("has {} bytes; expected {}, a bit for each place", bits->size(), (places + 7) / 8));
    }
    for (int64_t place = 0; place < places; ++place) {
      const auto byte = static_cast<unsigned char>((*bits)[static_cast<size_t>(place / 8)]);
      change.masked.push_back(((byte >> (place % 8)) & 1) != 0);
    }
  }
  if (json.has("replaced")) {
    for (const JsonPlace& one : json.at("replaced").items()) {
      if (one.length() != 2) one.complain("a place and its number");
      change.replaced.emplace_back(one.item(0).whole(0, std::max<int64_t>(0, places - 1)), one.item(1).finite());
    }
  }
  return change;
}

std::vector<std::string> methods_from(const JsonPlace& list) {
  if (list.length() == 0 || list.length() > kMostMethods) list.complain("at least one method");
  std::vector<std::string> names;
  for (std::string& name : list.texts()) {
    method_named(name);  // complains
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace ascribe::core::serve
