// The report on many rows, on y = x0 x1 + x2, of which everything is known by hand.
#include "study/dataset_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/student.h"
#include "cli/product_model.h"
#include "methods/foreign.h"
#include "report/dataset_page.h"
#include "report/dataset_pictures.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

using document::DatasetDocument;

Subject product_subject() {
  ModelSource source;
  source.path = "product.onnx";
  source.bytes = product_model_bytes();
  return Subject::open(source);
}

std::vector<float> product_rows(int64_t rows) {
  const Random random(11);
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) {
    values.push_back(static_cast<float>(4 * random.uniform(3 * i) - 2));
    values.push_back(static_cast<float>(1 + 2 * random.uniform(3 * i + 1)));
    values.push_back(static_cast<float>(random.uniform(3 * i + 2) - 0.5));
  }
  return values;
}

DatasetRequest product_request(const std::vector<float>& values) {
  DatasetRequest request;
  const auto rows = std::ssize(values) / 3;
  request.report.question.rows.arrays = {{"", Tensor::of<float>({rows, 3}, values)}};
  request.report.question.rows.feature_names = {"age", "height", "weight"};
  request.report.budget = "none";
  request.pages = 0;
  return request;
}

size_t method_at(const DatasetDocument& document, const std::string& name) {
  for (size_t m = 0; m < document.methods.size(); ++m) {
    if (document.methods[m].name == name) return m;
  }
  ADD_FAILURE() << name;
  return 0;
}

void expect_same_page_again(const DatasetDocument& document) {
  const Json file = parse_json(to_json(document).dump(1), "report");
  EXPECT_TRUE(document::is_dataset(file));
  EXPECT_TRUE(dataset_page(document) == dataset_page(document::dataset_from(file, "report")));
}

TEST(DatasetReport, MeansAndIntervalsAreThoseOfTheFormula) {
  const std::vector<float> x = product_rows(40);
  const DatasetDocument document = report_dataset(product_subject(), product_request(x)).document;
  EXPECT_EQ(document.rows_explained, 40);
  const document::DatasetMethod& shapley = document.methods[method_at(document, "shapley")];
  EXPECT_EQ(document.trusted_method().holds.size(), 4u);  // nothing that promises less
  std::vector<double> halves;                             // x0 x1 belongs to both in equal parts
  for (size_t r = 0; r < 40; ++r) halves.push_back(std::abs(double(x[3 * r]) * x[3 * r + 1] / 2));
  double mean = 0, squares = 0;
  for (const double value : halves) mean += value / 40;
  for (const double value : halves) squares += (value - mean) * (value - mean);
  const double half = student_quantile(0.95, 39) * std::sqrt(squares / 39 / 40);
  EXPECT_NEAR(*shapley.magnitudes[0].mean, mean, 1e-5);
  EXPECT_NEAR(*shapley.magnitudes[0].low, mean - half, 1e-5);
  EXPECT_NEAR(*shapley.magnitudes[1].high, mean + half, 1e-5);
  EXPECT_LT(*shapley.worst_miss, 1e-6);
  expect_same_page_again(document);
}

TEST(DatasetReport, PartnersAndOrdersAreThoseOfTheProduct) {
  const std::vector<float> x = product_rows(30);
  const DatasetDocument document = report_dataset(product_subject(), product_request(x)).document;
  ASSERT_FALSE(document.dependences.empty());
  for (const document::Dependence& one : document.dependences) {
    const size_t feature = document.drawn[one.feature];
    if (feature < 2) {
      ASSERT_TRUE(one.partner) << feature;
      EXPECT_EQ(*one.partner, 1 - feature);
      EXPECT_EQ(one.rule, "effects");
      EXPECT_NEAR(*one.strength, 2, 1e-4);  // the whole product beside half of it
    }
  }
  ASSERT_TRUE(document.spectrum);
  EXPECT_EQ(document.spectrum->rows, 30);
  double alone = 0, sum = 0;
  for (size_t r = 0; r < 30; ++r) {
    const double product = std::abs(double(x[3 * r]) * x[3 * r + 1]), single = std::abs(double(x[3 * r + 2]));
    alone += single / (single + product) / 30;
  }
  for (const document::Mean& order : document.spectrum->orders) sum += *order.mean;
  EXPECT_NEAR(*document.spectrum->orders[0].mean, alone, 1e-5);
  EXPECT_NEAR(sum, 1, 1e-6);
}

