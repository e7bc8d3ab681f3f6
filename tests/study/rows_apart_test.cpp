// Models that cannot take several rows at once are asked about each alone.
#include <gtest/gtest.h>

#include "onnx/model_maker.h"
#include "study/explain.h"
#include "study/predict.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

// y = x0 x1 + the sum of all rows' x0: rows of a batch influence each other.
Subject mixing() {
  ModelMaker maker;
  maker.input("x", {"n", 2});
  maker.integers("zero", {0});
  maker.integers("one", {1});
  maker.node("Gather", {"x", "zero"}, {"a"});
  set_integer(*maker.graph().mutable_node()->rbegin(), "axis", 1);
  maker.node("Gather", {"x", "one"}, {"b"});
  set_integer(*maker.graph().mutable_node()->rbegin(), "axis", 1);
  maker.node("Mul", {"a", "b"}, {"m"});
  maker.node("ReduceSum", {"a", "zero"}, {"s"});
  maker.node("Add", {"m", "s"}, {"y"});
  maker.output("y");
  return Subject::open({.path = "mixing.onnx", .bytes = maker.bytes()});
}

RowSource three_rows() {
  RowSource rows;
  rows.arrays = {{"", Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})}};
  return rows;
}

TEST(RowsApart, PredictionsAreThoseOfEachRowAlone) {
  PredictRequest request;
  request.rows = three_rows();
  const PredictResult result = predict(mixing(), request);
  EXPECT_DOUBLE_EQ(result.predictions[0].at(0, 0), 3);
  EXPECT_DOUBLE_EQ(result.predictions[0].at(1, 0), 15);
  EXPECT_DOUBLE_EQ(result.predictions[0].at(2, 0), 35);
  ASSERT_FALSE(result.notes.empty());
  EXPECT_NE(result.notes[0].find("every row is run alone"), std::string::npos);
}

TEST(RowsApart, ExplanationsAreThoseOfEachRowAlone) {
  ExplainRequest request;
  request.question.rows = three_rows();
  request.methods = {{"shapley"}, {"integrated_gradients"}, {"gradient"}};
  const ExplainResult result = explain(mixing(), request);
  for (size_t row = 0; row < 3; ++row) {
    const double a = 1.0 + 2 * static_cast<double>(row), b = a + 1;
    // x0 x1 is shared equally, x0 belongs to x0.
    for (const size_t method : {0, 1}) {
      EXPECT_NEAR(result.methods[method].attributions[row].values[0], a * b / 2 + a, 1e-4);
      EXPECT_NEAR(result.methods[method].attributions[row].values[1], a * b / 2, 1e-4);
    }
    EXPECT_NEAR(result.methods[2].attributions[row].values[0], b + 1, 1e-5);
  }
}

}  // namespace
}  // namespace ascribe::core::study
