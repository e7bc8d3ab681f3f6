// Quantised operators against numbers worked out by hand, and the derivative that they declare.
#include <cmath>

#include "onnx/lowering/node_case.h"
#include "onnx/model_maker.h"
#include "passes/gradient.h"

namespace ascribe::core {
namespace {

using onnx::TensorProto;

TEST(QuantizeLinear, RoundsHalvesToEvenAndSaturates) {
  NodeCase node("QuantizeLinear", 13);
  node.input(reals_of({8}, {0, 1, 3, -1, 1000, -1000, 254, 2.2}));
  node.constant(reals_of({}, {2})).constant_as(TensorProto::UINT8, {}, {128});
  expect_values(node.run()[0], {8}, {128, 128, 130, 128, 255, 0, 255, 129});  // 0.5 and -0.5 become 0, 1.5 becomes 2
}

TEST(QuantizeLinear, TheZeroPointGivesTheRangeAndWithoutOneItIsThatOfBytes) {
  NodeCase plain("QuantizeLinear", 13), narrow("QuantizeLinear", 13), wide("QuantizeLinear", 21);
  const Tensor x = reals_of({3}, {-300, 100, 300});
  plain.input(x).constant(reals_of({}, {1}));
  expect_values(plain.run()[0], {3}, {0, 100, 255});
  narrow.input(x).constant(reals_of({}, {1})).constant_as(TensorProto::INT8, {}, {0});
  expect_values(narrow.run()[0], {3}, {-128, 100, 127});
  wide.input(x).constant(reals_of({}, {0.001})).set("output_dtype", int64_t{TensorProto::INT16});
  expect_values(wide.run()[0], {3}, {-32768, 32767, 32767});
}

TEST(QuantizeLinear, HasAScaleForEachPlaceOfAnAxis) {
  NodeCase node("QuantizeLinear", 13);
  node.input(reals_of({2, 2}, {3, 3, -5, -5})).constant(reals_of({2}, {1, 2}));
  node.constant_as(TensorProto::INT8, {2}, {0, 10}).set("axis", 1);
  expect_values(node.run()[0], {2, 2}, {3, 12, -5, 8});  // 1.5 becomes 2, -2.5 becomes -2
}

TEST(QuantizeLinear, RefusesScalesThatAreNoneAndTypesItCannotRoundTo) {
  NodeCase zero("QuantizeLinear", 13), small("QuantizeLinear", 21), many("QuantizeLinear", 13);
  zero.input(reals_of({1}, {1})).constant(reals_of({}, {0}));
  EXPECT_NE(zero.refusal().find("a scale is 0"), std::string::npos);
  small.input(reals_of({1}, {1})).constant(reals_of({}, {1})).set("output_dtype", int64_t{17});
  EXPECT_NE(small.refusal().find("float8e4m3fn"), std::string::npos);
  many.input(reals_of({1, 2}, {1, 2})).constant(reals_of({3}, {1, 1, 1}));
  EXPECT_NE(many.refusal().find("3 scales"), std::string::npos);
}

TEST(DequantizeLinear, GivesWhatTheNumbersStandFor) {
  NodeCase node("DequantizeLinear", 13);
  node.input(Tensor::of<int64_t>({2, 2}, {1, 2, 3, 4})).constant(reals_of({2}, {0.5, 2}));
  node.constant_as(TensorProto::UINT8, {2}, {1, 3}).set("axis", 0);
  expect_values(node.run()[0], {2, 2}, {0, 0.5, 0, 2});
}

TEST(DequantizeLinear, RefusesScalesThatDoNotFitEvenIfTheyChangeNothing) {
  NodeCase many("DequantizeLinear", 13), beyond("DequantizeLinear", 13);
  many.input(Tensor::of<int64_t>({1, 2}, {1, 2})).constant(reals_of({3}, {1, 1, 1}));
  EXPECT_NE(many.refusal().find("3 scales"), std::string::npos);
  beyond.input(Tensor::of<int64_t>({1, 2}, {1, 2})).constant(reals_of({2}, {1, 1})).set("axis", 7);
  EXPECT_NE(beyond.refusal(), "");
}

TEST(DequantizeLinear, HasAScaleForEachBlockOfAnAxis) {
  NodeCase node("DequantizeLinear", 21), uneven("DequantizeLinear", 21);
  for (NodeCase* each : {&node, &uneven}) each->input(Tensor::of<int64_t>({1, 5}, {1, 1, 1, 1, 1}));
  node.constant(reals_of({1, 3}, {1, 10, 100})).set("axis", 1).set("block_size", 2);
  expect_values(node.run()[0], {1, 5}, {1, 1, 10, 10, 100});
  uneven.constant(reals_of({1, 2}, {1, 10})).set("axis", 1).set("block_size", 2);
  EXPECT_NE(uneven.refusal(), "");
}

TEST(DynamicQuantizeLinear, TakesTheRangeFromTheNumbersZeroIncluded) {
  NodeCase node("DynamicQuantizeLinear", 11);
  node.input(reals_of({3}, {0, 51, 127.5}));
  const auto y = node.run(3);
  expect_values(y[1], {}, {0.5});
  expect_values(y[2], {}, {0});
  expect_values(y[0], {3}, {0, 102, 255});
  NodeCase below("DynamicQuantizeLinear", 11), flat("DynamicQuantizeLinear", 11);
  below.input(reals_of({2}, {-25.5, 0}));
  expect_values(below.run(3)[2], {}, {255});
  flat.input(reals_of({2}, {0, 0}));
  expect_values(flat.run(3)[0], {2}, {0, 0});
}

TEST(DynamicQuantizeLinear, RowsHaveTheirOwnRange) {
  NodeCase node("DynamicQuantizeLinear", 11);
  node.input(reals_of({2, 2}, {0, 255, 0, 510}), true);
  const Tensor y = node.run()[0];
  expect_values(y, {2, 2}, {0, 255, 0, 255});
}

TEST(MatMulInteger, SubtractsTheZeroPoints) {
  NodeCase node("MatMulInteger", 10);
  node.input(Tensor::of<int64_t>({1, 2}, {11, 7})).constant_as(TensorProto::INT8, {2, 2}, {1, 2, 3, 4});
  node.constant_as(TensorProto::UINT8, {}, {10}).constant_as(TensorProto::INT8, {2}, {1, 0});
  // (1, -3) times ((0, 2), (2, 4))
  expect_values(node.run()[0], {1, 2}, {-6, -10});
}

TEST(ConvInteger, PadsWithWhatStandsForZero) {
  NodeCase node("ConvInteger", 10);
  node.input(Tensor::of<int64_t>({1, 1, 3}, {6, 7, 8})).constant_as(TensorProto::INT8, {1, 1, 3}, {1, 1, 1});
  node.constant_as(TensorProto::UINT8, {}, {5}).set("pads", std::vector<int64_t>{1, 1});
  expect_values(node.run()[0], {1, 1, 3}, {3, 6, 5});
}

TEST(QLinearMatMul, MultipliesWhatTheNumbersStandForAndRounds) {
  NodeCase node("QLinearMatMul", 10);
  node.input(Tensor::of<int64_t>({1, 2}, {4, 6}))
      .constant(reals_of({}, {0.5}))
      .constant_as(TensorProto::UINT8, {}, {2});
  node.constant_as(TensorProto::INT8, {2, 1}, {3, -1})
      .constant(reals_of({}, {2}))
      .constant_as(TensorProto::INT8, {}, {0});
  node.constant(reals_of({}, {0.4})).constant_as(TensorProto::UINT8, {}, {100});
  // (1, 2) times (6, -2) = 2; 2 / 0.4 = 5
  expect_values(node.run()[0], {1, 1}, {105});
}

TEST(QLinearConv, AddsABiasInStepsOfBothScales) {
  NodeCase node("QLinearConv", 10);
  node.input(Tensor::of<int64_t>({1, 1, 2}, {3, 5}))
      .constant(reals_of({}, {0.5}))
      .constant_as(TensorProto::UINT8, {}, {1});
  node.constant_as(TensorProto::INT8, {2, 1, 1}, {2, 4}).constant(reals_of({2}, {1, 0.25}));
  node.constant_as(TensorProto::INT8, {2}, {0, 0});
  node.constant(reals_of({}, {1}))
      .constant_as(TensorProto::UINT8, {}, {0})
      .constant_as(TensorProto::INT32, {2}, {2, 8});
  // x = (1, 2); channel 0: 2 x + 2 * 0.5; channel 1: 1 x + 8 * 0.125
  expect_values(node.run()[0], {1, 2, 2}, {3, 5, 2, 3});
}

TEST(QGemm, WithoutAScaleOfTheResultItIsNotRounded) {
  NodeCase node("com.microsoft.QGemm", 13);
  node.input(Tensor::of<int64_t>({1, 2}, {1, 2}))
      .constant(reals_of({}, {0.3}))
      .constant_as(TensorProto::UINT8, {}, {0});
  node.constant_as(TensorProto::INT8, {1, 2}, {1, 1})
      .constant(reals_of({}, {0.1}))
      .constant_as(TensorProto::INT8, {}, {0});
  node.set("transB", 1);
  expect_values(node.run()[0], {1, 1}, {0.09});
}

TEST(MatMulNBits, UnpacksWeightsOfFourBits) {
  // Two rows of four numbers in blocks of two; 1, 2, 3, 4 less 8, and 15, 0, 8, 9 less their own zero points.
  NodeCase node("com.microsoft.MatMulNBits", 17);
  node.input(reals_of({2, 4}, {1, 0, 0, 0, 1, 1, 1, 1}));
  node.constant_as(TensorProto::UINT8, {2, 2, 1}, {0x21, 0x43, 0x0F, 0x98});
  node.constant(reals_of({4}, {1, 2, 1, 0.5})).constant_as(TensorProto::UINT8, {2}, {0x88, 0x10});
  node.set("K", 4).set("N", 2).set("bits", 4).set("block_size", 2);
  // Rows: (1 - 8, 2 - 8, 2 (3 - 8), 2 (4 - 8)) and (15 - 0, 0 - 0, (8 - 1) / 2, (9 - 1) / 2).
  expect_values(node.run()[0], {2, 2}, {-7, 15, -31, 22.5});
}

// x / 2, rounded to 0 .. 3 and back: the derivative of the file is 0 or does not exist.
Graph rounded_line() {
  ModelMaker m(13);
  m.input("x", {"N", 1}).output("y");
  m.floats("s", {}, {2});
  m.raw<uint8_t>("z", {}, TensorProto::UINT8, {252});
  m.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  m.node("DequantizeLinear", {"q", "s", "z"}, {"y"});
  const ImportedModel imported = m.import();
  EXPECT_EQ(imported.notes.size(), 1U);
  EXPECT_NE(imported.notes.at(0).find("quantised"), std::string::npos);
  return imported.graph;
}

TEST(Quantisation, IsComputedAndDifferentiatedStraightThrough) {
  const Graph graph = rounded_line();
  const std::vector<double> points = {-600, -3, 0.4, 2.9, 5.9, 6.1, 40};
  const std::vector<double> values = {-504, -4, 0, 2, 6, 6, 6}, slopes = {0, 1, 1, 1, 1, 0, 0};
  for (size_t i = 0; i < points.size(); ++i) {
    const Tensor x = reals_of({1, 1}, {points[i]});
    expect_values(interpret(graph, {{"x", x}}, 1)[0], {1, 1}, {values[i]});
    const Gradient made = gradient(graph);
    const auto found = interpret(made.graph, {{"x", x}, {"seed", reals_of({1, 1}, {1})}}, 1);
    expect_values(found[1], {1, 1}, {slopes[i]});
  }
}

TEST(Quantisation, AQuantisedOutputIsWholeNumbersOfTheDeclaredKind) {
  ModelMaker m(13);
  m.input("x", {"N", 2}).output("q", {"N", 2}, TensorProto::UINT8);
  m.floats("s", {}, {0.5});
  m.node("QuantizeLinear", {"x", "s"}, {"q"});
  const Graph graph = m.import().graph;
  EXPECT_EQ(graph[graph.outputs[0].value].type.kind, Kind::integer);
  expect_values(interpret(graph, {{"x", reals_of({1, 2}, {3, 200})}}, 1)[0], {1, 2}, {6, 255});
}

}  // namespace
}  // namespace ascribe::core
