#include "study/document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/base64.h"
#include "base/json_place.h"
#include "base/sha256.h"
#include "data/png.h"

namespace ascribe::core::document {

namespace {

constexpr const char* kFormat = "ascribe report";
constexpr int64_t kVersion = 1;
constexpr int kDigits = 6;        // what a reader can use; they keep the page small
constexpr double kSteps = 32767;  // of a map: what 16 bits hold on each side of 0

constexpr std::array kKinds = {RowKind::image, RowKind::table, RowKind::sequence, RowKind::series, RowKind::text};
constexpr std::array kStandings = {Standing::holds, Standing::open, Standing::fails, Standing::unmeasured};
constexpr std::array kSureness = {Sureness::well, Sureness::fairly, Sureness::with_care};

struct Range {
  int64_t least = 0, most = int64_t{1} << 53;
};
constexpr Range kIndex{0, int64_t{1} << 26}, kFromOne{1, int64_t{1} << 26};

struct Length {
  size_t count = 0;
  const char* of_what = "";
};

void expect(const JsonPlace& place, size_t got, Length length) {
  if (got == length.count) return;
  place.refuse(fmt::format("has {} items; expected {}, one for each {}", got, length.count, length.of_what));
}

std::string bytes_of(const JsonPlace& place) {
  auto bytes = decode_base64(place.text());
  if (!bytes) place.refuse("is not base64 text");
  return std::move(*bytes);
}

// ---- one list of fields for writing and for reading ----
//
// Every part of the document names its fields once, in the order of the file, in a function `fields`. A Writer makes
// JSON of them; a Reader fills them from JSON and complains of what is not as it must be, with `check` for what a list
// of fields cannot say.
//   needs  a file must have it
//   has    a file may lack it or have null: then it stays as it is in a new part
//   some   the same, and what is empty is written as null

template <class T, class Part>
concept Like = std::same_as<std::remove_const_t<T>, Part>;

struct Writer {
  void needs(const char* key, const auto& value, const auto&...) { written.push_back({key, Json(value)}); }
  void has(const char* key, const auto& value, const auto&...) { needs(key, value); }
  void some(const char* key, const auto& value, const auto&...) { needs(key, value.empty() ? Json() : Json(value)); }
  void any(const char* key, const auto& value) {  // nothing is written of nothing
    if (!value.empty()) needs(key, value);
  }
  template <class T>
  void any(const char* key, const std::optional<T>& value) {
    if (value) needs(key, *value);
  }
  void image(const auto& row);
  void series(const auto& row);

  Json::Members written = {};
  size_t players = 0;
};

class Reader {
 public:
  Reader(JsonPlace place, size_t of_players, size_t of_pixels)
      : players(of_players), pixels_(of_pixels), place_(std::move(place)) {}

  void needs(const char* key, auto& value, const auto&... limit) { read(place_.at(key), value, limit...); }
  void has(const char* key, auto& value, const auto&... limit) {
    if (place_.has(key)) needs(key, value, limit...);
  }
  void some(const char* key, auto& value, const auto&... limit) { has(key, value, limit...); }
  void any(const char* key, auto& value) { has(key, value); }
  void image(auto& row);
  void series(auto& row);

  size_t players;  // how many there are, of whom lists speak

