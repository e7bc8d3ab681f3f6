// The same network as different exporters write it: RevealCancel and Deep SHAP find the same modules in all of them,
// and say where they find none.
#include <gtest/gtest.h>

#include "passes/canonicalize.h"
#include "support/ask.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// Between spellings only the order of roundings differs, in double.
constexpr double kRounding = 1e-12;
const char* const kMethods[] = {"deeplift_reveal_cancel", "deep_shap"};

using Between = std::function<Value(Builder&, Value z)>;

Value vector_of(Builder& b, const std::vector<double>& values, Dims shape = {}) {
  const Value v = b.constant(Tensor::of<double>({std::ssize(values)}, values));
  return shape.empty() ? v : b.reshape(v, std::move(shape));
}

// Some spelling of relu(batch normalisation(z)), of five numbers in any shape.
const std::vector<double> kFactor = {0.5, -1.5, 2, 0.7, 1}, kShift = {0.1, -0.2, 0.3, 0, 0.4};

Value normalised(Builder& b, Value z, const Dims& shape = {}) {
  return b.add(b.mul(z, vector_of(b, kFactor, shape)), vector_of(b, kShift, shape));
}

Graph dense_network(const Between& between) {
  Graph graph;
  SmallNetwork net(graph, 3);
  const Value z = net.dense(net.b.input("x", real({kBatch, 6})), 6, 5);
  const Value y = net.b.reshape(between(net.b, z), {kBatch, 5});
  net.b.output("y", net.dense(y, 5, 2));
  return canonicalize(graph);
}

void expect_same(const Graph& graph, const Graph& plain, const Question& question, bool bends = true) {
  for (const char* method : kMethods) {
    SCOPED_TRACE(method);
    const Attribution expected = ask(method, plain, question), actual = ask(method, graph, question);
    expect_values(actual.values, expected.values, kRounding);
    EXPECT_NEAR(actual.residual, 0, kRounding);
    EXPECT_TRUE(actual.notes.empty()) << actual.notes[0];
    expect_values(values_of(ask_compiled(method, graph, question)), expected.values, kRounding);
    if (!bends) continue;
    // What is compared must not be Rescale, in which all spellings agree anyway.
    const Attribution rescale = ask("deeplift_rescale", plain, question);
    double apart = 0;
    for (size_t i = 0; i < rescale.values.size(); ++i) apart += std::abs(rescale.values[i] - expected.values[i]);
    EXPECT_GT(apart, 1e-3);
  }
}

TEST(Modules, DenseLayersAreTheSameInEverySpelling) {
  const auto relu = [](Builder& b, Value z) { return b.op("relu", {z}); };
  const Graph plain = dense_network([&](Builder& b, Value z) { return relu(b, normalised(b, z)); });
  const std::vector<std::pair<std::string, Between>> spellings = {
      {"statistics one by one",
       [&](Builder& b, Value z) {
         z = b.div(b.sub(z, vector_of(b, {1, 1, 1, 1, 1})), vector_of(b, {2, 2, 2, 2, 2}));
         std::vector<double> factor = kFactor, shift = kShift;
         for (size_t i = 0; i < 5; ++i) {
           shift[i] += factor[i];
           factor[i] *= 2;
         }
         return relu(b, b.add(b.mul(vector_of(b, factor), z), vector_of(b, shift)));
       }},
      {"maximum with 0",
       [](Builder& b, Value z) {
         return b.op("maximum", {normalised(b, z), b.scalar(0)});
       }},
      {"maximum of 0s with it",
       [](Builder& b, Value z) {
         return b.op("maximum", {vector_of(b, {0, 0, 0, 0, 0}), normalised(b, z)});
       }},
      {"normalised after a reshape",
       [&](Builder& b, Value z) {
         return relu(b, normalised(b, b.reshape(z, {kBatch, 5, 1, 1}), {5, 1, 1}));
       }},
      {"normalised, then transposed",
       [&](Builder& b, Value z) {
         const Value wide = b.transpose(b.reshape(normalised(b, z), {kBatch, 5, 1}), {0, 2, 1});
         return relu(b, wide);
       }},
      {"normalised after reshape and transpose",
       [&](Builder& b, Value z) {
         return relu(b, normalised(b, b.transpose(b.reshape(z, {kBatch, 5, 1}), {2, 0, 1})));
       }},
      {"in two parts",
       [&](Builder& b, Value z) {
         z = normalised(b, z);
         return b.concat({relu(b, b.slice(z, 1, 0, 2)), relu(b, b.slice(z, 1, 2, 3))}, 1);
       }},
      {"in two parts, joined before the activation",
       [&](Builder& b, Value z) {
         z = normalised(b, z);
         return relu(b, b.concat({b.slice(z, 1, 0, 2), b.slice(z, 1, 2, 3)}, 1));
       }},
  };
  const Question question = ask_about(random_tensor({1, 6}, 51), random_tensor({1, 6}, 52), 1);
  for (const auto& [name, between] : spellings) {
    SCOPED_TRACE(name);
    expect_same(dense_network(between), plain, question);
  }
}

