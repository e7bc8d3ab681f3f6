// TreeEnsemble (ai.onnx.ml 5): inner nodes and leaves in lists of their own. The sets of BRANCH_MEMBER lie one behind
// the other, a NaN after each. post_transform counts as the standard does (1: softmax, 2: logistic).
#include "graph/tree_ensemble.h"

#include <array>
#include <cmath>

#include "onnx/lowering/trees.h"

namespace ascribe::core::lowering_tree_ensemble {
namespace {

std::vector<double> numbers_in(const Tensor& tensor) {
  const Tensor values = tensor.cast(DType::f64);
  const auto data = values.data<double>();
  return {data.begin(), data.end()};
}

std::vector<double> reals_of(const NodeContext& c, const std::string& name) { return numbers_in(c.tensor(name)); }

std::vector<int64_t> listed(const NodeContext& c, const std::string& name, size_t size) {
  if (!c.has_attribute(name)) c.refuse("the attribute '{}' is missing", name);
  std::vector<int64_t> values = c.integers(name, {});
  if (values.size() != size) c.refuse("{} has {} entries; expected {}", name, values.size(), size);
  return values;
}

int32_t place(const NodeContext& c, int64_t value, int64_t count, const char* what) {
  if (value < 0 || value >= count) c.refuse("there is no {} {}; expected 0 to {}", what, value, count - 1);
  return static_cast<int32_t>(value);
}

std::vector<std::vector<double>> member_sets(const NodeContext& c, const std::vector<double>& modes) {
  std::vector<std::vector<double>> sets;
  const std::vector<double> members =
      c.has_attribute("membership_values") ? numbers_in(c.tensor_with_nan("membership_values")) : std::vector<double>();
  size_t at = 0;
  for (const double mode : modes) {
    if (mode != static_cast<double>(TreeTest::member)) continue;
    if (at >= members.size()) c.refuse("membership_values has less sets than there are nodes BRANCH_MEMBER");
    sets.emplace_back();
    for (; at < members.size() && !std::isnan(members[at]); ++at) sets.back().push_back(members[at]);
    ++at;
  }
  return sets;
}

TreeEnsemble read_trees(const NodeContext& c) {
  TreeEnsemble trees;
  trees.targets = c.integer("n_targets", 0);
  expect_targets(c, trees.targets);
  trees.base.assign(static_cast<size_t>(trees.targets), 0.0);
  const std::vector<double> modes = reals_of(c, "nodes_modes"), splits = reals_of(c, "nodes_splits");
  const size_t size = modes.size();
  if (splits.size() != size) c.refuse("nodes_splits has {} entries; expected {}", splits.size(), size);
  const auto columns = listed(c, "nodes_featureids", size);
  const auto yes = listed(c, "nodes_truenodeids", size), yes_leaf = listed(c, "nodes_trueleafs", size);
  const auto no = listed(c, "nodes_falsenodeids", size), no_leaf = listed(c, "nodes_falseleafs", size);
  const bool missing = c.has_attribute("nodes_missing_value_tracks_true");
  const auto tracks = missing ? listed(c, "nodes_missing_value_tracks_true", size) : std::vector<int64_t>();
  trees.weight = reals_of(c, "leaf_weights");
  const auto leaves = static_cast<int64_t>(trees.weight.size());
  const auto targets = listed(c, "leaf_targetids", trees.weight.size());
  for (size_t leaf = 0; leaf < trees.weight.size(); ++leaf) {
    trees.weight_target.push_back(place(c, targets[leaf], trees.targets, "target"));
    trees.first_weight.push_back(static_cast<int64_t>(leaf) + 1);
  }
  trees.sets = member_sets(c, modes);
  int32_t sets = 0;
  for (size_t i = 0; i < size; ++i) {
    TreeNode node;
    if (!(modes[i] >= 0 && modes[i] <= 6)) c.refuse("a node has mode {}; expected 0 to 6", modes[i]);
    node.test = static_cast<TreeTest>(modes[i]);
    node.threshold = splits[i];
    node.column = place(c, columns[i], int64_t{1} << 31, "column");
    node.missing_yes = missing && tracks[i] != 0;
    if (node.test == TreeTest::member) node.set = sets++;
    const auto child = [&](int64_t number, int64_t is_leaf) {
      return is_leaf != 0 ? ~place(c, number, leaves, "leaf") : place(c, number, static_cast<int64_t>(size), "node");
    };
    node.yes = child(yes[i], yes_leaf[i]);
    node.no = child(no[i], no_leaf[i]);
    trees.nodes.push_back(node);
  }
  for (const int64_t root : c.integers("tree_roots", {})) {
    trees.roots.push_back(place(c, root, static_cast<int64_t>(size), "node"));
  }
  if (trees.roots.empty()) c.refuse("there are no trees");
  return trees;
}

void lower(NodeContext& c) {
  static const std::array<std::string, 5> kTransforms = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  TreeEnsemble trees = read_trees(c);
  const int64_t aggregate = c.integer("aggregate_function", 1), transform = c.integer("post_transform", 0);
  if (aggregate < 0 || aggregate > 3) c.refuse("aggregate_function is {}; expected 0 to 3", aggregate);
  if (transform < 0 || transform > 4) c.refuse("post_transform is {}; expected 0 to 4", transform);
  trees.aggregate = static_cast<TreeAggregate>(aggregate);
  const int64_t targets = trees.targets;
  const Value scores = tree_rows(c, std::move(trees));
  const std::string& name = kTransforms[static_cast<size_t>(transform)];
  c.out(0, targets == 1 && name != "PROBIT" ? scores : post_transformed(c, scores, name));
}

const RegisterLowering tree_ensemble(
    {"ai.onnx.ml.TreeEnsemble", 5,
     "aggregate_function leaf_targetids leaf_weights membership_values n_targets nodes_falseleafs nodes_falsenodeids "
     "nodes_featureids nodes_hitrates nodes_missing_value_tracks_true nodes_modes nodes_splits nodes_trueleafs "
     "nodes_truenodeids post_transform tree_roots"},
    lower, "without derivatives; post_transform 1 is softmax and 2 logistic, as the standard says");

}  // namespace
}  // namespace ascribe::core::lowering_tree_ensemble
