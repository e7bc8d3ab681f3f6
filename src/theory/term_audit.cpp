#include "theory/term_audit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ascribe::core {

namespace {

constexpr size_t kFewBaselines = 8;
constexpr int64_t kGridBatch = 256;
constexpr const char* kGridSteps = "24";  // nodes of an integral along a short and smooth path: exact to rounding
constexpr std::array kWidths = {0.4, 0.2, 0.1, 0.05, 0.025};
constexpr double kGoodEnough = 1e-9;     // of the terms: no other width is tried
constexpr double kTermsSmooth = 1e-3;    // of the terms: where widths differ by more, the values are not smooth
constexpr double kMissingChange = 0.25;  // of the terms: where they leave so much of the change and grow, they diverge

// Points along a player, and the order up to which terms are read.
struct TermGrid {
  int players = 0, points = 0, order = 0;
  int64_t size() const { return static_cast<int64_t>(std::pow(points, players) + 0.5); }
};
TermGrid grid_for(int64_t players) {
  return players <= 3 ? TermGrid{static_cast<int>(players), 9, 4} : TermGrid{static_cast<int>(players), 7, 3};
}

double chebyshev(int index, int points) { return std::cos(std::numbers::pi * (index + 0.5) / points); }

// Row k: the weights of the values at the points of [-1, 1] in the coefficient of t^k.
std::vector<std::vector<double>> interpolation(int points) {
  std::vector<std::vector<double>> rows(static_cast<size_t>(points), std::vector<double>(static_cast<size_t>(points)));
  for (int j = 0; j < points; ++j) {
    std::vector<long double> polynomial = {1};  // the product of (t - t_i) / (t_j - t_i), i != j
    for (int i = 0; i < points; ++i) {
      if (i == j) continue;
      const long double root = chebyshev(i, points), scale = chebyshev(j, points) - root;
      polynomial.push_back(0);
      for (size_t k = polynomial.size(); k-- > 0;) {
        polynomial[k] = ((k > 0 ? polynomial[k - 1] : 0) - root * polynomial[k]) / scale;
      }
    }
    for (size_t k = 0; k < polynomial.size(); ++k) rows[k][static_cast<size_t>(j)] = static_cast<double>(polynomial[k]);
  }
  return rows;
}

// Values on the grid become coefficients, a player at a time; the first player's index runs fastest.
void to_coefficients(std::vector<double>& values, const TermGrid& grid, double width) {
  const auto rows = interpolation(grid.points);
  const auto n = static_cast<size_t>(grid.points);
  std::vector<double> line(n);
  for (size_t p = 0, stride = 1; p < static_cast<size_t>(grid.players); ++p, stride *= n) {
    for (size_t first = 0; first < values.size(); ++first) {
      if (first / stride % n != 0) continue;
      for (size_t k = 0; k < n; ++k) line[k] = values[first + k * stride];
      for (size_t k = 0; k < n; ++k) {
        values[first + k * stride] = std::inner_product(line.begin(), line.end(), rows[k].begin(), 0.0) /
                                     std::pow(width, static_cast<double>(k));
      }
    }
  }
}

std::vector<int> degrees_at(size_t index, const TermGrid& grid) {
  std::vector<int> degrees;
  for (int p = 0; p < grid.players; ++p, index /= static_cast<size_t>(grid.points)) {
    degrees.push_back(static_cast<int>(index % static_cast<size_t>(grid.points)));
  }
  return degrees;
}

// x(t) for t in units of the step from the baseline to x.
Question at_step(const ExplainedModel& model, const Question& question, const Tensor& baseline,
                 const std::vector<double>& t) {
  Question result = question;
  result.baselines = baseline;
  Tensor x = question.point[model.input()].cast(DType::f64);
  const auto b = baseline.data<double>();
  const auto to = x.mutable_data<double>();
  for (size_t i = 0; i < to.size(); ++i) {
    if (const int32_t owner = question.players.owner[i]; owner >= 0) {
      to[i] = b[i] + t[static_cast<size_t>(owner)] * (to[i] - b[i]);
    }
  }
  result.point[model.input()] = std::move(x);
  return result;
}

// Coefficients of f (entry 0) and of the value of every player.
using TermSeries = std::vector<std::vector<double>>;

TermSeries series_of(const Method& method, ExplainedModel& model, const JudgedQuestion& judged, const TermGrid& grid,
                     double width, uint64_t seed) {
  TermSeries series(static_cast<size_t>(grid.players) + 1, std::vector<double>(static_cast<size_t>(grid.size()), 0.0));
  const int64_t count = judged.question.baseline_count();
  for (int64_t b = 0; b < count; ++b) {
    const Tensor baseline = masked_question(model, judged.question, b, 0).baselines;
    for (int64_t first = 0; first < grid.size(); first += kGridBatch) {
      std::vector<Question> questions;
      for (int64_t g = first; g < std::min(grid.size(), first + kGridBatch); ++g) {
        std::vector<double> t;
        for (const int index : degrees_at(static_cast<size_t>(g), grid))
          t.push_back(width * chebyshev(index, grid.points));
        questions.push_back(at_step(model, judged.question, baseline, t));
      }
      const std::vector<Attribution> answers = attribute(method, model, questions, judged.parameters, seed);
      for (size_t q = 0; q < answers.size(); ++q) {
        const auto at = static_cast<size_t>(first) + q;
        series[0][at] += answers[q].output / static_cast<double>(count);
        for (size_t p = 0; p < answers[q].values.size(); ++p) {
          series[p + 1][at] += answers[q].values[p] / static_cast<double>(count);
        }
      }
    }
  }
  for (std::vector<double>& values : series) to_coefficients(values, grid, width);
  return series;
}

int total_of(const std::vector<int>& degrees) { return std::accumulate(degrees.begin(), degrees.end(), 0); }

std::vector<Term> terms_from(const TermSeries& series, const TermSeries& other, const TermGrid& grid) {
  std::vector<Term> terms;
  double sizes = 0;
  for (size_t at = 1; at < series[0].size(); ++at) {
    if (total_of(degrees_at(at, grid)) <= grid.order) sizes += std::abs(series[0][at]);
  }
  const double nothing = kGoodEnough * sizes;  // what interpolation leaves of a value that is 0
  for (size_t at = 0; at < series[0].size(); ++at) {
    std::vector<int> degrees = degrees_at(at, grid);
    if (total_of(degrees) > grid.order) continue;
    AllocatedEffect effect;
    if (at > 0) {  // f(b) is no effect
      effect.value = series[0][at];
      effect.value_error = std::abs(series[0][at] - other[0][at]);
    }
    for (size_t p = 0; p < degrees.size(); ++p) {
      const double given = series[p + 1][at], error = std::abs(given - other[p + 1][at]);
      effect.support |= degrees[p] > 0 ? uint64_t{1} << p : 0;
      effect.given.push_back(std::abs(given) <= std::max(kSureOfErrors * error, nothing) ? 0 : given);
      effect.given_errors.push_back(error);
    }
    terms.push_back({std::move(degrees), std::move(effect)});
  }
  return terms;
}

double size_of_terms(const std::vector<Term>& terms, int order = 0) {
  double size = 0;
  for (const Term& term : terms) {
    if (order == 0 || total_of(term.degrees) == order) size += std::abs(term.effect.value);
  }
  return size;
}

double error_of_terms(const std::vector<Term>& terms) {
  double error = 0;
  for (const Term& term : terms) {
    error += term.effect.value_error;
    for (const double one : term.effect.given_errors) error += one;
  }
  return error;
}

// The terms by the width that has them most exactly.
std::vector<Term> best_terms(const Method& method, ExplainedModel& model, const JudgedQuestion& judged,
                             const TermGrid& grid, uint64_t seed, const Progress& progress) {
  std::vector<Term> best;
  TermSeries before;
  for (size_t w = 0; w < kWidths.size(); ++w) {
    TermSeries series = series_of(method, model, judged, grid, kWidths[w], seed);
    report(progress, "Taylor terms", static_cast<int64_t>(w) + 1, std::ssize(kWidths));
    if (w > 0) {
      std::vector<Term> terms = terms_from(series, before, grid);
      if (best.empty() || error_of_terms(terms) < error_of_terms(best)) best = std::move(terms);
      if (error_of_terms(best) <= kGoodEnough * size_of_terms(best)) break;
    }
    before = std::move(series);
  }
  return best;
}

bool graph_has_kinks(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return node.op->op_class == OpClass::selection; });
}

