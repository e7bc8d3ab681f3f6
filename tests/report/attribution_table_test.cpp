// Attributions of many rows as a table and as a summary.
#include "report/attribution_table.h"

#include <gtest/gtest.h>

#include "cli/product_model.h"

namespace ascribe::core {
namespace {

// y = x0 x1 + x2 for the rows (3, 4, 2) and (1, 5, 1), under names that a spreadsheet would compute.
study::ExplainResult explained() {
  const study::Subject subject = study::Subject::open({.path = "product.onnx", .bytes = product_model_bytes()});
  study::ExplainRequest request;
  request.methods = {{"shapley"}};
  request.question.rows.arrays = {{"", Tensor::of<float>({2, 3}, {3, 4, 2, 1, 5, 1})}};
  request.question.rows.feature_names = {"=a", "b,c", "plain"};
  return study::explain(subject, request);
}

TEST(AttributionTable, HasALinePerRowAndMethodAndAColumnPerPlayer) {
  EXPECT_EQ(attribution_table(explained()),
            "row,source,method,target,label,output,baseline_output,sum,'=a,\"b,c\",plain\n"
            "0,row 0,shapley,0,,14,0,14,6,6,2\n"
            "1,row 1,shapley,0,,6,0,6,2.5,2.5,1\n");
}

TEST(AttributionTable, RowsWithOtherPlayersHaveNone) {
  study::ExplainResult result = explained();
  result.rows[1].players.names[0] = "another";
  EXPECT_EQ(attribution_table(result), "");
  EXPECT_EQ(why_no_attribution_table(result), "the rows do not have the same players");
  EXPECT_EQ(attribution_summary_svg(result, 0), "");
}

TEST(AttributionTable, TheSummaryNamesTheStrongestFirst) {
  const std::string svg = attribution_summary_svg(explained(), 0);
  const size_t first = svg.find(">=a<"), last = svg.find(">plain<");
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(last, std::string::npos);
  EXPECT_LT(first, last);
  EXPECT_NE(svg.find(">4.25<"), std::string::npos);  // the mean of 6 and 2.5
}

TEST(MethodNotes, ThatDifferOnlyInNumbersAreToldOnce) {
  study::ExplainResult result = explained();
  result.methods[0].attributions[0].notes = {"the residual is 1.5e-3", "the same"};
  result.methods[0].attributions[1].notes = {"the residual is 0.25", "the same"};
  EXPECT_EQ(
      method_notes(result),
      (std::vector<std::string>{"shapley: the residual is 1.5e-3 (row 0; alike in rows 0 to 1)", "shapley: the same"}));
  result.methods[0].attributions[0].notes = {};
  result.methods[0].attributions[1].notes = {"only here"};
  EXPECT_EQ(method_notes(result), (std::vector<std::string>{"shapley: only here (rows 1)"}));
}

}  // namespace
}  // namespace ascribe::core
