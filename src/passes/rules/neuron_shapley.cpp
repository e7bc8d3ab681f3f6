// Deep SHAP over modules: the contributions dz_ij of a neuron are the players of the game v(S) = s(z' + sum over S of
// dz_ij), and its multiplier is shared out by their Shapley values: m_i = sum over j of m_j phi_ij / dx_i, and the
// derivative's where dx_i is 0. All subsets for few inputs; otherwise permutations, each with its reverse.
// Source: Lundberg, Lee, "A Unified Approach to Interpreting Model Predictions" (2017), section 4.2; Deng et al.
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "graph/adjoint.h"
#include "graph/work.h"
#include "passes/activations.h"
#include "passes/multipliers.h"

namespace ascribe::core {

namespace {

// A layer with its neurons spread out: contributions [..., neurons, inputs], values of neurons [..., neurons, 1].
struct Spread {
  Value contributions;  // dz_ij
  std::function<Value(Value)> neurons;
  std::function<Value(Value)> inputs;  // [..., 1, inputs] back to the shape of x
};

Value with_last(Builder& b, Value x, Dim last) {
  Dims shape = b.shape(x);
  shape.push_back(last);
  return b.reshape(x, shape);
}

Value swapped(Builder& b, Value x) {
  std::vector<int64_t> perm(static_cast<size_t>(b.rank(x)));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return b.transpose(x, perm);
}

Spread spread_dense(const ModuleRequest& r, const Node& linear, Value change) {
  Builder& b = r.b();
  const bool plain = r.map.weight_operand() == 1 && !linear.attributes.flag("transpose_a") &&
                     b.rank(linear.inputs[1]) == 2 && b.rank(change) >= 2;
  if (!plain) fail(ErrorKind::unsupported, describe(linear), "not a plain dense layer; use granularity=component");
  Value weight = linear.inputs[1];
  if (!linear.attributes.flag("transpose_b")) weight = b.transpose(weight, {1, 0});  // [neurons, inputs]
  Dims row = b.shape(change);
  row.insert(row.end() - 1, 1);
  const Dims shape = b.shape(change);
  return {b.mul(b.reshape(change, row), weight), [&b](Value v) { return with_last(b, v, 1); },
          [&b, shape](Value v) { return b.reshape(v, shape); }};
}

// The patch that each output of a convolution sees, by a convolution with unit kernels: [N, channels * taps, ...].
Value patches(Builder& b, const Node& conv, Value change, int64_t channels) {
  Shape kernel = at(b.shape(conv.inputs[1]), 1);
  const int64_t taps = element_count(kernel) / kernel[0] / kernel[1];
  kernel[0] = channels * taps;
  kernel[1] = channels;
  Tensor units(DType::f64, kernel);
  const auto unit = units.mutable_data<double>();
  for (int64_t i = 0; i < channels * taps; ++i) unit[(i * channels + i / taps) * taps + i % taps] = 1;
  Attributes attributes = conv.attributes;
  attributes.set("group", ints({1}));
  return b.op("conv", {change, b.constant(units)}, attributes);
}

Spread spread_conv(const ModuleRequest& r, const Node& conv, Value change) {
  Builder& b = r.b();
  const Dims shape = b.shape(change), out = b.shape(r.z);
  const int64_t groups = conv.attributes.integer("group"), channels = shape[1].fixed, neurons = out[1].fixed;
  const Shape weight = at(b.shape(conv.inputs[1]), 1);
  const int64_t inputs = element_count(weight) / weight[0];
  Dim places = 1;
  for (size_t axis = 2; axis < out.size(); ++axis) places = places * out[axis];
  const Value seen = patches(b, conv, change, channels);
  // [N, groups, places, 1, inputs] times [groups, 1, neurons, inputs].
  Value lines = swapped(b, b.reshape(seen, {out[0], groups, inputs, places}));
  lines = b.reshape(lines, {out[0], groups, places, 1, inputs});
  const Value weights = b.reshape(conv.inputs[1], {groups, 1, neurons / groups, inputs});
  const auto values = [&b, out, groups, neurons, places](Value v) {
    return with_last(b, swapped(b, b.reshape(v, {out[0], groups, neurons / groups, places})), 1);
  };
  const auto back = [&b, seen, out, groups, inputs, places](Value v) {
    const Value joined = b.reshape(swapped(b, b.reshape(v, {out[0], groups, places, inputs})), Dims(b.shape(seen)));
    return LinearMap(b, seen, 0).backward(joined);
  };
  return {b.mul(lines, weights), values, back};
}

// phi_i = sum over S of w(S, i) v(S), for all subsets at once: two products with constant matrices.
Value over_subsets(const ModuleRequest& r, const Spread& spread, int64_t inputs) {
  Builder& b = r.b();
  const int64_t subsets = int64_t{1} << inputs;
  Tensor members(DType::f64, {inputs, subsets}), weights(DType::f64, {subsets, inputs});
  for (int64_t s = 0; s < subsets; ++s) {
    const int size = __builtin_popcountll(static_cast<uint64_t>(s));
    for (int64_t i = 0; i < inputs; ++i) {
      const bool inside = (s >> i & 1) != 0;
      const double others = size - (inside ? 1 : 0), count = static_cast<double>(inputs);
      const double weight = std::exp(std::lgamma(others + 1) + std::lgamma(count - others) - std::lgamma(count + 1));
      members.mutable_data<double>()[i * subsets + s] = inside ? 1 : 0;
      weights.mutable_data<double>()[s * inputs + i] = inside ? weight : -weight;
    }
  }
  const Value sums = b.matmul(spread.contributions, b.constant(members));
  const Value values = activation_at(b, r.activation, b.add(sums, spread.neurons(r.z_b)));
  return b.matmul(values, b.constant(weights));
}

// The mean over permutations and their reverses of what each contribution adds when it comes.
Value over_permutations(const ModuleRequest& r, const Spread& spread, int64_t inputs, int64_t count, uint64_t seed) {
  Builder& b = r.b();
  Tensor order(DType::i64, {count, inputs}), places(DType::i64, {inputs, count});
  for (int64_t p = 0; p < count; ++p) {
    const auto permutation = Random(seed).permutation(static_cast<uint64_t>(p), inputs);
    for (int64_t k = 0; k < inputs; ++k) {
      order.mutable_data<int64_t>()[p * inputs + k] = permutation[static_cast<size_t>(k)];
      places.mutable_data<int64_t>()[permutation[static_cast<size_t>(k)] * count + p] = p * inputs + k;
    }
  }
  const int64_t last = b.rank(spread.contributions) - 1;
  const auto at = [&](Value z) { return activation_at(b, r.activation, z); };
  const Value coming =
      b.op("gather", {spread.contributions, b.constant(order)}, {{"axis", ints({last})}});  // [..., count, inputs]
  const Value before =
      b.op("cumsum", {coming}, {{"axis", ints({last + 1})}, {"exclusive", ints({1})}, {"reverse", ints({0})}});
  const Value after = b.add(before, coming);
  const Value z_b = with_last(b, spread.neurons(r.z_b), 1), z = with_last(b, spread.neurons(r.z), 1);
  const Value forward = b.sub(at(b.add(after, z_b)), at(b.add(before, z_b)));
  const Value reversed = b.sub(at(b.sub(z, before)), at(b.sub(z, after)));
  const Value added = b.mul(b.add(forward, reversed), 0.5);
  Dims flat = b.shape(spread.contributions);
  flat.back() = count * inputs;
  const Value found = b.op("gather", {b.reshape(added, flat), b.constant(places)}, {{"axis", ints({last})}});
  return b.reduce("reduce_mean", found, {last + 1}, false);
}

Value shared_out(const ModuleRequest& r, const NeuronShapleyOptions& options, NeuronShapleyCost& cost) {
  Builder& b = r.b();
  const Node linear = r.map.node();
  const Value still = r.map.backward(r.tangent);
  const bool conv = linear.op->name == "conv";
  if (!conv && linear.op->name != "matmul") {
    fail(ErrorKind::unsupported, describe(linear), "has no neurons to spread out; use granularity=component");
  }
  const Dims& weight = b.shape(linear.inputs[static_cast<size_t>(r.map.weight_operand())]);
  const int64_t elements = element_count(at(weight, 1));
  const bool transposed = !conv && linear.attributes.flag("transpose_b");
  const int64_t inputs = elements / std::max<int64_t>(1, (conv || transposed ? weight[0] : weight.back()).fixed);
  const bool exact = inputs <= options.exact_inputs;
  const int64_t each = exact ? int64_t{1} << inputs : saturating_multiply(4 * options.permutations, inputs);
  const int64_t neurons = element_count(at(b.shape(r.z), 1));
  cost.evaluations = std::max(cost.evaluations, saturating_multiply(neurons, each));
  cost.sampled = cost.sampled || !exact;
  if (cost.evaluations > options.most) return still;  // refused in the end, with the whole cost

  const Value change = b.sub(r.x(), r.x_b);
  const Spread spread = conv ? spread_conv(r, linear, change) : spread_dense(r, linear, change);
  const Value shapley = exact ? over_subsets(r, spread, inputs)
                              : over_permutations(r, spread, inputs, options.permutations, options.seed);
  const Value given = spread.inputs(b.matmul(swapped(b, spread.neurons(r.multiplier)), shapley));
  const Value ones = b.expand(b.scalar(1), Dims(b.shape(given)));
  return secant(b, ones, given, b.mul(given, 0), r.x(), r.x_b, still, true);
}

}  // namespace

ModuleRule neuron_shapley(NeuronShapleyOptions options, NeuronShapleyCost* cost) {
  return [options, cost](const ModuleRequest& r) { return shared_out(r, options, *cost); };
}

}  // namespace ascribe::core
