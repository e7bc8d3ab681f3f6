// Estimates the effects of a game that is given by its dividends:
//   ascribe_bench_sparse EFFECTS ESTIMATOR PLAYERS BUDGET NOISE SEED THREADS [AIM]
// ESTIMATOR is one of game/sparse, or sii, stii, fsii for a direct estimate of that index of pairs.
// EFFECTS has a line for each: its value, then its players. Noise is that of each evaluation. Prints one line of JSON:
// seconds of the estimate without the game's own (wall and processor), peak memory, what was found with its errors.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/parallel.h"
#include "base/random.h"
#include "game/estimators/estimate.h"
#include "game/sparse/effect_estimator.h"

#include "timing.h"

using namespace ascribe::core;

namespace {

struct Clock {
  double wall = 0, processor = 0;
  static Clock now() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
    return {wall.count(), static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec)};
  }
  Clock operator-(const Clock& other) const { return {wall - other.wall, processor - other.processor}; }
  void operator+=(const Clock& other) {
    wall += other.wall;
    processor += other.processor;
  }
};

std::vector<Effect> effects_in(const char* path) {
  std::vector<Effect> effects;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Effect effect;
    words >> effect.value;
    for (int player = 0; words >> player;) effect.support.push_back(player);
    effects.push_back(std::move(effect));
  }
  return effects;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8 && argc != 9) {
    std::fprintf(stderr, "usage: ascribe_bench_sparse EFFECTS ESTIMATOR PLAYERS BUDGET NOISE SEED THREADS [AIM]\n");
    return 2;
  }
  const std::vector<Effect> truth = effects_in(argv[1]);
  const double noise = std::atof(argv[5]);
  SparseRequest request;
  request.estimator = argv[2];
  request.budget = std::atoll(argv[4]);
  request.seed = static_cast<uint64_t>(std::atoll(argv[6]));
  if (argc == 9) request.aim = std::atof(argv[8]);
  set_thread_count(std::atoi(argv[7]));
  Clock asked;
  uint64_t evaluations = 0;
  const Random random(request.seed, 4711);
  Game game(std::atoll(argv[3]), [&](const Coalitions& sets, std::span<double> out, const Progress&) {
    const Clock start = Clock::now();
    for (int64_t row = 0; row < sets.size(); ++row) {
      double value = noise > 0 ? noise * random.normal(evaluations++) : 0;
      for (const Effect& effect : truth) {
        const auto& set = effect.support;
        if (std::all_of(set.begin(), set.end(), [&](int player) { return sets.has(row, player); }))
          value += effect.value;
      }
      out[static_cast<size_t>(row)] = value;
    }
    asked += Clock::now() - start;
  });
  const Clock start = Clock::now();
  SparseEstimate found;
  try {
    if (EffectEstimatorRegistry::instance().find(request.estimator) != nullptr) {
      found = estimate_sparse(game, request);
    } else {
      Estimate direct = estimate_index(request.estimator, game, {request.budget, request.seed, {}});
      found.effects = std::move(direct.effects);
      found.standard_errors = std::move(direct.standard_errors);
      found.evaluations = game.evaluations();
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  const Clock took = Clock::now() - start - asked;
  std::string effects;
  for (size_t i = 0; i < found.effects.effects.size(); ++i) {
    const Effect& effect = found.effects.effects[i];
    effects += fmt::format("{}[{}, {}, [{}]]", i == 0 ? "" : ", ", effect.value, found.standard_errors[i],
                           fmt::join(effect.support, ", "));
  }
  fmt::print(
      "{{\"seconds\": [{}], \"processor\": {}, \"peak_mib\": {:.1f}, \"evaluations\": {}, \"r2\": {}, \"r2_error\": "
      "{}, "
      "\"stop\": \"{}\", \"constant\": {}, \"effects\": [{}]}}\n",
      took.wall, took.processor, peak_mebibytes(), found.evaluations, found.held_out.r2, found.held_out.r2_error,
      to_string(found.stop), found.constant, effects);
  return 0;
}