std::string why_no_terms(const ExplainedModel& model, const JudgedQuestion& judged) {
  const int64_t players = judged.question.players.count();
  if (players > kMostTermPlayers) {
    return fmt::format("{} players have too many terms; at most {} are looked at", players, kMostTermPlayers);
  }
  if (model.real() != DType::f64) return "in float, terms of higher order drown in rounding";
  if (graph_has_kinks(model.graph())) return "the network has kinks, where there are no terms above the first order";
  if (judged.question.baseline_count() > static_cast<int64_t>(kFewBaselines)) {
    return fmt::format("{} baselines have too many terms", judged.question.baseline_count());
  }
  return "";
}

Parameters grid_parameters(const Method& method, const std::map<std::string, std::string>& given) {
  std::map<std::string, std::string> used = given;
  const bool integral = std::any_of(method.parameters.begin(), method.parameters.end(),
                                    [](const Parameter& parameter) { return parameter.name == "steps"; });
  if (integral) used.try_emplace("steps", kGridSteps);
  return {method.name, method.parameters, used};
}

// The last orders grow, and the sum is far from the change.
bool terms_diverge(const TermAudit& audit) {
  const double size = size_of_terms(audit.terms);
  const double last = size_of_terms(audit.terms, audit.order) + size_of_terms(audit.terms, audit.order - 1);
  const double before = size - last;
  return std::abs(audit.remainder) > kMissingChange * size && last > before;
}

