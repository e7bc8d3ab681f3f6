// All methods over the input, side by side. Without the script each map is a picture on a scale of its own; with it the
// limit of the colours, the opacity and the place that is read out can be chosen.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/ascii.h"
#include "draw/diverging.h"
#include "draw/heat_map.h"
#include "draw/picture_text.h"
#include "report/page/places.h"
#include "report/page/region.h"

namespace ascribe::core::page {

namespace {

constexpr double kShades = 30;  // to each side of 0; few, so that the pictures stay small

// The colours alone: the page lays them over the input.
Image colored(const std::vector<Number>& values, Extent size, double limit) {
  Image image{size.height, size.width, 3, {}, false};
  image.pixels.reserve(3 * values.size());
  for (const Number& value : values) {
    const double t = value && limit > 0 ? std::clamp(*value / limit, -1.0, 1.0) : 0;
    for (const double channel : value ? diverging(std::round(t * kShades) / kShades) : Rgb{190, 190, 190}) {
      image.pixels.push_back(static_cast<float>(channel));
    }
  }
  return image;
}

std::string describe(const Row& row, const MethodResult& method) {
  const auto strongest = std::max_element(
      method.values.begin(), method.values.end(),
      [](const Number& a, const Number& b) { return std::abs(a.value_or(0)) < std::abs(b.value_or(0)); });
  const auto player = static_cast<size_t>(strongest - method.values.begin());
  return fmt::format("Map of {}; the strongest {} is {} with {}", method.title, part_noun(row),
                     Places(row).name(player), plain_signed_number(*strongest));
}

void write_frame(Html& html, const RowPage& page, const std::string& picture, const std::string& words, bool first) {
  const Extent size = extent(page.row);
  const std::string box = fmt::format("0 0 {} {}", size.width, size.height);
  html.in("div",
          {{"class", page.row.image ? "frame" : "frame strip"},
           {"style",
            page.row.image ? fmt::format("aspect-ratio:{}/{}", size.width, size.height) : std::string("--strip:1")},
           {"role", "img"},
           {"aria-label", words},
           {"tabindex", first ? "0" : "-1"}},
          [&] {
            if (page.row.image) html.in("div", {{"class", "ground ground" + std::to_string(page.number)}}, "");
            if (!picture.empty()) html.single("img", {{"class", "heat"}, {"src", picture}, {"alt", ""}});
            if (page.row.image) write_region_outline(html, page.row);
            html.in("svg",
                    {{"class", "cursor"}, {"viewBox", box}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}},
                    [&] {
                      html.in("path", {{"class", "under"}}, "");
                      html.in("path", {{"class", "over"}}, "");
                    });
          });
}

void write_card(Html& html, const RowPage& page, size_t index) {
  const MethodResult& method = page.row.methods[index];
  const std::vector<Number> values = shown_values(page.row, method);
  const double limit = robust_limit(values);
  html.in("figure", {{"class", "card"}, {"data-method", std::to_string(index)}}, [&] {
    html.in("figcaption", {}, [&] {
      html.in("b", method.title);
      write_kind(html, page.row, method);
    });
    write_frame(html, page, heat_picture(page.row, method), describe(page.row, method), index == 0);
    html.in("div", {{"class", "scale"}, {"aria-hidden", "true"}}, [&] {
      html.in("span", {{"class", "low"}}, signed_text(-limit));
      html.in("span", {{"class", "ramp"}}, "");
      html.in("span", {{"class", "high"}}, signed_text(limit));
    });
    html.in("div", {{"class", "reading"}}, [&] {
      html.in("span", {{"class", "at"}}, "sum");
      html.in("span", {{"class", "number value"}, {"data-sum", signed_number_text(method.sum)}},
              signed_number_text(method.sum));
    });
  });
}

}  // namespace

std::string heat_picture(const Row& row, const MethodResult& method) {
  const std::vector<Number> values = shown_values(row, method);
  return data_uri(colored(values, extent(row), robust_limit(values)));
}

