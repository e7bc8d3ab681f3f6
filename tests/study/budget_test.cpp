// Budgets of time: what is planned, what is cut, and that it is said. No test here looks at a clock.
#include "study/budget.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "cli/product_model.h"
#include "report/page.h"
#include "study/affordable.h"
#include "study/audit.h"
#include "study/compare.h"
#include "study/report.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

using document::Document;

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";

// ---- estimated effects ----

// Closed forms: the network alone, looking for effects alone.
TEST(EvaluationsAgain, AreDoubledAsLongAsTheyFit) {
  EXPECT_EQ(evaluations_again(100, 1, 0.01, 9, 40000), 800) << "900 fit";
  EXPECT_EQ(evaluations_again(100, 1, 0, 16, 40000), 400) << "twice as many take four times as long";
  EXPECT_EQ(evaluations_again(100, 2, 0.01, 12, 40000), 200) << "3 for each hundred, and 9 for its pairs: 300 fit";
  EXPECT_EQ(evaluations_again(100, 1, 0.01, 1.99, 40000), 100) << "199 fit";
  EXPECT_EQ(evaluations_again(100, 1, 0.01, 2, 40000), 200);
  EXPECT_EQ(evaluations_again(100, 1, 0.01, 9, 799), 400) << "no more than that";
  EXPECT_EQ(evaluations_again(100, 1, 0.01, -3, 40000), 100) << "the time is over";
  EXPECT_EQ(evaluations_again(100, 0, 0, 5, 40000), 100) << "a clock that stands still promises nothing";
}

// ---- words ----

TEST(Budget, ReadsTimesAsPeopleWriteThem) {
  EXPECT_EQ(Budget::parse("60").seconds, 60);
  EXPECT_EQ(Budget::parse("60s").seconds, 60);
  EXPECT_EQ(Budget::parse("2m").seconds, 120);
  EXPECT_EQ(Budget::parse("1.5h").seconds, 5400);
  EXPECT_EQ(Budget::parse("0.25s").seconds, 0.25);
  EXPECT_EQ(Budget::parse("none").seconds, std::nullopt);
  EXPECT_EQ(Budget::parse(kUsualBudget).seconds, 60);
}

TEST(Budget, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "0", "0s", "-5s", "-1", "nan", "inf", "60x", "60 s", "s", "1e300h", "none at all", "5ss", "--", "NONE"}) {
    expect_error(ErrorKind::argument, "expected a time such as 60s", [&] { Budget::parse(text); });
  }
}

TEST(Budget, TellsTimesInWords) {
  EXPECT_EQ(seconds_text(0.012), "12 ms");
  EXPECT_EQ(seconds_text(0.5), "0.5 s");
  EXPECT_EQ(seconds_text(42.4), "42 s");
  EXPECT_EQ(seconds_text(300), "5 min");
  EXPECT_EQ(seconds_text(309), "5 min 9 s");
  EXPECT_EQ(seconds_text(9000), "2.5 h");
}

// ---- stopping ----

struct FakeClock {
  double seconds = 0;
  TimeKeeping keeping() {
    return {[this] { return seconds; }, {}};
  }
};

TEST(Spending, StopsAPartAtItsTimeAndGoesOn) {
  FakeClock clock;
  Spending spending(Budget::parse("100s"), clock.keeping());
  int steps = 0;
  const bool done = spending.within(10, {"slow", 5.0}, {}, [&](const Progress& progress) {
    for (; steps < 1000; ++steps) {
      clock.seconds += 1;
      core::report(progress, "steps", steps, 1000);
    }
  });
  EXPECT_FALSE(done);
  EXPECT_EQ(steps, 9) << "at the first step after its time";
  EXPECT_TRUE(spending.within(10, {"quick"}, {}, [&](const Progress&) { clock.seconds += 2; }));
  ASSERT_EQ(spending.parts().size(), 2U);
  EXPECT_TRUE(spending.parts()[0].stopped);
  EXPECT_EQ(spending.parts()[0].seconds, 10);
  EXPECT_FALSE(spending.parts()[1].stopped);
  EXPECT_EQ(spending.spent(), 12);
  EXPECT_LT(spending.left(), 88) << "some of it is kept for files";
}

TEST(Spending, WithoutALimitNothingIsStopped) {
  FakeClock clock;
  Spending spending(Budget::parse("none"), clock.keeping());
  EXPECT_TRUE(spending.within(spending.left(), {"long"}, {}, [&](const Progress& progress) {
    clock.seconds += 1e9;
    core::report(progress, "steps", 1, 2);
  }));
}

