#include "methods/noisy_gradients.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/random.h"
#include "methods/gradients_at.h"
#include "methods/spread.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kStream = 81;

double extent(std::span<const double> x) {
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  return *most - *least;
}

Tensor frozen_noise(uint64_t seed, int64_t samples, const Shape& row) {
  Shape shape = row;
  shape.insert(shape.begin(), samples);
  Tensor noise(DType::f64, shape);
  const auto to = noise.mutable_data<double>();
  const Random random(seed, kStream);
  for (size_t i = 0; i < to.size(); ++i) to[i] = random.normal(i);
  return noise;
}

// One question: gradients at x, for f(x), and at every draw around it.
class MeanOverNoise {
 public:
  MeanOverNoise(ExplainedModel& model, const Question& question, const Tensor& noise, double sigma,
                double (*of_slope)(double))
      : model_(model),
        question_(question),
        x_(question.point[model.input()].cast(DType::f64)),
        noise_(noise),
        of_slope_(of_slope),
        sigma_(sigma * extent(x_.data<double>())) {}

  Attribution run(const Progress& progress) {
    const int64_t size = x_.size(), draws = noise_.shape()[0];
    const int64_t batch = std::max<int64_t>(1, model_.row_bytes() / (size * 8));
    sum_.assign(static_cast<size_t>(size), 0.0);
    for (int64_t first = -1; first < draws; first += batch) {  // draw -1 is x itself
      add(first, std::min(batch, draws - first));
      report(progress, "draws", std::min(draws, first + batch), draws);
    }
    Tensor elements(DType::f64, model_.row());
    const auto to = elements.mutable_data<double>();
    for (size_t i = 0; i < sum_.size(); ++i) to[i] = sum_[i] / static_cast<double>(draws);
    Attribution a = attribution_of_elements(question_, elements, output_, model_.baseline_output(question_, progress));
    a.standard_errors = spread_.standard_errors();
    a.degrees_of_freedom = spread_.degrees_of_freedom();
    a.exact = sigma_ == 0;
    a.evaluations = 2 * (draws + 1);
    if (sigma_ == 0) a.notes.emplace_back("there is no noise: all elements of the input are equal, or noise = 0");
    return a;
  }

 private:
  void add(int64_t first, int64_t count) {
    const int64_t size = x_.size();
    std::vector<Tensor> inputs = question_.point;
    inputs[model_.input()] = noisy_rows(first, count).cast(model_.real());
    const auto answer = model_.gradients(inputs, std::array{question_.target});
    Tensor slopes = answer.gradient.cast(DType::f64);
    for (int64_t r = 0; r < count; ++r) {
      if (first + r < 0) output_ = answer.values[0];
      else add_draw(slopes.mutable_data<double>().subspan(static_cast<size_t>(r * size), static_cast<size_t>(size)));
    }
  }

  Tensor noisy_rows(int64_t first, int64_t count) const {
    const int64_t size = x_.size();
    Shape shape = model_.row();
    shape.insert(shape.begin(), count);
    Tensor rows(DType::f64, shape);
    const auto to = rows.mutable_data<double>();
    const auto x = x_.data<double>(), noise = noise_.data<double>();
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < size; ++i) {
        to[r * size + i] = x[i] + (first + r < 0 ? 0 : sigma_ * noise[(first + r) * size + i]);
      }
    }
    return rows;
  }

  void add_draw(std::span<double> slopes) {
    std::transform(slopes.begin(), slopes.end(), slopes.begin(), of_slope_);
    std::transform(sum_.begin(), sum_.end(), slopes.begin(), sum_.begin(), std::plus<>());
    spread_.add(sums_of_players(question_.players, slopes));
  }

  ExplainedModel& model_;
  const Question& question_;
  Tensor x_;
  const Tensor& noise_;
  double (*of_slope_)(double);
  double sigma_, output_ = 0;
  std::vector<double> sum_;
  Spread spread_;
};

// x + noise * (max x - min x) * N(0, 1), the draws beside each other.
Value noisy_rows(const AttributionRequest& r, Value x, int64_t samples) {
  Builder& b = r.b;
  std::vector<int64_t> axes(static_cast<size_t>(b.rank(x)) - 1);
  std::iota(axes.begin(), axes.end(), int64_t{1});
  const Value extent = b.sub(b.reduce("reduce_max", x, axes, true), b.reduce("reduce_min", x, axes, true));
  const Value sigma = with_points_axis(b, b.mul(extent, r.parameters.real("noise")), 1);
  const Dims row(b.shape(x).begin() + 1, b.shape(x).end());
  const Value noise = b.constant(frozen_noise(r.random_seed, samples, at(row, 1)));
  return as_rows(b, b.add(with_points_axis(b, x, 1), b.mul(sigma, with_points_axis(b, noise, samples))));
}

}  // namespace

std::vector<Parameter> noise_parameters() {
  return {integer_parameter("samples", 50, 1, int64_t{1} << 20, "draws of the noise"),
          real_parameter("noise", 0.15, 0, 1e6, "standard deviation of the noise, relative to max x - min x")};
}

std::vector<Attribution> mean_over_noise(ExplainedModel& model, std::span<const Question> questions,
                                         const MethodRun& run, double (*of_slope)(double)) {
  const Tensor noise = frozen_noise(run.seed, run.parameters.integer("samples"), model.row());
  std::vector<Attribution> answers;
  for (const Question& question : questions) {
    answers.push_back(MeanOverNoise(model, question, noise, run.parameters.real("noise"), of_slope).run(run.progress));
  }
  return answers;
}

std::vector<Value> append_mean_over_noise(const AttributionRequest& r, Value (*of_slopes)(Builder&, Value)) {
  const int64_t samples = r.parameters.integer("samples");
  std::vector<Value> points;
  for (const Value x : r.inputs) points.push_back(noisy_rows(r, x, samples));
  std::vector<Value> slopes = gradients_at(r, points, samples);
  for (Value& one : slopes) one = mean_of_rows(r.b, of_slopes(r.b, one), samples);
  return slopes;
}

}  // namespace ascribe::core
