// The spectrum of interaction strength: how much of all that the players do is done by how many of them together.
//   share(k) = sum over |S| = k of |J(S)| / sum over all S of |J(S)|
// Effects that rounding may have made (game/effect_summary.h) count as 0.
#include <bit>
#include <cmath>

#include "game/effects.h"
#include "methods/question_game.h"
#include "metrics/metric.h"

namespace ascribe::core::metric_order_spectrum {

namespace {

constexpr int64_t kMostPlayers = 16;

std::vector<double> strength_by_order(const Dividends& dividends, double rounding) {
  std::vector<double> strength(static_cast<size_t>(dividends.players), 0.0);
  for (size_t set = 1; set < dividends.values.size(); ++set) {
    const int order = std::popcount(set);
    const double size = std::abs(dividends.values[set]);
    if (size > rounding * std::exp2(0.5 * order)) strength[static_cast<size_t>(order) - 1] += size;
  }
  return strength;
}

std::vector<double> order_spectrum(ExplainedModel& model, const Question& question, const Progress& progress) {
  if (const int64_t players = question.players.count(); players > kMostPlayers) {
    fail(ErrorKind::unsupported, "order_spectrum",
         "every set of the players is masked, and {} ({}) have too many; expected at most {}, as `players` {} makes "
         "them",
         players, question.players.description, kMostPlayers, question.players.image ? "grid:3x3" : "groups:FILE.json");
  }
  Game game = question_game(model, question);
  const Dividends dividends = exact_dividends(game, size_t{1} << 30, false, progress);
  double output = 0;
  for (const double value : dividends.values) output += value;
  const double epsilon = model.real() == DType::f64 ? 0x1p-52 : 0x1p-23;
  std::vector<double> shares =
      strength_by_order(dividends, 4 * epsilon * std::max(std::abs(output), std::abs(dividends.values[0])));
  double all = 0;
  for (const double strength : shares) all += strength;
  if (all == 0) return {};
  for (double& share : shares) share /= all;
  return shares;
}

const RegisterMetric registered({
    .name = "order_spectrum",
    .title = "Interaction strength by order",
    .category = MetricCategory::interaction,
    .better = Better::neither,
    .formula = "share(k) = sum over |S| = k of |J(S)| / sum over all S of |J(S)|",
    .source = "Q. Ren et al. 2024, Towards the dynamics of a DNN learning symbolic interactions",
    .about = "Which part of everything that the players do is done by single ones (k = 1), by pairs (k = 2), by three "
             "together, and so on. It is about the model at a sample, not about an explanation: no method is needed, "
             "and the numbers are the same whichever is used. Much strength at high orders means that what one player "
             "does depends on many others, so that no list of single values can say much.",
    .cost = "2^m forward passes, for m players",
    .limits =
        "Depends on players and baseline: compare with the same ones. Coarser players have fewer orders to share. "
        "Magnitudes do not cancel, so the strength may be many times the change of the output.",
    .profile = order_spectrum,
});

}  // namespace

}  // namespace ascribe::core::metric_order_spectrum
