// Every name in the list is one that the settings take.
#include "study/layers.h"

#include <gtest/gtest.h>

#include "methods/method.h"
#include "study/explain.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";

ExplainResult explained(const Subject& subject, const std::string& method, const std::string& setting,
                        const std::string& at = "") {
  ExplainRequest request;
  request.question.rows.files = {kModels + "images/ankle_boot.png"};
  request.question.at = at;
  request.methods = {method};
  if (!setting.empty()) request.settings = {setting};
  return explain(subject, request);
}

class Layers : public testing::TestWithParam<std::string> {};

TEST_P(Layers, AreTakenByTheSettingsTheyAreListedFor) {
  const Subject subject = Subject::open({.path = kModels + GetParam()});
  const std::vector<LayerInfo> layers = layers_of(subject.model().graph());
  ASSERT_FALSE(layers.empty());
  int usual = 0, weighted = 0;
  for (const LayerInfo& layer : layers) {
    SCOPED_TRACE(layer.name);
    const auto by_name = [&] { explained(subject, "grad_cam", "layer=" + layer.name); };
    if (layer.has_map) {
      EXPECT_NO_THROW(by_name());
    } else {
      expect_error(ErrorKind::argument, "there is no layer", by_name);
    }
    if (layer.enters) {
      EXPECT_NO_THROW(explained(subject, "gradient", "", layer.name));
    }
    if (layer.number) {
      EXPECT_EQ(*layer.number, weighted++);
      EXPECT_NO_THROW(explained(subject, "lrp_epsilon", "rules=" + layer.name + ":flat"));
      EXPECT_EQ(layer.rules.size(), 3U);
    } else {
      EXPECT_TRUE(layer.rules.empty());
    }
    usual += layer.usual_map ? 1 : 0;
  }
  EXPECT_EQ(usual, 1);
  expect_error(ErrorKind::argument, "there is no layer",
               [&] { explained(subject, "lrp_epsilon", fmt::format("rules={}:flat", weighted)); });
}

INSTANTIATE_TEST_SUITE_P(Models, Layers, testing::Values("relu_vgg.onnx", "resnet.onnx"),
                         [](const auto& one) { return one.param.substr(0, one.param.find('.')); });

// The usual map is the one that Grad-CAM takes by itself.
TEST(LayersOfResnet, NameTheUsualMap) {
  const Subject subject = Subject::open({.path = kModels + "resnet.onnx"});
  for (const LayerInfo& layer : layers_of(subject.model().graph())) {
    if (!layer.usual_map) continue;
    const auto by_default = explained(subject, "grad_cam", "").methods[0].attributions[0].values;
    EXPECT_EQ(by_default, explained(subject, "grad_cam", "layer=" + layer.name).methods[0].attributions[0].values);
  }
}

TEST(LayersOfTables, HaveNoMaps) {
  const Subject subject = Subject::open({.path = kModels + "tabular_mlp.onnx"});
  for (const LayerInfo& layer : layers_of(subject.model().graph())) EXPECT_FALSE(layer.has_map);
}

}  // namespace
}  // namespace ascribe::core::study
