#include "report/page/data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "data/png.h"

namespace ascribe::core::page {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kLargestCount = int64_t{1} << 26;

std::string kind_of(const Json& json) { return json.is_null() ? "null" : json.type_name(); }

// A value and where it is, so that every complaint can say so.
class Place {
 public:
  Place(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  [[noreturn]] void complain(const std::string& expected) const {
    fail(ErrorKind::io, "report", "{} is {}; expected {}", path_.empty() ? "the document" : path_, kind_of(*json_),
         expected);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    fail(ErrorKind::io, "report", "{} {}", path_.empty() ? "the document" : path_, what);
  }

  bool has(const std::string& key) const {
    object();
    return json_->contains(key) && !json_->at(key).is_null();
  }
  Place at(const std::string& key) const {
    object();
    const auto found = json_->find(key);
    if (found == json_->end()) refuse("has no '" + key + "'");
    return {*found, path_.empty() ? key : path_ + "." + key};
  }
  std::vector<Place> items() const {
    if (!json_->is_array()) complain("a list");
    std::vector<Place> list;
    list.reserve(json_->size());
    for (size_t i = 0; i < json_->size(); ++i) list.emplace_back((*json_)[i], fmt::format("{}[{}]", path_, i));
    return list;
  }
  // Without a path for every item: for long lists of numbers.
  const Json& list() const {
    if (!json_->is_array()) complain("a list");
    return *json_;
  }
  const Json& object() const {
    if (!json_->is_object()) complain("an object");
    return *json_;
  }

  std::string text() const {
    if (!json_->is_string()) complain("a text");
    return json_->get<std::string>();
  }
  std::string text(const std::string& key) const { return at(key).text(); }
  std::string text_or(const std::string& key, const std::string& otherwise) const {
    return has(key) ? text(key) : otherwise;
  }
  std::optional<std::string> optional_text(const std::string& key) const {
    return has(key) ? std::optional(text(key)) : std::nullopt;
  }
  // Also of numbers and switches, as they stand in the file.
  std::string any_text() const { return json_->is_string() ? text() : json_->dump(); }

  Number number() const {
    if (json_->is_null()) return std::nullopt;
    if (!json_->is_number()) complain("a number or null");
    const auto value = json_->get<double>();
    return std::isfinite(value) ? Number(value) : std::nullopt;
  }
  Number number(const std::string& key) const { return has(key) ? at(key).number() : Number(); }
  double finite() const {
    const Number value = number();
    if (!value) complain("a number");
    return *value;
  }
  int64_t whole(int64_t least, int64_t most) const {
    const double value = finite();
    if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most)) {
      refuse(fmt::format("is {}; expected a whole number from {} to {}", json_->dump(), least, most));
    }
    return static_cast<int64_t>(value);
  }
  bool truth() const {
    if (!json_->is_boolean()) complain("true or false");
    return json_->get<bool>();
  }

  Place item(size_t i) const { return {(*json_)[i], fmt::format("{}[{}]", path_, i)}; }

 private:
  const Json* json_;
  std::string path_;
};

std::vector<Number> numbers(const Place& place) {
  std::vector<Number> values;
  const size_t count = place.list().size();
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) values.push_back(place.item(i).number());
  return values;
}

std::vector<std::string> texts(const Place& place) {
  std::vector<std::string> values;
  for (const Place& item : place.items()) values.push_back(item.text());
  return values;
}

std::vector<std::string> texts_or_none(const Place& place, const std::string& key) {
  return place.has(key) ? texts(place.at(key)) : std::vector<std::string>();
}

NamedTexts named_texts(const Place& place) {
  NamedTexts list;
  for (const auto& [key, value] : place.object().items()) list.emplace_back(key, place.at(key).any_text());
  return list;
}

NamedTexts named_texts_or_none(const Place& place, const std::string& key) {
  return place.has(key) ? named_texts(place.at(key)) : NamedTexts();
}

