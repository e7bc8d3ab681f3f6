// What the operators of trees share: what comes behind the trees.
#pragma once

#include "onnx/lowering/tables.h"

namespace ascribe::core {

struct TreeEnsemble;

// Refuses more targets than a table may have.
void expect_targets(const NodeContext& c, int64_t targets);

// The trees as a node: rows as reals in, [N, targets] out. Settles the trees.
Value tree_rows(NodeContext& c, TreeEnsemble trees);

// Whether the file compares in float32.
bool compares_single(const NodeContext& c);

}  // namespace ascribe::core
