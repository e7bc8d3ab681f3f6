#include "study/smoothing_files.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "base/finite.h"
#include "base/table.h"
#include "draw/lines.h"

namespace ascribe::core::study {

namespace {

double least_radius(const SigmaResult& of_sigma) {
  double least = INFINITY;
  for (const InputSeries& input : of_sigma.inputs) least = std::min(least, input.radius);
  return least;
}

// One sigma: a line for each method, with the effects of the highest order; of the inputs that converge, or of all.
LinePanel panel_of(const VerifyResult& result, size_t sigma, bool all) {
  const SigmaResult& first = result.smoothed[0].verified.result.sigmas[sigma];
  LinePanel panel;
  panel.title = fmt::format("σ = {:g}, order ≤ {}, {}", first.sigma, first.methods[0].orders.back().order,
                            all ? "all inputs" : "inputs inside the radius");
  for (size_t m = 0; m < first.methods.size(); ++m) {
    if (!first.methods[m].sums_a_series) continue;
    LineSeries& line = panel.series.emplace_back(LineSeries{method_named(first.methods[m].method).title, {}});
    for (const SmoothedModel& one : result.smoothed) {
      const FittingError& error = one.verified.result.sigmas[sigma].methods[m];
      const OrderError& order = error.orders.back();
      line.values.push_back(all ? order.all.mean : error.inside > 0 ? order.inside.mean : NAN);
    }
  }
  if (all) {
    panel.remark = "beyond the radius the sums mean nothing";
    return panel;
  }
  std::vector<int64_t> inside;
  for (const SmoothedModel& one : result.smoothed) {
    const auto& inputs = one.verified.result.sigmas[sigma].inputs;
    inside.push_back(std::count_if(inputs.begin(), inputs.end(),
                                   [](const InputSeries& input) { return input.series == Series::converges; }));
  }
  panel.remark = fmt::format("the series converges for {} of {} inputs", fmt::join(inside, ", "), first.inputs.size());
  return panel;
}

LinePanel network_panel(const VerifyResult& result) {
  LinePanel panel;
  panel.title = "the network";
  LineSeries& difference = panel.series.emplace_back(LineSeries{"|f_T − f| / |f|", {}});
  for (const SmoothedModel& one : result.smoothed) difference.values.push_back(one.output_difference);
  const auto& sigmas = result.smoothed[0].verified.result.sigmas;
  for (size_t s = 0; s < sigmas.size(); ++s) {
    LineSeries& radius = panel.series.emplace_back(LineSeries{fmt::format("radius, σ = {:g}", sigmas[s].sigma), {}});
    for (const SmoothedModel& one : result.smoothed) {
      radius.values.push_back(least_radius(one.verified.result.sigmas[s]));
    }
  }
  panel.remark = "a radius below 1: the series does not reach x";
  return panel;
}

std::string smoothing_svg(const VerifyResult& result) {
  LineChart chart{
      fmt::format("{}: ReLU by softplus at temperature T", result.smoothed[0].verified.model),
      "relative error |a − a*| / |a*| of the allocation rules, mean over inputs; the smallest radius of convergence "
      "in units of the distance of x",
      "temperature T",
      {},
      {}};
  for (const SmoothedModel& one : result.smoothed) chart.steps.push_back(fmt::format("{:g}", one.temperature));
  const auto& sigmas = result.smoothed[0].verified.result.sigmas;
  for (size_t s = 0; s < sigmas.size(); ++s) {
    for (const bool all : {false, true}) chart.panels.push_back(panel_of(result, s, all));
  }
  chart.panels.push_back(network_panel(result));
  return lines_svg(chart);
}

// Empty for what is no number: no input, or a series that converges everywhere.
std::string cell(double value) { return csv_if_finite(value, fmt::format("{:.6g}", value)); }

std::string smoothing_csv(const VerifyResult& result) {
  Table table{{"temperature", "sigma", "method", "order", "error", "error_of_all", "inputs", "inside", "outcome",
               "radius", "output_difference"}};
  for (const SmoothedModel& one : result.smoothed) {
    for (const SigmaResult& of_sigma : one.verified.result.sigmas) {
      for (const FittingError& error : of_sigma.methods) {
        for (const OrderError& order : error.orders) {
          table.rows.push_back({fmt::format("{:g}", one.temperature), fmt::format("{:g}", of_sigma.sigma), error.method,
                                std::to_string(order.order), error.inside > 0 ? cell(order.inside.mean) : "",
                                cell(order.all.mean), std::to_string(error.inputs), std::to_string(error.inside),
                                outcome(error), cell(least_radius(of_sigma)), cell(one.output_difference)});
        }
      }
    }
  }
  return table.csv();
}

}  // namespace

std::vector<NamedBytes> smoothing_files(const VerifyResult& result, const Json& document) {
  return {{"smoothing.svg", smoothing_svg(result)},
          {"smoothing.csv", smoothing_csv(result)},
          {"verify.json", document.dump() + "\n"}};
}

std::vector<std::string> smoothing_file_names() { return {"smoothing.svg", "smoothing.csv", "verify.json"}; }

}  // namespace ascribe::core::study
