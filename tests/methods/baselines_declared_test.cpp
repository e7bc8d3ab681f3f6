// A method that reads baselines without saying that it uses them is told so; it used to read beyond an empty list.
#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/errors.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

Method difference(bool declared) {
  Method method;
  method.name = "difference";
  method.baselines = declared;
  method.graph = [](const AttributionRequest& r) { return std::vector{r.b.sub(r.inputs[0], r.baselines[0])}; };
  return method;
}

std::vector<Attribution> asked(const Method& method) {
  ExplainOptions options;
  options.real = DType::f64;
  ExplainedModel model(small_mlp(), options);
  Question question{
      {Tensor(DType::f64, with_rows(model.row(), 1))}, 0, Tensor(DType::f64, with_rows(model.row(), 1)), {}};
  const int64_t elements = element_count(model.row());
  for (int32_t i = 0; i < elements; ++i) {
    question.players.owner.push_back(i);
    question.players.names.push_back(std::to_string(i));
  }
  return attribute(method, model, std::array{question}, Parameters(method.name, method.parameters));
}

TEST(Baselines, OfAMethodThatDeclaresThemAreThere) { EXPECT_NO_THROW(asked(difference(true))); }

TEST(Baselines, ThatAMethodReadsWithoutDeclaringThemAreRefused) {
  expect_error(ErrorKind::internal, "expected `.baselines = true` where it is registered",
               [] { asked(difference(false)); });
}

}  // namespace
}  // namespace ascribe::core
