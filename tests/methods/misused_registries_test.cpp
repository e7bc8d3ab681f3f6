// Misuse of a registry is refused where something is registered, or at the first call, and says what is wrong; it does
// not end the program, and nothing half made stays behind.
#include <gtest/gtest.h>

#include "cli/command.h"
#include "game/interaction_index.h"
#include "methods/foreign.h"
#include "metrics/metric.h"
#include "onnx/export/writer.h"
#include "onnx/lowering.h"
#include "passes/rules/rule.h"
#include "runtime/kernels/kernel.h"
#include "support/errors.h"
#include "support/scoring.h"
#include "support/small_networks.h"
#include "theory/allocation.h"

namespace ascribe::core {
namespace {

void expect_bug(const std::string& part, const std::function<void()>& call) {
  expect_error(ErrorKind::internal, part, call);
}

Method good_method() {
  Method method;
  method.name = "good method";
  method.attribute = [](ExplainedModel&, std::span<const Question> questions, const MethodRun&) {
    std::vector<Attribution> answers;
    for (const Question& question : questions) {
      answers.push_back(attribution_of_players(
          question, std::vector<double>(static_cast<size_t>(question.players.count()), 0), 0, 0));
    }
    return answers;
  };
  return method;
}

TEST(Misuse, OfMethodsIsRefusedAtRegistration) {
  Method nameless = good_method(), idle = good_method(), twice = good_method(), unnamed = good_method();
  nameless.name = "";
  idle.attribute = nullptr;
  twice.parameters = {real_parameter("a", 1, 0, 2, "one"), integer_parameter("a", 1, 0, 2, "another")};
  unnamed.parameters = {real_parameter("", 1, 0, 2, "one")};
  expect_bug("has no name", [&] { RegisterMethod{nameless}; });
  expect_bug("neither be run nor compiled", [&] { RegisterMethod{idle}; });
  expect_bug("the parameter a is declared twice", [&] { RegisterMethod{twice}; });
  expect_bug("a parameter has no name", [&] { RegisterMethod{unnamed}; });
  expect_bug("registered twice", [&] { RegisterMethod{method_named("shapley")}; });
  EXPECT_EQ(MethodRegistry::instance().find("good method"), nullptr);
  EXPECT_EQ(MethodRegistry::instance().find(""), nullptr);
}

std::vector<Attribution> asked(const Method& method) {
  ExplainedModel model = double_model(small_mlp());
  Question question{
      {Tensor(DType::f64, with_rows(model.row(), 1))}, 0, Tensor(DType::f64, with_rows(model.row(), 1)), {}};
  question.players = element_players(element_count(model.row()));
  return attribute(method, model, std::array{question}, Parameters(method.name, method.parameters));
}

TEST(Misuse, OfMethodsThatAnswerWronglyIsRefusedAtTheCall) {
  EXPECT_NO_THROW(asked(good_method()));
  Method silent = good_method(), short_one = good_method(), broken = good_method(), empty = good_method();
  silent.attribute = [](auto&, auto, auto&) { return std::vector<Attribution>(); };
  short_one.attribute = [](auto&, auto, auto&) { return std::vector<Attribution>(1); };
  broken.attribute = [good = good_method().attribute](auto& model, auto questions, auto& run) {
    auto answers = good(model, questions, run);
    answers[0].values[0] = std::numeric_limits<double>::quiet_NaN();
    return answers;
  };
  empty.attribute = nullptr;
  empty.graph = [](const AttributionRequest&) { return std::vector<Value>(); };
  expect_bug("got 0 answers to 1 questions", [&] { asked(silent); });
  expect_bug("gave 0 values to", [&] { asked(short_one); });
  expect_error(ErrorKind::numeric, "player 0 got not a number", [&] { asked(broken); });
  expect_bug("gave attributions to 0 inputs", [&] { asked(empty); });
}

TEST(Misuse, OfMethodsOfTheCallersIsAnArgument) {
  const auto numbers = [](ExplainedModel&, const Question&) { return std::vector<double>{1}; };
  expect_error(ErrorKind::argument, "needs a name", [&] { own_method("", numbers); });
  expect_error(ErrorKind::argument, "needs a name", [] { given_attribution("", {{1}}); });
  expect_error(ErrorKind::argument, "no function to call", [] { own_method("mine", nullptr); });
  expect_error(ErrorKind::argument, "no numbers", [] { given_attribution("mine", {}); });
  expect_error(ErrorKind::shape, "got 1 numbers", [&] { asked(*own_method("mine", numbers)); });
}

TEST(Misuse, OfMetricsIsRefusedAtRegistration) {
  const Metric good = metric_named("sparseness");
  Metric nameless = good, idle = good, twice = good;
  nameless.name = "";
  idle.name = "idle";
  idle.score = nullptr;
  twice.name = "twice";
  twice.parameters = {real_parameter("a", 1, 0, 2, "one"), real_parameter("a", 1, 0, 2, "another")};
  expect_bug("has no name", [&] { RegisterMetric{nameless}; });
  expect_bug("cannot be computed", [&] { RegisterMetric{idle}; });
  expect_bug("declared twice", [&] { RegisterMetric{twice}; });
  expect_bug("registered twice", [&] { RegisterMetric{good}; });
}

TEST(Misuse, OfMetricsThatScoreWronglyIsRefusedAtTheCall) {
  Metric silent = metric_named("sparseness"), short_one = silent;
  silent.score = [](const MetricInput&) { return Scores(); };
  short_one.score = [](const MetricInput&) { return Scores(1); };
  ExplainedModel model = double_model(small_mlp());
  Question question{
      {Tensor(DType::f64, with_rows(model.row(), 1))}, 0, Tensor(DType::f64, with_rows(model.row(), 1)), {}};
  question.players = element_players(element_count(model.row()));
  Scoring scoring(small_mlp(), {question});
  scoring.add("gradient");
  scoring.with_input("sparseness", {}, [&](const MetricInput& input) {
    expect_bug("scores for each method", [&] { score(silent, input); });
    expect_bug("a score for each question", [&] { score(short_one, input); });
  });
}

TEST(Misuse, OfOperationsAndKernelsIsRefused) {
  Op nameless = op_named("add"), impossible = op_named("add"), idle = op_named("add");
  nameless.name = "";
  impossible.name = idle.name = "misused";
  impossible.max_inputs = 1;
  idle.apply = nullptr;
  expect_bug("has no name", [&] { RegisterOp{nameless}; });
  expect_bug("no possible number of inputs", [&] { RegisterOp{impossible}; });
  expect_bug("needs apply", [&] { RegisterOp{idle}; });
  expect_bug("registered twice", [] { RegisterOp{op_named("add")}; });
  const KernelFactory none = [](const KernelRequest&) -> std::unique_ptr<Kernel> { return nullptr; };
  expect_bug("a function", [] { RegisterKernel("misused", DType::f32, nullptr); });
  expect_bug("the name of an operation", [&] { RegisterKernel("", DType::f32, none); });
  expect_bug("registered twice", [&] { RegisterKernel("conv", DType::f32, none); });
}

TEST(Misuse, OfRulesIndicesAndAllocationsIsRefused) {
  Rule rule = RuleRegistry::instance().entries().begin()->second;
  expect_bug("registered twice", [&] { RegisterRule{rule}; });
  rule.name = "misused";
  Rule twice = rule, idle = rule, nameless = rule;
  twice.parameters = {{"a", 1, 0, 2, "one"}, {"a", 1, 0, 2, "another"}};
  idle.apply = nullptr;
  nameless.name = "";
  expect_bug("declared twice", [&] { RegisterRule{twice}; });
  expect_bug("a name and a function", [&] { RegisterRule{idle}; });
  expect_bug("a name and a function", [&] { RegisterRule{nameless}; });
  InteractionIndex index = IndexRegistry::instance().entries().begin()->second;
  expect_bug("registered twice", [&] { RegisterIndex{index}; });
  index.name = "misused";
  index.superset_weight = nullptr;
  index.compute = nullptr;
  expect_bug("cannot be computed", [&] { RegisterIndex{index}; });
  expect_bug("a function", [] { RegisterAllocation{AllocationRule{.method = "misused", .formula = ""}}; });
  expect_bug("registered twice", [] { RegisterAllocation{allocation_rule("shapley")}; });
}

TEST(Misuse, OfLoweringsExportsAndCommandsIsRefused) {
  const auto lower = [](NodeContext&) {};
  expect_bug("a function", [] { RegisterLowering({.name = "Misused"}, nullptr); });
  expect_bug("the name of an operator", [&] { RegisterLowering({.name = ""}, lower); });
  expect_bug("registered twice", [&] { RegisterLowering({.name = "Conv"}, lower); });
  expect_bug("a function", [] { RegisterExport("misused", nullptr); });
  expect_bug("a function", [] { cli::RegisterCommand({.name = "misused", .about = ""}); });
  cli::Command nameless;
  nameless.prepare = [](cli::Options&) -> std::function<int()> { return [] { return 0; }; };
  expect_bug("a name", [&] { cli::RegisterCommand{nameless}; });
}

}  // namespace
}  // namespace ascribe::core
