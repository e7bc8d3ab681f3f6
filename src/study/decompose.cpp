#include "study/decompose.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "game/trees/tree_dividends.h"
#include "game/trees/tree_indices.h"
#include "methods/compile.h"
#include "methods/question_game.h"
#include "methods/spread.h"
#include "passes/select_element.h"
#include "study/absence.h"
#include "study/asked.h"
#include "study/decompose_question.h"
#include "study/few_players.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kListedEffects = 4096;
constexpr int64_t kBytesPerEffect = 256;  // of a truncated decomposition while it is made
constexpr int64_t kTablePlayers = 16;     // up to which the effects of trees are a table of all sets

const InteractionIndex* find_index(const DecomposeRequest& request) {
  const std::string& name = request.index;
  if (!request.influence.empty()) {
    if (!name.empty()) {
      fail(ErrorKind::argument, "influence", "names an index by what it has; got `index` {} too; expected one of them",
           name);
    }
    return &index_of_influence(request.influence);
  }
  if (name.empty()) return nullptr;
  if (const InteractionIndex* found = IndexRegistry::instance().find(name)) return found;
  std::vector<std::string> names;
  for (const auto& [known, index] : IndexRegistry::instance().entries()) names.push_back(known);
  fail(ErrorKind::unsupported, "index", "there is no index '{}'; {}", name, expected_one_of(name, names));
}

MaskedModel masked_model(const RowQuestion& question, const Model& model, const QuestionRequest& request,
                         std::vector<std::string>& notes) {
  ExplainOptions options = request.options();
  options.readout = question.readout;
  const Graph graph = with_explained(model.graph(), options, notes);
  return {
      select_element(graph, 1, question.target), question.point, question.input, question.baselines, question.players,
      model.session_options(model.precision())};
}

// What the effects of up to two players take: the sets of 0, 1 and 2, and x itself. Players are elements of a tensor,
// so this does not overflow.
int64_t sets_of_two(int64_t players) { return 2 + players + players * (players - 1) / 2; }

