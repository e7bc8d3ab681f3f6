#include "onnx/importer.h"

#include <gtest/gtest.h>

#include "onnx/model_maker.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

using onnx::TensorProto;

Tensor counting(const Shape& shape) {
  Tensor tensor(DType::f64, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<double>()[i] = static_cast<double>(i);
  return tensor;
}

TEST(Importer, ASymbolicBatchBecomesRows) {
  ModelMaker m;
  m.input("x", {"batch", 2}).output("y", {"batch", 2});
  m.node("Relu", {"x"}, {"y"});
  const ImportedModel model = m.import();
  EXPECT_TRUE(model.batched);
  EXPECT_EQ(model.graph[model.graph.inputs[0].value].type.shape, (Dims{kBatch, 2}));
  EXPECT_TRUE(model.notes.empty());
}

TEST(Importer, ABatchFixedToOneBecomesRowsAndHardCodedReshapesFollow) {
  ModelMaker m;
  m.input("x", {1, 2, 3}).output("y", {1, 6});
  m.integers("target", {1, 6});
  m.node("Reshape", {"x", "target"}, {"y"});
  const ImportedModel model = m.import();
  ASSERT_TRUE(model.batched) << model.why_not_batched;
  const auto outputs = interpret(model.graph, {{"x", counting({4, 2, 3})}}, 4);
  EXPECT_EQ(outputs[0].shape(), (Shape{4, 6}));
  EXPECT_EQ(values_of(outputs[0]), values_of(counting({4, 6})));
}

TEST(Importer, AnOpenBatchThatIsHardCodedInsideIsRewrittenToo) {
  ModelMaker m;
  m.input("x", {"batch", 2, 3}).output("y");
  m.integers("target", {1, 6});
  m.node("Reshape", {"x", "target"}, {"y"});
  const ImportedModel model = m.import();
  ASSERT_TRUE(model.batched) << model.why_not_batched;
  EXPECT_EQ(model.graph[model.graph.outputs[0].value].type.shape, (Dims{kBatch, 6}));
}

TEST(Importer, AClassTokenIsRepeatedForEveryRow) {
  ModelMaker m;
  m.input("x", {1, 2, 2}).output("y", {1, 3, 2});
  m.floats("token", {1, 1, 2}, {7, 8});
  set_integer(m.node("Concat", {"token", "x"}, {"y"}), "axis", 1);
  const ImportedModel model = m.import();
  ASSERT_TRUE(model.batched) << model.why_not_batched;
  const auto outputs = interpret(model.graph, {{"x", counting({2, 2, 2})}}, 2);
  EXPECT_EQ(values_of(outputs[0]), (std::vector<double>{7, 8, 0, 1, 2, 3, 7, 8, 4, 5, 6, 7}));
}

// What PyTorch writes around the output projection of an attention layer: tokens before rows, merged, and split again.
TEST(Importer, RowsThatAreMergedAsTheFasterIndexAreFoundAgain) {
  ModelMaker m;
  m.input("x", {1, 3, 2}).output("y", {1, 3, 2});
  m.integers("merged", {3, 2});
  m.integers("split", {3, 1, 2});
  m.floats("shift", {2}, {10, 20});
  set_integers(m.node("Transpose", {"x"}, {"tokens"}), "perm", {1, 0, 2});
  m.node("Reshape", {"tokens", "merged"}, {"flat"});
  m.node("Add", {"flat", "shift"}, {"shifted"});
  m.node("Reshape", {"shifted", "split"}, {"rows"});
  set_integers(m.node("Transpose", {"rows"}, {"y"}), "perm", {1, 0, 2});
  const ImportedModel model = m.import();
  ASSERT_TRUE(model.batched) << model.why_not_batched;
  const Tensor x = counting({2, 3, 2});
  Tensor expected = x;
  for (int64_t i = 0; i < x.size(); ++i) expected.mutable_data<double>()[i] += i % 2 == 0 ? 10 : 20;
  EXPECT_EQ(values_of(interpret(model.graph, {{"x", x}}, 2)[0]), values_of(expected));
}

TEST(Importer, ShapeArithmeticOnTheBatchIsFolded) {
  ModelMaker m;
  m.input("x", {"batch", 2, 3}).output("y");
  m.integers("zero", {0});
  m.integers("minus", {-1});
  m.node("Shape", {"x"}, {"shape"});
  m.node("Gather", {"shape", "zero"}, {"rows"});
  set_integer(m.node("Concat", {"rows", "minus"}, {"target"}), "axis", 0);
  m.node("Reshape", {"x", "target"}, {"y"});
  const ImportedModel model = m.import();
  ASSERT_TRUE(model.batched) << model.why_not_batched;
  EXPECT_EQ(model.graph[model.graph.outputs[0].value].type.shape, (Dims{kBatch, 6}));
  EXPECT_EQ(model.graph.nodes.size(), 2U);  // the input and the reshape; the plumbing is gone
}

TEST(Importer, MixedRowsFallBackToOneRowAndSayWhy) {
  ModelMaker m;
  m.input("x", {"batch", 2}).output("y");
  set_integer(m.node("ReduceSum", {"x"}, {"y"}, "total"), "keepdims", 0);
  const ImportedModel model = m.import();
  EXPECT_FALSE(model.batched);
  EXPECT_NE(model.why_not_batched.find("output 'y'"), std::string::npos) << model.why_not_batched;
  EXPECT_NE(model.why_not_batched.find("rows are mixed"), std::string::npos) << model.why_not_batched;
  EXPECT_EQ(model.graph[model.graph.inputs[0].value].type.shape, (Dims{1, 2}));
}

TEST(Importer, AFileForOneRowIsNotAccusedOfMixingRows) {
  ModelMaker m;
  m.input("x", {1, 4}).output("y");
  m.integers("square", {2, 2});
  m.node("Reshape", {"x", "square"}, {"y"});
  const ImportedModel model = m.import();
  EXPECT_FALSE(model.batched);
  EXPECT_EQ(model.why_not_batched.find("mixed"), std::string::npos) << model.why_not_batched;
  EXPECT_NE(model.why_not_batched.find("made for one row"), std::string::npos) << model.why_not_batched;
}

TEST(Importer, NodesWithoutANameGoByTheirOutput) {
  ModelMaker m;
  m.input("x", {"N", 4}).output("y");
  m.node("Relu", {"x"}, {"125"});
  m.node("Sigmoid", {"125"}, {"y"}, "last");
  const Graph graph = m.import().graph;
  EXPECT_EQ(graph.nodes[1].name, "125");
  EXPECT_EQ(graph.nodes[2].name, "last");
}

TEST(Importer, ABatchFixedToManyIsKeptAndSaidSo) {
  ModelMaker m;
  m.input("x", {5, 2}).output("y", {5, 2});
  m.node("Relu", {"x"}, {"y"});
  const ImportedModel model = m.import();
  EXPECT_FALSE(model.batched);
  EXPECT_NE(model.why_not_batched.find("to 5"), std::string::npos) << model.why_not_batched;
}

TEST(Importer, WithoutBatchingShapesAreTakenAsDeclared) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("Relu", {"x"}, {"y"});
  ImportOptions options;
  options.batched = false;
  const ImportedModel model = m.import(options);
  EXPECT_FALSE(model.batched);
  EXPECT_EQ(model.graph[model.graph.inputs[0].value].type.shape, (Dims{1, 2}));
}

