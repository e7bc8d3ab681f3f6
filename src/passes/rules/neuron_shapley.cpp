// Deep SHAP over modules: the contributions dz_ij of a neuron are the players of the game v(S) = s(z' + sum over S of
// dz_ij), and its multiplier is shared out by their Shapley values: m_i = sum over j of m_j w_ij phi_ij / dz_ij. The
// quotient is a mean of slopes of s, one for each set that i joins, so that it has a limit where dz_ij is 0: the mean
// of s' over these sets. All subsets for few inputs; otherwise permutations, each with its reverse. Source: Lundberg,
// Lee, "A Unified Approach to Interpreting Model Predictions" (2017), section 4.2; Deng et al.
#include "passes/rules/neuron_shapley.h"

#include <cmath>
#include <numeric>

#include "base/random.h"
#include "graph/adjoint.h"
#include "graph/work.h"
#include "passes/activations.h"

namespace ascribe::core {

namespace {

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

// The probability with which a player finds each set of `others` before it, [2^others, 1].
Tensor weights_of_sets(int64_t others) {
  Tensor weights(DType::f64, {int64_t{1} << others, 1});
  for (int64_t s = 0; s < weights.size(); ++s) {
    const double size = __builtin_popcountll(static_cast<uint64_t>(s)), count = static_cast<double>(others) + 1;
    const double weight = std::exp(std::lgamma(size + 1) + std::lgamma(count - size) - std::lgamma(count + 1));
    weights.mutable_data<double>()[s] = weight;
  }
  return weights;
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

int64_t inputs_of(Builder& b, const LinearMap& map) {
  const Node& linear = map.node();
  const Dims& weight = b.shape(linear.inputs[static_cast<size_t>(map.weight_operand())]);
  const bool rows = linear.op->name == "conv" || linear.attributes.flag("transpose_b");
  return element_count(at(weight, 1)) / std::max<int64_t>(1, (rows ? weight[0] : weight.back()).fixed);
}

}  // namespace

NeuronShapley::Spread NeuronShapley::spread_dense(const ModuleRequest& r, Value change) {
  Builder& b = r.b();
  const Node& linear = r.map.node();
  const bool plain = r.map.weight_operand() == 1 && !linear.attributes.flag("transpose_a") &&
                     b.rank(linear.inputs[1]) == 2 && b.rank(change) >= 2;
  if (!plain) fail(ErrorKind::unsupported, describe(linear), "not a plain dense layer; use granularity=component");
  Value weight = linear.inputs[1];
  if (!linear.attributes.flag("transpose_b")) weight = b.transpose(weight, {1, 0});  // [neurons, inputs]
  Dims row = b.shape(change);
  row.insert(row.end() - 1, 1);
  const Dims shape = b.shape(change);
  return {b.mul(b.reshape(change, row), weight), weight, [&b](Value v) { return with_last(b, v, 1); },
          [&b, shape](Value v) { return b.reshape(v, shape); }};
}

NeuronShapley::Spread NeuronShapley::spread_conv(const ModuleRequest& r, Value change) {
  Builder& b = r.b();
  const Node& conv = r.map.node();
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
  return {b.mul(lines, weights), weights, values, back};
}

// phi_ij / dz_ij over all subsets at once, [..., neurons, inputs]. Set S is bit pattern S: along the axis of sets,
// those without i and those with i alternate in runs of 2^i.
Value NeuronShapley::over_subsets(const ModuleRequest& r, const Spread& spread, int64_t inputs) {
  Builder& b = r.b();
  const int64_t subsets = int64_t{1} << inputs;
  Tensor members(DType::f64, {inputs, subsets});
  for (int64_t s = 0; s < subsets; ++s) {
    for (int64_t i = 0; i < inputs; ++i) members.mutable_data<double>()[i * subsets + s] = (s >> i & 1) != 0 ? 1 : 0;
  }
  const Value sums = b.add(b.matmul(spread.contributions, b.constant(members)), spread.neurons(r.z_b));
  const Value all_ones = b.expand(b.scalar(1), Dims(b.shape(sums)));
  const ActivationPoint points = activation_point(b, r.activation, all_ones, sums);
  Dims half = b.shape(sums);
  half.back() = subsets / 2;
  const Value ones = b.expand(b.scalar(1), half), weights = b.constant(weights_of_sets(inputs - 1));
  std::vector<Value> slopes;
  for (int64_t i = 0; i < inputs; ++i) {
    const auto side = [&](Value of, int64_t with) {
      if (!of.valid()) return of;
      Dims runs = b.shape(of);
      runs.back() = subsets >> (i + 1);
      runs.insert(runs.end(), {2, int64_t{1} << i});
      const int64_t axis = std::ssize(runs) - 2;
      return b.reshape(b.slice(b.reshape(of, runs), axis, with, 1), half);
    };
    const auto points_at = [&](int64_t with) -> ActivationPoint {
      return {side(points.x, with), side(points.y, with), side(points.tangent, with)};
    };
    slopes.push_back(b.matmul(activation_slope(b, r.activation, ones, points_at(1), points_at(0)), weights));
  }
  return b.concat(std::move(slopes), b.rank(spread.contributions) - 1);
}

// The same as a mean over permutations with their reverses.
Value NeuronShapley::over_permutations(const ModuleRequest& r, const Spread& spread, int64_t inputs, int64_t first,
                                       int64_t count) const {
  Builder& b = r.b();
  const Random random(options_.seed, static_cast<uint64_t>(r.depth));
  Tensor order(DType::i64, {count, inputs}), places(DType::i64, {inputs, count});
  for (int64_t p = 0; p < count; ++p) {
    const auto permutation = random.permutation(static_cast<uint64_t>(first + p), inputs);
    for (int64_t k = 0; k < inputs; ++k) {
      order.mutable_data<int64_t>()[p * inputs + k] = permutation[static_cast<size_t>(k)];
      places.mutable_data<int64_t>()[permutation[static_cast<size_t>(k)] * count + p] = p * inputs + k;
    }
  }
  const int64_t last = b.rank(spread.contributions) - 1;
  const Value coming =
      b.op("gather", {spread.contributions, b.constant(order)}, {{"axis", ints({last})}});  // [..., count, inputs]
  const Value before =
      b.op("cumsum", {coming}, {{"axis", ints({last + 1})}, {"exclusive", ints({1})}, {"reverse", ints({0})}});
  const Value after = b.add(before, coming);
  const Value z_b = with_last(b, spread.neurons(r.z_b), 1), z = with_last(b, spread.neurons(r.z), 1);
  const Value ones = b.expand(b.scalar(1), Dims(b.shape(after)));
  const auto slope = [&](Value to, Value from) {
    return activation_slope(b, r.activation, ones, activation_point(b, r.activation, ones, to),
                            activation_point(b, r.activation, ones, from));
  };
  const Value forward = slope(b.add(after, z_b), b.add(before, z_b));
  const Value reversed = slope(b.sub(z, before), b.sub(z, after));
  Dims flat = b.shape(spread.contributions);
  flat.back() = count * inputs;
  const Value both = b.reshape(b.mul(b.add(forward, reversed), 0.5), flat);
  const Value found = b.op("gather", {both, b.constant(places)}, {{"axis", ints({last})}});
  return b.reduce("reduce_mean", found, {last + 1}, false);
}

const NeuronShapley::Slopes& NeuronShapley::slopes_of(const ModuleRequest& r, int64_t inputs) {
  const std::pair key{r.z, r.activated};
  if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
  Builder& b = r.b();
  const Value change = b.sub(r.x(), r.x_b);
  Slopes slopes;
  slopes.spread = r.map.node().op->name == "conv" ? spread_conv(r, change) : spread_dense(r, change);
  if (inputs <= options_.exact_inputs) {
    slopes.mean = over_subsets(r, slopes.spread, inputs);
  } else {
    // Group by group, which keeps what is held at a time small.
    int64_t first = 0;
    for (const int64_t size : group_sizes()) {
      slopes.by_group.push_back(over_permutations(r, slopes.spread, inputs, first, size));
      const Value part =
          b.mul(slopes.by_group.back(), static_cast<double>(size) / static_cast<double>(options_.permutations));
      slopes.mean = first == 0 ? part : b.add(slopes.mean, part);
      first += size;
    }
  }
  return kept_.emplace(key, std::move(slopes)).first->second;
}

Value NeuronShapley::shared_out(const ModuleRequest& r, int64_t group) {
  Builder& b = r.b();
  const Node& linear = r.map.node();
  const bool conv = linear.op->name == "conv";
  if (!conv && linear.op->name != "matmul") {
    fail(ErrorKind::unsupported, describe(linear), "has no neurons to spread out; use granularity=component");
  }
  const int64_t inputs = inputs_of(b, r.map);
  const bool exact = inputs <= options_.exact_inputs;
  const int64_t each = exact ? int64_t{1} << inputs : saturating_multiply(4 * options_.permutations, inputs);
  const int64_t neurons = element_count(at(b.shape(r.z), 1));
  evaluations_ = std::max(evaluations_, saturating_multiply(neurons, each));
  sampled_ = sampled_ || !exact;
  const Value still = r.map.backward(activation_gradient(b, r.activation, r.z, r.y, r.multiplier));
  if (evaluations_ > options_.most || inputs == 0) return still;  // refused in the end, with the whole cost

  const Slopes& slopes = slopes_of(r, inputs);
  const Spread& spread = slopes.spread;
  const bool all = group < 0 || slopes.by_group.empty();
  const Value own = all ? slopes.mean : slopes.by_group[static_cast<size_t>(group)];
  const Value given = spread.inputs(b.matmul(swapped(b, spread.neurons(r.multiplier)), b.mul(own, spread.weights)));
  if (options_.at_zero == AtZero::limit) return given;
  return b.op("where", {b.op("equal", {b.sub(r.x(), r.x_b), b.scalar(0)}), still, given});
}

std::vector<int64_t> NeuronShapley::group_sizes() const {
  std::vector<int64_t> sizes(static_cast<size_t>(options_.groups), options_.permutations / options_.groups);
  for (int64_t g = 0; g < options_.permutations % options_.groups; ++g) ++sizes[static_cast<size_t>(g)];
  return sizes;
}

ModuleRule NeuronShapley::rule() { return rule_of_group(-1); }

ModuleRule NeuronShapley::rule_of_group(int64_t group) {
  return [this, group](const ModuleRequest& r) { return shared_out(r, group); };
}

}  // namespace ascribe::core
