#include "model/model.h"

#include <gtest/gtest.h>

#include "data/inputs.h"
#include "onnx/model_maker.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

const std::filesystem::path kModels = std::filesystem::path(ASCRIBE_SOURCE_DIR) / "models";

// y = x W with one column.
ModelMaker dense(const DeclaredDim& rows) {
  ModelMaker maker;
  maker.input("x", {rows, 3}).output("y");
  maker.floats("w", {3, 1}, {1, 2, 3});
  maker.node("MatMul", {"x", "w"}, {"y"});
  return maker;
}

// What a row gives depends on the mean over all rows; with one row nobody notices.
ModelMaker mixing() {
  ModelMaker maker;
  maker.input("x", {1, 3}).output("y");
  auto& mean = maker.node("ReduceMean", {"x"}, {"mean"}, "over_rows");
  auto& axes = *mean.add_attribute();
  axes.set_name("axes");
  axes.set_type(onnx::AttributeProto::INTS);
  axes.add_ints(0);
  maker.node("Sub", {"x", "mean"}, {"y"});
  return maker;
}

Tensor rows(const std::vector<float>& values, int64_t count) {
  return Tensor::of<float>({count, static_cast<int64_t>(values.size()) / count}, values);
}

TEST(Model, ABatchOfOneInTheFileRunsAnyNumberOfRows) {
  Model model = Model::from(dense(1).import());
  EXPECT_TRUE(model.batched());
  const auto out = model.run(std::array{rows({1, 0, 0, 0, 1, 0, 1, 1, 1}, 3)});
  ASSERT_EQ(out[0].shape(), (Shape{3, 1}));
  EXPECT_EQ(out[0].at(0), 1);
  EXPECT_EQ(out[0].at(1), 2);
  EXPECT_EQ(out[0].at(2), 6);
}

TEST(Model, RowsThatInfluenceEachOtherAreRefused) {
  Model model = Model::from(mixing().import());
  expect_error(ErrorKind::unsupported, "rows of a batch influence each other", [&] {
    model.run(std::array{rows({1, 2, 3, 4, 5, 6}, 2)});
  });
}

TEST(Model, RowsThatInfluenceEachOtherAreRefusedEvenIfTheyAreEqual) {
  Model model = Model::from(mixing().import());
  expect_error(ErrorKind::unsupported, "rows of a batch influence each other", [&] {
    model.run(std::array{rows({1, 2, 3, 1, 2, 3}, 2)});
  });
}

TEST(Model, OneRowOfAMixingModelRuns) {
  Model model = Model::from(mixing().import());
  const auto out = model.run(std::array{rows({1, 2, 3}, 1)});
  EXPECT_EQ(out[0].at(0), 0);
}

TEST(Model, AnInputThatDoesNotFitIsNamed) {
  Model model = Model::from(dense("N").import());
  expect_error(ErrorKind::shape, "[x] the input does not fit; got shape [2, 4]; expected [N, 3]", [&] {
    model.run(std::array{rows({1, 2, 3, 4, 5, 6, 7, 8}, 2)});
  });
}

TEST(Model, AFileInDoubleIsRunInDouble) {
  ModelMaker maker;
  maker.input("x", {1, 1}, onnx::TensorProto::DOUBLE).output("y", {}, onnx::TensorProto::DOUBLE);
  maker.raw<double>("w", {1}, onnx::TensorProto::DOUBLE, {1e-12});
  maker.node("Add", {"x", "w"}, {"y"});
  Model model = Model::from(maker.import());
  EXPECT_EQ(model.precision(), DType::f64);
  const auto out = model.run(std::array{Tensor::of<double>({1, 1}, {1.0})});
  EXPECT_EQ(out[0].at(0), 1.0 + 1e-12);
}

TEST(Model, CostCountsWeightsAndMultiplyAdds) {
  ModelMaker maker;
  maker.input("x", {"N", 2, 4, 4}).output("y");
  maker.floats("w", {3, 2, 3, 3}, std::vector<float>(54, 0.5F));
  maker.node("Conv", {"x", "w"}, {"y"});
  const Model model = Model::from(maker.import());
  EXPECT_EQ(model.cost().parameters, 54);
  EXPECT_EQ(model.cost().macs_per_row, 3 * 2 * 2 * 18);  // 3 channels, 2 x 2 positions, 2 x 3 x 3 products
}

TEST(Model, WeightsCanBeLeftToTheRuntime) {
  LoadOptions options;
  options.keep_graph = false;
  Model model = Model::from(dense("N").import(), options);
  for (const Node& node : model.graph().nodes) EXPECT_TRUE(node.constant.empty());
  EXPECT_EQ(model.run(std::array{rows({1, 1, 1}, 1)})[0].at(0), 6);
}

// The bundled models name the bundled images rightly, in both precisions.
class Bundled : public testing::TestWithParam<const char*> {};

TEST_P(Bundled, NamesTheSampleImages) {
  const std::vector<std::pair<const char*, int>> images = {{"ankle_boot", 9}, {"bag", 8},    {"dress", 3},
                                                           {"pullover", 2},   {"shirt", 6},  {"sneaker", 7},
                                                           {"t_shirt", 0},    {"trouser", 1}};
  for (const DType precision : {DType::f32, DType::f64}) {
    LoadOptions options;
    options.precision = precision;
    Model model = Model::load(kModels / (std::string(GetParam()) + ".onnx"), options);
    const InputSlot slot{"input", {1, 28, 28}, true, 0, DType::f32, "[N, 1, 28, 28]"};
    std::vector<Batch> batches;
    std::vector<std::string> notes;
    for (const auto& [name, label] : images) {
      const Source source = read_source((kModels / "images" / (std::string(name) + ".png")).string());
      batches.push_back(fit(source, 0, slot, {}, notes));
    }
    const auto logits = model.run(std::array{concatenate(batches, slot).values})[0];
    ASSERT_EQ(logits.shape(), (Shape{8, 10}));
    for (size_t i = 0; i < images.size(); ++i) {
      int best = 0;
      for (int c = 1; c < 10; ++c) {
        if (logits.at(static_cast<int64_t>(i) * 10 + c) > logits.at(static_cast<int64_t>(i) * 10 + best)) best = c;
      }
      EXPECT_EQ(best, images[i].second) << images[i].first << " in " << to_string(precision);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Bundled,
                         testing::Values("sigmoid_mlp", "sigmoid_cnn", "relu_vgg", "resnet", "polynomial"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace ascribe::core
