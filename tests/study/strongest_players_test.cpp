// Tables with more columns than every set of which can be masked: the strongest by themselves, the others as one part.
#include "study/strongest_players.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "onnx/model_maker.h"
#include "report/page.h"
#include "study/audit.h"
#include "study/compare.h"
#include "study/report.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

using document::Document;

// y = sum of weights[i] x[i] + product x[first] x[second].
Subject weighted_sum(const std::vector<float>& weights, float product = 0, int first = 0, int second = 1) {
  const auto columns = static_cast<int>(weights.size());
  std::vector<float> left(weights.size(), 0), right(weights.size(), 0);
  left[static_cast<size_t>(first)] = product;
  right[static_cast<size_t>(second)] = 1;
  ModelMaker maker;
  maker.input("x", {"N", columns}).output("y");
  maker.floats("w", {columns, 1}, weights);
  maker.floats("l", {columns, 1}, left);
  maker.floats("r", {columns, 1}, right);
  maker.node("MatMul", {"x", "w"}, {"sum"});
  maker.node("MatMul", {"x", "l"}, {"a"});
  maker.node("MatMul", {"x", "r"}, {"b"});
  maker.node("Mul", {"a", "b"}, {"ab"});
  maker.node("Add", {"sum", "ab"}, {"y"});
  ModelSource source;
  source.path = "weighted.onnx";
  source.bytes = maker.bytes();
  return Subject::open(source);
}

// A row of ones, with names c0, c1, ...
QuestionRequest ones(size_t columns) {
  QuestionRequest question;
  const std::vector<float> values(columns, 1);
  question.rows.arrays = {{"", Tensor::of<float>({1, static_cast<int64_t>(columns)}, values)}};
  for (size_t i = 0; i < columns; ++i) question.rows.feature_names.push_back(fmt::format("c{}", i));
  return question;
}

ReportRequest report_on(size_t columns) {
  ReportRequest request;
  request.question = ones(columns);
  request.methods = {"occlusion", "gradient_x_input"};
  request.metrics = {};
  request.budget = "none";
  return request;
}

// Weights 1, 2, ..., n: the last columns are the strongest.
std::vector<float> rising(size_t columns) {
  std::vector<float> weights(columns);
  std::iota(weights.begin(), weights.end(), 1.0F);
  return weights;
}

