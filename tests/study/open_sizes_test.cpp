// Sizes that the file leaves open come from the data.
#include "study/open_sizes.h"

#include <gtest/gtest.h>

#include "onnx/model_maker.h"
#include "study/asked.h"
#include "study/predict.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

// y = the sum of a b over steps and channels; the second input's axis is called as is said.
Subject product_over_time(const std::string& axis_of_b = "t") {
  ModelMaker maker;
  maker.input("a", {"n", "t", 2}).input("b", {"n", axis_of_b, 2});
  maker.integers("axes", {1, 2});
  maker.node("Mul", {"a", "b"}, {"m"});
  set_integer(maker.node("ReduceSum", {"m", "axes"}, {"y"}), "keepdims", 0);
  maker.output("y");
  return Subject::open({.path = "product.onnx", .bytes = maker.bytes()});
}

GivenArray steps(const std::string& input, Shape shape) {
  Tensor values(DType::f32, shape);
  auto data = values.mutable_data<float>();
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  return {input, values};
}

RowSource rows_of(std::vector<GivenArray> arrays) {
  RowSource rows;
  rows.arrays = std::move(arrays);
  return rows;
}

TEST(OpenSizes, AreThoseOfTheDataAndAreNoted) {
  std::vector<std::string> notes;
  const Subject subject = sized(product_over_time(), rows_of({steps("a", {1, 3, 2}), steps("b", {1, 3, 2})}), notes);
  EXPECT_EQ(subject.model().graph()[subject.model().graph().inputs[0].value].type.shape, (Dims{kBatch, 3, 2}));
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0], "a: 3 on axis 1 (t), from the array");
}

TEST(OpenSizes, ArraysMayBeOneRow) {
  PredictRequest request;
  request.rows = rows_of({steps("a", {3, 2}), steps("b", {3, 2})});
  // 0 + 1 + 4 + 9 + 16 + 25
  EXPECT_DOUBLE_EQ(predict(product_over_time(), request).predictions[0].at(0, 0), 55);
}

TEST(OpenSizes, OtherDataOfTheSameSubjectHaveTheirOwn) {
  const Subject subject = product_over_time();
  for (const int64_t length : {1, 2, 4}) {
    PredictRequest request;
    request.rows = rows_of({steps("a", {1, length, 2}), steps("b", {1, length, 2})});
    const double last = static_cast<double>(2 * length - 1);
    EXPECT_DOUBLE_EQ(predict(subject, request).predictions[0].at(0, 0), last * (last + 1) * (2 * last + 1) / 6);
  }
}

TEST(OpenSizes, InputsWithoutDataShareThoseOfTheSameName) {
  std::vector<std::string> notes;
  const Subject named = sized(product_over_time(), rows_of({steps("b", {1, 4, 2})}), notes);
  EXPECT_EQ(named.shapes().at("a"), (Shape{1, 4, 2}));
  const Subject unnamed = sized(product_over_time(""), rows_of({steps("a", {1, 5, 2})}), notes);
  EXPECT_EQ(unnamed.shapes().at("b"), (Shape{1, 5, 2}));
}

TEST(OpenSizes, ContradictionsNameBoth) {
  std::vector<std::string> notes;
  expect_error(ErrorKind::shape, "got 4 for axis 1 (t) of the input 'b'; expected 3", [&] {
    sized(product_over_time(), rows_of({steps("a", {1, 3, 2}), steps("b", {1, 4, 2})}), notes);
  });
  expect_error(ErrorKind::argument, "input 'b'", [&] {
    sized(product_over_time("u"), rows_of({steps("a", {1, 3, 2})}), notes);
  });
  expect_error(ErrorKind::shape, "got [1, 3, 5]; expected [?, ?, 2]", [&] {
    sized(product_over_time(), rows_of({steps("a", {1, 3, 5})}), notes);
  });
}

TEST(OpenSizes, PicturesBringTheirOwnOrWhatPreprocessingMakesOfIt) {
  ModelMaker maker;
  maker.input("x", {"n", 1, "h", "w"});
  maker.node("GlobalAveragePool", {"x"}, {"g"});
  maker.node("Flatten", {"g"}, {"y"});
  maker.output("y");
  const Subject subject = Subject::open({.path = "mean.onnx", .bytes = maker.bytes()});
  RowSource rows;
  rows.files = {ASCRIBE_SOURCE_DIR "/models/images/bag.png"};
  std::vector<std::string> notes;
  EXPECT_EQ(sized(subject, rows, notes).shapes().at("x"), (Shape{1, 1, 28, 28}));
  rows.preprocess = R"({"resize": [9, 7]})";
  EXPECT_EQ(sized(subject, rows, notes).shapes().at("x"), (Shape{1, 1, 9, 7}));
}

}  // namespace
}  // namespace ascribe::core::study