// A sequence of numbers as a line, above the strips and as wide as they are; nothing if it is of words.
void write_input_line(Html& html, const Row& row) {
  constexpr double kWidth = 1200, kHeight = 100, kEdge = 6;
  std::vector<double> values;
  for (const std::string& text : row.players.values) {
    const std::optional<double> value = ascii_number(text);
    if (!value || !std::isfinite(*value)) return;
    values.push_back(*value);
  }
  if (values.empty()) return;
  const auto ends = std::minmax_element(values.begin(), values.end());
  const double low = *ends.first, high = *ends.second;
  const double step = kWidth / static_cast<double>(values.size());
  const double unit = high > low ? (kHeight - 2 * kEdge) / (high - low) : 0;
  const auto at = [&](size_t i) {
    return Point{step * (static_cast<double>(i) + 0.5), kHeight - kEdge - unit * (values[i] - low)};
  };
  std::vector<std::pair<Point, Point>> pieces;
  for (size_t i = 1; i < values.size(); ++i) pieces.emplace_back(at(i - 1), at(i));
  Svg svg(kWidth, kHeight);
  svg.segments(pieces, {"var(--plain)", 2});
  html.in("figure", {{"class", "input-line"}}, [&] {
    html.in("figcaption", {}, [&] {
      html.in("b", "The input");
      html.in("span", {{"class", "faint"}}, fmt::format(" {} to {}", number_text(low), number_text(high)));
    });
    html.drawing(svg, fmt::format("The input {}: from {} to {}", row.source, number_text(low), number_text(high)));
  });
}

namespace {

void slider(Html& html, const std::string& id, const std::string& label, Literal name, const std::string& least,
            const std::string& most, const std::string& value) {
  html.in("label", {{"for", id}}, [&] {
    html.text(label + " ");
    html.in("output", {{"for", id}}, "");
  });
  html.single("input", {{"type", "range"},
                        {"id", id},
                        {"class", std::string(name.text)},
                        {"min", least},
                        {"max", most},
                        {"step", "1"},
                        {"value", value}});
}

void write_controls(Html& html, const RowPage& page) {
  html.in("div", {{"class", "controls"}, {"hidden", ""}}, [&] {
    html.in("fieldset", {}, [&] {
      html.in("legend", "Colour scale");
      for (const bool own : {true, false}) {
        html.in("label", {{"class", "choice"}}, [&] {
          const std::string group = page.id("scale");
          if (own) {
            html.single("input", {{"type", "radio"}, {"name", group}, {"value", "own"}, {"checked", ""}});
          } else {
            html.single("input", {{"type", "radio"}, {"name", group}, {"value", "common"}});
          }
          html.text(own ? " each its own" : " one for all");
        });
      }
    });
    html.in("div", {{"class", "control"}},
            [&] { slider(html, page.id("limit"), "Colour limit", "limit", "-100", "100", "0"); });
    if (page.row.image) {
      html.in("div", {{"class", "control"}},
              [&] { slider(html, page.id("opacity"), "Opacity", "opacity", "0", "100", "85"); });
    }
    html.in("button", {{"type", "button"}, {"class", "reset"}}, "Reset");
  });
  html.in("div", {{"class", "readout"}, {"hidden", ""}}, [&] {
    html.in("p", {{"class", "place"}, {"aria-live", "polite"}},
            "Point at a map, or go to it with Tab and move with the arrow keys.");
    html.in("ul", {{"class", "values"}}, "");
  });
}

}  // namespace

void write_maps(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "Each " + std::string(row.image ? "map" : "strip") + " is one method’s answer to the same question, for every " +
      std::string(row.image ? "pixel" : "place") +
      ": red raises the result, blue lowers it, white does nothing. The numbers beside the bar of colours say where "
      "the "
      "colours end. On scales of their own the patterns can be compared; on one scale for all, the amounts. Methods "
      "marked “own units” show where the model reacts, not how much each part adds. Point at a spot, or move there "
      "with "
      "the arrow keys, to read its value in every method; click to hold it, Escape to let go.";
  section(html, page.id("maps"), "All methods side by side", how, [&] {
    write_region(html, page);
    write_controls(html, page);
    if (!row.image) write_input_line(html, row);
    html.in("div", {{"class", row.image ? "maps" : "maps strips"}}, [&] {
      for (size_t i = 0; i < row.methods.size(); ++i) write_card(html, page, i);
    });
    write_left_out(html, row);
  });
}

}  // namespace ascribe::core::page
