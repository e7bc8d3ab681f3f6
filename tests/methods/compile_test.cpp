#include "methods/compile.h"

#include <cmath>

#include <gtest/gtest.h>

#include "methods/method.h"
#include "onnx/exporter.h"
#include "onnx/model_maker.h"
#include "passes/canonicalize.h"
#include "passes/gradient.h"
#include "support/errors.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

using Inputs = std::map<std::string, Tensor>;

// z = x W with x [N, 2] and three classes; W = (1 0 -1; 0 2 1).
ModelMaker linear(const std::string& output = "y") {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.floats("w", {2, 3}, {1, 0, -1, 0, 2, 1});
  maker.node("MatMul", {"x", "w"}, {output});
  return maker;
}

ModelMaker with_head(const std::string& head) {
  ModelMaker maker = linear("z");
  set_integer(maker.node(head, {"z"}, {"y"}), "axis", 1);
  return maker;
}

Graph graph_of(const ModelMaker& maker) { return canonicalize(maker.import().graph); }

Explanation compiled(const ModelMaker& maker, CompileOptions options = {}) {
  return compile_explanation(graph_of(maker), options);
}

CompileOptions fixed(int64_t index, const std::string& method = "gradient") {
  CompileOptions options;
  options.method = method;
  options.target = TargetKind::fixed;
  options.index = index;
  return options;
}

CompileOptions with_target(TargetKind kind) {
  CompileOptions options;
  options.target = kind;
  return options;
}

Tensor indices(const std::vector<int64_t>& values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

std::vector<std::string> names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

// The outputs of the compiled graph, and of the same graph after a way through a file.
std::vector<Tensor> run(const Explanation& explanation, const Inputs& inputs, int64_t rows) {
  const auto outputs = interpret(explanation.graph, inputs, rows);
  const ImportedModel again = import_model_bytes(export_model(explanation.graph, {DType::f64, {}}), "again", {});
  const auto read = interpret(again.graph, inputs, rows);
  for (size_t i = 0; i < outputs.size(); ++i) expect_near(read[i], outputs[i], 1e-12);
  return outputs;
}

const Tensor kRows = Tensor::of<double>({2, 2}, {1, 2, -3, 0.5});

TEST(Compile, TheGradientOfALinearModelIsItsWeights) {
  const auto outputs = run(compiled(linear()), {{"x", kRows}, {"target", indices({1, 2})}}, 2);
  EXPECT_EQ(values_of(outputs[0]), (std::vector<double>{1, 4, 1, -3, 1, 3.5}));
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{0, 2, -1, 1}));
}

TEST(Compile, GradientTimesInputOfALinearModelSumsToItsOutput) {
  const auto outputs = run(compiled(linear(), fixed(2, "gradient_x_input")), {{"x", kRows}}, 2);
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{-1, 2, 3, 0.5}));
}

TEST(Compile, TheGradientOfASquareIsTwiceTheInput) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.node("Mul", {"x", "x"}, {"y"});
  const auto outputs = run(compiled(maker), {{"x", kRows}, {"target", indices({0, 1})}}, 2);
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{2, 0, 0, 1}));
}

TEST(Compile, TargetsByIndexOneHotFixedAndTopAgree) {
  const Graph model = graph_of(with_head("Softmax"));
  const auto attribution = [&](TargetKind kind, Inputs inputs) {
    CompileOptions options = with_target(kind);
    options.index = 1;
    options.probability = true;
    inputs["x"] = kRows;
    return run(compile_explanation(model, options), inputs, 2)[1];
  };
  const Tensor by_index = attribution(TargetKind::index, {{"target", indices({1, 1})}});
  const Tensor one_hot = Tensor::of<double>({2, 3}, {0, 1, 0, 0, 1, 0});
  expect_near(attribution(TargetKind::one_hot, {{"target", one_hot}}), by_index, 1e-15);
  expect_near(attribution(TargetKind::fixed, {}), by_index, 1e-15);
  const Tensor top = attribution(TargetKind::top, {});  // classes 1 and 2
  expect_near(top, attribution(TargetKind::index, {{"target", indices({1, 2})}}), 1e-15);
}

TEST(Compile, AFinalSoftmaxIsSteppedOverAndSaidSo) {
  for (const char* head : {"Softmax", "LogSoftmax"}) {
    const Explanation explanation = compiled(with_head(head), fixed(1));
    const auto outputs = run(explanation, {{"x", kRows}}, 2);
    EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{0, 2, 0, 2})) << "the weights, as without " << head;
    EXPECT_NE(outputs[0].at(1), 4.0) << "the prediction keeps it";
    ASSERT_EQ(explanation.notes.size(), 1U);
    EXPECT_NE(explanation.notes[0].find("softmax of 'y' is stepped over"), std::string::npos) << explanation.notes[0];
    EXPECT_EQ(explanation.metadata.at("ascribe.explains"), "logit");
  }
}

