// tree_ensemble. In float32 it is a TreeEnsembleRegressor, which every runtime has; in double, or with tests for
// members of a set, a TreeEnsemble, of one copy of the trees for each target because a leaf has one weight there.
#include "graph/tree_ensemble.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "onnx/export/writer.h"

namespace ascribe::core::export_trees {
namespace {

constexpr std::array<const char*, 6> kModes = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                               "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
constexpr std::array<const char*, 4> kAggregates = {"AVERAGE", "SUM", "MIN", "MAX"};

// The float with which floats compare as they do with the double; NaN where none is equal to it.
double as_float(TreeTest test, double threshold) {
  auto near = static_cast<float>(threshold);
  if (static_cast<double>(near) == threshold || std::isnan(threshold)) return threshold;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool above = static_cast<double>(near) > threshold;
  switch (test) {
    case TreeTest::leq:
    case TreeTest::gt: return above ? std::nextafter(near, -kInfinity) : near;
    case TreeTest::lt:
    case TreeTest::gte: return above ? near : std::nextafter(near, kInfinity);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

// The nodes of one tree and its leaves as a list, a node before its children.
struct Flat {
  std::vector<int32_t> entries;  // a node, or ~leaf
  std::vector<int64_t> yes, no;  // entries
};

Flat flat_tree(const TreeEnsemble& trees, int32_t root) {
  Flat flat;
  flat.entries.push_back(root);
  for (size_t i = 0; i < flat.entries.size(); ++i) {
    const int32_t at = flat.entries[i];
    const bool inner = at >= 0;
    flat.yes.push_back(inner ? std::ssize(flat.entries) : 0);
    flat.no.push_back(inner ? std::ssize(flat.entries) + 1 : 0);
    if (!inner) continue;
    flat.entries.push_back(trees.nodes[static_cast<size_t>(at)].yes);
    flat.entries.push_back(trees.nodes[static_cast<size_t>(at)].no);
  }
  return flat;
}

std::string regressor(OnnxWriter& w, const std::string& x, const TreeEnsemble& trees) {
  std::vector<int64_t> tree, number, column, yes, no, missing, weight_tree, weight_node, target;
  std::vector<double> thresholds, weights;
  std::vector<std::string> modes;
  for (size_t t = 0; t < trees.roots.size(); ++t) {
    const Flat flat = flat_tree(trees, trees.roots[t]);
    for (size_t i = 0; i < flat.entries.size(); ++i) {
      const int32_t at = flat.entries[i];
      const TreeNode node = at >= 0 ? trees.nodes[static_cast<size_t>(at)] : TreeNode();
      tree.push_back(static_cast<int64_t>(t));
      number.push_back(static_cast<int64_t>(i));
      column.push_back(node.column);
      yes.push_back(flat.yes[i]);
      no.push_back(flat.no[i]);
      missing.push_back(node.missing_yes ? 1 : 0);
      modes.emplace_back(at >= 0 ? kModes[static_cast<size_t>(node.test)] : "LEAF");
      thresholds.push_back(as_float(node.test, node.threshold));
      if (at >= 0) continue;
      for (int64_t k = trees.first_weight[static_cast<size_t>(~at)];
           k < trees.first_weight[static_cast<size_t>(~at) + 1]; ++k) {
        weight_tree.push_back(static_cast<int64_t>(t));
        weight_node.push_back(static_cast<int64_t>(i));
        target.push_back(trees.weight_target[static_cast<size_t>(k)]);
        weights.push_back(trees.weight[static_cast<size_t>(k)]);
      }
    }
  }
  return w.emit("ai.onnx.ml.TreeEnsembleRegressor", {x},
                {{"n_targets", trees.targets},
                 {"aggregate_function", std::string(kAggregates[static_cast<size_t>(trees.aggregate)])},
                 {"base_values", trees.base},
                 {"nodes_treeids", tree},
                 {"nodes_nodeids", number},
                 {"nodes_featureids", column},
                 {"nodes_values", thresholds},
                 {"nodes_modes", modes},
                 {"nodes_truenodeids", yes},
                 {"nodes_falsenodeids", no},
                 {"nodes_missing_value_tracks_true", missing},
                 {"target_treeids", weight_tree},
                 {"target_nodeids", weight_node},
                 {"target_ids", target},
                 {"target_weights", weights}});
}

onnx::TensorProto tensor_of(const OnnxWriter& w, const std::vector<double>& values) {
  onnx::TensorProto proto;
  proto.set_data_type(w.element_code(Kind::real));
  proto.add_dims(std::ssize(values));
  const Tensor tensor = Tensor::of<double>({std::ssize(values)}, values).cast(w.real());
  proto.set_raw_data(tensor.memory(), tensor.bytes());
  return proto;
}

// The lists of a TreeEnsemble.
class Lists {
 public:
  Lists(OnnxWriter& w, const TreeEnsemble& trees) : w_(w), trees_(trees) {}

  std::string write(const std::string& x) {
    for (int32_t target = 0; target < trees_.targets; ++target) {
      for (const int32_t root : trees_.roots) add_tree(root, target);
    }
    onnx::TensorProto modes;
    modes.set_data_type(onnx::TensorProto::UINT8);
    modes.add_dims(std::ssize(modes_));
    modes.set_raw_data(modes_);
    const auto kind = trees_.aggregate == TreeAggregate::average ? TreeAggregate::sum : trees_.aggregate;
    OnnxAttributes attributes = {{"n_targets", trees_.targets},
                                 {"aggregate_function", static_cast<int64_t>(kind)},
                                 {"nodes_modes", modes},
                                 {"nodes_splits", tensor_of(w_, splits_)},
                                 {"nodes_featureids", columns_},
                                 {"nodes_missing_value_tracks_true", missing_},
                                 {"nodes_truenodeids", yes_},
                                 {"nodes_trueleafs", yes_leaf_},
                                 {"nodes_falsenodeids", no_},
                                 {"nodes_falseleafs", no_leaf_},
                                 {"tree_roots", roots_},
                                 {"leaf_targetids", targets_},
                                 {"leaf_weights", tensor_of(w_, weights_)}};
    if (!members_.empty()) attributes.emplace_back("membership_values", tensor_of(w_, members_));
    const std::string scores = w_.emit("ai.onnx.ml.TreeEnsemble", {x}, attributes);
    if (std::all_of(trees_.base.begin(), trees_.base.end(), [](double value) { return value == 0; })) return scores;
    return w_.emit("Add", {scores, w_.constant(Tensor::of<double>({1, trees_.targets}, trees_.base))});
  }

 private:
  void add_tree(int32_t root, int32_t target) {
    roots_.push_back(std::ssize(columns_));
    if (root < 0) {  // a leaf by itself: both ways lead there
      const int64_t leaf = add_leaf(~root, target);
      return add_node(TreeNode(), leaf, true, leaf, true);
    }
    const Flat flat = flat_tree(trees_, root);
    std::vector<int64_t> place;  // of each entry among the nodes of the file, or its leaf
    int64_t inner = std::ssize(columns_);
    for (const int32_t entry : flat.entries) place.push_back(entry >= 0 ? inner++ : add_leaf(~entry, target));
    for (size_t i = 0; i < flat.entries.size(); ++i) {
      if (flat.entries[i] < 0) continue;
      const auto yes = static_cast<size_t>(flat.yes[i]), no = static_cast<size_t>(flat.no[i]);
      add_node(trees_.nodes[static_cast<size_t>(flat.entries[i])], place[yes], flat.entries[yes] < 0, place[no],
               flat.entries[no] < 0);
    }
  }

  void add_node(const TreeNode& node, int64_t yes, bool yes_leaf, int64_t no, bool no_leaf) {
    modes_.push_back(static_cast<char>(node.test));
    splits_.push_back(w_.real() == DType::f32 ? as_float(node.test, node.threshold) : node.threshold);
    columns_.push_back(node.column);
    missing_.push_back(node.missing_yes ? 1 : 0);
    yes_.push_back(yes);
    yes_leaf_.push_back(yes_leaf ? 1 : 0);
    no_.push_back(no);
    no_leaf_.push_back(no_leaf ? 1 : 0);
    if (node.test != TreeTest::member) return;
    for (const double member : trees_.sets[static_cast<size_t>(node.set)]) {
      const double same = w_.real() == DType::f32 ? as_float(TreeTest::eq, member) : member;
      if (!std::isnan(same)) members_.push_back(same);
    }
    members_.push_back(std::numeric_limits<double>::quiet_NaN());
  }

  int64_t add_leaf(int32_t leaf, int32_t target) {
    double sum = 0;
    bool has = false;
    for (int64_t k = trees_.first_weight[static_cast<size_t>(leaf)];
         k < trees_.first_weight[static_cast<size_t>(leaf) + 1]; ++k) {
      if (trees_.weight_target[static_cast<size_t>(k)] != target) continue;
      sum += trees_.weight[static_cast<size_t>(k)];
      has = true;
    }
    if (!has && trees_.aggregate > TreeAggregate::sum) {
      fail(ErrorKind::unsupported, "export", "a leaf without a weight for every target has no least or largest one");
    }
    if (trees_.aggregate == TreeAggregate::average) sum /= static_cast<double>(trees_.roots.size());
    targets_.push_back(target);
    weights_.push_back(sum);
    return std::ssize(weights_) - 1;
  }

  OnnxWriter& w_;
  const TreeEnsemble& trees_;
  std::string modes_;
  std::vector<double> splits_, weights_, members_;
  std::vector<int64_t> columns_, missing_, yes_, yes_leaf_, no_, no_leaf_, roots_, targets_;
};

const RegisterExport tree_ensemble("tree_ensemble", [](OnnxWriter& w, const ExportNode& n) {
  const auto held = trees_of(n.attributes());
  const TreeEnsemble& trees = *held;
  std::string x = n.inputs[0];
  if (w.real() == DType::f32 && trees.sets.empty()) return regressor(w, x, trees);
  if (w.real() == DType::f64 && trees.single) {
    x = w.emit("Cast", {x}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
    x = w.emit("Cast", {x}, {{"to", int64_t{onnx::TensorProto::DOUBLE}}});
  }
  return Lists(w, trees).write(x);
});

}  // namespace
}  // namespace ascribe::core::export_trees
