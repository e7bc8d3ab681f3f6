// Square removal (Yeh et al., 2019): a square of k x k pixels at a random place is put at the baseline. On rows that
// are not images it is a random set of k players. Where there are no more places than draws, every place counts once:
// the mean is then exact.
#pragma once

#include "metrics/metric.h"

namespace ascribe::core {

// `perturbations` and `size`.
std::vector<Parameter> square_removal_parameters();
// `smallest`, `largest` and `stride`, of all squares of several sides.
std::vector<Parameter> all_squares_parameters();

// What the network loses without each square, and what the methods say that it loses.
struct SquareLosses {
  std::vector<double> weights;               // of the squares in a mean: how often each was drawn; they sum to 1
  std::vector<double> lost;                  // by the network
  std::vector<std::vector<double>> claimed;  // [method][square]
};
SquareLosses square_losses(const MetricInput& input, size_t question);
// Every square of every side from `smallest` to `largest`, each once and with the same weight. Images only.
SquareLosses all_square_losses(const MetricInput& input, size_t question);

// Mean over the squares of (factor * claimed - lost)^2, and the factor that makes it least.
double mean_squared_miss(const SquareLosses& squares, size_t method, double factor);
double best_factor(const SquareLosses& squares, size_t method);

}  // namespace ascribe::core
