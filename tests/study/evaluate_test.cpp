#include "study/evaluate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "base/random.h"
#include "cli/study_room_file.h"
#include "methods/foreign.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

namespace fs = std::filesystem;

// Rows of numbers that are nowhere but here.
class OwnRows : public Dataset {
 public:
  explicit OwnRows(std::vector<std::vector<double>> rows, std::vector<int64_t> classes = {})
      : rows_(std::move(rows)), classes_(std::move(classes)) {
    description = "rows of a test";
    labelled = !classes_.empty();
  }
  int64_t size() const override { return std::ssize(rows_); }
  Sample read(int64_t index) override {
    ++reads;
    const std::vector<double>& row = rows_[static_cast<size_t>(index)];
    Sample sample;
    sample.name = "row " + std::to_string(index);
    sample.source.path = sample.name;
    if (!row.empty()) sample.source.arrays = {{"", Tensor::of<double>({std::ssize(row) / 4, 4}, row), "float64"}};
    if (labelled) sample.label = classes_[static_cast<size_t>(index)];
    return sample;
  }

  int reads = 0;

 private:
  std::vector<std::vector<double>> rows_;
  std::vector<int64_t> classes_;
};

std::vector<std::vector<double>> many_rows(int64_t count) {
  std::vector<std::vector<double>> rows(static_cast<size_t>(count));
  for (size_t i = 0; i < rows.size(); ++i) {
    for (uint64_t j = 0; j < 4; ++j) rows[i].push_back(0.5 + Random(7, i).uniform(j));
  }
  return rows;
}

class EvaluateStudy : public testing::Test {
 protected:
  EvaluateStudy() : room_(Subject::open({.path = study_room_file(folder_)})) {}

  // y = 3 book + 2 book desk lamp + 0 clock.
  EvaluateRequest request(std::shared_ptr<Dataset> data) const {
    EvaluateRequest request;
    request.dataset = std::move(data);
    request.methods = {"occlusion", "shapley"};
    request.metrics = {"completeness"};
    return request;
  }
  EvaluateRequest five_rows() const {
    return request(std::make_shared<OwnRows>(
        std::vector<std::vector<double>>{{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {1, 1, 2, 0}}));
  }
  EvaluateRequest much_work() const {
    EvaluateRequest much = request(std::make_shared<OwnRows>(many_rows(23)));
    much.metrics = {"completeness", "infidelity_gaussian", "deletion", "order_spectrum"};
    much.methods = {"occlusion", "shapley", "integrated_gradients", "gradient"};
    much.samples = 20;
    much.shuffle = true;
    much.batch = 3;
    much.run.seed = 5;
    return much;
  }

  TemporaryFolder folder_;
  Subject room_;
};

void expect_same(const EvaluateResult& a, const EvaluateResult& b) {
  ASSERT_EQ(a.samples.size(), b.samples.size());
  EXPECT_EQ(scores_csv(a), scores_csv(b));
  EXPECT_EQ(summary_table(a).csv(), summary_table(b).csv());
  EXPECT_EQ(to_markdown(a), to_markdown(b));
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.seen.read, b.seen.read);
}

TEST_F(EvaluateStudy, DataInMemoryAreEvaluatedWithoutAWord) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const EvaluateResult result = evaluate(room_, five_rows());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  // Occlusion gives 3 b + 3 * 2 b d l of the change 3 b + 2 b d l: 4 too much of 5, 8 of 10, nothing of 3, 8 of 7. Row
  // 3 has no change to share out.
  EXPECT_NEAR(result.summaries[0][0].mean, (0.8 + 0.8 + 0 + 8.0 / 7) / 4, 1e-6);
  EXPECT_EQ(result.summaries[0][0].undefined, 1);
  EXPECT_FALSE(result.best(0, 0));
  EXPECT_TRUE(result.best(1, 0));
  ASSERT_EQ(result.samples.size(), 5U);
  EXPECT_EQ(result.samples[1].name, "row 1");
  EXPECT_NEAR(result.samples[1].scores.at(0, 0).value, 0.8, 1e-6);
  EXPECT_FALSE(result.samples[3].scores.at(0, 0).defined());
  EXPECT_EQ(result.data_description, "rows of a test");
  EXPECT_EQ(result.model_hash.size(), 64U);
  EXPECT_EQ(result.methods[1].name, "shapley");
  EXPECT_GT(result.methods[1].seconds, 0);
  EXPECT_EQ(samples_text(result), "5 samples");
  ASSERT_EQ(gaps_of(result).size(), 2U);
  EXPECT_NE(gaps_of(result)[0].find("completeness of occlusion: 1 of 5 samples have no score"), std::string::npos);
}

