// Max-sensitivity (Yeh et al., 2019, definition 3.1): the largest change of the attribution near x.
//   max over draws of |a(x + d) - a(x)| / |a(x)|,   d uniform in [-radius, radius] for each element
#include <algorithm>

#include "metrics/attribution_changes.h"

namespace ascribe::core::metric_max_sensitivity {

namespace {

double largest(std::span<const double> changes) { return *std::max_element(changes.begin(), changes.end()); }

const RegisterMetric registered({
    .name = "max_sensitivity",
    .title = "Max-sensitivity",
    .category = MetricCategory::robustness,
    .better = Better::lower,
    .formula = "max over d of |a(x + d) - a(x)| / |a(x)|, each element of d within the radius",
    .source = "Yeh, Hsieh, Suggala, Inouye, Ravikumar 2019",
    .about = "The input is disturbed a little, every element by up to `radius` either way, and the method is asked "
             "again. The score is the largest change of the attribution found, relative to its own length (Euclidean, "
             "over elements, or over players for methods that value players). Baselines and players stay as they are, "
             "and so do the method's draws. The definition of Captum's sensitivity_max.",
    .cost = "as many times the method's own cost as there are samples",
    .limits =
        "A maximum over draws is a lower bound of the true one, and grows with their number. A method that ignores "
        "the input is perfectly stable.",
    .parameters = attribution_change_parameters(),
    .score = [](const MetricInput& input) { return score_attribution_changes(input, largest); },
});

}  // namespace

}  // namespace ascribe::core::metric_max_sensitivity