TEST(Importer, TokenIdsShareTheBatchOfTheirSymbol) {
  ModelMaker m;
  m.input("x", {"batch", 3}).input("ids", {"batch", 3}, TensorProto::INT64).output("y");
  set_integer(m.node("Cast", {"ids"}, {"real"}), "to", TensorProto::FLOAT);
  m.node("Add", {"x", "real"}, {"y"});
  const ImportedModel model = m.import();
  ASSERT_TRUE(model.batched) << model.why_not_batched;
  EXPECT_EQ(model.graph[model.graph.inputs[1].value].type, (Type{Kind::integer, {kBatch, 3}}));
}

TEST(Importer, OtherOpenDimensionsMustBeGiven) {
  ModelMaker m;
  m.input("x", {"batch", "length"}).output("y");
  m.node("Relu", {"x"}, {"y"});
  expect_refusal(ErrorKind::argument, {"input 'x'", "length", "`shape` x="}, [&] { m.import(); });
  ImportOptions options;
  options.shapes["x"] = {1, 7};
  const ImportedModel model = m.import(options);
  EXPECT_TRUE(model.batched) << model.why_not_batched;
  EXPECT_EQ(model.graph[model.graph.inputs[0].value].type.shape, (Dims{kBatch, 7}));
  options.shapes["x"] = {1, 7, 2};
  expect_refusal(ErrorKind::argument, {"input 'x'", "another rank"}, [&] { m.import(options); });
}