TEST(Spending, ACallerWhoStopsIsNotTakenForTheClock) {
  FakeClock clock;
  Spending spending(Budget::parse("100s"), clock.keeping());
  const Progress stop = [](std::string_view, int64_t, int64_t) { cancel(); };
  expect_error(ErrorKind::cancelled, "", [&] {
    spending.within(10, {"part"}, stop, [](const Progress& progress) { core::report(progress, "steps", 1, 2); });
  });
}

// ---- the cost model ----

TEST(Affordable, TheMostExpensiveIsMadeSmallerFirst) {
  double large = 80, small = 10;
  const auto dial = [](const char* name, double& seconds, double least) {
    return Dial{{name},
                [&seconds] { return seconds; },
                [&seconds, least]() -> std::optional<std::string> {
                  if (seconds <= least) return std::nullopt;
                  seconds /= 2;
                  return fmt::format("x={}", seconds);
                }};
  };
  std::vector<Dial> dials = {dial("large", large, 1), dial("small", small, 1)};
  const std::vector<Lowered> lowered = lower_to(31, dials);
  EXPECT_EQ(large, 20);
  EXPECT_EQ(small, 10);
  ASSERT_EQ(lowered.size(), 1U);
  EXPECT_EQ(lowered[0].setting, "x=20") << "only the last step is told";
  lower_to(0, dials);
  EXPECT_LE(large, 1.25);
  EXPECT_LE(small, 1.25) << "it ends where nothing can be made smaller";
}

Players grid(int64_t side, int64_t cells) {
  const ImageShape shape{.layout = PixelLayout::chw, .channels = 1, .height = side, .width = side};
  return make_players({fmt::format("grid:{}x{}", cells, cells), {1, side, side}, shape, {}, nullptr});
}

TEST(Affordable, CountsPassesOfMethods) {
  const Players players = grid(28, 7);
  const auto passes = [&](const std::string& name, const std::map<std::string, std::string>& given = {},
                          bool kinks = true) {
    const Method& method = method_named(name);
    return passes_of(method, Parameters(name, method.parameters, given), {players, 2, kinks});
  };
  EXPECT_EQ(passes("occlusion").forward, 2 * 50);
  EXPECT_EQ(passes("shapley", {{"samples", "16"}}).forward, 2 * 16 * 49);
  EXPECT_EQ(passes("occlusion_patch").forward, 2 * (1 + 14 * 14));
  EXPECT_EQ(passes("occlusion_patch", {{"size", "7"}}).forward, 2 * (1 + 16));
  EXPECT_EQ(passes("integrated_gradients", {{"steps", "10"}}).gradient, 20);
  EXPECT_EQ(passes("integrated_gradients").gradient, 2 * 514);
  EXPECT_LT(passes("integrated_gradients", {}, false).gradient, 100) << "a smooth network needs few";
  EXPECT_GT(passes("gradient_x_input").gradient, 0);
}

TEST(Affordable, WhatTheCallerSetStays) {
  const Players players = grid(28, 7);
  std::vector<ChosenMethod> methods =
      choose_methods({"shapley", "integrated_gradients"}, {"shapley.samples=64", "integrated_gradients.most=256"});
  const Asking asking{players, 1, true};
  std::vector<Dial> dials = dials_of(methods, asking, {1, 1}, 1);
  EXPECT_TRUE(lower_to(0, dials).empty());
  EXPECT_EQ(methods[0].parameters.integer("samples"), 64);
  EXPECT_EQ(methods[1].parameters.integer("most"), 256);
}

TEST(Affordable, MethodsThatIntegrateShareTheirPathsWhenTheyAreCut) {
  const Players players = grid(28, 7);
  std::vector<ChosenMethod> methods = choose_methods({"integrated_gradients", "expected_gradients"}, {});
  const Asking asking{players, 1, true};
  std::vector<Dial> dials = dials_of(methods, asking, {1, 1}, 1);
  EXPECT_EQ(dials[0].seconds(), 514 + 66);
  lower_to(100, dials);
  EXPECT_EQ(methods[0].parameters.all(), [&] {
    auto all = methods[0].parameters.all();
    all["most"] = "64";
    all["enough"] = "0.01";
    return all;
  }());
  EXPECT_EQ(methods[1].parameters.text("most"), "64");
  EXPECT_EQ(methods[1].parameters.text("enough"), "0.01");
  EXPECT_EQ(dials[0].seconds(), 66) << "both walk the same paths";
}

