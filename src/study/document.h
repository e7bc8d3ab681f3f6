// The report as values: written by study/report.h, shown by report/page.h; report.json is its file. What the file
// cannot hold is not in it either, so that a document and its file give the same page: numbers have six digits,
// pictures eight bits, maps sixteen.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/image.h"

namespace ascribe::core::document {

using Number = std::optional<double>;  // nothing: not finite, or not known
using Facts = Json::Members;           // names with texts, numbers or switches, in order

struct PlayerList {
  std::string description;
  std::vector<std::string> names;
  std::vector<std::string> values;  // of tables and sequences; empty: none
  std::vector<int32_t> owner;       // of images, by pixel, of series, by number; -1: nobody; empty: none

  size_t count() const { return names.size(); }
};

// A number for every pixel, or for every number of a series, in steps of a scale.
struct Map {
  double scale = 0;
  std::vector<int16_t> data;

  double at(size_t pixel) const { return scale * data[pixel]; }
};

struct MethodResult {
  std::string name, title;
  int64_t number = 0;  // in the paper; 0: none
  std::string kind = "contribution", formula, cost;
  Facts parameters;
  std::vector<Number> values, standard_errors;
  std::optional<Map> map;
  Number sum, explains, residual;
  bool exact = false;
  Number standard_error, interval;  // the largest of any player; interval: half of the widest at 95 %
  int64_t evaluations = 0;
  Number seconds;
  std::vector<std::string> notes;

  bool contributes() const { return kind == "contribution"; }
};

struct LeftOut {
  std::string method, reason;
};

struct TopClass {
  int64_t index = 0;
  std::optional<std::string> label;
  Number value, probability;
};

using Matrix = std::vector<std::vector<Number>>;

struct Agreement {
  std::vector<std::string> methods;
  Matrix rank_correlation, top_overlap;
  int64_t k = 0;
};

struct SetEffect {
  std::vector<size_t> players;
  double value = 0;
};

struct OrderEffects {
  int64_t order = 0, effects = 0;
  Number sum, strength, share;
};

struct Effects {
  PlayerList players;
  Number output, baseline_output, remainder;
  std::vector<OrderEffects> orders;
  std::vector<Number> independent;
  std::vector<SetEffect> strongest, pairs, triples;
};

// An effect of many players; error: half of its 95 % interval, 0 if it was computed exactly.
struct EstimatedSet {
  std::vector<size_t> players;
  double value = 0;
  Number error;
};

// Strong effects of any order among more players than every set can be masked of.
struct Estimated {
  PlayerList players;
  std::string estimator;
  int64_t evaluations = 0, effects = 0;
  Number output, baseline_output, not_found;  // not found: what the effects leave of the change
  int64_t held_out = 0;                       // coalitions that were not used
  Number r2, r2_error;                        // on them; nothing: they are all alike
  std::vector<OrderEffects> orders;
  bool in_company = false;  // the sets below are means beside others (Shapley interaction indices); else J(S)
  int64_t asked = 0, asked_together = 0;  // sets that were asked about anew, and those of at least two players
  std::vector<EstimatedSet> strongest, interactions;  // of them, larger than their errors
};

struct Verdict {
  Number figure, tolerance;
  std::optional<bool> holds;  // nothing: left open
  std::string reason;         // why
};

struct MethodPrinciples {
  std::string name;
  Verdict low_error, no_unrelated, complete;
  int64_t held = 0;
  Number given;  // to all players together
  bool exact = true;
  std::string sentence;
};

struct Principles {
  PlayerList players;
  Number change;
  std::string precision;
  std::vector<MethodPrinciples> methods;
  std::vector<LeftOut> left_out;
};

struct Difference {
  std::string first, second;
  Number cosine, difference;
  std::string sentence;
};

struct Score {
  std::string method;
  Number value;
  std::string undefined;  // why there is no value
  std::vector<double> positions, curve;
};

struct MetricScores {
  std::string name, title, better = "higher", about;
  Facts parameters;
  std::vector<Score> scores;

  bool lower_is_better() const { return better == "lower"; }
};

enum class RowKind { image, table, sequence, series, text };
std::string_view to_string(RowKind kind);

// Numbers over time, in one or several channels.
struct Series {
  int64_t steps = 0;
  std::vector<std::string> channels;  // their names
  std::vector<Number> values;         // of the first channel, then of the second, ...

