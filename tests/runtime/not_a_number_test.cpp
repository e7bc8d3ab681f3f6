// NaN comes out of the fast ways where it comes out of the slow and obvious one: through every operation with a kernel,
// each operand in turn, and through every function behind the layers that absorb it.
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "base/invalid_operations.h"
#include "base/parallel.h"
#include "onnx/importer.h"
#include "runtime/kernels/kernel.h"
#include "runtime/session.h"
#include "support/interpret.h"
#include "support/op_samples.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kRows = 3;

using Inputs = std::map<std::string, Tensor>;

Tensor with_nan(const Tensor& tensor, int64_t at) {
  Tensor changed = Tensor::of<double>(tensor.shape(), values_of(tensor));
  changed.mutable_data<double>()[static_cast<size_t>(at)] = kNan;
  return changed;
}

std::string places_of_nan(const Tensor& tensor) {
  std::string places;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (std::isnan(tensor.at(i))) places += fmt::format(" {}", i);
  }
  return places;
}

Tensor run(const Graph& graph, const Inputs& inputs, DType real) {
  Session session(graph, {.real = real});
  std::vector<Tensor> ordered;
  for (const Port& port : graph.inputs) ordered.push_back(inputs.at(port.name));
  return session.run(ordered)[0];
}

void expect_nan_where_the_reference_has_it(const Graph& graph, const Inputs& inputs, DType real) {
  const Tensor slow = interpret(graph, inputs, kRows)[0];
  EXPECT_EQ(places_of_nan(run(graph, inputs, real)), places_of_nan(slow));
}

// At least there.
void expect_no_nan_lost(const Graph& graph, const Inputs& inputs, DType real) {
  const Tensor slow = interpret(graph, inputs, kRows)[0], fast = run(graph, inputs, real);
  for (int64_t i = 0; i < slow.size(); ++i) EXPECT_TRUE(std::isnan(fast.at(i)) || !std::isnan(slow.at(i))) << i;
}

// A NaN among weights meets the padding as well, which is 0 in memory; the reference leaves it out.
bool is_weight(const OpSample& sample, size_t operand) {
  return operand > 0 && (sample.op == "conv" || sample.op == "conv_transpose");
}

std::string described(const OpSample& sample) {
  return fmt::format("{} of {} operands", sample.op, sample.operands.size());
}

TEST(NotANumber, PassesThroughEveryOperationAsThroughItsReference) {
  for (const OpSample& sample : op_samples()) {
    const Inputs inputs = sample_inputs(sample, kRows);
    for (size_t i = 0; i < sample.operands.size(); ++i) {
      const std::string name = fmt::format("x{}", i);
      if (sample.operands[i].kind != Kind::real || inputs.at(name).size() == 0) continue;
      for (const int64_t place : {int64_t{0}, inputs.at(name).size() - 1}) {
        SCOPED_TRACE(fmt::format("{}, NaN at {} of operand {}", described(sample), place, i));
        Inputs changed = inputs;
        changed[name] = with_nan(inputs.at(name), place);
        const Graph graph = sample_graph(sample);
        const auto expect = is_weight(sample, i) ? expect_no_nan_lost : expect_nan_where_the_reference_has_it;
        for (const DType real : {DType::f32, DType::f64}) expect(graph, changed, real);
      }
    }
  }
}

TEST(NotANumber, EveryKernelHasAnOperationAmongTheSamples) {
  std::set<std::string> sampled;
  for (const OpSample& sample : op_samples()) sampled.insert(sample.op);
  for (const auto& [name, factory] : KernelRegistry::instance().entries()) {
    const std::string op = name.substr(0, name.find(' '));
    // The first two are made by the runtime alone, of others; NaN in a column of a tree is a value that is missing.
    if (op == "row_program" || op == "moves" || op == "tree_ensemble") continue;
    EXPECT_TRUE(sampled.contains(op)) << name;
  }
}

// Something that computes [N, C', H', W'] or [N, C'] from x.
struct Layer {
  std::string name;
  Dims input;
  Value (*make)(Builder&, Value x);
};

Attributes convolution(int64_t group, int64_t pad) {
  return {{"strides", ints({1, 1})},
          {"pads", ints({pad, pad, pad, pad})},
          {"dilations", ints({1, 1})},
          {"group", ints({group})}};
}

