#include "metrics/localisation.h"

#include <algorithm>

#include "metrics/shares.h"
#include "metrics/statistics.h"

namespace ascribe::core {

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

}  // namespace ascribe::core
