#include "study/document.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/base64.h"
#include "base/json_place.h"
#include "data/png.h"

namespace ascribe::core::document {

namespace {

constexpr std::string_view kFormat = "ascribe report";
constexpr int64_t kVersion = 1;
constexpr int64_t kLargestIndex = int64_t{1} << 26, kLargestCount = int64_t{1} << 53;
constexpr int kDigits = 6;        // what a reader can use; they keep the page small
constexpr double kSteps = 32767;  // of a map: what 16 bits hold on each side of 0

template <class T>
Json or_null(const std::vector<T>& list) {
  return list.empty() ? Json() : Json(list);
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

template <class Read>
auto list_from(const JsonPlace& place, const Read& read) {
  std::vector<decltype(read(place))> list;
  for (const JsonPlace& item : place.items()) list.push_back(read(item));
  return list;
}

// Those that may be missing.
template <class Read>
auto list_or_none(const JsonPlace& place, std::string_view key, const Read& read) {
  return place.has(key) ? list_from(place.at(key), read) : std::vector<decltype(read(place))>();
}

std::vector<std::string> texts_or_none(const JsonPlace& place, std::string_view key) {
  return list_or_none(place, key, [](const JsonPlace& item) { return item.text(); });
}

template <class Read>
auto part_or_none(const JsonPlace& place, std::string_view key, const Read& read) {
  return place.has(key) ? std::optional(read(place.at(key))) : std::nullopt;
}

int64_t whole_or(const JsonPlace& place, std::string_view key, int64_t most, int64_t otherwise = 0) {
  return place.has(key) ? place.at(key).whole(0, most) : otherwise;
}

bool truth_or(const JsonPlace& place, std::string_view key, bool otherwise) {
  return place.has(key) ? place.at(key).truth() : otherwise;
}

Facts facts_or_none(const JsonPlace& place, std::string_view key) {
  return place.has(key) ? place.at(key).members() : Facts();
}

void expect_length(const JsonPlace& place, size_t got, size_t expected, std::string_view of_what) {
  if (got != expected) place.refuse(fmt::format("has {} items; expected {}, one for each {}", got, expected, of_what));
}

std::vector<Number> numbers_from(const JsonPlace& place, size_t expected, std::string_view of_what) {
  expect_length(place, place.length(), expected, of_what);
  return place.numbers();
}

std::string bytes_from(const JsonPlace& place) {
  auto bytes = decode_base64(place.text());
  if (!bytes) place.refuse("is no base64 text");
  return std::move(*bytes);
}

}  // namespace

// ---- pictures and maps ----

static Json image_json(const Image& image) {
  return Json::object({{"width", image.width}, {"height", image.height}, {"png", base64(encode_png(image))}});
}

static Image image_from(const JsonPlace& place) {
  const int64_t width = place.at("width").whole(1, kLargestIndex), height = place.at("height").whole(1, kLargestIndex);
  Image image = decode_png(bytes_from(place.at("png")), std::string(place.where()));
  if (image.width != width || image.height != height) {
    place.at("png").refuse(
        fmt::format("is a picture of {} x {}; expected {} x {}", image.width, image.height, width, height));
  }
  return image;
}

// Two bytes for each pixel, low byte first.
Json to_json(const Map& map) {
  std::string bytes;
  bytes.reserve(2 * map.data.size());
  for (const int16_t value : map.data) {
    const auto bits = static_cast<uint16_t>(value);
    bytes += static_cast<char>(bits & 0xff);
    bytes += static_cast<char>(bits >> 8);
  }
  return Json::object({{"scale", map.scale}, {"data", base64(bytes)}});
}

static Map map_from(const JsonPlace& place, size_t pixels) {
  const std::string bytes = bytes_from(place.at("data"));
  expect_length(place.at("data"), bytes.size() / 2, pixels, "pixel");
  Map map{place.at("scale").finite(), {}};
  map.data.reserve(pixels);
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto low = static_cast<uint8_t>(bytes[i]), high = static_cast<uint8_t>(bytes[i + 1]);
    map.data.push_back(static_cast<int16_t>(low | high << 8));
  }
  return map;
}

// ---- players and methods ----

static Json to_json(const PlayerList& players) {
  return Json::object({{"description", players.description},
                       {"names", players.names},
                       {"values", or_null(players.values)},
                       {"owner", or_null(players.owner)}});
}

static PlayerList players_from(const JsonPlace& place, size_t pixels) {
  PlayerList players{place.text("description"), place.at("names").texts(), texts_or_none(place, "values"), {}};
  if (players.names.empty()) place.at("names").refuse("is empty; expected at least one player");
  if (!players.values.empty()) expect_length(place.at("values"), players.values.size(), players.count(), "player");
  if (!place.has("owner") || pixels == 0) return players;
  const JsonPlace owner = place.at("owner");
  expect_length(owner, owner.length(), pixels, "pixel");
  players.owner.reserve(pixels);
  for (size_t i = 0; i < pixels; ++i) {
    players.owner.push_back(static_cast<int32_t>(owner.item(i).whole(-1, static_cast<int64_t>(players.count()) - 1)));
  }
  return players;
}

static Json to_json(const MethodResult& method) {
  return Json::object({{"name", method.name},
                       {"title", method.title},
                       {"number", method.number},
                       {"kind", method.kind},
                       {"formula", method.formula},
                       {"cost", method.cost},
                       {"parameters", method.parameters},
                       {"values", method.values},
                       {"standard_errors", or_null(method.standard_errors)},
                       {"map", method.map},
                       {"sum", method.sum},
                       {"explains", method.explains},
                       {"residual", method.residual},
                       {"exact", method.exact},
                       {"standard_error", method.standard_error},
                       {"evaluations", method.evaluations},
                       {"seconds", method.seconds},
                       {"notes", method.notes}});
}

static MethodResult method_from(const JsonPlace& place, size_t players, size_t pixels) {
  MethodResult method;
  method.name = place.text("name");
  method.title = place.text_or("title", method.name);
  method.number = whole_or(place, "number", kLargestIndex);
  method.kind = place.text_or("kind", "contribution");
  method.formula = place.text_or("formula", "");
  method.cost = place.text_or("cost", "");
  method.parameters = facts_or_none(place, "parameters");
  method.values = numbers_from(place.at("values"), players, "player");
  if (place.has("standard_errors")) {
    method.standard_errors = numbers_from(place.at("standard_errors"), players, "player");
  }
  if (place.has("map") && pixels > 0) method.map = map_from(place.at("map"), pixels);
  method.sum = place.number("sum");
  method.explains = place.number("explains");
  method.residual = place.number("residual");
  method.exact = truth_or(place, "exact", false);
  method.standard_error = place.number("standard_error");
  method.evaluations = whole_or(place, "evaluations", kLargestCount);
  method.seconds = place.number("seconds");
  method.notes = texts_or_none(place, "notes");
  return method;
}

static Json to_json(const LeftOut& left) { return Json::object({{"method", left.method}, {"reason", left.reason}}); }

static LeftOut left_out_from(const JsonPlace& place) { return {place.text("method"), place.text("reason")}; }

static Json to_json(const Agreement& agreement) {
  return Json::object({{"methods", agreement.methods},
                       {"rank_correlation", agreement.rank_correlation},
                       {"top_overlap", agreement.top_overlap},
                       {"k", agreement.k}});
}

static Matrix matrix_from(const JsonPlace& place, size_t size) {
  const auto line = [&](const JsonPlace& item) { return numbers_from(item, size, "method"); };
  Matrix matrix = list_from(place, line);
  expect_length(place, matrix.size(), size, "method");
  return matrix;
}

static Agreement agreement_from(const JsonPlace& place) {
  std::vector<std::string> methods = place.at("methods").texts();
  const size_t count = methods.size();
  return {std::move(methods), matrix_from(place.at("rank_correlation"), count),
          matrix_from(place.at("top_overlap"), count), whole_or(place, "k", kLargestIndex)};
}

// ---- metrics ----

static Json to_json(const Score& score) {
  return Json::object({{"method", score.method},
                       {"value", score.value},
                       {"undefined", or_null(score.undefined)},
                       {"positions", or_null(score.positions)},
                       {"curve", or_null(score.curve)}});
}

static Score score_from(const JsonPlace& place) {
  Score score{place.text("method"), place.number("value"), place.text_or("undefined", ""), {}, {}};
  if (!place.has("curve")) return score;
  const std::vector<Number> curve = place.at("curve").numbers();
  const std::vector<Number> positions = numbers_from(place.at("positions"), curve.size(), "point of the curve");
  for (size_t i = 0; i < curve.size(); ++i) {
    if (!curve[i] || !positions[i]) continue;
    score.curve.push_back(*curve[i]);
    score.positions.push_back(*positions[i]);
  }
  return score;
}

static Json to_json(const MetricScores& metric) {
  return Json::object({{"name", metric.name},
                       {"title", metric.title},
                       {"better", metric.lower_is_better ? "lower" : "higher"},
                       {"about", metric.about},
                       {"parameters", metric.parameters},
                       {"scores", metric.scores}});
}

static MetricScores metric_from(const JsonPlace& place) {
  const std::string name = place.text("name");
  return {name,
          place.text_or("title", name),
          place.text_or("better", "higher") == "lower",
          place.text_or("about", ""),
          facts_or_none(place, "parameters"),
          list_from(place.at("scores"), score_from)};
}

// ---- effects ----

static Json to_json(const OrderEffects& order) {
  return Json::object({{"order", order.order},
                       {"effects", order.effects},
                       {"sum", order.sum},
                       {"strength", order.strength},
                       {"share", order.share}});
}

static OrderEffects order_from(const JsonPlace& place) {
  return {place.at("order").whole(1, kLargestIndex), place.at("effects").whole(0, kLargestCount), place.number("sum"),
          place.number("strength"), place.number("share")};
}

static Json to_json(const SetEffect& set) { return Json::object({{"players", set.players}, {"value", set.value}}); }

static std::vector<SetEffect> sets_from(const JsonPlace& place, std::string_view key, size_t players) {
  return list_or_none(place, key, [&](const JsonPlace& item) {
    SetEffect effect{{}, item.at("value").finite()};
    for (const JsonPlace& player : item.at("players").items()) {
      effect.players.push_back(static_cast<size_t>(player.whole(0, static_cast<int64_t>(players) - 1)));
    }
    return effect;
  });
}

static Json to_json(const Effects& effects) {
  return Json::object({{"players", effects.players},
                       {"output", effects.output},
                       {"baseline_output", effects.baseline_output},
                       {"remainder", effects.remainder},
                       {"orders", effects.orders},
                       {"independent", effects.independent},
                       {"strongest", effects.strongest},
                       {"pairs", effects.pairs},
                       {"triples", effects.triples}});
}

static Effects effects_from(const JsonPlace& place, size_t pixels) {
  PlayerList list = players_from(place.at("players"), pixels);
  const size_t players = list.count();
  const auto sets_of = [&](size_t size, std::string_view key) {
    std::vector<SetEffect> sets = sets_from(place, key, players);
    for (const SetEffect& set : sets) {
      if (set.players.size() != size) place.at(key).refuse(fmt::format("has a set that is not of {} players", size));
    }
    return sets;
  };
  return {std::move(list),
          place.number("output"),
          place.number("baseline_output"),
          place.number("remainder"),
          list_from(place.at("orders"), order_from),
          numbers_from(place.at("independent"), players, "player"),
          sets_from(place, "strongest", players),
          sets_of(2, "pairs"),
          sets_of(3, "triples")};
}

// ---- principles ----

static Json to_json(const Verdict& verdict) {
  return Json::object({{"figure", verdict.figure}, {"tolerance", verdict.tolerance}, {"holds", verdict.holds}});
}

static Verdict verdict_from(const JsonPlace& place) {
  return {place.number("figure"), place.number("tolerance"),
          part_or_none(place, "holds", [](const JsonPlace& holds) { return holds.truth(); })};
}

static Json to_json(const MethodPrinciples& method) {
  return Json::object({{"name", method.name},
                       {"low_error", method.low_error},
                       {"no_unrelated", method.no_unrelated},
                       {"complete", method.complete},
                       {"held", method.held},
                       {"given", method.given},
                       {"exact", method.exact},
                       {"sentence", method.sentence}});
}

static MethodPrinciples method_principles_from(const JsonPlace& place) {
  return {place.text("name"),
          verdict_from(place.at("low_error")),
          verdict_from(place.at("no_unrelated")),
          verdict_from(place.at("complete")),
          whole_or(place, "held", 3),
          place.number("given"),
          truth_or(place, "exact", true),
          place.text_or("sentence", "")};
}

static Json to_json(const Principles& principles) {
  return Json::object({{"players", principles.players},
                       {"change", principles.change},
                       {"precision", principles.precision},
                       {"methods", principles.methods},
                       {"left_out", principles.left_out}});
}

static Principles principles_from(const JsonPlace& place, size_t pixels) {
  return {players_from(place.at("players"), pixels), place.number("change"), place.text_or("precision", ""),
          list_from(place.at("methods"), method_principles_from), list_or_none(place, "left_out", left_out_from)};
}

static Json to_json(const Difference& one) {
  return Json::object({{"first", one.first},
                       {"second", one.second},
                       {"cosine", one.cosine},
                       {"difference", one.difference},
                       {"sentence", one.sentence}});
}

static Difference difference_from(const JsonPlace& place) {
  return {place.text("first"), place.text("second"), place.number("cosine"), place.number("difference"),
          place.text_or("sentence", "")};
}

// ---- rows ----

std::string_view to_string(Kind kind) {
  return kind == Kind::image ? "image" : (kind == Kind::table ? "table" : "sequence");
}

static Kind kind_from(const JsonPlace& place) {
  const std::string text = place.text();
  for (const Kind kind : {Kind::image, Kind::table, Kind::sequence}) {
    if (text == to_string(kind)) return kind;
  }
  place.refuse("is '" + text + "'; expected image, table or sequence");
}

static Json to_json(const TopClass& top) {
  return Json::object(
      {{"index", top.index}, {"label", top.label}, {"value", top.value}, {"probability", top.probability}});
}

static TopClass top_class_from(const JsonPlace& place) {
  return {place.at("index").whole(0, kLargestIndex), place.optional_text("label"), place.number("value"),
          place.number("probability")};
}

static Json to_json(const Row& row) {
  return Json::object({{"source", row.source},
                       {"kind", to_string(row.kind)},
                       {"target", Json::object({{"index", row.target}, {"label", row.target_label}})},
                       {"output_name", row.output_name},
                       {"explains", row.explains},
                       {"output", row.output},
                       {"baseline_output", row.baseline_output},
                       {"change", row.change},
                       {"baseline", row.baseline},
                       {"top", row.top},
                       {"image", row.image ? image_json(*row.image) : Json()},
                       {"players", row.players},
                       {"methods", row.methods},
                       {"left_out", row.left_out},
                       {"agreement", row.agreement},
                       {"metrics", row.metrics},
                       {"effects", row.effects},
                       {"principles", row.principles},
                       {"differences", row.differences}});
}

static void read_prediction(const JsonPlace& place, Row& row) {
  row.source = place.text("source");
  row.kind = kind_from(place.at("kind"));
  row.target = place.at("target").at("index").whole(0, kLargestIndex);
  row.target_label = place.at("target").optional_text("label");
  row.output_name = place.text_or("output_name", "");
  row.explains = place.text_or("explains", "value");
  row.output = place.number("output");
  row.baseline_output = place.number("baseline_output");
  row.change = place.number("change");
  row.baseline = place.text_or("baseline", "");
  row.top = list_from(place.at("top"), top_class_from);
}

static Row row_from(const JsonPlace& place) {
  Row row;
  read_prediction(place, row);
  if (place.has("image")) row.image = image_from(place.at("image"));
  if (row.kind == Kind::image && !row.image) place.refuse("is an image without 'image'");
  if (row.kind != Kind::image) row.image.reset();
  const size_t pixels = row.pixels();
  row.players = players_from(place.at("players"), pixels);
  row.methods = list_from(place.at("methods"),
                          [&](const JsonPlace& item) { return method_from(item, row.players.count(), pixels); });
  row.left_out = list_or_none(place, "left_out", left_out_from);
  row.agreement = part_or_none(place, "agreement", agreement_from);
  row.metrics = list_or_none(place, "metrics", metric_from);
  row.effects = part_or_none(place, "effects", [&](const JsonPlace& part) { return effects_from(part, pixels); });
  row.principles =
      part_or_none(place, "principles", [&](const JsonPlace& part) { return principles_from(part, pixels); });
  row.differences = list_or_none(place, "differences", difference_from);
  return row;
}

// ---- the document ----

Json to_json(const Document& document) {
  Json json = Json::object({{"format", kFormat},
                            {"version", kVersion},
                            {"title", document.title},
                            {"program", Json::object({{"name", document.program}, {"version", document.version}})}});
  if (!document.created.empty()) json["created"] = document.created;
  json["model"] = document.model;
  json["settings"] = document.settings;
  json["seconds"] = document.seconds;
  json["notes"] = document.notes;
  json["rows"] = document.rows;
  return json;
}

static void check_format(const JsonPlace& place) {
  if (place.text("format") != kFormat) {
    place.at("format").refuse(fmt::format("is '{}'; expected '{}'", place.text("format"), kFormat));
  }
  const int64_t version = place.at("version").whole(0, kLargestIndex);
  if (version != kVersion) {
    place.at("version").refuse(fmt::format("is {}; this program reads version {}", version, kVersion));
  }
}

Document document_from(const Json& json, std::string_view where) {
  const JsonPlace place(json, where);
  check_format(place);
  const JsonPlace model = place.at("model"), settings = place.at("settings");
  model.text("file");
  settings.text_or("command", "");
  Document document{place.text("title"),
                    place.at("program").text("name"),
                    place.at("program").text("version"),
                    place.text_or("created", ""),
                    model.members(),
                    settings.members(),
                    place.number("seconds"),
                    texts_or_none(place, "notes"),
                    list_from(place.at("rows"), row_from)};
  if (document.rows.empty()) place.at("rows").refuse("is empty; expected at least one row");
  return document;
}

static std::string fact_named(const Facts& facts, std::string_view name) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const JsonMember& fact) { return fact.key == name; });
  return found != facts.end() && found->value.is_text() ? found->value.text() : "";
}

