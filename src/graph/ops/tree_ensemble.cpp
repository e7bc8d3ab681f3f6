// tree_ensemble: decision trees (graph/tree_ensemble.h). Piecewise constant, and what a gradient would say of them is
// nothing: derivatives are refused, as for a function of which only the values are known.
#include "graph/tree_ensemble.h"

#include <algorithm>

#include "graph/op_support.h"

namespace ascribe::core::op_tree_ensemble {
namespace {

Type infer(const Signature& s) {
  const auto held = trees_of(s.attributes);
  const TreeEnsemble& trees = *held;
  const Type& rows = s.inputs[0];
  if (rows.kind != Kind::real || rows.shape.size() != 2) s.refuse("expected rows of reals; got {}", to_string(rows));
  const Dim columns = rows.shape[1];
  if (!columns.is_fixed() || columns.fixed < trees.columns) {
    s.refuse("the trees compare column {}; got rows of {}", trees.columns - 1, to_string(columns));
  }
  return {Kind::real, {rows.shape[0], trees.targets}};
}

// Row by row and tree by tree; runtime/kernels has the fast one.
template <class T>
void run_row(const TreeEnsemble& trees, const T* x, T* out) {
  std::vector<double> score(trees.base.size(), 0.0);
  std::vector<bool> has(trees.base.size(), false);
  for (int32_t at : trees.roots) {
    while (at >= 0) {
      const TreeNode& node = trees.nodes[static_cast<size_t>(at)];
      at = trees.goes_yes(node, trees.seen(static_cast<double>(x[node.column]))) ? node.yes : node.no;
    }
    for (int64_t w = trees.first_weight[static_cast<size_t>(~at)]; w < trees.first_weight[static_cast<size_t>(~at) + 1];
         ++w) {
      const auto target = static_cast<size_t>(trees.weight_target[static_cast<size_t>(w)]);
      const double value = trees.weight[static_cast<size_t>(w)];
      if (trees.aggregate == TreeAggregate::min) score[target] = has[target] ? std::min(score[target], value) : value;
      else if (trees.aggregate == TreeAggregate::max)
        score[target] = has[target] ? std::max(score[target], value) : value;
      else score[target] += value;
      has[target] = true;
    }
  }
  for (size_t t = 0; t < score.size(); ++t) {
    if (trees.aggregate == TreeAggregate::average) score[t] /= static_cast<double>(trees.roots.size());
    out[t] = static_cast<T>(score[t] + trees.base[t]);
  }
}

void apply(const Evaluation& e) {
  const auto held = trees_of(e.attributes);
  const TreeEnsemble& trees = *held;
  const int64_t rows = e.inputs[0].shape[0], columns = e.inputs[0].shape[1];
  visit_real(e.output.dtype, [&]<class T>(T) {
    const T* x = e.inputs[0].data<const T>().data();
    T* out = e.output.data<T>().data();
    for (int64_t r = 0; r < rows; ++r) run_row(trees, x + r * columns, out + r * trees.targets);
  });
}

std::string refusal(const Attributes&) {
  return "decision trees are constant between their thresholds, so they have no useful derivative; methods that mask "
         "the input do without, and shapley is exact on trees";
}

const RegisterOp tree_ensemble({.name = "tree_ensemble",
                                .op_class = OpClass::opaque,
                                .formula = "base + the sum, mean, least or largest of the leaves that a row reaches",
                                .infer = infer,
                                .apply = apply,
                                .refusal = refusal});

}  // namespace
}  // namespace ascribe::core::op_tree_ensemble
