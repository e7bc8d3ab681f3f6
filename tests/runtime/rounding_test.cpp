// Where differences of a function are divided, the function is rounded in one way wherever it is computed.
#include <cstring>

#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/builder.h"
#include "runtime/session.h"

namespace ascribe::core {
namespace {

constexpr int64_t kWidth = 64;

// The same numbers through a function behind a matrix product (by 1) and alone, and the slope between the two.
Graph two_roads(const std::string& function, const Attributes& attributes) {
  Graph graph;
  Builder b(graph);
  Tensor one(DType::f64, {kWidth, kWidth});
  for (int64_t i = 0; i < kWidth; ++i) one.mutable_data<double>()[static_cast<size_t>(i * kWidth + i)] = 1;
  const Value x = b.input("x", {Kind::real, {kBatch, kWidth}});
  const Value behind = b.matmul(x, b.constant(one));
  const Value y = b.op(function, {behind}, attributes), alone = b.op(function, {x}, attributes);
  const Value slope = b.op("secant", {x, y, alone, x, x, x}, {{"absolute", reals({0})}, {"relative", reals({0})}});
  graph.outputs = {{"y", y}, {"alone", alone}, {"slope", slope}};
  return graph;
}

TEST(OneWayOfRounding, SecantsSeeTheSameBits) {
  Tensor x(DType::f32, {3, kWidth});
  const Random random(5);
  for (size_t i = 0; i < x.mutable_data<float>().size(); ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(4 * random.normal(i));
  }
  const std::vector<std::pair<std::string, Attributes>> functions = {
      {"sigmoid", {}}, {"tanh", {}}, {"silu", {}}, {"gelu", {{"approximate", std::string("none")}}}, {"exp", {}}};
  for (const auto& [function, attributes] : functions) {
    const auto outputs = Session(two_roads(function, attributes)).run(std::array{x});
    EXPECT_EQ(std::memcmp(outputs[0].memory(), outputs[1].memory(), outputs[0].bytes()), 0) << function;
  }
}

}  // namespace
}  // namespace ascribe::core
