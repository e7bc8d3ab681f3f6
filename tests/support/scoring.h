// Scores attributions to rows of a graph, in double: those of methods by name, or values that a test makes up.
#pragma once

#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "metrics/metric.h"
#include "support/ask.h"

namespace ascribe::core {

// Pixels of a chw image as players.
inline Players pixel_players(int64_t height, int64_t width, int64_t channels = 1) {
  Players players = element_players(height * width);
  players.image = ImageShape{PixelLayout::chw, channels, height, width, channels * height * width};
  players.description = "pixels";
  const std::vector<int32_t> plane = players.owner;
  for (int64_t c = 1; c < channels; ++c) players.owner.insert(players.owner.end(), plane.begin(), plane.end());
  return players;
}

class Scoring {
 public:
  Scoring(const Graph& graph, std::vector<Question> asked)
      : model(double_model(graph)), questions(std::move(asked)), streams(questions.size()) {
    std::iota(streams.begin(), streams.end(), uint64_t{0});
  }

  // What a method says of all questions.
  void add(const std::string& method, const Settings& settings = {}) {
    Asked& one = make(method, settings);
    one.attributions = attribute(one.method, model, questions, one.parameters, seed);
  }

  // Made-up values per element for all questions, as if the method had given them.
  void add_elements(const std::string& method, const std::vector<std::vector<double>>& elements) {
    Asked& one = make(method, {});
    for (size_t q = 0; q < questions.size(); ++q) {
      one.attributions.push_back(attribution_of_elements(questions[q], Tensor::of<double>(model.row(), elements[q]),
                                                         output(q), model.baseline_output(questions[q])));
    }
  }

  // Made-up values per player.
  void add_players(const std::string& method, const std::vector<std::vector<double>>& values) {
    Asked& one = make(method, {});
    for (size_t q = 0; q < questions.size(); ++q) {
      one.attributions.push_back(
          attribution_of_players(questions[q], values[q], output(q), model.baseline_output(questions[q])));
    }
  }

  Scores score(const std::string& metric, const Settings& settings = {}) {
    Scores scores;
    with_input(metric, settings,
               [&](const MetricInput& input) { scores = ascribe::core::score(metric_named(metric), input); });
    return scores;
  }

  // Calls f with the input that the metric would get.
  template <class F>
  void with_input(const std::string& metric, const Settings& settings, F&& f) {
    std::vector<MethodExplanations> methods;
    for (const Asked& one : asked_) methods.push_back({one.method, one.parameters, one.attributions});
    const Parameters parameters(metric, metric_named(metric).parameters, settings);
    const Progress silent;
    f(MetricInput{model, questions, streams, methods, objects, parameters, seed, silent});
  }

  // Of the first method on the first question.
  double first(const std::string& metric, const Settings& settings = {}) {
    const Score one = score(metric, settings)[0][0];
    EXPECT_TRUE(one.defined()) << one.undefined;
    return one.value;
  }

  const Attribution& attribution(size_t method, size_t question) const { return asked_[method].attributions[question]; }
  const Method& method(size_t number) const { return asked_[number].method; }
  size_t methods() const { return asked_.size(); }

  ExplainedModel model;
  std::vector<Question> questions;
  std::vector<uint64_t> streams;
  std::vector<PixelMask> objects;
  uint64_t seed = 7;

 private:
  struct Asked {
    const Method& method;
    Parameters parameters;
    std::vector<Attribution> attributions;
  };

  Asked& make(const std::string& name, const Settings& settings) {
    const Method& method = method_named(name);
    return asked_.emplace_back(Asked{method, Parameters(name, method.parameters, settings), {}});
  }
  double output(size_t q) {
    const std::vector<int64_t> target = {questions[q].target};
    return model.values(questions[q].point, target)[0];
  }

  std::deque<Asked> asked_;
};

}  // namespace ascribe::core