Value conv(Builder& b, Value x, Shape weight, int64_t group = 1) {
  const int64_t pad = weight[2] / 2;
  const Value bias = b.constant(random_tensor({weight[0]}, 2));
  return b.op("conv", {x, b.constant(random_tensor(weight, 1, 0.1)), bias}, convolution(group, pad));
}

std::vector<Layer> layers() {
  const Dim n = kBatch;
  return {
      {"nothing", {n, 40}, [](Builder&, Value x) { return x; }},
      {"a sum", {n, 40}, [](Builder& b, Value x) { return b.add(x, b.constant(random_tensor({40}, 3))); }},
      {"a product",
       {n, 40},
       [](Builder& b, Value x) {
         return b.add(b.matmul(x, b.constant(random_tensor({40, 24}, 3))), b.constant(random_tensor({24}, 4)));
       }},
      {"a 5x5 convolution",
       {n, 3, 9, 9},
       [](Builder& b, Value x) {
         return conv(b, x, {32, 3, 5, 5});
       }},
      {"a 1x1 convolution",
       {n, 16, 6, 6},
       [](Builder& b, Value x) {
         return conv(b, x, {40, 16, 1, 1});
       }},
      {"few channels",
       {n, 3, 6, 6},
       [](Builder& b, Value x) {
         return conv(b, x, {5, 3, 3, 3});
       }},
      {"a 3x3 convolution of many channels",
       {n, 32, 7, 10},
       [](Builder& b, Value x) {
         return conv(b, x, {32, 32, 3, 3});
       }},
      {"channels by themselves",
       {n, 32, 6, 6},
       [](Builder& b, Value x) {
         return conv(b, x, {32, 1, 3, 3}, 32);
       }},
      {"a residual sum",
       {n, 32, 6, 6},
       [](Builder& b, Value x) {
         const Value h = conv(b, x, {32, 32, 1, 1});
         return b.add(conv(b, h, {32, 32, 1, 1}), h);
       }},
      {"a sum in blocks",
       {n, 16, 6, 6},
       [](Builder& b, Value x) {
         const Value h = conv(b, x, {32, 16, 1, 1});
         return b.sub(h, b.op("tanh", {h}));
       }},
      {"a factor per channel",
       {n, 16, 6, 6},
       [](Builder& b, Value x) {
         return b.mul(b.op("tanh", {conv(b, x, {32, 16, 1, 1})}), b.constant(random_tensor({32, 1, 1}, 6)));
       }},
      {"a transposed convolution",
       {n, 16, 6, 6},
       [](Builder& b, Value x) {
         Attributes attributes = convolution(1, 1);
         attributes.set("output_padding", ints({0, 0}));
         return b.op("conv_transpose", {x, b.constant(random_tensor({16, 24, 3, 3}, 5, 0.1))}, attributes);
       }},
  };
}

// Functions of one real operand that have a value everywhere: rounding must not decide where NaN is.
std::vector<OpSample> functions() {
  std::vector<OpSample> all;
  for (const OpSample& sample : op_samples()) {
    if (sample.operands.size() == 1 && op_named(sample.op).traits.pointwise && sample.operands[0].kind == Kind::real &&
        sample.range != Range::positive && sample.values.empty() &&
        infer_op(sample.op, sample.operands, sample.attributes).kind == Kind::real) {
      all.push_back(sample);
    }
  }
  return all;
}

Graph behind(const Layer& layer, const std::function<Value(Builder&, Value)>& function, bool root) {
  Graph graph;
  Builder b(graph);
  Value x = b.input("x", real(layer.input));
  if (root) x = b.op("sqrt", {x});
  b.output("y", function(b, layer.make(b, x)));
  return graph;
}

// Positive, but for one element in the middle row: that is NaN, or -1.
Inputs spoilt(const Layer& layer, double by) {
  Tensor x = random_tensor(at(layer.input, kRows), 9);
  const auto values = x.mutable_data<double>();
  for (double& value : values) value = std::abs(value) + 0.1;
  values[values.size() / 2] = by;
  return {{"x", x}};
}

void expect_nan_behind(const Layer& layer, const std::function<Value(Builder&, Value)>& function) {
  for (const DType real : {DType::f32, DType::f64}) {
    expect_nan_where_the_reference_has_it(behind(layer, function, false), spoilt(layer, kNan), real);
    expect_nan_where_the_reference_has_it(behind(layer, function, true), spoilt(layer, -1), real);
  }
}