Value conv_of(Builder& b, Value x, const Shape& kernel, Value bias = {}) {
  std::vector<Value> inputs = {x, b.constant(random_tensor(kernel, 4))};
  if (bias.valid()) inputs.push_back(bias);
  const Attributes window = {
      {"strides", ints({1, 1})}, {"pads", ints({0, 0, 0, 0})}, {"dilations", ints({1, 1})}, {"group", ints({1})}};
  return b.op("conv", std::move(inputs), window);
}

// A convolution over time of [N, time, channels], by a convolution over images: channels to the front, a dummy axis,
// and back again; bias and normalisation behind all that.
Graph one_dimensional(bool as_exported) {
  Graph graph;
  Builder b(graph);
  const Value x = b.transpose(b.input("x", real({kBatch, 6, 2})), {0, 2, 1});
  const Value wide = b.reshape(x, {kBatch, 2, 1, 6});
  const std::vector<double> bias = {0.3, -0.1, 0.2, -0.4, 0.1};
  Value y;
  if (as_exported) {
    Value z = b.reshape(conv_of(b, wide, {5, 2, 1, 3}), {kBatch, 5, 4});
    z = b.add(b.transpose(z, {0, 2, 1}), vector_of(b, bias));
    y = b.op("relu", {normalised(b, z)});
  } else {
    const Value z = conv_of(b, wide, {5, 2, 1, 3}, vector_of(b, bias));
    const Value active = b.op("relu", {normalised(b, z, {5, 1, 1})});
    y = b.transpose(b.reshape(active, {kBatch, 5, 4}), {0, 2, 1});
  }
  b.output("y", b.matmul(b.reshape(y, {kBatch, 20}), b.constant(random_tensor({20, 2}, 6))));
  return canonicalize(graph);
}

TEST(Modules, AConvolutionOverTimeIsTheSameAsExported) {
  const Question question = ask_about(random_tensor({1, 6, 2}, 53), random_tensor({1, 6, 2}, 54));
  expect_same(one_dimensional(true), one_dimensional(false), question);
}

enum class Place { before, behind };

Graph pooled(const std::string& pool, Place activation, const std::string& function) {
  Graph graph;
  SmallNetwork net(graph, 5);
  Builder& b = net.b;
  const auto activated = [&](Value v) {
    if (function != "leaky_relu") return b.op(function, {v});
    return b.op(function, {v}, {{"alpha", reals({0.1})}});
  };
  Value z = net.conv(net.image(), 1, 3, 3, 1, 1, "conv");
  if (activation == Place::before) z = activated(z);
  if (pool == "max_pool") {
    z = b.op("max_pool", {z},
             {{"kernel", ints({2, 2})},
              {"strides", ints({2, 2})},
              {"pads", ints({0, 0, 0, 0})},
              {"dilations", ints({1, 1})},
              {"ceil_mode", ints({0})}});
  } else {
    z = b.reduce(pool, z, {2, 3}, true);
  }
  if (activation == Place::behind) z = activated(z);
  const int64_t size = pool == "max_pool" ? 12 : 3;
  b.output("y", net.dense(b.reshape(z, {kBatch, size}), size, 2));
  return canonicalize(graph);
}

