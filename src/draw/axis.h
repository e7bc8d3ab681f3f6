// A vertical axis of a chart: from numbers to places on the page, with round numbers marked; linear or logarithmic.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace ascribe::core {

enum class Scale { linear, logarithmic };

class Axis {
 public:
  // Holds all `values`; those that a logarithm does not take are left out of it. `unit` follows the numbers: " %".
  Axis(Scale scale, std::span<const double> values, double top, double bottom, std::string unit = {});

  // Cut off at the ends of the axis.
  double place(double value) const;
  const std::vector<double>& marks() const { return marks_; }
  std::string text(double mark) const;

  // Lines across the chart with the numbers at their left.
  void draw(Svg& svg, double left, double right) const;

 private:
  double transformed(double value) const;
  void mark_evenly();
  void mark_powers();

  Scale scale_;
  double top_, bottom_, low_ = 0, high_ = 1;
  std::string unit_;
  std::vector<double> marks_;
};

// About as wide as the text is drawn.
double text_width(const std::string& text, double size);

}  // namespace ascribe::core
