// The report as a library: from bytes, arrays and functions, without a word to anybody.
#include "study/report.h"

#include <algorithm>
#include <atomic>
#include <ctime>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "cli/product_model.h"
#include "methods/foreign.h"
#include "report/page.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

using document::Document, document::Number;

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";

// y = x0 x1 + x2
Subject product_subject() {
  ModelSource source;
  source.path = "product.onnx";
  source.bytes = product_model_bytes();
  return Subject::open(source);
}

// Rows (3, 4, 2) and (1, 5, 1).
ReportRequest product_request(int64_t rows = 1) {
  ReportRequest request;
  const std::vector<float> values = {3, 4, 2, 1, 5, 1};
  request.question.rows.arrays = {{"", Tensor::of<float>({rows, 3}, std::span(values).first(3 * rows))}};
  request.question.rows.feature_names = {"age", "height", "weight"};
  return request;
}

Subject image_subject(const std::string& name) {
  ModelSource source;
  source.path = kModels + name;
  return Subject::open(source);
}

ReportRequest image_request(std::vector<MethodWish> methods) {
  ReportRequest request;
  request.question.rows.files = {kModels + "images/bag.png"};
  request.question.labels = kModels + "labels_fashion.txt";
  request.methods = std::move(methods);
  return request;
}

const document::MethodResult& method_of(const document::Row& row, const std::string& name) {
  const auto found =
      std::find_if(row.methods.begin(), row.methods.end(), [&](const auto& m) { return m.name == name; });
  EXPECT_NE(found, row.methods.end()) << name;
  return *found;
}

std::string reason_of(const std::vector<document::LeftOut>& left_out, const std::string& method) {
  for (const document::LeftOut& left : left_out) {
    if (left.method == method) return left.reason;
  }
  return "";
}

bool has_fact(const document::Facts& facts, const std::string& name) {
  return std::any_of(facts.begin(), facts.end(), [&](const JsonMember& fact) { return fact.key == name; });
}

void expect_same_page_again(const Document& document) {
  const std::string page = report_page(document);
  EXPECT_TRUE(page == report_page(document::document_from(to_json(document), "report")));
  const Json file = parse_json(to_json(document).dump(1), "report");
  EXPECT_TRUE(page == report_page(document::document_from(file, "report")));
}

TEST(ReportLibrary, SaysNothingAndKnowsWhatItWasGiven) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Document document = report(product_subject(), product_request(2));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(document.title, "product.onnx: 2 decisions");
  EXPECT_EQ(document.model_file(), "product.onnx");
  EXPECT_EQ(document.model[1].value, Json(sha256(product_model_bytes())));
  EXPECT_FALSE(has_fact(document.settings, "command"));
  ASSERT_EQ(document.rows.size(), 2u);
  const document::Row& row = document.rows[0];
  EXPECT_EQ(row.kind, document::RowKind::table);
  EXPECT_EQ(row.source, "row 0");
  EXPECT_EQ(row.players.names, (std::vector<std::string>{"age", "height", "weight"}));
  EXPECT_EQ(row.output, 14);
  // 3 * 4 belongs to both in equal parts.
  EXPECT_EQ(method_of(row, "shapley").values, (std::vector<Number>{6, 6, 2}));
  EXPECT_EQ(method_of(document.rows[1], "shapley").values, (std::vector<Number>{2.5, 2.5, 1}));
  EXPECT_EQ(row.effects->pairs[0].players, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(row.effects->pairs[0].value, 12);
  expect_same_page_again(document);
}

TEST(ReportLibrary, EveryKindOfRowGivesTheSamePageFromItsFile) {
  expect_same_page_again(report(image_subject("sigmoid_mlp.onnx"), image_request({"gradient_x_input", "occlusion"})));
  ReportRequest long_row;
  const std::vector<float> values(784, 0.25F);
  long_row.question.rows.arrays = {{"", Tensor::of<float>({1, 784}, values)}};
  long_row.question.players = "elements";
  long_row.methods = {"gradient", "integrated_gradients"};
  long_row.metrics = {"completeness"};
  const Document sequence = report(image_subject("sigmoid_mlp.onnx"), long_row);
  expect_same_page_again(sequence);
}

TEST(ReportLibrary, TellsItsNotesWithoutNamingOptions) {
  ReportRequest request = image_request({"occlusion", "deep_shap"});
  request.settings = {"deep_shap.granularity=component"};
  std::vector<std::string> told;
  request.run.note = [&](const std::string& note) { told.push_back(note); };
  const Document document = report(image_subject("sigmoid_mlp.onnx"), request);
  EXPECT_EQ(document.notes, told);
  EXPECT_NE(std::find(told.begin(), told.end(), "players: grid:14x14; `players` chooses others"), told.end());
  for (const std::string& note : told) EXPECT_EQ(note.find("--"), std::string::npos) << note;
}

TEST(ReportLibrary, MemoryIsToldAsPeopleWriteIt) {
  const auto told = [](size_t bytes) {
    ModelSource source;
    source.path = "product.onnx";
    source.bytes = product_model_bytes();
    source.memory = bytes;
    ReportRequest request = product_request();
    request.methods = {"occlusion"};
    request.metrics = {};
    const Json json = to_json(report(Subject::open(source), request));
    return json["settings"]["memory"].text();
  };
  EXPECT_EQ(told(size_t{4} << 30), "4G");
  EXPECT_EQ(told(size_t{96} << 20), "96M");
  EXPECT_EQ(told((size_t{96} << 20) + 1), "100663297");
}