TEST_F(EvaluateStudy, FormsHaveTheNumbersOfTheResult) {
  const EvaluateResult result = evaluate(room_, five_rows());
  const Json json = to_json(result);
  EXPECT_EQ(json["methods"].items()[0]["scores"]["completeness"]["mean"], Json(result.summaries[0][0].mean));
  EXPECT_EQ(json["samples"]["scored"], Json(5));
  EXPECT_EQ(json["settings"]["baseline"], Json("zero"));
  EXPECT_FALSE(json["settings"].contains("ascribe_journal"));
  EXPECT_EQ(summary_table(result).rows[0][5], fmt::format("{}", result.summaries[0][0].mean));
  const std::string scores = scores_csv(result);
  EXPECT_EQ(std::count(scores.begin(), scores.end(), '\n'), 11);  // the head, and two methods on five rows
  EXPECT_NE(scores.find("\n3,row 3,,0,0,occlusion,\n"), std::string::npos) << scores;
}

TEST_F(EvaluateStudy, AMethodOfTheCallersOwnIsRatedAsOursAre) {
  // Half of the change to each of the first two.
  const auto halves = own_method("halves", [](ExplainedModel& model, const Question& question) {
    const double change =
        model.values(question.point, std::array{question.target})[0] - model.baseline_output(question);
    return std::vector<double>{change / 2, change / 2, 0, 0};
  });
  EvaluateRequest mixed = five_rows();
  mixed.methods = {"occlusion", halves};
  mixed.metrics = {"completeness", "max_sensitivity", "deletion"};
  const EvaluateResult result = evaluate(room_, mixed);
  EXPECT_EQ(result.methods[1].name, "halves");
  EXPECT_EQ(result.methods[1].left_out, "");
  EXPECT_NEAR(result.summaries[1][0].mean, 0, 1e-6) << "halves are complete";
  EXPECT_EQ(result.summaries[1][0].undefined, 1);
  EXPECT_GT(result.summaries[1][1].count, 0) << "it is asked again about disturbed inputs";
  mixed.methods = {halves, halves};
  EXPECT_EQ(evaluate(room_, mixed).methods.size(), 1U);
  mixed.methods = {"occlusion", own_method("occlusion", [](auto&, auto&) { return std::vector<double>(4); })};
  expect_error(ErrorKind::argument, "two methods have this name", [&] { evaluate(room_, mixed); });
  mixed.methods = {own_method("short", [](auto&, auto&) { return std::vector<double>(3); })};
  expect_error(ErrorKind::shape, "got 3 numbers", [&] { evaluate(room_, mixed); });
}

TEST_F(EvaluateStudy, BaselinesOfOneMethodAreItsAlone) {
  EvaluateRequest plain = five_rows(), given = five_rows(), own = five_rows();
  given.question.baselines = Tensor::of<double>({1, 4}, std::vector<double>(4, 0.5));
  own.method_baselines["occlusion"] = given.question.baselines;
  const EvaluateResult zero = evaluate(room_, plain), half = evaluate(room_, given), mixed = evaluate(room_, own);
  EXPECT_NE(zero.summaries[0][0].mean, half.summaries[0][0].mean);
  EXPECT_EQ(mixed.summaries[0][0].mean, half.summaries[0][0].mean);
  EXPECT_EQ(mixed.summaries[1][0].mean, zero.summaries[1][0].mean);
  own.method_baselines["occlusion"] = Tensor::of<double>({3}, std::vector<double>(3, 0.5));
  expect_error(ErrorKind::shape, "expected rows of 4", [&] { evaluate(room_, own); });
}

