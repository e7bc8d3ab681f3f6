// Asks a method about rows of a graph, in double.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "methods/compile.h"
#include "methods/method.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {

using Settings = std::map<std::string, std::string>;

// Every element is a player.
inline Players element_players(int64_t count) {
  Players players;
  for (int64_t i = 0; i < count; ++i) {
    players.owner.push_back(static_cast<int32_t>(i));
    players.names.push_back(std::to_string(i));
  }
  return players;
}

// A question about one row; no baselines: zero.
inline Question ask_about(const Tensor& x, Tensor baselines = {}, int64_t target = 0) {
  if (baselines.empty()) baselines = Tensor(DType::f64, x.shape());
  return {{x}, target, std::move(baselines), element_players(x.size())};
}

inline ExplainedModel double_model(const Graph& graph) {
  ExplainOptions options;
  options.real = DType::f64;
  return ExplainedModel(graph, options);
}

inline Attribution ask(const std::string& name, const Graph& graph, const Question& question,
                       const Settings& settings = {}, uint64_t seed = 0) {
  ExplainedModel model = double_model(graph);
  const Method& method = method_named(name);
  return attribute(method, model, std::span(&question, 1), Parameters(name, method.parameters, settings), seed)[0];
}

// What the compiled graph says of the question, with its baselines frozen in.
inline Tensor ask_compiled(const std::string& name, const Graph& graph, const Question& question,
                           const Settings& settings = {}, uint64_t seed = 0) {
  CompileOptions options;
  options.method = name;
  options.parameters = settings;
  options.baselines = question.baselines;
  options.seed = seed;
  options.keep_sigmoid = true;  // as the running method does with a graph
  const Explanation explanation = compile_explanation(graph, options);
  const Tensor target = Tensor::of<int64_t>({1}, {question.target});
  return interpret(explanation.graph, {{graph.inputs[0].name, question.point[0]}, {"target", target}}, 1)[1];
}

inline void expect_values(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

}  // namespace ascribe::core
