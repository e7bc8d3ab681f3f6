#include "metrics/evaluation.h"

#include <cmath>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/watch.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/scoring.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// ---- summaries ----

TEST(Summary, OfFewNumbersIsWhatTheFormulasSay) {
  const auto all = summarize(std::vector<std::vector<double>>{{1, 2, 3, 10}, {5}, {}, {4, 4, 4}}, 0);
  EXPECT_EQ(all[0].mean, 4);
  EXPECT_EQ(all[0].median, 2.5);
  EXPECT_NEAR(all[0].standard_error, std::sqrt(50.0 / 3 / 4), 1e-12);
  EXPECT_EQ(all[1].mean, 5);
  EXPECT_TRUE(std::isnan(all[1].standard_error) && std::isnan(all[1].low));
  EXPECT_EQ(all[2].count, 0);
  EXPECT_TRUE(std::isnan(all[2].mean));
  EXPECT_EQ(all[3].low, 4);
  EXPECT_EQ(all[3].high, 4);
}

Summary summary_of(const std::vector<double>& values, uint64_t seed) { return summarize({&values, 1}, seed)[0]; }

TEST(Summary, TheIntervalIsThatOfTheNormalDistributionForManyValues) {
  std::vector<double> values;
  for (uint64_t i = 0; i < 1000; ++i) values.push_back(Random(5).normal(i));
  const Summary summary = summary_of(values, 1);
  // The ends are quantiles of 2000 draws: a tenth of a standard error is three of their own errors.
  EXPECT_NEAR(summary.low, summary.mean - 1.96 * summary.standard_error, 0.15 * summary.standard_error);
  EXPECT_NEAR(summary.high, summary.mean + 1.96 * summary.standard_error, 0.15 * summary.standard_error);
  EXPECT_EQ(summary_of(values, 1).low, summary.low);
  EXPECT_NE(summary_of(values, 2).low, summary.low);
}

TEST(Summary, TheIntervalHoldsTheTrueMeanAboutNineteenTimesOfTwenty) {
  int held = 0;
  for (uint64_t round = 0; round < 300; ++round) {
    std::vector<double> values;
    for (uint64_t i = 0; i < 40; ++i) values.push_back(Random(round, 9).uniform(i));
    const Summary summary = summary_of(values, round);
    held += summary.low <= 0.5 && 0.5 <= summary.high ? 1 : 0;
  }
  EXPECT_NEAR(held / 300.0, 0.94, 0.045);  // three standard errors of such a count
}

// ---- experiments ----

EvaluatedMethod method(const std::string& name, bool asked_for = true) {
  const Method& one = method_named(name);
  return {one, Parameters(name, one.parameters, {}), asked_for};
}

EvaluatedMetric metric(const std::string& name, bool asked_for = true, const Settings& settings = {}) {
  const Metric& one = metric_named(name);
  return {one, Parameters(name, one.parameters, settings), asked_for};
}

class Experiments : public testing::Test {
 protected:
  Experiments() : graph_(small_cnn()), model_(double_model(graph_)) {}

  EvaluationBatch batch(uint64_t from, uint64_t to) const {
    EvaluationBatch result;
    for (uint64_t i = from; i < to; ++i) {
      Question question = ask_about(random_tensor({1, 1, 4, 4}, 100 + i, 1), {}, static_cast<int64_t>(i % 3));
      question.players = pixel_players(4, 4);
      result.questions.push_back(std::move(question));
      result.streams.push_back(i);
      result.names.push_back("image " + std::to_string(i));
      result.facts.push_back({static_cast<int64_t>(i), 2, i == 1 ? std::nullopt : std::optional(0.1 * i)});
    }
    return result;
  }

  std::vector<EvaluatedMethod> methods() const {
    return {method("gradient_x_input"), method("integrated_gradients"), method("smooth_grad", false)};
  }
  std::vector<EvaluatedMetric> metrics() const {
    return {metric("completeness"), metric("infidelity", true, {{"size", "2"}})};
  }
  Experiment experiment(const std::string& journal = "", uint64_t seed = 3, bool force = false) {
    EvaluationOptions options;
    options.seed = seed;
    options.journal = journal;
    options.force = force;
    options.about = Json::object({{"data", "random images"}});
    return {model_, methods(), metrics(), options};
  }
  void run(Experiment& one, uint64_t from, uint64_t to, uint64_t step) const {
    for (uint64_t i = from; i < to; i += step) one.add(batch(i, std::min(to, i + step)));
  }

  Graph graph_;
  ExplainedModel model_;
  TemporaryFolder folder_;
};

