// Every trait of every operation against what its reference `apply` does to the samples, both ways: a trait that is
// declared must hold on all of them, and one that is not declared must fail on one. So that a new operation which
// forgets a trait, or copies one too many, is found here and not in an explanation.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "passes/activations.h"
#include "support/errors.h"
#include "support/op_samples.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr int64_t kRows = 2;  // of samples that grow with the batch

// ---- one sample, run ----

bool is_real(const Tensor& tensor) { return kind_of(tensor.dtype()) == Kind::real; }

// Operands of a sample: random reals of any sign, or the values that the sample gives; times the scale.
std::vector<Tensor> operands_of(const OpSample& sample, uint64_t seed, double scale = 1, int64_t rows = kRows) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < sample.operands.size(); ++i) {
    const auto given = sample.values.find(i);
    operands.push_back(given != sample.values.end() ? given->second
                                                    : random_tensor(at(sample.operands[i].shape, rows), 31 * seed + i));
    if (!is_real(operands.back())) continue;
    for (double& value : operands.back().mutable_data<double>()) value *= scale;
  }
  return operands;
}

Tensor run(const OpSample& sample, const std::vector<Tensor>& operands, int64_t rows = kRows) {
  return apply_op(sample.op, operands, sample.attributes.resolved(rows));
}

// Whether the sample takes a real and gives a real.
bool is_of_reals(const OpSample& sample) {
  const auto operands = operands_of(sample, 1);
  return std::any_of(operands.begin(), operands.end(), is_real) && is_real(run(sample, operands));
}

bool differ(double a, double b) { return a != b && !(std::isnan(a) && std::isnan(b)); }

// The elements of the result that change with one element of an operand; none where the change is refused.
std::vector<int64_t> reached_from(const OpSample& sample, std::vector<Tensor> operands, size_t operand, int64_t at) {
  const Tensor before = run(sample, operands);
  Tensor& tensor = operands[operand];
  if (tensor.dtype() == DType::boolean) tensor.mutable_data<uint8_t>()[at] ^= 1;
  else if (tensor.dtype() == DType::i64) tensor.mutable_data<int64_t>()[at] += 1;
  else tensor.mutable_data<double>()[at] = 5 - tensor.data<double>()[at];
  std::vector<int64_t> reached;
  try {
    const Tensor after = run(sample, operands);
    for (int64_t i = 0; i < after.size(); ++i) {
      if (differ(before.at(i), after.at(i))) reached.push_back(i);
    }
  } catch (const Error&) {  // an index that leaves its axis
  }
  return reached;
}

// ---- traits, each as the search for something that contradicts it ----

// What contradicts a trait on a sample; nothing: it holds. A sample about which the trait says nothing: not asked.
using Complaint = std::optional<std::string>;

struct TraitCheck {
  std::string trait;
  bool (*declared)(const Traits&);
  bool (*asked)(const OpSample&);
  Complaint (*complaint)(const OpSample&);
  std::map<std::string, std::string> silent = {};  // operations that have it on all samples and do not say so: why
};

// The element of an operand that broadcasts to an element of the result; -1: it does not.
int64_t broadcast_from(const Shape& operand, const Shape& result, int64_t flat) {
  if (operand.size() > result.size()) return -1;
  int64_t from = 0, stride = 1;
  for (size_t back = 1; back <= operand.size(); ++back) {
    const int64_t own = operand[operand.size() - back], extent = result[result.size() - back];
    if (own != extent && own != 1) return -1;
    if (own != 1) from += flat % extent * stride;
    flat /= extent;
    stride *= own;
  }
  return from;
}

Shape broadcast_shape(const std::vector<Tensor>& operands) {
  Shape shape;
  for (const Tensor& operand : operands) {
    const Shape& own = operand.shape();
    if (own.size() > shape.size()) shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (size_t back = 1; back <= own.size(); ++back) {
      int64_t& extent = shape[shape.size() - back];
      if (extent == 1) extent = own[own.size() - back];
    }
  }
  return shape;
}

