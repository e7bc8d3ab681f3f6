#include "game/trees/tree_model.h"

#include <algorithm>
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core {

namespace {

constexpr int64_t kMostSlopes = 1 << 22;  // targets of the trees times numbers

bool is_trees(const Node& node) { return node.op->name == "tree_ensemble"; }

// Whether its output is a sum over trees.
bool adds_up(const TreeEnsemble& trees) {
  return trees.roots.size() == 1 || trees.aggregate == TreeAggregate::sum || trees.aggregate == TreeAggregate::average;
}

std::vector<bool> depending_on(const Graph& graph, const std::function<bool(const Node&)>& first) {
  std::vector<bool> depends(graph.nodes.size(), false);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    depends[i] = first(node) || std::any_of(node.inputs.begin(), node.inputs.end(),
                                            [&](Value input) { return depends[static_cast<size_t>(input.index)]; });
  }
  return depends;
}

// Affine in the operands that depend on the trees, all others being known.
bool is_affine(const Node& node, const std::vector<bool>& hot) {
  const auto is_hot = [&](size_t operand) { return hot[static_cast<size_t>(node.inputs[operand].index)]; };
  if (node.op->op_class == OpClass::linear) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (is_hot(i) && node.type.kind != Kind::real) return false;
    }
    return true;
  }
  if (node.op->op_class == OpClass::bilinear) {
    int moving = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) moving += is_hot(i) ? 1 : 0;
    return moving == 1 && (node.op->name != "div" || is_hot(0));
  }
  return node.op->name == "cast" && node.type.kind == Kind::real;
}

// Values of nodes for one row, in double, computed as they are needed.
class Values {
 public:
  explicit Values(const Graph& graph) : graph_(graph), known_(graph.nodes.size()) {}

  void set(Value value, Tensor tensor) { known_[static_cast<size_t>(value.index)] = std::move(tensor); }
  // Nodes come after their operands, so no recursion is needed.
  Tensor of(Value wanted) {
    std::vector<bool> needed(graph_.nodes.size(), false);
    needed[static_cast<size_t>(wanted.index)] = true;
    for (auto i = static_cast<size_t>(wanted.index) + 1; i-- > 0;) {
      if (!needed[i] || known_[i]) continue;
      for (const Value input : graph_.nodes[i].inputs) needed[static_cast<size_t>(input.index)] = true;
    }
    for (size_t i = 0; i <= static_cast<size_t>(wanted.index); ++i) {
      if (needed[i] && !known_[i]) known_[i] = computed(graph_.nodes[i]);
    }
    return *known_[static_cast<size_t>(wanted.index)];
  }

 private:
  Tensor computed(const Node& node) {
    if (node.op->name == "constant" || node.op->name == "growing_constant") {
      const Tensor constant = constant_at(node, 1);
      return constant.cast(storage(node.type.kind, DType::f64));
    }
    std::vector<Tensor> operands;
    for (const Value input : node.inputs) operands.push_back(*known_[static_cast<size_t>(input.index)]);
    return evaluate(*node.op, operands, node.attributes.resolved(1), node.type, 1, DType::f64);
  }

  const Graph& graph_;
  std::vector<std::optional<Tensor>> known_;
};

// The offset of the numbers, and their slopes by each target of each of the trees.
void measure(const Graph& graph, Value output, TreeModel& model) {
  const auto at = [&](size_t which, int64_t target) {
    Values values(graph);
    for (size_t t = 0; t < model.trees.size(); ++t) {
      Tensor rows(DType::f64, {1, model.trees[t].trees->targets});
      if (t == which) rows.mutable_data<double>()[target] = 1;
      values.set(model.trees[t].node, rows);
    }
    const Tensor result = values.of(output);
    const auto data = result.data<double>();
    return std::vector<double>(data.begin(), data.end());
  };
  model.offset = at(model.trees.size(), 0);
  for (size_t t = 0; t < model.trees.size(); ++t) {
    for (int64_t target = 0; target < model.trees[t].trees->targets; ++target) {
      const std::vector<double> numbers = at(t, target);
      for (size_t n = 0; n < numbers.size(); ++n) model.trees[t].slopes.push_back(numbers[n] - model.offset[n]);
    }
  }
}

Graph column_graph(const Graph& graph, const TreeModel& model) {
  Graph columns = graph;
  columns.outputs.clear();
  for (size_t t = 0; t < model.trees.size(); ++t) {
    columns.outputs.push_back({"columns " + std::to_string(t), model.trees[t].rows});
  }
  columns.drop_unread();
  return columns;
}

}  // namespace

