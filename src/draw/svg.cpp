#include "draw/svg.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "data/png.h"

namespace ascribe::core {

namespace {

std::string_view name_of(Anchor anchor) {
  return anchor == Anchor::start ? "start" : (anchor == Anchor::middle ? "middle" : "end");
}

// "stroke=..." with what differs from the defaults of SVG.
std::string attributes(const Stroke& stroke) {
  if (stroke.color == "none") return "";
  std::string text = fmt::format(" stroke=\"{}\" stroke-width=\"{:.2f}\"", stroke.color, stroke.width);
  if (stroke.opacity < 1) text += fmt::format(" stroke-opacity=\"{:.2f}\"", stroke.opacity);
  return text + " stroke-linecap=\"round\" stroke-linejoin=\"round\"";
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : mended_utf8(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // XML has no way to write control characters
    }
  }
  return out;
}

void Svg::rectangle(Point corner, double width, double height, std::string_view fill, const Stroke& stroke) {
  body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"{}/>\n", corner.x,
                       corner.y, width, height, fill, attributes(stroke));
}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  body_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"{}/>\n", from.x, from.y, to.x,
                       to.y, attributes(stroke));
}

void Svg::curve(Point from, Point control, Point to, const Stroke& stroke) {
  body_ += fmt::format("<path d=\"M{:.2f} {:.2f}Q{:.2f} {:.2f} {:.2f} {:.2f}\" fill=\"none\"{}/>\n", from.x, from.y,
                       control.x, control.y, to.x, to.y, attributes(stroke));
}

void Svg::polygon(const std::vector<Point>& points, std::string_view fill, double fill_opacity, const Stroke& stroke) {
  std::string list;
  for (const Point& point : points) list += fmt::format("{}{:.2f},{:.2f}", list.empty() ? "" : " ", point.x, point.y);
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{:.2f}\"{}/>\n", list, fill, fill_opacity,
                       attributes(stroke));
}

void Svg::segments(const std::vector<std::pair<Point, Point>>& segments, const Stroke& stroke) {
  if (segments.empty()) return;
  std::string path;
  for (const auto& [from, to] : segments)
    path += fmt::format("M{:.2f} {:.2f}L{:.2f} {:.2f}", from.x, from.y, to.x, to.y);
  body_ += fmt::format("<path d=\"{}\" fill=\"none\"{}/>\n", path, attributes(stroke));
}

void Svg::circle(Point centre, double radius, std::string_view fill, const Stroke& stroke) {
  body_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"{}/>\n", centre.x, centre.y, radius,
                       fill, attributes(stroke));
}

void Svg::dot(Point centre, double radius, std::string_view fill, int64_t number) {
  body_ += fmt::format("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>\n",
                       number < 0 ? "" : fmt::format(" data-i=\"{}\"", number), centre.x, centre.y, radius, fill);
}

void Svg::text(Point at, std::string_view text, const TextStyle& style) {
  const std::string halo = style.halo.empty() ? ""
                                              : fmt::format(
                                                    " stroke=\"{}\" stroke-width=\"{:.1f}\" stroke-linejoin=\"round\" "
                                                    "paint-order=\"stroke\"",
                                                    style.halo, style.size / 4);
  body_ +=
      fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.1f}\" fill=\"{}\" text-anchor=\"{}\"{}{}>{}</text>\n",
                  at.x, at.y, style.size, style.color, name_of(style.anchor), style.bold ? " font-weight=\"bold\"" : "",
                  halo, escape_xml(text));
}

void Svg::image(Point corner, double width, double height, const Image& image) {
  body_ += fmt::format(
      "<image x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      corner.x, corner.y, width, height, base64(encode_png(image)));
}

std::string Svg::finish() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', 'Liberation Sans', sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{2}</svg>\n",
      width_, height_, body_);
}

std::string Svg::inside_page(std::string_view label) const {
  return fmt::format("<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\">\n{}</svg>\n",
                     escape_xml(label), width_, height_, width_, body_);
}

}  // namespace ascribe::core
