// Rank agreement: the mean of Spearman's correlation between a method's values and those of every other method.
// Source: Krishna et al., "The disagreement problem in explainable machine learning" (2022), rank correlation.
#include "metrics/agreement.h"

namespace ascribe::core::metric_agreement_rank {

namespace {

const RegisterMetric registered({
    .name = "agreement_rank",
    .title = "Agreement in ranks",
    .category = MetricCategory::agreement,
    .better = Better::higher,
    .formula = "mean over the other methods of Spearman's correlation of the players' values",
    .source = "Krishna, Han, Gu, Wu, Jabbari, Lakkaraju 2022",
    .about =
        "Whether the methods that are scored together put the players into the same order, from the most negative "
        "value to the most positive: 1 if all do, 0 if they have nothing in common. Slopes are ranked as they are. "
        "Equal values share their rank. Methods that give all players the same value are left out.",
    .cost = "none: the network is not run",
    .limits = "Methods can agree and all be wrong. The score of a method depends on which others are beside it.",
    .score = [](const MetricInput& input) { return score_agreement(input, rank_correlations); },
});

}  // namespace

}  // namespace ascribe::core::metric_agreement_rank
