// The probe of level `module` (probes.h): one module sigma(sum of z_i + s), sigma(u) = u^4, with players of both signs.
// If the positive z are scaled by lambda and the negative ones by mu, what a player is given is a polynomial, and its
// coefficient of lambda^p mu^q is what the player is given of the effects of degree p in N+ and q in N-. What reaches
// N+ at p = 0, or N- at q = 0, is unrelated. The rule is called with sigma(sum of z + s) - sigma(s); a method that
// starts from f(x) is scaled to it.
#include <array>
#include <cmath>

#include "game/subsets.h"
#include "theory/probes_support.h"

namespace ascribe::core {

namespace {

constexpr int kDegree = 4;
constexpr int kNodes = kDegree + 1;
constexpr double kBias = 0.8;
const std::vector<double> kX = {1.25, -0.6, 0.8, 1.4, -0.5};
const std::vector<double> kWeights = {0.4, -0.5, 0.5, -0.25, 0.5};  // z = 0.5, 0.3, 0.4, -0.35, -0.25
const auto kPlayers = static_cast<int64_t>(kX.size());
constexpr std::array<double, kNodes> kScales = {0.5, 0.75, 1, 1.25, 1.5};

std::vector<double> module_z() {
  std::vector<double> z;
  for (size_t i = 0; i < kX.size(); ++i) z.push_back(kX[i] * kWeights[i]);
  return z;
}

Graph module_graph() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, kPlayers}});
  const Value z = b.matmul(x, b.constant(Tensor::of<double>({kPlayers, 1}, kWeights)));
  const Value sum = b.add(z, b.constant(Tensor::of<double>({1}, {kBias})));
  b.output("y", b.op("pow", {sum, b.scalar(kDegree)}));
  return graph;
}

// The coefficients of the polynomial through these values at the nodes, by divided differences.
std::vector<double> coefficients(std::vector<double> values) {
  for (int level = 1; level < kNodes; ++level) {
    for (int i = kNodes - 1; i >= level; --i) {
      values[i] =
          (values[i] - values[i - 1]) / (kScales[static_cast<size_t>(i)] - kScales[static_cast<size_t>(i - level)]);
    }
  }
  std::vector<double> polynomial(kNodes, 0.0);
  for (int i = kNodes - 1; i >= 0; --i) {  // Horner: times (x - node), plus the next difference
    for (int k = kNodes - 1; k > 0; --k) {
      polynomial[k] = polynomial[k - 1] - kScales[static_cast<size_t>(i)] * polynomial[k];
    }
    polynomial[0] = values[i] - kScales[static_cast<size_t>(i)] * polynomial[0];
  }
  return polynomial;
}

uint64_t players_of_sign(bool positive) {
  uint64_t set = 0;
  const std::vector<double> z = module_z();
  for (size_t i = 0; i < z.size(); ++i) set |= (z[i] > 0) == positive ? uint64_t{1} << i : 0;
  return set;
}

double sum_of_sign(bool positive) {
  double sum = 0;
  for (const double z : module_z()) sum += (z > 0) == positive ? z : 0;
  return sum;
}

// The effects by (p, q), at p * kNodes + q; those beyond the degree of sigma are 0.
ProbedQuestion effects_of_module() {
  ProbedQuestion probed;
  const double plus = sum_of_sign(true), minus = sum_of_sign(false);
  for (int p = 0; p < kNodes; ++p) {
    for (int q = 0; q < kNodes; ++q) {
      const int k = p + q;
      const uint64_t support = (p > 0 ? players_of_sign(true) : 0) | (q > 0 ? players_of_sign(false) : 0);
      const double value = k == 0 || k > kDegree
                               ? 0
                               : binomial(kDegree, k) * binomial(k, p) * std::pow(kBias, kDegree - k) *
                                     std::pow(plus, p) * std::pow(minus, q);
      probed.effects.push_back({support, value, std::vector<double>(kX.size(), 0.0)});
      probed.change += value;
    }
  }
  return probed;
}

std::vector<Question> scaled_questions() {
  std::vector<Question> questions;
  const std::vector<double> z = module_z(), zero(kX.size(), 0.0);
  for (const double lambda : kScales) {
    for (const double mu : kScales) {
      std::vector<double> x = kX;
      for (size_t i = 0; i < x.size(); ++i) x[i] *= z[i] > 0 ? lambda : mu;
      questions.push_back(probe_question({kPlayers}, x, zero));
    }
  }
  return questions;
}

std::vector<ProbedQuestion> ask_the_method(const ProbeSubject& subject) {
  ExplainedModel model = probe_model(module_graph());
  const std::vector<Attribution> answers = answers_of(subject, model, scaled_questions());
  ProbedQuestion probed = effects_of_module();
  for (size_t i = 0; i < kX.size(); ++i) {
    std::array<std::vector<double>, kNodes> by_lambda;  // coefficients of mu at every lambda
    for (size_t l = 0; l < kNodes; ++l) {
      std::vector<double> values;
      for (size_t m = 0; m < kNodes; ++m) {
        const Attribution& answer = answers[l * kNodes + m];
        const bool whole = subject.method.total == Total::output;
        values.push_back(answer.values[i] * (whole ? 1 - std::pow(kBias, kDegree) / answer.output : 1));
      }
      by_lambda[l] = coefficients(values);
    }
    for (size_t q = 0; q < kNodes; ++q) {
      std::vector<double> along;
      for (const auto& row : by_lambda) along.push_back(row[q]);
      const std::vector<double> by_p = coefficients(along);
      for (size_t p = 0; p < kNodes; ++p) probed.effects[p * kNodes + q].given[i] = by_p[p];
    }
  }
  return {probed};
}

// Calls f with every kappa of 1 to kDegree.
template <class F>
void for_each_degree(std::vector<int>& degree, size_t player, int left, const F& f) {
  if (player == degree.size()) {
    if (left < kDegree) f(degree);
    return;
  }
  for (degree[player] = 0; degree[player] <= left; ++degree[player]) {
    for_each_degree(degree, player + 1, left - degree[player], f);
  }
  degree[player] = 0;
}

std::vector<ProbedQuestion> ask_the_rule(const ProbeSubject& subject) {
  AllocationContext context = context_of(subject, players_of_row({kPlayers}));
  context.z = module_z();
  ProbedQuestion probed = effects_of_module();
  std::vector<int> degree(kX.size(), 0);
  for_each_degree(degree, 0, kDegree, [&](std::span<const int> kappa) {
    const int k = total_degree(kappa);
    size_t p = 0, q = 0;
    double value = std::tgamma(kDegree + 1) / std::tgamma(kDegree - k + 1) * std::pow(kBias, kDegree - k);
    for (size_t i = 0; i < kappa.size(); ++i) {
      value *= std::pow(context.z[i], kappa[i]) / std::tgamma(kappa[i] + 1);
      (context.z[i] > 0 ? p : q) += static_cast<size_t>(kappa[i]);
    }
    const std::vector<double> of_players = weights(subject.rule, context, kappa);
    std::vector<double>& given = probed.effects[p * kNodes + q].given;
    for (size_t i = 0; i < given.size(); ++i) given[i] += of_players[i] * value;
  });
  return {probed};
}

}  // namespace

const Probe kModuleProbe = {ask_the_method, ask_the_rule};

}  // namespace ascribe::core