bool notes_say(const Document& document, const std::string& part) {
  return std::any_of(document.notes.begin(), document.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(StrongestPlayers, TwelveColumnsAreAllPartsAndThirteenAreNot) {
  const Document twelve = report(weighted_sum(rising(12)), report_on(12));
  ASSERT_TRUE(twelve.rows[0].effects && twelve.rows[0].principles);
  EXPECT_EQ(twelve.rows[0].effects->players.count(), 12U);
  EXPECT_EQ(twelve.rows[0].principles->players.count(), 12U);
  EXPECT_FALSE(notes_say(twelve, "strongest"));

  const Document thirteen = report(weighted_sum(rising(13)), report_on(13));
  ASSERT_TRUE(thirteen.rows[0].effects && thirteen.rows[0].principles);
  const std::vector<std::string> expected = {
      "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12", "the other 3 columns"};
  EXPECT_EQ(thirteen.rows[0].effects->players.names, expected);
  EXPECT_EQ(thirteen.rows[0].principles->players.names, expected);
  EXPECT_EQ(thirteen.rows[0].players.count(), 13U);  // methods still have every column
  EXPECT_TRUE(notes_say(thirteen, "the 10 strongest columns are parts by themselves, the other 3 are one part"));
  EXPECT_EQ(std::count_if(thirteen.notes.begin(), thirteen.notes.end(),
                          [](const std::string& note) { return note.find("strongest") != std::string::npos; }),
            1);
}

TEST(StrongestPlayers, WhatTheOthersDoIsTheirSumAndNothingIsLost) {
  // c0 and c1 act together and are both among the others; so their product is the group's own.
  const Document document = report(weighted_sum(rising(20), 0.5F), report_on(20));
  const document::Effects& effects = *document.rows[0].effects;
  ASSERT_EQ(effects.players.count(), 11U);
  EXPECT_EQ(effects.players.names.back(), "the other 10 columns");
  for (size_t p = 0; p < 10; ++p) EXPECT_NEAR(*effects.independent[p], 11.0 + static_cast<double>(p), 1e-5);
  EXPECT_NEAR(*effects.independent[10], 55.5, 1e-4);  // 1 + 2 + ... + 10, and the product
  double sum = 0;
  for (const document::OrderEffects& order : effects.orders) sum += order.sum.value_or(0);
  EXPECT_NEAR(sum, *document.rows[0].change, 1e-4);
  EXPECT_TRUE(effects.pairs.empty() || std::abs(effects.pairs[0].value) < 1e-4);
  for (const document::MethodPrinciples& method : document.rows[0].principles->methods) {
    EXPECT_TRUE(method.name != "occlusion" || method.low_error.holds.value_or(false));
  }
}

TEST(StrongestPlayers, OfEquallyStrongColumnsTheFirstStay) {
  const Document document = report(weighted_sum(std::vector<float>(15, 2)), report_on(15));
  const std::vector<std::string> expected = {
      "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "the other 5 columns"};
  EXPECT_EQ(document.rows[0].effects->players.names, expected);
  // Nothing at all is also equal.
  const Document none = report(weighted_sum(std::vector<float>(15, 0)), report_on(15));
  EXPECT_EQ(none.rows[0].effects->players.names, expected);
}

TEST(StrongestPlayers, AColumnThatActsOnlyTogetherIsStrong) {
  // c13 does nothing to the baseline by itself; taking it from the input costs 100.
  std::vector<float> weights(14, 1);
  weights[13] = 0;
  const Document document = report(weighted_sum(weights, 100, 0, 13), report_on(14));
  const std::vector<std::string>& names = document.rows[0].effects->players.names;
  EXPECT_NE(std::find(names.begin(), names.end(), "c13"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "c0"), names.end());
  EXPECT_NEAR(document.rows[0].effects->pairs.at(0).value, 100, 1e-3);
}

TEST(StrongestPlayers, PartsChooseOtherwise) {
  ReportRequest request = report_on(13);
  request.parts = "strongest:3";
  const Document document = report(weighted_sum(rising(13)), request);
  const std::vector<std::string> expected = {"c10", "c11", "c12", "the other 10 columns"};
  EXPECT_EQ(document.rows[0].effects->players.names, expected);
  EXPECT_EQ(document.rows[0].effects->players.description, "strongest:3");
  for (const char* wrong : {"strongest:0", "strongest:12", "strongest:-1", "strongest:", "strongest:3x"}) {
    request.parts = wrong;
    expect_error(ErrorKind::argument, "strongest:K with K from 1 to 11",
                 [&] { report(weighted_sum(rising(13)), request); });
  }
}

TEST(StrongestPlayers, AuditAndCompareDoTheSame) {
  AuditRequest audited;
  audited.question = ones(13);
  audited.methods = {"occlusion"};
  audited.budget = "none";
  const AuditResult judged = audit(weighted_sum(rising(13)), audited);
  ASSERT_TRUE(judged.question);
  EXPECT_EQ(judged.question->players.count(), 11);
  EXPECT_EQ(judged.question->players.names.back(), "the other 3 columns");

  CompareRequest compared{ones(13), "occlusion", "gradient_x_input"};
  compared.budget = "none";
  EXPECT_EQ(compare(weighted_sum(rising(13)), compared).question.players.count(), 11);

  // Numbers that were given for thirteen columns stay with them.
  audited.methods = {"all"};
  audited.values = std::vector<double>(13, 1);
  EXPECT_EQ(audit(weighted_sum(rising(13)), audited).question->players.count(), 13);
}

TEST(StrongestPlayers, SeveralBaselinesAreAveraged) {
  ReportRequest request = report_on(13);
  std::vector<float> rows(26, 0);
  std::fill(rows.begin() + 13, rows.end(), 2.0F);  // one below and one above the row: on average nothing changes
  request.question.baselines = Tensor::of<float>({2, 13}, rows);
  const Document document = report(weighted_sum(rising(13)), request);
  EXPECT_EQ(document.rows[0].effects->players.names.front(), "c0");
}

}  // namespace
}  // namespace ascribe::core::study
