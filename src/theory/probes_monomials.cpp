// The probes of levels `baseline` and `point` (probes.h): monomials c (x - centre)^kappa, a target for each.
//   at the baseline   centre b, I(kappa) = c (x - b)^kappa, one baseline at a time
//   at the point      centre x, I(kappa) = -c (-x)^kappa: the expansion at x towards the input 0
// Methods that are linear in f return w(i, kappa) I(kappa).
#include <algorithm>

#include "base/random.h"
#include "theory/probes_support.h"

namespace ascribe::core {

namespace {

constexpr int64_t kHeight = 2, kWidth = 5;  // an image, so that windows of 4 x 4 cover it in two parts
constexpr int64_t kPlayers = kHeight * kWidth;
constexpr int64_t kBaselines = 3;
const Shape kRow = {1, kHeight, kWidth};

// Every player alone to two orders, and sets of two to four players of mixed degrees.
std::vector<std::vector<int>> generic_degrees() {
  std::vector<std::vector<int>> all;
  for (int64_t i = 0; i < kPlayers; ++i) {
    for (const int64_t power : {int64_t{1}, 2 + i % 2}) {
      all.emplace_back(kPlayers, 0);
      all.back()[i] = static_cast<int>(power);
    }
  }
  const Random random(7);
  uint64_t index = 0;
  for (const auto& [size, count] : {std::pair{2, 12}, {3, 10}, {4, 4}}) {
    for (int k = 0; k < count; ++k) {
      const std::vector<int64_t> order = random.permutation(++index, kPlayers);
      all.emplace_back(kPlayers, 0);
      for (int j = 0; j < size; ++j) all.back()[order[j]] = 1 + static_cast<int>(random.below(++index, 2));
    }
  }
  return all;
}

// One question of the family, in numbers.
struct Monomials {
  bool at_point = false;
  std::vector<double> x, baseline;
  std::vector<std::vector<int>> degrees;
  std::vector<double> effects;  // I(kappa)

  const std::vector<double>& centre() const { return at_point ? x : baseline; }
  double change() const {
    double sum = 0;
    for (const double effect : effects) sum += effect;
    return sum;
  }
  // c, so that the effects are what they are meant to be.
  std::vector<double> factors() const {
    std::vector<double> step, factors;
    for (size_t i = 0; i < x.size(); ++i) step.push_back((at_point ? 0 : x[i]) - centre()[i]);
    for (size_t k = 0; k < degrees.size(); ++k) {
      factors.push_back((at_point ? -effects[k] : effects[k]) / power_of(step, degrees[k]));
    }
    return factors;
  }
};

std::vector<Monomials> questions_for(const ProbeSubject& subject) {
  std::vector<Monomials> questions;
  const bool at_point = subject.rule.level == AllocationLevel::point;
  for (int64_t b = 0; b < (at_point ? 1 : kBaselines); ++b) {
    Monomials question{at_point, generic_numbers(1, kPlayers, 0.5, 1.5), {}, generic_degrees(), {}};
    const std::vector<double> step = generic_numbers(static_cast<uint64_t>(2 + b), kPlayers, 0.4, 1.2);
    for (size_t i = 0; i < step.size(); ++i) question.baseline.push_back(question.x[i] - step[i]);
    // Mostly positive, so that effects do not cancel in the change.
    question.effects = generic_numbers(10, std::ssize(question.degrees), 0.3, 1.3);
    for (size_t k = 0; k < question.effects.size(); ++k) {
      if (k % 3 != 0) question.effects[k] = std::abs(question.effects[k]);
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

Graph model_of(const Monomials& monomials) {
  Graph graph;
  Builder b(graph);
  const Value image = b.input("x", {Kind::real, {kBatch, 1, kHeight, kWidth}});
  const Value flat = b.reshape(image, {kBatch, kPlayers});
  const Value centred = b.sub(flat, b.constant(Tensor::of<double>({1, kPlayers}, monomials.centre())));
  b.output("y", append_monomials(b, centred, monomials.degrees, monomials.factors()));
  return graph;
}

ProbedQuestion without_answers(const Monomials& monomials) {
  ProbedQuestion probed;
  probed.change = monomials.change();
  for (size_t k = 0; k < monomials.degrees.size(); ++k) {
    probed.effects.push_back({support_of(monomials.degrees[k]), monomials.effects[k], {}});
  }
  return probed;
}

std::vector<ProbedQuestion> ask_the_method(const ProbeSubject& subject) {
  std::vector<ProbedQuestion> result;
  for (const Monomials& monomials : questions_for(subject)) {
    ExplainedModel model = probe_model(model_of(monomials));
    std::vector<Question> questions(monomials.degrees.size(), probe_question(kRow, monomials.x, monomials.baseline));
    for (size_t k = 0; k < questions.size(); ++k) questions[k].target = static_cast<int64_t>(k);
    const std::vector<Attribution> answers = answers_of(subject, model, questions);
    result.push_back(without_answers(monomials));
    for (size_t k = 0; k < answers.size(); ++k) result.back().effects[k].given = answers[k].values;
  }
  return result;
}

std::vector<ProbedQuestion> ask_the_rule(const ProbeSubject& subject) {
  const AllocationContext context = context_of(subject, players_of_row(kRow));
  std::vector<ProbedQuestion> result;
  for (const Monomials& monomials : questions_for(subject)) {
    result.push_back(without_answers(monomials));
    for (size_t k = 0; k < monomials.degrees.size(); ++k) {
      AllocatedEffect& effect = result.back().effects[k];
      effect.given = weights(subject.rule, context, monomials.degrees[k]);
      for (double& given : effect.given) given *= effect.value;
    }
  }
  return result;
}

}  // namespace

const Probe kMonomialProbe = {ask_the_method, ask_the_rule};

}  // namespace ascribe::core
