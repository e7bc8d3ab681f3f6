// Metrics: numbers for how good an attribution is. A file per metric registers itself, with what the number means.
// All methods are scored together, so that what does not depend on the method (the network at perturbed inputs) is
// computed once.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/registry.h"
#include "methods/method.h"

namespace ascribe::core {

enum class Better { higher, lower, neither };
std::string_view to_string(Better better);

enum class MetricCategory {
  faithfulness,
  robustness,
  localisation,
  complexity,
  axioms,
  randomisation,
  agreement,
  interaction
};
std::string_view to_string(MetricCategory category);

// What one method said of all questions.
struct MethodExplanations {
  const Method& method;
  const Parameters& parameters;
  std::span<const Attribution> attributions;  // one per question
};

using PixelMask = std::vector<uint8_t>;  // of an image, row by row; 1: belongs to the object

class SharedPasses;  // metrics/shared_passes.h

struct MetricInput {
  ExplainedModel& model;
  std::span<const Question> questions;
  // For each question a number of its own, which its draws depend on: scores are the same however questions are cut
  // into batches.
  std::span<const uint64_t> streams;
  std::span<const MethodExplanations> methods;
  std::span<const PixelMask> objects;  // per question where the object is; empty: not known
  const Parameters& parameters;        // the metric's own
  uint64_t seed = 0;                   // of the metric's draws, and of the methods where they are asked again
  const Progress& progress;
  SharedPasses* shared = nullptr;  // what other metrics of the same evaluation have computed; null: nothing
};

// One method on one question.
struct Score {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string undefined = {};  // why there is no value
  // What the value sums up, if it is a curve: positions from 0 to 1, and the curve there.
  std::vector<double> positions = {}, curve = {};

  bool defined() const { return undefined.empty(); }
};

using Scores = std::vector<std::vector<Score>>;  // [method][question]

struct Metric {
  std::string name;
  std::string title;
  MetricCategory category = MetricCategory::faithfulness;
  Better better = Better::higher;
  std::string formula;   // one line
  std::string source;    // who described it
  std::string about;     // what it measures, a paragraph; also conventions: scale, sign, what replaces removed pixels
  std::string cost;      // in passes through the network per question
  std::string limits;    // what it does not tell
  bool slopes = true;    // accepts attributions of sensitivity kind
  bool images = false;   // needs rows that are images
  bool objects = false;  // needs to know where the object is
  std::vector<Parameter> parameters = {};

  Scores (*score)(const MetricInput&) = nullptr;
  // Instead of score, for what is said of the model at a row and no method changes: shares of a whole, by number of
  // players from 1; empty: there is nothing to share out.
  std::vector<double> (*profile)(ExplainedModel&, const Question&, const Progress&) = nullptr;

  bool rates() const { return score != nullptr; }  // methods
};

using MetricRegistry = Registry<Metric>;

std::vector<std::string> metric_names();            // by category, then by name
const Metric& metric_named(std::string_view name);  // throws unsupported, and says which there are

struct RegisterMetric {
  explicit RegisterMetric(Metric metric);
};

// Checks that the input suits the metric, and that every score is finite or says why it is not. Methods of a kind that
// the metric does not take get scores that are undefined.
Scores score(const Metric& metric, const MetricInput& input);

// For metrics whose questions have nothing to do with each other: calls `work` for each of them in turn, which gives a
// score per method, and reports how far it is.
Scores question_by_question(const MetricInput& input, const std::function<std::vector<Score>(size_t question)>& work);

// A score without a value.
Score undefined_score(std::string why);

}  // namespace ascribe::core