void expect_same(const Experiment& a, const Experiment& b) {
  ASSERT_EQ(a.samples().size(), b.samples().size());
  for (const auto& [stream, sample] : a.samples()) {
    const EvaluatedSample& other = b.samples().at(stream);
    EXPECT_EQ(sample.name, other.name);
    EXPECT_EQ(sample.target, other.target);
    EXPECT_EQ(sample.facts, other.facts);
    for (size_t m = 0; m < a.methods().size(); ++m) {
      for (size_t k = 0; k < a.metrics().size(); ++k) {
        EXPECT_EQ(sample.scores.at(m, k).undefined, other.scores.at(m, k).undefined);
        if (sample.scores.at(m, k).defined()) {
          EXPECT_EQ(sample.scores.at(m, k).value, other.scores.at(m, k).value) << stream << " " << m << " " << k;
        }
      }
    }
  }
}

TEST_F(Experiments, ScoresAreThoseOfTheMetricsThemselves) {
  Experiment one = experiment();
  run(one, 0, 4, 4);
  const EvaluationBatch all = batch(0, 4);
  Scoring scoring(graph_, all.questions);
  scoring.seed = 3;
  for (const EvaluatedMethod& each : one.methods()) scoring.add(each.method.name);
  const Scores infidelity = scoring.score("infidelity", {{"size", "2"}});
  for (size_t m = 0; m < 3; ++m) {
    double sum = 0;
    for (uint64_t q = 0; q < 4; ++q) {
      EXPECT_EQ(one.samples().at(q).scores.at(m, 1).undefined, infidelity[m][q].undefined);
      if (!infidelity[m][q].defined()) continue;
      EXPECT_EQ(one.samples().at(q).scores.at(m, 1).value, infidelity[m][q].value);
      sum += infidelity[m][q].value;
    }
    if (infidelity[m][0].defined()) {
      EXPECT_NEAR(one.summaries()[m][1].mean, sum / 4, 1e-14);
    }
  }
  // Slopes have no completeness.
  EXPECT_EQ(one.summaries()[2][0].undefined, 4);
  EXPECT_EQ(one.summaries()[2][0].count, 0);
}

TEST_F(Experiments, BatchesDoNotMatter) {
  Experiment together = experiment(), alone = experiment();
  run(together, 0, 7, 7);
  run(alone, 0, 7, 1);
  ASSERT_EQ(together.samples().size(), 7U);
  for (const auto& [stream, sample] : together.samples()) {
    for (size_t m = 0; m < 3; ++m) {
      for (size_t k = 0; k < 2; ++k) {
        const Score a = sample.scores.at(m, k), b = alone.samples().at(stream).scores.at(m, k);
        EXPECT_EQ(a.defined(), b.defined());
        // Sums of products may be taken in another order in a batch.
        if (a.defined()) {
          EXPECT_NEAR(a.value, b.value, 1e-10 * (1 + std::abs(a.value))) << stream << " " << m << " " << k;
        }
      }
    }
  }
}

TEST_F(Experiments, InterruptedWorkGoesOnWhereItWas) {
  const std::string journal = folder_.path("work.journal");
  Experiment whole = experiment();
  run(whole, 0, 6, 2);
  {
    Experiment first = experiment(journal);
    run(first, 0, 4, 2);
  }
  // Killed while it wrote a line.
  const std::string text = read_file(journal);
  folder_.write("work.journal", text + R"({"samples":[{"sample":4,"na)");
  auto reopened = std::make_unique<Experiment>(experiment(journal));
  Experiment& second = *reopened;
  EXPECT_TRUE(second.knows(3) && !second.knows(4));
  int64_t steps = 0;
  second.add(batch(0, 4), [&](std::string_view, int64_t, int64_t) { ++steps; });
  EXPECT_EQ(steps, 0) << "what is known is not computed again";
  run(second, 0, 6, 2);
  expect_same(whole, second);
  EXPECT_EQ(whole.summaries()[0][1].low, second.summaries()[0][1].low);
  EXPECT_GT(second.method_seconds(0), 0);
  reopened.reset();
  Experiment third = experiment(journal);
  expect_same(whole, third);
}

TEST_F(Experiments, StoppedWorkIsNotTakenForASampleThatFails) {
  const std::string journal = folder_.path("work.journal");
  Experiment whole = experiment();
  run(whole, 0, 6, 2);
  for (int64_t steps = 1; steps < 40; steps += 3) {
    int64_t left = steps;
    const auto stop = [&](std::string_view, int64_t, int64_t) {
      if (--left == 0) cancel();
    };
    Experiment stopped = experiment(journal, 3, false);
    expect_error(ErrorKind::cancelled, "stopped", [&] {
      for (uint64_t i = 0; i < 6; i += 2) stopped.add(batch(i, i + 2), stop);
      if (left > 0) cancel();  // there is nothing left to stop
    });
  }
  Experiment resumed = experiment(journal);
  EXPECT_GT(resumed.samples().size(), 0U) << "finished batches are kept";
  run(resumed, 0, 6, 2);
  expect_same(whole, resumed);
}