TEST_F(EvaluateStudy, NoiseIsAddedToTheBaselinesOfOneMethod) {
  EvaluateRequest given = five_rows(), noisy = five_rows();
  given.question.baselines = Tensor::of<double>({1, 4}, std::vector<double>(4, 0.25));
  noisy.question.baselines = given.question.baselines;
  given.method_baselines["occlusion"] = Tensor::of<double>({2, 4}, {0.35, 0.25, 0.25, 0.25, 0.25, 0.25, 0.75, 0.25});
  noisy.method_noise["occlusion"] = Tensor::of<double>({2, 4}, {0.1, 0, 0, 0, 0, 0, 0.5, 0});
  const EvaluateResult expected = evaluate(room_, given), result = evaluate(room_, noisy);
  EXPECT_EQ(result.summaries[0][0].mean, expected.summaries[0][0].mean);
  EXPECT_EQ(result.summaries[1][0].mean, expected.summaries[1][0].mean);
  noisy.method_noise["gradient"] = noisy.method_noise["occlusion"];
  expect_error(ErrorKind::argument, "not evaluated", [&] { evaluate(room_, noisy); });
}

// ---- stopping ----

TEST_F(EvaluateStudy, StoppedAnywhereItGoesOnAndNothingFinishedIsLost) {
  const EvaluateResult whole = evaluate(room_, much_work());
  for (uint64_t round = 0; round < 6; ++round) {
    EvaluateRequest request = much_work();
    request.journal = folder_.path(fmt::format("round {}/work.journal", round));
    auto data = std::make_shared<OwnRows>(many_rows(23));
    request.dataset = data;
    int stops = 0;
    size_t kept = 0;
    EvaluateResult result;
    while (result.samples.empty()) {
      auto left = 1 + static_cast<int64_t>(Random(round, 3).below(static_cast<uint64_t>(stops), 150));
      request.run.progress = [&](std::string_view, int64_t, int64_t) {
        if (--left == 0) cancel();
      };
      data->reads = 0;
      try {
        result = evaluate(room_, request);
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::cancelled) << error.what();
        ++stops;
        const std::string lines = read_file(request.journal);
        ASSERT_GE(lines.size(), kept) << "what was finished stays";
        kept = lines.size();
      }
      ASSERT_LT(stops, 200);
    }
    EXPECT_GT(stops, 0);
    EXPECT_LT(data->reads, 23 + 23) << "what is known is not read again, but once to tell the data from others";
    expect_same(whole, result);
    forget_journal(result);
    EXPECT_FALSE(fs::exists(request.journal));
  }
}

TEST_F(EvaluateStudy, StopsWithinASecond) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/";
  const Subject subject = Subject::open({.path = models + "relu_vgg.onnx"});
  EvaluateRequest request;
  request.data = models + "images";
  request.methods = {"all"};
  request.metrics = {"all"};
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> wanted = false;
  Clock::time_point asked;
  request.run.progress = [&](std::string_view, int64_t, int64_t) {
    if (wanted) cancel();
  };
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    asked = Clock::now();
    wanted = true;
  });
  expect_error(ErrorKind::cancelled, "stopped", [&] { evaluate(subject, request); });
  const double seconds = std::chrono::duration<double>(Clock::now() - asked).count();
  other.join();
  EXPECT_LT(seconds, 1);
}

