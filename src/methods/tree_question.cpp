#include "methods/tree_question.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>

#include "game/trees/tree_model.h"
#include "game/trees/tree_shapley.h"

namespace ascribe::core {

namespace {

using Owners = std::vector<std::vector<int32_t>>;
using LeafValues = std::vector<std::vector<double>>;

// What is found out once, and asked for with every question.
struct Held {
  std::optional<TreeModel> trees;
  std::vector<int32_t> players;  // that `owners` are of
  std::optional<Owners> owners;
  std::map<int64_t, LeafValues> values;  // by number

  const std::optional<Owners>& owners_of(const ExplainedModel& model, const Players& asked) {
    if (players.empty() || players != asked.owner) {
      owners = column_players(model.graph(), *trees, model.input(), asked);
      players = asked.owner;
    }
    return owners;
  }
  const LeafValues& values_of(int64_t number) {
    const auto [found, fresh] = values.try_emplace(number);
    if (fresh) found->second = leaf_values(*trees, number);
    return found->second;
  }
};

std::shared_ptr<Held> held_by(ExplainedModel& model) {
  return model.kept<Held>("trees", [&] {
    auto held = std::make_shared<Held>();
    if (has_trees(model.graph())) held->trees = find_trees(model.graph(), 1);
    return held;
  });
}

// What each of the trees is applied to, at rows of the explained input; the other inputs are at the point.
std::vector<Tensor> columns_at(ExplainedModel& model, const TreeModel& trees, const std::vector<Tensor>& point,
                               const Tensor& rows, int64_t count) {
  const auto is_input = [&](const Port& port) { return port.value == trees.columns.inputs[model.input()].value; };
  if (std::all_of(trees.columns.outputs.begin(), trees.columns.outputs.end(), is_input)) {
    const Tensor same = rows.cast(model.real()).reshaped({count, rows.size() / count});
    return std::vector<Tensor>(trees.trees.size(), same);
  }
  std::vector<Tensor> inputs = point;
  inputs[model.input()] = rows.cast(model.real());
  const auto session = model.session("columns of trees", [&] { return trees.columns; });
  std::vector<Tensor> columns = model.run(*session, inputs, count);
  for (Tensor& column : columns) column = column.reshaped({count, column.size() / count});
  return columns;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  return a.memory() == b.memory() || std::memcmp(a.memory(), b.memory(), a.bytes()) == 0;
}

// Whether the baselines mean the same to both questions: nothing of x or of another input stays in them.
bool share_baselines(const ExplainedModel& model, const Question& a, const Question& b) {
  const std::vector<int32_t>& owner = a.players.owner;
  return model.graph().inputs.size() == 1 && owner == b.players.owner &&
         std::find(owner.begin(), owner.end(), -1) == owner.end() && same_bytes(a.baselines, b.baselines);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void check_target(const ExplainedModel& model, const Question& question) {
  if (question.target >= 0 && question.target < model.targets()) return;
  fail(ErrorKind::argument, "target", "there is no class {}; expected 0 to {}", question.target, model.targets() - 1);
}

// Questions with the same players and baselines.
struct Batch {
  std::vector<Tensor> x, b;  // columns of each of the trees
  TreeGame game;
};

std::optional<Batch> make_batch(ExplainedModel& model, Held& held, std::span<const Question> questions) {
  const Question& first = questions[0];
  const TreeModel& trees = *held.trees;
  const std::optional<Owners>& owners = held.owners_of(model, first.players);
  if (!owners) return std::nullopt;
  std::vector<Tensor> rows;
  for (const Question& question : questions) {
    check_target(model, question);
    rows.push_back(question.point[model.input()]);
  }
  Batch batch;
  const Tensor x = rows.size() == 1 ? rows[0] : stacked_rows(rows);
  batch.x = columns_at(model, trees, first.point, x, std::ssize(questions));
  batch.b = columns_at(model, trees, first.point, effective_baselines(model, first), first.baseline_count());
  batch.game = tree_game(trees, *owners, first.players.count(), batch.x, batch.b);
  return batch;
}

Attribution answer(const Question& question, std::vector<double> values, double output, double baseline_output,
                   const TreeModel& trees) {
  size_t count = 0;
  for (const ModelTrees& part : trees.trees) count += part.trees->roots.size();
  Attribution result = attribution_of_players(question, std::move(values), output, baseline_output);
  result.evaluations = 1 + question.baseline_count();
  result.notes.push_back(fmt::format(
      "exact for any number of players: what is explained is a sum over {} decision trees, taken apart leaf "
      "by leaf",
      count));
  return result;
}

std::optional<std::vector<Attribution>> batch_attributions(ExplainedModel& model, Held& held,
                                                           std::span<const Question> questions,
                                                           const Progress& progress) {
  const TreeModel& trees = *held.trees;
  const std::optional<Batch> batch = make_batch(model, held, questions);
  if (!batch) return std::nullopt;
  TreeReadout readout;
  readout.leaf_value.resize(trees.trees.size());
  struct Number {
    int32_t place;
    std::vector<double> outputs;
    double baseline_output;
  };
  std::map<int64_t, Number> numbers;
  for (const Question& question : questions) {
    const auto [found, fresh] = numbers.try_emplace(question.target);
    if (fresh) {
      found->second = {static_cast<int32_t>(numbers.size()) - 1, tree_outputs(trees, question.target, batch->x),
                       mean(tree_outputs(trees, question.target, batch->b))};
      const LeafValues& values = held.values_of(question.target);
      for (size_t t = 0; t < values.size(); ++t) readout.leaf_value[t].push_back(values[t]);
    }
    readout.target.push_back(found->second.place);
  }
  const std::vector<double> values = tree_shapley(batch->game, readout, progress);
  const int64_t players = batch->game.players;
  std::vector<Attribution> answers;
  for (int64_t r = 0; r < std::ssize(questions); ++r) {
    const Question& question = questions[static_cast<size_t>(r)];
    const Number& number = numbers.at(question.target);
    const auto own = values.begin() + r * players;
    answers.push_back(
        answer(question, {own, own + players}, number.outputs[static_cast<size_t>(r)], number.baseline_output, trees));
  }
  return answers;
}

}  // namespace

bool has_trees(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return node.op->name == "tree_ensemble"; });
}

