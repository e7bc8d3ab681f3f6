// Einsum in full generality: diagonals of repeated labels by gather, labels that no other operand
// needs summed at once, then operands combined from left to right, each pair by a matmul whose
// batch axes are the labels that both have and that are still needed.
#include <set>

#include "base/ascii.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_einsum {
namespace {

// A letter, or 1000 + k for the k-th axis from the right that an ellipsis stands for.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label kEllipsis = 1000;

struct Operand {
  Value value;
  Labels labels;
};

bool contains(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int64_t place(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

// "ab...c" -> labels; `hidden` axes for the ellipsis.
Labels parse_term(const NodeContext& c, std::string_view term, int64_t hidden) {
  Labels labels;
  bool seen = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (is_ascii_letter(term[i])) {
      labels.push_back(term[i]);
    } else if (term.substr(i, 3) == "..." && !seen) {
      for (int64_t k = hidden; k-- > 0;) labels.push_back(kEllipsis + static_cast<Label>(k));
      seen = true;
      i += 2;
    } else {
      c.refuse("the equation has a term \"{}\"", term);
    }
  }
  return labels;
}

struct Equation {
  std::vector<std::string> terms;
  std::string result;
  bool has_result = false;
};

Equation read_equation(const NodeContext& c) {
  std::string text = c.text("equation", "");
  std::erase(text, ' ');
  Equation equation;
  const size_t arrow = text.find("->");
  equation.has_result = arrow != std::string::npos;
  if (equation.has_result) equation.result = text.substr(arrow + 2);
  std::string inputs = text.substr(0, arrow);
  for (size_t comma = inputs.find(','); comma != std::string::npos; comma = inputs.find(',')) {
    equation.terms.push_back(inputs.substr(0, comma));
    inputs.erase(0, comma + 1);
  }
  equation.terms.push_back(inputs);
  if (equation.terms.size() != c.input_count()) {
    c.refuse("the equation has {} terms for {} inputs", equation.terms.size(), c.input_count());
  }
  return equation;
}

int64_t hidden_axes(std::string_view term, int64_t rank) {
  const bool has_ellipsis = term.find("...") != std::string_view::npos;
  return has_ellipsis ? rank - static_cast<int64_t>(term.size()) + 3 : 0;
}

// Labels seen once, in alphabetical order behind the ellipsis.
Labels implied_result(const std::vector<Operand>& operands) {
  std::map<Label, int> counts;
  for (const Operand& operand : operands) {
    for (const Label label : operand.labels) ++counts[label];
  }
  Labels hidden, once;
  for (const auto& [label, count] : counts) {
    if (label >= kEllipsis) hidden.insert(hidden.begin(), label);
    else if (count == 1) once.push_back(label);
  }
  hidden.insert(hidden.end(), once.begin(), once.end());
  return hidden;
}

Operand permuted(Builder& b, const Operand& operand, const Labels& order) {
  std::vector<int64_t> perm;
  for (const Label label : order) perm.push_back(place(operand.labels, label));
  const bool in_order = std::is_sorted(perm.begin(), perm.end());
  return {in_order ? operand.value : b.transpose(operand.value, perm), order};
}

// [d, d, ...] -> [d, ...] for every label that occurs twice.
Operand without_repeats(const NodeContext& c, Operand operand) {
  Builder& b = c.b();
  for (size_t first = 0; first < operand.labels.size();) {
    const auto again = std::find(operand.labels.begin() + first + 1, operand.labels.end(), operand.labels[first]);
    if (again == operand.labels.end()) {
      ++first;
      continue;
    }
    const int64_t one = first, two = again - operand.labels.begin();
    std::vector<int64_t> perm = {one, two};
    for (const int64_t axis : axes_from(0, b.rank(operand.value))) {
      if (axis != one && axis != two) perm.push_back(axis);
    }
    const Value front = b.transpose(operand.value, perm);
    Dims shape = b.shape(front);
    if (shape[0] != shape[1])
      c.refuse("a repeated label has sizes {} and {}", to_string(shape[0]), to_string(shape[1]));
    const int64_t size = fixed_size(c, shape[0], "the size of a repeated label");
    table_size(c, {size});
    shape.erase(shape.begin());
    shape[0] = Dim(size) * Dim(size);
    const Value diagonal = b.mul(integer_range(b, size), b.integer(size + 1));
    operand.value = b.op("gather", {b.reshape(front, shape), diagonal}, {{"axis", ints({0})}});
    const Label label = operand.labels[first];
    operand.labels.erase(again);
    operand.labels.erase(operand.labels.begin() + first);
    operand.labels.insert(operand.labels.begin(), label);
    first = 0;
  }
  return operand;
}

Operand summed(Builder& b, Operand operand, const Labels& gone) {
  std::vector<int64_t> axes;
  Labels kept;
  for (size_t i = 0; i < operand.labels.size(); ++i) {
    if (contains(gone, operand.labels[i])) axes.push_back(static_cast<int64_t>(i));
    else kept.push_back(operand.labels[i]);
  }
  if (!axes.empty()) operand.value = b.reduce("reduce_sum", operand.value, axes, false);
  operand.labels = kept;
  return operand;
}

Labels joined(std::initializer_list<Labels> parts) {
  Labels result;
  for (const Labels& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

Dims sizes_of(const Builder& b, const Operand& operand, const Labels& labels) {
  Dims sizes;
  for (const Label label : labels) sizes.push_back(b.shape(operand.value)[place(operand.labels, label)]);
  return sizes;
}

// The operand as [batch..., product(first), product(second)].
Value as_matrices(Builder& b, const Operand& operand, const Labels& batch, const Labels& first, const Labels& second) {
  Dims shape = sizes_of(b, operand, batch);
  shape.push_back(product(sizes_of(b, operand, first)));
  shape.push_back(product(sizes_of(b, operand, second)));
  return b.reshape(permuted(b, operand, joined({batch, first, second})).value, shape);
}

// `needed`: labels of the result and of the operands still to come.
Operand combined(Builder& b, Operand left, Operand right, const Labels& needed) {
  // A size of 1 against d broadcasts: sum the longer side on its own.
  Labels batch, contracted, stretched, left_only, right_only;
  for (const Label label : left.labels) {
    if (!contains(right.labels, label)) left_only.push_back(label);
    else if (contains(needed, label)) batch.push_back(label);
    else if (sizes_of(b, left, {label}) == sizes_of(b, right, {label})) contracted.push_back(label);
    else stretched.push_back(label);
  }
  for (const Label label : right.labels) {
    if (!contains(left.labels, label)) right_only.push_back(label);
  }
  left = summed(b, left, stretched);
  right = summed(b, right, stretched);
  const Dims left_sizes = sizes_of(b, left, left_only), right_sizes = sizes_of(b, right, right_only);
  Value product_value;
  if (contracted.empty()) {
    product_value = b.mul(as_matrices(b, left, batch, left_only, {}), as_matrices(b, right, batch, {}, right_only));
  } else {
    product_value = b.matmul(as_matrices(b, left, batch, left_only, contracted),
                             as_matrices(b, right, batch, contracted, right_only));
  }
  Dims shape = b.shape(product_value);
  shape.resize(batch.size());
  shape.insert(shape.end(), left_sizes.begin(), left_sizes.end());
  shape.insert(shape.end(), right_sizes.begin(), right_sizes.end());
  return {b.reshape(product_value, shape), joined({batch, left_only, right_only})};
}

std::vector<Operand> read_operands(const NodeContext& c, const Equation& equation, int64_t& hidden) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < equation.terms.size(); ++i) {
    const int64_t rank = c.b().rank(c.in(i)), own = hidden_axes(equation.terms[i], rank);
    const Labels labels = own < 0 ? Labels{} : parse_term(c, equation.terms[i], own);
    if (own < 0 || static_cast<int64_t>(labels.size()) != rank) {
      c.refuse("the term \"{}\" does not fit an input of rank {}", equation.terms[i], rank);
    }
    hidden = std::max(hidden, own);
    operands.push_back({c.in(i), labels});
  }
  return operands;
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Equation equation = read_equation(c);
  int64_t hidden = 0;
  std::vector<Operand> operands = read_operands(c, equation, hidden);
  const Labels result = equation.has_result ? parse_term(c, equation.result, hidden) : implied_result(operands);
  if (std::set<Label>(result.begin(), result.end()).size() != result.size()) c.refuse("the result repeats a label");
  for (Operand& operand : operands) operand = without_repeats(c, operand);
  const auto needed_after = [&](size_t next) {
    Labels needed = result;
    for (size_t i = next; i < operands.size(); ++i) needed = joined({needed, operands[i].labels});
    return needed;
  };
  const auto drop_unneeded = [&](Operand operand, const Labels& needed) {
    Labels gone;
    for (const Label label : operand.labels) {
      if (!contains(needed, label)) gone.push_back(label);
    }
    return summed(b, std::move(operand), gone);
  };
  Operand total = drop_unneeded(operands[0], needed_after(1));
  for (size_t i = 1; i < operands.size(); ++i) {
    const Operand next = drop_unneeded(operands[i], joined({needed_after(i + 1), total.labels}));
    total = combined(b, total, next, needed_after(i + 1));
  }
  for (const Label label : result) {
    if (!contains(total.labels, label)) c.refuse("the result has a label that no input has");
  }
  c.out(0, permuted(b, total, result).value);
}

const RegisterLowering einsum({"Einsum", 28, "equation"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_einsum
