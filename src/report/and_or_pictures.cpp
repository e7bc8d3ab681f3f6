#include "report/and_or_pictures.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "draw/bars.h"
#include "draw/lines.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr int64_t kMostAndOrBars = 30;
constexpr size_t kNamed = 3;  // players of a large set

// The largest first, those of rank 1, 2, 4, ...
std::vector<double> at_doubling_ranks(std::vector<double> effects) {
  for (double& value : effects) value = std::abs(value);
  std::sort(effects.begin(), effects.end(), std::greater<>());
  std::vector<double> some;
  for (size_t rank = 1; rank <= effects.size(); rank *= 2) some.push_back(effects[rank - 1]);
  return some;
}

// Of large sets their size and their first players: "any of 9: a, b, c, …".
std::string short_words(const AndOrEffect& effect, const Players& players) {
  if (effect.support.size() <= kNamed + 1) return words_of(effect, players);
  std::vector<std::string> names;
  for (const int player : std::span(effect.support).first(kNamed)) {
    names.push_back(players.names[static_cast<size_t>(player)]);
  }
  return fmt::format("{} of {}: {}, …", effect.disjunction ? "any" : "all", effect.support.size(),
                     fmt::join(names, ", "));
}

}  // namespace

std::string words_of(const AndOrEffect& effect, const Players& players) {
  std::string text;
  for (const int player : effect.support) {
    if (!text.empty()) text += effect.disjunction ? " or " : " and ";
    text += players.names[static_cast<size_t>(player)];
  }
  return text;
}

std::string and_or_svg(const study::DecomposeResult& result, const std::string& title) {
  std::vector<Bar> bars;
  for (const AndOrEffect& effect : strongest(*result.and_or, kMostAndOrBars)) {
    bars.push_back({words_of(effect, result.question.players), effect.value});
  }
  const std::string line =
      fmt::format("The strongest AND and OR effects; sum of all magnitudes {:.3g}, AND alone {:.3g}",
                  result.and_or->strength, result.and_or->and_alone);
  return bars_svg(bars, title, line, "none");
}

std::string estimated_and_or_svg(const study::DecomposeResult& result, const std::string& title) {
  const AndOrEstimate& estimate = *result.and_or_estimate;
  std::vector<AndOrEffect> largest = estimate.effects;
  std::stable_sort(largest.begin(), largest.end(),
                   [](const Effect& a, const Effect& b) { return std::abs(a.value) > std::abs(b.value); });
  if (std::ssize(largest) > kMostAndOrBars) largest.resize(static_cast<size_t>(kMostAndOrBars));
  std::vector<Bar> bars;
  for (const AndOrEffect& effect : largest)
    bars.push_back({short_words(effect, result.question.players), effect.value});
  const auto fit = [](const HeldOut& held_out) {
    return held_out.defined ? fmt::format(" (R² {:.3f})", held_out.r2) : std::string();
  };
  const std::string line =
      fmt::format("{} {} estimated AND and OR effects{}; AND alone takes {}{}",
                  largest.size() < estimate.effects.size() ? fmt::format("The {} strongest of", largest.size())
                                                           : std::string("All"),
                  estimate.effects.size(), fit(estimate.held_out), estimate.and_alone_terms, fit(estimate.and_alone));
  return bars_svg(bars, title, line, "no effect was found");
}

std::string strengths_svg(const study::DecomposeResult& result, const std::string& title) {
  const AndOr& split = *result.and_or;
  std::vector<double> ands(result.exact->values.begin() + 1, result.exact->values.end());
  std::vector<double> both(split.and_effects.begin() + 1, split.and_effects.end());
  both.insert(both.end(), split.or_effects.begin() + 1, split.or_effects.end());
  const double least =
      1e-6 * *std::max_element(both.begin(), both.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  LineChart chart{title, "Magnitudes of the effects, the largest first", "rank of the effect", {}, {}};
  LinePanel panel{"", {{"AND and OR", at_doubling_ranks(both)}, {"AND alone", at_doubling_ranks(ands)}}};
  for (LineSeries& series : panel.series) {
    std::erase_if(series.values, [&](double value) { return value < std::abs(least); });  // rounding
    chart.steps.resize(std::max(chart.steps.size(), series.values.size()));
  }
  for (size_t i = 0; i < chart.steps.size(); ++i) chart.steps[i] = fmt::format("{}", size_t{1} << i);
  chart.panels.push_back(std::move(panel));
  return lines_svg(chart);
}

}  // namespace ascribe::core
