// Masked rows are put together from the row before: whatever the order of the coalitions, the values are the same.
#include <gtest/gtest.h>

#include "base/random.h"
#include "game/masked_model.h"
#include "graph/builder.h"

namespace ascribe::core {
namespace {

constexpr int64_t kPlayers = 70, kElements = 160, kBaselines = 3;

Tensor random_rows(int64_t rows, uint64_t stream) {
  Tensor tensor(DType::f64, {rows, kElements});
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<double>()[i] = Random(61, stream).normal(i);
  return tensor;
}

// Element i belongs to player i mod 80; those beyond the last player to nobody.
int32_t owner_of(int64_t element) { return element % 80 < kPlayers ? static_cast<int32_t>(element % 80) : -1; }

// The sum of each row's cubes, each with a weight of its own, so that no two elements can be taken for each other.
double weight_of(int64_t element) { return 1 + 0.01 * static_cast<double>(element); }

Graph weighted_cubes() {
  Graph graph;
  Builder b(graph);
  Tensor weights(DType::f64, {kElements});
  for (int64_t i = 0; i < kElements; ++i) weights.mutable_data<double>()[i] = weight_of(i);
  const Value x = b.input("x", {Kind::real, {kBatch, kElements}});
  b.output("y", b.reduce("reduce_sum", b.mul(b.mul(x, b.mul(x, x)), b.constant(weights)), {1}, false));
  return graph;
}

TEST(MaskedModel, RowsDoNotDependOnWhatCameBefore) {
  MaskedModel question;
  question.graph = weighted_cubes();
  question.point = {random_rows(1, 1)};
  question.baselines = random_rows(kBaselines, 2);
  for (int64_t i = 0; i < kElements; ++i) question.players.owner.push_back(owner_of(i));
  for (int64_t p = 0; p < kPlayers; ++p) question.players.names.push_back(fmt::format("{}", p));
  question.options.real = DType::f64;
  const Tensor x = question.point[0], baselines = question.baselines;
  Game game = masked_model_game(std::move(question));

  Coalitions sets(kPlayers);
  for (uint64_t i = 0; i < 1500; ++i) {
    const std::vector<int64_t> order = Random(62).permutation(i, kPlayers);
    sets.add(std::span(order).first(Random(63).below(i, kPlayers + 1)));
  }
  const std::vector<double> values = game.values(sets);
  for (int64_t s = 0; s < sets.size(); ++s) {
    double sum = 0;
    for (int64_t b = 0; b < kBaselines; ++b) {
      for (int64_t i = 0; i < kElements; ++i) {
        const bool present = owner_of(i) < 0 || sets.has(s, owner_of(i));
        const double value = present ? x.at(i) : baselines.at(b * kElements + i);
        sum += weight_of(i) * value * value * value / kBaselines;
      }
    }
    ASSERT_NEAR(values[s], sum, 1e-10) << "set " << s;
  }
}

}  // namespace
}  // namespace ascribe::core
