// Evaluation of rows in memory beside the same rows in files, and what an evaluation tells of its samples.
#include <ascribe/ascribe.h>

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "api/two_numbers_model.h"
#include "base/file.h"
#include "base/random.h"
#include "onnx/model_maker.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe {
namespace {

constexpr int64_t kRows = 7;

class EvaluateRows : public testing::Test {
 protected:
  EvaluateRows() {
    for (uint64_t i = 0; i < kRows * 3; ++i) x_.push_back(static_cast<float>(core::Random(3, 1).uniform(i) + 0.2));
  }
  // y = (tanh(x0 x1) + x2, x2), in float.
  static Model model() { return Model::load_bytes(two_numbers_bytes(true), "bent.onnx"); }
  Array rows() const { return {x_.data(), {kRows, 3}}; }
  Question question() const { return Question(rows()); }
  std::string file() {
    std::vector<int64_t> classes(classes_.begin(), classes_.end());
    const core::Tensor x = core::Tensor::of<float>({kRows, 3}, x_), y = core::Tensor::of<int64_t>({kRows}, classes);
    return folder_.write("rows.npz", core::format_npz({{"x", x}, {"y", y}}));
  }
  template <class F>
  static void expect_error(ErrorKind kind, F&& work, const std::string& part = "") {
    try {
      work();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

  std::vector<float> x_;
  const std::vector<int64_t> classes_ = {0, 1, 0, 0, 1, 0, 0};
  const std::vector<std::string> metrics_ = {"completeness", "infidelity", "deletion"};
  core::TemporaryFolder folder_;
};

TEST_F(EvaluateRows, ScoresThoseOfTheFileToTheLastBit) {
  Model m = model();
  const Options how = Options().seed(5).shuffle().skip(1).samples(5).batch(2).set("shapley.samples", "3");
  const std::vector<Method> methods = {"shapley", "integrated_gradients"};
  const Evaluation in_file = m.evaluate(file(), methods, metrics_, Question().target("label"), how);
  const Evaluation in_memory =
      m.evaluate(question().target("label"), methods, metrics_, Options(how).classes(classes_));
  EXPECT_EQ(in_memory.samples(), 5U);
  EXPECT_EQ(in_memory.sample_numbers(), in_file.sample_numbers());
  EXPECT_EQ(in_memory.sample_classes(), in_file.sample_classes());
  EXPECT_EQ(in_memory.predicted_classes(), in_file.predicted_classes());
  for (const std::string& metric : metrics_) {
    for (const char* method : {"shapley", "integrated_gradients"}) {
      EXPECT_EQ(in_memory.scores(method, metric), in_file.scores(method, metric)) << method << " " << metric;
      EXPECT_EQ(in_memory.summary(method, metric).low, in_file.summary(method, metric).low);
    }
  }
}

TEST_F(EvaluateRows, NamesAndLabelsAreThoseOfTheCaller) {
  Model m = model();
  Question named = question();
  named.row_names({"a", "b", "c", "d", "e", "f", "g"}).feature_names({"u", "v", "w"});
  const Evaluation e = m.evaluate(named, {"occlusion"}, {"completeness"}, Options().classes(classes_).only_correct());
  EXPECT_LT(e.samples(), 7U);
  for (size_t i = 0; i < e.samples(); ++i) {
    EXPECT_EQ(e.sample_names()[i], std::string(1, static_cast<char>('a' + e.sample_numbers()[i])));
    EXPECT_EQ(e.sample_classes()[i], e.predicted_classes()[i]);
  }
  const Evaluation plain = m.evaluate(question(), {"occlusion"}, {"completeness"});
  EXPECT_EQ(plain.sample_names()[3], "row 3");
  EXPECT_EQ(plain.sample_classes()[3], -1);
}

TEST_F(EvaluateRows, OneRowIsASampleToo) {
  Model m = model();
  const Evaluation one = m.evaluate(Question(Array(std::span(x_).first(3))), {"occlusion"}, {"completeness"});
  const Evaluation all = m.evaluate(question(), {"occlusion"}, {"completeness"});
  ASSERT_EQ(one.samples(), 1U);
  EXPECT_EQ(one.scores("occlusion", "completeness")[0], all.scores("occlusion", "completeness")[0]);
}

TEST_F(EvaluateRows, NumbersOfEveryRowFindTheirRows) {
  Model m = model();
  const Explanation exact = m.explain(question(), {"shapley"});
  std::vector<double> all;
  for (size_t r = 0; r < kRows; ++r) {
    const std::vector<double>& values = exact.attribution(0, r).values();
    all.insert(all.end(), values.begin(), values.end());
  }
  const Method given("given", Array(all), kRows);
  // Whatever is skipped, shuffled, left out or cut: the scores are those of the method that the numbers come from.
  for (const Options& how : {Options(), Options().skip(3), Options().seed(2).shuffle().samples(4).batch(1),
                             Options().classes(classes_).only_correct().batch(2)}) {
    const Evaluation e = m.evaluate(question(), {"shapley", given}, metrics_, how);
    for (const std::string& metric : metrics_) EXPECT_EQ(e.scores("given", metric), e.scores("shapley", metric));
  }
  const Method few("few", Array(std::span(all).first(6)), 2);
  EXPECT_EQ(m.evaluate(question(), {few}, {"completeness"}, Options().samples(2)).samples(), 2U);
  expect_error(
      ErrorKind::argument, [&] { m.evaluate(question(), {few}, {"completeness"}); },
      "its numbers were given for 2 rows, and row 2 is asked about");
}

TEST_F(EvaluateRows, NumbersHaveNoScoreWhereOtherInputsAreAskedAboutAndTakeNobodyWithThem) {
  Model m = model();
  const std::vector<double> all(kRows * 3, 1.0);
  const Method given("given", Array(all), kRows);
  const std::vector<std::string> metrics = {"max_sensitivity", "completeness"};
  const Evaluation both = m.evaluate(question(), {given, "occlusion"}, metrics);
  const Evaluation alone = m.evaluate(question(), {"occlusion"}, metrics);
  EXPECT_EQ(both.scores("occlusion", "max_sensitivity"), alone.scores("occlusion", "max_sensitivity"));
  EXPECT_EQ(both.summary("given", "max_sensitivity").undefined, kRows);
  EXPECT_NE(both.why_undefined("given", "max_sensitivity")[0].find("say nothing of other inputs"), std::string::npos);
  EXPECT_EQ(both.summary("given", "completeness").samples, kRows);
}

TEST_F(EvaluateRows, EqualRowsKeepNumbersOfTheirOwn) {
  Model m = model();
  const std::vector<double> twice = {1, 1, 1, 1, 1, 1}, values = {1, 0, 0, 0, 0, 2};
  const Explanation e = m.explain(Question(Array(twice.data(), {2, 3})), {Method("given", Array(values), 2)});
  EXPECT_EQ(e.attribution(0, 0).values(), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(e.attribution(0, 1).values(), (std::vector<double>{0, 0, 2}));
}

TEST_F(EvaluateRows, AStoppedRunGoesOnWithTheRightNumbers) {
  Model m = model();
  const std::string journal = folder_.path("journal");
  std::vector<double> all(kRows * 3);
  for (size_t i = 0; i < all.size(); ++i) all[i] = std::sin(static_cast<double>(i));
  const auto given = [&] { return Method("given", Array(all), kRows); };
  const std::vector<double> whole =
      m.evaluate(question(), {given()}, {"completeness"}, Options().batch(2)).scores("given", "completeness");
  int calls = 0;
  const Options stopped = Options().batch(2).journal(journal).progress(
      [&](std::string_view, int64_t done, int64_t) { return done < 4 || ++calls < 1; });
  expect_error(ErrorKind::cancelled, [&] { m.evaluate(question(), {given()}, {"completeness"}, stopped); });
  const Evaluation rest = m.evaluate(question(), {given()}, {"completeness"}, Options().batch(2).journal(journal));
  EXPECT_EQ(rest.scores("given", "completeness"), whole);
  EXPECT_NE(rest.notes()[0].find("going on"), std::string::npos);
}

TEST_F(EvaluateRows, TargetsOfSingleNumbersBelongToTheSamples) {
  Model m = model();
  const std::vector<std::string> targets = {"0", "1", "0", "0", "1", "0", "0"};
  const Evaluation own = m.evaluate(question().targets(targets), {"occlusion"}, metrics_, Options().skip(1).batch(2));
  const Evaluation same =
      m.evaluate(question().target("label"), {"occlusion"}, metrics_, Options().classes(classes_).skip(1).batch(2));
  EXPECT_EQ(own.scores("occlusion", "infidelity"), same.scores("occlusion", "infidelity"));
  expect_error(
      ErrorKind::argument,
      [&] {
        m.evaluate(question().targets({"0", "1"}), {"occlusion"}, metrics_);
      },
      "got 2 targets, and row 2 is asked about");
  const std::vector<double> weights(kRows * 2, 1.0);
  expect_error(
      ErrorKind::argument,
      [&] {
        m.evaluate(question().target_weights(Array(weights.data(), {kRows, 2})), {"occlusion"}, metrics_,
                   Options().batch(1));
      },
      "expected a target that all share");
}

TEST_F(EvaluateRows, CurvesAreKeptAndAveraged) {
  Model m = model();
  const Evaluation e = m.evaluate(question().target(0), {"shapley", "occlusion"}, {"deletion", "completeness"});
  const ScoreCurve mean = e.curve("shapley", "deletion");
  ASSERT_EQ(mean.positions.size(), 4U);  // of three players
  EXPECT_EQ(mean.positions.front(), 0);
  EXPECT_EQ(mean.positions.back(), 1);
  EXPECT_EQ(mean.samples, kRows);
  for (size_t i = 0; i < 4; ++i) {
    double sum = 0, squares = 0;
    for (size_t s = 0; s < kRows; ++s) sum += e.curve("shapley", "deletion", s).mean[i];
    for (size_t s = 0; s < kRows; ++s) squares += std::pow(e.curve("shapley", "deletion", s).mean[i] - sum / kRows, 2);
    EXPECT_NEAR(mean.mean[i], sum / kRows, 1e-12);
    EXPECT_NEAR(mean.standard_errors[i], std::sqrt(squares / (kRows - 1) / kRows), 1e-12);
  }
  // The score is the area under the curve.
  const ScoreCurve one = e.curve("shapley", "deletion", 2);
  double area = 0;
  for (size_t i = 1; i < 4; ++i) {
    area += (one.positions[i] - one.positions[i - 1]) * (one.mean[i] + one.mean[i - 1]) / 2;
  }
  EXPECT_NEAR(area, e.scores("shapley", "deletion")[2], 1e-12);
  e.save(folder_.path("results"));
  EXPECT_EQ(core::read_file(folder_.path("results") + "/scores.csv"), e.scores_csv());
  EXPECT_EQ(core::read_file(folder_.path("results") + "/summary.md"), e.markdown());
  EXPECT_EQ(e.curve("shapley", "completeness").samples, 0);
  EXPECT_TRUE(e.curve("shapley", "completeness").positions.empty());
  expect_error(ErrorKind::argument, [&] { e.curve("gradient", "deletion"); });
  expect_error(ErrorKind::argument, [&] { e.curve("shapley", "deletion", kRows); });
}

TEST_F(EvaluateRows, ObjectsMayBeBoxesInMemory) {
  core::ModelMaker maker;
  maker.input("x", {"N", 1, 4, 4}).output("y");
  std::vector<float> weights(16, 0.0F);
  weights[5] = 1, weights[6] = 2;  // what counts lies in row 1, columns 1 and 2
  maker.floats("w", {16, 1}, weights);
  maker.node("Flatten", {"x"}, {"flat"});
  maker.node("MatMul", {"flat", "w"}, {"y"});
  Model m = Model::load_bytes(maker.bytes(), "box.onnx");
  const std::vector<float> x(32, 1.0F);
  const std::vector<double> boxes = {1, 1, 3, 2, 0, 2, 4, 4};
  const Evaluation e = m.evaluate(Question(Array(x.data(), {2, 1, 4, 4})), {"gradient_x_input"},
                                  {"relevance_mass_accuracy"}, Options().object_boxes(Array(boxes.data(), {2, 4})));
  EXPECT_EQ(e.scores("gradient_x_input", "relevance_mass_accuracy"), (std::vector<double>{1, 0}));
}

TEST_F(EvaluateRows, ImagesInMemoryAreSamplesToo) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/";
  Model m = Model::load(models + "relu_vgg.onnx");
  core::TemporaryFolder images;
  for (const char* name : {"ankle_boot.png", "bag.png"}) {
    core::write_file(images.path(name), core::read_file(models + "images/" + name), false);
  }
  Question both;
  both.file(models + "images/ankle_boot.png");
  both.bytes("bag.png", core::read_file(models + "images/bag.png"));
  const Evaluation in_memory = m.evaluate(both, {"gradient_x_input"}, {"completeness"});
  const Evaluation folder = m.evaluate(images.path(""), {"gradient_x_input"}, {"completeness"});
  EXPECT_EQ(in_memory.scores("gradient_x_input", "completeness"), folder.scores("gradient_x_input", "completeness"));
  EXPECT_EQ(in_memory.sample_names(), (std::vector<std::string>{"ankle_boot.png", "bag.png"}));
  Question table;
  table.bytes("rows.csv", "a,b\n1,2\n");
  expect_error(
      ErrorKind::argument, [&] { m.evaluate(table, {"gradient"}, {"completeness"}); }, "not an image");
}

TEST_F(EvaluateRows, WhatCannotBeEvaluatedIsRefused) {
  Model m = model();
  const auto with = [&](const Question& asked, const Options& how = {}) {
    m.evaluate(asked, {"occlusion"}, {"completeness"}, how);
  };
  expect_error(
      ErrorKind::argument, [&] { with(Question()); }, "there are no samples");
  expect_error(
      ErrorKind::shape,
      [&] {
        with(question(), Options().classes({1, 2}));
      },
      "do not belong to the rows");
  expect_error(
      ErrorKind::shape,
      [&] {
        with(question(), Options().classes({0, 0, 0, -4, 0, 0, 0}));
      },
      "the label of row 3 is -4");
  const std::vector<double> boxes = {1, 2, 3};
  expect_error(
      ErrorKind::shape, [&] { with(question(), Options().object_boxes(Array(boxes))); }, "boxes");
  expect_error(
      ErrorKind::argument, [&] { with(question().rows({"0:2"})); }, "`skip` and `samples` choose");
  expect_error(
      ErrorKind::argument, [&] { with(question(), Options().format("idx")); }, "does not have this option");
  expect_error(
      ErrorKind::argument, [&] { with(question(), Options().only_correct()); },
      "[only_correct] the data do not say their classes (array: 7 rows of [3], without labels); `classes`");
  expect_error(
      ErrorKind::argument, [&] { with(question().target("label")); }, "do not say their classes");
  expect_error(
      ErrorKind::unsupported, [&] { with(question().array(rows(), "x")); }, "got 2 arrays");
  Question other;
  other.array(rows(), "z");
  expect_error(
      ErrorKind::argument, [&] { with(other); }, "expected them for 'x'");
  const std::string path = file();
  expect_error(
      ErrorKind::argument,
      [&] { m.evaluate(path, {"occlusion"}, {"completeness"}, Question(), Options().classes(classes_)); },
      "does not have this option");
}

// A sample that cannot be asked about takes no other with it; if none is left, that is an error.
TEST_F(EvaluateRows, ASampleThatIsNotFiniteIsLeftOut) {
  Model m = model();
  std::vector<float> broken = x_;
  broken[4] = NAN;
  const Evaluation rest =
      m.evaluate(Question(Array(broken.data(), {kRows, 3})), {"occlusion"}, {"completeness"}, Options());
  EXPECT_EQ(rest.samples(), kRows - 1);
  std::fill(broken.begin(), broken.end(), NAN);
  expect_error(ErrorKind::numeric, [&] {
    m.evaluate(Question(Array(broken.data(), {kRows, 3})), {"occlusion"}, {"completeness"}, Options());
  });
}

}  // namespace
}  // namespace ascribe