 private:
  void read(const JsonPlace& place, auto& part) {
    Reader inside(place, players, pixels_);
    fields(inside, part);
    check(place, part);
  }
  void read(const JsonPlace& place, std::string& text) { text = place.text(); }
  void read(const JsonPlace& place, bool& value) { value = place.truth(); }
  void read(const JsonPlace& place, double& value) { value = place.finite(); }
  void read(const JsonPlace& place, Number& value) { value = place.number(); }
  void read(const JsonPlace& place, Facts& facts) { facts = place.members(); }
  void read(const JsonPlace& place, int64_t& value, Range range = {}) { value = place.whole(range.least, range.most); }
  template <class T>
  void read(const JsonPlace& place, std::optional<T>& value, const auto&... limit) {
    read(place, value.emplace(), limit...);
  }
  template <class T>
  void read(const JsonPlace& place, std::vector<T>& list, const auto&... limit) {
    for (const JsonPlace& item : place.items()) read(item, list.emplace_back(), limit...);
  }
  void read(const JsonPlace& place, std::vector<Number>& numbers, Length length) {
    expect(place, place.length(), length);
    numbers = place.numbers();
  }
  void read(const JsonPlace& place, std::vector<double>& numbers) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    for (const Number& number : place.numbers()) numbers.push_back(number.value_or(kUnknown));
  }
  void read(const JsonPlace& place, size_t& player) { player = static_cast<size_t>(player_at(place, 0)); }
  // Owners of pixels and maps; without a picture they say nothing.
  void read(const JsonPlace& place, std::vector<int32_t>& owner) {
    if (pixels_ == 0 || players == 0) return;
    expect(place, place.length(), {pixels_, "pixel"});
    for (size_t i = 0; i < pixels_; ++i) owner.push_back(static_cast<int32_t>(player_at(place.item(i), -1)));
  }
  void read(const JsonPlace& place, std::optional<Map>& map);
  void read(const JsonPlace& place, RowKind& kind) { read_one_of(place, kind, kKinds); }
  void read(const JsonPlace& place, Standing& standing) { read_one_of(place, standing, kStandings); }
  void read(const JsonPlace& place, Sureness& sure) { read_one_of(place, sure, kSureness); }
  void read_one_of(const JsonPlace& place, auto& value, const auto& known) {
    const std::string text = place.text();
    std::string names;
    for (size_t i = 0; i < known.size(); ++i) {
      if (text == to_string(known[i])) return void(value = known[i]);
      names += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + std::string(to_string(known[i]));
    }
    place.refuse(fmt::format("is '{}'; expected {}", text, names));
  }

  int64_t player_at(const JsonPlace& place, int64_t least) const {
    return place.whole(least, static_cast<int64_t>(players) - 1);
  }

  size_t pixels_;
  JsonPlace place_;
};

}  // namespace

template <class Part>
static Json to_json(const Part& part) requires requires(Writer& writer) {
  fields(writer, part);
}
{
  Writer writer;
  fields(writer, part);
  return std::move(writer.written);
}

static void check(const JsonPlace&, const auto&) {}

// ---- pictures and maps ----

void Writer::image(const auto& row) {
  if (!row.image) return needs("image", Json());
  needs("image",
        Json::object(
            {{"width", row.image->width}, {"height", row.image->height}, {"png", base64(encode_png(*row.image))}}));
}

void Reader::image(auto& row) {
  if (row.kind != RowKind::image) return;
  if (!place_.has("image")) place_.refuse("is an image without 'image'");
  const JsonPlace place = place_.at("image"), png = place.at("png");
  int64_t width = 0, height = 0;
  read(place.at("width"), width, kFromOne);
  read(place.at("height"), height, kFromOne);
  const Image& image = row.image.emplace(decode_png(bytes_of(png), std::string(place.where())));
  if (image.width != width || image.height != height) {
    png.refuse(fmt::format("is a picture of {} x {}; expected {} x {}", image.width, image.height, width, height));
  }
  pixels_ = static_cast<size_t>(width * height);
}

void Writer::series(const auto& row) {
  if (!row.series) return;
  needs(
      "series",
      Json::object({{"steps", row.series->steps}, {"channels", row.series->channels}, {"values", row.series->values}}));
}

void Reader::series(auto& row) {
  if (row.kind != RowKind::series) return;
  if (!place_.has("series")) place_.refuse("is a series without 'series'");
  const JsonPlace place = place_.at("series");
  Series& series = row.series.emplace();
  read(place.at("steps"), series.steps, kFromOne);
  read(place.at("channels"), series.channels);
  read(place.at("values"), series.values);
  if (series.channels.empty()) place.at("channels").refuse("is empty; expected at least one channel");
  const size_t each = series.values.size() / series.channels.size();
  if (each != static_cast<size_t>(series.steps) || each * series.channels.size() != series.values.size()) {
    place.at("values").refuse(fmt::format("has {} numbers; expected {} steps of {} channels", series.values.size(),
                                          series.steps, series.channels.size()));
  }
  pixels_ = series.size();
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

void Reader::read(const JsonPlace& place, std::optional<Map>& map) {
  if (pixels_ == 0) return;
  const std::string bytes = bytes_of(place.at("data"));
  expect(place.at("data"), bytes.size() / 2, {pixels_, "pixel"});
  map = Map{place.at("scale").finite(), {}};
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto low = static_cast<uint8_t>(bytes[i]), high = static_cast<uint8_t>(bytes[i + 1]);
    map->data.push_back(static_cast<int16_t>(low | high << 8));
  }
}

// ---- players and methods ----