void expect_length(const Place& place, size_t got, size_t expected, const std::string& of_what) {
  if (got != expected) place.refuse(fmt::format("has {} items; expected {}, one for each {}", got, expected, of_what));
}

std::string decode_base64(const Place& place) {
  std::array<int, 256> digits{};
  digits.fill(-1);
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kDigits.size(); ++i) digits[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
  std::string text = place.text();
  while (text.ends_with('=')) text.pop_back();
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const int digit = digits[static_cast<unsigned char>(c)];
    if (digit < 0) place.refuse("is no base64 text");
    held = (held << 6 | static_cast<uint32_t>(digit)) & 0xffffff;
    bits += 6;
    if (bits >= 8) bits -= 8, bytes += static_cast<char>(held >> bits & 0xff);
  }
  return bytes;
}

Image read_image(const Place& place) {
  const int64_t width = place.at("width").whole(1, kLargestCount), height = place.at("height").whole(1, kLargestCount);
  Image image = decode_png(decode_base64(place.at("png")), "report");
  if (image.width != width || image.height != height) {
    place.at("png").refuse(
        fmt::format("is a picture of {} x {}; expected {} x {}", image.width, image.height, width, height));
  }
  return image;
}

PlayerList read_players(const Place& place, size_t pixels) {
  PlayerList players;
  players.description = place.text("description");
  players.names = texts(place.at("names"));
  if (players.names.empty()) place.at("names").refuse("is empty; expected at least one player");
  players.values = texts_or_none(place, "values");
  if (!players.values.empty()) expect_length(place.at("values"), players.values.size(), players.count(), "player");
  if (!place.has("owner") || pixels == 0) return players;
  const Place owner = place.at("owner");
  expect_length(owner, owner.list().size(), pixels, "pixel");
  players.owner.reserve(pixels);
  for (size_t i = 0; i < pixels; ++i) {
    players.owner.push_back(static_cast<int32_t>(owner.item(i).whole(-1, static_cast<int64_t>(players.count()) - 1)));
  }
  return players;
}

Map read_map(const Place& place, size_t pixels) {
  const std::string bytes = decode_base64(place.at("data"));
  expect_length(place.at("data"), bytes.size() / 2, pixels, "pixel");
  Map map{place.at("scale").finite(), {}};
  map.data.reserve(pixels);
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto low = static_cast<uint8_t>(bytes[i]), high = static_cast<uint8_t>(bytes[i + 1]);
    map.data.push_back(static_cast<int16_t>(low | high << 8));
  }
  return map;
}

MethodResult read_method(const Place& place, size_t players, size_t pixels) {
  MethodResult method;
  method.name = place.text("name");
  method.title = place.text_or("title", method.name);
  method.kind = place.text_or("kind", "contribution");
  method.formula = place.text_or("formula", "");
  method.cost = place.text_or("cost", "");
  method.parameters = named_texts_or_none(place, "parameters");
  method.values = numbers(place.at("values"));
  expect_length(place.at("values"), method.values.size(), players, "player");
  if (place.has("standard_errors")) {
    method.standard_errors = numbers(place.at("standard_errors"));
    expect_length(place.at("standard_errors"), method.standard_errors.size(), players, "player");
  }
  if (place.has("map") && pixels > 0) method.map = read_map(place.at("map"), pixels);
  method.sum = place.number("sum");
  method.explains = place.number("explains");
  method.residual = place.number("residual");
  method.standard_error = place.number("standard_error");
  method.seconds = place.number("seconds");
  method.exact = place.has("exact") && place.at("exact").truth();
  method.evaluations = place.has("evaluations") ? place.at("evaluations").whole(0, int64_t{1} << 53) : 0;
  method.notes = texts_or_none(place, "notes");
  return method;
}

std::vector<LeftOut> read_left_out(const Place& place) {
  std::vector<LeftOut> list;
  if (!place.has("left_out")) return list;
  for (const Place& item : place.at("left_out").items()) list.push_back({item.text("method"), item.text("reason")});
  return list;
}

