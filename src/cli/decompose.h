// What the parts of ascribe decompose share: the options, the question, the answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/terminal.h"
#include "data/inputs.h"
#include "game/effect_summary.h"
#include "game/estimators/estimate.h"
#include "game/interaction_index.h"
#include "game/players.h"
#include "game/taylor_effects.h"

namespace ascribe {

struct DecomposeOptions {
  GeneralOptions general;
  ModelOptions model;
  InputOptions input;
  OutputOptions file;
  std::string players;
  std::string baseline = "zero";
  std::string target = "top";
  std::string explain = "logit";
  std::string output;  // of the model
  std::string masked;  // input of the model
  std::string index;
  int64_t samples = 0;  // evaluations to estimate the index with; 0: exact
  int taylor = 0;       // 0: none
  int order = 0;        // 0: all
  int64_t top = 0;      // 0: as many as suit the format
};

// What is taken apart.
struct DecomposeQuestion {
  std::string source;    // where the row comes from
  std::string explains;  // "logit", "probability" or "value"
  std::string output;    // of the model
  int64_t target = 0;
  std::string label;          // empty: the class has none
  std::vector<Tensor> point;  // a row per input of the model
  size_t input = 0;           // the one that has players
  Shape row;                  // of that input
  std::optional<RowPicture> picture;
  std::vector<std::string> columns;
  Players players;
  Tensor baselines;
  std::vector<std::string> notes;

  int64_t baseline_count() const { return baselines.shape()[0]; }
  std::string target_text() const {
    if (explains == "value") return printable(output);
    return label.empty() ? fmt::format("class {}", target) : fmt::format("{} (class {})", printable(label), target);
  }
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
};

void print_decomposition(const DecomposeQuestion& question, const DecomposeAnswer& answer,
                         const DecomposeOptions& options);
nlohmann::ordered_json decomposition_as_json(const DecomposeQuestion& question, const DecomposeAnswer& answer,
                                             const DecomposeOptions& options);

// Before the work: whether --out can be written. After it: writes it, if it is given.
void check_decomposition_files(const DecomposeOptions& options);
void write_decomposition(const DecomposeQuestion& question, const DecomposeAnswer& answer,
                         const DecomposeOptions& options);

}  // namespace ascribe
