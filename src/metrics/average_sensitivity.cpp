// Average sensitivity (Yeh et al., 2019, section 3; Bhatt et al., 2020): the mean change of the attribution near x.
//   mean over draws of |a(x + d) - a(x)| / |a(x)|,   d uniform in [-radius, radius] for each element
#include <numeric>

#include "metrics/attribution_changes.h"

namespace ascribe::core::metric_average_sensitivity {

namespace {

double mean(std::span<const double> changes) {
  return std::accumulate(changes.begin(), changes.end(), 0.0) / static_cast<double>(changes.size());
}

const RegisterMetric registered({
    .name = "average_sensitivity",
    .title = "Average sensitivity",
    .category = MetricCategory::robustness,
    .better = Better::lower,
    .formula = "mean over d of |a(x + d) - a(x)| / |a(x)|, each element of d within the radius",
    .source = "Yeh, Hsieh, Suggala, Inouye, Ravikumar 2019; Bhatt, Weller, Moura 2020",
    .about = "As max_sensitivity, with the same disturbed inputs, but the mean change in place of the largest.",
    .cost = "as many times the method's own cost as there are samples",
    .limits = "A method that ignores the input is perfectly stable.",
    .parameters = attribution_change_parameters(),
    .score = [](const MetricInput& input) { return score_attribution_changes(input, mean); },
});

}  // namespace

}  // namespace ascribe::core::metric_average_sensitivity
