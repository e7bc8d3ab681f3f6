// The numbers on the pages of docs/theory/theorems, computed by the program.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

const std::string kExamples = ASCRIBE_SOURCE_DIR "/docs/theory/examples/";

// What a method gives the players of an example; exact numbers, so that only rounding may differ.
void expect_values(const std::string& model, const std::string& input, const std::string& method,
                   const std::vector<double>& expected, const std::vector<std::string>& settings = {},
                   double tolerance = 1e-10) {
  std::vector<std::string> arguments = {"explain",     kExamples + model, kExamples + input, "-m",     method,
                                        "--precision", "double",          "--json",          "--quiet"};
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  const Said said = run_ascribe(arguments);
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  const Json& methods = json.contains("methods") ? json["methods"] : json["rows"][0]["methods"];
  const auto values = methods[0]["values"].get<std::vector<double>>();
  ASSERT_EQ(values.size(), expected.size()) << method;
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << method << ' ' << i;
}

void expect_room(const std::string& method, const std::vector<double>& expected,
                 const std::vector<std::string>& settings = {}) {
  expect_values("study_room.onnx", "study_room.csv", method, expected, settings);
}

void expect_monomial(const std::string& method, const std::vector<double>& expected) {
  expect_values("monomial.onnx", "monomial.csv", method, expected);
}

void expect_neuron(const std::string& method, const std::vector<double>& expected) {
  expect_values("neuron.onnx", "neuron.csv", method, expected);
}

TEST(Theorems, TheStudyRoom) {
  expect_room("gradient_x_input", {2, 2, 5});
  expect_room("occlusion", {2, 2, 5});
  expect_room("occlusion_patch", {5, 5, 5}, {"size=3"});
  expect_room("occlusion_patch", {2, 2, 5}, {"size=2"});
  expect_room("integrated_gradients", {2.0 / 3, 2.0 / 3, 11.0 / 3});
  expect_room("expected_gradients", {2.0 / 3, 2.0 / 3, 11.0 / 3});
  expect_room("shapley", {2.0 / 3, 2.0 / 3, 11.0 / 3});
}

TEST(Theorems, TheMonomial) {
  expect_monomial("gradient_x_input", {36, 18, 36});
  expect_monomial("occlusion", {18, 18, 18});
  expect_monomial("prediction_difference", {18, 18, 18});
  expect_monomial("integrated_gradients", {7.2, 3.6, 7.2});
  expect_monomial("shapley", {6, 6, 6});
}

TEST(Theorems, TheNeuron) {
  expect_neuron("lrp_alpha_beta", {108, 54, -81});
  expect_neuron("deep_taylor", {54, 27, 0});
  expect_neuron("deeplift_rescale", {80, 40, -40});
  expect_neuron("deep_shap", {96, 56, -72});
  expect_neuron("deeplift_reveal_cancel", {112, 56, -88});
}

TEST(Theorems, TheReluAndTheBias) {
  // epsilon = 1e-6 beside z = 2.
  expect_values("relu.onnx", "relu.csv", "lrp_epsilon", {1.999999, -0.9999995});
  expect_values("relu.onnx", "relu.csv", "gradient_x_input", {2, -1});
}

TEST(Theorems, TheSurrogateOfGradCam) { expect_values("pooled.onnx", "pooled.npy", "grad_cam", {2.75, 5.5, 8.25, 11}); }

TEST(Theorems, TheEffectsOfTheStudyRoom) {
  const Said said = run_ascribe({"decompose", kExamples + "study_room.onnx", kExamples + "study_room.csv", "--json",
                                 "--precision", "double", "--quiet"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  for (const Json& effect : json["effects"]) {
    const auto support = effect["support"].get<std::vector<int>>();
    const double expected = support == std::vector{2} ? 3 : support.size() == 3 ? 2 : 0;
    EXPECT_NEAR(effect["value"].get<double>(), expected, 1e-12) << effect;
  }
}

}  // namespace
}  // namespace ascribe::core