std::optional<QuestionTrees> trees_of_question(ExplainedModel& model, const Question& question) {
  const std::shared_ptr<Held> held = held_by(model);
  if (!held->trees || question.absence.conditional()) return std::nullopt;
  const TreeModel& trees = *held->trees;
  const std::optional<Batch> batch = make_batch(model, *held, std::span(&question, 1));
  if (!batch) return std::nullopt;
  return QuestionTrees{leaf_games(batch->game, 0, held->values_of(question.target)),
                       tree_outputs(trees, question.target, batch->x)[0],
                       mean(tree_outputs(trees, question.target, batch->b))};
}

std::optional<std::vector<Attribution>> tree_attributions(ExplainedModel& model, std::span<const Question> questions,
                                                          const Progress& progress) {
  const std::shared_ptr<Held> held = held_by(model);
  const auto conditional = [](const Question& question) { return question.absence.conditional(); };
  if (!held->trees || std::any_of(questions.begin(), questions.end(), conditional)) return std::nullopt;
  std::vector<Attribution> answers;
  for (size_t first = 0; first < questions.size();) {
    size_t last = first + 1;
    while (last < questions.size() && share_baselines(model, questions[first], questions[last])) ++last;
    auto some = batch_attributions(model, *held, questions.subspan(first, last - first), progress);
    if (!some) return std::nullopt;
    std::move(some->begin(), some->end(), std::back_inserter(answers));
    first = last;
  }
  return answers;
}

std::vector<std::string> masked_trees_notes(const ExplainedModel& model) {
  if (!has_trees(model.graph())) return {};
  return {
      "the trees could not be taken apart leaf by leaf, because something that is not linear lies behind them or mixes "
      "columns of several players in front of them; inputs are masked"};
}

}  // namespace ascribe::core
