#include "onnx/lowering/trees.h"

#include "graph/tree_ensemble.h"

namespace ascribe::core {

void expect_targets(const NodeContext& c, int64_t targets) {
  if (targets < 1 || targets > kLargestTable) c.refuse("got {} targets; expected 1 to {}", targets, kLargestTable);
}

bool compares_single(const NodeContext& c) { return c.element_type(0) != "float64"; }

Value tree_rows(NodeContext& c, TreeEnsemble trees) {
  trees.single = compares_single(c);
  settle(trees, c.where());
  return c.b().op("tree_ensemble", {c.b().cast(c.in(0), Kind::real)}, tree_attributes(std::move(trees)));
}

}  // namespace ascribe::core
