#include "methods/attribution.h"

#include <numeric>

#include "methods/spread.h"

namespace ascribe::core {

namespace {

Attribution finished(Attribution a, double output, double baseline_output, Total total) {
  a.output = output;
  a.baseline_output = baseline_output;
  a.residual = (total == Total::change ? output - baseline_output : output) - a.sum();
  return a;
}

// The shape of one row, from a point whose first axis may be the row's.
Shape row_shape(const Question& question) {
  const Shape& shape = question.baselines.shape();
  return {shape.begin() + 1, shape.end()};
}

}  // namespace

std::string_view to_string(AttributionKind kind) {
  return kind == AttributionKind::contribution ? "contribution" : "sensitivity";
}

double Attribution::sum() const { return std::accumulate(values.begin(), values.end(), 0.0); }

std::vector<double> Attribution::intervals() const { return half_widths(standard_errors, degrees_of_freedom); }

Attribution attribution_of_elements(const Question& question, Tensor elements, double output, double baseline_output,
                                    Total total) {
  Attribution a;
  a.elements = std::move(elements).cast(DType::f64);
  const auto data = a.elements.data<double>();
  const std::vector<int32_t>& owner = question.players.owner;
  require(data.size() == owner.size(), "attribution", "the values do not fit the players");
  a.values.assign(static_cast<size_t>(question.players.count()), 0.0);
  for (size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] >= 0) a.values[static_cast<size_t>(owner[i])] += data[i];
  }
  return finished(std::move(a), output, baseline_output, total);
}

Attribution attribution_of_players(const Question& question, std::vector<double> values, double output,
                                   double baseline_output, Total total) {
  Attribution a;
  a.of_players = true;
  a.values = std::move(values);
  a.elements = Tensor(DType::f64, row_shape(question));
  const auto shown = a.elements.mutable_data<double>();
  const std::vector<int32_t>& owner = question.players.owner;
  require(shown.size() == owner.size() && std::ssize(a.values) == question.players.count(), "attribution",
          "the values do not fit the players");
  for (size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] >= 0) shown[i] = a.values[static_cast<size_t>(owner[i])];
  }
  return finished(std::move(a), output, baseline_output, total);
}

}  // namespace ascribe::core
