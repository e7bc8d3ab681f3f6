// The methods on a table: a bar for every feature, and a waterfall from f(b) to f(x) by the contributions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "report/page/places.h"
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kMostBars = 16, kMostSteps = 10;
constexpr size_t kBarsOnPaper = 5;  // print.css has the same number

std::vector<size_t> by_magnitude(const std::vector<Number>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::abs(values[a].value_or(0)) > std::abs(values[b].value_or(0));
  });
  return order;
}

std::string span_style(double from, double to, double low, double high) {
  const double unit = high > low ? 100 / (high - low) : 0;
  return fmt::format("left:{:.2f}%;width:{:.2f}%", (std::min(from, to) - low) * unit, std::abs(to - from) * unit);
}

const char* fill_of(double value) { return value < 0 ? "fill negative" : "fill positive"; }

void write_bar(Html& html, const std::string& name, const MethodResult& method, size_t player, double limit) {
  const double value = method.values[player].value_or(0);
  html.in("div", {{"class", "bar"}, {"data-player", std::to_string(player)}}, [&] {
    html.in("span", {{"class", "name"}}, name);
    html.in("span", {{"class", "track zero"}}, [&] {
      html.in(
          "span",
          {{"class", fill_of(value)}, {"data-v", exact_text(value)}, {"style", span_style(0, value, -limit, limit)}},
          "");
    });
    html.in("span", {{"class", "number"}}, signed_number_text(method.values[player]));
  });
}

void write_card(Html& html, const Row& row, size_t index, const std::vector<size_t>& shown) {
  const MethodResult& method = row.methods[index];
  const double limit = largest_magnitude(method.values);
  const Places places(row);
  html.in("figure", {{"class", "card"}, {"data-method", std::to_string(index)}}, [&] {
    html.in("figcaption", {}, [&] {
      html.in("b", method.title);
      write_kind(html, row, method);
    });
    html.in("div", {{"class", "bars"}}, [&] {
      for (const size_t player : shown) write_bar(html, places.name(player), method, player, limit);
    });
  });
}

struct Step {
  std::string name;
  double from = 0, to = 0;
  int64_t player = -1;
  bool total = false;
};

std::vector<Step> steps_of(const Row& row, const MethodResult& method) {
  const double start = row.baseline_output.value_or(0), end = row.output.value_or(0);
  std::vector<Step> steps = {{"with everything hidden", 0, start, -1, true}};
  const std::vector<size_t> order = by_magnitude(method.values);
  const size_t named = order.size() <= kMostSteps + 1 ? order.size() : kMostSteps;
  const Places places(row);
  double at = start, others = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double value = method.values[order[i]].value_or(0);
    if (i >= named) {
      others += value;
      continue;
    }
    steps.push_back({places.text(order[i]), at, at + value, static_cast<int64_t>(order[i])});
    at += value;
  }
  if (named < order.size())
    steps.push_back({fmt::format("{} others", order.size() - named), at, at + others}), at += others;
  if (std::abs(end - at) > 1e-3 * std::max(std::abs(end - start), 1e-12))
    steps.push_back({"not accounted for", at, end});
  steps.push_back({"the result", 0, end, -1, true});
  return steps;
}

void write_step(Html& html, const Step& step, double low, double high) {
  const double change = step.to - step.from;
  const std::string kind = step.total ? "fill plain" : (step.player < 0 ? "fill other" : fill_of(change));
  const auto content = [&] {
    html.in("span", {{"class", "name"}}, step.name);
    html.in("span", {{"class", "track"}}, [&] {
      html.in("span", {{"class", kind}, {"style", span_style(step.total ? low : step.from, step.to, low, high)}}, "");
    });
    html.in("span", {{"class", "number"}}, step.total ? number_text(step.to) : signed_number_text(change));
  };
  if (step.player < 0) {
    html.in("div", {{"class", "bar"}}, content);
  } else {
    html.in("div", {{"class", "bar"}, {"data-player", std::to_string(step.player)}}, content);
  }
}

void write_waterfall(Html& html, const Row& row, size_t index, bool first) {
  const MethodResult& method = row.methods[index];
  const std::vector<Step> steps = steps_of(row, method);
  double low = steps[0].to, high = low;
  for (const Step& step : steps) {
    low = std::min({low, step.to, step.total ? step.to : step.from});
    high = std::max({high, step.to, step.total ? step.to : step.from});
  }
  const double margin = 0.06 * (high - low);  // so that the lowest total is still a bar
  html.in("figure",
          {{"class", first ? "card waterfall nearest" : "card waterfall"}, {"data-method", std::to_string(index)}},
          [&] {
            html.in("figcaption", {}, [&] { html.in("b", method.title); });
            html.in("div", {{"class", "bars"}}, [&] {
              for (const Step& step : steps) write_step(html, step, low - margin, high);
            });
          });
}

// The explanation to trust is shown first; if it is no contribution, the first that is one.
size_t shown_first(const Row& row) {
  const MethodResult* trusted = trusted_method(row);
  for (size_t i = 0; i < row.methods.size(); ++i) {
    if (&row.methods[i] == trusted && trusted->contributes()) return i;
  }
  for (size_t i = 0; i < row.methods.size(); ++i) {
    if (row.methods[i].contributes()) return i;
  }
  return 0;
}

}  // namespace

void write_bars(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "Each chart is one method’s answer to the same question, with a bar for every column: red raises the result, "
      "blue "
      "lowers it; every method has a scale of its own, as long as its largest bar. The steps below start at the result "
      "with everything hidden and add what a method gives to one column after the other, largest first; where they do "
      "not arrive at the result, the rest is shown as not accounted for.";
  section(html, page.id("maps"), "All methods side by side", how, [&] {
    const std::vector<size_t> shown = strongest_players(row, kMostBars);
    html.in("div", {{"class", "barcharts"}}, [&] {
      for (size_t i = 0; i < row.methods.size(); ++i) write_card(html, row, i, shown);
    });
    if (shown.size() < row.players.count()) {
      html.in(
          "p", {{"class", "faint"}},
          fmt::format("The strongest {} of {} columns; the table has the others.", shown.size(), row.players.count()));
    }
    if (shown.size() > kBarsOnPaper) {
      on_paper(html, fmt::format("On paper the strongest {}; the table below has the values of all.", kBarsOnPaper));
    }
    write_left_out(html, row);
    html.in("h4", "Step by step to the result");
    const size_t first = shown_first(row);
    html.in("p", {{"class", "pick"}, {"hidden", ""}}, [&] {
      html.in("label", {{"for", page.id("waterfall")}}, "Contributions of ");
      html.in("select", {{"id", page.id("waterfall")}}, [&] {
        for (size_t i = 0; i < row.methods.size(); ++i) {
          if (!row.methods[i].contributes()) continue;
          if (i == first) {
            html.in("option", {{"value", std::to_string(i)}, {"selected", ""}}, row.methods[i].title);
          } else {
            html.in("option", {{"value", std::to_string(i)}}, row.methods[i].title);
          }
        }
      });
    });
    html.in("div", {{"class", "barcharts waterfalls"}}, [&] {
      for (size_t i = 0; i < row.methods.size(); ++i) {
        if (row.methods[i].contributes()) write_waterfall(html, row, i, i == first);
      }
    });
  });
}

}  // namespace ascribe::core::page
