#include "draw/axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ascribe::core {

namespace {

constexpr int kMarks = 6;                // about so many
constexpr int kMostPowers = 7;           // of ten that are marked
constexpr double kWidthOfLetter = 0.54;  // of its size, on average

double round_step(double range) {
  const double rough = range / kMarks, power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Axis::Axis(Scale scale, std::span<const double> values, double top, double bottom, std::string unit)
    : scale_(scale), top_(top), bottom_(bottom), unit_(std::move(unit)) {
  std::vector<double> shown;
  for (const double value : values) {
    if (std::isfinite(value) && (scale == Scale::linear || value > 0)) shown.push_back(transformed(value));
  }
  if (!shown.empty()) {
    low_ = *std::min_element(shown.begin(), shown.end());
    high_ = *std::max_element(shown.begin(), shown.end());
  }
  if (scale == Scale::linear) mark_evenly();
  else mark_powers();
}

double Axis::transformed(double value) const { return scale_ == Scale::linear ? value : std::log10(value); }

void Axis::mark_evenly() {
  low_ = std::min(low_, 0.0);
  high_ = std::max(high_, 0.0);
  if (high_ == low_) high_ = low_ + 1;
  const double step = round_step(high_ - low_);
  low_ = step * std::floor(low_ / step);
  high_ = step * std::ceil(high_ / step);
  const auto count = std::lround((high_ - low_) / step);
  for (int64_t i = 0; i <= count; ++i) marks_.push_back(low_ + step * static_cast<double>(i));
}

void Axis::mark_powers() {
  low_ = std::floor(low_);
  high_ = std::max(std::ceil(high_), low_ + 1);
  const double step = std::ceil((high_ - low_) / kMostPowers);
  for (double power = low_; power <= high_; power += step) marks_.push_back(std::pow(10.0, power));
}

double Axis::place(double value) const {
  const double share = scale_ == Scale::logarithmic && value <= 0 ? 0 : (transformed(value) - low_) / (high_ - low_);
  return bottom_ - std::clamp(share, 0.0, 1.0) * (bottom_ - top_);
}

std::string Axis::text(double mark) const {
  if (scale_ == Scale::linear) return fmt::format("{:g}{}", std::abs(mark) < 1e-12 ? 0.0 : mark, unit_);
  return mark >= 0.001 && mark <= 10000 ? fmt::format("{:g}{}", mark, unit_) : fmt::format("{:.0e}{}", mark, unit_);
}

void Axis::draw(Svg& svg, double left, double right) const {
  for (const double mark : marks_) {
    svg.line({left, place(mark)}, {right, place(mark)}, {.color = "#e3e3e3"});
    svg.text({left - 8, place(mark) + 4.5}, text(mark), {.size = 13, .color = "#444444", .anchor = Anchor::end});
  }
}

double text_width(const std::string& text, double size) {
  const auto letters =
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return kWidthOfLetter * size * static_cast<double>(letters);
}

}  // namespace ascribe::core
