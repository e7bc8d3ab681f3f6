// Outputs with many places, each of many numbers: of a language model only the place of the target is computed, and
// nothing but time may tell.
#include <gtest/gtest.h>

#include "methods/explained_model.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr int64_t kPlaces = 3, kNumbers = 50000;

Graph large_language() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, kPlaces, 2}});
  const Value mixed = b.op("tanh", {b.matmul(b.constant(random_tensor({kPlaces, kPlaces}, 1)), x)});
  b.output("logits", b.matmul(mixed, b.constant(random_tensor({2, kNumbers}, 2))));
  return graph;
}

TEST(LargeOutputs, ValuesAreThoseOfTheWholeOutput) {
  ExplainedModel model(large_language(), {.real = DType::f64});
  ASSERT_EQ(model.targets(), kPlaces * kNumbers);
  const std::vector<Tensor> rows = {random_tensor({2, kPlaces, 2}, 5)};
  const Tensor whole = model.outputs(rows);
  Question question{{random_tensor({1, kPlaces, 2}, 6)},
                    0,
                    random_tensor({2, kPlaces, 2}, 5),
                    make_players({"elements", {kPlaces, 2}, std::nullopt, {}, nullptr})};
  for (const int64_t target : {int64_t{0}, kNumbers - 1, kNumbers, 2 * kNumbers + 7, kPlaces * kNumbers - 1}) {
    const std::vector<double> values = model.values(rows, std::array{target});
    for (int64_t r = 0; r < 2; ++r) {
      EXPECT_NEAR(values[static_cast<size_t>(r)], whole.at(r * kPlaces * kNumbers + target), 1e-13) << target;
    }
    question.target = target;
    EXPECT_NEAR(model.baseline_output(question), (values[0] + values[1]) / 2, 1e-13) << target;
  }
}

}  // namespace
}  // namespace ascribe::core
