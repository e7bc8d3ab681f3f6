#include "metrics/attribution_changes.h"

#include <algorithm>
#include <functional>

#include "metrics/draws.h"
#include "metrics/shared_passes.h"
#include "metrics/shares.h"
#include "metrics/statistics.h"

namespace ascribe::core {

namespace {

constexpr int64_t kElementBytes = 64;  // of a question: x, its owner and name, and two answers

// As the method gives them: values of players or of elements.
std::vector<double> given_values(const Method& method, const Question& question, const Attribution& attribution) {
  if (method.players) return attribution.values;
  const Tensor shares = element_shares(method, question, attribution);
  return {shares.data<double>().begin(), shares.data<double>().end()};
}

// The question at x + d. Baselines and players stay; so do elements that nobody owns.
Question disturbed(const MetricInput& input, size_t q, int64_t draw) {
  Question question = input.questions[q];
  Tensor& point = question.point[input.model.input()];
  Tensor x = point.cast(DType::f64);
  const auto values = x.mutable_data<double>();
  const double radius = input.parameters.real("radius");
  const Random random = draws_of(input, q, "sensitivity");  // the same for both metrics: no mean is above its maximum
  for (size_t i = 0; i < values.size(); ++i) {
    if (question.players.owner[i] < 0) continue;
    values[i] += radius * (2 * random.uniform(static_cast<uint64_t>(draw) * values.size() + i) - 1);
  }
  point = x.cast(point.dtype());
  return question;
}

// Draws of all questions, one behind the other: number k is draw k % samples of question k / samples.
class Disturbances {
 public:
  explicit Disturbances(const MetricInput& input)
      : input_(input), samples_(input.parameters.integer("samples")), count_(samples_ * std::ssize(input.questions)) {}

  // |a(x + d) - a(x)| for every draw.
  std::vector<double> changes(const MethodExplanations& one,
                              const std::vector<std::vector<double>>& undisturbed) const {
    std::vector<double> result;
    const int64_t batch =
        std::max<int64_t>(1, input_.model.row_bytes() / (element_count(input_.model.row()) * kElementBytes));
    for (int64_t first = 0; first < count_; first += batch) {
      const int64_t some = std::min(batch, count_ - first);
      std::vector<Question> questions;
      for (int64_t k = first; k < first + some; ++k) {
        questions.push_back(disturbed(input_, static_cast<size_t>(k / samples_), k % samples_));
      }
      const auto answers = attribute(one.method, input_.model, questions, one.parameters, input_.seed);
      for (int64_t k = 0; k < some; ++k) {
        const auto& before = undisturbed[static_cast<size_t>((first + k) / samples_)];
        std::vector<double> change =
            given_values(one.method, questions[static_cast<size_t>(k)], answers[static_cast<size_t>(k)]);
        std::transform(change.begin(), change.end(), before.begin(), change.begin(), std::minus<>());
        result.push_back(norm_of(change));
      }
    }
    return result;
  }

 private:
  const MetricInput& input_;
  int64_t samples_, count_;
};

// |a(x + d) - a(x)| for every draw, computed once for both metrics.
std::vector<double> changes_of(const MetricInput& input, const MethodExplanations& one,
                               const std::vector<std::vector<double>>& undisturbed) {
  const auto compute = [&] { return Disturbances(input).changes(one, undisturbed); };
  if (input.shared == nullptr) return compute();
  return input.shared->once<std::vector<double>>(
      fmt::format("changes ({}) of {}: {}", input.parameters.key(), fmt::join(input.streams, ","), shared_name(one)),
      compute);
}

}  // namespace

std::vector<Parameter> attribution_change_parameters() {
  return {real_parameter("radius", 0.02, 0, 1e9, "the most that an element is changed by, in units of the input"),
          integer_parameter("samples", 10, 1, 1 << 20, "disturbed inputs")};
}

Scores score_attribution_changes(const MetricInput& input, double (*summed_up)(std::span<const double> changes)) {
  const auto samples = static_cast<size_t>(input.parameters.integer("samples"));
  Scores scores;
  for (const MethodExplanations& one : input.methods) {
    std::vector<std::vector<double>> undisturbed;
    for (size_t q = 0; q < input.questions.size(); ++q) {
      undisturbed.push_back(given_values(one.method, input.questions[q], one.attributions[q]));
    }
    std::vector<double> changes = changes_of(input, one, undisturbed);
    std::vector<Score>& of_method = scores.emplace_back();
    for (size_t q = 0; q < input.questions.size(); ++q) {
      const double norm = norm_of(undisturbed[q]);
      const auto of_question = std::span(changes).subspan(q * samples, samples);
      for (double& change : of_question) change /= norm == 0 ? 1 : norm;
      of_method.push_back(norm == 0 ? undefined_score("all values are zero") : Score{summed_up(of_question)});
    }
    report(input.progress, "disturbed inputs", std::ssize(scores), std::ssize(input.methods));
  }
  return scores;
}

}  // namespace ascribe::core
