// Figure 5 (b): bounding box accuracy against the number of principles that a method satisfies: objects placed on
// clutter and the bundled network, or images with boxes and any network for them.
#include <algorithm>
#include <charconv>

#include "study/reproduce/scores.h"
#include "study/sample_questions.h"

namespace ascribe::core::study::paper {

namespace {

constexpr int64_t kAcross = 14;  // patches along the shorter side of an image
constexpr int64_t kLargePatch = 8, kMostPatch = 1 << 20;
constexpr double kLargestBox = 0.33;  // as the paper has it

// Patches that are the players: masking every pixel by itself would take too long, and change too little.
int64_t patch_side(const PaperRun& run, const Network& network) {
  const Model model = run.open(network, {}).model();
  const Shape row = input_slot(model, explained_input(model.graph(), ""), model.precision()).row;
  const auto image = sized_image(image_shape(row, guess_preprocess(row)));
  if (!image) fail(ErrorKind::unsupported, network.path, "the network's input is not an image; got {}", to_string(row));
  return std::max<int64_t>(1, std::min(image->height, image->width) / kAcross);
}

ScorePlan plan_of(const PaperRun& run, const Network& network) {
  ScorePlan plan;
  const int64_t side = patch_side(run, network);
  plan.players = run.request.players.empty() ? fmt::format("patch:{}", side) : run.request.players;
  // Photographs take a hundred times as long as small images.
  const bool large = side >= kLargePatch;
  plan.settings = {"deep_shap.granularity=component", fmt::format("shapley.samples={}", large ? 4 : 8),
                   fmt::format("integrated_gradients.steps={}", large ? 16 : 32),
                   fmt::format("expected_gradients.steps={}", large ? 4 : 8)};
  // Windows of Occlusion-patch: two patches wide, one patch from one to the next.
  int64_t patch = side;
  if (const std::string& text = plan.players; text.starts_with("patch:")) {
    std::from_chars(text.data() + 6, text.data() + text.size(), patch);  // what is wrong with it is said elsewhere
    patch = std::clamp<int64_t>(patch, 1, kMostPatch);
  }
  plan.settings.push_back(fmt::format("occlusion_patch.size={}", 2 * patch));
  plan.settings.push_back(fmt::format("occlusion_patch.stride={}", patch));
  plan.metrics = {"bounding_box_accuracy"};
  plan.target = "label";
  plan.objects = true;
  plan.largest = kLargestBox;
  return plan;
}

Json settings(const PaperRun& run) {
  Json json = Json::object({{"data", identity_of(*run.objects())}});
  json.update(plan_of(run, run.networks.front()));
  return json;
}

std::string counts_text(const ScoredNetwork& network) {
  std::string text = fmt::format("{} images with a box of less than 33 %, {} of them classified as labelled",
                                 network.images, network.correct);
  if (network.too_large > 0) text += fmt::format("; {} with a larger box are left out", network.too_large);
  if (network.without_box > 0) text += fmt::format("; {} without a box are left out", network.without_box);
  return text + fmt::format(". Boxes cover {:.1f} % on average, which is what chance gets.", 100 * network.covered);
}

std::string markdown(const std::vector<ScoredNetwork>& networks, const ScorePlan& plan, const std::string& data) {
  std::string text = fmt::format(
      "# Figure 5 (b): bounding box accuracy and the three principles\n\n![Bounding box accuracy](figure5b.svg)\n\n"
      "Of the pixels with the highest values, as many as the box has, the share that lies in the box, in percent; "
      "higher is "
      "better. A pixel's value is the sum over its channels. Methods that mask parts of the input mask patches: a "
      "patch's "
      "value counts in equal parts at its pixels. Data: {}.\n\n{}",
      data, plan_in_words(plan));
  for (const ScoredNetwork& network : networks) text += section_of(network, counts_text(network), plan, 100);
  return text;
}

std::string svg(const std::vector<ScoredNetwork>& networks) {
  Scatter scatter{"Bounding box accuracy and the number of principles that a method satisfies",
                  "95 % intervals of the mean",
                  "principles satisfied",
                  "Share of the highest pixels that lie in the box, higher is better",
                  Scale::linear,
                  " %",
                  {}};
  for (const ScoredNetwork& network : networks) {
    scatter.panels.push_back(panel_of(network, 100));
    scatter.panels.back().reference = ScatterPoint{"chance", 0, 100 * network.covered, 0, 0};
  }
  return scatter_svg(scatter);
}

Reproduced run(const PaperRun& run) {
  Reproduced made;
  const std::shared_ptr<Dataset> data = run.objects();
  const std::vector<ScoredNetwork> networks = score_networks(
      run, data, [&](const Network& network) { return plan_of(run, network); }, made);
  const ScorePlan plan = plan_of(run, run.networks.front());
  made.markdown = markdown(networks, plan, data->description);
  made.csv = scores_csv(networks, plan);
  made.svg = svg(networks);
  return made;
}

}  // namespace

PaperExperiment figure5b() {
  return {"figure5b", "Figure 5 (b): bounding box accuracy and the three principles", {"localiser"}, 200, settings,
          run};
}

}  // namespace ascribe::core::study::paper
