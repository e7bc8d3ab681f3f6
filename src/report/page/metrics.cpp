// Scores of every method, the best first, and their curves as small charts with the others in the background.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

struct Range {
  double low = 0, high = 0;
  double part(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

Range range_of(const std::vector<Score>& scores, std::vector<double> Score::*member) {
  Range range{INFINITY, -INFINITY};
  for (const Score& score : scores) {
    for (const double value : score.*member) range = {std::min(range.low, value), std::max(range.high, value)};
  }
  return range;
}

std::vector<Score> best_first(const MetricScores& metric) {
  std::vector<Score> scores = metric.scores;
  std::stable_sort(scores.begin(), scores.end(), [&](const Score& a, const Score& b) {
    if (a.value.has_value() != b.value.has_value()) return a.value.has_value();
    if (!a.value) return false;
    return metric.lower_is_better() ? *a.value < *b.value : *a.value > *b.value;
  });
  return scores;
}

void write_scores(Html& html, const Row& row, const std::vector<Score>& scores) {
  double limit = 0;
  for (const Score& score : scores) limit = std::max(limit, std::abs(score.value.value_or(0)));
  html.in("div", {{"class", "bars scores"}}, [&] {
    for (const Score& score : scores) {
      const double length = limit > 0 ? std::abs(score.value.value_or(0)) / limit : 0;
      html.in("div", {{"class", "bar"}}, [&] {
        html.in("span", {{"class", "name"}}, title_of(row, score.method));
        html.in("span", {{"class", "track"}}, [&] {
          if (score.value) {
            html.in("span",
                    {{"class", *score.value < 0 ? "fill other" : "fill plain"},
                     {"style", fmt::format("left:0;width:{:.2f}%", 100 * length)}},
                    "");
          } else {
            html.in("span", {{"class", "faint"}}, score.undefined.empty() ? "undefined" : score.undefined);
          }
        });
        html.in("span", {{"class", "number"}}, number_text(score.value));
      });
    }
  });
}

constexpr double kWidth = 220, kHeight = 120, kLeft = 44, kBottom = 16, kTop = 8, kRight = 6;

std::vector<Point> line_of(const Score& score, const Range& across, const Range& up) {
  std::vector<Point> points;
  for (size_t i = 0; i < score.curve.size(); ++i) {
    points.push_back({kLeft + (kWidth - kLeft - kRight) * across.part(score.positions[i]),
                      kTop + (kHeight - kTop - kBottom) * (1 - up.part(score.curve[i]))});
  }
  return points;
}

void draw_line(Svg& svg, const std::vector<Point>& points, const Stroke& stroke) {
  std::vector<std::pair<Point, Point>> pieces;
  for (size_t i = 1; i < points.size(); ++i) pieces.emplace_back(points[i - 1], points[i]);
  svg.segments(pieces, stroke);
}

void draw_axes(Svg& svg, const Range& across, const Range& up) {
  const Stroke axis{"var(--line)", 1};
  const TextStyle words{.size = 10, .color = "var(--faint)"};
  svg.line({kLeft, kTop}, {kLeft, kHeight - kBottom}, axis);
  svg.line({kLeft, kHeight - kBottom}, {kWidth - kRight, kHeight - kBottom}, axis);
  TextStyle right = words;
  right.anchor = Anchor::end;
  svg.text({kLeft - 4, kTop + 6}, fmt::format("{:.3g}", up.high), right);
  svg.text({kLeft - 4, kHeight - kBottom}, fmt::format("{:.3g}", up.low), right);
  svg.text({kLeft, kHeight - 3}, fmt::format("{:.3g}", across.low), words);
  svg.text({kWidth - kRight, kHeight - 3}, fmt::format("{:.3g}", across.high), right);
}

void write_curves(Html& html, const Row& row, const std::vector<Score>& scores) {
  const Range across = range_of(scores, &Score::positions), up = range_of(scores, &Score::curve);
  on_paper(html, "The curves behind these figures are in the page on screen.");
  html.in("div", {{"class", "curves screen"}}, [&] {
    for (const Score& score : scores) {
      if (score.curve.empty()) continue;
      Svg svg(kWidth, kHeight);
      draw_axes(svg, across, up);
      for (const Score& other : scores) draw_line(svg, line_of(other, across, up), {"var(--pale)", 1});
      draw_line(svg, line_of(score, across, up), {"var(--accent)", 2.2});
      const std::string title = title_of(row, score.method);
      html.in("figure", {{"class", "card"}}, [&] {
        html.in("figcaption", {}, [&] {
          html.in("b", title);
          html.in("span", {{"class", "number"}}, number_text(score.value));
        });
        html.drawing(svg, fmt::format("Curve of {}: from {} to {}", title, number_text(score.curve.front()),
                                      number_text(score.curve.back())));
      });
    }
  });
}

void write_metric(Html& html, const Row& row, const MetricScores& metric) {
  html.in("h4", metric.title);
  const size_t end = metric.about.find(". ");
  const std::string first = metric.about.substr(0, end);
  html.in("p", {{"class", "faint"}}, [&] {
    html.text(first + (first.empty() || first.ends_with('.') ? "" : "."));
    html.text(metric.lower_is_better() ? " Lower is better." : " Higher is better.");
  });
  std::string rest = end == std::string::npos ? "" : metric.about.substr(end + 2);
  const std::string parameters = facts_text(metric.parameters);
  if (!parameters.empty()) rest += (rest.empty() ? "Parameters: " : " Parameters: ") + parameters + ".";
  if (!rest.empty()) {
    html.in("details", {{"class", "how"}}, [&] {
      html.in("summary", "How it is measured");
      html.in("p", rest);
    });
  }
  const std::vector<Score> scores = best_first(metric);
  write_scores(html, row, scores);
  if (std::any_of(scores.begin(), scores.end(), [](const Score& score) { return !score.curve.empty(); })) {
    write_curves(html, row, scores);
  }
}

}  // namespace

namespace {

// Metrics that are not there.
std::vector<Absent> absent_metrics(const Row& row) {
  std::vector<Absent> absent = row.absent;
  std::erase_if(absent, [](const Absent& one) { return one.part == "decomposition" || one.part == "principles"; });
  return absent;
}

}  // namespace

void write_metrics(Html& html, const RowPage& page) {
  const std::vector<Absent> absent = absent_metrics(page.row);
  if (page.row.metrics.empty() && absent.empty()) return;
  const std::string how =
      "Metrics test a method by changing the input and looking whether the output follows what the method predicts. "
      "Infidelity is the error of that prediction. Deletion takes away what a method calls most important, piece by "
      "piece: the faster the output falls, the better it chose. In the small charts the coloured line is the method, "
      "the pale ones are all others. One input proves little: read the scores as a hint, not as a ranking of methods.";
  section(html, page.id("metrics"), "Tests of the methods", how, [&] {
    html.in("div", {{"class", "metrics"}}, [&] {
      for (const MetricScores& metric : page.row.metrics) {
        html.in("div", {}, [&] { write_metric(html, page.row, metric); });
      }
    });
    for (const Absent& one : absent) {
      html.in("p", {{"class", "faint"}}, fmt::format("Not computed: {}: {}.", one.part, one.reason));
    }
  });
}

}  // namespace ascribe::core::page
