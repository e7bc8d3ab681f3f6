// What the parts of ascribe decompose share: the options, the question, the answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/question.h"
#include "game/effect_summary.h"
#include "game/estimators/estimate.h"
#include "game/interaction_index.h"
#include "game/taylor_effects.h"

namespace ascribe::core {

struct DecomposeOptions {
  GeneralOptions general;
  ModelOptions model;
  InputOptions input;
  OutputOptions file;
  QuestionOptions question;
  std::string index;
  int64_t samples = 0;  // evaluations to estimate the index with; 0: exact
  int taylor = 0;       // 0: none
  int order = 0;        // 0: all
  int64_t top = 0;      // 0: as many as suit the format
};

// The answer: all dividends, or those of few players, or an index that was sampled.
struct DecomposeAnswer {
  std::optional<Dividends> exact;
  std::optional<Effects> truncated;
  EffectSummary summary;
  const InteractionIndex* index = nullptr;
  std::optional<Effects> index_values;
  std::optional<Estimate> estimate;  // of the index, instead of everything exact
  std::optional<TaylorEffects> taylor;
  double seconds = 0;
  std::vector<std::string> notes;
};

void print_decomposition(const RowQuestion& question, const DecomposeAnswer& answer, const DecomposeOptions& options);
nlohmann::ordered_json decomposition_as_json(const RowQuestion& question, const DecomposeAnswer& answer,
                                             const DecomposeOptions& options);

// Before the work: whether --out can be written. After it: writes it, if it is given.
void check_decomposition_files(const DecomposeOptions& options);
void write_decomposition(const RowQuestion& question, const DecomposeAnswer& answer, const DecomposeOptions& options);

}  // namespace ascribe::core
