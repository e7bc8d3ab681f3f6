// Which pixels are ranked highest, and whether the object is there. Pixels of equal value cannot be told apart: they
// are counted as if chance broke the tie, so that the score is an expected value.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "metrics/metric.h"

namespace ascribe::core {

// The share of the object's pixels that are among as many highest: |B and M| / |B|.
Score object_rank_accuracy(std::span<const double> pixels, const PixelMask& object);

// A score for each question and method, from the attribution per pixel (shares.h) and the object's mask.
Scores score_pixels(const MetricInput& input, const std::function<Score(std::span<const double>, size_t question)>& f);

}  // namespace ascribe::core
