// The probe of level `point` for LRP-epsilon (probes.h): a ReLU network with biases, b = 0. Within a region where no
// neuron switches, the effects at x are I(e_i) = x_i df/dx_i, linear in x_i: scaling x_i by 1 + h changes I(e_i) alone,
// so the change of the attribution, divided by h, is what every player is given of it. What does not change with any of
// them belongs to no effect.
#include <array>
#include <cmath>

#include "theory/probes_support.h"

namespace ascribe::core {

namespace {

constexpr int64_t kPlayers = 6;
constexpr double kStep = 1e-4;
// Large beside the usual epsilon of 1e-6, which is to stay a guard and not to become a part of the question.
constexpr double kScale = 1000;
const Shape kRow = {kPlayers};

Value dense(Builder& b, Value x, int64_t from, int64_t to, uint64_t stream) {
  std::vector<double> weights = generic_numbers(stream, from * to, 0.2, 1);
  const Value product = b.matmul(x, b.constant(Tensor::of<double>({from, to}, weights)));
  const Tensor bias = Tensor::of<double>({to}, generic_numbers(stream + 1, to, 0.2 * kScale, 0.6 * kScale));
  return b.add(product, b.constant(bias));
}

Graph network() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, kPlayers}});
  const Value first = b.op("relu", {dense(b, x, kPlayers, 8, 21)});
  const Value second = b.op("relu", {dense(b, first, 8, 5, 23)});
  b.output("y", dense(b, second, 5, 1, 25));
  return graph;
}

struct Setting {
  ExplainedModel model = probe_model(network());
  std::vector<double> x = generic_numbers(20, kPlayers, 0.5 * kScale, 1.5 * kScale);
  Tensor gradient;
  double change = 0;

  Setting() {
    gradient = slopes(x);
    change = value(x) - value(std::vector<double>(kPlayers, 0.0));
  }
  Tensor slopes(const std::vector<double>& at) {
    return model.gradients(std::array{Tensor::of<double>({1, kPlayers}, at)}, std::array{int64_t{0}}).gradient;
  }
  double value(const std::vector<double>& at) {
    return model.values(std::array{Tensor::of<double>({1, kPlayers}, at)}, std::array{int64_t{0}})[0];
  }
  std::vector<double> stretched(int64_t i) {
    std::vector<double> at = x;
    at[static_cast<size_t>(i)] *= 1 + kStep;
    const Tensor there = slopes(at);
    for (int64_t k = 0; k < kPlayers; ++k) {
      require(std::abs(there.at(k) - gradient.at(k)) < 1e-9, "probe", "a neuron switches within the step");
    }
    return at;
  }
  ProbedQuestion effects() {
    ProbedQuestion probed;
    probed.change = change;
    for (int64_t i = 0; i < kPlayers; ++i) {
      probed.effects.push_back({uint64_t{1} << i, x[static_cast<size_t>(i)] * gradient.at(i), {}});
    }
    return probed;
  }
};

std::vector<ProbedQuestion> ask_the_method(const ProbeSubject& subject) {
  Setting setting;
  const std::vector<double> zero(kPlayers, 0.0);
  std::vector<Question> questions = {probe_question(kRow, setting.x, zero)};
  for (int64_t i = 0; i < kPlayers; ++i) questions.push_back(probe_question(kRow, setting.stretched(i), zero));
  const std::vector<Attribution> answers = answers_of(subject, setting.model, questions);
  ProbedQuestion probed = setting.effects();
  AllocatedEffect of_nothing{0, 0, answers[0].values};
  for (size_t i = 0; i < probed.effects.size(); ++i) {
    for (size_t k = 0; k < kPlayers; ++k) {
      probed.effects[i].given.push_back((answers[i + 1].values[k] - answers[0].values[k]) / kStep);
      of_nothing.given[k] -= probed.effects[i].given[k];
    }
  }
  probed.effects.push_back(std::move(of_nothing));
  return {probed};
}

std::vector<ProbedQuestion> ask_the_rule(const ProbeSubject& subject) {
  ProbedQuestion probed = Setting().effects();
  for (size_t i = 0; i < probed.effects.size(); ++i) {
    std::vector<int> degree(kPlayers, 0);
    degree[i] = 1;
    probed.effects[i].given = weights(subject.rule, {}, degree);
    for (double& given : probed.effects[i].given) given *= probed.effects[i].value;
  }
  probed.effects.push_back({0, 0, std::vector<double>(kPlayers, 0.0)});
  return {probed};
}

}  // namespace

const Probe kReluProbe = {ask_the_method, ask_the_rule};

}  // namespace ascribe::core
