// TreeEnsembleRegressor and TreeEnsembleClassifier, whose nodes are lists with an entry for each node: its tree, its
// number in the tree, and the numbers of its children. Where the standard is silent about a classifier of two classes,
// it is read as ONNX Runtime computes it:
//   weights of class 0 only   s = the sum and the base value; LOGISTIC: sigmoid of (-s, s); otherwise (1 - s, s) if no
//                             weight is negative, (-s, s) if one is
//   weights of class 1 only   (0, s), transformed
#include <algorithm>
#include <map>
#include <set>

#include "graph/tree_ensemble.h"
#include "onnx/lowering/trees.h"

namespace ascribe::core::lowering_tree_ensemble_regressor {
namespace {

// A list that may be given as numbers or, in double, as a tensor.
std::vector<double> numbers(const NodeContext& c, const std::string& name) {
  const std::string tensor = name + "_as_tensor";
  if (!c.has_attribute(tensor)) return c.reals(name, {});
  if (c.has_attribute(name)) c.refuse("got both {} and {}; expected one", name, tensor);
  const Tensor values = c.tensor(tensor).cast(DType::f64);
  const auto data = values.data<double>();
  return {data.begin(), data.end()};
}

TreeTest test_named(const NodeContext& c, const std::string& mode) {
  if (mode == "BRANCH_LEQ") return TreeTest::leq;
  if (mode == "BRANCH_LT") return TreeTest::lt;
  if (mode == "BRANCH_GTE") return TreeTest::gte;
  if (mode == "BRANCH_GT") return TreeTest::gt;
  if (mode == "BRANCH_EQ") return TreeTest::eq;
  if (mode == "BRANCH_NEQ") return TreeTest::neq;
  c.refuse("a node has mode \"{}\"; expected LEAF, BRANCH_LEQ, ..., BRANCH_NEQ", mode);
}

// The lists of the file. `prefix` is that of the weights: "target" or "class".
class NodeLists {
 public:
  NodeLists(const NodeContext& c, const std::string& prefix)
      : c_(c),
        trees_(c.integers("nodes_treeids", {})),
        numbers_(c.integers("nodes_nodeids", {})),
        columns_(c.integers("nodes_featureids", {})),
        yes_(c.integers("nodes_truenodeids", {})),
        no_(c.integers("nodes_falsenodeids", {})),
        missing_(c.integers("nodes_missing_value_tracks_true", {})),
        modes_(c.texts("nodes_modes", {})),
        thresholds_(numbers(c, "nodes_values")),
        weight_trees_(c.integers(prefix + "_treeids", {})),
        weight_nodes_(c.integers(prefix + "_nodeids", {})),
        ids(c.integers(prefix + "_ids", {})),
        weights(numbers(c, prefix + "_weights")) {
    for (const size_t size : {numbers_.size(), columns_.size(), yes_.size(), no_.size(), modes_.size(),
                              thresholds_.size(), missing_.empty() ? trees_.size() : missing_.size()}) {
      if (size != trees_.size()) c.refuse("the lists of nodes have {} and {} entries", size, trees_.size());
    }
    for (const size_t size : {weight_trees_.size(), weight_nodes_.size(), weights.size()}) {
      if (size != ids.size()) c.refuse("the lists of weights have {} and {} entries", size, ids.size());
    }
    if (trees_.size() >= (size_t{1} << 31)) c.unsupported("got {} nodes; expected less than 2^31", trees_.size());
    if (trees_.empty()) c.refuse("there are no trees");
  }

  TreeEnsemble ensemble(int64_t targets) const {
    TreeEnsemble result;
    result.targets = targets;
    const Places places = find_places();
    add_leaves(result, places);
    for (size_t i = 0; i < trees_.size(); ++i) {
      if (is_leaf(i)) continue;
      TreeNode node;
      node.test = test_named(c_, modes_[i]);
      node.threshold = thresholds_[i];
      node.column = column(columns_[i]);
      node.missing_yes = !missing_.empty() && missing_[i] != 0;
      node.yes = encoded(places, child(places, i, yes_[i]));
      node.no = encoded(places, child(places, i, no_[i]));
      result.nodes.push_back(node);
    }
    for (const size_t root : places.roots) result.roots.push_back(encoded(places, root));
    return result;
  }

 private:
  struct Places {
    std::map<std::pair<int64_t, int64_t>, size_t> entry;  // by tree and number
    std::vector<int32_t> place;                           // of each entry among the nodes, or among the leaves
    std::vector<size_t> roots;                            // the first entry of each tree, in their order
  };

  bool is_leaf(size_t entry) const { return modes_[entry] == "LEAF"; }

  int32_t column(int64_t value) const {
    if (value < 0 || value >= int64_t{1} << 31) c_.refuse("a node compares column {}", value);
    return static_cast<int32_t>(value);
  }

