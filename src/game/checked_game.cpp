#include "game/checked_game.h"

#include <cmath>

namespace ascribe::core {

namespace {

GameVerdict verdict_on(const Coalitions& sets, std::span<const double> values, Game& plain, const GameCheck& check) {
  Coalitions some(sets.players());
  std::vector<double> fast;
  const int64_t wanted = std::clamp(sets.size() / check.one_of, check.least, check.most);
  const int64_t count = std::min(wanted, sets.size());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t set = i * (sets.size() - 1) / std::max<int64_t>(1, count - 1);
    some.add(sets.words(set));
    fast.push_back(values[static_cast<size_t>(set)]);
  }
  const std::vector<double> slow = plain.values(some);
  double largest = 0, error = 0;
  for (size_t i = 0; i < fast.size(); ++i) {
    largest = std::max(largest, std::abs(slow[i]));
    error = std::max(error, std::abs(slow[i] - fast[i]));
  }
  return error <= check.tolerance * std::max(largest, 1e-6) ? GameVerdict::agrees : GameVerdict::differs;
}

}  // namespace

Game checked_game(std::shared_ptr<Game> fast, std::shared_ptr<Game> plain, std::shared_ptr<GameVerdict> verdict,
                  const GameCheck& check) {
  const int64_t players = fast->players();
  return {players, [fast = std::move(fast), plain = std::move(plain), verdict = std::move(verdict), check](
                       const Coalitions& sets, std::span<double> out, const Progress& progress) {
            Game& game = *verdict == GameVerdict::differs ? *plain : *fast;
            std::vector<double> values = game.values(sets, progress);
            if (*verdict == GameVerdict::unchecked && sets.size() > 0 && (!check.is_due || check.is_due())) {
              *verdict = verdict_on(sets, values, *plain, check);
              if (*verdict == GameVerdict::differs) values = plain->values(sets, progress);
            }
            std::copy(values.begin(), values.end(), out.begin());
          }};
}

}  // namespace ascribe::core
