// Figure 5 (a): infidelity by square removal against the number of principles that a method satisfies, on a fully
// connected and a convolutional sigmoid network; as its source measures it (all squares of sides 1 to 10, the best
// factor for every attribution), and with squares of one side, as it is and scaled.
#include "study/reproduce/groups.h"
#include "study/sample_questions.h"

namespace ascribe::core::study::paper {

namespace {

constexpr double kFarOff = 100;  // times the methods' median: beyond the figure's scale

ScorePlan plan_of() {
  ScorePlan plan;
  plan.settings = {"shapley.samples=16", "deep_shap.samples=4", "expected_gradients.steps=16"};
  plan.metrics = {"infidelity_all_squares", "infidelity", "infidelity_scaled"};
  plan.players = "pixels";
  plan.medians = true;
  return plan;
}

Json settings(const PaperRun& run) {
  Json json = Json::object({{"data", identity_of(*run.images())}});
  json.update(plan_of());
  return json;
}

std::string markdown(const std::vector<ScoredNetwork>& networks, const ScorePlan& plan, uint64_t seed) {
  std::string text = fmt::format(
      "# Figure 5 (a): infidelity and the three principles\n\n![Infidelity](figure5a.svg)\n\n"
      "Infidelity is the mean over squares of (sum of a in the square − (f(x) − f(x with the square at b)))², lower is "
      "better. *Over all squares*, as its source measures it and the figure shows it: every square of 1 × 1 to "
      "10 × 10 pixels once, 5605 of them, and every attribution times the factor that suits it best on its image. "
      "*Infidelity* alone: squares of a quarter of the image's side, here 7 × 7 pixels, every place once, the "
      "attribution as it is; *optimally scaled*: the same times the best factor. All fourteen methods give "
      "contributions, already multiplied by the input, so the 0/1 indicator of the square takes the place of the "
      "perturbation in pᵀa; the values of Grad-CAM, which are not shares of the output, are used as they are. A window "
      "of Occlusion-patch (2 × 2 pixels) counts at each of its pixels, as the method defines it. Baseline zero, "
      "players pixels.\n\n{}\n{}",
      plan_in_words(plan), tests_in_words(plan));
  for (const ScoredNetwork& network : networks) {
    text += fmt::format(
        "\n## {}\n\n{} images, {} classified as labelled. Mean [95 % interval], and the median over the images.\n\n"
        "{}{}\n{}\n{}",
        network.name, network.images, network.correct, method_table(network, 1), left_out_text(network),
        group_table(network, 1, seed), comparison_table(network));
  }
  return text;
}

std::string svg(const std::vector<ScoredNetwork>& networks) {
  Scatter scatter{"Infidelity and the number of principles that a method satisfies",
                  "95 % intervals of the mean; arrows: far beyond the scale",
                  "principles satisfied",
                  "Infidelity over all squares of sides 1 to 10, optimally scaled, lower is better",
                  Scale::logarithmic,
                  "",
                  {}};
  for (const ScoredNetwork& network : networks) {
    ScatterPanel panel = panel_of(network, 0, 1);
    std::vector<double> values;
    for (const ScatterPoint& point : panel.points) values.push_back(point.value);
    panel.cut = kFarOff * summarize({&values, 1}, 0)[0].median;
    scatter.panels.push_back(std::move(panel));
  }
  return scatter_svg(scatter);
}

Reproduced run(const PaperRun& run) {
  Reproduced made;
  const ScorePlan plan = plan_of();
  const std::vector<ScoredNetwork> networks = score_networks(
      run, run.images(), [&](const Network&) { return std::vector{plan}; }, made);
  made.markdown = markdown(networks, plan, run.running.seed());
  made.csv = scores_csv(networks);
  made.svg = svg(networks);
  return made;
}

std::vector<WorkCost> costs(const PaperRun& run) {
  return costs_of_scores(run, run.images(), [](const Network&) { return std::vector{plan_of()}; });
}

}  // namespace

PaperExperiment figure5a() {
  return {"figure5a",
          "Figure 5 (a): infidelity and the three principles",
          {"sigmoid_mlp", "sigmoid_cnn"},
          200,
          settings,
          run,
          costs};
}

}  // namespace ascribe::core::study::paper