  Places find_places() const {
    Places places;
    std::set<int64_t> seen;
    int32_t nodes = 0, leaves = 0;
    for (size_t i = 0; i < trees_.size(); ++i) {
      if (!places.entry.emplace(std::pair(trees_[i], numbers_[i]), i).second) {
        c_.refuse("node {} of tree {} is there twice", numbers_[i], trees_[i]);
      }
      if (seen.insert(trees_[i]).second) places.roots.push_back(i);
      places.place.push_back(is_leaf(i) ? leaves++ : nodes++);
    }
    return places;
  }

  size_t child(const Places& places, size_t entry, int64_t number) const {
    const auto found = places.entry.find({trees_[entry], number});
    if (found == places.entry.end()) c_.refuse("tree {} has no node {}", trees_[entry], number);
    return found->second;
  }

  int32_t encoded(const Places& places, size_t entry) const {
    return is_leaf(entry) ? ~places.place[entry] : places.place[entry];
  }

  // Weights of nodes that are no leaves are never reached.
  void add_leaves(TreeEnsemble& result, const Places& places) const {
    std::vector<std::vector<size_t>> of_entry(trees_.size());
    for (size_t w = 0; w < ids.size(); ++w) {
      const auto found = places.entry.find({weight_trees_[w], weight_nodes_[w]});
      if (found == places.entry.end()) {
        c_.refuse("a weight is for node {} of tree {}, which is not there", weight_nodes_[w], weight_trees_[w]);
      }
      of_entry[found->second].push_back(w);
    }
    for (size_t i = 0; i < trees_.size(); ++i) {
      if (!is_leaf(i)) continue;
      for (const size_t w : of_entry[i]) {
        if (ids[w] < 0 || ids[w] >= result.targets) {
          c_.refuse("a weight is for target {}; expected 0 to {}", ids[w], result.targets - 1);
        }
        result.weight_target.push_back(static_cast<int32_t>(ids[w]));
        result.weight.push_back(weights[w]);
      }
      result.add_leaf();
    }
  }

  const NodeContext& c_;
  std::vector<int64_t> trees_, numbers_, columns_, yes_, no_, missing_;
  std::vector<std::string> modes_;
  std::vector<double> thresholds_;
  std::vector<int64_t> weight_trees_, weight_nodes_;