static void fields(auto& f, Like<PlayerList> auto& list) {
  f.needs("description", list.description);
  f.needs("names", list.names);
  f.some("values", list.values);
  f.players = list.count();
  f.some("owner", list.owner);
}

static void check(const JsonPlace& place, const PlayerList& list) {
  if (list.names.empty()) place.at("names").refuse("is empty; expected at least one player");
  if (!list.values.empty()) expect(place.at("values"), list.values.size(), {list.count(), "player"});
}

static void fields(auto& f, Like<MethodResult> auto& method) {
  f.needs("name", method.name);
  f.has("title", method.title);
  f.has("number", method.number, kIndex);
  f.has("kind", method.kind);
  f.has("formula", method.formula);
  f.has("cost", method.cost);
  f.has("parameters", method.parameters);
  f.needs("values", method.values, Length{f.players, "player"});
  f.some("standard_errors", method.standard_errors, Length{f.players, "player"});
  f.has("map", method.map);
  f.has("sum", method.sum);
  f.has("explains", method.explains);
  f.has("residual", method.residual);
  f.has("exact", method.exact);
  f.has("standard_error", method.standard_error);
  f.has("interval", method.interval);
  f.has("evaluations", method.evaluations);
  f.has("seconds", method.seconds);
  f.has("notes", method.notes);
}

static void check(const JsonPlace&, MethodResult& method) {
  if (method.title.empty()) method.title = method.name;
}

static void fields(auto& f, Like<LeftOut> auto& left) {
  f.needs("method", left.method);
  f.needs("reason", left.reason);
}

static void fields(auto& f, Like<Agreement> auto& agreement) {
  f.needs("methods", agreement.methods);
  f.needs("rank_correlation", agreement.rank_correlation, Length{agreement.methods.size(), "method"});
  f.needs("top_overlap", agreement.top_overlap, Length{agreement.methods.size(), "method"});
  f.has("k", agreement.k, kIndex);
}

static void check(const JsonPlace& place, const Agreement& agreement) {
  const Length methods{agreement.methods.size(), "method"};
  expect(place.at("rank_correlation"), agreement.rank_correlation.size(), methods);
  expect(place.at("top_overlap"), agreement.top_overlap.size(), methods);
}

// ---- metrics ----

static void fields(auto& f, Like<Score> auto& score) {
  f.needs("method", score.method);
  f.has("value", score.value);
  f.some("undefined", score.undefined);
  f.some("positions", score.positions);
  f.some("curve", score.curve);
}

// Points that are not known are left out.
static void check(const JsonPlace& place, Score& score) {
  std::vector<double> curve, positions;
  if (!score.curve.empty()) {
    expect(place.at("positions"), score.positions.size(), {score.curve.size(), "point of the curve"});
  }
  for (size_t i = 0; i < score.curve.size(); ++i) {
    if (!std::isfinite(score.curve[i] + score.positions[i])) continue;
    curve.push_back(score.curve[i]);
    positions.push_back(score.positions[i]);
  }
  score.curve = std::move(curve);
  score.positions = std::move(positions);
}

static void fields(auto& f, Like<MetricScores> auto& metric) {
  f.needs("name", metric.name);
  f.has("title", metric.title);
  f.has("better", metric.better);
  f.has("about", metric.about);
  f.has("parameters", metric.parameters);
  f.needs("scores", metric.scores);
}

static void check(const JsonPlace&, MetricScores& metric) {
  if (metric.title.empty()) metric.title = metric.name;
}

// ---- effects ----

static void fields(auto& f, Like<OrderEffects> auto& order) {
  f.needs("order", order.order, kFromOne);
  f.needs("effects", order.effects);
  f.has("sum", order.sum);
  f.has("strength", order.strength);
  f.has("share", order.share);
}

static void fields(auto& f, Like<SetEffect> auto& set) {
  f.needs("players", set.players);
  f.needs("value", set.value);
}

static void fields(auto& f, Like<Effects> auto& effects) {
  f.needs("players", effects.players);
  f.players = effects.players.count();
  f.has("output", effects.output);
  f.has("baseline_output", effects.baseline_output);
  f.has("remainder", effects.remainder);
  f.needs("orders", effects.orders);
  f.needs("independent", effects.independent, Length{f.players, "player"});
  f.has("strongest", effects.strongest);
  f.has("pairs", effects.pairs);
  f.has("triples", effects.triples);
}