TEST(Importer, AGivenShapeMayNotContradictTheFile) {
  ModelMaker m;
  m.input("x", {"batch", 4}).output("y");
  m.node("Relu", {"x"}, {"y"});
  ImportOptions options;
  options.shapes["x"] = {1, 5};
  expect_refusal(ErrorKind::argument, {"input 'x'", "contradicts", "expected 4"}, [&] { m.import(options); });
}

TEST(Importer, BoundInputsAreConstants) {
  ModelMaker m;
  m.input("x", {2, 3}).input("target", {1}, TensorProto::INT64).output("y");
  m.node("Reshape", {"x", "target"}, {"y"});
  ImportOptions options;
  options.batched = false;
  expect_refusal(ErrorKind::unsupported, {"known when the model is loaded"}, [&] { m.import(options); });
  options.bound["target"] = Tensor::of<int64_t>({1}, {6});
  const ImportedModel model = m.import(options);
  EXPECT_EQ(model.graph.inputs.size(), 1U);
  EXPECT_EQ(model.graph[model.graph.outputs[0].value].type.shape, (Dims{6}));
  options.bound["ghost"] = Tensor::of<int64_t>({1}, {6});
  expect_refusal(ErrorKind::argument, {"'ghost'"}, [&] { m.import(options); });
}

TEST(Importer, InitializersMayAlsoBeInputs) {
  ModelMaker m;
  m.model.set_ir_version(3);
  m.input("x", {1, 2}).input("w", {2}).output("y");
  m.floats("w", {2}, {10, 20});
  m.node("Add", {"x", "w"}, {"y"});
  const ImportedModel model = m.import();
  EXPECT_EQ(model.graph.inputs.size(), 1U);
  EXPECT_EQ(values_of(interpret(model.graph, {{"x", counting({1, 2})}}, 1)[0]), (std::vector<double>{10, 21}));
}

onnx::AttributeProto& constant(ModelMaker& m, const std::string& form, onnx::AttributeProto::AttributeType type) {
  auto& attribute = *m.node("Constant", {}, {"c"}, "c").add_attribute();
  attribute.set_name(form);
  attribute.set_type(type);
  return attribute;
}

// x + c, with x = [[0, 1]].
std::vector<double> sum_with(const ModelMaker& m) {
  return values_of(interpret(m.import().graph, {{"x", counting({1, 2})}}, 1)[0]);
}

TEST(Constant, EveryFormIsRead) {
  const auto maker = [] {
    ModelMaker m;
    m.input("x", {1, 2}).output("y");
    m.node("Add", {"x", "c"}, {"y"});
    return m;
  };
  ModelMaker real = maker();
  constant(real, "value_float", onnx::AttributeProto::FLOAT).set_f(2.5F);
  EXPECT_EQ(sum_with(real), (std::vector<double>{2.5, 3.5}));

  ModelMaker reals = maker();
  auto& list = constant(reals, "value_floats", onnx::AttributeProto::FLOATS);
  list.add_floats(1);
  list.add_floats(2);
  EXPECT_EQ(sum_with(reals), (std::vector<double>{1, 3}));

  ModelMaker tensor = maker();
  auto& value = *constant(tensor, "value", onnx::AttributeProto::TENSOR).mutable_t();
  value.set_data_type(TensorProto::FLOAT);
  value.add_dims(2);
  const std::vector<float> raw = {5, 6};
  value.set_raw_data(raw.data(), 8);
  EXPECT_EQ(sum_with(tensor), (std::vector<double>{5, 7}));
}

TEST(Constant, IntegersSteerReshapes) {
  ModelMaker m;
  m.input("x", {2, 3}).output("y");
  m.node("Reshape", {"x", "c"}, {"y"});
  auto& list = constant(m, "value_ints", onnx::AttributeProto::INTS);
  list.add_ints(3);
  list.add_ints(2);
  EXPECT_EQ(m.import().graph.outputs.size(), 1U);
  m.graph().mutable_node(1)->mutable_attribute(0)->set_name("value_strings");
  expect_refusal(ErrorKind::model, {"node #0 (Reshape)", "got texts"}, [&] { m.import(); });
  m.graph().mutable_node(1)->clear_attribute();
  expect_refusal(ErrorKind::model, {"node 'c' (Constant)", "no value"}, [&] { m.import(); });
}

TEST(Unsupported, AllOperatorsAreListedAtOnceWithCountAndPlace) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("Frobnicate", {"x"}, {"a"}, "frob");
  m.node("Unique", {"a"}, {"b"});
  m.node("Relu", {"b"}, {"c"});
  m.node("Frobnicate", {"c"}, {"d"}, "frob2");
  m.node("DictVectorizer", {"d"}, {"y"}, "svm").set_domain("ai.onnx.ml");
  expect_refusal(ErrorKind::unsupported,
                 {"test.onnx", "Frobnicate x2 (first: node 'frob')", "Unique x1 (first: node #1)",
                  "ai.onnx.ml.DictVectorizer x1 (first: node 'svm')"},
                 [&] { m.import(); });
}

