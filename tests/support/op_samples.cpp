#include "support/op_samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/ops.h"

namespace ascribe::core {
namespace {

const Dim N = kBatch;

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

std::vector<OpSample> elementwise_samples() {
  std::vector<OpSample> samples;
  for (const char* op :
       {"sigmoid", "tanh", "exp",   "erf",  "softplus", "sin",  "cos",    "tan",  "atan", "sinh",    "cosh",
        "asinh",   "neg",  "floor", "ceil", "round",    "sign", "is_nan", "silu", "mish", "quantize"}) {
    samples.push_back({op, {real({N, 3})}, {}});
  }
  for (const char* op : {"relu", "abs", "hard_swish"}) {
    samples.push_back({op, {real({N, 3})}, {}, {}, Range::separated});
  }
  samples.push_back({"gate", {real({N, 2, 3}), real({2, 1})}, {}, {}, Range::separated});
  samples.push_back({"gate", {real({N, 3}), real({N, 3})}, {}, {}, Range::separated});
  for (const double weight : {0.5, -0.5}) {
    samples.push_back({"sum_of_products",
                       {real({N, 2, 3}), real({3}), real({2, 1}), real({N, 2, 3})},
                       {{"weights", reals({1, weight})}}});
  }
  for (const bool guarded : {false, true}) {
    const Attributes attributes = {
        {"scale", reals({guarded ? 0.5 : -0.5})}, {"epsilon", reals({0.1})}, {"guarded", ints({guarded ? 1 : 0})}};
    samples.push_back({"share", {real({N, 3}), real({N, 3})}, attributes, {}, Range::separated});
    samples.push_back({"share", {real({N, 3}), real({N, 3}), real({N, 3})}, attributes, {}, Range::separated});
  }
  samples.push_back({"secant",
                     std::vector<Type>(3, real({N, 3})),
                     {{"absolute", reals({0})}, {"relative", reals({0})}},
                     {},
                     Range::separated});
  samples.push_back({"secant",
                     std::vector<Type>(6, real({N, 3})),
                     {{"absolute", reals({1e-4})}, {"relative", reals({1e-4})}},
                     {},
                     Range::separated});
  // A negative base has powers with constant exponents only.
  samples.push_back({"pow",
                     {real({2, 4}), real({4})},
                     {},
                     {{0, Tensor::of<double>({2, 4}, {-1.5, 0, -0.5, 0.7, 1.5, -2, 0, -0.2})},
                      {1, Tensor::of<double>({4}, {3, 2, 1, 0})}},
                     Range::any,
                     {1}});
  samples.push_back(
      {"pow", {real({N, 3}), real({1})}, {}, {{1, Tensor::of<double>({1}, {-1.5})}}, Range::positive, {1}});
  for (const char* op : {"log", "sqrt", "reciprocal", "asin", "acos", "atanh"}) {
    samples.push_back({op, {real({N, 3})}, {}, {}, Range::positive});
  }
  for (const char* op : {"add", "sub", "mul", "maximum", "minimum", "less", "less_equal", "equal"}) {
    samples.push_back({op, {real({N, 2, 3}), real({2, 1})}, {}, {}, Range::separated});
    samples.push_back(
        {op, {integer({2, 2}), integer({2})}, {}, {{0, integers({2, 2}, {1, -2, 3, 4})}, {1, integers({2}, {1, 4})}}});
  }
  for (const char* op : {"div", "pow"}) samples.push_back({op, {real({N, 3}), real({3})}, {}, {}, Range::positive});
  samples.push_back(
      {"div", {integer({2}), integer({2})}, {}, {{0, integers({2}, {7, -7})}, {1, integers({2}, {2, 2})}}});
  for (const int64_t fmod : {0, 1}) {
    samples.push_back({"mod",
                       {real({2, 3}), real({3})},
                       {{"fmod", ints({fmod})}},
                       {{0, Tensor::of<double>({2, 3}, {7.3, -2.2, 0.4, -7.3, 5.1, -0.4})},
                        {1, Tensor::of<double>({3}, {2.1, -1.3, 1.7})}}});
    samples.push_back({"mod",
                       {real({N, 3}), real({3})},
                       {{"fmod", ints({fmod})}},
                       {{1, Tensor::of<double>({3}, {2, 3, 4})}},
                       Range::positive});
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
  for (const double sign : {1, -1}) {
    samples.push_back({"leaky_relu", {real({N, 3})}, {{"alpha", reals({sign * 0.1})}}, {}, Range::separated});
    samples.push_back({"elu", {real({N, 3})}, {{"alpha", reals({sign * 0.7})}}, {}, Range::separated});
  }
  samples.push_back({"gelu", {real({N, 3})}, {{"approximate", text("none")}}});
  samples.push_back({"gelu", {real({N, 3})}, {{"approximate", text("tanh")}}});
  for (const auto& [low, high] :
       {std::pair{-0.5, 0.25}, {-INFINITY, 0.25}, {0.0, INFINITY}, {0.0, 1.0}, {-2.0, -1.0}}) {
    samples.push_back({"clip", {real({N, 3})}, {{"min", reals({low})}, {"max", reals({high})}}, {}, Range::separated});
  }
  samples.push_back(
      {"clip", {integer({3})}, {{"min", reals({0})}, {"max", reals({INFINITY})}}, {{0, integers({3}, {-1, 0, 5})}}});
  samples.push_back({"where", {boolean({2, 1}), real({2, 3}), real({3})}, {}, {{0, booleans({2, 1}, {0, 1})}}});
  samples.push_back(
      {"where", {boolean({2, 1}), real({N, 2, 3}), real({N, 1, 3})}, {}, {{0, booleans({2, 1}, {0, 1})}}});
  samples.push_back({"where",
                     {boolean({2}), boolean({2}), boolean({2})},
                     {},
                     {{0, booleans({2}, {0, 1})}, {1, booleans({2}, {1, 1})}, {2, booleans({2}, {0, 0})}}});
  samples.push_back({"cast", {real({N, 3})}, {{"to", text("real")}}});
  samples.push_back({"cast", {real({N, 3})}, {{"to", text("integer")}}});
  samples.push_back({"cast", {integer({3})}, {{"to", text("real")}}, {{0, integers({3}, {-1, 0, 5})}}});
  samples.push_back({"cast", {integer({3})}, {{"to", text("boolean")}}, {{0, integers({3}, {-1, 0, 5})}}});
  return samples;
}

std::vector<OpSample> movement_samples() {
  std::vector<OpSample> samples;
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
  samples.push_back(
      {"slice", {real({N, 7})}, {{"starts", ints({0, 6})}, {"sizes", Dims{N, 3}}, {"steps", ints({1, -3})}}});
  samples.push_back(
      {"slice", {real({N, 7})}, {{"starts", ints({0, 1})}, {"sizes", Dims{N, 2}}, {"steps", ints({1, 3})}}});
  samples.push_back(
      {"slice", {real({4, 5})}, {{"starts", ints({1, 2})}, {"sizes", ints({2, 3})}, {"steps", ints({1, 1})}}});
  samples.push_back(
      {"slice", {real({4, 5})}, {{"starts", ints({7, 0})}, {"sizes", ints({0, 5})}, {"steps", ints({1, 1})}}});
  for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
    samples.push_back({"pad", {real({N, 3, 4})}, padding(mode)});
    samples.push_back({"pad",
                       {real({2, 3})},
                       {{"before", ints({3, 0})}, {"after", ints({0, 7})}, {"mode", mode}, {"value", reals({0})}}});
  }
  samples.push_back({"pad", {real({N, 3, 4})}, with(padding("constant"), "value", reals({-1}))});
  const Attributes axis = {{"axis", ints({1})}};
  samples.push_back({"gather", {real({N, 4, 2}), integer({2, 2})}, axis, {{1, integers({2, 2}, {0, -1, 2, 2})}}});
  samples.push_back(
      {"gather", {real({3, 2, 2}), integer({3})}, {{"axis", ints({0})}}, {{1, integers({3}, {2, 0, 2})}}});
  samples.push_back(
      {"gather", {real({N, 2, 4}), integer({3})}, {{"axis", ints({2})}}, {{1, integers({3}, {1, 1, -4})}}});
  samples.push_back({"gather", {real({N, 4, 2}), integer({})}, axis, {{1, Tensor::scalar(int64_t{-2})}}});
  samples.push_back({"gather", {real({N, 4}), integer({1})}, axis, {{1, integers({1}, {3})}}});
  samples.push_back({"gather_elements", {real({2, 3}), integer({2, 2})}, axis, {{1, integers({2, 2}, {0, -1, 2, 2})}}});
  samples.push_back(
      {"gather_nd", {real({2, 3}), integer({2, 1})}, {{"batch_dims", ints({1})}}, {{1, integers({2, 1}, {2, 0})}}});
  samples.push_back({"gather_nd",
                     {real({3, 2, 4}), integer({3, 2})},
                     {{"batch_dims", ints({0})}},
                     {{1, integers({3, 2}, {2, 1, -1, 0, 2, 1})}}});
  samples.push_back({"gather_nd",
                     {real({2, 3, 2, 2}), integer({2, 3, 2, 1})},
                     {{"batch_dims", ints({2})}},
                     {{1, integers({2, 3, 2, 1}, {0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0})}}});
  // Updates that meet: with none the last one stays.
  for (const char* reduction : {"none", "add"}) {
    samples.push_back({"scatter_elements",
                       {real({3, 3}), integer({3, 2}), real({3, 2})},
                       {{"axis", ints({0})}, {"reduction", reduction}},
                       {{1, integers({3, 2}, {0, 1, 2, 1, 0, -2})}}});
    samples.push_back({"scatter_nd",
                       {real({3, 2, 2}), integer({4, 2}), real({4, 2})},
                       {{"reduction", reduction}},
                       {{1, integers({4, 2}, {0, 1, 2, 0, 0, -1, 1, 1})}}});
  }
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
  for (const int64_t flags : {0, 1, 2}) {
    samples.push_back({"cumsum",
                       {real({N, 4})},
                       {{"axis", ints({1})}, {"exclusive", ints({flags % 2})}, {"reverse", ints({flags / 2})}}});
  }
  samples.push_back({"resample",
                     {real({2, 3, 4}), integer({3, 2}), real({3, 2})},
                     {{"axis", ints({2})}},
                     {{1, integers({3, 2}, {0, 3, -2, 1, 1, 1})}}});
  samples.push_back({"resample",
                     {real({N, 3, 2}), integer({4, 2}), real({4, 2})},
                     axis,
                     {{1, integers({4, 2}, {0, 1, 1, 1, 1, 2, 2, 0})}}});
  return samples;
}

std::vector<OpSample> other_samples() {
  std::vector<OpSample> samples;
  for (const char* op :
       {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_log_sum_exp"}) {
    samples.push_back({op, {real({N, 2, 3})}, axes({1}, true), {}, Range::separated});
    samples.push_back({op, {real({N, 2, 3})}, axes({1, 2}, false), {}, Range::separated});
    samples.push_back({op, {real({N, 2, 3})}, axes({2, 1}, true), {}, Range::separated});
    samples.push_back({op, {real({N, 2, 3})}, axes({}, false), {}, Range::separated});
  }
  for (const char* op : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_log_sum_exp"}) {
    samples.push_back({op, {real({N, 2, 3})}, axes({0, 2}, false), {}, Range::separated});
  }
  samples.push_back({"reduce_mean", {real({N, 2, 3, 2})}, axes({2, 3}, true)});
  samples.push_back(
      {"reduce_prod", {real({2, 3})}, axes({1}, false), {{0, Tensor::of<double>({2, 3}, {1, 0, 2, 3, -1, 0.5})}}});
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
  // Rows and columns of rank 1, and stacks that broadcast both ways.
  const Attributes plain = {{"transpose_a", ints({0})}, {"transpose_b", ints({0})}};
  samples.push_back({"matmul", {real({3}), real({3})}, plain});
  samples.push_back({"matmul", {real({3}), real({2, 3, 4})}, plain});
  samples.push_back({"matmul", {real({N, 2, 3}), real({3})}, plain});
  samples.push_back({"matmul", {real({N, 1, 2, 3}), real({4, 3, 2})}, plain});
  samples.push_back(
      {"matmul", {real({3, 2}), real({N, 2, 4, 3})}, {{"transpose_a", ints({1})}, {"transpose_b", ints({1})}}});
  samples.push_back({"conv", {real({N, 4, 6, 5}), real({2, 2, 3, 2})}, convolution(2)});
  samples.push_back({"conv", {real({N, 3, 6, 6}), real({6, 1, 3, 2}), real({6})}, convolution(3)});
  samples.push_back({"conv",
                     {real({2, 2, 8}), real({3, 2, 3})},
                     {{"strides", ints({3})}, {"pads", ints({0, 1})}, {"dilations", ints({1})}, {"group", ints({1})}}});
  samples.push_back({"conv",
                     {real({N, 1, 4, 3, 3}), real({2, 1, 2, 2, 1})},
                     {{"strides", ints({1, 2, 1})},
                      {"pads", ints({1, 0, 0, 0, 1, 2})},
                      {"dilations", ints({2, 1, 1})},
                      {"group", ints({1})}}});
  samples.push_back({"conv_transpose",
                     {real({N, 4, 3, 3}), real({4, 1, 3, 2}), real({2})},
                     with(convolution(2), "output_padding", ints({0, 0}))});
  samples.push_back({"conv_transpose",
                     {real({2, 2, 4}), real({2, 3, 3})},
                     {{"strides", ints({3})},
                      {"pads", ints({2, 1})},
                      {"dilations", ints({2})},
                      {"group", ints({1})},
                      {"output_padding", ints({2})}}});
  samples.push_back({"conv", {real({N, 2, 6, 5}), real({3, 2, 3, 2}), real({3})}, convolution(1)});
  samples.push_back({"conv_transpose",
                     {real({N, 2, 4, 3}), real({2, 3, 3, 2}), real({3})},
                     with(convolution(1), "output_padding", ints({1, 0}))});
  for (const int64_t ceil_mode : {0, 1}) {
    for (const int64_t dilation : {1, 2}) {
      const Attributes window = pool(ceil_mode, {1, dilation});
      const Type whole = real({N, 2, 6, 6}), pooled = infer_op("max_pool", {whole}, window);
      samples.push_back({"max_pool", {whole}, window, {}, Range::separated});
      samples.push_back({"max_pool_pick", {whole, whole}, window, {}, Range::separated});
      samples.push_back({"max_pool_scatter", {pooled, whole}, window, {}, Range::separated});
    }
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

}  // namespace

std::vector<OpSample> op_samples() {
  std::vector<OpSample> samples = elementwise_samples();
  for (const auto& more : {movement_samples(), other_samples()})
    samples.insert(samples.end(), more.begin(), more.end());
  return samples;
}

namespace {

// Different values, 0.3 apart, none of them near 0: nothing that a small step could change chooses anew.
void separate(Tensor& tensor, uint64_t seed) {
  const auto values = tensor.mutable_data<double>();
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  const double middle = static_cast<double>(values.size() / 2);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    values[order[rank]] = 0.3 * (static_cast<double>(rank) - middle) + 0.15 + 0.02 * static_cast<double>(seed % 5);
  }
}

Tensor random_operand(const OpSample& sample, size_t index, int64_t rows) {
  if (const auto found = sample.values.find(index); found != sample.values.end()) return found->second;
  const uint64_t seed = 100 + index;
  Tensor tensor = random_tensor(at(sample.operands[index].shape, rows), seed);
  if (sample.range == Range::separated) separate(tensor, seed);
  if (sample.range == Range::positive) {
    for (double& value : tensor.mutable_data<double>()) value = 0.05 + 0.9 / (1 + std::exp(-value));
  }
  return tensor;
}

}  // namespace

std::map<std::string, Tensor> sample_inputs(const OpSample& sample, int64_t rows) {
  std::map<std::string, Tensor> inputs;
  for (size_t i = 0; i < sample.operands.size(); ++i) inputs[fmt::format("x{}", i)] = random_operand(sample, i, rows);
  return inputs;
}

bool grows(const OpSample& sample) {
  return std::any_of(sample.operands.begin(), sample.operands.end(),
                     [](const Type& type) { return !all_fixed(type.shape); });
}

Graph sample_graph(const OpSample& sample, const std::set<size_t>& constant) {
  Graph graph;
  Builder b(graph);
  b.set_name("sampled");
  std::vector<Value> operands;
  for (size_t i = 0; i < sample.operands.size(); ++i) {
    operands.push_back(constant.contains(i) ? b.constant(random_operand(sample, i, 1))
                                            : b.input(fmt::format("x{}", i), sample.operands[i]));
  }
  b.output("y", b.op(sample.op, operands, sample.attributes));
  return graph;
}

}  // namespace ascribe::core
