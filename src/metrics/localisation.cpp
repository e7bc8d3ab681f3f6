#include "metrics/localisation.h"

#include <algorithm>
#include <functional>

#include "metrics/shares.h"

namespace ascribe {

std::vector<double> chance_among_highest(std::span<const double> values, int64_t count) {
  require(count >= 0 && count <= std::ssize(values), "ranking", "as many values as there are");
  std::vector<double> chances(values.size(), 0.0);
  if (count == 0) return chances;
  std::vector<double> sorted(values.begin(), values.end());
  std::nth_element(sorted.begin(), sorted.begin() + (count - 1), sorted.end(), std::greater<>());
  const double border = sorted[static_cast<size_t>(count - 1)];
  const auto above = std::count_if(values.begin(), values.end(), [&](double v) { return v > border; });
  const auto ties = std::count(values.begin(), values.end(), border);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] > border) chances[i] = 1;
    if (values[i] == border) chances[i] = static_cast<double>(count - above) / static_cast<double>(ties);
  }
  return chances;
}

Score object_rank_accuracy(std::span<const double> pixels, const PixelMask& object) {
  const auto size = std::count(object.begin(), object.end(), uint8_t{1});
  if (size == 0) return undefined_score("the object has no pixel in the image");
  const std::vector<double> chances = chance_among_highest(pixels, size);
  double inside = 0;
  for (size_t i = 0; i < object.size(); ++i) {
    if (object[i] == 1) inside += chances[i];
  }
  return {inside / static_cast<double>(size)};
}

Scores score_pixels(const MetricInput& input, const std::function<Score(std::span<const double>, size_t)>& f) {
  Scores scores;
  for (const MethodExplanations& one : input.methods) {
    std::vector<Score>& of_method = scores.emplace_back();
    for (size_t q = 0; q < input.questions.size(); ++q) {
      of_method.push_back(f(pixel_shares(one.method, input.questions[q], one.attributions[q]), q));
    }
  }
  return scores;
}

}  // namespace ascribe