 public:
  std::vector<int64_t> ids;  // the target of each weight
  std::vector<double> weights;
};

TreeAggregate aggregate_of(const NodeContext& c) {
  const std::string name = c.text("aggregate_function", "SUM");
  if (name == "SUM") return TreeAggregate::sum;
  if (name == "AVERAGE") return TreeAggregate::average;
  if (name == "MIN") return TreeAggregate::min;
  if (name == "MAX") return TreeAggregate::max;
  c.refuse("aggregate_function is \"{}\"; expected AVERAGE, SUM, MIN or MAX", name);
}

void lower_regressor(NodeContext& c) {
  const int64_t targets = c.integer("n_targets");
  expect_targets(c, targets);
  TreeEnsemble trees = NodeLists(c, "target").ensemble(targets);
  trees.aggregate = aggregate_of(c);
  trees.base = numbers(c, "base_values");
  if (trees.base.empty()) trees.base.assign(static_cast<size_t>(targets), 0.0);
  const std::string transform = c.text("post_transform", "NONE");
  const Value scores = tree_rows(c, std::move(trees));
  // Of one target runtimes transform nothing but by PROBIT.
  const Value checked = post_transformed(c, scores, transform);
  c.out(0, targets == 1 && transform != "PROBIT" ? scores : checked);
}

// ---- classes ----

// Which of two classes the trees have weights for: every row gets one, or none does.
enum class Weighted : uint8_t { never, always, sometimes };

Weighted weighted(const TreeEnsemble& trees, int32_t target) {
  const auto has = [&](int64_t leaf) {
    const auto first = trees.weight_target.begin() + trees.first_weight[static_cast<size_t>(leaf)];
    const auto last = trees.weight_target.begin() + trees.first_weight[static_cast<size_t>(leaf) + 1];
    return std::find(first, last, target) != last;
  };
  bool any = false;
  for (int64_t leaf = 0; leaf < trees.leaves(); ++leaf) any |= has(leaf);
  if (!any) return Weighted::never;
  // Always, if all leaves of some tree have one.
  for (const int32_t root : trees.roots) {
    bool all = true;
    std::vector<int32_t> open = {root};
    while (all && !open.empty()) {
      const int32_t at = open.back();
      open.pop_back();
      if (at < 0) all = has(~at);
      else {
        open.push_back(trees.nodes[static_cast<size_t>(at)].yes);
        open.push_back(trees.nodes[static_cast<size_t>(at)].no);
      }
    }
    if (all) return Weighted::always;
  }
  return Weighted::sometimes;
}

struct Classified {
  Value scores;  // transformed
  Value place;   // of the label, an integer for each row
};

Value where_above(Builder& b, Value score, double threshold) {  // 1 or 0, by row
  const Value above = b.op("less", {b.scalar(threshold), score});
  return b.reshape(b.cast(above, Kind::integer), {b.shape(score)[0]});
}

Value largest(Builder& b, Value scores) {
  return b.op("arg_max", {scores}, {{"axis", ints({1})}, {"keepdims", ints({0})}, {"select_last", ints({0})}});
}

Classified two_classes(NodeContext& c, TreeEnsemble trees, const std::vector<double>& base, bool negative,
                       const std::string& transform) {
  Builder& b = c.b();
  settle(trees, c.where());
  const Weighted first = weighted(trees, 0), second = weighted(trees, 1);
  if (second == Weighted::sometimes ||
      (second == Weighted::always && (base.size() > 1 || (first == Weighted::never && !base.empty())))) {
    c.unsupported(
        "a classifier of two classes with weights of class 1 {}; runtimes disagree about what it means",
        second == Weighted::sometimes ? "in some leaves only" : fmt::format("and {} base values", base.size()));
  }
  const double threshold = negative ? 0 : 0.5;
  if (second == Weighted::never && base.size() < 2) {
    if (transform == "PROBIT") c.unsupported("PROBIT of one score for two classes; runtimes disagree about it");
    if (!base.empty()) trees.base[0] = base[0];
    const Value score = b.slice(tree_rows(c, std::move(trees)), 1, 0, 1);
    const Value place = where_above(b, score, threshold);
    const Value both = b.concat({b.op("neg", {score}), score}, 1);
    if (transform == "LOGISTIC") return {post_transformed(c, both, transform), place};
    if (negative) return {both, place};
    return {b.concat({b.sub(b.scalar(1), score), score}, 1), place};
  }
  if (!base.empty()) trees.base[0] = base[0];
  const Value scores = tree_rows(c, std::move(trees));
  const Value place = first != Weighted::never && second != Weighted::never
                          ? largest(b, scores)
                          : where_above(b, b.slice(scores, 1, first == Weighted::never ? 1 : 0, 1), threshold);
  return {post_transformed(c, scores, transform), place};
}

void lower_classifier(NodeContext& c) {
  Builder& b = c.b();
  const Classes named = classes_of(c, "classlabels_int64s", "classlabels_strings");
  const int64_t classes = named.count();
  expect_targets(c, classes);
  if (classes == 1) c.unsupported("a classifier of one class; runtimes disagree about what its score means");
  const NodeLists lists(c, "class");
  TreeEnsemble trees = lists.ensemble(classes);
  std::vector<double> base = numbers(c, "base_values");
  const bool fits = base.empty() || std::ssize(base) == classes || (classes == 2 && base.size() == 1);
  if (!fits) c.refuse("got {} base values for {} classes", base.size(), classes);
  const std::string transform = c.text("post_transform", "NONE");
  const bool negative = std::any_of(lists.weights.begin(), lists.weights.end(), [](double w) { return w < 0; });
  Classified result;
  trees.base.assign(static_cast<size_t>(classes), 0.0);
  if (classes == 2) {
    result = two_classes(c, std::move(trees), base, negative, transform);
  } else {
    if (!base.empty()) trees.base = base;
    const Value scores = tree_rows(c, std::move(trees));
    result = {post_transformed(c, scores, transform), largest(b, scores)};
  }
  put_labels(c, named, result.place);
  c.name_classes(result.scores, named.labels);
  c.out(1, result.scores);
}

constexpr std::string_view kNodes =
    "base_values base_values_as_tensor:3 nodes_falsenodeids nodes_featureids nodes_hitrates nodes_hitrates_as_tensor:3 "
    "nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values "
    "nodes_values_as_tensor:3 post_transform ";

const std::string kRegressorAttributes = std::string(kNodes) +
                                         "aggregate_function n_targets target_ids target_nodeids target_treeids "
                                         "target_weights target_weights_as_tensor:3";
const std::string kClassifierAttributes =
    std::string(kNodes) +
    "class_ids class_nodeids class_treeids class_weights class_weights_as_tensor:3 classlabels_int64s "
    "classlabels_strings";

const RegisterLowering regressor({"ai.onnx.ml.TreeEnsembleRegressor", 5, kRegressorAttributes}, lower_regressor,
                                 "without derivatives; of one target only PROBIT transforms, as in ONNX Runtime");
const RegisterLowering classifier({"ai.onnx.ml.TreeEnsembleClassifier", 5, kClassifierAttributes}, lower_classifier,
                                  "without derivatives");

}  // namespace
}  // namespace ascribe::core::lowering_tree_ensemble_regressor