TEST(Unsupported, NodesThatNothingReadsDoNotMatter) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("Frobnicate", {"x"}, {"a"});
  m.node("Relu", {"x"}, {"y"});
  EXPECT_NO_THROW(m.import());
}

TEST(Unsupported, InputsThatAreNoTensors) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("Relu", {"x"}, {"y"});
  m.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  expect_refusal(ErrorKind::unsupported, {"input 'x'", "sequence"}, [&] { m.import(); });
}

// twice(a) = a + a, once(a) = twice(a) + bias, with bias a Constant whose value is the attribute "shift".
ModelMaker with_functions() {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("once", {"x"}, {"y"}, "call").set_domain("local");
  auto& shift = *m.graph().mutable_node(0)->add_attribute();
  shift.set_name("shift");
  shift.set_type(onnx::AttributeProto::FLOAT);
  shift.set_f(100);
  auto& twice = *m.model.add_functions();
  twice.set_name("twice");
  twice.set_domain("local");
  twice.add_opset_import()->set_version(17);
  twice.add_input("a");
  twice.add_output("b");
  auto& sum = *twice.add_node();
  sum.set_op_type("Add");
  sum.add_input("a");
  sum.add_input("a");
  sum.add_output("b");
  auto& once = *m.model.add_functions();
  once.set_name("once");
  once.set_domain("local");
  once.add_opset_import()->set_version(17);
  once.add_input("a");
  once.add_output("r");
  once.add_attribute("shift");
  auto& call = *once.add_node();
  call.set_op_type("twice");
  call.set_domain("local");
  call.add_input("a");
  call.add_output("b");
  auto& bias = *once.add_node();
  bias.set_op_type("Constant");
  bias.add_output("c");
  auto& reference = *bias.add_attribute();
  reference.set_name("value_float");
  reference.set_type(onnx::AttributeProto::FLOAT);
  reference.set_ref_attr_name("shift");
  auto& add = *once.add_node();
  add.set_op_type("Add");
  add.add_input("b");
  add.add_input("c");
  add.add_output("r");
  return m;
}

TEST(Functions, OfTheFileAreInlined) { EXPECT_EQ(sum_with(with_functions()), (std::vector<double>{100, 102})); }

TEST(Functions, RecursionIsRefused) {
  ModelMaker m = with_functions();
  m.model.mutable_functions(0)->mutable_node(0)->set_op_type("once");
  m.model.mutable_functions(0)->mutable_node(0)->set_domain("local");
  m.model.mutable_functions(0)->mutable_node(0)->mutable_input()->RemoveLast();
  expect_refusal(ErrorKind::model, {"too deeply"}, [&] { m.import(); });
}

TEST(Functions, ThatMultiplyWithoutBoundAreRefused) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("f0", {"x"}, {"y"}).set_domain("local");
  for (int level = 0; level < 30; ++level) {
    auto& function = *m.model.add_functions();
    function.set_name(fmt::format("f{}", level));
    function.set_domain("local");
    function.add_input("a");
    function.add_output("c");
    for (const auto& [from, to] : {std::pair("a", "b"), std::pair("b", "c")}) {
      auto& node = *function.add_node();
      node.set_op_type(level == 29 ? "Relu" : fmt::format("f{}", level + 1));
      node.set_domain(level == 29 ? "" : "local");
      node.add_input(from);
      node.add_output(to);
    }
  }
  try {
    m.import();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model) << error.what();
  }
}

TEST(Importer, ContradictingOutputShapesAreNoted) {
  ModelMaker m;
  m.input("x", {"batch", 2}).output("y", {"batch", 3});
  m.node("Relu", {"x"}, {"y"});
  const ImportedModel model = m.import();
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_EQ(model.notes[0], "output 'y' is declared as [?, 3] but computed as [N, 2]");
}

TEST(Importer, OldOpsetsAreAcceptedWithANote) {
  ModelMaker m(5);
  m.input("x", {"batch", 2}).output("y");
  m.node("Relu", {"x"}, {"y"});
  const ImportedModel model = m.import();
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_NE(model.notes[0].find("opset 5"), std::string::npos);
  EXPECT_EQ(model.info.opset, 5);
}

