#include "methods/question_game.h"

#include <array>
#include <cmath>

#include "game/checked_game.h"
#include "game/conditional_game.h"
#include "game/cone_masks.h"
#include "game/local_masks.h"
#include "methods/shared_work.h"
#include "passes/linear_prefix.h"

namespace ascribe::core {

namespace {

constexpr double kLargestMatrix = 4 << 20;               // numbers in the layer's matrix
constexpr double kMostWork = 4e9;                        // multiplications to measure it, once for each model
constexpr int64_t kUnitRows = 256;                       // for which it is run at once to measure it
constexpr int64_t kChecked = 8;                          // coalitions of the first batch that are computed both ways
constexpr int64_t kLeastChecked = 2, kConeChecked = 64;  // by the cone: one of 64, at least two, at most as above
constexpr int64_t kMostTargets = 1 << 16;  // numbers in a row of the output, all of which the cone computes
// Of the largest value, what rounding may explain between two orders of summation.
constexpr double kSingle = 1e-4, kDouble = 1e-10;

// How the explained input enters the network, kept with the model: through a linear layer, or through local layers and
// a linear one behind them. Neither: it is masked itself.
struct Entry {
  std::optional<AffineLayer> layer;
  std::shared_ptr<LocalLayers> local;
  Graph prefix, suffix;  // the local layers, and what comes behind the linear layer
  GameVerdict verdict = GameVerdict::unchecked;
  std::shared_ptr<ConeRunner> cone;  // null: the network is not local anywhere
  GameVerdict cone_verdict = GameVerdict::unchecked;
};

Graph forward_graph(const ExplainedModel& model) {
  Graph graph = model.graph();
  graph.outputs.erase(graph.outputs.begin());
  graph.drop_unread();
  return graph;
}

// L(0) and L(e_i) - L(0): one row for each element, in double.
AffineLayer measured_layer(const ExplainedModel& model, const LinearPrefix& split, const Shape& row) {
  AffineLayer layer{Tensor(DType::f64, {split.outer, split.inner}), {}, {}};
  layer.row = at(split.prefix[split.prefix.outputs[0].value].type.shape, 1);
  layer.row.erase(layer.row.begin());
  Session session(split.prefix, model.model().session_options(DType::f64));
  Shape rows = row;
  rows.insert(rows.begin(), 1);
  layer.offset = session.run(std::array{Tensor(DType::f64, rows)})[0].reshaped({split.inner});
  const auto slopes = layer.slopes.mutable_data<double>();
  for (int64_t first = 0; first < split.outer; first += kUnitRows) {
    rows[0] = std::min(kUnitRows, split.outer - first);
    Tensor units(DType::f64, rows);
    for (int64_t r = 0; r < rows[0]; ++r) units.mutable_data<double>()[r * split.outer + first + r] = 1;
    const Tensor values = session.run(std::array{units})[0];
    for (int64_t k = 0; k < values.size(); ++k) {
      slopes[first * split.inner + k] = values.at(k) - layer.offset.at(k % split.inner);
    }
  }
  return layer;
}

bool is_small(const LinearPrefix& split) {
  const auto inner = static_cast<double>(split.inner), outer = static_cast<double>(split.outer);
  return inner <= outer && inner * outer <= kLargestMatrix && inner * outer * outer <= kMostWork;
}

void add_cone(ExplainedModel& model, const Graph& forward, Entry& entry) {
  if (model.targets() > kMostTargets) return;
  auto cone = Cone::of(forward, model.input());
  if (!cone) return;
  const auto sessions = [&model](const std::string& key, const std::function<Graph()>& make) {
    return model.session(key, make);
  };
  entry.cone = std::make_shared<ConeRunner>(std::move(*cone), model.model().session_options(model.real()), sessions);
}

std::shared_ptr<Entry> make_entry(ExplainedModel& model) {
  auto entry = std::make_shared<Entry>();
  if (!model.batched()) return entry;
  const Graph forward = forward_graph(model);
  add_cone(model, forward, *entry);
  // Wider than the input, adding up is no cheaper than the layer.
  if (auto split = split_linear_prefix(forward, model.input()); split && is_small(*split)) {
    entry->layer = measured_layer(model, *split, model.row());
    entry->suffix = std::move(split->suffix);
    return entry;
  }
  auto part = split_local_part(forward, model.input());
  if (!part) return entry;
  auto split = split_linear_prefix(part->suffix, model.input());
  if (!split || !is_small(*split)) return entry;
  entry->prefix = std::move(part->prefix);
  entry->suffix = std::move(split->suffix);
  const auto run = [&model, prefix = entry->prefix](const Tensor& images) {
    const auto session = model.session("local layers", [&] { return prefix; });
    return model.run(*session, std::array{images}, images.shape()[0])[0];
  };
  entry->local = std::make_shared<LocalLayers>(LocalLayers{model.row(), part->shape, part->rows, part->columns,
                                                           measured_layer(model, *split, part->shape), run});
  return entry;
}

std::shared_ptr<Entry> entry_of(ExplainedModel& model) {
  return model.kept<Entry>("entry of masks", [&] { return make_entry(model); });
}

MaskedInput masked_input(const ExplainedModel& model, const Question& question) {
  return {
      question.point[model.input()], question.baselines, question.players, model.row(), model.real(), model.memory()};
}

RowFunction whole_model(ExplainedModel& model, const Question& question) {
  return [&model, point = question.point, target = question.target](const Tensor& rows, const Progress& progress) {
    std::vector<Tensor> inputs = point;
    inputs[model.input()] = rows;
    return model.values(inputs, std::array{target}, progress);
  };
}

RowFunction behind_layer(ExplainedModel& model, const Question& question, const std::shared_ptr<Entry>& entry) {
  return
      [&model, entry, point = question.point, target = question.target](const Tensor& rows, const Progress& progress) {
        std::vector<Tensor> inputs = point;
        inputs[model.input()] = rows;
        const auto session = model.session("behind the linear entry", [&] { return entry->suffix; });
        const int64_t count = rows.shape()[0];
        const Tensor outputs = model.run(*session, inputs, count, progress)[0];
        std::vector<double> values;
        for (int64_t r = 0; r < count; ++r) values.push_back(outputs.at(r * model.targets() + target));
        return values;
      };
}

// What is known about games with conditional absence, until it is told.
struct Conditionals {
  std::shared_ptr<ConditionalUse> use = std::make_shared<ConditionalUse>();
  int64_t rows = 0;
};

std::shared_ptr<Conditionals> conditionals_of(ExplainedModel& model) {
  return model.kept<Conditionals>("conditional absence", [] { return std::make_shared<Conditionals>(); });
}

}  // namespace

Game plain_question_game(ExplainedModel& model, const Question& question) {
  if (question.absence.conditional()) {
    const auto told = conditionals_of(model);
    told->rows = question.baseline_count();
    return conditional_game(masked_input(model, question), question.absence, whole_model(model, question), told->use);
  }
  return masked_input_game(masked_input(model, question), whole_model(model, question));
}

namespace {

double tolerance_of(const ExplainedModel& model) { return model.real() == DType::f32 ? kSingle : kDouble; }

// The input masked itself, whole or by its cone of influence.
Game masked_input_itself(ExplainedModel& model, const Question& question, const std::shared_ptr<Entry>& entry) {
  if (!entry->cone || entry->cone_verdict == GameVerdict::differs) return plain_question_game(model, question);
  const auto plain = std::make_shared<Game>(plain_question_game(model, question));
  const auto count = std::make_shared<int64_t>(0);
  const auto cone = std::make_shared<Game>(
      masked_cone_game(masked_input(model, question), {entry->cone, question.point, question.target}, plain, count));
  if (entry->cone_verdict == GameVerdict::agrees) return *cone;
  return checked_game(cone, plain, std::shared_ptr<GameVerdict>(entry, &entry->cone_verdict),
                      {tolerance_of(model), kLeastChecked, kChecked, kConeChecked, [count] { return *count > 0; }});
}

// Null where the input has to be masked itself.
std::shared_ptr<Game> fast_game(ExplainedModel& model, const Question& question, const std::shared_ptr<Entry>& entry) {
  const MaskedInput input = masked_input(model, question);
  const RowFunction behind = behind_layer(model, question, entry);
  if (entry->local) {
    const auto itself = std::make_shared<Game>(masked_input_itself(model, question, entry));
    return std::make_shared<Game>(masked_local_game(input, entry->local, behind, itself));
  }
  if (!entry->layer) return nullptr;
  if (masked_layer_bytes(input, *entry->layer) > static_cast<double>(input.memory) / 8) return nullptr;
  return std::make_shared<Game>(masked_layer_game(input, *entry->layer, behind));
}

void check_target(const ExplainedModel& model, const Question& question) {
  if (question.target < 0 || question.target >= model.targets()) {
    fail(ErrorKind::argument, "target", "there is no target {}; expected 0 to {}", question.target,
         model.targets() - 1);
  }
}

// By the fastest way that agrees with masking the input itself.
Game computed_game(ExplainedModel& model, const Question& question) {
  if (question.absence.conditional()) return plain_question_game(model, question);
  const std::shared_ptr<Entry> entry = entry_of(model);
  const auto fast = entry->verdict == GameVerdict::differs ? nullptr : fast_game(model, question, entry);
  if (!fast) return masked_input_itself(model, question, entry);
  if (entry->verdict == GameVerdict::agrees) return *fast;
  const auto plain = std::make_shared<Game>(plain_question_game(model, question));
  return checked_game(fast, plain, std::shared_ptr<GameVerdict>(entry, &entry->verdict),
                      {tolerance_of(model), kChecked, kChecked, 1, nullptr});
}

}  // namespace

Game question_game(ExplainedModel& model, const Question& question) {
  check_target(model, question);
  return shared_game(model, question, computed_game);
}

std::vector<std::string> masking_notes(ExplainedModel& model) {
  const auto entry = entry_of(model);
  std::vector<std::string> notes;
  if (entry->verdict == GameVerdict::differs) {
    notes.push_back("masking behind the first layers gave other values than masking the input, so the input is masked");
  }
  if (entry->cone_verdict == GameVerdict::differs) {
    notes.push_back(
        "computing only what a masked region can reach gave other values than computing all, so all is computed");
  }
  const auto conditionals = conditionals_of(model);
  if (std::string told = to_words(*conditionals->use, conditionals->rows); !told.empty()) {
    notes.push_back(std::move(told));
    *conditionals->use = {};
  }
  return notes;
}

}  // namespace ascribe::core
