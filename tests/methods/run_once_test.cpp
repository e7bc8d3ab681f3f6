// No method makes NaN on its way where its result has none: such batches are run twice, and rounded in another way.
#include <gtest/gtest.h>

#include "model/model.h"
#include "support/ask.h"

namespace ascribe::core {
namespace {

// Half of the row is the baseline, as the black of pictures is.
Tensor half_zero_row(const ExplainedModel& model) {
  Tensor x = random_tensor(with_rows(model.row(), 1), 1, 0.5);
  const auto values = x.mutable_data<double>();
  std::fill_n(values.begin(), values.size() / 2, 0.0);
  return x.cast(model.real());
}

class RunOnce : public testing::TestWithParam<std::string> {};

TEST_P(RunOnce, IsWhatEveryMethodIs) {
  ExplainedModel model(Model::load(ASCRIBE_SOURCE_DIR "/models/" + GetParam() + ".onnx", {.precision = DType::f32}));
  const Tensor x = half_zero_row(model);
  Question question{{x}, 1 % model.targets(), Tensor(DType::f64, x.shape()), element_players(x.size())};
  // Few players, so that all methods are quick.
  for (size_t i = 0; i < question.players.owner.size(); ++i) question.players.owner[i] = static_cast<int32_t>(i % 8);
  question.players.names.resize(std::min<size_t>(8, question.players.names.size()));
  for (const std::string& name : method_names()) {
    const Method& method = method_named(name);
    const int64_t before = model.model().workspace().run_again;
    try {
      attribute(method, model, std::span(&question, 1), Parameters(name, method.parameters));
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::unsupported || error.kind() == ErrorKind::argument) << error.what();
    }
    EXPECT_EQ(model.model().workspace().run_again, before) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RunOnce,
                         testing::Values("relu_vgg", "resnet", "sigmoid_cnn", "sigmoid_mlp", "mnist_polynomial",
                                         "tabular_mlp", "localiser"),
                         [](const auto& model) { return model.param; });

// The count is one of batches that really are run again.
TEST(RunAgain, AreBatchesWithNaN) {
  Model model = Model::load(ASCRIBE_SOURCE_DIR "/models/relu_vgg.onnx");
  Tensor x = random_tensor({1, 1, 28, 28}, 1).cast(DType::f32);
  model.run(std::vector{x});
  EXPECT_EQ(model.workspace().run_again, 0);
  x.mutable_data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  model.run(std::vector{x});
  EXPECT_EQ(model.workspace().run_again, 1);
}

}  // namespace
}  // namespace ascribe::core