Complaint not_pointwise(const OpSample& sample) {
  const auto operands = operands_of(sample, 1);
  const Tensor result = run(sample, operands);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (broadcast_from(operands[k].shape(), result.shape(), 0) < 0)
      return "an operand does not broadcast to the result";
    for (int64_t j = 0; j < operands[k].size(); ++j) {
      for (const int64_t i : reached_from(sample, operands, k, j)) {
        if (broadcast_from(operands[k].shape(), result.shape(), i) != j)
          return fmt::format("element {} of operand {} changes element {}", j, k, i);
      }
    }
  }
  if (broadcast_shape(operands) != result.shape()) return "the result is larger than its operands";
  return std::nullopt;
}

// Along each spatial axis, o * stride - before + k * dilation for some k.
bool is_in_window(const Attributes& attributes, const Shape& kernel, const Shape& x, const Shape& y, int64_t from,
                  int64_t to) {
  const auto strides = attributes.integers("strides"), pads = attributes.integers("pads"),
             dilations = attributes.integers("dilations");
  for (size_t axis = kernel.size(); axis-- > 0;) {
    const int64_t i = from % x[axis + 2], o = to % y[axis + 2];
    from /= x[axis + 2];
    to /= y[axis + 2];
    const int64_t offset = i - (o * strides[axis] - pads[axis]);
    if (offset < 0 || offset % dilations[axis] != 0 || offset / dilations[axis] >= kernel[axis]) return false;
  }
  return from / x[1] == to / y[1];  // the row
}

Complaint not_windowed(const OpSample& sample) {
  const auto operands = operands_of(sample, 1);
  const Tensor result = run(sample, operands);
  const Shape x = operands[0].shape();
  Shape kernel;
  if (sample.attributes.has("kernel")) kernel = sample.attributes.integers("kernel");
  else kernel.assign(operands[1].shape().begin() + 2, operands[1].shape().end());
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].shape() != x) continue;
    for (int64_t j = 0; j < operands[k].size(); ++j) {
      for (const int64_t i : reached_from(sample, operands, k, j)) {
        if (!is_in_window(sample.attributes, kernel, x, result.shape(), j, i))
          return fmt::format("element {} of operand {} changes element {}", j, k, i);
      }
    }
  }
  return std::nullopt;
}

std::vector<double> real_elements(const std::vector<Tensor>& operands) {
  std::vector<double> elements;
  for (const Tensor& operand : operands) {
    if (!is_real(operand)) continue;
    const auto values = values_of(operand);
    elements.insert(elements.end(), values.begin(), values.end());
  }
  return elements;
}

// For each element of the result the real element that it is in two draws, which hold no number twice; -1: a constant.
// Nothing: some element is neither.
std::optional<std::vector<int64_t>> origins(const OpSample& sample) {
  const auto one = operands_of(sample, 1), other = operands_of(sample, 2, 1.25);
  const auto from = real_elements(one), other_from = real_elements(other);
  const auto to = values_of(run(sample, one)), other_to = values_of(run(sample, other));
  std::vector<int64_t> result;
  for (size_t i = 0; i < to.size(); ++i) {
    const auto found = std::find(from.begin(), from.end(), to[i]);
    const auto j = found == from.end() ? -1 : found - from.begin();
    if (other_to[i] != (j < 0 ? to[i] : other_from[static_cast<size_t>(j)])) return std::nullopt;
    result.push_back(j);
  }
  return result;
}

Complaint not_moved(const OpSample& sample) {
  if (origins(sample)) return std::nullopt;
  return "an element of the result is not always the same element of an operand, or the same constant";
}

Complaint not_rearranged(const OpSample& sample) {
  const auto from = origins(sample);
  if (!from) return not_moved(sample);
  std::vector<int> uses(real_elements(operands_of(sample, 1)).size());
  for (const int64_t j : *from) {
    if (j < 0) return "an element of the result is a constant";
    ++uses[static_cast<size_t>(j)];
  }
  if (std::all_of(uses.begin(), uses.end(), [](int count) { return count == 1; })) return std::nullopt;
  return "an element of the operands is dropped or repeated";
}

