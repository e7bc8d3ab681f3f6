#include "study/records/replay.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "cli/study_room_file.h"
#include "support/errors.h"
#include "tensor/npy.h"

namespace ascribe::core::study {
namespace {

namespace fs = std::filesystem;

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";

class Replay : public testing::Test {
 protected:
  Replay() {
    fs::copy_file(kModels + "tabular_mlp.onnx", model_);
    fs::copy_file(kModels + "tabular_sample.csv", rows_);
  }

  Subject subject(DType precision = DType::f64) const {
    return Subject::open({.path = model_, .precision = precision});
  }

  QuestionRequest question(const std::string& row = "3") const {
    QuestionRequest question;
    question.rows.files = {rows_};
    question.rows.rows = {row};
    return question;
  }

  ExplainRequest explanation() const {
    ExplainRequest request{question(), {"shapley", "integrated_gradients", "lrp_epsilon", "expected_gradients"}};
    request.run = {.seed = 7, .threads = 2};
    return request;
  }
  Json explained(const ExplainRequest& request, DType precision = DType::f64) const {
    const Subject on = subject(precision);
    return record_of(on, request, explain(on, request), {"ascribe explain ...", "2026-11-17"});
  }

  // As from a file, on one thread and with other batches.
  ReplayRequest again(const Json& record) const {
    ReplayRequest request{parse_json(record.dump(1), "record.json"), folder_.path("record.json")};
    request.memory = size_t{64} << 20;
    request.run.threads = 1;
    return request;
  }
  void expect_same(const Json& record, const std::string& verb) const {
    const ReplayResult result = replay(again(record));
    EXPECT_EQ(result.verb, verb);
    ASSERT_TRUE(result.computed) << to_json(result).dump();
    EXPECT_EQ(result.comparing.agreement, Agreement::same) << to_json(result).dump();
    EXPECT_GT(result.comparing.numbers, 0);
    EXPECT_EQ(result.threads_now, 1);
    EXPECT_TRUE(result.same_version && result.same_machine);
  }

