// Sums of Taylor terms of each order, without listing kappa: jets run along whole coalitions (docs/howto/verify.md).
// With [t^k] the k-th coefficient and step_S the steps of the players in S,
//   all terms of order k within S:         [t^k] f(point + t step_S)
//   their share by degree, kappa_i / k:    step_i / k [t^(k-1)] df/dx_i (point + t step)
// so that a method that is linear in v(S) is applied to v_K(S), the terms of order <= K, for any number of players.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "derivatives/derivatives.h"
#include "game/effects.h"
#include "methods/explained_model.h"

namespace ascribe::core {

// Where a model is expanded, and the step that every player takes from there.
struct Expansion {
  std::vector<Tensor> point;  // a tensor per input, of one row, in double
  Tensor step;                // of the explained input; 0 where nobody owns the element
  const Players* players;
  int64_t target = 0;
  double sign = 1;  // of the effects: -1 for the expansion at x, whose terms count backwards
};

// At every baseline towards x. The question must outlive it, here and below.
std::vector<Expansion> expansions_at_baselines(const ExplainedModel& model, const Question& question);
// At x towards the input 0: I(kappa) = -1/kappa! d^kappa f(x) (-x)^kappa.
Expansion expansion_at_input(const ExplainedModel& model, const Question& question);

// Row s: the steps of the players in set first + s.
Tensor directions_of(const Expansion& at, const Coalitions& sets, int64_t first, int64_t count);

class OrderSums {
 public:
  OrderSums(const ExplainedModel& model, int order);

  int order() const { return order_; }
  // c[set][k] = [t^k] f(point + t step_S), k = 0 .. order.
  std::vector<std::vector<double>> coefficients(const Expansion& at, const Coalitions& sets) {
    return coefficients(at, sets, order_);
  }
  // The same to another order.
  std::vector<std::vector<double>> coefficients(const Expansion& at, const Coalitions& sets, int order);
  // s[k][player]: the share by degree of the terms of order k; s[0] is 0.
  std::vector<std::vector<double>> shares_by_degree(const Expansion& at);
  // Every term I(kappa) of order <= `order` by itself, for few players.
  Effects enumerate(const Expansion& at, int order, int64_t most_terms);

 private:
  Taylor& of_value(int order);
  Taylor& of_gradient();

  Graph graph_;  // one output: the explained numbers
  SessionOptions options_;
  std::string input_;
  int64_t targets_;
  int order_;
  std::map<int, std::unique_ptr<Taylor>> value_;
  std::unique_ptr<Taylor> gradient_;
  std::map<int64_t, std::unique_ptr<Derivatives>> terms_;  // of each target
};

}  // namespace ascribe::core