std::string Document::model_file() const { return fact_named(model, "file"); }
std::string Document::command() const { return fact_named(settings, "command"); }
std::string fact_text(const Json& value) { return value.is_text() ? value.text() : value.dump(-1); }

void each_note(Document& document, const std::function<void(std::string&)>& change) {
  for (std::string& note : document.notes) change(note);
  for (Row& row : document.rows) {
    for (MethodResult& method : row.methods) {
      for (std::string& note : method.notes) change(note);
    }
    for (LeftOut& left : row.left_out) change(left.reason);
    for (Difference& difference : row.differences) change(difference.sentence);
    if (!row.principles) continue;
    for (MethodPrinciples& method : row.principles->methods) change(method.sentence);
    for (LeftOut& left : row.principles->left_out) change(left.reason);
  }
}

// ---- what a document keeps ----

double rounded(double value) {
  if (!std::isfinite(value)) return value;
  const std::string text = fmt::format("{:.{}g}", value, kDigits);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Number number(double value) { return std::isfinite(value) ? Number(rounded(value)) : std::nullopt; }

std::vector<Number> numbers(std::span<const double> values) {
  std::vector<Number> list;
  list.reserve(values.size());
  for (const double value : values) list.push_back(number(value));
  return list;
}

Map map_of(const std::vector<Number>& pixels) {
  double limit = 0;
  for (const Number& value : pixels) limit = std::max(limit, std::abs(value.value_or(0)));
  Map map{limit / kSteps, {}};
  map.data.reserve(pixels.size());
  for (const Number& value : pixels) {
    map.data.push_back(static_cast<int16_t>(limit > 0 ? std::lround(value.value_or(0) / map.scale) : 0));
  }
  return map;
}

Image picture(Image image) {
  for (float& value : image.pixels) value = std::round(std::clamp(value, 0.0F, 255.0F));
  image.transparent = false;
  return image;
}

}  // namespace ascribe::core::document
