// Times games of n players:
//   ascribe_bench_games shapley MODEL.onnx REPEATS THREADS   all 2^n values of a masked model and its Shapley values
//   ascribe_bench_games moebius N REPEATS THREADS            the transform of 2^N random values
//   ascribe_bench_games fsii N REPEATS THREADS               transform and faithful index of order 2
// Prints one line of JSON: seconds of every run and the peak memory of the process.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include <fmt/format.h>
#include "base/parallel.h"
#include "base/random.h"
#include "base/waiting.h"
#include "game/interaction_index.h"
#include "game/masked_model.h"
#include "game/moebius.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "passes/select_element.h"

#include "measure.h"

using namespace ascribe::core;

namespace {

constexpr size_t kMemory = size_t{4} << 30;

// A random row, every element a player, against zero. The game is made anew for every row that is explained.
void measure_shapley(const char* path, int64_t repeats) {
  const Graph graph = select_element(canonicalize(import_model(path).graph), 0, 0);
  const Shape shape = at(graph[graph.inputs[0].value].type.shape, 1);
  const int64_t features = shape[1];
  const Tensor x = random_input(shape);
  Players players;
  for (int64_t i = 0; i < features; ++i) {
    players.owner.push_back(static_cast<int32_t>(i));
    players.names.push_back(fmt::format("{}", i));
  }
  const InteractionIndex& shapley = index_named("shapley");
  double residual = 0;
  measure(
      repeats, [] {},
      [&] {
        Game game = masked_model_game({.graph = graph,
                                       .point = {x},
                                       .input = 0,
                                       .baselines = Tensor(DType::f32, shape),
                                       .players = players,
                                       .options = {}});
        const Effects values = compute_index(shapley, exact_dividends(game, kMemory), 1);
        residual = std::max(residual, std::abs(values.remainder));
      });
  if (residual > 1e-6) std::fprintf(stderr, "the Shapley values miss the output by %g\n", residual);
}

std::vector<double> random_values(int players) {
  std::vector<double> values(size_t{1} << players);
  const Random random(7);
  for (size_t i = 0; i < values.size(); ++i) values[i] = random.uniform(i);
  return values;
}

void measure_moebius(int players, int64_t repeats) {
  const std::vector<double> values = random_values(players);
  std::vector<double> work(values.size());
  measure(
      repeats, [&] { work = values; }, [&] { moebius_transform(work); });
}

void measure_fsii(int players, int64_t repeats) {
  const std::vector<double> values = random_values(players);
  const InteractionIndex& fsii = index_named("fsii");
  Dividends dividends;
  dividends.players = players;
  const auto prepare = [&] { dividends.values = values; };
  measure(repeats, prepare, [&] {
    moebius_transform(dividends.values);
    compute_index(fsii, dividends, 2);
  });
}

}  // namespace

int main(int argc, char** argv) {
  ascribe::core::wait_briefly(argv);  // as the program does
  if (argc != 5) {
    std::fputs("usage: ascribe_bench_games shapley MODEL.onnx | moebius N | fsii N, REPEATS THREADS\n", stderr);
    return 2;
  }
  try {
    set_thread_count(std::atoi(argv[4]));
    const std::string_view task = argv[1];
    const int64_t repeats = std::atoll(argv[3]);
    if (task == "shapley") measure_shapley(argv[2], repeats);
    else if (task == "moebius") measure_moebius(std::atoi(argv[2]), repeats);
    else measure_fsii(std::atoi(argv[2]), repeats);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ascribe_bench_games: %s\n", error.what());
    return 1;
  }
}