// The sample on many real operands, small and large, to which `change` was done.
template <class Change>
Complaint any_result(const OpSample& sample, const std::function<bool(double)>& is_wrong, Change change) {
  constexpr int64_t rows = 40;
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const double scale = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 0.4 : 4;
    auto operands = operands_of(sample, seed, scale, rows);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!is_real(operands[k])) continue;
      for (double& value : operands[k].mutable_data<double>()) value = change(value, k);
    }
    for (const double value : values_of(run(sample, operands, rows))) {
      if (is_wrong(value)) return fmt::format("a result is {}", value);
    }
  }
  return std::nullopt;
}

bool is_negative(double value) { return value < 0; }

Complaint ever_negative(const OpSample& sample) {
  return any_result(sample, is_negative, [](double value, size_t) { return value; });
}

Complaint turns_negative(const OpSample& sample) {
  return any_result(sample, is_negative, [](double value, size_t) { return std::abs(value); });
}

// Far from 0 and near it. Operands differ in size, or a quotient would not show.
Complaint not_bounded(const OpSample& sample) {
  const auto is_far = [](double value) { return !(std::abs(value) < 10); };
  const auto far = any_result(sample, is_far, [](double value, size_t k) { return value * (k == 0 ? 1e9 : 1e3); });
  return far ? far : any_result(sample, is_far, [](double value, size_t) { return value * 1e-9; });
}

// y at each x, for a function of one number; further operands are the sample's first values.
std::vector<double> curve(const OpSample& sample, const std::vector<double>& x) {
  std::vector<Tensor> operands = operands_of(sample, 4);
  operands[0] = Tensor::of<double>({static_cast<int64_t>(x.size())}, x);
  for (size_t k = 1; k < operands.size(); ++k) operands[k] = Tensor::scalar(operands[k].at(0));
  return values_of(run(sample, operands));
}

std::vector<double> grid(double low, double high, int count) {
  std::vector<double> x;
  for (int i = 0; i <= count; ++i) x.push_back(low + (high - low) * i / count);
  return x;
}

bool is_of_one_number(const OpSample& sample) {
  return is_function_of_one_number(op_named(sample.op)) && is_of_reals(sample);
}

Complaint falls(const OpSample& sample) {
  const auto x = grid(-8, 8, 2000), y = curve(sample, x);
  for (size_t i = 1; i < x.size(); ++i) {
    if (y[i] < y[i - 1]) return fmt::format("it falls from {} to {} at {}", y[i - 1], y[i], x[i]);
  }
  return std::nullopt;
}

Complaint has_a_scale(const OpSample& sample) {
  const std::vector<double> x = {0.1, 0.2, 0.35, 0.45, 1.1, 2.3, 3.1};
  std::vector<double> doubled = x;
  for (double& value : doubled) value *= 2;
  const auto y = curve(sample, x), y_doubled = curve(sample, doubled);
  const auto same = [&](auto compared) {
    for (size_t i = 0; i < x.size(); ++i) {
      if (!(std::abs(compared(y_doubled[i], y[i]) - compared(y_doubled[0], y[0])) < 1e-9)) return false;
    }
    return true;
  };
  if (same(std::divides{}) || same(std::minus{})) return std::nullopt;
  return "f(2 x) is neither a multiple of f(x) nor a sum with it";
}

Complaint far_from_the_identity(const OpSample& sample) {
  const auto x = grid(-8, 8, 2000), y = curve(sample, x);
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(std::abs(y[i] - x[i]) <= 0.5)) return fmt::format("{} becomes {}", x[i], y[i]);
  }
  return std::nullopt;
}

