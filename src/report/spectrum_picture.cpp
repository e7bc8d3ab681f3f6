#include "report/spectrum_picture.h"

#include <filesystem>

#include <fmt/format.h>

#include "draw/columns.h"

namespace ascribe::core {

std::string spectrum_svg(const study::EvaluateResult& result) {
  const std::vector<Summary>& orders = result.spectrum->orders;
  const int64_t samples = orders.empty() ? 0 : orders[0].count;
  ColumnChart chart{
      fmt::format("{}: interaction strength by order", std::filesystem::path(result.model).filename().string()),
      fmt::format("Share of the magnitudes of all effects, mean of {} samples; bars: 95 % interval of the mean",
                  samples),
      "players that act together",
      " %",
      {}};
  for (size_t k = 0; k < orders.size(); ++k) {
    const Summary& s = orders[k];
    const bool interval = s.count > 1;
    chart.columns.push_back(
        {std::to_string(k + 1), 100 * s.mean, interval ? 100 * s.low : 0, interval ? 100 * s.high : 0});
  }
  return columns_svg(chart);
}

}  // namespace ascribe::core
