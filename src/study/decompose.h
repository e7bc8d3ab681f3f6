// decompose: what each player does to the output alone, and what only several do together (docs/howto/decompose.md):
// f(x) = f(b) + sum of psi(i) + sum of J(S). One row at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "game/and_or.h"
#include "game/effect_summary.h"
#include "game/estimators/estimate.h"
#include "game/interaction_index.h"
#include "game/sparse/and_or_estimate.h"
#include "game/taylor_effects.h"
#include "study/estimated_effects.h"
#include "study/question.h"

namespace ascribe::core {

Json to_json(const Effect& effect);  // {support, degree?, value}

namespace study {

inline constexpr int kMostTaylorDegree = 20;

struct DecomposeRequest {
  QuestionRequest question;
  std::string index = {};      // an interaction index; empty: none
  std::string influence = {};  // or by what it has of effects of more players: pure, partial, full, joint:pure ...
  std::string absence = {};    // what absent players are (study/absence.h); empty: as the baselines are
  int64_t samples = 0;         // evaluations to estimate the index with; 0: exact
  int taylor = 0;              // the degree of Taylor effects, up to kMostTaylorDegree; 0: none
  int order = 0;               // of effects, or of the index; 0: all, or two
  int64_t top = 0;             // effects in the summary, largest first; 0: some thousands
  bool at_any_cost = false;    // also more players than a machine is usually asked for
  // "sparse": the strong effects of any order, estimated, of any number of players; empty: all effects
  std::string estimate = {};
  EstimateWish wish = {};  // how; its seed is the run's, its order that of the effects
  bool and_or = false;     // also as AND and OR effects of the least strength; of few players, or estimated
  Run run = {};

  bool estimates() const { return !estimate.empty(); }
  bool asks_index() const { return !index.empty() || !influence.empty(); }
};

// All dividends, or those of few players, or an index that was sampled.
struct DecomposeResult {
  std::string model;  // its path
  RowQuestion question;
  std::optional<Dividends> exact;
  std::optional<Effects> truncated;
  EffectSummary summary;
  const InteractionIndex* index = nullptr;
  std::optional<Effects> index_values;
  std::optional<Estimate> estimate;        // of the index, instead of everything exact
  std::optional<EstimatedEffects> sparse;  // instead of everything exact
  std::optional<DirectIndex> direct;       // of the index, beside the one that follows from estimated effects
  std::optional<TaylorEffects> taylor;
  std::optional<AndOr> and_or;
  std::optional<AndOrEstimate> and_or_estimate;  // of estimated effects, by coalitions of its own
  bool of_trees = false;                         // read off the leaves of trees, without evaluations
  bool every_order = false;                      // of a list of effects of trees: none is left out
  double seconds = 0;
  std::vector<std::string> notes;

  std::optional<double> dividend(const std::vector<int>& support) const;  // J(S), if it was computed
  std::vector<double> estimate_intervals() const;                         // of the estimate: half of each 95 % interval
};

DecomposeResult decompose(const Subject& subject, const DecomposeRequest& request);

// Complains of an index that there is not, and of settings that do not go together. decompose does so too; this is for
// callers who want to know before they open a model.
void check_decomposition(const DecomposeRequest& request);

// The largest first, at most so many.
std::vector<Effect> sorted_by_magnitude(const std::vector<Effect>& effects, int64_t most);
// How the Taylor terms of sets add up to their J(S), the sets with the largest J(S) first.
std::vector<SupportSum> ranked_support_sums(const DecomposeResult& result);

Json to_json(const DecomposeResult& result);
std::vector<std::pair<std::string, Tensor>> arrays_of(const DecomposeResult& result);

}  // namespace study
}  // namespace ascribe::core
