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
  const MethodResult* trusted = trusted_method(row);
  for (const Score& score : scores) limit = std::max(limit, std::abs(score.value.value_or(0)));
  html.in("div", {{"class", "bars scores"}}, [&] {
    for (const Score& score : scores) {
      const double length = limit > 0 ? std::abs(score.value.value_or(0)) / limit : 0;
      html.in("div", {{"class", trusted != nullptr && trusted->name == score.method ? "bar target" : "bar"}}, [&] {
        html.in("span", {{"class", "name"}}, title_of(row, score.method));
        html.in("span", {{"class", "track"}}, [&] {
          if (score.value) {
            html.in("span",
                    {{"class", *score.value < 0 ? "fill other" : "fill plain"},
                     {"style", fmt::format("left:0;width:{:.2f}%", 100 * length)}},
                    "");
          } else {
            html.in("span", {{"class", "faint"}}, score.undefined.empty() ? "not defined" : score.undefined);
          }
        });
        html.in("span", {{"class", "number"}}, score.value ? plain_number(score.value) : "–");
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

// What a metric does, for readers who do not know it.
struct PlainMetric {
  const char *name, *heading, *about;
};
constexpr PlainMetric kPlainMetrics[] = {
    {"infidelity", "Foretelling the model",
     "Parts of the input are hidden at random, and each method foretells how much the result changes. The bar is its "
     "error."},
    {"infidelity_scaled", "Foretelling the model, pattern only",
     "The same, but each method may first be multiplied by the one number that suits it best, so that only its pattern "
     "counts."},
    {"deletion", "Taking away",
     "Parts are hidden one after another, beginning with those that the method values most. If it is right, the result "
     "falls at once."},
    {"insertion", "Putting back",
     "Everything is hidden at first, and parts are shown one after another, beginning with those that the method "
     "values "
     "most. If it is right, the result rises at once."},
};

const PlainMetric* plain_metric(const std::string& name) {
  for (const PlainMetric& one : kPlainMetrics) {
    if (name == one.name) return &one;
  }
  return nullptr;
}

void write_exactly(Html& html, const Row& row, const MetricScores& metric, const std::vector<Score>& scores) {
  const std::string parameters = facts_text(metric.parameters);
  for_experts(
      html, "how this is measured",
      [&] {
        html.in("p",
                metric.title + ". " + metric.about + (parameters.empty() ? "" : " Parameters: " + parameters + "."));
        if (std::any_of(scores.begin(), scores.end(), [](const Score& score) { return !score.curve.empty(); })) {
          html.in("p", {{"class", "faint"}}, "The coloured line is the method, the pale ones are all others.");
          write_curves(html, row, scores);
        }
      },
      Paper::without);
}

void write_metric(Html& html, const Row& row, const MetricScores& metric) {
  const PlainMetric* plain = plain_metric(metric.name);
  html.in("h4", metric_heading(metric.name, metric.title));
  html.in("p", {{"class", "faint"}}, [&] {
    const std::string first = metric.about.substr(0, metric.about.find(". "));
    html.text(plain != nullptr ? plain->about : first + (first.empty() || first.ends_with('.') ? "" : "."));
    html.text(metric.lower_is_better() ? " Lower is better." : " Higher is better.");
  });
  const std::vector<Score> scores = best_first(metric);
  write_scores(html, row, scores);
  write_exactly(html, row, metric, scores);
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

std::string metric_heading(const std::string& name, const std::string& title) {
  const PlainMetric* plain = plain_metric(name);
  return plain != nullptr ? plain->heading : title;
}

void write_metrics(Html& html, const RowPage& page) {
  const std::vector<Absent> absent = absent_metrics(page.row);
  if (page.row.metrics.empty() && absent.empty()) return;
  const std::string how =
      "Each test changes the input and looks whether the model does what a method says. The method shown first is in "
      "bold. One input proves little: read the scores as a hint, not as a ranking of methods.";
  section(html, page.id("metrics"), "Tests of the methods", how, [&] {
    html.in("div", {{"class", "metrics"}}, [&] {
      for (const MetricScores& metric : page.row.metrics) {
        html.in("div", {}, [&] { write_metric(html, page.row, metric); });
      }
    });
    if (absent.empty()) return;
    for_experts(html, plural(absent.size(), "test") + " not made, and why", [&] {
      for (const Absent& one : absent) {
        html.in("p", {{"class", "faint"}}, fmt::format("Not computed: {}: {}.", one.part, one.reason));
      }
    });
  });
}

}  // namespace ascribe::core::page