TEST(Modules, ARisingActivationMayComeBehindAMaximum) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 55), random_tensor({1, 1, 4, 4}, 56));
  for (const char* pool : {"max_pool", "reduce_max", "reduce_min"}) {
    for (const char* function : {"relu", "sigmoid", "leaky_relu"}) {
      SCOPED_TRACE(fmt::format("{} {}", pool, function));
      // Of all numbers of a channel the largest is on relu's straight part anyway.
      const bool bends = std::string(pool) == "max_pool" || std::string(function) == "sigmoid";
      expect_same(pooled(pool, Place::behind, function), pooled(pool, Place::before, function), question, bends);
    }
  }
}

// abs falls and rises: the largest number need not have the largest value.
TEST(Modules, AnActivationThatFallsIsLeftBehindTheMaximum) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 55), random_tensor({1, 1, 4, 4}, 56));
  const Graph graph = pooled("max_pool", Place::behind, "abs");
  for (const char* method : kMethods) {
    const Attribution a = ask(method, graph, question);
    EXPECT_NEAR(a.residual, 0, kRounding);
    ASSERT_EQ(a.notes.size(), 1U);
    expect_values(a.values, ask("deeplift_rescale", graph, question).values, kRounding);
  }
}

TEST(Modules, WhereThereIsNoLayerANoteNamesTheNode) {
  Graph graph;
  SmallNetwork net(graph, 7);
  Builder& b = net.b;
  const Value x = b.input("x", real({kBatch, 6}));
  const Value straight = b.op("tanh", {x});  // of one number each: there is nothing to share out
  const Value hidden = b.op("relu", {net.dense(straight, 6, 5)});
  const Value twice = b.add(net.dense(hidden, 5, 4), net.dense(hidden, 5, 4));
  b.set_name("after_sum");
  const Value joined = b.op("relu", {twice});
  b.set_name("larger");
  const Value larger = b.op("maximum", {joined, net.dense(hidden, 5, 4)});
  b.set_name("");
  b.output("y", net.dense(larger, 4, 2));
  const Question question = ask_about(random_tensor({1, 6}, 57));
  for (const char* method : kMethods) {
    const Attribution a = ask(method, graph, question);
    ASSERT_EQ(a.notes.size(), 1U);
    EXPECT_EQ(
        a.notes[0],
        "2 activations have no layer directly before them, so Rescale is used there: node 'after_sum' (relu), node "
        "'larger' (maximum)");
    EXPECT_NEAR(a.residual, 0, kRounding);
  }
  EXPECT_TRUE(ask("deeplift_rescale", graph, question).notes.empty());
}

// Concatenations of concatenations of the same value have more ways through than can be walked one by one.
TEST(Modules, ManyWaysBackToALayerAreWalkedOnce) {
  Graph graph;
  SmallNetwork net(graph, 8);
  Builder& b = net.b;
  Value z = b.reshape(net.dense(b.input("x", real({kBatch, 3})), 3, 2), {kBatch, 1, 2});
  for (int i = 0; i < 40; ++i) z = b.slice(b.concat({z, z}, 1), 1, 0, 1);
  b.output("y", b.reshape(b.op("relu", {z}), {kBatch, 2}));
  const Question question = ask_about(random_tensor({1, 3}, 9));
  for (const char* method : kMethods) EXPECT_NEAR(ask(method, graph, question).residual, 0, kRounding);
}

}  // namespace
}  // namespace ascribe::core
