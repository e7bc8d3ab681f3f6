// Inputs that are explained together: columns of numbers and categories, and parts of different shapes.
#include "study/joint_inputs.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "onnx/model_maker.h"
#include "study/asked.h"
#include "study/explain.h"
#include "study/predict.h"
#include "support/errors.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe::core::study {
namespace {

void add_attribute(onnx::NodeProto& node, const std::string& name, const std::vector<std::string>& texts) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRINGS);
  for (const std::string& text : texts) attribute.add_strings(text);
}

void add_attribute(onnx::NodeProto& node, const std::string& name, const std::vector<float>& numbers) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOATS);
  for (const float number : numbers) attribute.add_floats(number);
}

// y = hours age + worth(colour): columns of an integer, a real and a text. Other colours are worth 100.
std::string column_model() {
  ModelMaker m(17);
  auto* tables = m.model.add_opset_import();
  tables->set_domain("ai.onnx.ml");
  tables->set_version(2);
  m.input("age", {"N", 1}, onnx::TensorProto::INT64).input("hours", {"N", 1});
  m.input("colour", {"N", 1}, onnx::TensorProto::STRING);
  auto& cast = *m.node("Cast", {"age"}, {"real_age"}).add_attribute();
  cast.set_name("to");
  cast.set_type(onnx::AttributeProto::INT);
  cast.set_i(onnx::TensorProto::FLOAT);
  onnx::NodeProto& encoder = m.node("LabelEncoder", {"colour"}, {"worth"});
  encoder.set_domain("ai.onnx.ml");
  add_attribute(encoder, "keys_strings", std::vector<std::string>{"blue", "red", "a \"b\", c"});
  add_attribute(encoder, "values_floats", std::vector<float>{1, 5, 7});
  auto& other = *encoder.add_attribute();
  other.set_name("default_float");
  other.set_type(onnx::AttributeProto::FLOAT);
  other.set_f(100);
  m.node("Mul", {"hours", "real_age"}, {"product"});
  m.node("Add", {"product", "worth"}, {"y"});
  return m.output("y", {"N", 1}).bytes();
}

Subject subject_of(std::string bytes) {
  ModelSource source;
  source.path = "model.onnx";
  source.bytes = std::move(bytes);
  return Subject::open(source);
}

ExplainResult explained(const Subject& subject, const std::string& table, const std::string& method,
                        const std::string& input = "", const std::string& baseline = "zero") {
  ExplainRequest request;
  request.question.rows.contents = {{"rows.csv", table}};
  request.question.input = input;
  request.question.baseline = baseline;
  request.methods = {{method}};
  return explain(subject, request);
}

constexpr const char* kRow = "colour,hours,age\nred,2,30\n";

TEST(JointInputs, ColumnsGoToTheInputsOfTheirNames) {
  const ExplainResult result = explained(subject_of(column_model()), kRow, "shapley");
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].players.names, (std::vector<std::string>{"age", "hours", "colour"}));
  EXPECT_EQ(result.rows[0].player_labels(), (std::vector<std::string>{"age = 30", "hours = 2", "colour = red"}));
  EXPECT_EQ(result.values[0].output, 65);
  EXPECT_EQ(result.values[0].baseline_output, 1);  // blue comes first
  const std::vector<double>& values = result.methods[0].attributions[0].values;
  EXPECT_NEAR(values[0], 30, 1e-9);
  EXPECT_NEAR(values[1], 30, 1e-9);
  EXPECT_NEAR(values[2], 4, 1e-9);
  const auto said = [](const std::string& note) { return note.find("colour = blue") != std::string::npos; };
  EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(), said));
}

TEST(JointInputs, QuotedAndUnknownTexts) {
  const Subject subject = subject_of(column_model());
  PredictRequest request;
  request.rows.contents = {{"rows.csv", "age,hours,colour,extra\n1,0,\"a \"\"b\"\", c\",x\n1,0,pink,y\n"}};
  const PredictResult result = predict(subject, request);
  EXPECT_EQ(result.predictions[0].at(0, 0), 7);
  EXPECT_EQ(result.predictions[0].at(1, 0), 100);
  const auto said = [](const std::string& note) { return note.find("extra") != std::string::npos; };
  EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(), said));
}

TEST(JointInputs, MissingColumnsAreNamed) {
  expect_error(ErrorKind::shape, "colour",
               [] { explained(subject_of(column_model()), "age,hours\n1,2\n", "shapley"); });
  expect_error(ErrorKind::io, "not a number",
               [] { explained(subject_of(column_model()), "age,hours,colour\nred,2,red\n", "shapley"); });
  expect_error(ErrorKind::shape, "whole numbers",
               [] { explained(subject_of(column_model()), "age,hours,colour\n1.5,2,red\n", "shapley"); });
}

TEST(JointInputs, CategoriesHaveNoGradientAndTheOthersDo) {
  const Subject subject = subject_of(column_model());
  expect_error(ErrorKind::unsupported, "categories", [&] { explained(subject, kRow, "gradient"); });
  const ExplainResult result = explained(subject, kRow, "gradient", "hours,age");
  EXPECT_EQ(result.rows[0].players.names, (std::vector<std::string>{"hours", "age"}));
  EXPECT_NEAR(result.methods[0].attributions[0].values[0], 30, 1e-9);
  EXPECT_NEAR(result.methods[0].attributions[0].values[1], 2, 1e-9);
  EXPECT_EQ(result.values[0].baseline_output, 5);  // the colour stays
}