TEST(DatasetReport, ListsTheRowsInWhichMethodsDisagree) {
  const std::vector<float> x = product_rows(25);
  DatasetRequest request = product_request(x);
  // Agrees with Shapley values but for row 13, which it turns around, and row 4, of which it forgets a part.
  std::vector<std::vector<double>> values;
  for (size_t r = 0; r < 25; ++r) {
    const double half = double(x[3 * r]) * x[3 * r + 1] / 2, sign = r == 13 ? -1 : 1;
    values.push_back({sign * half, sign * half, r == 4 ? 0 : sign * x[3 * r + 2]});
  }
  request.report.methods = {"shapley", given_attribution("mine", values)};
  const DatasetDocument document = report_dataset(product_subject(), request).document;
  ASSERT_GE(document.disagreements.size(), 2u);
  EXPECT_EQ(document.disagreements[0].number, 13);
  EXPECT_NEAR(*document.disagreements[0].measure, 1, 1e-6);
  EXPECT_EQ(document.disagreements[1].number, 4);
  EXPECT_EQ(document.trusted, method_at(document, "shapley"));
  // What is missing: twice the change of row 13 beside its strength comes first.
  ASSERT_FALSE(document.misses.empty());
  EXPECT_EQ(document.misses[0].number, 13);
  for (size_t i = 1; i < document.misses.size(); ++i) {
    EXPECT_LE(*document.misses[i].measure, *document.misses[i - 1].measure);
  }
}

TEST(DatasetReport, IsTheSameForAnyBatchAndNumberOfThreads) {
  const std::vector<float> x = product_rows(37);
  DatasetRequest request = product_request(x);
  const auto numbers = [](const DatasetReport& report) {
    DatasetDocument document = report.document;
    document.head = {};
    for (document::DatasetMethod& method : document.methods) method.seconds = {};
    return to_json(document).dump();
  };
  const std::string expected = numbers(report_dataset(product_subject(), request));
  for (const int64_t batch : {1, 5, 64}) {
    for (const int threads : {1, 2}) {
      request.batch = batch;
      request.report.run.threads = threads;
      EXPECT_TRUE(numbers(report_dataset(product_subject(), request)) == expected) << batch << " " << threads;
    }
  }
}

TEST(DatasetReport, RowsThatCannotBeExplainedAreNamed) {
  std::vector<float> x = product_rows(30);
  x[0] = x[3 * 7 + 1] = std::numeric_limits<float>::quiet_NaN();  // the first row too
  const DatasetDocument document = report_dataset(product_subject(), product_request(x)).document;
  EXPECT_EQ(document.rows_explained, 28);
  ASSERT_EQ(document.failed.size(), 2u);
  EXPECT_EQ(document.failed[0].number, 0);
  EXPECT_EQ(document.failed[1].number, 7);
  EXPECT_NE(document.failed[0].reason.find("finite"), std::string::npos);
  EXPECT_NE(dataset_page(document).find("Rows without an explanation"), std::string::npos);
  std::fill(x.begin(), x.end(), std::numeric_limits<float>::quiet_NaN());
  expect_error(ErrorKind::numeric, "rows can be explained",
               [&] { report_dataset(product_subject(), product_request(x)); });
}

TEST(DatasetReport, DrawsRowsBySeedAndSaysSo) {
  DatasetRequest request = product_request(product_rows(60));
  request.rows = 22;
  const DatasetDocument document = report_dataset(product_subject(), request).document;
  EXPECT_EQ(document.rows_explained, 22);
  EXPECT_EQ(document.rows_in_data, 60);
  EXPECT_NE(document.sampling.find("22 of the 60 rows"), std::string::npos);
  const auto rows = [](const DatasetDocument& one) {
    std::vector<int64_t> list;
    for (const document::ShownRow& row : one.shown) list.push_back(row.number);
    return list;
  };
  EXPECT_EQ(rows(document), rows(report_dataset(product_subject(), request).document));
  request.report.run.seed = 5;
  EXPECT_NE(rows(document), rows(report_dataset(product_subject(), request).document));
  request.report.question.rows.rows = {"10:40"};
  for (const int64_t row : rows(report_dataset(product_subject(), request).document)) {
    EXPECT_TRUE(row >= 10 && row < 40) << row;
  }
}

TEST(DatasetReport, NothingBreaksWhereNothingHappens) {
  const std::vector<float> zeros(3 * 25, 0.0F), ones(3 * 25, 1.0F);
  for (const auto& x : {zeros, ones}) {
    const DatasetDocument document = report_dataset(product_subject(), product_request(x)).document;
    EXPECT_EQ(document.rows_explained, 25);
    ASSERT_TRUE(document.groups);
    EXPECT_FALSE(document.groups->clear);
    EXPECT_TRUE(document.disagreements.empty() || *document.disagreements[0].measure <= 1);
    expect_same_page_again(document);
  }
  const DatasetDocument document = report_dataset(product_subject(), product_request(zeros)).document;
  EXPECT_EQ(document.groups->without, 25);
  EXPECT_EQ(document.spectrum->undefined, document.spectrum->rows);
}