TEST(Compile, AMovedSoftmaxIsSteppedOverToo) {
  ModelMaker maker = linear("z");
  set_integer(maker.node("Softmax", {"z"}, {"p"}), "axis", 1);
  maker.integers("shape", {-1, 3, 1, 1});
  maker.node("Reshape", {"p", "shape"}, {"y"});
  const auto outputs = run(compiled(maker, fixed(2)), {{"x", kRows}}, 2);
  EXPECT_EQ(outputs[0].shape(), (Shape{2, 3, 1, 1}));
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{-1, 1, -1, 1}));
}

// dp_1/dx = p_1 (w_1 - sum of p_k w_k), also where the model gives log p.
TEST(Compile, TheProbabilityIsExplainedOnRequest) {
  for (const char* head : {"Softmax", "LogSoftmax"}) {
    CompileOptions options = fixed(1);
    options.probability = true;
    const Explanation explanation = compiled(with_head(head), options);
    const auto outputs = run(explanation, {{"x", Tensor::of<double>({1, 2}, {1, 2})}}, 1);
    const double e[] = {std::exp(1.0), std::exp(4.0), std::exp(1.0)};
    const double sum = e[0] + e[1] + e[2];
    EXPECT_NEAR(outputs[1].at(0), e[1] / sum * (0 - (e[0] - e[2]) / sum), 1e-12);
    EXPECT_NEAR(outputs[1].at(1), e[1] / sum * (2 - (2 * e[1] + e[2]) / sum), 1e-12);
    EXPECT_EQ(explanation.metadata.at("ascribe.explains"), "probability");
  }
  CompileOptions options;
  options.probability = true;
  expect_error(ErrorKind::argument, "does not end in a softmax", [&] { compiled(linear(), options); });
}

TEST(Compile, EqualsTheGradientInMemory) {
  const Graph model = graph_of(with_head("Softmax"));
  CompileOptions options = with_target(TargetKind::one_hot);
  options.probability = true;
  const Tensor seed = Tensor::of<double>({2, 3}, {0.5, 1, -2, 0, 3, 0.25});
  const auto compiled_outputs = run(compile_explanation(model, options), {{"x", kRows}, {"target", seed}}, 2);
  const auto outputs = interpret(gradient(model).graph, {{"x", kRows}, {"seed", seed}}, 2);
  expect_near(compiled_outputs[0], outputs[0], 1e-15);
  expect_near(compiled_outputs[1], outputs[1], 1e-15);
}

TEST(Compile, AnIndexOutOfRangeIsAnError) {
  const Explanation explanation = compiled(linear());
  for (const int64_t index : {3, -4}) {
    EXPECT_THROW(interpret(explanation.graph, {{"x", kRows}, {"target", indices({0, index})}}, 2), Error);
  }
  expect_error(ErrorKind::argument, "there is no target 3; expected 0 to 2", [&] { compiled(linear(), fixed(3)); });
  expect_error(ErrorKind::argument, "expected 0 to 2", [&] { compiled(linear(), fixed(-1)); });
}

TEST(Compile, RowsOfOneNumberHaveTheTargetZero) {
  for (const bool flat : {false, true}) {
    ModelMaker maker;
    maker.input("x", {"N", 2}).output("y");
    maker.floats("w", {2, 1}, {3, -1});
    maker.node("MatMul", {"x", "w"}, {flat ? "z" : "y"});
    maker.integers("shape", {-1});
    if (flat) maker.node("Reshape", {"z", "shape"}, {"y"});
    const Explanation explanation = compiled(maker);
    EXPECT_EQ(values_of(run(explanation, {{"x", kRows}, {"target", indices({0, 0})}}, 2)[1]),
              (std::vector<double>{3, -1, 3, -1}));
    EXPECT_NE(explanation.notes.at(0).find("`target` 0"), std::string::npos);
  }
}

TEST(Compile, TargetsCountTheWholeRowOfAHigherRank) {
  ModelMaker maker;
  maker.input("x", {"N", 2, 2}).output("y");
  maker.node("Mul", {"x", "x"}, {"y"});
  const Tensor x = Tensor::of<double>({1, 2, 2}, {1, 2, 3, 4});
  const auto outputs = run(compiled(maker), {{"x", x}, {"target", indices({2})}}, 1);
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{0, 0, 6, 0}));
}

TEST(Compile, AFileOfOneRowIsOpenedForMany) {
  ModelMaker maker;
  maker.input("x", {1, 2}).output("y", {1, 3});
  maker.floats("w", {2, 3}, {1, 0, -1, 0, 2, 1});
  maker.node("MatMul", {"x", "w"}, {"y"});
  const auto outputs = run(compiled(maker), {{"x", kRows}, {"target", indices({1, 2})}}, 2);
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{0, 2, -1, 1}));
}