TEST_F(Experiments, ProgressGoesFromNothingToAllAndNeverBack) {
  Experiment one = experiment();
  std::vector<std::pair<int64_t, int64_t>> told;
  one.add(batch(0, 2), [&](std::string_view, int64_t done, int64_t total) { told.emplace_back(done, total); });
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0].first, 0);
  const int64_t total = told[0].second, step = total / 5;  // three methods, two metrics
  std::set<int64_t> begun;
  for (size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].second, total);
    EXPECT_GE(told[i].first, i == 0 ? 0 : told[i - 1].first);
    EXPECT_LE(told[i].first, total);
    if (told[i].first % step == 0) begun.insert(told[i].first / step);
  }
  for (int64_t each = 0; each < 5; ++each) EXPECT_TRUE(begun.contains(each)) << "a step that was never begun";
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [&](const auto& one_told) { return one_told.first % step != 0; }))
      << "there is something between the beginnings of two steps";
}

TEST_F(Experiments, AJournalOfOtherWorkIsRefusedAndSaysWhatDiffers) {
  const std::string journal = folder_.path("work.journal");
  {
    Experiment first = experiment(journal);
    run(first, 0, 2, 2);
    expect_error(ErrorKind::io, "another run is writing", [&] { experiment(journal); });
  }
  expect_error(ErrorKind::io, "seed: 3 there, 4 now); `force`", [&] { experiment(journal, 4); });
  EXPECT_EQ(experiment(journal).samples().size(), 2U) << "a refusal changes nothing";
  EXPECT_EQ(experiment(journal, 4, true).samples().size(), 0U);
  expect_error(ErrorKind::io, "seed: 4 there, 3 now", [&] { experiment(journal, 3); });
}

TEST_F(Experiments, ADamagedJournalIsRefused) {
  const std::string journal = folder_.path("work.journal");
  {
    Experiment first = experiment(journal);
    run(first, 0, 4, 2);
  }
  std::string text = read_file(journal);
  const size_t second = text.find('\n') + 1;
  folder_.write("work.journal", text.substr(0, second) + "{oops}\n" + text.substr(second));
  expect_error(ErrorKind::io, "line 2 of the journal is damaged; delete the file to start again",
               [&] { experiment(journal); });
  folder_.write("work.journal", text.substr(0, second) + "{\"samples\":[{}]}\n");
  expect_error(ErrorKind::io, "line 2 of the journal is damaged", [&] { experiment(journal); });
  folder_.write("work.journal", "my notes\n");
  expect_error(ErrorKind::io, "line 1 of the journal is damaged", [&] { experiment(journal, 3, true); });
  EXPECT_EQ(read_file(journal), "my notes\n");
  folder_.write("work.journal", "my notes");
  expect_error(ErrorKind::io, "this is not a journal", [&] { experiment(journal, 3, true); });
  EXPECT_EQ(read_file(journal), "my notes");
}

// Whatever is wrong with the third line, it is said of the third line.
TEST_F(Experiments, ALineOfTheJournalThatCannotBeIsRefused) {
  const std::string journal = folder_.path("work.journal");
  {
    Experiment first = experiment(journal);
    run(first, 0, 4, 2);
  }
  const std::string text = read_file(journal);
  const size_t third = text.find('\n', text.find('\n') + 1) + 1;
  const std::string before = text.substr(0, third), line = text.substr(third);
  const auto damaged = [&](const std::string& path, const Json& value) {
    Json json = parse_json(line, "test");
    Json* place = &json;
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::string_view key = rest.substr(0, rest.find('.'));
      rest.remove_prefix(std::min(rest.size(), key.size() + 1));
      if (place->is_list()) place = &place->items()[static_cast<size_t>(key[0] - '0')];
      else if (rest.empty() && value.is_text() && value.text() == "erase") return place->erase(key), json.dump(-1);
      else place = &(*place)[key];
    }
    *place = value;
    return json.dump(-1);
  };
  std::string deep = "{\"samples\":";
  for (int i = 0; i < 100000; ++i) deep += '[';
  std::vector<std::string> lines = {deep, deep + std::string(100000, ']') + "}", "[]", "12", "", "\xff\xfe"};
  for (const char* key :
       {"samples", "method_seconds", "metric_seconds", "methods_left_out", "metrics_left_out", "samples.0.name",
        "samples.0.sample", "samples.0.target", "samples.0.scores", "samples.0.top", "samples.0.label"}) {
    lines.push_back(damaged(key, "erase"));
    lines.push_back(damaged(key, Json::object()));
    lines.push_back(damaged(key, Json()));
  }
  for (const char* key : {"method_seconds", "metric_seconds", "methods_left_out", "metrics_left_out",
                          "samples.0.scores", "samples.0.scores.0"}) {
    lines.push_back(damaged(key, Json::list()));
    lines.push_back(damaged(key, std::vector<int>{1, 2, 3, 4, 5}));
  }
  for (const Json& value : {Json(), Json(""), Json(true), Json::list(), Json::object()}) {
    lines.push_back(damaged("samples.0.scores.0.1", value));
  }
  for (const Json& value : {Json(-1), Json(0.5), Json(1e300), Json("3")}) {
    lines.push_back(damaged("samples.0.sample", value));
    lines.push_back(damaged("samples.1.target", value));
  }
  const std::string good = damaged("samples.0.scores.0.1", 4711);
  for (const char* number : {"1e999", "NaN", "-Infinity", "1e", "4711, \"a\": 1"}) {
    std::string bad = good;
    lines.push_back(bad.replace(bad.find("4711"), 4, number));
  }
  lines.push_back(good.substr(0, good.size() - 1) + ",\"samples\":[]}");
  for (const std::string& bad : lines) {
    folder_.write("work.journal", before + bad + "\n" + line);
    expect_error(ErrorKind::io, "line 3 of the journal is damaged; delete the file to start again", [&] {
      experiment(journal);
      ADD_FAILURE() << bad.substr(0, 400);
    });
    EXPECT_EQ(read_file(journal), before + bad + "\n" + line) << "a refusal changes nothing";
  }
  folder_.write("work.journal", before + good + "\n");
  EXPECT_EQ(experiment(journal).samples().at(2).scores.at(0, 1).value, 4711);
}