static void check(const JsonPlace& place, const Effects& effects) {
  const auto expect_size = [&](const std::vector<SetEffect>& sets, size_t size, std::string_view key) {
    for (const SetEffect& set : sets) {
      if (set.players.size() != size) place.at(key).refuse(fmt::format("has a set that is not of {} players", size));
    }
  };
  expect_size(effects.pairs, 2, "pairs");
  expect_size(effects.triples, 3, "triples");
}

static void fields(auto& f, Like<EstimatedSet> auto& set) {
  f.needs("players", set.players);
  f.needs("value", set.value);
  f.has("error", set.error);
}

static void fields(auto& f, Like<Estimated> auto& estimated) {
  f.needs("players", estimated.players);
  f.players = estimated.players.count();
  f.needs("estimator", estimated.estimator);
  f.needs("evaluations", estimated.evaluations);
  f.needs("effects", estimated.effects);
  f.has("output", estimated.output);
  f.has("baseline_output", estimated.baseline_output);
  f.has("not_found", estimated.not_found);
  f.has("held_out", estimated.held_out);
  f.has("r2", estimated.r2);
  f.has("r2_error", estimated.r2_error);
  f.needs("orders", estimated.orders);
  f.has("in_company", estimated.in_company);
  f.has("asked", estimated.asked);
  f.has("asked_together", estimated.asked_together);
  f.has("strongest", estimated.strongest);
  f.has("interactions", estimated.interactions);
}

static void check(const JsonPlace& place, const Estimated& estimated) {
  for (const EstimatedSet& set : estimated.interactions) {
    if (set.players.size() < 2) place.at("interactions").refuse("has a set of fewer than 2 players");
  }
}

// ---- principles ----

static void fields(auto& f, Like<Verdict> auto& verdict) {
  f.has("figure", verdict.figure);
  f.has("tolerance", verdict.tolerance);
  f.has("holds", verdict.holds);
  f.any("reason", verdict.reason);
}

static void fields(auto& f, Like<MethodPrinciples> auto& method) {
  f.needs("name", method.name);
  f.needs("low_error", method.low_error);
  f.needs("no_unrelated", method.no_unrelated);
  f.needs("complete", method.complete);
  f.has("held", method.held, Range{0, 3});
  f.has("given", method.given);
  f.has("exact", method.exact);
  f.has("sentence", method.sentence);
}

static void fields(auto& f, Like<Principles> auto& principles) {
  f.needs("players", principles.players);
  f.has("change", principles.change);
  f.has("precision", principles.precision);
  f.needs("methods", principles.methods);
  f.has("left_out", principles.left_out);
}

static void fields(auto& f, Like<Difference> auto& difference) {
  f.needs("first", difference.first);
  f.needs("second", difference.second);
  f.has("cosine", difference.cosine);
  f.has("difference", difference.difference);
  f.has("sentence", difference.sentence);
}

// ---- rows ----

std::string_view to_string(RowKind kind) {
  switch (kind) {
    case RowKind::image: return "image";
    case RowKind::table: return "table";
    case RowKind::sequence: return "sequence";
    case RowKind::series: return "series";
    default: return "text";
  }
}

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::holds: return "holds";
    case Standing::open: return "open";
    case Standing::fails: return "fails";
    default: return "unmeasured";
  }
}

std::string_view to_string(Sureness sure) {
  switch (sure) {
    case Sureness::well: return "well";
    case Sureness::fairly: return "fairly";
    default: return "with care";
  }
}

static Json to_json(RowKind kind) { return to_string(kind); }
static Json to_json(Standing standing) { return to_string(standing); }
static Json to_json(Sureness sure) { return to_string(sure); }

static void fields(auto& f, Like<Target> auto& target) {
  f.has("index", target.index, Range{0, int64_t{1} << 40});
  f.has("label", target.label);
  f.any("description", target.description);
}

static void fields(auto& f, Like<TopClass> auto& top) {
  f.needs("index", top.index, kIndex);
  f.has("label", top.label);
  f.has("value", top.value);
  f.has("probability", top.probability);
}

static void fields(auto& f, Like<TextToken> auto& token) {
  f.needs("text", token.text);
  f.has("space", token.space);
  f.has("player", token.player, Range{-1, static_cast<int64_t>(f.players) - 1});
}

static void fields(auto& f, Like<GivenToInput> auto& given) {
  f.has("sum", given.sum);
  f.has("strength", given.strength);
  f.has("map", given.map);
}