TEST_F(EvaluateStudy, AJournalOfOtherDataOrADamagedOneIsRefused) {
  EvaluateRequest request = much_work();
  request.journal = folder_.path("work.journal");
  evaluate(room_, request);
  EXPECT_EQ(evaluate(room_, request).notes.back(), "going on where an earlier run stopped: 20 samples are done");
  EvaluateRequest other = request;
  other.dataset = std::make_shared<OwnRows>(std::vector<std::vector<double>>(23, {1, 2, 3, 4}));
  expect_error(ErrorKind::io, "unfinished work with other settings", [&] { evaluate(room_, other); });
  other = request;
  other.question.baselines = Tensor::of<double>({4}, std::vector<double>(4, 0.25));
  expect_error(ErrorKind::io, "baseline: zero there, given", [&] { evaluate(room_, other); });
  other = request;
  other.question.owners = {0, 0, 1, 1};
  expect_error(ErrorKind::io, "players:  there, owners", [&] { evaluate(room_, other); });
  std::string text = read_file(request.journal);
  const size_t line = text.find("\"method_seconds\"", text.find('\n', text.find('\n') + 1));
  folder_.write("work.journal", text.replace(line, 16, "\"method_hours\""));
  expect_error(ErrorKind::io, "line 3 of the journal is damaged; delete the file", [&] { evaluate(room_, request); });
  request.force = true;
  expect_error(ErrorKind::io, request.journal, [&] { evaluate(room_, request); });
}

// ---- what cannot be meant ----

TEST_F(EvaluateStudy, WhatCannotBeMeantIsRefused) {
  const auto refused = [&](ErrorKind kind, const std::string& part, void (*change)(EvaluateRequest&)) {
    EvaluateRequest request = five_rows();
    change(request);
    const auto error = error_of([&] { evaluate(room_, request); });
    ASSERT_TRUE(error.has_value()) << part;
    EXPECT_EQ(error->kind(), kind) << error->what();
    EXPECT_NE(std::string(error->what()).find(part), std::string::npos) << error->what();
    EXPECT_EQ(std::string(error->what()).find("--"), std::string::npos) << error->what();
  };
  refused(ErrorKind::argument, "[samples] got -1", [](auto& r) { r.samples = -1; });
  refused(ErrorKind::argument, "[skip] got 5; the data have 5", [](auto& r) { r.skip = 5; });
  refused(ErrorKind::argument, "[most-box] got nan", [](auto& r) { r.most_box = NAN; });
  refused(ErrorKind::argument, "[most-box] the data have no boxes", [](auto& r) { r.most_box = 0.5; });
  refused(ErrorKind::argument, "[only-correct] the data do not say", [](auto& r) { r.only_correct = true; });
  refused(ErrorKind::argument, "[target] the data do not say", [](auto& r) { r.question.target = "label"; });
  refused(ErrorKind::argument, "a method that is not evaluated",
          [](auto& r) { r.method_baselines["gradient"] = Tensor::of<double>({4}, std::vector<double>(4)); });
  refused(ErrorKind::unsupported, "there is no such metric", [](auto& r) { r.metrics = {"none"}; });
  refused(ErrorKind::argument, "expected at least one method", [](auto& r) { r.methods.clear(); });
  refused(ErrorKind::io, "cannot open", [](auto& r) { r.dataset = nullptr, r.data = "/nowhere.csv"; });
  refused(ErrorKind::shape, "a sample without data",
          [](auto& r) { r.dataset = std::make_shared<OwnRows>(std::vector<std::vector<double>>(3)); });
  refused(ErrorKind::shape, "a sample of 2 rows",
          [](auto& r) { r.dataset = std::make_shared<OwnRows>(std::vector(3, std::vector<double>(8, 1))); });
  refused(ErrorKind::shape, "the class that the data say is to be explained; got 7; expected 0 to 0", [](auto& r) {
    r.question.target = "label";
    r.dataset = std::make_shared<OwnRows>(std::vector(1, std::vector<double>(4, 1)), std::vector<int64_t>{7});
  });
}

}  // namespace
}  // namespace ascribe::core::study
