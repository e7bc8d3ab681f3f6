// Infidelity (Yeh et al., 2019, definition 2.1), perturbed by noise on every element:
//   mean over draws of ( p'a - (f(x) - f(x - p)) )^2,   p ~ N(0, sigma^2)
// a are slopes here. Contributions become slopes: divided by x - b, and 0 where x = b, since they say nothing there.
#include <algorithm>
#include <array>
#include <numeric>

#include "base/parallel.h"
#include "metrics/draws.h"
#include "metrics/losses.h"
#include "metrics/shares.h"

namespace ascribe::core::metric_infidelity_gaussian {

namespace {

constexpr const char* kName = "infidelity_gaussian";

std::vector<double> slopes_of(const MetricInput& input, const MethodExplanations& one, size_t q) {
  const Tensor shares = element_shares(one.method, input.questions[q], one.attributions[q]);
  std::vector<double> slopes(shares.data<double>().begin(), shares.data<double>().end());
  if (one.method.kind == AttributionKind::sensitivity) return slopes;
  const std::vector<double> changes = input_changes(input.model, input.questions[q]);
  for (size_t i = 0; i < slopes.size(); ++i) slopes[i] = changes[i] == 0 ? 0 : slopes[i] / changes[i];
  return slopes;
}

class NoisyQuestion {
 public:
  NoisyQuestion(const MetricInput& input, size_t q)
      : input_(input),
        question_(input.questions[q]),
        random_(draws_of(input, q, kName)),
        x_(question_.point[input.model.input()].cast(DType::f64)),
        output_(values_at(x_)[0]) {
    for (const MethodExplanations& one : input.methods) slopes_.push_back(slopes_of(input, one, q));
  }

  std::vector<Score> scores() {
    const int64_t draws = input_.parameters.integer("perturbations");
    const int64_t batch = std::max<int64_t>(1, input_.model.row_bytes() / (x_.size() * 8));
    std::vector<double> sums(slopes_.size(), 0.0);
    for (int64_t first = 0; first < draws; first += batch) add(first, std::min(batch, draws - first), sums);
    std::vector<Score> scores;
    for (const double sum : sums) scores.push_back({sum / static_cast<double>(draws)});
    return scores;
  }

 private:
  void add(int64_t first, int64_t count, std::vector<double>& sums) {
    const Tensor noise = noise_of(first, count);
    const auto size = static_cast<size_t>(x_.size());
    const auto p = noise.data<double>(), x = x_.data<double>();
    Tensor rows = noise;
    const auto to = rows.mutable_data<double>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = x[i % size] - p[i];
    const std::vector<double> values = values_at(rows);
    for (size_t r = 0; r < values.size(); ++r) {
      const auto row = p.subspan(r * size, size);
      for (size_t m = 0; m < slopes_.size(); ++m) {
        const double claimed = std::inner_product(row.begin(), row.end(), slopes_[m].begin(), 0.0);
        const double error = claimed - (output_ - values[r]);
        sums[m] += error * error;
      }
    }
  }

  // Elements that nobody owns keep their values.
  Tensor noise_of(int64_t first, int64_t count) const {
    Shape shape = input_.model.row();
    shape.insert(shape.begin(), count);
    Tensor noise(DType::f64, shape);
    const auto to = noise.mutable_data<double>();
    const double sigma = input_.parameters.real("sigma");
    const int64_t size = x_.size();
    parallel_for(count, std::max<int64_t>(1, 4096 / size), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin * size; k < end * size; ++k) {
        const bool owned = question_.players.owner[static_cast<size_t>(k % size)] >= 0;
        to[static_cast<size_t>(k)] = owned ? sigma * random_.normal(static_cast<uint64_t>(first * size + k)) : 0;
      }
    });
    return noise;
  }

  std::vector<double> values_at(const Tensor& rows) const {
    std::vector<Tensor> inputs = question_.point;
    inputs[input_.model.input()] = rows.cast(input_.model.real());
    return input_.model.values(inputs, std::array{question_.target});
  }

  const MetricInput& input_;
  const Question& question_;
  Random random_;
  Tensor x_;
  double output_;
  std::vector<std::vector<double>> slopes_;  // per method
};

Scores score_infidelity_gaussian(const MetricInput& input) {
  return question_by_question(input, [&](size_t q) { return NoisyQuestion(input, q).scores(); });
}

const RegisterMetric registered({
    .name = kName,
    .title = "Infidelity, Gaussian noise",
    .category = MetricCategory::faithfulness,
    .better = Better::lower,
    .formula = "mean over p ~ N(0, sigma^2) of (p'a - (f(x) - f(x - p)))^2",
    .source = "Yeh, Hsieh, Suggala, Inouye, Ravikumar 2019",
    .about =
        "Noise is subtracted from every element at once, and the attribution has to say by how much the output falls. "
        "That takes slopes: attributions of slopes are used as they are, and contributions are divided by x - b, "
        "the mean over several baselines. Where x = b a contribution says nothing of the slope, which counts as "
        "0. Elements that nobody owns get no noise. In units of the output, squared.",
    .cost = "one forward pass per perturbation, shared by all methods",
    .limits = "Small noise asks for the gradient and nothing else: attributions of what the whole input did score "
              "badly. The same sigma for all elements suits inputs of one scale, not tables of many.",
    .parameters = {integer_parameter("perturbations", 1000, 1, 1 << 24, "draws of the noise"),
                   real_parameter("sigma", 0.2, 0, 1e9, "its standard deviation, in units of the input")},
    .score = score_infidelity_gaussian,
});

}  // namespace

}  // namespace ascribe::core::metric_infidelity_gaussian
