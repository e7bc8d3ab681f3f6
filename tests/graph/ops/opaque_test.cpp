#include "graph/opaque.h"

#include "methods/explained_model.h"
#include "methods/method.h"
#include "model/model.h"
#include "passes/gradient.h"
#include "passes/jets.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

// Twice the first number of a row, and the number of rows that were asked about together.
FunctionModel doubling() {
  FunctionModel model;
  model.function.name = "doubling";
  model.function.call = [](const Tensor& rows) {
    std::vector<double> answers;
    for (int64_t r = 0; r < rows.shape()[0]; ++r) answers.push_back(2 * rows.at(2 * r));
    return Tensor::of<double>({rows.shape()[0], 1}, answers);
  };
  model.row = {2};
  model.outputs = {1};
  return model;
}

TEST(Opaque, AFunctionIsAModelOfAnyNumberOfRows) {
  Model model = Model::function(doubling());
  EXPECT_TRUE(model.batched());
  const auto out = model.run(std::array{Tensor::of<float>({3, 2}, {1, 0, 2, 0, 3, 0})});
  EXPECT_EQ(out[0].shape(), (Shape{3, 1}));
  EXPECT_EQ(out[0].at(2), 6);
}

TEST(Opaque, DerivativesOfAnyKindAreRefusedWithTheReason) {
  const Model model = Model::function(doubling());
  expect_error(ErrorKind::unsupported, "only the values of this function are known", [&] {
    gradient(model.graph(), {0, {}, "seed"});
  });
  expect_error(ErrorKind::unsupported, "only the values of this function are known", [&] {
    jets(model.graph(), {2, {}, false});
  });
  ExplainedModel explained(model);
  const Question question{
      {Tensor::of<float>({1, 2}, {1, 2})}, 0, Tensor(DType::f64, {1, 2}), {{0, 1}, {"a", "b"}, "", {}}};
  for (const char* name : {"gradient", "lrp_epsilon", "deeplift_rescale", "integrated_gradients"}) {
    const Method& method = method_named(name);
    expect_error(ErrorKind::unsupported, "only the values of this function are known", [&] {
      attribute(method, explained, std::span(&question, 1), Parameters(method.name, method.parameters));
    });
  }
}

TEST(Opaque, AFunctionThatGivesOtherSizesIsRefused) {
  FunctionModel wrong = doubling();
  wrong.function.call = [](const Tensor&) { return Tensor::of<double>({1}, {1}); };
  Model model = Model::function(wrong);
  expect_error(ErrorKind::shape, "[doubling] the function gave 1 numbers for 2 rows; expected 2", [&] {
    model.run(std::array{Tensor(DType::f32, {3, 2})});
  });
}

}  // namespace
}  // namespace ascribe::core
