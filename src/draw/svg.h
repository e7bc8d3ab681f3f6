// Drawings as SVG text: shapes are appended, what comes later lies on top.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/image.h"

namespace ascribe::core {

struct Point {
  double x = 0, y = 0;
};

struct Stroke {
  std::string color = "none";
  double width = 1;
  double opacity = 1;
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 14;
  std::string color = "#222222";
  Anchor anchor = Anchor::start;
  bool bold = false;
  std::string halo = {};  // a colour around the letters, so that they can be read on anything
};

class Svg {
 public:
  Svg(double width, double height) : width_(width), height_(height) {}

  void rectangle(Point corner, double width, double height, std::string_view fill, const Stroke& stroke = {});
  void line(Point from, Point to, const Stroke& stroke);
  void curve(Point from, Point control, Point to, const Stroke& stroke);  // quadratic
  void polygon(const std::vector<Point>& points, std::string_view fill, double fill_opacity, const Stroke& stroke);
  void segments(const std::vector<std::pair<Point, Point>>& segments, const Stroke& stroke);  // one path
  void circle(Point centre, double radius, std::string_view fill, const Stroke& stroke = {});
  // A small circle of a picture with very many of them; `number` tells a script which it is, -1 does not.
  void dot(Point centre, double radius, std::string_view fill, int64_t number);
  void text(Point at, std::string_view text, const TextStyle& style = {});
  void image(Point corner, double width, double height, const Image& image);  // inside the file, as PNG

  std::string finish() const;  // on white
  // As an element of a page, which gives the ground and the letters; as wide as there is room. `label`: what it shows,
  // for those who cannot see it.
  std::string inside_page(std::string_view label) const;

 private:
  double width_, height_;
  std::string body_;
};

std::string escape_xml(std::string_view text);  // what is not UTF-8 is mended

}  // namespace ascribe::core
