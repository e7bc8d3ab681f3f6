// The runtime against the slow interpreter, on networks that exercise blocked layouts,
// fusion, residual sums, concatenation and shape plumbing; and its promises on bits.
#include "runtime/session.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/random.h"
#include "support/errors.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

Tensor noise(const Shape& shape, uint64_t seed, double scale = 1.0) {
  Tensor tensor(DType::f64, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = scale * random.normal(i);
  return tensor;
}

Attributes window(int64_t kernel_rank, int64_t stride, int64_t pad, int64_t group = 1) {
  return {{"strides", ints(std::vector<int64_t>(kernel_rank, stride))},
          {"pads", ints(std::vector<int64_t>(2 * kernel_rank, pad))},
          {"dilations", ints(std::vector<int64_t>(kernel_rank, 1))},
          {"group", ints({group})}};
}

Attributes pooling(int64_t kernel, int64_t stride, int64_t pad, bool average) {
  Attributes attributes{{"kernel", ints({kernel, kernel})},
                        {"strides", ints({stride, stride})},
                        {"pads", ints({pad, pad, pad, pad})},
                        {"dilations", ints({1, 1})},
                        {"ceil_mode", ints({0})}};
  if (average) attributes.set("count_include_pad", ints({0}));
  return attributes;
}

// A convolutional network with everything that changes layouts: a plain first layer, odd channel
// counts, a depthwise layer, a residual sum, a concatenation, pooling, a transpose in between.
Graph mixed_network() {
  Graph graph;
  Builder b(graph);
  const auto weight = [&](Shape shape, uint64_t seed) { return b.constant(noise(shape, seed, 0.3)); };
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 12, 12}});
  Value h = b.op("conv", {x, weight({10, 3, 3, 3}, 1), weight({10}, 2)}, window(2, 1, 1));
  h = b.op("sigmoid", {h});
  const Value first = h;
  h = b.op("conv", {h, weight({10, 1, 3, 3}, 3)}, window(2, 1, 1, 10));
  h = b.op("add", {h, first});
  h = b.op("relu", {h});
  const Value pooled = b.op("max_pool", {h}, pooling(2, 2, 0, false));
  const Value averaged = b.op("average_pool", {h}, pooling(3, 2, 1, true));
  h = b.concat({pooled, averaged}, 1);
  h = b.op("relu", {b.add(b.mul(h, weight({20, 1, 1}, 4)), weight({1, 20, 1, 1}, 44))});
  const Value wide = b.op("conv", {h, weight({16, 20, 1, 1}, 45)}, window(2, 1, 0));
  h = b.concat({wide, b.op("conv", {h, weight({8, 20, 3, 3}, 46)}, window(2, 1, 1))}, 1);
  h = b.op("relu", {b.add(b.mul(h, weight({24, 1, 1}, 48)), weight({1, 24, 1, 1}, 49))});
  h = b.op("conv", {h, weight({20, 24, 1, 1}, 47)}, window(2, 1, 0));
  h = b.op("conv", {h, weight({16, 20, 1, 1}, 5), weight({16}, 6)}, window(2, 1, 0));
  const Value mean = b.reduce("reduce_mean", h, {2, 3}, true);
  h = b.mul(h, b.op("sigmoid", {mean}));
  h = b.transpose(h, {0, 2, 3, 1});
  h = b.reshape(h, {kBatch, 6 * 6 * 16});
  h = b.op("relu", {b.add(b.matmul(h, weight({24, 576}, 7), false, true), weight({24}, 8))});
  h = b.matmul(h, weight({24, 5}, 9));
  b.output("y", h);
  b.output("softmax", b.op("softmax", {h}, {{"axis", ints({1})}}));
  return graph;
}

// An upsampling path: transposed convolutions with groups, strides and output padding, in 2-D and 1-D.
Graph decoder_network() {
  Graph graph;
  Builder b(graph);
  const auto weight = [&](Shape shape, uint64_t seed) { return b.constant(noise(shape, seed, 0.3)); };
  const Value x = b.input("x", {Kind::real, {kBatch, 6, 5, 7}});
  Attributes up = window(2, 2, 1);
  up.set("output_padding", ints({1, 0}));
  Value h = b.op("conv_transpose", {x, weight({6, 10, 3, 3}, 1), weight({10}, 2)}, up);
  h = b.op("leaky_relu", {h}, {{"alpha", reals({0.1})}});
  Attributes grouped = window(2, 1, 0, 2);
  grouped.set("output_padding", ints({0, 0}));
  h = b.op("conv_transpose", {h, weight({10, 4, 2, 2}, 3)}, grouped);
  h = b.op("log_softmax", {h}, {{"axis", ints({1})}});
  h = b.reshape(h, {kBatch, 8, 11 * 14});
  Attributes line = window(1, 3, 0);
  line.set("output_padding", ints({0}));
  b.output("y", b.op("conv_transpose", {h, weight({8, 2, 3}, 4)}, line));
  return graph;
}

