// Rows with more players than every set of which can be masked: the strongest stay by themselves, all others are one
// player. What is computed of these is exact; only what the others do among each other is not told apart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/question.h"

namespace ascribe::core::study {

inline constexpr int64_t kStrongestPlayers = 10;
inline constexpr int64_t kMostRankedPlayers = 1024;  // ranking them takes no more than masking every set of those left

// Tables and the like: what has no neighbours, and so no coarser division. Images, series and texts have.
bool can_be_ranked(const RowQuestion& question);

// The strongest first: by the mean size of what a player does to the baseline by itself and of what is lost when it
// alone is taken from the input. Two evaluations each; of players that are equally strong, the first comes first.
std::vector<size_t> players_by_strength(ExplainedModel& model, const RowQuestion& question,
                                        const Progress& progress = {});

// The first `most` of that ranking by themselves, in their own order, the others as one. "strongest:10"
Players strongest_players(const Players& players, std::span<const size_t> ranking, int64_t most);

// "strongest:K": K; nothing if the text is another one.
std::optional<int64_t> strongest_named(const std::string& parts, int64_t players);

// What to say of such players.
std::string strongest_note(const Players& all, int64_t most);

}  // namespace ascribe::core::study