TEST(Compile, AModelWithoutRowsTakesOneTarget) {
  ModelMaker maker = linear();
  ImportOptions options;
  options.batched = false;
  options.shapes["x"] = {1, 2};
  const Explanation explanation = compile_explanation(canonicalize(maker.import(options).graph), {});
  EXPECT_EQ(to_string(explanation.graph[explanation.graph.inputs[1].value].type), "integer [1]");
  const auto outputs =
      interpret(explanation.graph, {{"x", Tensor::of<double>({1, 2}, {1, 2})}, {"target", indices({2})}}, 1);
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{-1, 1}));
}

TEST(Compile, SeveralInputsHaveAnAttributionEach) {
  ModelMaker maker;
  maker.input("a", {"N", 2}).input("k", {"N", 2}, onnx::TensorProto::INT64).input("b", {"N", 2}).output("y");
  maker.node("Mul", {"a", "b"}, {"y"});
  const Explanation explanation = compiled(maker, fixed(1));
  EXPECT_EQ(names_of(explanation.graph.inputs), (std::vector<std::string>{"a", "k", "b"}));
  EXPECT_EQ(names_of(explanation.graph.outputs),
            (std::vector<std::string>{"prediction", "attribution_a", "attribution_b"}));
  const auto outputs = interpret(explanation.graph,
                                 {{"a", Tensor::of<double>({1, 2}, {1, 2})},
                                  {"k", Tensor::of<int64_t>({1, 2}, {0, 0})},
                                  {"b", Tensor::of<double>({1, 2}, {3, 4})}},
                                 1);
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{0, 4}));
  EXPECT_EQ(values_of(outputs[2]), (std::vector<double>{0, 2}));
}

TEST(Compile, TheOutputCanBeChosen) {
  ModelMaker maker = linear();
  maker.output("z");
  maker.node("Neg", {"y"}, {"z"});
  CompileOptions options = fixed(0);
  EXPECT_EQ(run(compiled(maker, options), {{"x", kRows}}, 2)[1].at(0), 1.0);
  options.output = "z";
  EXPECT_EQ(run(compiled(maker, options), {{"x", kRows}}, 2)[1].at(0), -1.0);
  options.output = "w";
  expect_error(ErrorKind::argument, "no real output 'w'; expected one of y, z", [&] { compiled(maker, options); });
}

TEST(Compile, NamesThatTheModelHasAreLeftToIt) {
  ModelMaker maker;
  maker.input("target", {"N", 2}).input("prediction", {"N", 2}).output("attribution");
  maker.node("Mul", {"target", "prediction"}, {"attribution"});
  const Explanation explanation = compiled(maker);
  EXPECT_EQ(names_of(explanation.graph.inputs), (std::vector<std::string>{"target", "prediction", "target_"}));
  EXPECT_EQ(names_of(explanation.graph.outputs),
            (std::vector<std::string>{"prediction_", "attribution_target", "attribution_prediction"}));
  const auto outputs = run(explanation, {{"target", kRows}, {"prediction", kRows}, {"target_", indices({0, 1})}}, 2);
  EXPECT_EQ(values_of(outputs[1]), (std::vector<double>{1, 0, 0, 0.5}));
}

TEST(Compile, WhatHasNoDerivativeIsNamed) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.integers("axes", {1});
  set_integer(maker.node("ArgMax", {"x"}, {"i"}, "choose"), "axis", 1);
  set_integer(maker.node("Cast", {"i"}, {"y"}), "to", onnx::TensorProto::FLOAT);
  expect_error(ErrorKind::unsupported, "choose", [&] { compiled(maker); });
  ModelMaker tokens;
  tokens.input("x", {"N", 2}, onnx::TensorProto::INT64).output("y");
  set_integer(tokens.node("Cast", {"x"}, {"y"}), "to", onnx::TensorProto::FLOAT);
  expect_error(ErrorKind::unsupported, "no real input", [&] { compiled(tokens); });
  ModelMaker numbers;
  numbers.input("x", {"N", 2}).output("y", {}, onnx::TensorProto::INT64);
  set_integer(numbers.node("ArgMax", {"x"}, {"y"}), "axis", 1);
  expect_error(ErrorKind::unsupported, "no real output", [&] { compiled(numbers); });
}