TEST_F(Experiments, TwoMethodsOfOneNameAreRefused) {
  expect_error(ErrorKind::argument, "two methods have this name", [&] {
    Experiment(model_, {method("gradient"), method("gradient")}, {metric("sparseness")}, {});
  });
}

TEST_F(Experiments, WhatDoesNotSuitIsLeftOutUnlessItWasAskedFor) {
  Graph plain;
  SmallNetwork net(plain);
  net.b.output("y", net.dense(net.b.input("x", {Kind::real, {kBatch, 4}}), 4, 2));
  ExplainedModel model = double_model(plain);
  EvaluationBatch batch;
  for (uint64_t i = 0; i < 3; ++i) {
    batch.questions.push_back(ask_about(random_tensor({1, 4}, i, 1)));
    batch.streams.push_back(i);
    batch.names.push_back("row");
  }
  // Grad-CAM needs a convolution, pointing_game an image.
  EvaluationOptions options;
  options.objects = true;
  batch.objects.assign(3, PixelMask(4, 1));
  Experiment one(model, {method("grad_cam", false), method("gradient_x_input")},
                 {metric("completeness"), metric("pointing_game", false)}, options);
  one.add(batch);
  EXPECT_NE(one.left_out(0), "");
  EXPECT_EQ(one.left_out(1), "");
  EXPECT_EQ(one.metric_left_out(0), "");
  EXPECT_NE(one.metric_left_out(1).find("images"), std::string::npos) << one.metric_left_out(1);
  EXPECT_EQ(one.summaries()[1][0].count, 3);
  Experiment asked(model, {method("grad_cam")}, {metric("completeness")}, {});
  EXPECT_TRUE(error_of([&] { asked.add(batch); }).has_value());
  expect_error(ErrorKind::unsupported, "where the object is",
               [&] { Experiment(model, {method("gradient")}, {metric("pointing_game")}, {}); });
}

TEST_F(Experiments, ASampleThatFailsDoesNotTakeTheOthersWithIt) {
  // y = ln x: not finite where x is negative.
  Graph logarithm;
  Builder b(logarithm);
  b.output("y", b.op("log", {b.input("x", {Kind::real, {kBatch, 1}})}));
  ExplainedModel model = double_model(logarithm);
  EvaluationBatch batch;
  const std::vector<double> rows = {2, -1, 3};
  for (size_t i = 0; i < rows.size(); ++i) {
    batch.questions.push_back(ask_about(Tensor::of<double>({1, 1}, std::vector<double>{rows[i]}),
                                        Tensor::of<double>({1, 1}, std::vector<double>{1})));
    batch.streams.push_back(i);
    batch.names.push_back("row");
  }
  Experiment one(model, {method("occlusion")}, {metric("completeness")}, {});
  one.add(batch);
  EXPECT_TRUE(one.samples().at(0).scores.at(0, 0).defined());
  EXPECT_FALSE(one.samples().at(1).scores.at(0, 0).defined());
  EXPECT_NE(one.samples().at(1).scores.at(0, 0).undefined.find("not a number"), std::string::npos)
      << one.samples().at(1).scores.at(0, 0).undefined;
  EXPECT_TRUE(one.samples().at(2).scores.at(0, 0).defined());
  EXPECT_EQ(one.summaries()[0][0].undefined, 1);
}

}  // namespace
}  // namespace ascribe::core