std::optional<TreeModel> find_trees(const Graph& graph, size_t output) {
  const Value wanted = graph.outputs[output].value;
  const std::vector<bool> hot = depending_on(graph, is_trees);
  const std::vector<bool> asked = depending_on(graph, [](const Node& node) { return node.op->name == "input"; });
  if (!hot[static_cast<size_t>(wanted.index)]) return std::nullopt;
  // From the number back to the trees.
  TreeModel model;
  std::vector<bool> needed(graph.nodes.size(), false);
  needed[static_cast<size_t>(wanted.index)] = true;
  for (auto i = static_cast<size_t>(wanted.index) + 1; i-- > 0;) {
    const Node& node = graph.nodes[i];
    if (!needed[i]) continue;
    if (is_trees(node)) {
      const Value value{static_cast<int32_t>(i)};
      model.trees.push_back({value, node.inputs[0], trees_of(node.attributes), {}});
      continue;
    }
    if (!is_affine(node, hot)) return std::nullopt;
    for (const Value input : node.inputs) {
      const auto place = static_cast<size_t>(input.index);
      if (hot[place]) needed[place] = true;
      else if (asked[place]) return std::nullopt;  // something else than trees has a say
    }
  }
  std::reverse(model.trees.begin(), model.trees.end());
  const int64_t numbers = element_count(at(graph[wanted].type.shape, 1));
  for (const ModelTrees& trees : model.trees) {
    // Trees of trees: the columns of the second are steps, but of all players of the first.
    if (hot[static_cast<size_t>(trees.rows.index)] || !adds_up(*trees.trees)) return std::nullopt;
    if (trees.trees->targets * numbers > kMostSlopes) return std::nullopt;
  }
  measure(graph, wanted, model);
  model.columns = column_graph(graph, model);
  return model;
}

namespace {

// Labels of elements: 0 for what no player moves, p + 1 for what player p does. Nothing where two players meet.
using Labels = std::optional<Tensor>;

Tensor zeros(const Node& node) { return Tensor(DType::f64, at(node.type.shape, 1)); }

bool all_zero(const Tensor& labels) {
  const auto data = labels.data<double>();
  return std::all_of(data.begin(), data.end(), [](double label) { return label == 0; });
}

Labels met_by_element(const Node& node, const std::vector<Tensor>& operands) {
  Tensor result = zeros(node);
  const auto out = result.mutable_data<double>();
  for (const Tensor& operand : operands) {
    const std::array strides = {broadcast_strides(operand.shape(), result.shape())};
    const auto from = operand.data<double>();
    bool apart = true;
    for_each_broadcast(result.shape(), strides, 0, result.size(), [&](int64_t i, int64_t k) {
      const double label = from[static_cast<size_t>(k)];
      double& own = out[static_cast<size_t>(i)];
      if (label == 0) return;
      apart = apart && (own == 0 || own == label);
      own = label;
    });
    if (!apart) return std::nullopt;
  }
  return result;
}

// What only moves elements moves their labels; a padding that would look like a label is refused.
Labels moved(const Node& node, const Graph& graph, const std::vector<Tensor>& labels, Values& constants,
             int64_t players) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (graph[node.inputs[i]].type.kind == Kind::real) operands.push_back(labels[i]);
    else if (all_zero(labels[i]) && graph[node.inputs[i]].op->op_class == OpClass::source &&
             graph[node.inputs[i]].op->name != "input")
      operands.push_back(constants.of(node.inputs[i]));
    else return std::nullopt;
  }
  Tensor result = evaluate(*node.op, operands, node.attributes.resolved(1), node.type, 1, DType::f64);
  for (const double label : result.data<double>()) {
    if (!(label >= 0 && label <= static_cast<double>(players) && label == std::floor(label))) return std::nullopt;
  }
  if (node.op->name == "pad" && node.attributes.has("value") && node.attributes.real("value") != 0) return std::nullopt;
  return result;
}

// Where all that moves is one player's, so is the result, whatever the operation does.
Labels of_one_player(const Node& node, const std::vector<Tensor>& labels) {
  double player = 0;
  for (const Tensor& operand : labels) {
    for (const double label : operand.data<double>()) {
      if (label == 0) continue;
      if (player != 0 && label != player) return std::nullopt;
      player = label;
    }
  }
  Tensor result = zeros(node);
  const auto out = result.mutable_data<double>();
  std::fill(out.begin(), out.end(), player);
  return result;
}

Labels labels_of(const Node& node, const Graph& graph, const std::vector<Tensor>& labels, Values& constants,
                 int64_t players) {
  if (std::all_of(labels.begin(), labels.end(), all_zero)) return zeros(node);
  const Traits traits = traits_of(node);
  if (traits.pointwise) return met_by_element(node, labels);
  if (traits.moves && node.type.kind == Kind::real) return moved(node, graph, labels, constants, players);
  return of_one_player(node, labels);
}

}  // namespace