TEST(DatasetReport, MakesPagesOfTheRowsItNames) {
  DatasetRequest request = product_request(product_rows(25));
  request.pages = 2;
  request.report.metrics = {};
  DatasetReport report = report_dataset(product_subject(), request);
  ASSERT_EQ(report.pages.size(), 2u);
  EXPECT_EQ(report.document.pages.size(), 2u);
  EXPECT_EQ(report.pages[0].row, report.document.disagreements[0].number);
  const DatasetFiles files = dataset_files(report, "out/many.html");
  EXPECT_EQ(files.folder, "many_files");
  const auto has = [&](const std::string& name) {
    return std::any_of(files.inside.begin(), files.inside.end(),
                       [&](const NamedBytes& one) { return one.name == name; });
  };
  EXPECT_TRUE(has(fmt::format("row-{}.html", report.pages[0].row)));
  for (const DatasetPicture& picture : dataset_pictures(report.document)) {
    EXPECT_TRUE(has(picture.name + ".svg") && has(picture.name + ".csv")) << picture.name;
    EXPECT_FALSE(picture.numbers.rows.empty()) << picture.name;
  }
  const std::string link = fmt::format("./many_files/row-{}.html", report.pages[0].row);
  EXPECT_NE(files.beside[1].bytes.find(link), std::string::npos);
}

TEST(DatasetReport, CountsRowsThatAreAskedFor) {
  QuestionRequest question = product_request(product_rows(33)).report.question;
  EXPECT_EQ(count_rows(product_subject(), question, 0), 33);
  question.rows.rows = {"3:9", "20"};
  EXPECT_EQ(count_rows(product_subject(), question, 0), 7);
}

TEST(DatasetReport, StaysWithinItsSizeForManyRows) {
  DatasetRequest request = product_request(product_rows(5000));
  request.rows = 5000;
  request.report.methods = {"gradient_x_input", "occlusion"};
  const DatasetDocument document = report_dataset(product_subject(), request).document;
  EXPECT_EQ(document.rows_explained, 5000);
  EXPECT_LE(document.shown.size(), 300u);
  EXPECT_LT(dataset_page(document).size(), 2u << 20);
}

TEST(DatasetReport, ATimeThatIsShortCutsRowsAndSaysSo) {
  DatasetRequest request = product_request(product_rows(400));
  request.rows = 400;
  request.report.budget = "1s";
  // A clock that goes on at every look.
  double now = 0;
  request.report.time.now = [&] { return now += 0.005; };
  request.report.time.pace = [](const ExplainedModel&) { return Pace{1e-6, 1e-6}; };
  const DatasetDocument document = report_dataset(product_subject(), request).document;
  EXPECT_LT(document.rows_explained, 400);
  ASSERT_TRUE(document.head.time);
  EXPECT_TRUE(std::any_of(document.head.time->cuts.begin(), document.head.time->cuts.end(),
                          [](const document::CutPart& cut) { return cut.part == "rows"; }));
}

TEST(DatasetReport, CanBeStopped) {
  DatasetRequest request = product_request(product_rows(300));
  request.report.run.progress = [](std::string_view, int64_t done, int64_t) {
    if (done > 20) cancel();
  };
  expect_error(ErrorKind::cancelled, "", [&] { report_dataset(product_subject(), request); });
}

TEST(DatasetDocument, RefusesWhatDoesNotFitTogether) {
  const DatasetDocument document = report_dataset(product_subject(), product_request(product_rows(22))).document;
  const Json good = to_json(document);
  const auto broken = [&](const std::string& words, const auto& change) {
    Json json = good;
    change(json);
    expect_error(ErrorKind::io, words, [&] { document::dataset_from(json, "many.json"); });
  };
  broken("trusted", [](Json& json) { json["trusted"] = 99; });
  broken("drawn", [](Json& json) { json["drawn"].items()[0] = 12; });
  broken("folder", [](Json& json) { json["folder"] = "../elsewhere"; });
  broken("version", [](Json& json) { json["version"] = 2; });
  broken("magnitudes", [](Json& json) { json["methods"].items()[0]["magnitudes"] = Json::list(); });
  broken("values", [](Json& json) { json["shown"].items()[3]["values"] = Json::list(); });
}

TEST(DatasetPictures, CellsAreNoFormulas) {
  EXPECT_EQ(plain_cell("=1+1"), "'=1+1");
  EXPECT_EQ(plain_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(plain_cell("-age"), "'-age");
  EXPECT_EQ(plain_cell("age"), "age");
}

TEST(DatasetPage, HostileNamesStayText) {
  DatasetRequest request = product_request(product_rows(22));
  const std::string hostile = "<img src=x onerror=alert(1)>\"'</script>=1+1";
  request.report.question.rows.feature_names = {hostile, hostile, "=cmd|' /C calc'!A0"};
  request.report.title = hostile;
  const DatasetDocument document = report_dataset(product_subject(), request).document;
  const std::string page = dataset_page(document);
  EXPECT_EQ(page.find("<img src=x"), std::string::npos);
  EXPECT_NE(page.find("&lt;img src=x"), std::string::npos);
  expect_same_page_again(document);
  for (const DatasetPicture& picture : dataset_pictures(document)) {
    EXPECT_EQ(picture.svg.finish().find("<img"), std::string::npos);
    EXPECT_EQ(picture.numbers.csv().find("\n=cmd"), std::string::npos);
  }
}

}  // namespace
}  // namespace ascribe::core::study