TEST(Importer, TellsWhatTheFileIs) {
  ModelMaker m;
  m.model.set_producer_name("maker");
  m.model.set_producer_version("1.2");
  m.input("x", {"batch", 2}, TensorProto::DOUBLE).output("y", {"batch", 2}, TensorProto::DOUBLE);
  m.node("Relu", {"x"}, {"a"});
  m.node("Relu", {"a"}, {"y"});
  const ImportedModel model = m.import();
  EXPECT_EQ(model.info.producer, "maker 1.2");
  EXPECT_EQ(model.info.ir_version, 8);
  EXPECT_EQ(model.info.operators.at("Relu"), 2);
  EXPECT_TRUE(model.double_precision);
  EXPECT_EQ(model.graph.outputs[0].element_type, "float64");
}

TEST(Importer, ErrorsNameTheNode) {
  ModelMaker m;
  m.input("x", {"batch", 2}).output("y");
  m.floats("w", {3}, {1, 2, 3});
  m.node("Add", {"x", "w"}, {"y"}, "sum");
  expect_refusal(ErrorKind::model, {"[node 'sum' (Add)] the operands do not broadcast"}, [&] { m.import(); });
}

TEST(Limits, AnInputOfAbsurdSizeIsRefused) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("Relu", {"x"}, {"y"});
  auto& shape = *m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(1)->set_dim_value(int64_t{1} << 62);
  expect_refusal(ErrorKind::model, {"input 'x'", "too large", "4611686018427387904"}, [&] { m.import(); });
  shape.mutable_dim(0)->set_dim_value(int64_t{1} << 62);
  expect_refusal(ErrorKind::model, {"input 'x'", "overflow"}, [&] { m.import(); });
}

TEST(Limits, AFileMayNotUnrollWithoutBound) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  for (int i = 0; i < 100; ++i) {
    m.node("Relu", {i == 0 ? "x" : fmt::format("a{}", i)}, {i == 99 ? "y" : fmt::format("a{}", i + 1)});
  }
  ImportOptions options;
  EXPECT_NO_THROW(m.import(options));
  options.limits.nodes = 50;
  expect_refusal(ErrorKind::model, {"too many operations"}, [&] { m.import(options); });
}

onnx::AttributeProto no_axes_kept() {
  onnx::AttributeProto attribute;
  attribute.set_name("keepdims");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(0);
  return attribute;
}

TEST(Limits, ConstantsBeyondTheFoldingLimitAreComputedAtRunTime) {
  ModelMaker m;
  m.input("x", {1, 4}).output("y");
  m.floats("w", {1, 4}, {1, 2, 3, 4});
  m.node("Add", {"w", "w"}, {"twice"});
  m.node("Add", {"x", "twice"}, {"y"});
  ImportOptions options;
  EXPECT_EQ(m.import(options).graph.nodes.size(), 3U);
  options.limits.fold_work = 15;  // it takes 4, and each counts four times
  EXPECT_EQ(m.import(options).graph.nodes.size(), 4U);
}

// The bytes of all constants of a graph.
int64_t constant_bytes(const Graph& graph) {
  int64_t bytes = 0;
  for (const Node& node : graph.nodes) bytes += static_cast<int64_t>(node.constant.bytes());
  return bytes;
}

TEST(Limits, AFileOfNothingMayNotGrow) {
  ModelMaker m;
  m.input("x", {1, 1});
  m.raw<int64_t>("side", {2}, onnx::TensorProto::INT64, {4000, 4000});
  m.raw<float>("zero", {}, onnx::TensorProto::FLOAT, {0});
  m.raw<float>("one", {}, onnx::TensorProto::FLOAT, {1});
  m.raw<float>("many", {}, onnx::TensorProto::FLOAT, {4e6});
  std::string sum = "x";
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    m.node("ConstantOfShape", {"side"}, {"table" + n});
    m.node("Trilu", {"table" + n}, {"half" + n});
    m.node("Range", {"zero", "many", "one"}, {"range" + n});
    m.node("Add", {sum, "half" + n}, {"wide" + n});
    m.node("ReduceMax", {"wide" + n}, {"max" + n}).add_attribute()->CopyFrom(no_axes_kept());
    m.node("ReduceMax", {"range" + n}, {"last" + n}).add_attribute()->CopyFrom(no_axes_kept());
    m.node("Add", {"max" + n, "last" + n}, {"sum" + n});
    sum = "sum" + n;
  }
  m.output(sum);
  EXPECT_LT(constant_bytes(m.import({}).graph), int64_t{80} << 20);
}

}  // namespace
}  // namespace ascribe::core