  size_t size() const { return channels.size() * static_cast<size_t>(steps); }
};

struct Target {
  std::optional<int64_t> index;  // in the output; nothing: more than one of its numbers is read
  std::optional<std::string> label;
  std::optional<std::string> description = {};  // in words
};

// A token of a text, as it is read, and its player.
struct TextToken {
  std::string text;
  bool space = true;    // before it
  int64_t player = -1;  // -1: nobody's
};

// What a method gave to one of several inputs.
struct GivenToInput {
  Number sum;                   // of the players that are its own
  Number strength;              // of their magnitudes
  std::optional<Map> map = {};  // of pictures and series
};

// One of several inputs that were explained together.
struct InputPart {
  std::string name;
  RowKind kind = RowKind::table;  // image, series or table
  std::optional<Image> image = {};
  std::optional<Series> series = {};
  std::vector<size_t> players = {};      // of the row: those that have something here
  std::vector<int32_t> owner = {};       // of pictures, by pixel, of series, by number; -1: nobody
  std::vector<GivenToInput> given = {};  // by method of the row
};

// Cells of an output with rows and columns that are read together, as runs of row-major numbers.
struct Run {
  int64_t first = 0, count = 0;
};
struct Region {
  int64_t height = 0, width = 0;
  std::vector<Run> runs;

  int64_t cells() const;  // that are read
};

// A part of the page that is not there, and why.
struct Absent {
  std::string part, reason;
};

// The one explanation to trust on this row, and how far: study/trusted.h chooses it. Texts are for readers who know
// none of the technical words.
enum class Standing { holds, open, fails, unmeasured };  // the three principles: none fails, but some are left open
enum class Sureness { well, fairly, with_care };
std::string_view to_string(Standing standing);
std::string_view to_string(Sureness sure);

struct Trusted {
  std::string method;  // empty: there is none
  Standing standing = Standing::unmeasured;
  Sureness sure = Sureness::with_care;
  Number infidelity;
  std::vector<std::string> among;            // methods that stand alike, the chosen one first
  std::vector<std::string> tied;             // of them those that are as faithful
  std::vector<std::string> agree, disagree;  // of the other trusted methods, on the strongest players
  std::string why;
  std::vector<std::string> reasons, limits;  // for how sure that is; what it cannot say
};

struct Row {
  std::string source;
  RowKind kind = RowKind::table;
  Target target;
  std::string output_name, explains = "value";
  Number output, baseline_output, change;
  std::string baseline;
  std::vector<TopClass> top;
  std::optional<Image> image;
  std::optional<Series> series;
  PlayerList players;
  std::vector<TextToken> text;  // of rows of kind text
  std::vector<MethodResult> methods;
  std::vector<LeftOut> left_out;
  std::optional<Agreement> agreement;
  std::vector<MetricScores> metrics;
  std::optional<Effects> effects;
  std::optional<Estimated> estimated = {};
  std::optional<Principles> principles;
  std::vector<Difference> differences;
  std::vector<Absent> absent;
  std::optional<Trusted> trusted;
  std::vector<InputPart> parts = {};  // of a row that is made of several inputs
  std::optional<Region> region = {};  // of an output with rows and columns: what is read of it

  size_t pixels() const { return image ? static_cast<size_t>(image->height * image->width) : 0; }
};

// What became of the time.
struct SpentPart {
  std::string part;
  Number planned, seconds;
  std::string decision;  // empty: nothing was decided
  bool stopped = false;  // it took longer than it could, and is left out
};

struct CutPart {
  std::string part, what, instead;
};

struct TimeSpent {
  Number budget;                                  // seconds; nothing: no limit
  Number forward, gradient;                       // seconds for a row; nothing: not measured
  int64_t masked_asked = 0, masked_computed = 0;  // masked inputs that parts asked for; that were not known already
  std::vector<SpentPart> parts;
  std::vector<CutPart> cuts;
};

struct Program {
  std::string name, version;
};

struct Document {
  std::string title;
  Program program;
  std::string created;  // empty: not told
  Facts model, settings;
  Number seconds;
  std::optional<TimeSpent> time;
  std::vector<std::string> notes;
  std::vector<Row> rows;
  Json record = {};  // how to make it again (study/records/record.h); null: nobody wrote it

  std::string model_file() const;
  std::string model_hash() const;  // its SHA-256; empty: not told
  std::string command() const;     // that made it; empty: none
};

Json to_json(const Document& document);
// report.json, byte for byte, and its SHA-256: what a page names as the record that it shows.
std::string file_text(const Document& document);
std::string file_hash(const Document& document);
// Checked: indices point somewhere, lists have the lengths they must have, pictures can be decoded. An error of kind io
// names `where` and the place in the JSON that is not as expected.
Document document_from(const Json& json, std::string_view where);

// Only what stands above the rows, for files of another format that begin alike.
Json head_json(const Document& document);
Document head_from(const Json& json, std::string_view where);

Json to_json(const Map& map);              // {scale, data}
std::string fact_text(const Json& value);  // a number as it stands in the file

// Notes, reasons and sentences, which speak of requests (base/error.h): for front ends to spell as their users do.
void each_note(Document& document, const std::function<void(std::string& note)>& change);

// ---- what a document keeps ----

double rounded(double value);
Number number(double value);
std::vector<Number> numbers(std::span<const double> values);
Map map_of(const std::vector<Number>& pixels);
Image picture(Image image);

}  // namespace ascribe::core::document