static void fields(auto& f, Like<InputPart> auto& part) {
  f.needs("name", part.name);
  f.needs("kind", part.kind);
  f.image(part);
  f.series(part);
  f.needs("players", part.players);
  f.some("owner", part.owner);
  f.needs("given", part.given);
}

static void check(const JsonPlace& place, const InputPart& part) {
  if (part.kind == RowKind::text || part.kind == RowKind::sequence) {
    place.at("kind").refuse("is not a kind that one of several inputs can have; expected image, table or series");
  }
  if ((part.image || part.series) && part.owner.empty()) place.refuse("is a picture or a series without 'owner'");
}

static void fields(auto& f, Like<Run> auto& run) {
  f.needs("first", run.first, kIndex);
  f.needs("count", run.count, kFromOne);
}

static void fields(auto& f, Like<Region> auto& region) {
  f.needs("height", region.height, kFromOne);
  f.needs("width", region.width, kFromOne);
  f.needs("runs", region.runs);
}

static void check(const JsonPlace& place, const Region& region) {
  constexpr int64_t kMostCells = int64_t{1} << 28;
  if (region.height > kMostCells / region.width) place.refuse("has more cells than a picture can have");
  int64_t next = 0;
  for (const Run& run : region.runs) {
    const bool fits = run.first >= next && run.count <= region.height * region.width - run.first;
    if (!fits) place.at("runs").refuse("has cells twice, or outside of the output; expected rising runs within it");
    next = run.first + run.count;
  }
}

static void check(const JsonPlace& place, const Row& row) {
  if (row.kind == RowKind::text && row.text.empty()) place.refuse("is text without 'text'");
  for (size_t i = 0; i < row.parts.size(); ++i) {
    expect(place.at("parts").item(i).at("given"), row.parts[i].given.size(), {row.methods.size(), "method"});
  }
  if (!row.trusted || row.trusted->method.empty()) return;
  const bool known = std::any_of(row.methods.begin(), row.methods.end(),
                                 [&](const MethodResult& one) { return one.name == row.trusted->method; });
  if (!known) place.at("trusted").at("method").refuse("is none of the row's methods");
}

static void fields(auto& f, Like<Absent> auto& absent) {
  f.needs("part", absent.part);
  f.needs("reason", absent.reason);
}

static void fields(auto& f, Like<Trusted> auto& trusted) {
  f.needs("method", trusted.method);
  f.needs("standing", trusted.standing);
  f.needs("sure", trusted.sure);
  f.has("infidelity", trusted.infidelity);
  f.has("among", trusted.among);
  f.has("tied", trusted.tied);
  f.has("agree", trusted.agree);
  f.has("disagree", trusted.disagree);
  f.has("why", trusted.why);
  f.has("reasons", trusted.reasons);
  f.has("limits", trusted.limits);
}

static void fields(auto& f, Like<Row> auto& row) {
  f.needs("source", row.source);
  f.needs("kind", row.kind);
  f.needs("target", row.target);
  f.has("output_name", row.output_name);
  f.has("explains", row.explains);
  f.has("output", row.output);
  f.has("baseline_output", row.baseline_output);
  f.has("change", row.change);
  f.has("baseline", row.baseline);
  f.needs("top", row.top);
  f.image(row);
  f.series(row);
  f.needs("players", row.players);
  f.players = row.players.count();
  f.any("text", row.text);
  f.needs("methods", row.methods);
  f.has("left_out", row.left_out);
  f.has("agreement", row.agreement);
  f.has("metrics", row.metrics);
  f.has("effects", row.effects);
  f.has("principles", row.principles);
  f.has("differences", row.differences);
  f.any("absent", row.absent);
  f.any("estimated", row.estimated);
  f.any("trusted", row.trusted);
  f.any("parts", row.parts);
  f.any("region", row.region);
}

// ---- the document ----

static void fields(auto& f, Like<Program> auto& program) {
  f.needs("name", program.name);
  f.needs("version", program.version);
}

static void fields(auto& f, Like<SpentPart> auto& part) {
  f.needs("part", part.part);
  f.has("planned", part.planned);
  f.has("seconds", part.seconds);
  f.some("decision", part.decision);
  f.has("stopped", part.stopped);
}

static void fields(auto& f, Like<CutPart> auto& cut) {
  f.needs("part", cut.part);
  f.needs("what", cut.what);
  f.some("instead", cut.instead);
}