// ---- reports ----

Subject subject_of(const std::string& name) {
  ModelSource source;
  source.path = kModels + name;
  return Subject::open(source);
}

ReportRequest image_request(std::vector<MethodWish> methods = {"all"}) {
  ReportRequest request;
  request.question.rows.files = {kModels + "images/bag.png"};
  request.methods = std::move(methods);
  return request;
}

// A clock that stands still: nothing is stopped. A row takes as long as it is said to.
TimeKeeping slow_model(double forward, double gradient) {
  return {[] { return 0.0; }, [=](const ExplainedModel&) { return Pace{forward, gradient}; }};
}

bool is_cut(const Document& document, const std::string& part) {
  const auto& cuts = document.time->cuts;
  return std::any_of(cuts.begin(), cuts.end(),
                     [&](const document::CutPart& cut) { return cut.part.find(part) != std::string::npos; });
}

// Numbers, without times.
std::string without_times(const Document& document) {
  Document copy = document;
  copy.time.reset();
  copy.seconds.reset();
  for (document::Row& row : copy.rows) {
    row.estimated.reset();  // takes the time that is left, and says how many evaluations that were
    for (document::MethodResult& method : row.methods) method.seconds.reset();
  }
  std::erase_if(copy.settings, [](const JsonMember& fact) { return fact.key == "budget"; });
  return to_json(copy).dump(1);
}

TEST(ReportBudget, AQuickModelIsNotCut) {
  const Subject subject = subject_of("sigmoid_mlp.onnx");
  ReportRequest request = image_request();
  request.time = slow_model(1e-6, 3e-6);
  const Document limited = report(subject, request);
  EXPECT_TRUE(limited.time->cuts.empty());
  EXPECT_EQ(limited.time->budget, 60);
  request.budget = "none";
  const Document whole = report(subject, request);
  EXPECT_EQ(whole.time->budget, std::nullopt);
  EXPECT_EQ(without_times(limited), without_times(whole));
  EXPECT_GT(whole.time->masked_asked, whole.time->masked_computed) << "sections share masked inputs";
}

TEST(ReportBudget, WhatIsCutIsNamed) {
  ReportRequest request = image_request();
  request.time = slow_model(0.02, 0.06);
  const Document document = report(subject_of("sigmoid_mlp.onnx"), request);
  for (const char* part : {"players", "shapley", "infidelity", "deletion"}) EXPECT_TRUE(is_cut(document, part)) << part;
  const document::Row& row = document.rows[0];
  EXPECT_EQ(row.methods.size() + row.left_out.size(), 14U) << "every method is there, or has a reason";
  // Every section is there, or says why not.
  EXPECT_TRUE(row.effects.has_value());
  EXPECT_TRUE(row.principles.has_value());
  EXPECT_EQ(row.metrics.size() + row.absent.size(), 4U);
  const std::string page = report_page(document);
  EXPECT_NE(page.find("What was cut to save time"), std::string::npos);
  EXPECT_NE(page.find("Where the time went"), std::string::npos);
  for (const document::CutPart& cut : document.time->cuts) EXPECT_FALSE(cut.instead.empty()) << cut.part;
  // The same page from its file.
  EXPECT_TRUE(page == report_page(document::document_from(to_json(document), "report")));
  // Decisions that are the same give the same numbers.
  EXPECT_EQ(without_times(document), without_times(report(subject_of("sigmoid_mlp.onnx"), request)));
}

TEST(ReportBudget, NothingIsSilentlyAbsentFromAModelThatIsMuchTooSlow) {
  ReportRequest request = image_request();
  request.time = slow_model(30, 90);
  const Document document = report(subject_of("sigmoid_mlp.onnx"), request);
  const document::Row& row = document.rows[0];
  EXPECT_EQ(row.methods.size() + row.left_out.size(), 14U);
  std::vector<std::string> absent;
  for (const document::Absent& one : row.absent) absent.push_back(one.part);
  for (const char* part : {"infidelity", "infidelity_scaled", "deletion", "insertion"}) {
    const bool there =
        std::any_of(row.metrics.begin(), row.metrics.end(), [&](const auto& m) { return m.name == part; });
    EXPECT_NE(there, std::find(absent.begin(), absent.end(), part) != absent.end()) << part;
  }
  EXPECT_NE(row.effects.has_value(), std::find(absent.begin(), absent.end(), "decomposition") != absent.end());
  EXPECT_NE(row.principles.has_value(), std::find(absent.begin(), absent.end(), "principles") != absent.end());
  const std::string page = report_page(document);
  for (const document::Absent& one : row.absent) EXPECT_NE(page.find("Not computed"), std::string::npos) << one.part;
}