// ---- the caller's own ----

TEST(ReportLibrary, AMethodOfTheCallersStandsAmongOurs) {
  const auto all_to_the_first = own_method("mine", [](ExplainedModel&, const Question& question) {
    const Tensor& x = question.point[0];
    return std::vector<double>{x.at(0) * x.at(1), 0.0, x.at(2)};
  });
  ReportRequest request = product_request();
  request.methods = {all_to_the_first, "shapley"};
  const Document document = report(product_subject(), request);
  const document::Row& row = document.rows[0];
  EXPECT_EQ(method_of(row, "mine").values, (std::vector<Number>{12, 0, 2}));
  EXPECT_EQ(method_of(row, "mine").residual, 0);
  ASSERT_EQ(row.principles->methods.size(), 2u);
  EXPECT_EQ(row.principles->methods[0].name, "mine");
  EXPECT_EQ(row.principles->methods[0].held, 3);  // 3 * 4 is an effect of both, so all of it may go to one
  EXPECT_EQ(row.metrics[0].scores[0].method, "mine");
  expect_same_page_again(document);
}

TEST(ReportLibrary, NumbersThatWereGivenAreLeftOutOfThePrinciples) {
  ReportRequest request = product_request();
  request.methods = {given_attribution("numbers", {{10, 2, 2}}), "occlusion"};
  const Document document = report(product_subject(), request);
  const document::Row& row = document.rows[0];
  EXPECT_EQ(method_of(row, "numbers").values, (std::vector<Number>{10, 2, 2}));
  ASSERT_EQ(row.principles->methods.size(), 1u);
  EXPECT_EQ(row.principles->methods[0].name, "occlusion");
  EXPECT_NE(reason_of(row.principles->left_out, "numbers").find("say nothing of other inputs"), std::string::npos);
  EXPECT_EQ(row.metrics.size(), 4u);
}

TEST(ReportLibrary, NumbersForPlayersAreLeftOutOfThePrinciplesOfParts) {
  ReportRequest request = image_request({given_attribution("numbers", {std::vector<double>(196, 0.5)}), "occlusion"});
  const Document document = report(image_subject("sigmoid_mlp.onnx"), request);
  const document::Row& row = document.rows[0];
  EXPECT_EQ(row.methods.size(), 2u);
  EXPECT_NE(reason_of(row.principles->left_out, "numbers").find("say nothing of other inputs"), std::string::npos);
}

// ---- a function ----

TEST(ReportLibrary, ExplainsAFunctionByItsValuesAlone) {
  FunctionModel function;
  function.function.name = "product";
  function.function.call = [](const Tensor& rows) {
    const int64_t count = rows.shape()[0];
    std::vector<double> values;
    for (int64_t r = 0; r < count; ++r) values.push_back(rows.at(3 * r) * rows.at(3 * r + 1) + rows.at(3 * r + 2));
    return Tensor::of<double>({count, 1}, values);
  };
  function.row = {3};
  const Document document = report(Subject::of(Model::function(std::move(function)), "product"), product_request());
  EXPECT_FALSE(has_fact(document.model, "sha256"));
  EXPECT_EQ(document.model_file(), "product");
  const document::Row& row = document.rows[0];
  EXPECT_EQ(method_of(row, "shapley").values, (std::vector<Number>{6, 6, 2}));
  EXPECT_NE(reason_of(row.left_out, "gradient_x_input"), "");
  EXPECT_EQ(row.principles->precision, "float64");
  EXPECT_EQ(row.effects->pairs[0].value, 12);
  expect_same_page_again(document);
}

// ---- stopping ----

TEST(ReportLibrary, StopsWithinASecond) {
  const Subject subject = image_subject("relu_vgg.onnx");
  for (const double after : {0.0, 0.3, 1.0, 2.0}) {
    ReportRequest request = image_request({"all"});
    // Of the processors, so that a busy machine does not count.
    const auto seconds = [start = std::clock()] {
      return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / thread_count();
    };
    request.run.progress = [&](std::string_view, int64_t, int64_t) {
      if (seconds() >= after) cancel();
    };
    expect_error(ErrorKind::cancelled, "", [&] { report(subject, request); });
    EXPECT_LT(seconds(), after + 1.0) << after;
  }
}

// ---- refusals ----

TEST(ReportLibrary, ManyRowsHaveToBeAskedFor) {
  ReportRequest request = product_request();
  request.methods = {"gradient_x_input"};
  request.metrics = {};
  request.question.rows.arrays = {{"", Tensor(DType::f32, {21, 3})}};
  expect_error(ErrorKind::argument, "the data have 21 rows", [&] { report(product_subject(), request); });
  request.question.rows.rows = {"0:2"};
  EXPECT_EQ(report(product_subject(), request).rows.size(), 2U);
  request.question.rows.rows = {};
  request.most_rows = 21;
  EXPECT_EQ(report(product_subject(), request).rows.size(), 21U);
}

TEST(ReportLibrary, ComplainsBeforeTheWork) {
  ReportRequest request = product_request();
  request.metrics = {"charm"};
  expect_error(ErrorKind::unsupported, "no such metric", [&] { check_report(request); });
  request = product_request();
  request.methods = {"charm"};
  expect_error(ErrorKind::unsupported, "no such method", [&] { check_report(request); });
  request.methods = {};
  expect_error(ErrorKind::argument, "no method", [&] { report(product_subject(), request); });
}

}  // namespace
}  // namespace ascribe::core::study