Complaint not_commuting(const OpSample& sample) {
  const auto operands = operands_of(sample, 5);
  const Tensor result = run(sample, operands);
  try {
    const Tensor swapped = run(sample, {operands[1], operands[0]});
    for (int64_t i = 0; i < result.size(); ++i) {
      if (differ(result.at(i), swapped.at(i))) return fmt::format("{} became {}", result.at(i), swapped.at(i));
    }
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

bool is_elementwise(const OpSample& sample) { return op_named(sample.op).op_class == OpClass::elementwise; }

const std::vector<TraitCheck> kChecks = {
    {"pointwise", [](const Traits& t) { return t.pointwise; }, [](const OpSample&) { return true; }, not_pointwise},
    {"windowed", [](const Traits& t) { return t.windowed; },
     [](const OpSample& sample) { return sample.attributes.has("strides"); }, not_windowed},
    {"moves", [](const Traits& t) { return t.moves; }, is_of_reals, not_moved},
    {"rearranges", [](const Traits& t) { return t.rearranges; }, is_of_reals, not_rearranged},
    {"sign: never negative", [](const Traits& t) { return t.sign == Sign::never_negative; }, is_of_reals,
     ever_negative},
    {"sign: kept", [](const Traits& t) { return t.sign != Sign::any; }, is_of_reals, turns_negative},
    {"bounded",
     [](const Traits& t) { return t.bounded; },
     is_of_reals,
     not_bounded,
     {{"normalize", "the bound is the root of the number of elements"}}},
    {"rises", [](const Traits& t) { return t.rises; }, is_of_one_number, falls},
    {"scale_free", [](const Traits& t) { return t.scale_free; }, is_elementwise, has_a_scale},
    {"straight_through",
     [](const Traits& t) { return t.straight_through; },
     is_of_one_number,
     far_from_the_identity,
     {{"round", "a model that rounds by itself means the step"}, {"cast", "from real to real it is the identity"}}},
    {"commutes", [](const Traits& t) { return t.commutes; },
     [](const OpSample& sample) { return sample.operands.size() == 2 && op_named(sample.op).max_inputs == 2; },
     not_commuting},
};

std::vector<OpSample> samples_of(const std::string& op) {
  std::vector<OpSample> samples = op_samples();
  std::erase_if(samples, [&](const OpSample& sample) { return sample.op != op; });
  return samples;
}

void expect_trait(const TraitCheck& check, const Op& op) {
  const bool is_silent = check.silent.contains(op.name);
  bool shown = !check.declared(op.traits), undeclared = false, contradicted = false;
  for (const OpSample& sample : samples_of(op.name)) {
    if (!check.asked(sample)) continue;
    Complaint complaint;
    try {
      complaint = check.complaint(sample);
    } catch (const Error& error) {
      ADD_FAILURE() << op.name << " cannot be asked about '" << check.trait << "': " << error.what();
      continue;
    }
    if (check.declared(traits_of(op, sample.attributes))) {
      shown = true;
      EXPECT_FALSE(complaint) << op.name << " declares '" << check.trait << "', but " << *complaint;
    } else {
      undeclared = true;
      contradicted = contradicted || complaint;
    }
  }
  EXPECT_TRUE(shown) << op.name << " declares '" << check.trait << "', but no sample shows it";
  if (!undeclared) {
    EXPECT_FALSE(is_silent) << op.name << " declares '" << check.trait << "' and is listed as one that does not";
    return;
  }
  EXPECT_NE(contradicted, is_silent) << op.name << " does not declare '" << check.trait
                                     << (is_silent ? "' and is listed for nothing" : "', but all samples have it");
}

// ---- the walk over the registry ----

TEST(Traits, WhatIsDeclaredHoldsAndWhatIsNotFailsSomewhere) {
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    for (const TraitCheck& check : kChecks) expect_trait(check, op);
  }
}

TEST(Traits, AttributesAddTraitsAndTakeNoneAway) {
  for (const OpSample& sample : op_samples()) {
    const Op& op = op_named(sample.op);
    const Traits traits = traits_of(op, sample.attributes);
    for (const TraitCheck& check : kChecks) {
      EXPECT_TRUE(check.declared(traits) || !check.declared(op.traits)) << sample.op << " " << check.trait;
    }
    EXPECT_EQ(traits.layer, op.traits.layer) << sample.op;
    EXPECT_EQ(contradiction(op, traits), "") << sample.op;
  }
}

TEST(Traits, APointwiseFunctionMayOverwriteItsOperand) {
  for (const OpSample& sample : op_samples()) {
    if (!op_named(sample.op).traits.pointwise || sample.operands.size() != 1) continue;
    std::vector<Tensor> operands = operands_of(sample, 6);
    const Tensor expected = run(sample, operands);
    if (expected.dtype() != operands[0].dtype()) continue;
    const std::vector<TensorRef> own = {operands[0].ref()};
    op_named(sample.op).apply({own, own[0], sample.attributes.resolved(kRows)});
    for (int64_t i = 0; i < expected.size(); ++i) {
      EXPECT_FALSE(differ(operands[0].at(i), expected.at(i))) << sample.op << ", element " << i;
    }
  }
}

// A layer sums products with weights.
TEST(Traits, ALayerIsABilinearOperationThatIsNotPointwise) {
  const std::map<std::string, std::string> others = {{"resample", "its weights are made from sizes, not learned"}};
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    const bool sums_products = op.op_class == OpClass::bilinear && !op.traits.pointwise && !others.contains(name);
    EXPECT_EQ(op.traits.layer != LayerKind::none, sums_products) << name;
    if (sums_products) {
      const bool slides = samples_of(name)[0].attributes.has("strides");
      EXPECT_EQ(op.traits.layer, slides ? LayerKind::conv : LayerKind::dense) << name;
    }
  }
}