std::vector<std::vector<Number>> read_matrix(const Place& place, size_t size) {
  std::vector<std::vector<Number>> matrix;
  for (const Place& line : place.items()) {
    matrix.push_back(numbers(line));
    expect_length(line, matrix.back().size(), size, "method");
  }
  expect_length(place, matrix.size(), size, "method");
  return matrix;
}

Agreement read_agreement(const Place& place) {
  Agreement agreement;
  agreement.methods = texts(place.at("methods"));
  agreement.rank_correlation = read_matrix(place.at("rank_correlation"), agreement.methods.size());
  agreement.top_overlap = read_matrix(place.at("top_overlap"), agreement.methods.size());
  agreement.k = place.has("k") ? place.at("k").whole(0, kLargestCount) : 0;
  return agreement;
}

std::vector<SetEffect> read_sets(const Place& place, const std::string& key, size_t players) {
  std::vector<SetEffect> sets;
  if (!place.has(key)) return sets;
  for (const Place& item : place.at(key).items()) {
    SetEffect effect{{}, item.at("value").finite()};
    for (const Place& player : item.at("players").items()) {
      effect.players.push_back(static_cast<size_t>(player.whole(0, static_cast<int64_t>(players) - 1)));
    }
    sets.push_back(std::move(effect));
  }
  return sets;
}

Effects read_effects(const Place& place, size_t pixels) {
  Effects effects;
  effects.players = read_players(place.at("players"), pixels);
  const size_t players = effects.players.count();
  effects.output = place.number("output");
  effects.baseline_output = place.number("baseline_output");
  effects.remainder = place.number("remainder");
  for (const Place& item : place.at("orders").items()) {
    effects.orders.push_back({item.at("order").whole(1, kLargestCount), item.at("effects").whole(0, int64_t{1} << 53),
                              item.number("sum"), item.number("strength"), item.number("share")});
  }
  effects.independent = numbers(place.at("independent"));
  expect_length(place.at("independent"), effects.independent.size(), players, "player");
  effects.strongest = read_sets(place, "strongest", players);
  effects.pairs = read_sets(place, "pairs", players);
  effects.triples = read_sets(place, "triples", players);
  const auto exactly = [&](const std::vector<SetEffect>& sets, size_t size, const std::string& key) {
    for (const SetEffect& set : sets) {
      if (set.players.size() != size) place.at(key).refuse(fmt::format("has a set that is not of {} players", size));
    }
  };
  exactly(effects.pairs, 2, "pairs");
  exactly(effects.triples, 3, "triples");
  return effects;
}

Verdict read_verdict(const Place& place) {
  const bool decided = place.has("holds");
  return {place.number("figure"), place.number("tolerance"),
          decided ? std::optional(place.at("holds").truth()) : std::nullopt};
}

Principles read_principles(const Place& place, size_t pixels) {
  Principles principles;
  principles.players = read_players(place.at("players"), pixels);
  principles.change = place.number("change");
  for (const Place& item : place.at("methods").items()) {
    principles.methods.push_back({item.text("name"), read_verdict(item.at("low_error")),
                                  read_verdict(item.at("no_unrelated")), read_verdict(item.at("complete")),
                                  item.has("held") ? item.at("held").whole(0, 3) : 0, item.text_or("sentence", "")});
  }
  principles.left_out = read_left_out(place);
  return principles;
}

Score read_score(const Place& place) {
  Score score{place.text("method"), place.number("value"), place.text_or("undefined", ""), {}, {}};
  if (!place.has("curve")) return score;
  const std::vector<Number> curve = numbers(place.at("curve")), positions = numbers(place.at("positions"));
  expect_length(place.at("positions"), positions.size(), curve.size(), "point of the curve");
  for (size_t i = 0; i < curve.size(); ++i) {
    if (!curve[i] || !positions[i]) continue;
    score.curve.push_back(*curve[i]);
    score.positions.push_back(*positions[i]);
  }
  return score;
}

