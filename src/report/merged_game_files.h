// One huge game put together from its parts (study/parts/merged_game.h), as a file.
#pragma once

#include <string>
#include <vector>

#include "study/parts/merged_game.h"

namespace ascribe::core {

struct GameFilesRequest {
  std::string out;  // FILE.json: what decompose says; FILE.npy: the dividends of all sets; empty: among the parts
  bool force = false;
  study::MergedGameRequest how = {};  // without its table
};

struct GameFiles {
  study::MergedGame game;
  std::vector<std::string> files;
};

GameFiles merge_game(const study::WholeWork& whole, const std::string& folder, const GameFilesRequest& request);

}  // namespace ascribe::core
