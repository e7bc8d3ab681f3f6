#include "study/strongest_players.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "methods/question_game.h"
#include "theory/set_allocation.h"

namespace ascribe::core::study {

namespace {

constexpr std::string_view kNamed = "strongest:";

// "columns" of a table, "numbers" of other rows.
const char* noun_of(const Players& players) { return players.description == "columns" ? "columns" : "parts"; }

// Each player by itself, then all but each; then nobody, then all.
Coalitions first_and_last(int64_t players) {
  Coalitions sets(players);
  std::vector<int64_t> all(static_cast<size_t>(players));
  std::iota(all.begin(), all.end(), int64_t{0});
  for (int64_t p = 0; p < players; ++p) sets.add(std::span(&all[static_cast<size_t>(p)], 1));
  for (int64_t p = 0; p < players; ++p) {
    std::vector<int64_t> others = all;
    others.erase(others.begin() + p);
    sets.add(others);
  }
  sets.add(std::span<const int64_t>());
  sets.add(all);
  return sets;
}

double size_of(double change) { return std::isfinite(change) ? std::abs(change) : 0; }

}  // namespace

bool can_be_ranked(const RowQuestion& question) {
  const int64_t count = question.players.count();
  return !question.players.plane() && !question.tokens && count > 2 && count <= kMostRankedPlayers;
}

std::vector<size_t> players_by_strength(ExplainedModel& model, const RowQuestion& question, const Progress& progress) {
  const int64_t count = question.players.count();
  Game game = question_game(model, question);
  const std::vector<double> values = game.values(first_and_last(count), progress);
  const double nobody = values[values.size() - 2], all = values.back();
  std::vector<double> strength;
  for (size_t p = 0; p < static_cast<size_t>(count); ++p) {
    strength.push_back((size_of(values[p] - nobody) + size_of(all - values[static_cast<size_t>(count) + p])) / 2);
  }
  std::vector<size_t> ranking(strength.size());
  std::iota(ranking.begin(), ranking.end(), size_t{0});
  std::stable_sort(ranking.begin(), ranking.end(), [&](size_t a, size_t b) { return strength[a] > strength[b]; });
  return ranking;
}

Players strongest_players(const Players& players, std::span<const size_t> ranking, int64_t most) {
  std::vector<size_t> kept(ranking.begin(), ranking.begin() + std::min(most, std::ssize(ranking)));
  std::sort(kept.begin(), kept.end());
  const auto others = static_cast<int32_t>(kept.size());
  std::vector<int32_t> now(players.names.size(), others);
  Players few = players;
  few.names.clear();
  for (const size_t player : kept) {
    now[player] = static_cast<int32_t>(few.names.size());
    few.names.push_back(players.names[player]);
  }
  few.names.push_back(fmt::format("the other {} {}", players.names.size() - kept.size(), noun_of(players)));
  few.description = fmt::format("{}{}", kNamed, most);
  for (int32_t& owner : few.owner) {
    if (owner >= 0) owner = now[static_cast<size_t>(owner)];
  }
  return few;
}

std::optional<int64_t> strongest_named(const std::string& parts, int64_t players) {
  if (!parts.starts_with(kNamed)) return std::nullopt;
  const std::string text = parts.substr(kNamed.size());
  const int64_t most = std::min<int64_t>(players - 2, kMostAllocatedPlayers - 1);
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most) {
    fail(ErrorKind::argument, "parts", "got '{}'; expected strongest:K with K from 1 to {}, so that others remain",
         parts, std::max<int64_t>(most, 1));
  }
  return count;
}

std::string strongest_note(const Players& all, int64_t most) {
  const char* noun = noun_of(all);
  return fmt::format(
      "every set of parts is masked, which {0} {1} are too many for: the {2} strongest {1} are parts by themselves, "
      "the "
      "other {3} are one part together. Strongest: by the mean size of what a column does by itself to the baseline, "
      "and "
      "of what is lost when it alone is taken from the input",
      all.count(), noun, most, all.count() - most);
}

}  // namespace ascribe::core::study
