#include "theory/order_sums.h"

#include <algorithm>
#include <array>

#include "derivatives/mixed_terms.h"
#include "game/effects.h"
#include "passes/gradient.h"

namespace ascribe::core {

namespace {

constexpr int64_t kDirectionsAtOnce = 4096;

Graph only_explained(const ExplainedModel& model) {
  Graph graph = model.graph();
  graph.outputs.erase(graph.outputs.begin());
  graph.drop_unread();
  return graph;
}

std::vector<Tensor> in_double(const std::vector<Tensor>& point) {
  std::vector<Tensor> cast;
  for (const Tensor& tensor : point) {
    cast.push_back(kind_of(tensor.dtype()) == Kind::real ? tensor.cast(DType::f64) : tensor);
  }
  return cast;
}

Coalitions single_players(int64_t players) {
  Coalitions sets(players);
  for (int64_t p = 0; p < players; ++p) sets.add(std::span<const int64_t>(&p, 1));
  return sets;
}

Effects as_effects(const MixedTerms& terms, int64_t players, int order, double sign) {
  Effects effects;
  effects.players = players;
  effects.order = order;
  for (const MixedTerm& term : terms.terms) {
    Effect effect;
    effect.value = sign * term.value;
    for (size_t p = 0; p < term.degrees.size(); ++p) {
      if (term.degrees[p] == 0) continue;
      effect.support.push_back(static_cast<int>(p));
      effect.degree.push_back(term.degrees[p]);
    }
    effects.effects.push_back(std::move(effect));
  }
  return effects;
}

}  // namespace

Tensor directions_of(const Expansion& at, const Coalitions& sets, int64_t first, int64_t count) {
  const auto step = at.step.data<double>();
  const auto size = static_cast<int64_t>(step.size());
  Shape shape = at.step.shape();
  shape[0] *= count;
  Tensor directions(DType::f64, shape);
  const auto to = directions.mutable_data<double>();
  for (int64_t s = 0; s < count; ++s) {
    for (int64_t i = 0; i < size; ++i) {
      const int32_t owner = at.players->owner[static_cast<size_t>(i)];
      if (owner >= 0 && sets.has(first + s, owner)) to[s * size + i] = step[i];
    }
  }
  return directions;
}

std::vector<Expansion> expansions_at_baselines(const ExplainedModel& model, const Question& question) {
  const Tensor starts = effective_baselines(model, question).cast(DType::f64);
  const Tensor x = question.point[model.input()].cast(DType::f64);
  const int64_t size = x.size();
  std::vector<Expansion> expansions;
  for (int64_t row = 0; row < question.baseline_count(); ++row) {
    Expansion at{in_double(question.point), Tensor(DType::f64, x.shape()), &question.players, question.target};
    at.point[model.input()] = Tensor(DType::f64, x.shape());
    const auto b = at.point[model.input()].mutable_data<double>(), step = at.step.mutable_data<double>();
    for (int64_t i = 0; i < size; ++i) {
      b[i] = starts.at(row * size + i);
      step[i] = x.at(i) - b[i];
    }
    expansions.push_back(std::move(at));
  }
  return expansions;
}

Expansion expansion_at_input(const ExplainedModel& model, const Question& question) {
  const Tensor x = question.point[model.input()].cast(DType::f64);
  Expansion at{in_double(question.point), Tensor(DType::f64, x.shape()), &question.players, question.target, -1};
  const auto step = at.step.mutable_data<double>();
  for (size_t i = 0; i < step.size(); ++i) {
    if (question.players.owner[i] >= 0) step[i] = -x.at(static_cast<int64_t>(i));
  }
  return at;
}

OrderSums::OrderSums(const ExplainedModel& model, int order)
    : graph_(only_explained(model)),
      options_(model.model().session_options(DType::f64)),
      input_(model.graph().inputs[model.input()].name),
      targets_(model.targets()),
      order_(order) {}

Taylor& OrderSums::of_value(int order) {
  auto& jets = value_[order];
  if (!jets) jets = std::make_unique<Taylor>(graph_, order, options_, std::vector{input_});
  return *jets;
}

Taylor& OrderSums::of_gradient() {
  if (!gradient_) {
    Graph only = gradient(graph_, {0, {input_}, graph_.free_name("seed")}).graph;
    only.outputs.erase(only.outputs.begin());
    only.drop_unread();
    gradient_ = std::make_unique<Taylor>(std::move(only), std::max(order_ - 1, 1), options_, std::vector{input_});
  }
  return *gradient_;
}

std::vector<std::vector<double>> OrderSums::coefficients(const Expansion& at, const Coalitions& sets, int order) {
  Taylor& jets = of_value(order);
  std::vector<std::vector<double>> result;
  for (int64_t first = 0; first < sets.size(); first += kDirectionsAtOnce) {
    const int64_t count = std::min(kDirectionsAtOnce, sets.size() - first);
    const auto coefficients = jets.along(at.point, std::array{directions_of(at, sets, first, count)})[0];
    for (int64_t s = 0; s < count; ++s) {
      std::vector<double> of_set;
      // A coefficient that does not depend on the direction has one row.
      for (const Tensor& c : coefficients) of_set.push_back(c.at((c.size() > targets_ ? s * targets_ : 0) + at.target));
      result.push_back(std::move(of_set));
    }
  }
  return result;
}

std::vector<std::vector<double>> OrderSums::shares_by_degree(const Expansion& at) {
  Taylor& jets = of_gradient();
  std::vector<Tensor> point = at.point;
  const Graph& graph = jets.graph();
  Tensor seed(DType::f64, ascribe::core::at(graph[graph.inputs.back().value].type.shape, 1));
  seed.mutable_data<double>()[at.target] = 1;
  point.push_back(seed);
  const auto slopes = jets.along(point, std::array{at.step})[0];
  const auto step = at.step.data<double>();
  std::vector<std::vector<double>> shares(static_cast<size_t>(order_) + 1,
                                          std::vector<double>(static_cast<size_t>(at.players->count())));
  for (int k = 1; k <= order_; ++k) {
    const Tensor& slope = slopes[static_cast<size_t>(k - 1)];
    for (size_t i = 0; i < step.size(); ++i) {
      const int32_t owner = at.players->owner[i];
      if (owner < 0) continue;
      shares[static_cast<size_t>(k)][static_cast<size_t>(owner)] +=
          at.sign * step[i] * slope.at(static_cast<int64_t>(i)) / k;
    }
  }
  return shares;
}

Effects OrderSums::enumerate(const Expansion& at, int order, int64_t most_terms) {
  auto& f = terms_[at.target];
  if (!f) f = std::make_unique<Derivatives>(graph_, ScalarTarget{0, at.target}, options_, input_);
  const int64_t players = at.players->count();
  const Tensor steps = directions_of(at, single_players(players), 0, players);
  const MixedTerms terms = mixed_terms(*f, at.point, steps, {order, most_terms});
  return as_effects(terms, players, order, at.sign);
}

}  // namespace ascribe::core