TEST(ReportBudget, APartThatOverrunsIsStoppedAndNamed) {
  ReportRequest request = image_request({"gradient_x_input", "shapley", "occlusion"});
  double now = 0;
  bool shapley = false;
  request.time = {[&] { return now; }, [](const ExplainedModel&) { return Pace{1e-6, 1e-6}; }};
  request.run.progress = [&](std::string_view task, int64_t, int64_t) {
    if (task.starts_with("shapley")) shapley = true, now += 20;
  };
  const Document document = report(subject_of("sigmoid_mlp.onnx"), request);
  EXPECT_TRUE(shapley);
  const document::Row& row = document.rows[0];
  ASSERT_EQ(row.left_out.size(), 1U);
  EXPECT_EQ(row.left_out[0].method, "shapley");
  EXPECT_NE(row.left_out[0].reason.find("stopped"), std::string::npos);
  EXPECT_TRUE(is_cut(document, "shapley"));
  EXPECT_EQ(row.methods.size(), 2U);
  EXPECT_EQ(row.methods[1].name, "occlusion");
}

TEST(ReportBudget, ComplainsOfNonsenseBeforeTheWork) {
  ReportRequest request = image_request();
  request.budget = "soon";
  expect_error(ErrorKind::argument, "got 'soon'", [&] { check_report(request); });
}

// ---- audits and comparisons ----

TEST(AuditBudget, FewerPlayersWhereTimeIsShort) {
  AuditRequest request;
  request.question.rows.files = {kModels + "images/bag.png"};
  request.methods = {"gradient_x_input", "occlusion", "integrated_gradients"};
  request.time = slow_model(0.05, 0.15);
  const AuditResult result = audit(subject_of("sigmoid_mlp.onnx"), request);
  EXPECT_LT(result.question->players.count(), 9);
  EXPECT_EQ(result.methods.size() + result.left_out.size(), 3U);
  EXPECT_FALSE(result.methods.empty());
  EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
    return note.find("to stay within 60 s: players") != std::string::npos;
  }));
}

TEST(AuditBudget, AQuickModelIsAuditedAsWithoutALimit) {
  AuditRequest request;
  request.question.rows.files = {kModels + "images/bag.png"};
  request.methods = {"occlusion", "integrated_gradients"};
  request.time = slow_model(1e-6, 3e-6);
  const Subject subject = subject_of("sigmoid_mlp.onnx");
  const AuditResult limited = audit(subject, request);
  request.budget = "none";
  const AuditResult whole = audit(subject, request);
  ASSERT_EQ(limited.methods.size(), whole.methods.size());
  for (size_t m = 0; m < whole.methods.size(); ++m) {
    EXPECT_EQ(limited.methods[m].allocation.values, whole.methods[m].allocation.values);
    EXPECT_EQ(limited.methods[m].audit.verdicts.held(), whole.methods[m].audit.verdicts.held());
  }
}

TEST(AuditBudget, MethodsWithoutTimeAreNamed) {
  AuditRequest request;
  request.question.rows.files = {kModels + "images/bag.png"};
  request.question.players = "grid:3x3";  // chosen, so they stay
  request.methods = {"gradient_x_input", "occlusion", "integrated_gradients"};
  request.time = slow_model(0.001, 0.012);
  const AuditResult result = audit(subject_of("sigmoid_mlp.onnx"), request);
  EXPECT_EQ(result.question->players.count(), 9);
  ASSERT_EQ(result.left_out.size(), 1U);
  EXPECT_EQ(result.left_out[0].method, "integrated_gradients");
  EXPECT_NE(result.left_out[0].reason.find("no time"), std::string::npos);
}

TEST(CompareBudget, RefusesWithTheTimeThatItWouldTake) {
  CompareRequest request{{}, "gradient_x_input", "integrated_gradients"};
  request.question.rows.files = {kModels + "images/bag.png"};
  request.question.players = "grid:3x3";
  request.time = slow_model(1, 3);
  expect_error(ErrorKind::argument, "the comparison would take about",
               [&] { compare(subject_of("sigmoid_mlp.onnx"), request); });
}

}  // namespace
}  // namespace ascribe::core::study