// Attention over tokens: batched products with computed operands on both sides.
Graph attention_network() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 7, 12}});
  const auto project = [&](uint64_t seed) {
    const Value p = b.matmul(x, b.constant(noise({12, 12}, seed, 0.4)));
    return b.transpose(b.reshape(p, {kBatch, 7, 3, 4}), {0, 2, 1, 3});
  };
  Value scores = b.mul(b.matmul(project(1), project(2), false, true), 0.5);
  scores = b.op("softmax", {scores}, {{"axis", ints({3})}});
  Value h = b.transpose(b.matmul(scores, project(3)), {0, 2, 1, 3});
  h = b.add(b.reshape(h, {kBatch, 7, 12}), x);
  h = b.op("normalize", {h}, {{"axes", ints({2})}, {"epsilon", reals({1e-5})}});
  h = b.op("gelu", {h}, {{"approximate", std::string("none")}});
  b.output("y", b.slice(h, 1, 0, 1));
  return graph;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  double difference = 0, scale = 1e-300;
  for (int64_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a.at(i) - b.at(i)));
    scale = std::max(scale, std::abs(b.at(i)));
  }
  return difference / scale;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.memory(), b.memory(), a.bytes()) == 0;
}

Shape input_shape(const Graph& graph, int64_t rows) { return at(graph[graph.inputs[0].value].type.shape, rows); }

struct Network {
  const char* name;
  Graph (*make)();
};

class Networks : public testing::TestWithParam<Network> {
 protected:
  void TearDown() override { set_thread_count(0); }
};

TEST_P(Networks, InDoubleEqualTheInterpreter) {
  const Graph graph = GetParam().make();
  const Tensor x = noise(input_shape(graph, 3), 11);
  const auto expected = interpret(graph, {{"x", x}}, 3);
  const auto actual = Session(graph, {.real = DType::f64}).run(std::array{x});
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_LT(largest_difference(actual[i], expected[i]), 1e-12);
}

TEST_P(Networks, InFloatAreCloseToTheInterpreter) {
  const Graph graph = GetParam().make();
  const Tensor x = noise(input_shape(graph, 3), 12);
  const auto expected = interpret(graph, {{"x", x}}, 3);
  const auto actual = Session(graph).run(std::array{x});
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].dtype(), DType::f32);
    // float32 has 6e-8; some hundred additions in a row lose a factor of ten or so.
    EXPECT_LT(largest_difference(actual[i], expected[i]), 1e-5);
  }
}

TEST_P(Networks, InDoubleHaveTheSameBitsForAnyThreadCount) {
  const Graph graph = GetParam().make();
  const Tensor x = noise(input_shape(graph, 5), 13);
  set_thread_count(1);
  const auto one = Session(graph, {.real = DType::f64}).run(std::array{x});
  set_thread_count(2);
  const auto two = Session(graph, {.real = DType::f64}).run(std::array{x});
  set_thread_count(3);
  const auto three = Session(graph, {.real = DType::f64}).run(std::array{x});
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(same_bits(one[i], two[i]));
    EXPECT_TRUE(same_bits(one[i], three[i]));
  }
}

TEST_P(Networks, AgreeForAnotherCutIntoBatches) {
  const Graph graph = GetParam().make();
  const Tensor x = noise(input_shape(graph, 7), 14);
  for (const auto& [real, tolerance] : {std::pair{DType::f64, 1e-12}, std::pair{DType::f32, 1e-5}}) {
    const auto whole = Session(graph, {.real = real, .rows_per_batch = 7}).run(std::array{x});
    const auto cut = Session(graph, {.real = real, .rows_per_batch = 3}).run(std::array{x});
    for (size_t i = 0; i < whole.size(); ++i) EXPECT_LT(largest_difference(cut[i], whole[i]), tolerance);
  }
}