TEST(NotANumber, PassesThroughFunctionsBehindEveryLayer) {
  for (const Layer& layer : layers()) {
    for (const OpSample& function : functions()) {
      SCOPED_TRACE(fmt::format("{} behind {}", function.op, layer.name));
      expect_nan_behind(layer, [&](Builder& b, Value x) { return b.op(function.op, {x}, function.attributes); });
    }
  }
}

Attributes pooling() {
  return {{"kernel", ints({2, 2})},
          {"strides", ints({2, 2})},
          {"pads", ints({0, 0, 0, 0})},
          {"dilations", ints({1, 1})},
          {"ceil_mode", ints({0})}};
}

TEST(NotANumber, PassesThroughChoicesBehindEveryLayer) {
  for (const Layer& layer : layers()) {
    SCOPED_TRACE(layer.name);
    if (layer.input.size() == 4) {
      expect_nan_behind(layer, [](Builder& b, Value x) { return b.op("max_pool", {x}, pooling()); });
      expect_nan_behind(layer, [](Builder& b, Value x) { return b.op("max_pool", {b.op("relu", {x})}, pooling()); });
    }
    for (const char* op : {"maximum", "minimum", "gate"}) {
      expect_nan_behind(layer, [&](Builder& b, Value x) { return b.op(op, {x, b.op("tanh", {x})}); });
      expect_nan_behind(layer, [&](Builder& b, Value x) { return b.op(op, {b.op("tanh", {x}), x}); });
      expect_nan_behind(layer, [&](Builder& b, Value x) { return b.op(op, {x, b.scalar(0.5)}); });
    }
    for (const char* op : {"reduce_max", "reduce_min", "reduce_sum"}) {
      expect_nan_behind(layer, [&](Builder& b, Value x) { return b.reduce(op, x, {1}, true); });
    }
    for (const char* op : {"softmax", "log_softmax"}) {
      expect_nan_behind(layer, [&](Builder& b, Value x) { return b.op(op, {x}, {{"axis", ints({1})}}); });
      expect_nan_behind(layer, [&](Builder& b, Value x) { return b.op(op, {x}, {{"axis", ints({b.rank(x) - 1})}}); });
    }
    expect_nan_behind(layer, [&](Builder& b, Value x) {
      return b.op("normalize", {x}, {{"axes", ints({b.rank(x) - 1})}, {"epsilon", reals({1e-5})}});
    });
  }
}

// What other work left in the arena is NaN of the kind that raises the flag wherever it is touched.
std::shared_ptr<Workspace> spoilt_workspace(DType real) {
  constexpr size_t kBytes = size_t{16} << 20;  // more than the sessions of these tests take, so it stays the arena
  auto workspace = std::make_shared<Workspace>(4 * kBytes);
  std::byte* arena = workspace->arena(kBytes);
  const auto fill = [&](auto pattern) {
    for (size_t at = 0; at < kBytes; at += sizeof pattern) std::memcpy(arena + at, &pattern, sizeof pattern);
  };
  if (real == DType::f32) {
    fill(uint32_t{0x7FA00000});
  } else {
    fill(uint64_t{0x7FF4000000000000});
  }
  return workspace;
}

void expect_no_nan_seen(const Graph& graph, const Tensor& input) {
  for (const int threads : {1, 2}) {
    const ThreadCount guard(threads);
    for (const DType real : {DType::f32, DType::f64}) {
      Session clean(graph, {.real = real});
      Session spoilt(graph, {.real = real, .workspace = spoilt_workspace(real)});
      const Tensor wanted = clean.run(std::vector{input})[0];
      EXPECT_EQ(values_of(spoilt.run(std::vector{input})[0]), values_of(wanted));
      EXPECT_FALSE(clean.met_nan());
      EXPECT_FALSE(spoilt.met_nan()) << "what was in memory before was taken for data";
    }
  }
}

// Zeros, equal operands, and ties with both.
std::vector<Inputs> degenerate(const OpSample& sample) {
  std::vector<Inputs> all;
  for (const int kind : {0, 1, 2}) {
    Inputs inputs = sample_inputs(sample, kRows);
    for (size_t i = 0; i < sample.operands.size(); ++i) {
      if (sample.operands[i].kind != Kind::real || sample.values.contains(i)) continue;
      Tensor& tensor = inputs.at(fmt::format("x{}", i));
      Tensor changed(DType::f64, tensor.shape());
      const auto values = changed.mutable_data<double>();
      for (size_t j = 0; j < values.size(); ++j) {
        values[j] = kind == 0 ? 0.0 : kind == 1 ? 0.5 : std::round(tensor.at(static_cast<int64_t>(j)));
      }
      tensor = changed;
    }
    all.push_back(inputs);
  }
  return all;
}

