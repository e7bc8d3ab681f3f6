// Every core operation survives export and import with the same values.
#include "onnx/exporter.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "onnx/export/writer.h"
#include "onnx/importer.h"
#include "onnx/model_maker.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe {
namespace {

const Dim N = kBatch;

// One operation with operands of these types. Integer and boolean operands are given by value.
struct Sample {
  std::string op;
  std::vector<Type> operands;
  Attributes attributes;
  std::map<size_t, Tensor> values = {};  // of operands that cannot be random
  bool positive = false;                 // random operands in (0, 1)
};

Tensor integers(const Shape& shape, const std::vector<int64_t>& values) { return Tensor::of<int64_t>(shape, values); }
Tensor booleans(const Shape& shape, const std::vector<int64_t>& values) {
  return integers(shape, values).cast(DType::boolean);
}
Attributes::Value text(const std::string& value) { return value; }

Attributes pool(int64_t ceil_mode, std::vector<int64_t> dilations = {1, 1}) {
  return {{"kernel", ints({3, 2})},
          {"strides", ints({2, 2})},
          {"pads", ints({1, 0, 1, 1})},
          {"dilations", ints(dilations)},
          {"ceil_mode", ints({ceil_mode})}};
}

Attributes with(Attributes attributes, const std::string& name, Attributes::Value value) {
  attributes.set(name, std::move(value));
  return attributes;
}

Attributes convolution(int64_t group) {
  return {
      {"strides", ints({2, 1})}, {"pads", ints({1, 0, 0, 1})}, {"dilations", ints({1, 2})}, {"group", ints({group})}};
}

Attributes axes(std::vector<int64_t> list, bool keepdims) {
  return {{"axes", ints(list)}, {"keepdims", ints({keepdims})}};
}

Attributes padding(const std::string& mode) {
  return {{"before", ints({0, 2, 1})}, {"after", ints({0, 1, 3})}, {"mode", mode}, {"value", reals({1.5})}};
}

std::vector<Sample> elementwise_samples() {
  std::vector<Sample> samples;
  for (const char* op :
       {"sigmoid", "tanh", "exp", "erf",   "softplus", "sin",   "cos",  "tan",    "atan", "sinh", "cosh",      "asinh",
        "relu",    "abs",  "neg", "floor", "ceil",     "round", "sign", "is_nan", "silu", "mish", "hard_swish"}) {
    samples.push_back({op, {real({N, 3})}, {}});
  }
  for (const char* op : {"log", "sqrt", "reciprocal", "asin", "acos", "atanh"}) {
    samples.push_back({op, {real({N, 3})}, {}, {}, true});
  }
  for (const char* op : {"add", "sub", "mul", "maximum", "minimum", "less", "less_equal", "equal"}) {
    samples.push_back({op, {real({N, 2, 3}), real({2, 1})}, {}});
    samples.push_back(
        {op, {integer({2, 2}), integer({2})}, {}, {{0, integers({2, 2}, {1, -2, 3, 4})}, {1, integers({2}, {1, 4})}}});
  }
  for (const char* op : {"div", "pow"}) samples.push_back({op, {real({N, 3}), real({3})}, {}, {}, true});
  samples.push_back(
      {"div", {integer({2}), integer({2})}, {}, {{0, integers({2}, {7, -7})}, {1, integers({2}, {2, 2})}}});
  for (const int64_t fmod : {0, 1}) {
    samples.push_back({"mod", {real({N, 3}), real({3})}, {{"fmod", ints({fmod})}}});
    samples.push_back({"mod",
                       {integer({2}), integer({2})},
                       {{"fmod", ints({fmod})}},
                       {{0, integers({2}, {7, -7})}, {1, integers({2}, {3, 3})}}});
  }
  for (const char* op : {"logical_and", "logical_or", "logical_xor"}) {
    samples.push_back(
        {op, {boolean({2, 2}), boolean({2})}, {}, {{0, booleans({2, 2}, {0, 1, 1, 0})}, {1, booleans({2}, {1, 0})}}});
  }
  samples.push_back({"logical_not", {boolean({2})}, {}, {{0, booleans({2}, {0, 1})}}});
  samples.push_back({"acosh", {real({1, 2})}, {}, {{0, Tensor::of<double>({1, 2}, {1.5, 3.0})}}});
  samples.push_back({"is_inf",
                     {real({1, 3})},
                     {{"positive", ints({1})}, {"negative", ints({0})}},
                     {{0, Tensor::of<double>({1, 3}, {INFINITY, -INFINITY, 1.0})}}});
  samples.push_back({"leaky_relu", {real({N, 3})}, {{"alpha", reals({0.1})}}});
  samples.push_back({"elu", {real({N, 3})}, {{"alpha", reals({0.7})}}});
  samples.push_back({"gelu", {real({N, 3})}, {{"approximate", text("none")}}});
  samples.push_back({"gelu", {real({N, 3})}, {{"approximate", text("tanh")}}});
  samples.push_back({"clip", {real({N, 3})}, {{"min", reals({-0.5})}, {"max", reals({0.25})}}});
  samples.push_back({"clip", {real({N, 3})}, {{"min", reals({-INFINITY})}, {"max", reals({0.25})}}});
  samples.push_back(
      {"clip", {integer({3})}, {{"min", reals({0})}, {"max", reals({INFINITY})}}, {{0, integers({3}, {-1, 0, 5})}}});
  samples.push_back({"where", {boolean({2, 1}), real({2, 3}), real({3})}, {}, {{0, booleans({2, 1}, {0, 1})}}});
  samples.push_back({"where",
                     {boolean({2}), boolean({2}), boolean({2})},
                     {},
                     {{0, booleans({2}, {0, 1})}, {1, booleans({2}, {1, 1})}, {2, booleans({2}, {0, 0})}}});
  samples.push_back({"cast", {real({N, 3})}, {{"to", text("integer")}}});
  samples.push_back({"cast", {integer({3})}, {{"to", text("real")}}, {{0, integers({3}, {-1, 0, 5})}}});
  samples.push_back({"cast", {integer({3})}, {{"to", text("boolean")}}, {{0, integers({3}, {-1, 0, 5})}}});
  return samples;
}

std::vector<Sample> movement_samples() {
  std::vector<Sample> samples;
  samples.push_back({"reshape", {real({N, 2, 3})}, {{"shape", Dims{N, 3, 2}}}});
  samples.push_back({"reshape", {real({N, 2, 3})}, {{"shape", Dims{Dim(0, 2), 3}}}});
  samples.push_back({"transpose", {real({N, 2, 3})}, {{"perm", ints({0, 2, 1})}}});
  samples.push_back({"concat", {real({N, 2}), real({N, 3})}, {{"axis", ints({1})}}});
  samples.push_back({"expand", {real({N, 1, 3})}, {{"shape", Dims{N, 2, 3}}}});
  samples.push_back({"expand", {real({1, 3})}, {{"shape", ints({2, 2, 3})}}});
  samples.push_back({"slice",
                     {real({N, 5, 4})},
                     {{"starts", ints({0, 4, 1})}, {"sizes", Dims{N, 3, 2}}, {"steps", ints({1, -2, 2})}}});
  samples.push_back(
      {"slice", {real({N, 5})}, {{"starts", Dims{Dim(-1, 1), 0}}, {"sizes", Dims{N, 5}}, {"steps", ints({-1, 1})}}});
  for (const char* mode : {"constant", "reflect", "edge", "wrap"})
    samples.push_back({"pad", {real({N, 3, 4})}, padding(mode)});
  const Attributes axis = {{"axis", ints({1})}};
  samples.push_back({"gather", {real({N, 4, 2}), integer({2, 2})}, axis, {{1, integers({2, 2}, {0, -1, 2, 2})}}});
  samples.push_back({"gather_elements", {real({2, 3}), integer({2, 2})}, axis, {{1, integers({2, 2}, {0, -1, 2, 2})}}});
  samples.push_back(
      {"gather_nd", {real({2, 3}), integer({2, 1})}, {{"batch_dims", ints({1})}}, {{1, integers({2, 1}, {2, 0})}}});
  for (const char* reduction : {"none", "add", "mul", "min", "max"}) {
    samples.push_back({"scatter_elements",
                       {real({2, 3}), integer({2, 2}), real({2, 2})},
                       with(axis, "reduction", text(reduction)),
                       {{1, integers({2, 2}, {0, 1, 2, 0})}}});
    samples.push_back({"scatter_nd",
                       {real({4}), integer({2, 1}), real({2})},
                       {{"reduction", text(reduction)}},
                       {{1, integers({2, 1}, {3, 0})}}});
  }
  samples.push_back(
      {"cumsum", {real({N, 3, 2})}, {{"axis", ints({1})}, {"exclusive", ints({1})}, {"reverse", ints({1})}}});
  samples.push_back({"resample",
                     {real({N, 3, 2}), integer({4, 2}), real({4, 2})},
                     axis,
                     {{1, integers({4, 2}, {0, 1, 1, 1, 1, 2, 2, 0})}}});
  return samples;
}

std::vector<Sample> other_samples() {
  std::vector<Sample> samples;
  for (const char* op :
       {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_log_sum_exp"}) {
    samples.push_back({op, {real({N, 2, 3})}, axes({1}, true)});
    samples.push_back({op, {real({N, 2, 3})}, axes({1, 2}, false)});
    samples.push_back({op, {real({N, 2, 3})}, axes({}, false)});
  }
  samples.push_back({"reduce_mean", {real({N, 2, 3, 2})}, axes({2, 3}, true)});
  for (const char* op : {"softmax", "log_softmax"}) samples.push_back({op, {real({N, 2, 3})}, {{"axis", ints({1})}}});
  samples.push_back({"normalize", {real({N, 2, 3})}, {{"axes", ints({1, 2})}, {"epsilon", reals({1e-5})}}});
  for (const char* op : {"arg_max", "arg_min"}) {
    samples.push_back({op, {real({N, 4})}, {{"axis", ints({1})}, {"keepdims", ints({1})}, {"select_last", ints({0})}}});
  }
  samples.push_back({"top_k_indices",
                     {real({N, 5})},
                     {{"axis", ints({1})}, {"k", ints({3})}, {"largest", ints({1})}, {"sorted", ints({1})}}});
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const Attributes flags = {{"transpose_a", ints({a})}, {"transpose_b", ints({b})}};
      samples.push_back({"matmul", {real(a ? Dims{3, 2} : Dims{2, 3}), real(b ? Dims{4, 3} : Dims{3, 4})}, flags});
      samples.push_back(
          {"matmul", {real(a ? Dims{N, 3, 2} : Dims{N, 2, 3}), real(b ? Dims{4, 3} : Dims{3, 4})}, flags});
    }
  }
  samples.push_back({"conv", {real({N, 4, 6, 5}), real({2, 2, 3, 2})}, convolution(2)});
  samples.push_back({"conv", {real({N, 2, 6, 5}), real({3, 2, 3, 2}), real({3})}, convolution(1)});
  samples.push_back({"conv_transpose",
                     {real({N, 2, 4, 3}), real({2, 3, 3, 2}), real({3})},
                     with(convolution(1), "output_padding", ints({1, 0}))});
  for (const int64_t ceil_mode : {0, 1}) {
    samples.push_back({"max_pool", {real({N, 2, 6, 6})}, pool(ceil_mode)});
    samples.push_back({"max_pool", {real({N, 2, 6, 6})}, pool(ceil_mode, {1, 2})});
    samples.push_back({"max_pool_indices", {real({2, 2, 6, 6})}, with(pool(ceil_mode), "storage_order", ints({0}))});
    for (const int64_t include : {0, 1}) {
      samples.push_back(
          {"average_pool", {real({N, 2, 6, 6})}, with(pool(ceil_mode), "count_include_pad", ints({include}))});
      samples.push_back(
          {"average_pool", {real({N, 2, 6, 6})}, with(pool(ceil_mode, {1, 2}), "count_include_pad", ints({include}))});
    }
  }
  return samples;
}

