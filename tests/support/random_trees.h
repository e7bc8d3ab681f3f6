// Small trees for tests, with ties at thresholds and columns that are compared several times on a path.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "graph/builder.h"
#include "graph/tree_ensemble.h"

namespace ascribe::core {

// A row's place in one tree, in the obvious way.
inline double slow_tree_output(const TreeEnsemble& trees, const std::vector<double>& row, int32_t target = 0) {
  double sum = trees.base[static_cast<size_t>(target)];
  for (int32_t at : trees.roots) {
    while (at >= 0) {
      const TreeNode& node = trees.nodes[static_cast<size_t>(at)];
      at = trees.goes_yes(node, trees.seen(row[static_cast<size_t>(node.column)])) ? node.yes : node.no;
    }
    for (int64_t w = trees.first_weight[static_cast<size_t>(~at)]; w < trees.first_weight[static_cast<size_t>(~at) + 1];
         ++w) {
      if (trees.weight_target[static_cast<size_t>(w)] == target) sum += trees.weight[static_cast<size_t>(w)];
    }
  }
  return sum;
}

// Full trees of this depth; thresholds are whole numbers from -1 to 1, tests of all kinds but member.
inline TreeEnsemble random_trees(int count, int depth, int columns, uint64_t seed, int targets = 1) {
  const Random random(seed);
  uint64_t draw = 0;
  const auto below = [&](int limit) { return static_cast<int>(random.uniform(draw++) * limit); };
  TreeEnsemble trees;
  trees.targets = targets;
  trees.base.assign(static_cast<size_t>(targets), 0.25);
  for (int t = 0; t < count; ++t) {
    const auto first = static_cast<int32_t>(trees.nodes.size());
    trees.roots.push_back(first);
    const int inner = (1 << depth) - 1;
    for (int i = 0; i < inner; ++i) {
      TreeNode node;
      node.column = below(columns);
      node.threshold = below(3) - 1;
      node.test = static_cast<TreeTest>(below(6));
      node.missing_yes = below(2) == 1;
      const auto child = [&](int place) {
        if (place < inner) return first + place;
        for (int target = 0; target < targets; ++target) {
          trees.weight_target.push_back(target);
          trees.weight.push_back(random.normal(draw++));
        }
        trees.add_leaf();
        return ~static_cast<int32_t>(trees.leaves() - 1);
      };
      node.yes = child(2 * i + 1);
      node.no = child(2 * i + 2);
      trees.nodes.push_back(node);
    }
  }
  settle(trees, "test");
  return trees;
}

// Whole numbers from -2 to 2, so that many lie on thresholds.
inline std::vector<double> random_row(int columns, uint64_t seed) {
  const Random random(seed, 77);
  std::vector<double> row;
  for (int c = 0; c < columns; ++c) row.push_back(std::floor(random.uniform(static_cast<uint64_t>(c)) * 5) - 2);
  return row;
}

// if x_0 <= 0 then `yes` else `no`
inline TreeEnsemble stump(double yes, double no) {
  TreeEnsemble trees;
  trees.base = {0};
  trees.nodes.push_back({.threshold = 0, .column = 0, .yes = ~0, .no = ~1});
  trees.roots = {0};
  for (const double value : {yes, no}) {
    trees.weight_target.push_back(0);
    trees.weight.push_back(value);
    trees.add_leaf();
  }
  settle(trees, "test");
  return trees;
}

inline Graph tree_graph(TreeEnsemble trees, int64_t columns) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, columns}});
  b.set_name("forest");
  b.output("y", b.op("tree_ensemble", {x}, tree_attributes(std::move(trees))));
  return graph;
}

}  // namespace ascribe::core
