#include "passes/rows_apart.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

Tensor noise(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::f64, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return tensor;
}

struct Made {
  Graph graph;
  Shape row;
};

Made made(const Dims& row, const std::function<Value(Builder&, Value)>& body) {
  Made result;
  Builder b(result.graph);
  Dims dims = row;
  dims.insert(dims.begin(), kBatch);
  b.output("y", body(b, b.input("x", {Kind::real, dims})));
  result.row = at(row, 1);
  return result;
}

// What the pass says must be so: a row gives the same alone and among others.
void expect_apart(const Made& m) {
  EXPECT_TRUE(rows_stay_apart(m.graph));
  constexpr int64_t kRows = 3;
  Shape several = m.row, one = m.row;
  several.insert(several.begin(), kRows);
  one.insert(one.begin(), 1);
  const Tensor x = noise(several, 5);
  const Tensor together = interpret(m.graph, {{"x", x}}, kRows)[0];
  const int64_t size = element_count(one);
  for (int64_t r = 0; r < kRows; ++r) {
    const auto values = x.data<double>().subspan(static_cast<size_t>(r * size), static_cast<size_t>(size));
    const Tensor alone = interpret(m.graph, {{"x", Tensor::of<double>(one, values)}}, 1)[0];
    for (int64_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(together.at(r * alone.size() + i), alone.at(i), 1e-12);
  }
}

void expect_unknown(const Made& m) { EXPECT_FALSE(rows_stay_apart(m.graph)); }

Attributes window() {
  return {{"strides", ints({1, 1})}, {"pads", ints({1, 1, 1, 1})}, {"dilations", ints({1, 1})}, {"group", ints({1})}};
}

TEST(RowsApart, AConvolutionalNetwork) {
  expect_apart(made({2, 4, 4}, [](Builder& b, Value x) {
    Value h = b.op("relu", {b.op("conv", {x, b.constant(noise({3, 2, 3, 3}, 1))}, window())});
    h = b.mul(h, b.reduce("reduce_mean", h, {2, 3}, true));
    h = b.reshape(h, {kBatch, 48});
    h = b.matmul(h, b.constant(noise({5, 48}, 2)), false, true);
    return b.op("softmax", {h}, {{"axis", ints({1})}});
  }));
}

// As PyTorch exports attention: rows are the second axis, and heads lie beside them.
TEST(RowsApart, AttentionWithRowsOnTheSecondAxis) {
  expect_apart(made({3, 4}, [](Builder& b, Value x) {
    const Value h = b.transpose(x, {1, 0, 2});                                    // [3, N, 4]
    const Value heads = b.transpose(b.reshape(h, {3, Dim(0, 2), 2}), {1, 0, 2});  // [2N, 3, 2]
    const Value scores = b.op("softmax", {b.matmul(heads, heads, false, true)}, {{"axis", ints({2})}});
    const Value mixed = b.transpose(b.matmul(scores, heads), {1, 0, 2});  // [3, 2N, 2]
    return b.transpose(b.reshape(mixed, {3, kBatch, 4}), {1, 0, 2});
  }));
}

TEST(RowsApart, PartsOfRowsPutTogetherOtherwise) {
  expect_apart(made({6}, [](Builder& b, Value x) {
    const Value front = b.slice(x, 1, 0, 2), back = b.slice(x, 1, 4, 2);
    return b.op("concat", {back, front, x}, {{"axis", ints({1})}});
  }));
}

TEST(RowsApart, NotWhereRowsMeet) {
  expect_unknown(made({4}, [](Builder& b, Value x) { return b.sub(x, b.reduce("reduce_mean", x, {0}, true)); }));
  expect_unknown(made({4}, [](Builder& b, Value x) { return b.op("softmax", {x}, {{"axis", ints({0})}}); }));
  expect_unknown(made({4}, [](Builder& b, Value x) { return b.matmul(x, b.matmul(x, x, true, false)); }));
  expect_unknown(made({4}, [](Builder& b, Value x) {
    return b.op("cumsum", {x}, {{"axis", ints({0})}, {"exclusive", ints({0})}, {"reverse", ints({0})}});
  }));
}

TEST(RowsApart, NotWhereRowsChangePlaces) {
  // The last row first.
  expect_unknown(made({4}, [](Builder& b, Value x) { return b.slice(x, 0, Dim(-1, 1), kBatch, -1); }));
  // Columns of all rows behind each other, read as rows.
  expect_unknown(made({2}, [](Builder& b, Value x) { return b.reshape(b.transpose(x, {1, 0}), {kBatch, 2}); }));
}

}  // namespace
}  // namespace ascribe::core