// What two widths say of f, or of the attribution, has to be the same.
std::string why_not_terms(const TermAudit& audit) {
  const double sizes = size_of_terms(audit.terms), all = error_of_terms(audit.terms);
  double of_f = 0;
  for (const Term& term : audit.terms) of_f += term.effect.value_error;
  if (of_f > kTermsSmooth * sizes) return "f is too steep near the baseline for its terms to be told apart";
  if (all > kTermsSmooth * sizes) return "the values of the method do not follow a Taylor series near the baseline";
  if (terms_diverge(audit)) return "the terms grow from order to order: the series does not reach from b to x";
  return "";
}

}  // namespace

TermAudit audit_terms(const Method& method, ExplainedModel& model, const Question& question,
                      const std::map<std::string, std::string>& given, uint64_t seed, const Progress& progress) {
  TermAudit audit;
  const JudgedQuestion judged = judged_question(method, model, question, grid_parameters(method, given), seed);
  audit.left_out = why_no_terms(model, judged);
  if (!audit.left_out.empty()) return audit;
  const TermGrid grid = grid_for(question.players.count());
  audit.order = grid.order;
  audit.terms = best_terms(method, model, judged, grid, seed, progress);
  const std::array target = {question.target};
  audit.remainder = model.values(question.point, target)[0] - model.baseline_output(judged.question);
  PrincipleAccount account;
  double sum = 0;
  for (const Term& term : audit.terms) {
    account.add(term.effect);
    sum += term.effect.value;
  }
  account.close(sum);
  audit.remainder -= sum;
  audit.left_out = why_not_terms(audit);
  if (!audit.left_out.empty()) return audit;
  audit.figures = account.figures();
  audit.errors = account.errors();
  audit.verdicts = judge(audit.figures, audit.errors, model.real(),
                         "its values are not smooth enough between the baseline and x to tell");
  return audit;
}

}  // namespace ascribe::core
