// Which explanation of a row is trusted: the principles first, then infidelity; every case in which that is not known.
#include "study/trusted.h"

#include <limits>

#include <gtest/gtest.h>

#include "support/sample_documents.h"

namespace ascribe::core {
namespace {

using namespace document;

using Verdicts = std::array<std::optional<bool>, 3>;
constexpr Verdicts kAll = {true, true, true}, kOpen = {true, std::nullopt, true}, kOne = {true, false, false};

struct Given {
  std::string name;
  std::vector<double> values = {4, 2, 1, 1};
  std::optional<Verdicts> verdicts = std::nullopt;
  Number infidelity = std::nullopt;
  bool exact = true;
  std::string kind = "contribution";
};

Row row_of(const std::vector<Given>& all) {
  Row row = sample_row(RowKind::table);
  row.methods.clear();
  row.principles.reset();
  row.effects.reset();
  row.metrics.clear();
  for (const Given& given : all) {
    MethodResult method;
    method.name = given.name;
    method.title = "the " + given.name;
    method.kind = given.kind;
    method.exact = given.exact;
    double sum = 0;
    for (const double value : given.values) method.values.push_back(number(value)), sum += value;
    method.sum = method.explains = number(sum);
    method.residual = 0;
    row.methods.push_back(method);
    if (given.verdicts) {
      if (!row.principles) row.principles.emplace();
      MethodPrinciples& principles = row.principles->methods.emplace_back();
      principles.name = given.name;
      Verdict* const verdicts[] = {&principles.low_error, &principles.no_unrelated, &principles.complete};
      for (size_t i = 0; i < 3; ++i) {
        verdicts[i]->holds = (*given.verdicts)[i];
        principles.held += (*given.verdicts)[i] == true;
      }
    }
    if (!given.infidelity) continue;
    if (row.metrics.empty()) row.metrics.push_back({"infidelity", "Infidelity", "lower", "", {}, {}});
    row.metrics[0].scores.push_back({given.name, given.infidelity, "", {}, {}});
  }
  return row;
}

std::string all_text(const Trusted& trusted) {
  std::string text = trusted.why;
  for (const std::string& reason : trusted.reasons) text += " " + reason;
  return text;
}

bool says(const Trusted& trusted, const std::string& part) { return all_text(trusted).find(part) != std::string::npos; }

TEST(Trusted, holds_all_principles_with_the_lowest_infidelity) {
  const Trusted trusted = trusted_of(row_of({{"a", {4, 2, 1, 1}, kOne, 0.2},
                                             {"b", {4, 2, 1, 1}, kAll, 0.5},
                                             {"c", {4, 2, 1, 1}, kAll, 0.3},
                                             {"d", {4, 2, 1, 1}, kOpen, 0.2}}));
  EXPECT_EQ(trusted.method, "c");
  EXPECT_EQ(trusted.standing, Standing::holds);
  EXPECT_EQ(trusted.sure, Sureness::well);
  EXPECT_EQ(trusted.among, (std::vector<std::string>{"c", "b"}));
  EXPECT_EQ(trusted.agree, std::vector<std::string>{"b"});
  EXPECT_EQ(trusted.infidelity, 0.3);
  EXPECT_TRUE(says(trusted, "2 of 4 checked methods pass all three checks. Of these, the c foretells best"));
}

TEST(Trusted, is_fairly_sure_where_principles_are_left_open) {
  const Trusted trusted = trusted_of(row_of({{"a", {4, 2, 1, 1}, kOne, 0.1}, {"b", {4, 2, 1, 1}, kOpen, 0.5}}));
  EXPECT_EQ(trusted.method, "b");
  EXPECT_EQ(trusted.standing, Standing::open);
  EXPECT_EQ(trusted.sure, Sureness::fairly);
  EXPECT_TRUE(says(trusted, "not all of them could be decided"));
}

TEST(Trusted, is_the_best_of_those_available_where_none_holds) {
  const Trusted trusted = trusted_of(row_of({{"a", {4, 2, 1, 1}, kOne, 0.4}, {"b", {4, 2, 1, 1}, kOne, 0.2}}));
  EXPECT_EQ(trusted.method, "b");
  EXPECT_EQ(trusted.sure, Sureness::with_care);
  EXPECT_TRUE(says(trusted, "the best of those available"));
  EXPECT_TRUE(says(trusted, "credits parts that play no role and counts things wrongly"));
}

TEST(Trusted, of_unmeasured_principles_the_tests_decide) {
  const Trusted trusted = trusted_of(row_of({{"a", {4, 2, 1, 1}, {}, 0.4}, {"b", {4, 2, 1, 1}, {}, 0.2}}));
  EXPECT_EQ(trusted.method, "b");
  EXPECT_EQ(trusted.standing, Standing::unmeasured);
  EXPECT_EQ(trusted.sure, Sureness::with_care);
  EXPECT_TRUE(says(trusted, "were not made here"));
}

// Numbers of the user's, of which nothing can be measured, do not win against what passes.
TEST(Trusted, methods_of_the_users_own_stand_behind_those_that_pass) {
  EXPECT_EQ(trusted_of(row_of({{"mine", {9, 0, 0, 0}, {}, 0.01}, {"b", {4, 2, 1, 1}, kAll, 0.5}})).method, "b");
  EXPECT_EQ(trusted_of(row_of({{"mine", {9, 0, 0, 0}, {}, 0.01}, {"b", {4, 2, 1, 1}, kOne, 0.5}})).method, "mine");
}

TEST(Trusted, without_infidelity_the_exact_one_comes_first) {
  const Trusted trusted =
      trusted_of(row_of({{"a", {4, 2, 1, 1}, kAll, {}, false}, {"b", {4, 2, 1, 1}, kAll, {}, true}}));
  EXPECT_EQ(trusted.method, "b");
  EXPECT_EQ(trusted.sure, Sureness::fairly);
  EXPECT_TRUE(says(trusted, "was not measured"));
}

TEST(Trusted, what_differs_by_less_than_draws_decide_is_a_tie) {
  const Row row = row_of({{"a", {4, 2, 1, 1}, kAll, 0.30001, false},
                          {"b", {4, 2, 1, 1}, kAll, 0.30002, true},
                          {"c", {4, 2, 1, 1}, kAll, 0.4}});
  const Trusted trusted = trusted_of(row);
  EXPECT_EQ(trusted.method, "b");  // exact before estimated
  EXPECT_EQ(trusted.tied, (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(says(trusted, "the a foretells the model as well; the b is shown for being exact"));
  // Beyond that the infidelity decides.
  const Row apart = row_of({{"a", {4, 2, 1, 1}, kAll, 0.30, false}, {"b", {4, 2, 1, 1}, kAll, 0.31, true}});
  EXPECT_EQ(trusted_of(apart).method, "a");
  EXPECT_TRUE(trusted_of(apart).tied.empty());
}

TEST(Trusted, zeros_of_infidelity_are_a_tie_whatever_their_rounding) {
  const Trusted trusted = trusted_of(
      row_of({{"a", {4, 2, 1, 1}, kAll, 3e-30}, {"b", {4, 2, 1, 1}, kAll, 1e-31}, {"c", {4, 2, 1, 1}, kOne, 5.0}}));
  EXPECT_EQ(trusted.method, "a");
  EXPECT_EQ(trusted.tied.size(), 2U);
}

TEST(Trusted, sensitivities_and_pictures_of_layers_are_shown_only_alone) {
  const Given slope{"gradient", {4, 2, 1, 1}, {}, 0.01, true, "sensitivity"},
      layer{"grad_cam", {4, 2, 1, 1}, kAll, 0.01};
  EXPECT_EQ(trusted_of(row_of({slope, layer, {"a", {1, 1, 1, 1}, kOne, 9.0}})).method, "a");
  for (const Given& one : {slope, layer}) {
    const Trusted trusted = trusted_of(row_of({one}));
    EXPECT_EQ(trusted.method, one.name);
    EXPECT_EQ(trusted.sure, Sureness::with_care);
    EXPECT_TRUE(says(trusted, "not how much each part adds"));
    EXPECT_TRUE(says(trusted, "no shares of the result"));
  }
}

TEST(Trusted, one_method_says_that_it_is_the_only_one) {
  const Trusted trusted = trusted_of(row_of({{"a", {4, 2, 1, 1}, kAll, 0.1}}));
  EXPECT_EQ(trusted.sure, Sureness::fairly);
  EXPECT_TRUE(says(trusted, "the a is the only method that was run"));
  EXPECT_TRUE(says(trusted, "No other method was run"));
}

TEST(Trusted, without_any_method_it_says_so) {
  const Trusted trusted = trusted_of(row_of({}));
  EXPECT_TRUE(trusted.method.empty());
  EXPECT_EQ(trusted.sure, Sureness::with_care);
  EXPECT_EQ(trusted.why, "No method was run.");
  EXPECT_FALSE(trusted.limits.empty());
}

TEST(Trusted, disagreement_of_methods_that_pass_is_a_doubt) {
  const Trusted half = trusted_of(
      row_of({{"a", {9, 1, 1, 1}, kAll, 0.1}, {"b", {9, 1, 1, 1}, kAll, 0.2}, {"c", {-9, 1, -1, -1}, kAll, 0.3}}));
  EXPECT_EQ(half.agree, std::vector<std::string>{"b"});
  EXPECT_EQ(half.disagree, std::vector<std::string>{"c"});
  EXPECT_EQ(half.sure, Sureness::fairly);
  const Trusted none = trusted_of(row_of({{"a", {9, 1, 1, 1}, kAll, 0.1}, {"c", {-9, -1, -1, 1}, kAll, 0.3}}));
  EXPECT_EQ(none.sure, Sureness::with_care);
  EXPECT_TRUE(says(none, "The other method that passes (the c) names other strongest parts."));
}

TEST(Trusted, estimates_say_how_far_they_are_known) {
  const auto with_errors = [](double error) {
    Row row = row_of({{"a", {4, 2, 1, 1}, kAll, 0.1, false}, {"b", {4, 2, 1, 1}, kAll, 0.2}});
    row.methods[0].standard_errors = {error, 0.1, 0.1, 0.1};
    return trusted_of(row);
  };
  EXPECT_EQ(with_errors(0.1).sure, Sureness::well);  // 5 % of 4
  EXPECT_TRUE(says(with_errors(0.1), "known to within 5 %"));
  EXPECT_EQ(with_errors(0.8).sure, Sureness::fairly);
  EXPECT_EQ(with_errors(3).sure, Sureness::with_care);
}

TEST(Trusted, values_that_miss_their_sum_or_cancel_are_a_doubt) {
  Row row = row_of({{"a", {4, 2, 1, 1}, kAll, 0.1}, {"b", {4, 2, 1, 1}, kAll, 0.2}});
  row.methods[0].explains = 10;
  row.methods[0].residual = 2;
  EXPECT_EQ(trusted_of(row).sure, Sureness::fairly);
  EXPECT_TRUE(says(trusted_of(row), "miss what they should add up to by 20 %"));
  EXPECT_TRUE(says(trusted_of(row_of({{"a", {100, -99, 1, 1}, kAll, 0.1}})), "nearly cancel"));
}

TEST(Trusted, a_method_that_foretells_clearly_better_is_a_doubt) {
  const auto against = [](double infidelity) {
    return trusted_of(
        row_of({{"a", {4, 2, 1, 1}, kAll, 0.4}, {"b", {4, 2, 1, 1}, kAll, 0.5}, {"c", {4, 2, 1, 1}, {}, infidelity}}));
  };
  EXPECT_EQ(against(0.3).sure, Sureness::well);
  EXPECT_EQ(against(0.1).method, "a");
  EXPECT_EQ(against(0.1).sure, Sureness::fairly);
  EXPECT_TRUE(says(against(0.1), "the c, which was not checked, foretells the model clearly better"));
}

// What is not finite is nothing in a document; such values, and zeros alone, never win against others.
TEST(Trusted, unknown_values_and_zeros_come_last) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Given unknown{"u", {nan, 1, 1, 1}, kAll, 0.01}, zeros{"z", {0, 0, 0, 0}, kAll, 0.01};
  EXPECT_EQ(trusted_of(row_of({unknown, zeros, {"a", {4, 2, 1, 1}, kOne, 5.0}})).method, "a");
  EXPECT_EQ(trusted_of(row_of({unknown})).sure, Sureness::with_care);
  EXPECT_TRUE(says(trusted_of(row_of({unknown})), "not known"));
  EXPECT_TRUE(says(trusted_of(row_of({zeros})), "finds nothing that mattered"));
}

TEST(Trusted, what_it_cannot_say_is_about_this_row) {
  Row row = sample_row(RowKind::image, 4);
  row.effects->orders[0].share = 0.2;
  const auto limits = [&] {
    std::string text;
    for (const std::string& limit : trusted_of(row).limits) text += limit + "\n";
    return text;
  };
  EXPECT_NE(limits().find("Whether the model is right"), std::string::npos);
  EXPECT_NE(limits().find("replaced by zeros"), std::string::npos);
  EXPECT_NE(limits().find("that is 80 % of what happens here"), std::string::npos);
  EXPECT_NE(limits().find("finer than its 4 regions"), std::string::npos);  // shapley, which holds, has no pixels
  row.effects->orders[0].share = 1;
  row.baseline = "mean";
  EXPECT_EQ(limits().find("act only together"), std::string::npos);
  EXPECT_NE(limits().find("replaced by averages"), std::string::npos);
}

TEST(Trusted, is_kept_in_the_document_and_found_again_without_it) {
  Document document = image_document();
  const Trusted found = trusted_of(document.rows[0]);
  document.rows[0].trusted = found;
  const Json json = to_json(document);
  const Document again = document_from(json, "report");
  ASSERT_TRUE(again.rows[0].trusted);
  EXPECT_TRUE(to_json(again) == json);
  EXPECT_EQ(again.rows[0].trusted->why, found.why);
  EXPECT_EQ(again.rows[0].trusted->sure, found.sure);
  EXPECT_EQ(trusted_in(image_document().rows[0]).method, found.method);
  // Of a document that names another, that one is taken.
  document.rows[0].trusted->method = "occlusion";
  EXPECT_EQ(trusted_in(document.rows[0]).method, "occlusion");
}

}  // namespace
}  // namespace ascribe::core