// ---- what follows from traits and classes ----

// How a curve is made: differences of the first and second order, where it is finite.
struct Curvature {
  int steps = 0, slopes = 0, bends = 0;  // points; those where it climbs or falls without a jump; those where it bends
};

Curvature curvature_of(const OpSample& sample) {
  const auto y = curve(sample, grid(-8.003, 8, 2000));
  Curvature result;
  for (size_t i = 2; i < y.size(); ++i) {
    const double step = y[i] - y[i - 1], bend = step - (y[i - 1] - y[i - 2]);
    if (!std::isfinite(bend)) continue;
    ++result.steps;
    if (step != 0 && std::abs(step) < 0.5) ++result.slopes;
    if (std::abs(bend) > 1e-9) ++result.bends;
  }
  return result;
}

TEST(Traits, AnActivationIsAFunctionOfOneNumberThatBends) {
  constexpr int kinks = 8;  // of a curve made of straight pieces, counted twice
  for (const OpSample& sample : op_samples()) {
    const Op& op = op_named(sample.op);
    if (!is_of_one_number(sample)) {
      EXPECT_TRUE(!is_activation(op) || op.op_class == OpClass::elementwise || !is_of_reals(sample)) << op.name;
      continue;
    }
    const Curvature curvature = curvature_of(sample);
    const bool is_flat = curvature.slopes == 0, is_straight = curvature.bends == 0;
    EXPECT_EQ(is_activation(op), !is_flat && !is_straight) << op.name;
    const bool pieces = is_activation(op) && curvature.bends <= kinks;
    EXPECT_EQ(is_piecewise_linear(op), pieces) << op.name << " bends at " << curvature.bends;
  }
}

TEST(Traits, ContradictionsAreRefused) {
  struct Case {
    std::string op, complaint;
    void (*change)(Traits&);
  };
  const std::vector<Case> cases = {
      {"tanh", "is pointwise", [](Traits& t) { t.pointwise = false; }},
      {"slice", "moves them", [](Traits& t) { t.moves = false, t.rearranges = true; }},
      {"softmax", "can rise", [](Traits& t) { t.rises = true; }},
      {"add", "can rise", [](Traits& t) { t.rises = true; }},
      {"relu", "scale-free", [](Traits& t) { t.scale_free = true; }},
      {"add", "windowed", [](Traits& t) { t.windowed = true; }},
      {"neg", "commute", [](Traits& t) { t.commutes = true; }},
      {"mul", "is a layer", [](Traits& t) { t.layer = LayerKind::dense; }},
      {"reduce_sum", "is a layer", [](Traits& t) { t.layer = LayerKind::dense; }},
      {"relu", "straight through", [](Traits& t) { t.straight_through = true; }},
      {"normalize", "adjoint", [](Traits& t) { t.moves = true; }},
  };
  for (const Case& item : cases) {
    Op op = op_named(item.op);
    op.name = "contradictory";
    item.change(op.traits);
    expect_error(ErrorKind::internal, item.complaint, [&] { RegisterOp{op}; });
  }
  EXPECT_EQ(OpRegistry::instance().find("contradictory"), nullptr);
}

}  // namespace
}  // namespace ascribe::core