// Whatever does not apply to a model with neither convolutions nor pictures says so.
TEST(Methods, EveryMethodSaysWhatItIs) {
  EXPECT_GE(MethodRegistry::instance().entries().size(), 21U);
  int compiled_methods = 0;
  for (const auto& [name, method] : MethodRegistry::instance().entries()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(name, method.name);
    for (const std::string* text :
         {&method.title, &method.formula, &method.source, &method.about, &method.cost, &method.use, &method.limits}) {
      EXPECT_FALSE(text->empty());
    }
    CompileOptions options = fixed(0, name);
    options.players.owner = {0, 1};
    options.players.names = {"first", "second"};
    try {
      EXPECT_EQ(compiled(linear(), options).metadata.at("ascribe.formula"), method.formula);
      ++compiled_methods;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    }
  }
  EXPECT_GE(compiled_methods, 18);
  expect_error(ErrorKind::unsupported, "gradient_x_input, occlusion", [] { method_named("magic"); });
}

// As MobileNet is built: wider by 1x1, depthwise, narrower, a residual sum, the mean, a dense layer.
ModelMaker mobile() {
  ModelMaker maker;
  maker.input("x", {"N", 3, 32, 32}).output("y");
  const Random random(5);
  uint64_t drawn = 0;
  const auto weights = [&](const std::string& name, const std::vector<int64_t>& shape) {
    std::vector<float> values(static_cast<size_t>(element_count(shape)));
    for (float& value : values) value = static_cast<float>(random.normal(drawn++));
    maker.floats(name, shape, values);
  };
  const auto conv = [&](const std::string& from, const std::string& to, const std::vector<int64_t>& shape,
                        int64_t group, int64_t stride) {
    weights("w " + to, shape);
    weights("b " + to, {shape[0]});
    onnx::NodeProto& node = maker.node("Conv", {from, "w " + to, "b " + to}, {to});
    const int64_t pad = shape[2] / 2;
    set_integers(node, "pads", {pad, pad, pad, pad});
    set_integers(node, "strides", {stride, stride});
    set_integer(node, "group", group);
  };
  maker.floats("0", {}, {0});
  maker.floats("6", {}, {6});
  conv("x", "stem", {24, 3, 3, 3}, 1, 2);
  maker.node("Relu", {"stem"}, {"a"});
  conv("a", "wide", {144, 24, 1, 1}, 1, 1);
  maker.node("Clip", {"wide", "0", "6"}, {"c"});
  conv("c", "depthwise", {144, 1, 3, 3}, 144, 1);
  maker.node("Clip", {"depthwise", "0", "6"}, {"d"});
  conv("d", "narrow", {24, 144, 1, 1}, 1, 1);
  maker.node("Add", {"a", "narrow"}, {"sum"});
  conv("sum", "last", {256, 24, 1, 1}, 1, 1);
  maker.node("Relu", {"last"}, {"e"});
  maker.node("GlobalAveragePool", {"e"}, {"mean"});
  maker.node("Flatten", {"mean"}, {"flat"});
  weights("dense", {256, 100});
  weights("shift", {100});
  maker.node("Gemm", {"flat", "dense", "shift"}, {"y"});
  return maker;
}

// Weights, their parts and masks are stored once: a file is the model and some kilobytes of nodes.
TEST(Compile, FilesAreHardlyLargerThanTheModel) {
  const ModelMaker maker = mobile();
  const Graph model = graph_of(maker);
  const auto size = std::ssize(maker.bytes());
  EXPECT_GT(size, 150'000);
  std::vector<int32_t> owner;
  for (int64_t i = 0; i < int64_t{3} * 32 * 32; ++i)
    owner.push_back(static_cast<int32_t>(i / 32 % 32 / 8 * 4 + i % 32 / 8));
  int methods = 0;
  for (const auto& [name, method] : MethodRegistry::instance().entries()) {
    if (method.graph == nullptr) continue;
    SCOPED_TRACE(name);
    CompileOptions options = fixed(0, name);
    options.players.owner = owner;
    for (int i = 0; i < 16; ++i) options.players.names.push_back(fmt::format("{}", i));
    if (name == "shapley") options.parameters = {{"exact", "4"}, {"samples", "2"}};
    if (name == "kernel_shap" || name == "lime") options.parameters = {{"samples", "64"}};
    if (name == "deep_shap") options.parameters = {{"granularity", "component"}};
    if (name == "integrated_gradients") options.parameters = {{"steps", "4"}};
    // What is drawn at random is stored as it is.
    if (name.starts_with("smooth_grad") || name == "expected_gradients") continue;
    const auto bytes = std::ssize(export_model(compile_explanation(model, options).graph, {DType::f32, {}}));
    EXPECT_LT(bytes, size + size / 10 + 80'000);
    ++methods;
  }
  EXPECT_GE(methods, 14);
}

TEST(Methods, TheFourteenComeFirstInThePapersOrder) {
  const std::vector<std::string> names = method_names();
  for (int number = 1; number <= 14; ++number) EXPECT_EQ(method_named(names.at(number - 1)).number, number);
  EXPECT_EQ(method_named(names.at(14)).number, 0);
}

}  // namespace
}  // namespace ascribe::core
