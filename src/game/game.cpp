#include "game/game.h"

#include <bit>
#include <memory>
#include <numeric>

#include "base/error.h"

namespace ascribe::core {

std::vector<double> Game::values(const Coalitions& coalitions, const Progress& progress) {
  require(coalitions.players() == players_, "game", "coalitions of another number of players");
  if (memory_ == Memory::remembers) return remembered(coalitions, progress);
  std::vector<double> result(static_cast<size_t>(coalitions.size()));
  evaluate_(coalitions, result, progress);
  evaluations_ += coalitions.size();
  return result;
}

// Asks only for sets that are new, each once.
std::vector<double> Game::remembered(const Coalitions& coalitions, const Progress& progress) {
  Coalitions fresh(players_);
  std::vector<std::map<std::vector<uint64_t>, double>::iterator> places, fresh_places;
  for (int64_t i = 0; i < coalitions.size(); ++i) {
    const auto words = coalitions.words(i);
    const auto [place, is_new] = known_.try_emplace({words.begin(), words.end()}, 0.0);
    places.push_back(place);
    if (!is_new) continue;
    fresh.add(words);
    fresh_places.push_back(place);
  }
  std::vector<double> computed(fresh_places.size());
  try {
    if (!computed.empty()) evaluate_(fresh, computed, progress);
  } catch (...) {
    for (const auto& place : fresh_places) known_.erase(place);
    throw;
  }
  evaluations_ += fresh.size();
  for (size_t i = 0; i < computed.size(); ++i) fresh_places[i]->second = computed[i];
  std::vector<double> result;
  for (const auto& place : places) result.push_back(place->second);
  return result;
}

std::vector<double> Game::all_values(const Progress& progress) { return values(Coalitions::all(players_), progress); }

double Game::at(std::span<const int64_t> members) {
  Coalitions one(players_);
  one.add(members);
  return values(one)[0];
}

double Game::full_value() {
  std::vector<int64_t> everyone(static_cast<size_t>(players_));
  std::iota(everyone.begin(), everyone.end(), 0);
  return at(everyone);
}

Game table_game(std::vector<double> values) {
  require(std::has_single_bit(values.size()), "game", "a table of values needs 2^m entries");
  const int players = std::countr_zero(values.size());
  const auto table = std::make_shared<const std::vector<double>>(std::move(values));
  return {players, [table](const Coalitions& sets, std::span<double> out, const Progress&) {
            for (int64_t i = 0; i < sets.size(); ++i) out[i] = (*table)[sets.words(i)[0]];
          }};
}

}  // namespace ascribe::core