static void fields(auto& f, Like<TimeSpent> auto& time) {
  f.has("budget", time.budget);
  f.has("forward", time.forward);
  f.has("gradient", time.gradient);
  f.has("masked_inputs_asked", time.masked_asked);
  f.has("masked_inputs_computed", time.masked_computed);
  f.has("parts", time.parts);
  f.has("cuts", time.cuts);
}

// What stands above the rows.
static void head_fields(auto& f, Like<Document> auto& document) {
  f.needs("title", document.title);
  f.needs("program", document.program);
  f.has("created", document.created);
  f.needs("model", document.model);
  f.needs("settings", document.settings);
  f.has("seconds", document.seconds);
  f.any("time", document.time);
  f.has("notes", document.notes);
}

static void fields(auto& f, Like<Document> auto& document) {
  head_fields(f, document);
  f.needs("rows", document.rows);
}

// It is checked by whoever makes use of it.
static void take_record(const JsonPlace& place, Document& document) {
  if (!place.has("record")) return;
  place.at("record").members();
  document.record = place.at("record").json();
}

static void check_head(const JsonPlace& place) {
  place.at("model").text("file");
  place.at("settings").text_or("command", "");
}

static void check(const JsonPlace& place, const Document& document) {
  check_head(place);
  if (document.rows.empty()) place.at("rows").refuse("is empty; expected at least one row");
}

Json to_json(const Document& document) {
  Writer writer{{{"format", kFormat}, {"version", kVersion}}};
  fields(writer, document);
  if (document.created.empty())
    std::erase_if(writer.written, [](const auto& member) { return member.key == "created"; });
  if (!document.record.is_null()) writer.written.push_back({"record", document.record});
  return std::move(writer.written);
}

Json head_json(const Document& document) {
  Writer writer;
  head_fields(writer, document);
  if (document.created.empty())
    std::erase_if(writer.written, [](const auto& member) { return member.key == "created"; });
  if (!document.record.is_null()) writer.written.push_back({"record", document.record});
  return std::move(writer.written);
}

Document head_from(const Json& json, std::string_view where) {
  const JsonPlace place(json, where);
  Document document;
  Reader reader(place, 0, 0);
  head_fields(reader, document);
  take_record(place, document);
  check_head(place);
  return document;
}

std::string file_text(const Document& document) { return to_json(document).dump(1) + "\n"; }
std::string file_hash(const Document& document) { return sha256(file_text(document)); }

Document document_from(const Json& json, std::string_view where) {
  const JsonPlace place(json, where);
  if (place.text("format") != kFormat) {
    place.at("format").refuse(fmt::format("is '{}'; expected '{}'", place.text("format"), kFormat));
  }
  const int64_t version = place.at("version").whole(kIndex.least, kIndex.most);
  if (version != kVersion) {
    place.at("version").refuse(fmt::format("is {}; this program reads version {}", version, kVersion));
  }
  Document document;
  Reader reader(place, 0, 0);
  fields(reader, document);
  take_record(place, document);
  check(place, document);
  return document;
}

static std::string fact_named(const Facts& facts, std::string_view name) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const JsonMember& fact) { return fact.key == name; });
  return found != facts.end() && found->value.is_text() ? found->value.text() : "";
}

std::string Document::model_file() const { return fact_named(model, "file"); }
std::string Document::model_hash() const { return fact_named(model, "sha256"); }
std::string Document::command() const { return fact_named(settings, "command"); }
std::string fact_text(const Json& value) { return value.is_text() ? value.text() : value.dump(-1); }

void each_note(Document& document, const std::function<void(std::string&)>& change) {
  for (std::string& note : document.notes) change(note);
  if (document.time) {
    for (SpentPart& part : document.time->parts) change(part.decision);
    for (CutPart& cut : document.time->cuts) change(cut.what), change(cut.instead);
  }
  for (Row& row : document.rows) {
    for (Absent& absent : row.absent) change(absent.reason);
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
    map.data.push_back(static_cast<int16_t>(map.scale > 0 ? std::lround(value.value_or(0) / map.scale) : 0));
  }
  return map;
}

int64_t Region::cells() const {
  int64_t sum = 0;
  for (const Run& run : runs) sum += run.count;
  return sum;
}

Image picture(Image image) {
  for (float& value : image.pixels) value = std::round(std::clamp(value, 0.0F, 255.0F));
  image.transparent = false;
  return image;
}

}  // namespace ascribe::core::document
