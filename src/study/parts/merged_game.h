// The parts of one game (game_part.h) put together: what decompose says of it, in the memory there is.
#pragma once

#include <string>
#include <vector>

#include "game/effect_summary.h"
#include "game/interaction_index.h"
#include "study/parts/part_folder.h"
#include "study/run.h"

namespace ascribe::core::study {

struct MergedGameRequest {
  size_t memory = size_t{1} << 30;  // for values, beside what is listed
  int64_t top = 0;                  // effects that are listed, largest first; 0: some thousands
  std::string table = {};           // an .npy file for the dividends of all sets; empty: none
  bool overwrite = false;           // it, if it is there
  Run run = {};
};

struct MergedGame {
  std::string title, baselines;  // in words
  Json question;                 // as decompose has it
  std::vector<std::string> players;
  std::string grouping;
  EffectSummary summary;
  std::vector<double> shapley, banzhaf;  // by player
  const InteractionIndex* index = nullptr;
  Effects index_values;
  int64_t parts = 0;
  double seconds = 0;
};

MergedGame merged_game(const WholeWork& work, const MergedGameRequest& request);
Json to_json(const MergedGame& result);

}  // namespace ascribe::core::study
