// Models whose explained numbers are affine in the outputs of trees: where they are, what each number takes of each
// target, and which player each column that they compare belongs to.
//
// In front of the trees, columns may be moved and changed one by one (scaled, cast, imputed, encoded); behind them,
// outputs may be added, scaled and moved. A softmax or a sigmoid behind them is not affine.
#pragma once

#include <functional>
#include <optional>

#include "game/players.h"
#include "game/trees/leaf_games.h"
#include "graph/graph.h"

namespace ascribe::core {

struct ModelTrees {
  Value node, rows;  // the trees, and what they are applied to
  std::shared_ptr<const TreeEnsemble> trees;
  std::vector<double> slopes;  // [targets of the trees, numbers]
};

struct TreeModel {
  std::vector<ModelTrees> trees;
  std::vector<double> offset;  // of each number
  Graph columns;               // inputs: the model's; outputs: what each of the trees is applied to
  int64_t numbers() const { return static_cast<int64_t>(offset.size()); }
};

// Nothing if the numbers of this output are not affine in trees.
std::optional<TreeModel> find_trees(const Graph& graph, size_t output);

// The player of each column of each of the trees, -1: nobody's. Nothing if a column depends on several players, or is
// computed in a way that does not say on which.
std::optional<std::vector<std::vector<int32_t>>> column_players(const Graph& graph, const TreeModel& model,
                                                                size_t input, const Players& players);

// Runs `columns` on rows of the model's inputs: one tensor of rows for each of the trees.
using ColumnFunction = std::function<std::vector<Tensor>(std::span<const Tensor> inputs, int64_t rows)>;

// The game of rows and baselines, both given as inputs of the model.
TreeGame tree_game(const TreeModel& model, const std::vector<std::vector<int32_t>>& owners, int64_t players,
                   std::span<const Tensor> columns_of_x, std::span<const Tensor> columns_of_b);

// What one of the numbers makes of each leaf: [trees][leaf].
std::vector<std::vector<double>> leaf_values(const TreeModel& model, int64_t number);

// The number at each row of columns, in double.
std::vector<double> tree_outputs(const TreeModel& model, int64_t number, std::span<const Tensor> columns);

}  // namespace ascribe::core
