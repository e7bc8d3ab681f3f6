// A row that is masked and changed: what the model says of it is what it says of that row as data.
#include "study/open_row.h"

#include <gtest/gtest.h>

#include "cli/product_model.h"
#include "study/predict.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";

Subject subject_of(const std::string& name) {
  ModelSource source;
  source.path = kModels + name;
  return Subject::open(source);
}

QuestionRequest boot() {
  QuestionRequest request;
  request.rows.files = {kModels + "images/ankle_boot.png"};
  request.labels = kModels + "labels_fashion.txt";
  return request;
}

OpenRow opened(const Subject& subject, QuestionRequest request) {
  return OpenRow(subject, std::move(request), {}, std::nullopt, {});
}

// The numbers of these rows as data, without anything of what is tested.
std::vector<double> logits_of(const Subject& subject, const Tensor& row) {
  PredictRequest request;
  request.rows.arrays = {{"", row}};
  request.rows.preprocess = "raw";
  const PredictResult result = predict(subject, request);
  std::vector<double> values;
  for (int64_t i = 0; i < result.predictions[0].size; ++i) values.push_back(result.predictions[0].at(0, i));
  return values;
}

TEST(OpenRow, AMaskedPictureIsThatPictureAsData) {
  const Subject subject = subject_of("relu_vgg.onnx");
  OpenRow open = opened(subject, boot());
  ASSERT_EQ(open.places(), 28 * 28);
  RowChange change;
  change.masked.assign(28 * 28, false);
  Tensor row = open.question().x().cast(DType::f32);
  const auto pixels = row.mutable_data<float>();
  for (size_t y = 4; y < 20; ++y) {
    for (size_t x = 10; x < 25; ++x) change.masked[y * 28 + x] = true, pixels[y * 28 + x] = 0;
  }
  const std::vector<double> expected = logits_of(subject, row);
  const ChangedRow changed = open.changed(change, {});
  const auto target = static_cast<size_t>(open.question().target);
  EXPECT_NEAR(changed.output, expected[target], 1e-4 * std::abs(expected[target]));
  EXPECT_GT(std::abs(changed.output - open.values().output), 1);  // it matters
  const auto top = std::max_element(expected.begin(), expected.end()) - expected.begin();
  EXPECT_EQ(changed.top[0].index, top);
  EXPECT_TRUE(changed.top[0].label.has_value());
}

TEST(OpenRow, EverythingMaskedIsTheBaselineAndNothingIsTheRow) {
  const Subject subject = subject_of("relu_vgg.onnx");
  QuestionRequest request = boot();
  request.baseline = "mean";
  OpenRow open = opened(subject, request);
  const double all = open.changed({std::vector<bool>(28 * 28, true), {}}, {}).output;
  EXPECT_NEAR(all, open.values().baseline_output, 1e-4 * std::abs(all));
  EXPECT_NEAR(open.changed({}, {}).output, open.values().output, 1e-6 * std::abs(open.values().output));
}

TEST(OpenRow, PlacesOfASeriesAreChannelByChannel) {
  ModelMaker maker;
  maker.input("x", {"N", 2, 3}).output("y");  // [channels, steps], summed with other weights each
  maker.floats("w", {6, 1}, {1, 10, 100, 1000, 10000, 100000});
  maker.node("Flatten", {"x"}, {"flat"});
  maker.node("MatMul", {"flat", "w"}, {"y"});
  ModelSource source;
  source.path = "sum.onnx";
  source.bytes = maker.bytes();
  for (const bool channels_first : {true, false}) {
    QuestionRequest request;
    request.rows.arrays = {{"", Tensor::of<float>({1, 2, 3}, {1, 1, 1, 1, 1, 1})}};
    request.players = "time";
    request.rows.preprocess = channels_first ? R"({"layout": "ct"})" : R"({"layout": "tc"})";
    OpenRow open = opened(Subject::open(source), request);
    ASSERT_EQ(open.row().kind, document::RowKind::series);
    RowChange change;
    change.masked.assign(6, false);
    change.masked[1] = true;  // the first channel at the second step
    EXPECT_DOUBLE_EQ(111111 - open.changed(change, {}).output, channels_first ? 10 : 1000);
  }
}

TEST(OpenRow, MethodsAreComputedOnceAndSayWhatTheyCannot) {
  const Subject subject = subject_of("relu_vgg.onnx");
  OpenRow open = opened(subject, boot());
  int told = 0;
  study::Run run;
  run.progress = [&](std::string_view, int64_t, int64_t) { ++told; };
  const document::Row first = open.explained({"occlusion"}, run);
  const int once = told;
  EXPECT_GT(once, 0);
  const document::Row again = open.explained({"occlusion"}, run);
  EXPECT_EQ(told, once);
  EXPECT_EQ(first.methods[0].values, again.methods[0].values);
  EXPECT_EQ(open.explained({"gradient", "occlusion"}, {}).methods[0].name, "gradient");
}

TEST(OpenRow, RefusesPlacesThatThereAreNot) {
  const Subject subject = subject_of("relu_vgg.onnx");
  OpenRow open = opened(subject, boot());
  expect_error(ErrorKind::argument, "expected 784", [&] { open.changed({std::vector<bool>(5), {}}, {}); });
  expect_error(ErrorKind::argument, "expected one of 0 to 783", [&] { open.changed({{}, {{784, 1.0}}}, {}); });
  expect_error(ErrorKind::argument, "finite", [&] { open.changed({{}, {{0, NAN}}}, {}); });
}

TEST(OpenRow, TakesOneRow) {
  QuestionRequest request;
  request.rows.files = {kModels + "tabular_sample.csv"};
  expect_error(ErrorKind::argument, "expected one", [&] { opened(subject_of("tabular_mlp.onnx"), request); });
}

}  // namespace
}  // namespace ascribe::core::study