// "1,234,567"
std::string with_thousands(int64_t number) {
  std::string digits = fmt::format("{}", number);
  for (auto i = std::ssize(digits) - 3; i > 0; i -= 3) digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

// Players that are few, for this kind of row.
std::string few_players_text(const Players& players, const char* of_image, int64_t most) {
  if (players.series) return segments_text(*players.series, std::min<int64_t>(most, 12));
  return players.image ? of_image : "groups:FILE.json";
}

// Before any work: says what it would take, and what can be done instead.
void check_cost(const RowQuestion& question, const DecomposeRequest& request) {
  const int64_t players = question.players.count();
  const int64_t most_and_or = request.at_any_cost ? kMostAndOrPlayers : kUsualMostAndOrPlayers;
  if (request.and_or && players > most_and_or && !request.estimates()) {
    fail(ErrorKind::argument, "and-or", "got {} players ({}); expected at most {}, as `players` {} makes them{}",
         players, question.players.description, most_and_or,
         few_players_text(question.players, "grid:3x3", kMostAndOrPlayers),
         request.at_any_cost ? "" : fmt::format(", or `force` for up to {}, which takes long", kMostAndOrPlayers));
  }
  if (players <= kMostExactPlayers || request.at_any_cost || request.estimates()) return;
  if (request.samples > 0 || (request.order > 0 && !request.asks_index())) return;
  const bool image = question.players.image.has_value();
  const std::string pairs = !request.asks_index() ? fmt::format(", or `order` 2, which takes {} of them",
                                                                with_thousands(sets_of_two(players)))
                                                  : ", or `samples` 20000, which estimates sii, stii or fsii";
  const std::string sparse = request.and_or ? "" : ", or `estimate` sparse, which finds the strong effects";
  fail(ErrorKind::argument, "players",
       "{} players ({}) would take 2^{} evaluations of the model; expected at most {} "
       "players{}{}{}",
       players, question.players.description, players, kMostExactPlayers,
       image ? ", as `players` grid:4x4 or superpixels:16 make them"
             : fmt::format(", as `players` {} makes them", few_players_text(question.players, "", kMostExactPlayers)),
       pairs, sparse);
}

// The strong effects, wherever they are, and the index that follows from them.
void take_strong_effects(DecomposeResult& result, Game& game, ExplainedModel& explained,
                         const DecomposeRequest& request, const Progress& progress) {
  EstimateWish wish = request.wish;
  wish.seed = request.run.seed;
  if (result.index == nullptr) wish.order = request.order;
  // First, because it may refuse its budget.
  if (request.samples > 0) {
    result.direct = direct_index(*result.index, game, request.samples, request.run.seed + 1, progress);
  }
  result.sparse = estimated_effects(game, explained, result.question, wish, progress);
  EstimatedEffects& found = *result.sparse;
  for (const std::string& note : found.estimate.notes) result.notes.push_back(note);
  if (std::string weak = weak_text(found.estimate.held_out); !weak.empty()) result.notes.push_back(std::move(weak));
  if (result.index == nullptr) return;
  const int order = request.order > 0 ? request.order : std::min(2, result.index->most_order);
  SparseIndex asked = index_of_sparse(*result.index, found.estimate, order);
  std::erase_if(found.indices, [&](const SparseIndex& one) { return one.index == result.index; });
  found.indices.push_back(std::move(asked));
  if (result.direct) hold_against(*result.direct, found.indices.back(), found.estimate.degrees_of_freedom);
}

void take_apart(DecomposeResult& result, Game& game, ExplainedModel& explained, const Model& model,
                const DecomposeRequest& request, const Progress& progress) {
  SummaryOptions summary;
  summary.epsilon = model.precision() == DType::f64 ? 0x1p-52 : 0x1p-23;
  summary.strongest = request.top > 0 ? request.top : kListedEffects;
  if (request.estimates()) {
    take_strong_effects(result, game, explained, request, progress);
    result.summary = summarize(result.sparse->estimate.effects, summary);
  } else if (request.samples > 0) {
    result.estimate = estimate_index(result.index->name, game, {request.samples, request.run.seed, progress});
    result.summary = summarize(result.estimate->effects, summary);
  } else if (request.order > 0 && result.index == nullptr) {
    const auto most = static_cast<int64_t>(model.memory() / kBytesPerEffect);
    result.truncated = truncated_effects(game, request.order, most, progress);
    result.summary = summarize(*result.truncated, summary);
  } else {
    result.exact = exact_dividends(game, model.memory(), request.at_any_cost, progress);
    result.summary = summarize(*result.exact, summary);
  }
}

// The same of trees, leaf by leaf: without an evaluation of the model.
void take_trees_apart(DecomposeResult& result, const QuestionTrees& trees, const Model& model,
                      const DecomposeRequest& request) {
  const int64_t players = result.question.players.count();
  const auto most = static_cast<int64_t>(model.memory() / kBytesPerEffect);
  const bool table = (request.and_or && !request.estimates()) ||
                     (players <= kTablePlayers && (request.order == 0 || result.index != nullptr));
  SummaryOptions summary;
  summary.epsilon = 0x1p-52;
  summary.strongest = request.top > 0 ? request.top : kListedEffects;
  result.of_trees = true;
  // Beside an index all effects are told, if there are not too many of them.
  const bool all = result.index == nullptr ? request.order == 0
                                           : tree_dividend_count(trees.games, players, 0) <= static_cast<double>(most);
  const int of_index = request.order > 0 ? request.order : std::min(2, result.index ? result.index->most_order : 2);
  Effects effects = tree_dividends(trees.games, players, all ? 0 : of_index, most, trees.output, trees.baseline_output);
  if (table && all) result.exact = as_table(effects);
  else result.truncated = std::move(effects);
  if (result.index != nullptr && !result.exact) {
    result.index_values =
        tree_index(*result.index, trees.games, players, of_index, most, trees.output, trees.baseline_output);
  }
  result.summary = result.exact ? summarize(*result.exact, summary) : summarize(*result.truncated, summary);
  result.every_order = all;
}

AndOr least_and_or(const Dividends& dividends, const Model& model, const Progress& progress) {
  const int64_t entries = and_or_table_size(dividends.players);
  if (const int64_t bytes = entries * 8; static_cast<size_t>(bytes) > model.memory()) {
    fail(ErrorKind::argument, "memory", "AND and OR effects of {} players take {:.3g} GiB; got a budget of {:.3g} GiB",
         dividends.players, static_cast<double>(bytes) / (1 << 30), static_cast<double>(model.memory()) / (1 << 30));
  }
  return and_or_effects(dividends, 0, progress);
}

AndOrEstimate estimated_and_or(Game& game, const DecomposeRequest& request, const Progress& progress) {
  SparseRequest asked;
  asked.budget = request.wish.budget;
  asked.seed = request.run.seed;
  asked.aim = request.wish.aim;
  asked.progress = progress;
  return estimate_and_or(game, asked);
}

// The coalitions of the question. Where many are drawn, and where absent players depend on the others, the explained
// model masks them: by the fastest way that it knows.
Game game_of(const MaskedModel& masked, const RowQuestion& question, ExplainedModel& model, bool drawn) {
  return drawn || question.absence.conditional() ? question_game(model, question) : masked_model_game(masked);
}

void compute(DecomposeResult& result, const MaskedModel& masked, const std::optional<QuestionTrees>& trees,
             ExplainedModel& explained, const Model& model, const DecomposeRequest& request, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  result.index = find_index(request);
  if (trees && (request.samples == 0 || request.estimates())) {
    take_trees_apart(result, *trees, model, request);
  } else {
    Game game = game_of(masked, result.question, explained, request.estimates());
    take_apart(result, game, explained, model, request, progress);
    if (result.question.absence.conditional()) {
      for (std::string& note : masking_notes(explained)) result.notes.push_back(std::move(note));
    }
  }
  if (result.index != nullptr && !result.estimate && !result.sparse && !result.index_values) {
    const int order = request.order > 0 ? request.order : std::min(2, result.index->most_order);
    result.index_values = compute_index(*result.index, *result.exact, order);
  }
  if (request.taylor > 0) result.taylor = taylor_effects(masked, {.order = request.taylor}, progress);
  if (request.and_or && request.estimates()) {
    Game game = game_of(masked, result.question, explained, true);
    result.and_or_estimate = estimated_and_or(game, request, progress);
  } else if (request.and_or) {
    result.and_or = least_and_or(*result.exact, model, progress);
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

void check_estimate(const DecomposeRequest& request) {
  if (!request.estimates()) {
    if (!request.wish.estimator.empty()) {
      fail(ErrorKind::argument, "estimator", "chooses how effects are estimated; expected `estimate` sparse with it");
    }
    return;
  }
  if (request.estimate != "sparse") {
    fail(ErrorKind::argument, "estimate", "got '{}'; {}", request.estimate,
         expected_one_of(request.estimate, {"sparse"}));
  }
  effect_estimator_named(request.wish.estimator.empty() ? SparseRequest().estimator : request.wish.estimator);
  if (request.taylor > 0) fail(ErrorKind::argument, "taylor", "is of exact effects; expected no `estimate` with it");
  const InteractionIndex* index = find_index(request);
  if (index != nullptr && index->joint) {
    fail(ErrorKind::argument, "index", "{} takes sets of players as one, which estimated effects do not tell",
         index->name);
  }
  static const std::vector<std::string> direct = {"shapley", "sii", "stii", "fsii"};
  if (request.samples > 0 &&
      (index == nullptr || std::find(direct.begin(), direct.end(), index->name) == direct.end() || request.order > 2)) {
    fail(ErrorKind::argument, "samples",
         "beside estimated effects an index is estimated directly: expected `index` {} and no `order` above 2",
         fmt::join(direct, ", "));
  }
}

}  // namespace

void check_decomposition(const DecomposeRequest& request) {
  find_index(request);
  absence_named(request.absence);
  if (request.taylor < 0 || request.taylor > kMostTaylorDegree) {
    fail(ErrorKind::argument, "taylor", "got a degree of {}; expected 1 to {}, or 0 for none", request.taylor,
         kMostTaylorDegree);
  }
  if (request.taylor > 0 && absence_named(request.absence).conditional()) {
    fail(ErrorKind::argument, "taylor", "expands at baselines as they are; got `absence` {}", request.absence);
  }
  check_estimate(request);
  if (request.and_or && (request.samples > 0 || (request.order > 0 && !request.asks_index()))) {
    fail(ErrorKind::argument, "and-or", "needs the effects of all orders: expected no `order` and no `samples`");
  }
  if (request.samples == 0 || request.estimates()) return;
  if (!request.asks_index() || request.taylor > 0 || request.order > 2) {
    fail(ErrorKind::argument, "samples",
         "estimates an index of pairs: expected `index` sii, stii or fsii, no `taylor` "
         "and no `order` above 2");
  }
}

const InteractionIndex* index_of(const DecomposeRequest& request) { return find_index(request); }

int index_order(const DecomposeRequest& request, const InteractionIndex& index) {
  return request.order > 0 ? request.order : std::min(2, index.most_order);
}

SummaryOptions summary_options(DType precision, int64_t top) {
  SummaryOptions options;
  options.epsilon = precision == DType::f64 ? 0x1p-52 : 0x1p-23;
  options.strongest = top > 0 ? top : kListedEffects;
  return options;
}

DecomposedQuestion decomposed_question(const Subject& given, const DecomposeRequest& request, Running& running,
                                       std::vector<std::string>& notes,
                                       const std::function<void(const RowQuestion&)>& check_cost) {
  const Subject subject = asked(given, request.question, running);
  const Model& model = subject.model();
  notes = model.notes();
  QuestionMaker maker(subject, request.question, request.run.seed, notes);
  maker.read_rows();
  if (maker.questions().size() != 1) {
    fail(ErrorKind::argument, request.question.rows.where(),
         "got {} rows; decompose takes one at a time, which `row` picks", maker.questions().size());
  }
  // Trees may be taken apart leaf by leaf, whatever the number of players.
  const bool maybe_trees = has_trees(model.graph());
  if (!maybe_trees) check_cost(maker.questions()[0]);
  maker.take_baselines();
  maker.take_targets();
  RowQuestion question = std::move(maker.questions()[0]);
  take_absence(question, request.absence);
  MaskedModel masked = masked_model(question, model, request.question, notes);
  std::optional<QuestionTrees> trees;
  if (maybe_trees) trees = trees_of_question(subject.explained(request.question.options(question)), question);
  if (maybe_trees && (!trees || request.and_or)) check_cost(question);
  return {subject, std::move(question), std::move(masked), std::move(trees)};
}

DecomposeResult decompose(const Subject& given, const DecomposeRequest& request) {
  check_decomposition(request);
  Running running(request.run);
  std::vector<std::string> notes;
  DecomposedQuestion ready = decomposed_question(given, request, running, notes,
                                                 [&](const RowQuestion& question) { check_cost(question, request); });
  const std::optional<QuestionTrees>& trees = ready.trees;
  ExplainedModel& explained = ready.subject.explained(request.question.options(ready.question));
  DecomposeResult result;
  result.model = ready.subject.path();
  result.question = std::move(ready.question);
  if (trees && (request.samples == 0 || request.estimates())) {
    notes.emplace_back(
        "what is explained is a sum over decision trees: its effects are read off their leaves, all exact");
  }
  running.note(notes);
  running.begin(1);
  compute(result, ready.masked, trees, explained, ready.subject.model(), request, running.progress());
  running.note(result.notes);
  result.notes = running.notes();
  return result;
}

std::optional<double> DecomposeResult::dividend(const std::vector<int>& support) const {
  if (exact) {
    uint64_t set = 0;
    for (const int player : support) set |= uint64_t{1} << player;
    return exact->values[set];
  }
  // By size and then in the order of their players, as truncated_effects lists them.
  const std::vector<Effect>& effects = truncated->effects;
  const auto found = std::lower_bound(
      effects.begin(), effects.end(), support, [](const Effect& effect, const std::vector<int>& wanted) {
        return std::pair(effect.support.size(), effect.support) < std::pair(wanted.size(), wanted);
      });
  return found != effects.end() && found->support == support ? std::optional(found->value) : std::nullopt;
}

std::vector<double> DecomposeResult::estimate_intervals() const {
  return half_widths(estimate->standard_errors, estimate->degrees_of_freedom);
}

std::vector<Effect> sorted_by_magnitude(const std::vector<Effect>& effects, int64_t most) {
  std::vector<Effect> sorted = effects;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Effect& a, const Effect& b) { return std::abs(a.value) > std::abs(b.value); });
  sorted.resize(std::min<size_t>(sorted.size(), static_cast<size_t>(most)));
  return sorted;
}

std::vector<SupportSum> ranked_support_sums(const DecomposeResult& result) {
  std::vector<SupportSum> sums = sums_by_support(*result.taylor);
  const auto size = [&](const SupportSum& sum) {
    return std::abs(result.dividend(sum.support).value_or(sum.by_order.back()));
  };
  std::stable_sort(sums.begin(), sums.end(),
                   [&](const SupportSum& a, const SupportSum& b) { return size(a) > size(b); });
  return sums;
}

}  // namespace ascribe::core::study