std::vector<Sample> all_samples() {
  std::vector<Sample> samples = elementwise_samples();
  for (const auto& more : {movement_samples(), other_samples()})
    samples.insert(samples.end(), more.begin(), more.end());
  return samples;
}

Tensor random_operand(const Sample& sample, size_t index, int64_t batch) {
  if (const auto found = sample.values.find(index); found != sample.values.end()) return found->second;
  Tensor tensor = random_tensor(at(sample.operands[index].shape, batch), 100 + index);
  if (!sample.positive) return tensor;
  for (double& value : tensor.mutable_data<double>()) value = 0.05 + 0.9 / (1 + std::exp(-value));
  return tensor;
}

std::map<std::string, Tensor> inputs_for(const Sample& sample, int64_t rows) {
  std::map<std::string, Tensor> inputs;
  for (size_t i = 0; i < sample.operands.size(); ++i) inputs[fmt::format("x{}", i)] = random_operand(sample, i, rows);
  return inputs;
}

bool grows(const Sample& sample) {
  return std::any_of(sample.operands.begin(), sample.operands.end(),
                     [](const Type& type) { return !all_fixed(type.shape); });
}

Graph graph_of(const Sample& sample) {
  Graph graph;
  Builder b(graph);
  std::vector<Value> operands;
  for (const Type& type : sample.operands) operands.push_back(b.input(fmt::format("x{}", operands.size()), type));
  b.output("y", b.op(sample.op, operands, sample.attributes));
  return graph;
}

