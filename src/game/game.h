// A game: the value v(S) of every coalition S. It is always asked about a batch of coalitions, counts its
// evaluations, and remembers values where that pays.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "base/progress.h"
#include "game/coalitions.h"

namespace ascribe::core {

class Game {
 public:
  // Values of a batch. What lies behind it may evaluate coalitions in any order and reuse work between them.
  using Evaluate = std::function<void(const Coalitions&, std::span<double>, const Progress&)>;
  enum class Memory { none, remembers };

  Game(int64_t players, Evaluate evaluate, Memory memory = Memory::none)
      : players_(players), evaluate_(std::move(evaluate)), memory_(memory) {}

  int64_t players() const { return players_; }
  int64_t evaluations() const { return evaluations_; }  // coalitions that were computed

  std::vector<double> values(const Coalitions& coalitions, const Progress& progress = {});
  // v(S) for all 2^m sets, S as a number whose bits are its players.
  std::vector<double> all_values(const Progress& progress = {});
  double empty_value() { return at({}); }
  double full_value();
  double at(std::span<const int64_t> members);

 private:
  std::vector<double> remembered(const Coalitions& coalitions, const Progress& progress);

  int64_t players_;
  Evaluate evaluate_;
  Memory memory_;
  int64_t evaluations_ = 0;
  std::map<std::vector<uint64_t>, double> known_;
};

// A game given by its 2^m values.
Game table_game(std::vector<double> values);

}  // namespace ascribe::core