  TemporaryFolder folder_;
  std::string model_ = folder_.path("model.onnx"), rows_ = folder_.path("rows.csv");
};

// ---- every verb, made on two threads ----

TEST_F(Replay, OfExplainGivesTheSameBits) {
  ExplainRequest request = explanation();
  request.question.rows.rows = {"0:5"};
  expect_same(explained(request), "explain");
}

TEST_F(Replay, OfPredictGivesTheSameBits) {
  const Subject on = subject();
  PredictRequest request;
  request.rows = question("0:9").rows;
  request.run.threads = 2;
  expect_same(record_of(on, request, predict(on, request), {}), "predict");
}

TEST_F(Replay, OfDecomposeGivesTheSameBits) {
  const Subject on = subject();
  DecomposeRequest request{question()};
  request.index = "sii";
  request.run.threads = 2;
  expect_same(record_of(on, request, decompose(on, request), {}), "decompose");
}

TEST_F(Replay, OfCompareGivesTheSameBits) {
  const Subject on = subject();
  CompareRequest request{question(), "shapley", "occlusion"};
  request.run.threads = 2;
  request.time.diary = std::make_shared<TimeDiary>();
  expect_same(record_of(on, request, compare(on, request), {}), "compare");
}

TEST_F(Replay, OfAuditGivesTheSameBits) {
  const Subject on = subject();
  AuditRequest request;
  request.question = question();
  request.methods = {"shapley", "lrp_epsilon"};
  request.run.threads = 2;
  request.time.diary = std::make_shared<TimeDiary>();
  expect_same(record_of(&on, request, audit(on, request), {}), "audit");
}

// What it finds are rounding errors, whose own last bits depend on the number of threads.
TEST_F(Replay, OfVerifyAgrees) {
  VerifyRequest request;
  request.verification.methods = {"shapley"};
  request.verification.orders = {2};
  request.inputs = 1;
  request.run = {.seed = 3, .threads = 2};
  const ReplayResult result = replay(again(record_of(nullptr, request, verify(request), {})));
  ASSERT_TRUE(result.computed) << to_json(result).dump();
  EXPECT_NE(result.comparing.agreement, Agreement::different) << to_json(result).dump();
  EXPECT_GT(result.comparing.numbers, 0);
}

TEST_F(Replay, OfEvaluateGivesTheSameBits) {
  const Subject on = subject();
  EvaluateRequest request;
  request.data = rows_;
  request.methods = {"shapley", "occlusion"};
  request.metrics = {"infidelity_gaussian", "completeness"};
  request.samples = 9;
  request.shuffle = true;
  request.run = {.seed = 5, .threads = 2};
  const Json record = record_of(on, request, evaluate(on, request), {});
  expect_same(record, "evaluate");
  ReplayRequest other = again(record);
  other.batch = 2;
  EXPECT_EQ(replay(other).comparing.agreement, Agreement::same);
}

TEST_F(Replay, OfCompileGivesTheSameFile) {
  const Subject on = subject();
  CompileRequest request;
  request.method = "lrp_epsilon";
  const ReplayResult result = replay(again(record_of(on, request, compile(on, request), {})));
  ASSERT_TRUE(result.computed);
  EXPECT_EQ(result.comparing.agreement, Agreement::same);
}

ReportRequest small_report(const QuestionRequest& question) {
  ReportRequest request{question};
  request.methods = {"shapley", "lrp_epsilon", "integrated_gradients"};
  request.run.threads = 2;
  request.time.diary = std::make_shared<TimeDiary>();
  return request;
}

TEST_F(Replay, OfAReportGivesTheSameNumbers) {
  const Subject on = subject();
  const ReportRequest request = small_report(question());
  document::Document document = report(on, request);
  document.record = record_of(on, request, document, {});
  expect_same(to_json(document), "report");
}

// Decisions are those of the record, whatever the clock says now: here there was hardly any time.
TEST_F(Replay, OfAReportDecidesAsItDidThen) {
  const Subject on = subject();
  ReportRequest request = small_report(question());
  request.methods = {"all"};
  double now = 0;
  request.budget = "4s";
  request.time.now = [&] { return now += 0.01; };
  request.time.pace = [](const ExplainedModel&) { return Pace{1e-3, 2e-3}; };
  document::Document document = report(on, request);
  ASSERT_FALSE(document.time->cuts.empty()) << "the test is about a report that was cut short";
  document.record = record_of(on, request, document, {});
  expect_same(to_json(document), "report");
}

TEST_F(Replay, OfAReportNoticesWhatWasChangedInIt) {
  const Subject on = subject();
  const ReportRequest request = small_report(question());
  document::Document document = report(on, request);
  document.record = record_of(on, request, document, {});
  document.rows[0].methods[0].values[2] = 123.5;
  const ReplayResult result = replay(again(to_json(document)));
  EXPECT_EQ(result.comparing.agreement, Agreement::different);
  EXPECT_FALSE(result.notes.empty());
}

// ---- float ----

TEST_F(Replay, InFloatIsTheSameOrWithinTheTolerance) {
  ExplainRequest request = explanation();
  request.question.rows.rows = {"0:20"};
  const ReplayResult result = replay(again(explained(request, DType::f32)));
  ASSERT_TRUE(result.computed);
  EXPECT_NE(result.comparing.agreement, Agreement::different) << to_json(result).dump();
  EXPECT_EQ(result.comparing.tolerance, kReplayToleranceOfFloat);
}

// ---- what has changed ----

TEST_F(Replay, NamesTheFileThatHasChanged) {
  const Json record = explained(explanation());
  std::string text = read_file(rows_);
  text[text.size() - 2] = text[text.size() - 2] == '1' ? '2' : '1';
  write_file(rows_, text, true);
  const ReplayResult result = replay(again(record));
  EXPECT_FALSE(result.computed);
  ASSERT_EQ(result.changed().size(), 1U);
  EXPECT_EQ(result.changed()[0]->recorded.role, "input");
  EXPECT_EQ(result.changed()[0]->state, ContentState::changed);
}

TEST_F(Replay, NamesTheModelThatHasChangedAndWhatThatDid) {
  const Json record = explained(explanation());
  std::string bytes = read_file(model_);
  const size_t place = bytes.size() / 2;  // amid the weights
  bytes[place] = static_cast<char>(bytes[place] ^ 1);
  write_file(model_, bytes, true);
  ReplayRequest request = again(record);
  const ReplayResult refused = replay(request);
  EXPECT_FALSE(refused.computed);
  ASSERT_EQ(refused.changed().size(), 1U);
  EXPECT_EQ(refused.changed()[0]->recorded.role, "model");
  request.anyway = true;
  const ReplayResult result = replay(request);
  ASSERT_TRUE(result.computed);
  EXPECT_NE(result.comparing.agreement, Agreement::same) << "a weight is another";
}

TEST_F(Replay, NamesAParameterThatWasChangedInTheRecord) {
  Json record = explained(explanation());
  record["request"]["settings"] = std::vector<std::string>{"integrated_gradients.steps=2"};
  const ReplayResult result = replay(again(record));
  ASSERT_TRUE(result.computed);
  EXPECT_EQ(result.comparing.agreement, Agreement::different);
  ASSERT_FALSE(result.comparing.differences.empty());
  EXPECT_NE(result.comparing.differences[0].part.find("row 0, integrated_gradients"), std::string::npos);
  ASSERT_TRUE(result.comparing.differences[0].first);
}

TEST_F(Replay, FindsFilesThatHaveMoved) {
  const Json record = explained(explanation());
  fs::create_directory(folder_.path("new"));
  fs::rename(rows_, folder_.path("new/rows.csv"));
  fs::rename(model_, folder_.path("m.onnx"));
  EXPECT_EQ(replay(again(record)).changed().size(), 2U);
  ReplayRequest request = again(record);
  request.folders = {folder_.path("new")};
  request.replaced["model"] = {folder_.path("m.onnx")};
  EXPECT_EQ(replay(request).comparing.agreement, Agreement::same);
  request.replaced["input"] = {kModels + "labels_fashion.txt"};
  EXPECT_FALSE(replay(request).computed) << "that is another file";
}

TEST_F(Replay, OfAnArrayThatWasInMemoryNeedsIt) {
  ExplainRequest request = explanation();
  const Tensor values = Tensor::of<float>({1, 8}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  request.question.rows = {};
  request.question.rows.arrays = {{"", values}};
  const Json record = explained(request);
  EXPECT_EQ(record.dump(-1).find("rows.csv"), std::string::npos);
  ReplayRequest asked = again(record);
  const ReplayResult without = replay(asked);
  EXPECT_FALSE(without.computed);
  EXPECT_NE(without.changed()[0]->why.find("in memory"), std::string::npos);
  asked.replaced["input"] = {folder_.write("x.npy", format_npy(values))};
  EXPECT_EQ(replay(asked).comparing.agreement, Agreement::same) << to_json(replay(asked)).dump();
}

// ---- records of strangers ----

TEST_F(Replay, RefusesWhatIsNotARecord) {
  const Json record = explained(explanation());
  const auto expect = [&](const std::function<void(Json&)>& change, const std::string& part) {
    Json changed = record;
    change(changed);
    expect_error(ErrorKind::io, part, [&] { replay(again(changed)); });
  };
  expect([](Json& json) { json = Json::list(); }, "expected an object");
  expect([](Json& json) { json.erase("format"); }, "there is no record in it");
  expect([](Json& json) { json["version"] = 99; }, "this program reads version 1");
  expect([](Json& json) { json["verb"] = "delete"; }, "does not know");
  expect([](Json& json) { json["verb"] = 7; }, "verb is a number; expected a text");
  expect([](Json& json) { json["threads"] = -1; }, "threads");
  expect([](Json& json) { json.erase("request"); }, "request");
  expect([](Json& json) { json["request"]["methods"] = "shapley"; }, "request.methods");
  expect([](Json& json) { json["request"]["unknown"] = 1; }, "which this version does not know");
  expect([](Json& json) { json["request"]["question"]["rows"]["files"] = 3; }, "request.question.rows.files");
  expect([](Json& json) { json["contents"] = Json::list(); }, "has no model");
  expect([](Json& json) { json["contents"].items()[0]["sha256"] = "abc"; }, "is not a SHA-256");
  expect([](Json& json) { json["model"]["chosen_precision"] = "half"; }, "neither float nor double");
  expect([](Json& json) { json["model"]["shapes"] = Json::object({{"x", std::vector<int>{-4}}}); }, "shapes.x[0]");
  expect([](Json& json) { json["results"] = Json::object({{"parts", 1}}); }, "parts");
}

// Of files that are not those recorded nothing is read but their hash.
TEST_F(Replay, DoesNotReadWhatIsNotAsRecorded) {
  Json record = explained(explanation());
  record["request"]["question"]["labels"] = "/etc/passwd";
  Json labels = to_json(Content{"labels", "/etc/passwd", false, std::string(64, '0'), 1, 1});
  record["contents"].push(labels);
  const ReplayResult result = replay(again(record));
  EXPECT_FALSE(result.computed);
  EXPECT_EQ(to_json(result).dump().find("root"), std::string::npos);
}

}  // namespace
}  // namespace ascribe::core::study
