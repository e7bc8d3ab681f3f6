#include "metrics/flipping.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "game/coalition_plan.h"
#include "methods/question_game.h"
#include "metrics/losses.h"

namespace ascribe::core {

namespace {

// The highest first; of equal values the player with the lower number.
std::vector<int64_t> order_of(const std::vector<double>& values) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return values[static_cast<size_t>(a)] > values[static_cast<size_t>(b)];
  });
  return order;
}

// How many players are flipped at each point of the curve: from 0 to all, in groups of nearly equal size.
std::vector<int64_t> stops(int64_t players, int64_t steps) {
  const int64_t count = std::min(players, steps);
  std::vector<int64_t> result;
  for (int64_t i = 0; i <= count; ++i) result.push_back(i * players / count);
  return result;
}

// The sets between the first and the last point of a method's curve.
void add_sets(Coalitions& sets, const std::vector<int64_t>& order, const std::vector<int64_t>& at, Flip flip) {
  for (size_t i = 1; i + 1 < at.size(); ++i) {
    const auto flipped = std::span(order).first(static_cast<size_t>(at[i]));
    const auto others = std::span(order).subspan(static_cast<size_t>(at[i]));
    sets.add(flip == Flip::away ? others : flipped);
  }
}

double area(const std::vector<double>& positions, const std::vector<double>& curve) {
  double sum = 0;
  for (size_t i = 1; i < curve.size(); ++i) {
    sum += (positions[i] - positions[i - 1]) * (curve[i] + curve[i - 1]) / 2;
  }
  return sum;
}

class FlippedQuestion {
 public:
  FlippedQuestion(const MetricInput& input, size_t question, Flip flip)
      : input_(input),
        question_(input.questions[question]),
        flip_(flip),
        stops_(stops(question_.players.count(), input.parameters.integer("steps"))),
        number_(question) {}

  std::vector<Score> scores() {
    const int64_t players = question_.players.count();
    const std::vector<uint64_t> all = everyone(players);
    Coalitions sets(players);
    sets.add(std::span<const uint64_t>(all));
    sets.add(std::span<const int64_t>());
    for (const MethodExplanations& one : input_.methods) {
      add_sets(sets, order_of(one.attributions[number_].values), stops_, flip_);
    }
    values_ = question_game(input_.model, question_).values(sets);
    std::vector<Score> scores;
    for (size_t m = 0; m < input_.methods.size(); ++m) scores.push_back(score(m));
    return scores;
  }

 private:
  Score score(size_t method) const {
    const double full = values_[0], empty = values_[1], change = std::abs(full - empty);
    const bool relative = input_.parameters.text("scale") == "change";
    if (relative && change <= rounding_of(input_.model, std::max(std::abs(full), std::abs(empty)))) {
      return undefined_score("the output does not differ from the one at the baseline");
    }
    const size_t inner = stops_.size() - 2;
    Score result;
    for (size_t i = 0; i < stops_.size(); ++i) {
      const bool first = i == 0, last = i + 1 == stops_.size();
      const double edge = first == (flip_ == Flip::away) ? full : empty;
      const double value = first || last ? edge : values_[2 + method * inner + i - 1];
      result.positions.push_back(static_cast<double>(stops_[i]) / static_cast<double>(question_.players.count()));
      result.curve.push_back(relative ? (value - empty) / change : value);
    }
    result.value = area(result.positions, result.curve);
    return result;
  }

  const MetricInput& input_;
  const Question& question_;
  Flip flip_;
  std::vector<int64_t> stops_;
  size_t number_;
  std::vector<double> values_;  // of everyone, of no one, and of the sets of each method
};

}  // namespace

std::vector<Parameter> flipping_parameters() {
  return {integer_parameter("steps", 100, 1, 1 << 20, "groups of players that are flipped at once, at most"),
          text_parameter("scale", "change",
                         "what the curve is divided by: |f(x) - f(b)|, after f(b) is taken off; or "
                         "nothing, for the output itself",
                         {"change", "none"})};
}

Scores score_flipping(const MetricInput& input, Flip flip) {
  return question_by_question(input, [&](size_t q) { return FlippedQuestion(input, q, flip).scores(); });
}

}  // namespace ascribe::core
