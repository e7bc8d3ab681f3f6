// report.json as values, checked: indices point somewhere, lists have the lengths they must have, pictures can be
// decoded. The page is drawn from this and from nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "data/image.h"

namespace ascribe::core::page {

using Number = std::optional<double>;  // nothing: not finite, or not known
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

struct PlayerList {
  std::string description;
  std::vector<std::string> names;
  std::vector<std::string> values;  // of tables and sequences; empty: none
  std::vector<int32_t> owner;       // of images, by pixel; -1: nobody; empty: none

  size_t count() const { return names.size(); }
};

struct Map {
  double scale = 0;
  std::vector<int16_t> data;

  double at(size_t pixel) const { return scale * data[pixel]; }
};

struct MethodResult {
  std::string name, title, kind, formula, cost;
  NamedTexts parameters;
  std::vector<Number> values, standard_errors;
  std::optional<Map> map;
  Number sum, explains, residual, standard_error, seconds;
  bool exact = false;
  int64_t evaluations = 0;
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

struct Agreement {
  std::vector<std::string> methods;
  std::vector<std::vector<Number>> rank_correlation, top_overlap;
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

struct Verdict {
  Number figure, tolerance;
  std::optional<bool> holds;  // nothing: sampling leaves it open
};

struct MethodPrinciples {
  std::string name;
  Verdict low_error, no_unrelated, complete;
  int64_t held = 0;
  std::string sentence;
};

struct Principles {
  PlayerList players;
  Number change;
  std::vector<MethodPrinciples> methods;
  std::vector<LeftOut> left_out;
};

struct Difference {
  std::string first, second, sentence;
  Number cosine, difference;
};

struct Score {
  std::string method;
  Number value;
  std::string undefined;  // why there is no value
  std::vector<double> positions, curve;
};

struct MetricScores {
  std::string name, title, about;
  bool lower_is_better = false;
  NamedTexts parameters;
  std::vector<Score> scores;
};

enum class Kind { image, table, sequence };

struct Row {
  std::string source;
  Kind kind = Kind::table;
  int64_t target = 0;
  std::optional<std::string> target_label;
  std::string explains, baseline;
  Number output, baseline_output, change;
  std::vector<TopClass> top;
  std::optional<Image> image;
  PlayerList players;
  std::vector<MethodResult> methods;
  std::vector<LeftOut> left_out;
  std::optional<Agreement> agreement;
  std::optional<Effects> effects;
  std::optional<Principles> principles;
  std::vector<Difference> differences;
  std::vector<MetricScores> metrics;

  size_t pixels() const { return image ? static_cast<size_t>(image->height * image->width) : 0; }
};

struct Report {
  std::string title, program, version, created;
  NamedTexts model, settings;
  std::string model_file;
  std::string command;
  Number seconds;
  std::vector<std::string> notes;
  std::vector<Row> rows;
};

Report read_report(const nlohmann::ordered_json& json);

// The title of the method with this name; the name itself if the row does not have it.
const std::string& title_of(const Row& row, const std::string& method);

}  // namespace ascribe::core::page
