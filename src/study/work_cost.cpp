#include "study/work_cost.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "methods/foreign.h"

namespace ascribe::core::study {

namespace {

constexpr double kSizesOfSensitivityN = 10;  // that it looks at unless one is given

bool declares(const Metric& metric, std::string_view name) {
  return std::any_of(metric.parameters.begin(), metric.parameters.end(),
                     [&](const Parameter& parameter) { return parameter.name == name; });
}

Passes times(const Passes& passes, double factor) { return {passes.forward * factor, passes.gradient * factor}; }

// Places of all squares of the sides that fit.
double all_squares(const Parameters& parameters, const ImageShape& image) {
  double count = 0;
  const int64_t largest = std::min({parameters.integer("largest"), image.height, image.width});
  const int64_t stride = parameters.integer("stride");
  for (int64_t side = parameters.integer("smallest"); side <= largest; ++side) {
    count += static_cast<double>(((image.height - side) / stride + 1) * ((image.width - side) / stride + 1));
  }
  return count;
}

// Metrics that run methods again or mask players. Nothing: not known.
std::optional<Passes> passes_of_rating(const ChosenMetric& chosen, const Passes& methods, int64_t method_count,
                                       const Asking& asking) {
  const Metric& metric = chosen.metric;
  const Parameters& parameters = chosen.parameters;
  const auto baselines = static_cast<double>(asking.baselines), players = static_cast<double>(asking.players.count());
  const auto number = [&](const char* name) { return static_cast<double>(parameters.integer(name)); };
  switch (metric.category) {
    case MetricCategory::agreement:
    case MetricCategory::localisation:
    case MetricCategory::complexity:
    case MetricCategory::axioms: return Passes{};  // they look at values that are there
    case MetricCategory::interaction: return Passes{std::exp2(players), 0};
    case MetricCategory::robustness:
      if (!declares(metric, "samples")) return std::nullopt;
      return times(methods, number("samples"));
    case MetricCategory::randomisation:
      if (!declares(metric, "stages")) return std::nullopt;
      return times(methods, parameters.text("mode") == "all" ? 1 : number("stages"));
    case MetricCategory::faithfulness: break;
  }
  const Passes known = passes_of_metric(metric, parameters, asking.players, method_count, asking.baselines);
  if (known.forward > 0) return known;
  if (declares(metric, "perturbations")) return Passes{number("perturbations"), 0};
  if (declares(metric, "subsets")) {
    const bool sizes = declares(metric, "n") && parameters.real("n") == 0;
    return Passes{baselines * number("subsets") * (sizes ? kSizesOfSensitivityN : 1), 0};
  }
  if (declares(metric, "largest") && asking.players.image) {
    return Passes{baselines * all_squares(parameters, *asking.players.image), 0};
  }
  if (declares(metric, "tolerance")) return Passes{baselines * players, 0};  // one player at a time
  return std::nullopt;
}

// "24,300", "1.2 million": of numbers that are estimates.
std::string rough_count(double count) {
  if (!(count < 1e15)) return fmt::format("{:.1e}", count);
  if (count >= 1e9) return fmt::format("{:.1f} billion", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.1f} million", count / 1e6);
  const auto whole = static_cast<int64_t>(std::llround(count));
  return whole < 1000 ? fmt::format("{}", whole) : fmt::format("{},{:03}", whole / 1000, whole % 1000);
}

std::string counted(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string passes_text(const Passes& passes) {
  if (passes.forward == 0 && passes.gradient == 0) return "no pass of the network is foreseen";
  std::vector<std::string> parts;
  if (passes.forward > 0) parts.push_back(fmt::format("{} passes", rough_count(passes.forward)));
  if (passes.gradient > 0) parts.push_back(fmt::format("{} with a gradient", rough_count(passes.gradient)));
  return fmt::format("up to {} of the network", fmt::join(parts, " and "));
}

}  // namespace

WorkCost cost_of_row(std::span<const ChosenMethod> methods, std::span<const ChosenMetric> metrics,
                     const Asking& asking) {
  WorkCost cost;
  cost.rows = 1;
  cost.methods = std::ssize(methods);
  cost.metrics = std::ssize(metrics);
  cost.players = asking.players.count();
  for (const ChosenMethod& chosen : methods) {
    if (chosen.method.source == kForeignSource) cost.unknown.push_back(chosen.method.name);
    const Passes own = passes_of(chosen.method, chosen.parameters, asking);
    cost.passes = {cost.passes.forward + own.forward, cost.passes.gradient + own.gradient};
  }
  const Passes by_methods = cost.passes;
  for (const ChosenMetric& chosen : metrics) {
    const auto own = passes_of_rating(chosen, by_methods, cost.methods, asking);
    if (!own) cost.unknown.push_back(chosen.metric.name);
    else cost.passes = {cost.passes.forward + own->forward, cost.passes.gradient + own->gradient};
  }
  return cost;
}

WorkCost of_rows(WorkCost one, int64_t rows, const std::optional<Pace>& pace) {
  one.rows = rows;
  one.passes = times(one.passes, static_cast<double>(rows));
  if (pace) one.seconds = one.passes.seconds(*pace);
  return one;
}

std::string WorkCost::words() const {
  const std::string work =
      methods == 0 ? "" : fmt::format(" × {} × {}", counted(methods, "method"), counted(metrics, "metric"));
  std::string text = fmt::format("{}{}: {}", counted(rows, "row"), work, passes_text(passes));
  text += seconds ? fmt::format(", at most about {} by a timed row", seconds_text(*seconds))
                  : ", and no row was timed: how long is not known";
  if (!unknown.empty()) text += fmt::format("; not counted, because it is not known: {}", fmt::join(unknown, ", "));
  return text;
}

Json to_json(const WorkCost& cost) {
  return Json::object({{"rows", cost.rows},
                       {"methods", cost.methods},
                       {"metrics", cost.metrics},
                       {"players", cost.players},
                       {"passes", cost.passes.forward},
                       {"passes_with_gradient", cost.passes.gradient},
                       {"seconds", cost.seconds},
                       {"not_counted", cost.unknown}});
}

}  // namespace ascribe::core::study
