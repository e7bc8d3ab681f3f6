// Agreement on the strongest players: the mean over the other methods of |A and B| / k, A and B the k players with the
// largest |value|. Source: Krishna et al., "The disagreement problem in explainable machine learning" (2022), feature
// agreement.
#include <algorithm>

#include "metrics/agreement.h"

namespace ascribe::core::metric_agreement_top_k {

namespace {

Scores score_agreement_top_k(const MetricInput& input) {
  const int64_t given = input.parameters.integer("k");
  return score_agreement(input, [&](std::span<const std::vector<double>> values) {
    const auto players = std::ssize(values[0]);
    return top_overlaps(values, given > 0 ? given : std::max<int64_t>(1, players / 10));
  });
}

const RegisterMetric registered({
    .name = "agreement_top_k",
    .title = "Agreement on the strongest players",
    .category = MetricCategory::agreement,
    .better = Better::higher,
    .formula = "mean over the other methods of |A and B| / k, A and B the k players with the largest |a|",
    .source = "Krishna, Han, Gu, Wu, Jabbari, Lakkaraju 2022",
    .about = "Whether the methods that are scored together name the same players as the strongest: 1 if all name the "
             "same k, k / m by chance. Signs do not count. Where players tie for the last places, the expected overlap "
             "if chance chose among them. Methods that give all players values of one size are left out.",
    .cost = "none: the network is not run",
    .limits = "Methods can agree and all be wrong. The score of a method depends on which others are beside it.",
    .parameters = {integer_parameter("k", 0, 0, 1 << 30, "how many players; 0: a tenth of them")},
    .score = score_agreement_top_k,
});

}  // namespace

}  // namespace ascribe::core::metric_agreement_top_k