// A flag without NaN costs time, and the roundings of other kernels: also where a quotient that is not taken has no
// value.
TEST(NotANumber, IsNotSeenInOperationsOnZerosAndTies) {
  for (const OpSample& sample : op_samples()) {
    const Graph graph = sample_graph(sample);
    for (const Inputs& inputs : degenerate(sample)) {
      for (const DType real : {DType::f32, DType::f64}) {
        SCOPED_TRACE(fmt::format("{} in {}", described(sample), to_string(real)));
        const InvalidOperations invalid;
        const Tensor y = run(graph, inputs, real);
        EXPECT_TRUE(!places_of_nan(y).empty() || !invalid.seen());
      }
    }
  }
}

// Otherwise every batch would be run twice, and roundings depend on what ran before: numbers raise no flag, in all
// layers and functions.
TEST(NotANumber, IsNotSeenWhereThereIsNone) {
  for (const Layer& layer : layers()) {
    for (const OpSample& function : functions()) {
      SCOPED_TRACE(fmt::format("{} behind {}", function.op, layer.name));
      const auto make = [&](Builder& b, Value x) { return b.op(function.op, {x}, function.attributes); };
      expect_no_nan_seen(behind(layer, make, true), spoilt(layer, 1).at("x"));
    }
  }
}

TEST(NotANumber, IsNotSeenInTheBundledModels) {
  for (const char* name : {"relu_vgg", "resnet", "sigmoid_cnn", "sigmoid_mlp", "polynomial", "localiser"}) {
    SCOPED_TRACE(name);
    const Graph graph = import_model(fmt::format(ASCRIBE_SOURCE_DIR "/models/{}.onnx", name)).graph;
    for (const int64_t rows : {1, 2, 3, 7}) {
      expect_no_nan_seen(graph, random_tensor(at(graph[graph.inputs[0].value].type.shape, rows), 1));
    }
  }
}

// Images of which a few tiles, or one, are left for the last group of the product.
TEST(NotANumber, IsNotSeenBehindTheLastTileOfAnImage) {
  for (const int64_t size : {3, 5, 14, 23, 30}) {
    SCOPED_TRACE(size);
    const Layer layer = {"", {kBatch, 32, size, size + 1}, [](Builder& b, Value x) {
                           return conv(b, x, {64, 32, 3, 3});
                         }};
    const auto relu = [](Builder& b, Value x) { return b.op("relu", {x}); };
    expect_no_nan_seen(behind(layer, relu, false), spoilt(layer, 1).at("x"));
  }
}

TEST(NotANumber, DoesNotChangeWhatLaterBatchesGive) {
  const Layer layer = layers()[3];
  const auto relu = [](Builder& b, Value x) { return b.op("relu", {x}); };
  Session fresh(behind(layer, relu, false)), used(behind(layer, relu, false));
  used.run(std::vector{spoilt(layer, kNan).at("x")});
  EXPECT_TRUE(used.met_nan());
  const std::vector<Tensor> good = {spoilt(layer, 1).at("x")};
  EXPECT_EQ(values_of(used.run(good)[0]), values_of(fresh.run(good)[0]));
}

// The weight itself is NaN: what it makes is as little a number.
TEST(NotANumber, OfAWeightPassesThroughRelu) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 40}));
  b.output("y", b.op("relu", {b.matmul(x, b.constant(with_nan(random_tensor({40, 24}, 3), 30)))}));
  expect_nan_where_the_reference_has_it(graph, {{"x", random_tensor({kRows, 40}, 1)}}, DType::f32);
}

// Finite operands whose products are not: inf - inf in float alone, so the slow way runs in float too.
TEST(NotANumber, OfDifferencesOfInfinitiesPassesThroughRelu) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 40}));
  const Value h = b.op("exp", {x});
  b.output("y", b.op("relu", {b.matmul(h, b.constant(random_tensor({40, 24}, 3)))}));
  Tensor rows(DType::f64, {kRows, 40});
  rows.mutable_data<double>()[41] = rows.mutable_data<double>()[42] = 100;
  const Inputs inputs = {{"x", rows}};
  EXPECT_EQ(places_of_nan(run(graph, inputs, DType::f32)),
            places_of_nan(interpret(graph, {{"x", rows.cast(DType::f32)}}, kRows, DType::f32)[0]));
}

}  // namespace
}  // namespace ascribe::core
