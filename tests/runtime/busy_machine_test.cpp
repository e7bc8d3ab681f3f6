// Networks while a thread of theirs gets no processor.
#include <cstring>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/random.h"
#include "runtime/kernels/openmp_calls.h"
#include "runtime/session.h"
#include "support/held_helper.h"

namespace ascribe::core {
namespace {

Tensor noise(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::f32, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(0.2 * random.normal(i));
  return tensor;
}

// Convolutions with and without groups, a sum and a product, each large enough for two threads.
Graph network() {
  Graph graph;
  Builder b(graph);
  const auto window = [](int64_t pad, int64_t group) {
    return Attributes{{"strides", ints({1, 1})},
                      {"pads", ints({pad, pad, pad, pad})},
                      {"dilations", ints({1, 1})},
                      {"group", ints({group})}};
  };
  const Value x = b.input("x", {Kind::real, {kBatch, 16, 28, 28}});
  const Value wide = b.op("relu", {b.op("conv", {x, b.constant(noise({64, 16, 1, 1}, 1))}, window(0, 1))});
  const Value deep = b.op("relu", {b.op("conv", {wide, b.constant(noise({64, 1, 3, 3}, 2))}, window(1, 64))});
  const Value full = b.op("conv", {deep, b.constant(noise({64, 64, 3, 3}, 3))}, window(1, 1));
  const Value sum = b.op("sigmoid", {b.op("add", {full, wide})});
  b.output("y", sum);
  return graph;
}

TEST(BusyMachine, OneDnnRunsOnOurThreads) { EXPECT_TRUE(onednn_runs_on_our_threads()); }

TEST(BusyMachine, AThreadThatDoesNotComeIsNotWaitedForAndChangesNoBit) {
  const ThreadCount two(2);
  Session session(network());
  const std::vector<Tensor> x = {noise({2, 16, 28, 28}, 7)};
  const Tensor expected = session.run(x)[0];
  const HeldHelper held;  // without whom a loop of OpenMP would never end
  const Tensor actual = session.run(x)[0];
  EXPECT_EQ(std::memcmp(actual.memory(), expected.memory(), expected.bytes()), 0);
}

}  // namespace
}  // namespace ascribe::core
