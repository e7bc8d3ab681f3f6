// A decomposition in words.
#pragma once

#include "study/decompose.h"
#include "study/parts/game_part.h"
#include "study/parts/merged_game.h"

namespace ascribe::core::cli {

// `top`: effects that are listed; 0: as many as suit a screen.
void print_decomposition(const study::DecomposeResult& result, int64_t top);

// The estimated effects of a decomposition that has them, so many, and what follows from them.
void print_sparse(const study::DecomposeResult& result, int64_t most);

// What one of many processes did of a game, and a game put together from their parts (docs/howto/decompose.md).
void print_game_part(const study::GamePartResult& result, const study::Shard& shard, const std::string& folder);
void print_merged_game(const study::MergedGame& game, int64_t top);

// A value as a share of the change f(x) - f(b), "-12.5%"; empty: there is no change.
std::string change_share(double value, double change);

// Effects by number of players.
void print_orders(const EffectSummary& summary);

// AND and OR effects that were estimated, so many.
void print_estimated_and_or(const study::DecomposeResult& result, int64_t most);

// The AND and OR effects of a decomposition that has them, so many.
void print_and_or(const study::DecomposeResult& result, int64_t most);

}  // namespace ascribe::core::cli