TEST_P(Networks, InFloatHaveTheSameBitsWhenRunAgain) {
  const Graph graph = GetParam().make();
  const Tensor x = noise(input_shape(graph, 4), 15);
  Session session(graph);
  const auto once = session.run(std::array{x});
  const auto again = session.run(std::array{x});
  const auto anew = Session(graph).run(std::array{x});
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_TRUE(same_bits(once[i], again[i]));
    EXPECT_TRUE(same_bits(once[i], anew[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(Runtime, Networks,
                         testing::Values(Network{"mixed", mixed_network}, Network{"attention", attention_network},
                                         Network{"decoder", decoder_network}),
                         [](const auto& instance) { return instance.param.name; });

TEST(Session, FusesBiasActivationAndResidualSums) {
  Session session(mixed_network());
  const auto names = session.step_names(2);
  const auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  EXPECT_TRUE(has("conv+sigmoid"));
  EXPECT_TRUE(has("conv+add+relu"));
  EXPECT_TRUE(has("matmul+add+relu"));
  EXPECT_TRUE(has("mul+add+relu"));
}

TEST(Session, PlansOfSeveralBatchSizesShareWeightsAndStayRight) {
  const Graph graph = mixed_network();
  Session session(graph);
  for (const int64_t rows : {1, 4, 2, 1}) {
    const Tensor x = noise(input_shape(graph, rows), 16 + static_cast<uint64_t>(rows));
    const auto expected = interpret(graph, {{"x", x}}, rows);
    EXPECT_LT(largest_difference(session.run(std::array{x})[0], expected[0]), 1e-5) << rows << " rows";
  }
}

TEST(Session, CutsRowsToTheMemoryBudget) {
  const Graph graph = mixed_network();
  Session planned(graph);
  const size_t one = planned.arena_bytes(1);  // packs the weights, too
  Session session(graph, {.memory = planned.workspace().held() + 3 * one});
  int64_t batches = 0;
  const Tensor x = noise(input_shape(graph, 20), 17);
  session.run(std::array{x}, [&](std::string_view, int64_t, int64_t) { ++batches; });
  EXPECT_GE(batches, 20 / 3);
}

TEST(Session, RefusesWhenOneRowDoesNotFitTheBudget) {
  const Graph graph = mixed_network();
  Session session(graph, {.memory = 1000});
  const Tensor x = noise(input_shape(graph, 1), 18);
  expect_error(ErrorKind::argument, "one row does not fit", [&] { session.run(std::array{x}); });
}

TEST(Session, RefusesAnInputOfAnotherShape) {
  Session session(mixed_network());
  const Tensor x = noise({2, 3, 12, 11}, 19);
  expect_error(ErrorKind::shape, "got shape [2, 3, 12, 11]; expected [N, 3, 12, 12]",
               [&] { session.run(std::array{x}); });
}

TEST(Session, ProductsOfIntegersStayIntegers) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::integer, {kBatch, 2}}, "int64");
  const Value w = b.constant(Tensor::of<int64_t>({2, 2}, {1, int64_t{1} << 40, 3, 4}));
  b.output("y", b.op("relu", {b.matmul(x, w)}), "int64");
  const auto out = Session(graph).run(std::array{Tensor::of<int64_t>({1, 2}, {5, -6})});
  EXPECT_EQ(out[0].data<int64_t>()[0], 0);  // 5 - 18
  EXPECT_EQ(out[0].data<int64_t>()[1], 5 * (int64_t{1} << 40) - 24);
}

TEST(Session, NoRowsGiveNoRows) {
  Session session(mixed_network());
  const auto out = session.run(std::array{Tensor(DType::f32, {0, 3, 12, 12})});
  EXPECT_EQ(out[0].shape(), (Shape{0, 5}));
}

TEST(Arena, BuffersAliveTogetherDoNotOverlap) {
  std::vector<Buffer> buffers;
  const Random random(3);
  for (int i = 0; i < 200; ++i) {
    const int first = static_cast<int>(random.below(2 * i, 100));
    buffers.push_back(
        {1 + random.below(1000 + i, 5000), first, first + static_cast<int>(random.below(2 * i + 1, 20)), 0});
  }
  const size_t total = place_buffers(buffers);
  size_t sum = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    sum += buffers[i].bytes;
    EXPECT_LE(buffers[i].offset + buffers[i].bytes, total);
    for (size_t j = 0; j < i; ++j) {
      const Buffer &a = buffers[i], &b = buffers[j];
      const bool together = a.first <= b.last && b.first <= a.last;
      const bool overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      EXPECT_FALSE(together && overlap) << i << " and " << j;
    }
  }
  EXPECT_LT(total, sum / 2) << "memory is reused";
}

}  // namespace
}  // namespace ascribe::core
