// Infidelity (Yeh et al., 2019, definition 2.1), perturbed by noise on every element:
//   mean over draws of ( p'a - (f(x) - f(x - p)) )^2,   p ~ N(0, sigma^2)
// a are slopes here. Contributions become slopes: divided by x - b, and 0 where x = b, since they say nothing there.
#include <algorithm>
#include <array>

#include "base/normals.h"
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

// Sums of products in four parts, so that they need not wait for each other.
double product(std::span<const float> z, std::span<const double> weights) {
  std::array<double, 4> sums{};
  size_t i = 0;
  for (; i + 4 <= z.size(); i += 4) {
    for (size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(z[i + k]) * weights[i + k];
  }
  for (; i < z.size(); ++i) sums[0] += static_cast<double>(z[i]) * weights[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class NoisyQuestion {
 public:
  NoisyQuestion(const MetricInput& input, size_t q)
      : input_(input),
        question_(input.questions[q]),
        normals_(draws_of(input, q, kName)),
        x_(question_.point[input.model.input()].cast(DType::f64)),
        output_(values_at(question_.point[input.model.input()])[0]) {
    const double sigma = input.parameters.real("sigma");
    // Elements that nobody owns keep their values.
    for (const int32_t owner : question_.players.owner) sigmas_.push_back(owner >= 0 ? sigma : 0);
    for (const MethodExplanations& one : input.methods) {
      weights_.push_back(slopes_of(input, one, q));
      for (size_t i = 0; i < sigmas_.size(); ++i) weights_.back()[i] *= sigmas_[i];
    }
  }

  std::vector<Score> scores() {
    const int64_t draws = input_.parameters.integer("perturbations");
    const int64_t most = std::max<int64_t>(1, input_.model.row_bytes() / (x_.size() * 4));
    const int64_t batch = std::clamp<int64_t>(kBatchBytes / (x_.size() * 4), std::min<int64_t>(kFewRows, most), most);
    std::vector<double> sums(weights_.size(), 0.0);
    for (int64_t first = 0; first < draws; first += batch) add(first, std::min(batch, draws - first), sums);
    std::vector<Score> scores;
    for (const double sum : sums) scores.push_back({sum / static_cast<double>(draws)});
    return scores;
  }

 private:
  static constexpr int64_t kBatchBytes = 1 << 20;  // of rows: they stay in the cache until the network has read them
  static constexpr int64_t kFewRows = 16;          // that a network runs well on

  void add(int64_t first, int64_t count, std::vector<double>& sums) {
    std::vector<double> claimed(static_cast<size_t>(count) * weights_.size());
    const Tensor rows = input_.model.real() == DType::f64 ? rows_of<double>(first, count, claimed)
                                                          : rows_of<float>(first, count, claimed);
    const std::vector<double> values = values_at(rows);
    for (size_t r = 0; r < values.size(); ++r) {
      for (size_t m = 0; m < weights_.size(); ++m) {
        const double error = claimed[r * weights_.size() + m] - (output_ - values[r]);
        sums[m] += error * error;
      }
    }
  }

  // x - p for each draw, and p'a for each of the methods while p is at hand.
  template <class T>
  Tensor rows_of(int64_t first, int64_t count, std::vector<double>& claimed) const {
    Shape shape = input_.model.row();
    shape.insert(shape.begin(), count);
    Tensor rows(input_.model.real(), shape);
    const auto to = rows.mutable_data<T>();
    const auto x = x_.data<double>();
    const size_t size = x.size();
    parallel_for(count, std::max<int64_t>(1, 32768 / std::ssize(x)), [&](int64_t begin, int64_t end) {
      std::vector<float> z(size);
      for (int64_t r = begin; r < end; ++r) {
        normals_.fill(static_cast<uint64_t>(first + r), z);
        T* row = to.data() + static_cast<size_t>(r) * size;
#pragma omp simd
        for (size_t i = 0; i < size; ++i) row[i] = static_cast<T>(x[i] - sigmas_[i] * static_cast<double>(z[i]));
        for (size_t m = 0; m < weights_.size(); ++m) {
          claimed[static_cast<size_t>(r) * weights_.size() + m] = product(z, weights_[m]);
        }
      }
    });
    return rows;
  }

  std::vector<double> values_at(const Tensor& rows) const {
    std::vector<Tensor> inputs = question_.point;
    inputs[input_.model.input()] = rows.cast(input_.model.real());
    return input_.model.values(inputs, std::array{question_.target});
  }

  const MetricInput& input_;
  const Question& question_;
  Normals normals_;
  Tensor x_;
  double output_;
  std::vector<double> sigmas_;                // of each element
  std::vector<std::vector<double>> weights_;  // per method, slopes times sigma: their product with z is p'a
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