std::optional<std::vector<std::vector<int32_t>>> column_players(const Graph& graph, const TreeModel& model,
                                                                size_t input, const Players& players) {
  std::vector<bool> needed(graph.nodes.size(), false);
  for (const ModelTrees& trees : model.trees) needed[static_cast<size_t>(trees.rows.index)] = true;
  for (size_t i = needed.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const Value operand : graph.nodes[i].inputs) needed[static_cast<size_t>(operand.index)] = true;
  }
  Values constants(graph);
  std::vector<Tensor> labels(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (!needed[i]) continue;
    if (static_cast<int32_t>(i) == graph.inputs[input].value.index) {
      labels[i] = zeros(node);
      if (labels[i].size() != std::ssize(players.owner)) return std::nullopt;
      const auto out = labels[i].mutable_data<double>();
      for (size_t e = 0; e < players.owner.size(); ++e) out[e] = players.owner[e] + 1;
      continue;
    }
    if (node.inputs.empty()) {
      labels[i] = zeros(node);
      continue;
    }
    std::vector<Tensor> operands;
    for (const Value operand : node.inputs) operands.push_back(labels[static_cast<size_t>(operand.index)]);
    Labels own = labels_of(node, graph, operands, constants, players.count());
    if (!own) return std::nullopt;
    labels[i] = std::move(*own);
  }
  std::vector<std::vector<int32_t>> owners;
  for (const ModelTrees& trees : model.trees) {
    owners.emplace_back();
    for (const double label : labels[static_cast<size_t>(trees.rows.index)].data<double>()) {
      owners.back().push_back(static_cast<int32_t>(label) - 1);
    }
    if (most_path_players(*trees.trees, owners.back()) > kMostPathPlayers) return std::nullopt;
  }
  return owners;
}

namespace {

// [rows, columns] as the trees see them, column by column.
std::vector<double> columns_seen(const TreeEnsemble& trees, const Tensor& rows) {
  const int64_t count = rows.shape()[0], columns = rows.size() / std::max<int64_t>(count, 1);
  std::vector<double> result(static_cast<size_t>(rows.size()));
  const Tensor same = rows.cast(DType::f64);
  const auto from = same.data<double>();
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      result[static_cast<size_t>(c * count + r)] = trees.seen(from[static_cast<size_t>(r * columns + c)]);
    }
  }
  return result;
}

}  // namespace

TreeGame tree_game(const TreeModel& model, const std::vector<std::vector<int32_t>>& owners, int64_t players,
                   std::span<const Tensor> columns_of_x, std::span<const Tensor> columns_of_b) {
  TreeGame game;
  game.players = players;
  game.rows = columns_of_x[0].shape()[0];
  game.baselines = columns_of_b[0].shape()[0];
  for (size_t t = 0; t < model.trees.size(); ++t) {
    const TreeEnsemble& trees = *model.trees[t].trees;
    game.parts.push_back(
        {model.trees[t].trees, owners[t], columns_seen(trees, columns_of_x[t]), columns_seen(trees, columns_of_b[t])});
  }
  return game;
}

namespace {

double scale_of(const TreeEnsemble& trees) {
  return trees.aggregate == TreeAggregate::average ? 1 / static_cast<double>(trees.roots.size()) : 1.0;
}

}  // namespace

std::vector<std::vector<double>> leaf_values(const TreeModel& model, int64_t number) {
  std::vector<std::vector<double>> values;
  for (const ModelTrees& part : model.trees) {
    const TreeEnsemble& trees = *part.trees;
    values.emplace_back(static_cast<size_t>(trees.leaves()), 0.0);
    for (size_t leaf = 0; leaf < values.back().size(); ++leaf) {
      for (int64_t w = trees.first_weight[leaf]; w < trees.first_weight[leaf + 1]; ++w) {
        const int64_t target = trees.weight_target[static_cast<size_t>(w)];
        values.back()[leaf] += trees.weight[static_cast<size_t>(w)] * scale_of(trees) *
                               part.slopes[static_cast<size_t>(target * model.numbers() + number)];
      }
    }
  }
  return values;
}

std::vector<double> tree_outputs(const TreeModel& model, int64_t number, std::span<const Tensor> columns) {
  const int64_t rows = columns[0].shape()[0];
  const std::vector<std::vector<double>> values = leaf_values(model, number);
  std::vector<double> result(static_cast<size_t>(rows), model.offset[static_cast<size_t>(number)]);
  for (size_t t = 0; t < model.trees.size(); ++t) {
    const TreeEnsemble& trees = *model.trees[t].trees;
    double base = 0;
    for (int64_t target = 0; target < trees.targets; ++target) {
      base += trees.base[static_cast<size_t>(target)] *
              model.trees[t].slopes[static_cast<size_t>(target * model.numbers() + number)];
    }
    const std::vector<double> seen = columns_seen(trees, columns[t]);
    for (int64_t r = 0; r < rows; ++r) {
      double sum = base;
      for (int32_t at : trees.roots) {
        while (at >= 0) {
          const TreeNode& node = trees.nodes[static_cast<size_t>(at)];
          at = trees.goes_yes(node, seen[static_cast<size_t>(node.column * rows + r)]) ? node.yes : node.no;
        }
        sum += values[t][static_cast<size_t>(~at)];
      }
      result[static_cast<size_t>(r)] += sum;
    }
  }
  return result;
}

}  // namespace ascribe::core
