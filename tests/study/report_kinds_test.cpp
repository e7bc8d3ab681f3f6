// What a report keeps of several inputs, of regions of an output, and of series that a file counts no rows of.
#include <gtest/gtest.h>

#include "graph/builder.h"
#include "onnx/model_maker.h"
#include "report/page.h"
#include "study/report.h"
#include "study/series.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/sample_documents.h"

namespace ascribe::core::study {
namespace {
namespace report_kinds {

using document::Document, document::RowKind;

Subject subject_of(std::string bytes) {
  ModelSource source;
  source.path = "model.onnx";
  source.bytes = std::move(bytes);
  return Subject::open(source);
}

// ---- several inputs ----

// y = sum over the picture + 10 * sum over the table: what each input got is known beforehand.
class SeveralInputs : public testing::Test {
 protected:
  static Subject subject() {
    ModelMaker m(17);
    m.input("picture", {"N", 1, 4, 4}).input("table", {"N", 3});
    m.integers("flat", {-1, 16});
    m.floats("ones", {16, 1}, std::vector<float>(16, 1));
    m.floats("tens", {3, 1}, {10, 10, 10});
    m.node("Reshape", {"picture", "flat"}, {"light"});
    m.node("MatMul", {"light", "ones"}, {"a"});
    m.node("MatMul", {"table", "tens"}, {"b"});
    m.node("Add", {"a", "b"}, {"y"});
    return subject_of(m.output("y", {"N", 1}).bytes());
  }

  Document made() {
    ReportRequest request;
    request.methods = {"gradient_x_input", "occlusion"};
    request.budget = "none";
    std::vector<double> light(16, 0.5);
    request.question.rows.arrays = {{"picture", Tensor::of<double>({1, 1, 4, 4}, light)},
                                    {"table", Tensor::of<double>({1, 3}, {1, 2, -1})}};
    return report(subject(), request);
  }
};

TEST_F(SeveralInputs, EachKeepsWhatItGot) {
  const document::Row row = made().rows[0];
  ASSERT_EQ(row.parts.size(), 2U);
  EXPECT_EQ(row.parts[0].name, "picture");
  EXPECT_EQ(row.parts[1].name, "table");
  EXPECT_EQ(row.parts[1].kind, RowKind::table);
  for (size_t m = 0; m < row.methods.size(); ++m) {
    EXPECT_NEAR(*row.parts[0].given[m].sum, 8, 1e-4) << row.methods[m].name;
    EXPECT_NEAR(*row.parts[1].given[m].sum, 20, 1e-4);
    EXPECT_NEAR(*row.parts[1].given[m].strength, 40, 1e-4);
  }
  // Every player is in one of them.
  EXPECT_EQ(row.parts[0].players.size() + row.parts[1].players.size(), row.players.count());
}

TEST_F(SeveralInputs, StandInTheFileAndOnThePage) {
  const Document document = made();
  const Json json = to_json(document);
  EXPECT_EQ(to_json(document::document_from(json, "report.json")), json);
  const std::string page = report_page(document);
  EXPECT_NE(page.find("The inputs, one by one"), std::string::npos);
  EXPECT_EQ(page, report_page(document::document_from(json, "report.json")));
}

TEST_F(SeveralInputs, AreCheckedWhenAFileIsRead) {
  Json json = to_json(made());
  Json& part = json["rows"].items()[0]["parts"].items()[1];
  const Json before = part;
  part["given"].items().pop_back();
  expect_error(ErrorKind::io, "one for each method", [&] { document::document_from(json, "report.json"); });
  part = before;
  part["kind"] = "text";
  expect_error(ErrorKind::io, "one of several inputs", [&] { document::document_from(json, "report.json"); });
  part = before;
  part["players"].push(9999);
  expect_error(ErrorKind::io, "9999", [&] { document::document_from(json, "report.json"); });
}

// ---- regions ----

// A map of two classes over 3 x 4 cells: every cell sees its own pixel.
Subject dense() {
  ModelMaker m(17);
  m.input("x", {"N", 2, 3, 4});
  m.floats("two", {1}, {2});
  m.node("Mul", {"x", "two"}, {"y"});
  return subject_of(m.output("y", {"N", 2, 3, 4}).bytes());
}

document::Row dense_row(const std::string& target) {
  ReportRequest request;
  request.methods = {"gradient_x_input"};
  request.budget = "none";
  request.question.target = target;
  std::vector<double> x(24);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) / 24;
  request.question.rows.arrays = {{"x", Tensor::of<double>({1, 2, 3, 4}, x)}};
  return report(dense(), request).rows[0];
}

TEST(Region, IsWhatTheTargetReads) {
  const auto box = dense_row("class=1,box=1:0:3:2").region;
  ASSERT_TRUE(box);
  EXPECT_EQ(box->height, 3);
  EXPECT_EQ(box->width, 4);
  EXPECT_EQ(box->cells(), 4);
  ASSERT_EQ(box->runs.size(), 2U);  // columns 1 and 2 of rows 0 and 1
  EXPECT_EQ(box->runs[0].first, 1);
  EXPECT_EQ(box->runs[0].count, 2);
  EXPECT_EQ(box->runs[1].first, 5);
  EXPECT_EQ(dense_row("class=0,sum").region->cells(), 12);
  const auto one = dense_row("1,2,3").region;
  ASSERT_TRUE(one);
  EXPECT_EQ(one->cells(), 1);
  EXPECT_EQ(one->runs[0].first, 11);
}

TEST(Region, IsCheckedWhenAFileIsRead) {
  Document document = image_document();
  document.rows[0].region = document::Region{2, 3, {{0, 1}, {4, 2}}};
  const Json json = to_json(document);
  EXPECT_EQ(to_json(document::document_from(json, "report.json")), json);
  for (const document::Run run : {document::Run{4, 3}, {0, 1}, {5, 9000000000000000000}}) {
    Json wrong = json;
    wrong["rows"].items()[0]["region"]["runs"].items()[1] = Json::object({{"first", run.first}, {"count", run.count}});
    expect_error(ErrorKind::io, "runs", [&] { document::document_from(wrong, "report.json"); });
  }
}

// ---- series without rows ----

TEST(SeriesWithoutRows, AreToldByAProductOfTheLastAxis) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {50, 4}});
  const Value w = b.constant(Tensor(DType::f64, {4, 8}));
  const Value h = b.op("tanh", {b.matmul(x, w)});
  graph.outputs = {{"y", b.reduce("reduce_mean", h, {0}, true), "float32"}};
  const auto series = series_read(graph, graph.inputs[0].value);
  ASSERT_TRUE(series);
  EXPECT_EQ(series->width, 50);
  EXPECT_EQ(series->channels, 4);
  EXPECT_EQ(series->layout, PixelLayout::hwc);
}

}  // namespace report_kinds
}  // namespace
}  // namespace ascribe::core::study
