// Numbers and files that the caller has in memory: looked at during a call, never afterwards.
#include <ascribe/ascribe.h>

#include <algorithm>

#include <gtest/gtest.h>

#include "cli/product_model.h"
#include "onnx/model_maker.h"

namespace ascribe {
namespace {

// y = x0 x1 + x2, in the type of the rows.
Model product(Precision precision) {
  return Model::load_bytes(core::product_model_bytes(), "product.onnx", LoadOptions().precision(precision));
}

std::vector<double> numbers(const Array& array) {
  std::vector<double> list;
  for (int64_t i = 0; i < array.size(); ++i) list.push_back(array[i]);
  return list;
}

template <class T>
void results_keep_their_own(Precision precision, std::vector<T> rows, int64_t count) {
  Model model = product(precision);
  std::vector<T> baselines = {1, 1, 1};
  const std::vector<double> given(rows.begin(), rows.end());
  const Question question = Question(Array(rows.data(), {count, 3})).baselines(Array(baselines.data(), {1, 3}));
  const Explanation explanation = model.explain(question, {"shapley"});
  const std::string before = explanation.json();
  std::fill(rows.begin(), rows.end(), T(-7));
  std::fill(baselines.begin(), baselines.end(), T(-7));
  for (int64_t r = 0; r < count; ++r) {
    const Attribution one = explanation.attribution(0, static_cast<size_t>(r));
    EXPECT_EQ(numbers(one.x()), (std::vector<double>(given.begin() + 3 * r, given.begin() + 3 * r + 3)));
    EXPECT_EQ(numbers(one.baselines()), (std::vector<double>{1, 1, 1}));
  }
  EXPECT_EQ(explanation.json(), before);
}

TEST(GivenData, ResultsKeepNumbersOfTheirOwn) {
  results_keep_their_own<double>(Precision::float64, {3, 4, 2}, 1);
  results_keep_their_own<double>(Precision::float64, {3, 4, 2, 5, 6, 7}, 2);
  results_keep_their_own<float>(Precision::float32, {3, 4, 2}, 1);
  results_keep_their_own<float>(Precision::float32, {3, 4, 2, 5, 6, 7}, 2);
}

TEST(GivenData, BaselinesMayBeAFileInMemory) {
  Model model = product(Precision::float64);
  const std::vector<double> x = {3, 4, 2}, baselines = {1, 1, 1, 0, 0, 0};
  const Explanation arrays = model.explain(Question(Array(x)).baselines(Array(baselines.data(), {2, 3})), {"shapley"});
  const Explanation file =
      model.explain(Question(Array(x)).baselines("train.csv", "a,b,c\n1,1,1\n0,0,0\n"), {"shapley"});
  EXPECT_EQ(file.attribution(0).values(), arrays.attribution(0).values());
  EXPECT_EQ(numbers(file.attribution(0).baselines()), baselines);
}

TEST(GivenData, ColumnsOfABaselineInMemoryGoToTheirInputs) {
  core::ModelMaker maker;
  maker.input("age", {"N", 1}).input("hours", {"N", 1}).output("y");
  maker.node("Mul", {"age", "hours"}, {"y"});
  Model model = Model::load_bytes(maker.bytes());
  Question question;
  question.bytes("rows.csv", "hours,age\n4,3\n").baselines("train.csv", "age,hours\n1,2\n");
  const Attribution one = model.explain(question, {"shapley"}).attribution(0);
  EXPECT_EQ(one.players(), (std::vector<std::string>{"age", "hours"}));
  EXPECT_EQ(one.baseline_output(), 2);
  EXPECT_EQ(one.values(), (std::vector<double>{6, 4}));
}

TEST(GivenData, IdsWithoutANameGoToTheInputThatOthersFollow) {
  core::ModelMaker maker;
  maker.input("input_ids", {"N", 2}, onnx::TensorProto::INT64).input("attention_mask", {"N", 2}).output("y");
  maker.floats("table", {4, 1}, {1, 10, 100, 1000});
  maker.integers("last", {-1});
  maker.node("Gather", {"table", "input_ids"}, {"embedded"});
  maker.node("Squeeze", {"embedded", "last"}, {"flat"});
  maker.node("Mul", {"flat", "attention_mask"}, {"y"});
  Model model = Model::load_bytes(maker.bytes());
  const std::vector<double> ids = {2, 1};
  EXPECT_EQ(numbers(model.predict(Question(Array(ids))).values()), (std::vector<double>{100, 10}));
}

TEST(GivenData, AMethodTellsItsSettings) {
  Model model = product(Precision::float64);
  const std::vector<double> x = {3, 4, 2};
  const Explanation e =
      model.explain(Question(Array(x)), {"integrated_gradients"}, Options().set("integrated_gradients.steps", "7"));
  EXPECT_NE(e.attribution(0).parameters_json().find("\"steps\": \"7\""), std::string::npos)
      << e.attribution(0).parameters_json();
}

}  // namespace
}  // namespace ascribe
