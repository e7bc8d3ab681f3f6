// Decision trees as flat arrays: what the operation tree_ensemble computes and what the games of trees read. A child is
// a node, or a leaf as ~leaf. At a node a number of the row is compared with a threshold:
//   yes   x <= t, x < t, x >= t, x > t, x == t, x != t, or x is in a set; or x is NaN and the node sends it there
// The output of a target is its base value and the sum, mean, least or largest of the weights of the leaves reached.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "graph/attributes.h"
#include "graph/opaque.h"

namespace ascribe::core {

enum class TreeTest : uint8_t { leq, lt, gte, gt, eq, neq, member };
enum class TreeAggregate : uint8_t { average, sum, min, max };

inline constexpr int kDeepestTree = 4096;  // nodes from the root to a leaf

struct TreeNode {
  double threshold = 0;
  int32_t column = 0;
  int32_t yes = 0, no = 0;
  int32_t set = -1;  // of `sets`, for member
  TreeTest test = TreeTest::leq;
  bool missing_yes = false;
};

struct TreeEnsemble {
  std::vector<TreeNode> nodes;  // a node comes before its children
  std::vector<int32_t> roots;   // one per tree
  // Leaf l has the weights first_weight[l] .. first_weight[l + 1].
  std::vector<int64_t> first_weight = {0};
  std::vector<int32_t> weight_target;
  std::vector<double> weight;
  std::vector<std::vector<double>> sets;
  int64_t targets = 1;
  std::vector<double> base = {};  // one per target
  TreeAggregate aggregate = TreeAggregate::sum;
  bool single = true;   // the file compares in float32: numbers of the row are rounded to it first
  int64_t columns = 0;  // the last that is compared, and one

  int64_t leaves() const { return static_cast<int64_t>(first_weight.size()) - 1; }
  void add_leaf() { first_weight.push_back(static_cast<int64_t>(weight.size())); }  // of the weights added before

  double seen(double x) const { return single ? static_cast<double>(static_cast<float>(x)) : x; }
  // `x` as seen.
  bool goes_yes(const TreeNode& node, double x) const {
    switch (node.test) {
      case TreeTest::leq:
        if (x <= node.threshold) return true;
        break;
      case TreeTest::lt:
        if (x < node.threshold) return true;
        break;
      case TreeTest::gte:
        if (x >= node.threshold) return true;
        break;
      case TreeTest::gt:
        if (x > node.threshold) return true;
        break;
      case TreeTest::eq:
        if (x == node.threshold) return true;
        break;
      case TreeTest::neq:
        if (x != node.threshold) return true;
        break;
      case TreeTest::member:
        for (const double member : sets[static_cast<size_t>(node.set)]) {
          if (x == member) return true;
        }
        break;
    }
    return node.missing_yes && std::isnan(x);
  }
};

// The attribute of a node that holds trees: known by its values only, like any function, but its values can be read.
struct TreeFunction : OpaqueFunction {
  TreeEnsemble trees;
};

inline Attributes tree_attributes(TreeEnsemble trees) {
  auto function = std::make_shared<TreeFunction>();
  function->name = "trees";
  function->trees = std::move(trees);
  return {{"function", Attributes::Function(std::move(function))}};
}
// Of a node tree_ensemble; they live as long as one of its attributes does.
inline std::shared_ptr<const TreeEnsemble> trees_of(const Attributes& attributes) {
  const Attributes::Function& function = attributes.function("function");
  return {function, &static_cast<const TreeFunction&>(*function).trees};
}

// Brings the nodes into the order that is promised above and drops those that no root reaches. Refuses, kind model,
// indices out of range, nodes that are reached twice (so cycles too), trees deeper than kDeepestTree, and weights that
// are not finite.
void settle(TreeEnsemble& trees, std::string_view where);

}  // namespace ascribe::core