TEST(JointInputs, BaselinesEnterAsRowsDo) {
  const Subject subject = subject_of(column_model());
  const TemporaryFolder folder;
  const std::string rows = folder.write("base.csv", "hours,colour,age\n0,red,0\n0,blue,0\n");
  const ExplainResult mean = explained(subject, kRow, "shapley", "", "data:" + rows);
  EXPECT_EQ(mean.values[0].baseline_output, 3);
  EXPECT_NEAR(mean.methods[0].attributions[0].values[2], 2, 1e-9);
  expect_error(ErrorKind::shape, "rows", [&] { explained(subject, kRow, "shapley", "", "file:" + rows); });
  expect_error(ErrorKind::argument, "between two categories",
               [&] { explained(subject, kRow, "shapley", "", "value:0.5"); });
  expect_error(ErrorKind::argument, "category 9", [&] { explained(subject, kRow, "shapley", "", "value:9"); });
}

TEST(JointInputs, NamesThatAreNoInputsAreRefused) {
  expect_error(ErrorKind::argument, "weight",
               [] { explained(subject_of(column_model()), kRow, "shapley", "age,weight"); });
  expect_error(ErrorKind::argument, "twice", [] { explained(subject_of(column_model()), kRow, "shapley", "age,age"); });
}

// y = sum of a 4 x 4 picture times the only fact
std::string picture_model() {
  ModelMaker m(17);
  m.input("photo", {"N", 1, 4, 4}).input("facts", {"N", 2});
  m.integers("axes", {1, 2, 3});
  auto& keep = *m.node("ReduceSum", {"photo", "axes"}, {"sum"}).add_attribute();
  keep.set_name("keepdims");
  keep.set_type(onnx::AttributeProto::INT);
  keep.set_i(0);
  m.integers("shape", {-1, 1});
  m.node("Reshape", {"sum", "shape"}, {"column"});
  m.floats("weights", {2, 1}, {2, 3});
  m.node("MatMul", {"facts", "weights"}, {"fact"});
  m.node("Add", {"column", "fact"}, {"y"});
  return m.output("y", {"N", 1}).bytes();
}

ExplainRequest picture_request(const std::string& players) {
  ExplainRequest request;
  request.question.players = players;
  const std::vector<float> photo(16, 1.0F), facts = {1, 2};
  request.question.rows.arrays = {{"photo", Tensor::of<float>({1, 1, 4, 4}, photo)},
                                  {"facts", Tensor::of<float>({1, 2}, facts)}};
  request.methods = {{"gradient_x_input"}};
  return request;
}

TEST(JointInputs, PartsKeepTheirNames) {
  const Subject subject = subject_of(picture_model());
  const ExplainResult result = explain(subject, picture_request("grid:2x1"));
  const RowQuestion& question = result.rows[0];
  EXPECT_EQ(question.players.names, (std::vector<std::string>{"photo r0c0", "photo r1c0", "facts[0]", "facts[1]"}));
  const std::vector<double> expected = {8, 8, 2, 6};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(result.methods[0].attributions[0].values[i], expected[i], 1e-9);
  ASSERT_EQ(question.parts.size(), 2U);
  const Players photo = players_of(question, question.parts[0]);
  EXPECT_EQ(photo.owner.size(), 16U);
  EXPECT_TRUE(photo.image.has_value());
  const auto arrays = arrays_of(result);
  const auto own = std::find_if(arrays.begin(), arrays.end(),
                                [](const auto& array) { return array.first == "gradient_x_input_photo"; });
  ASSERT_NE(own, arrays.end());
  EXPECT_EQ(own->second.shape(), (Shape{1, 1, 4, 4}));
}

TEST(JointInputs, EveryInputAPlayer) {
  const ExplainResult result = explain(subject_of(picture_model()), picture_request("inputs"));
  EXPECT_EQ(result.rows[0].players.names, (std::vector<std::string>{"photo", "facts"}));
  EXPECT_NEAR(result.methods[0].attributions[0].values[0], 16, 1e-9);
  EXPECT_NEAR(result.methods[0].attributions[0].values[1], 8, 1e-9);
}

TEST(JointInputs, OneRealInputByItsNameIsAsBefore) {
  ExplainRequest request = picture_request("");
  request.question.input = "photo";
  const ExplainResult result = explain(subject_of(picture_model()), request);
  EXPECT_EQ(result.rows[0].players.count(), 16);
  EXPECT_TRUE(result.rows[0].parts.empty());
}

TEST(JointInputs, GroupsNameElementsOfInputs) {
  const TemporaryFolder folder;
  const std::string groups =
      folder.write("groups.json", R"({"first": ["facts[1]", "0:8"], "rest": ["8:16", "facts[0]"]})");
  const ExplainResult result = explain(subject_of(picture_model()), picture_request("groups:" + groups));
  EXPECT_NEAR(result.methods[0].attributions[0].values[0], 14, 1e-9);
  EXPECT_NEAR(result.methods[0].attributions[0].values[1], 10, 1e-9);
}

}  // namespace
}  // namespace ascribe::core::study
