#include "onnx/batch.h"

#include <gtest/gtest.h>

#include "onnx/model_maker.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

const Dim N = kBatch;

TEST(ReshapeTarget, ResolvesZeroAndMinusOneSymbolically) {
  EXPECT_EQ(reshape_target({N, 512, 1, 1}, {0, -1}, false, false, "here"), (Dims{N, 512}));
  EXPECT_EQ(reshape_target({N, 512, 1, 1}, {-1, 512}, false, false, "here"), (Dims{N, 512}));
  EXPECT_EQ(reshape_target({N, 197, 768}, {N, 197, 12, 64}, false, false, "here"), (Dims{N, 197, 12, 64}));
  EXPECT_EQ(reshape_target({2, 3, 4}, {0, 0, 2, -1}, false, false, "here"), (Dims{2, 3, 2, 2}));
}

TEST(ReshapeTarget, AllowZeroKeepsTheZero) {
  EXPECT_EQ(reshape_target({0, 3}, {3, 0}, true, false, "here"), (Dims{3, 0}));
}

TEST(ReshapeTarget, RowsMoveToTheAxisWhoseBlockIsOneRow) {
  EXPECT_EQ(reshape_target({N, 512, 1, 1}, {1, -1}, false, true, "here"), (Dims{N, 512}));
  EXPECT_EQ(reshape_target({N, 512, 1, 1}, {1, 512}, false, true, "here"), (Dims{N, 512}));
  EXPECT_EQ(reshape_target({N, 3, 4}, {12}, false, true, "here"), (Dims{Dim(0, 12)}));
  EXPECT_EQ(reshape_target({197, N, 768}, {197, 12, 64}, false, true, "here"), (Dims{197, Dim(0, 12), 64}));
  EXPECT_EQ(reshape_target({Dim(0, 12), 197, 64}, {1, 12, 197, 64}, false, true, "here"), (Dims{N, 12, 197, 64}));
  EXPECT_EQ(reshape_target({N, 768, 14, 14}, {1, 768, 196}, false, true, "here"), (Dims{N, 768, 196}));
}

TEST(ReshapeRows, FeaturesStayTogetherAndRowsAreFoundAgain) {
  const RowLayout merged = reshape_rows({{65, N, 4, 8}}, {65, 32}, false, true, "here");
  EXPECT_EQ(merged.shape, (Dims{Dim(0, 65), 32}));
  EXPECT_TRUE(merged.rows_inner);
  const RowLayout split = reshape_rows(merged, {65, 1, 32}, false, true, "here");
  EXPECT_EQ(split.shape, (Dims{65, N, 32}));
  EXPECT_FALSE(split.rows_inner);
  const RowLayout outer = reshape_rows({{N, 65, 32}}, {65, 32}, false, true, "here");
  EXPECT_EQ(outer.shape, (Dims{Dim(0, 65), 32}));
  EXPECT_FALSE(outer.rows_inner);
  EXPECT_EQ(reshape_rows(outer, {1, 65, 32}, false, true, "here").shape, (Dims{N, 65, 32}));
}

TEST(ReshapeTarget, ATargetThatKnowsTheBatchIsTakenAsItIs) {
  EXPECT_EQ(reshape_target({N, 6}, {N, 2, 3}, false, true, "here"), (Dims{N, 2, 3}));
  EXPECT_EQ(reshape_target({N, 6}, {N, -1}, false, true, "here"), (Dims{N, 6}));
}

TEST(ReshapeTarget, RefusesWhatCannotBe) {
  const auto refused = [](const Dims& input, const Dims& target, bool fixed, ErrorKind kind, const std::string& word) {
    expect_refusal(kind, {"here", word}, [&] { reshape_target(input, target, false, fixed, "here"); });
  };
  refused({2, 3}, {-1, -1}, false, ErrorKind::model, "two dimensions open");
  refused({2, 3}, {4, -1}, false, ErrorKind::model, "do not divide");
  refused({2, 3}, {2, 3, 0}, false, ErrorKind::model, "dimension 2");
  refused({2, 3}, {-2, 3}, false, ErrorKind::model, "negative");
  refused({N, 6}, {7}, true, ErrorKind::model, "number of elements");
  refused({4, N, 6}, {8, 3}, true, ErrorKind::unsupported, "mixes rows");
}

TEST(ExpandTarget, AHardCodedOneGrowsWithTheInput) {
  EXPECT_EQ(expand_target({N, 1, 4}, {1, 3, 4}, true, "here"), (Dims{N, 3, 4}));
  EXPECT_EQ(expand_target({Dim(0, 12), 1}, {12, 3}, true, "here"), (Dims{Dim(0, 12), 3}));
  EXPECT_EQ(expand_target({1, 4}, {N, 1}, false, "here"), (Dims{N, 4}));
}

