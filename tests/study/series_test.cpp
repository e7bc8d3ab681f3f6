// Rows that are series: which axis is time, tables of a line per step, players in time.
#include "study/series.h"

#include <gtest/gtest.h>

#include "onnx/model_maker.h"
#include "report/explanation_files.h"
#include "report/page.h"
#include "study/explain.h"
#include "study/report.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

// y = the sum over steps of w_t (2 a_t + 3 b_t), as a convolution over [2, 4] whose kernel is as long as the series.
Subject convolution() {
  ModelMaker maker;
  maker.input("x", {"n", 2, 4});
  maker.floats("w", {1, 2, 4}, {2, 4, 6, 8, 3, 6, 9, 12});
  maker.node("Conv", {"x", "w"}, {"c"});
  maker.node("Flatten", {"c"}, {"y"});
  maker.output("y");
  return Subject::open({.path = "conv.onnx", .bytes = maker.bytes()});
}

// The same numbers from [4, 2]: channels are mixed alike at every step, then steps are weighed 1, 2, 3, 4.
Subject product() {
  ModelMaker maker;
  maker.input("x", {"n", 4, 2});
  maker.floats("mix", {2, 1}, {2, 3});
  maker.node("MatMul", {"x", "mix"}, {"m"});
  maker.node("Flatten", {"m"}, {"f"});
  maker.floats("w", {4, 1}, {1, 2, 3, 4});
  maker.node("MatMul", {"f", "w"}, {"y"});
  maker.output("y");
  return Subject::open({.path = "product.onnx", .bytes = maker.bytes()});
}

// Steps (1, 5), (2, 6), (3, 7), (4, 8) of the channels a and b.
const FileBytes kTable = {"series.csv", "a,b\n1,5\n2,6\n3,7\n4,8\n"};

ExplainRequest request_of(const std::string& players, const std::string& method = "occlusion") {
  ExplainRequest request;
  request.question.rows.contents = {kTable};
  request.question.players = players;
  request.methods = {{method}};
  return request;
}

std::vector<double> values_of(const Subject& subject, const ExplainRequest& request) {
  return explain(subject, request).methods[0].attributions[0].values;
}

TEST(Series, TheModelTellsWhichAxisIsTime) {
  const auto read = [](const Subject& subject) {
    const Graph& graph = subject.model().graph();
    return series_read(graph, graph.inputs[0].value);
  };
  const auto conv = read(convolution()), mixed = read(product());
  ASSERT_TRUE(conv && mixed);
  EXPECT_EQ(conv->layout, PixelLayout::chw);
  EXPECT_EQ(mixed->layout, PixelLayout::hwc);
  for (const auto& series : {*conv, *mixed}) {
    EXPECT_EQ(series.width, 4);
    EXPECT_EQ(series.channels, 2);
    EXPECT_TRUE(series.series);
  }
}

TEST(Series, ATableOfALinePerStepIsOneRowForBothLayouts) {
  for (const Subject& subject : {convolution(), product()}) {
    // Step t gives t (2 a + 3 b): 17, 2 * 22, 3 * 27, 4 * 32.
    EXPECT_EQ(values_of(subject, request_of("time")), (std::vector<double>{17, 44, 81, 128}));
    EXPECT_EQ(values_of(subject, request_of("time:3")), (std::vector<double>{142, 128}));
    EXPECT_EQ(values_of(subject, request_of("patch:2")), (std::vector<double>{61, 209}));
    // Channel a: 2 (1 + 4 + 9 + 16), b: 3 (5 + 12 + 21 + 32).
    EXPECT_EQ(values_of(subject, request_of("channel")), (std::vector<double>{60, 210}));
    const ExplainResult whole = explain(subject, request_of("channel"));
    EXPECT_EQ(whole.rows.size(), 1U);
    EXPECT_EQ(whole.rows[0].players.names, (std::vector<std::string>{"a", "b"}));
  }
}

TEST(Series, WindowsOfOcclusionAreStepsWithAllChannels) {
  ExplainRequest request = request_of("time", "occlusion_patch");
  request.settings = {"size=2"};
  EXPECT_EQ(values_of(product(), request), (std::vector<double>{61, 61, 209, 209}));
  EXPECT_EQ(values_of(convolution(), request), (std::vector<double>{61, 61, 209, 209}));
}

TEST(Series, TheMeanOfAChannelIsItsBaseline) {
  ExplainRequest request = request_of("channel");
  request.question.baseline = "mean";
  // Means 2.5 and 6.5: 2 (30 - 10 * 2.5) and 3 (70 - 10 * 6.5).
  EXPECT_EQ(values_of(product(), request), (std::vector<double>{10, 15}));
}

TEST(Series, TablesOfOtherSizesAreRefusedWithBoth) {
  ExplainRequest request = request_of("time");
  request.question.rows.contents[0].bytes = "a,b\n1,5\n2,6\n";
  expect_error(ErrorKind::shape, "4 steps by 2 channels", [&] { explain(product(), request); });
}

TEST(Series, ThePicturesAndThePageSpeakOfStepsAndNotOfPixels) {
  const ExplainResult result = explain(product(), request_of(""));
  for (const NamedBytes& file : explanation_files(result, to_json(result))) {
    if (!file.name.ends_with(".svg")) continue;
    EXPECT_NE(file.bytes.find(">a<"), std::string::npos) << file.name;
    EXPECT_EQ(file.bytes.find("pixel"), std::string::npos) << file.name;
  }
  ReportRequest request;
  request.question.rows.contents = {kTable};
  request.methods = {{"occlusion"}, {"gradient_x_input"}};
  const document::Document document = report(product(), request);
  ASSERT_EQ(document.rows[0].kind, document::RowKind::series);
  EXPECT_EQ(document.rows[0].series->channels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(document.rows[0].series->values[5], 6);  // b at step 1
  const document::Document again = document::document_from(to_json(document), "report.json");
  EXPECT_EQ(to_json(again), to_json(document));
  EXPECT_TRUE(document.rows[0].effects.has_value());
}

TEST(Series, WithoutEvidenceTheLongerAxisIsTimeIfPlayersAreSteps) {
  ModelMaker maker;
  maker.input("x", {"n", 2, 3});
  maker.node("Flatten", {"x"}, {"f"});
  maker.floats("w", {6, 1}, {1, 1, 1, 1, 1, 1});
  maker.node("MatMul", {"f", "w"}, {"y"});
  maker.output("y");
  const Subject subject = Subject::open({.path = "flat.onnx", .bytes = maker.bytes()});
  ExplainRequest request;
  request.methods = {{"occlusion"}};
  request.question.players = "time";
  request.question.rows.arrays = {{"", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})}};
  const ExplainResult result = explain(subject, request);
  EXPECT_EQ(result.methods[0].attributions[0].values, (std::vector<double>{5, 7, 9}));
  EXPECT_NE(result.notes[0].find("the longer axis being time"), std::string::npos);
  request.question.rows.preprocess = R"({"layout": "tc"})";
  EXPECT_EQ(values_of(subject, request), (std::vector<double>{6, 15}));
}

}  // namespace
}  // namespace ascribe::core::study