// Exports in double, imports again, and compares what both compute: for three rows, or
// for one where the importer cannot tell rows apart.
void expect_round_trip(const Sample& sample) {
  SCOPED_TRACE(sample.op);
  const Graph graph = graph_of(sample);
  ImportOptions options;
  options.batched = grows(sample);
  const auto one_row = inputs_for(sample, 1);
  for (size_t i = 0; i < sample.operands.size(); ++i) {
    // What must be known when a model is loaded is bound; and so is what has no rows beside what has.
    const std::string name = fmt::format("x{}", i);
    const bool steers = sample.operands[i].kind != Kind::real && sample.operands.size() > 1;
    const bool rowless = grows(sample) && all_fixed(sample.operands[i].shape);
    if (steers || rowless) options.bound[name] = one_row.at(name);
  }
  const ImportedModel again = import_model_bytes(export_model(graph, {DType::f64, {}}), sample.op, {}, options);
  const int64_t rows = again.batched ? 3 : 1;
  const auto inputs = inputs_for(sample, rows);
  expect_near(interpret(again.graph, inputs, rows)[0], interpret(graph, inputs, rows)[0], 1e-12);
  EXPECT_EQ(again.graph[again.graph.outputs[0].value].type.kind, graph[graph.outputs[0].value].type.kind);
}