TEST(AlignBatch, RepeatsAConstantPartForEveryRow) {
  Graph graph;
  Builder b(graph);
  const Value token = b.input("token", {Kind::real, {1, 1, 8}});
  const Value patches = b.input("patches", {Kind::real, {N, 4, 8}});
  const auto parts = align_batch(b, {token, patches}, 1, true);
  EXPECT_EQ(b.shape(parts[0]), (Dims{N, 1, 8}));
  EXPECT_EQ(parts[1], patches);
  EXPECT_EQ(align_batch(b, {token, patches}, 1, false)[0], token);
}

TEST(AlignBatch, RepeatsAPartThatStandsForSeveralMergedRows) {
  Graph graph;
  Builder b(graph);
  const Value one = b.input("one", {Kind::real, {12, 1}});
  const Value many = b.input("many", {Kind::real, {Dim(0, 12), 4}});
  EXPECT_EQ(b.shape(align_batch(b, {one, many}, 1, true)[0]), (Dims{Dim(0, 12), 1}));
}

// As PyTorch's newer exporter writes as_strided: the row flattened, and places picked from it.
TEST(FixedBatch, PlacesPickedFromAFlatRowArePickedFromEveryRow) {
  ModelMaker m;
  m.input("x", {1, 2, 2});
  m.integers("flat", {-1});
  m.node("Reshape", {"x", "flat"}, {"f"});
  m.raw<int64_t>("places", {1, 3}, onnx::TensorProto::INT64, {3, 0, 2});
  m.node("Gather", {"f", "places"}, {"y"});
  m.output("y", {1, 3});
  const ImportedModel model = m.import();
  ASSERT_TRUE(model.batched) << model.why_not_batched;
  EXPECT_EQ(model.graph[model.graph.outputs[0].value].type.shape, (Dims{N, 3}));
  const Tensor x = Tensor::of<float>({2, 2, 2}, {0, 1, 2, 3, 10, 11, 12, 13});
  const Tensor y = interpret(model.graph, {{"x", x.cast(DType::f64)}}, 2)[0];
  const std::vector<double> expected = {3, 0, 2, 13, 10, 12};
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(y.at(i), expected[static_cast<size_t>(i)]);
}

TEST(FixedBatch, ImagesOfAnyNumberWhereTheFileSaysFour) {
  ModelMaker m;
  m.input("x", {4, 1, 2, 2});
  m.integers("flat", {4, 4});
  m.node("Reshape", {"x", "flat"}, {"f"});
  m.floats("w", {4, 1}, {1, 2, 3, 4});
  m.node("MatMul", {"f", "w"}, {"y"});
  m.output("y", {4, 1});
  const ImportedModel model = m.import();
  ASSERT_TRUE(model.batched) << model.why_not_batched;
  const Tensor x = Tensor::of<double>({2, 1, 2, 2}, {1, 1, 1, 1, 0, 0, 1, 1});
  const Tensor y = interpret(model.graph, {{"x", x}}, 2)[0];
  EXPECT_EQ(y.at(0), 10);
  EXPECT_EQ(y.at(1), 7);
}

TEST(FixedBatch, PlacesThatEveryRowHasAreThoseOfAnyNumberOfRows) {
  for (const bool same : {true, false}) {
    ModelMaker m;
    m.input("x", {2, 1, 2, 2});
    m.integers("flat", {-1});
    m.node("Reshape", {"x", "flat"}, {"f"});
    m.raw<int64_t>("places", {2, 2}, onnx::TensorProto::INT64, {3, 0, 7, same ? 4 : 5});
    m.node("Gather", {"f", "places"}, {"y"});
    m.output("y", {2, 2});
    const ImportedModel model = m.import();
    ASSERT_EQ(model.batched, same) << model.why_not_batched;
    if (!same) continue;
    const Tensor x = Tensor::of<double>({3, 1, 2, 2}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
    const Tensor y = interpret(model.graph, {{"x", x}}, 3)[0];
    const std::vector<double> expected = {3, 0, 13, 10, 23, 20};
    for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(y.at(i), expected[static_cast<size_t>(i)]);
  }
}

TEST(FixedBatch, OtherInputsKeepTheirFirstAxis) {
  ModelMaker m;
  m.input("x", {4, 2});
  m.node("Relu", {"x"}, {"y"});
  m.output("y", {4, 2});
  EXPECT_FALSE(m.import().batched);
}

TEST(FixedBatch, RowsThatTheFileMixesStayAsTheyAre) {
  ModelMaker m;
  m.input("x", {4, 1, 2, 2});
  m.integers("flat", {2, 8});
  m.node("Reshape", {"x", "flat"}, {"y"});
  m.output("y", {2, 8});
  const ImportedModel model = m.import();
  EXPECT_FALSE(model.batched);
  EXPECT_EQ(model.graph[model.graph.outputs[0].value].type.shape, (Dims{2, 8}));
}

}  // namespace
}  // namespace ascribe::core
