// Bounding box accuracy of the players' values: maps of all methods at one granularity.
//   |B and M| / |B|,   M the |B| pixels whose players have the highest value per pixel
#include "metrics/localisation.h"
#include "metrics/shares.h"

namespace ascribe::core::metric_bounding_box_accuracy_players {

namespace {

Scores score_players(const MetricInput& input) {
  Scores scores;
  for (const MethodExplanations& one : input.methods) {
    std::vector<Score>& of_method = scores.emplace_back();
    for (size_t q = 0; q < input.questions.size(); ++q) {
      const Tensor shares = player_shares(input.questions[q], one.attributions[q]);
      of_method.push_back(object_rank_accuracy(pixel_sums(input.questions[q], shares), input.objects[q]));
    }
  }
  return scores;
}

const RegisterMetric registered({
    .name = "bounding_box_accuracy_players",
    .title = "Bounding box accuracy of players",
    .category = MetricCategory::localisation,
    .better = Better::higher,
    .formula = "|B and M| / |B|, B the pixels of the box, M the |B| pixels whose players have the highest values",
    .source = "Schulz, Sixt, Tombari, Landgraf 2020, on maps of one granularity",
    .about = "Bounding box accuracy after the values of every method have been summed over the players, each player's "
             "in equal parts at its pixels. Methods that mask patches have coarse maps and methods that value pixels "
             "fine ones; with patches as players, this compares them at the same granularity. Ties count as if chance "
             "broke them.",
    .cost = "none: the network is not run",
    .limits = "Where people see the object need not be where the network looks. The size of the players decides how "
              "much of a map's noise is averaged out.",
    .images = true,
    .objects = true,
    .score = score_players,
});

}  // namespace

}  // namespace ascribe::core::metric_bounding_box_accuracy_players