TEST(Exporter, EveryOperationSurvivesARoundTrip) {
  for (const Sample& sample : all_samples()) ASSERT_NO_THROW(expect_round_trip(sample)) << sample.op;
}

TEST(Exporter, EveryOperationHasASample) {
  std::set<std::string> sampled;
  for (const Sample& sample : all_samples()) sampled.insert(sample.op);
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    if (op.op_class == OpClass::source) continue;
    EXPECT_TRUE(sampled.contains(name)) << name << " has no sample here";
  }
}

Graph network() {  // of everything that depends on the number of rows
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({N, 4, 6}));
  const Value merged = b.reshape(x, {Dim(0, 4), 6});
  const Value split = b.reshape(merged, {N, 4, 6});
  const Value shift = b.cast(b.integers({Dim(1, 2), 5}, {2, 1}), Kind::real);  // [[2N + 1], [5]]
  const Value ones = b.expand(b.scalar(1), {N, 1, 1});
  const Value flipped = b.slice(b.reshape(b.concat({b.reshape(shift, {1, 2}), b.reshape(shift, {1, 2})}, 0), {1, 4, 1}),
                                1, Dim(3), Dim(4), -1);
  b.output("y", b.add(b.mul(split, ones), flipped));
  return graph;
}

TEST(Exporter, ShapesAndConstantsThatDependOnTheBatchAreComputedAtRunTime) {
  const Graph graph = network();
  const ImportedModel again = import_model_bytes(export_model(graph, {DType::f64, {}}), "network", {});
  ASSERT_TRUE(again.batched) << again.why_not_batched;
  for (const int64_t rows : {1, 2, 5}) {
    const std::map<std::string, Tensor> inputs = {{"x", random_tensor({rows, 4, 6}, 7)}};
    expect_near(interpret(again.graph, inputs, rows)[0], interpret(graph, inputs, rows)[0], 1e-12);
  }
}

TEST(Exporter, WritesTheBatchAsASymbolAndTheMetadata) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(export_model(network(), {DType::f32, {{"method", "gradient"}}})));
  EXPECT_EQ(model.ir_version(), 8);
  EXPECT_EQ(model.opset_import(0).version(), 17);
  EXPECT_EQ(model.producer_name(), "ascribe");
  EXPECT_EQ(model.metadata_props(0).key(), "method");
  const auto& input = model.graph().input(0).type().tensor_type();
  EXPECT_EQ(input.elem_type(), onnx::TensorProto::FLOAT);
  EXPECT_EQ(input.shape().dim(0).dim_param(), "N");
  EXPECT_EQ(input.shape().dim(1).dim_value(), 4);
  EXPECT_EQ(model.graph().output(0).name(), "y");
}

TEST(Exporter, PortsMayHaveAnyNameAndOutputsMayBeInputs) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("v0", real({N, 2}));
  b.output("v1", b.op("relu", {x}));
  b.output("same", x);
  const ImportedModel again = import_model_bytes(export_model(graph), "names", {});
  ASSERT_EQ(again.graph.outputs.size(), 2U);
  EXPECT_EQ(again.graph.outputs[0].name, "v1");
  EXPECT_EQ(again.graph.outputs[1].name, "same");
  EXPECT_EQ(again.graph.inputs[0].name, "v0");
}

TEST(Exporter, PaddingThatWouldFillTheMemoryIsRefused) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {N, 2}});
  b.output("y", b.op("pad", {x},
                     {{"before", ints({0, 0})},
                      {"after", ints({0, int64_t{1} << 30})},
                      {"mode", text("edge")},
                      {"value", reals({0})}}));
  EXPECT_THROW(export_model(graph), Error);
}

}  // namespace
}  // namespace ascribe