MetricScores read_metric(const Place& place) {
  MetricScores metric;
  metric.name = place.text("name");
  metric.title = place.text_or("title", metric.name);
  metric.about = place.text_or("about", "");
  metric.lower_is_better = place.text_or("better", "higher") == "lower";
  metric.parameters = named_texts_or_none(place, "parameters");
  for (const Place& item : place.at("scores").items()) metric.scores.push_back(read_score(item));
  return metric;
}

Kind read_kind(const Place& place) {
  const std::string text = place.text();
  if (text == "image") return Kind::image;
  if (text == "table") return Kind::table;
  if (text == "sequence") return Kind::sequence;
  place.refuse("is '" + text + "'; expected image, table or sequence");
}

void read_prediction(const Place& place, Row& row) {
  row.target = place.at("target").at("index").whole(0, kLargestCount);
  row.target_label = place.at("target").optional_text("label");
  row.explains = place.text_or("explains", "value");
  row.baseline = place.text_or("baseline", "");
  row.output = place.number("output");
  row.baseline_output = place.number("baseline_output");
  row.change = place.number("change");
  for (const Place& item : place.at("top").items()) {
    row.top.push_back({item.at("index").whole(0, kLargestCount), item.optional_text("label"), item.number("value"),
                       item.number("probability")});
  }
}

Row read_row(const Place& place) {
  Row row;
  row.source = place.text("source");
  row.kind = read_kind(place.at("kind"));
  read_prediction(place, row);
  if (place.has("image")) row.image = read_image(place.at("image"));
  if (row.kind == Kind::image && !row.image) place.refuse("is an image without 'image'");
  if (row.kind != Kind::image) row.image.reset();
  row.players = read_players(place.at("players"), row.pixels());
  for (const Place& item : place.at("methods").items()) {
    row.methods.push_back(read_method(item, row.players.count(), row.pixels()));
  }
  row.left_out = read_left_out(place);
  if (place.has("agreement")) row.agreement = read_agreement(place.at("agreement"));
  if (place.has("effects")) row.effects = read_effects(place.at("effects"), row.pixels());
  if (place.has("principles")) row.principles = read_principles(place.at("principles"), row.pixels());
  if (place.has("differences")) {
    for (const Place& item : place.at("differences").items()) {
      row.differences.push_back({item.text("first"), item.text("second"), item.text_or("sentence", ""),
                                 item.number("cosine"), item.number("difference")});
    }
  }
  if (place.has("metrics")) {
    for (const Place& item : place.at("metrics").items()) row.metrics.push_back(read_metric(item));
  }
  return row;
}

void check_format(const Place& place) {
  if (place.text("format") != "ascribe report") {
    place.at("format").refuse("is '" + place.text("format") + "'; expected 'ascribe report'");
  }
  const int64_t version = place.at("version").whole(0, kLargestCount);
  if (version != 1) place.at("version").refuse(fmt::format("is {}; this program reads version 1", version));
}

}  // namespace

Report read_report(const nlohmann::ordered_json& json) {
  const Place place(json, "");
  check_format(place);
  Report report;
  report.title = place.text("title");
  report.program = place.at("program").text("name");
  report.version = place.at("program").text("version");
  report.created = place.text_or("created", "");
  report.model = named_texts(place.at("model"));
  report.model_file = place.at("model").text("file");
  report.settings = named_texts(place.at("settings"));
  report.command = place.at("settings").text_or("command", "");
  report.seconds = place.number("seconds");
  report.notes = texts_or_none(place, "notes");
  for (const Place& item : place.at("rows").items()) report.rows.push_back(read_row(item));
  if (report.rows.empty()) place.at("rows").refuse("is empty; expected at least one row");
  return report;
}

const std::string& title_of(const Row& row, const std::string& method) {
  const auto found =
      std::find_if(row.methods.begin(), row.methods.end(), [&](const auto& m) { return m.name == method; });
  return found == row.methods.end() ? method : found->title;
}

}  // namespace ascribe::core::page
