// Figure 5 (b): bounding box accuracy against the number of principles that a method satisfies: objects placed on
// clutter and the bundled network, or images with boxes and any network for them. The paper states neither baseline nor
// granularity of the maps, and they decide the order of the groups: so there are several of both.
#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

#include "draw/dot_rows.h"
#include "study/reproduce/groups.h"
#include "study/sample_questions.h"

namespace ascribe::core::study::paper {

namespace {

constexpr int64_t kAcross = 14;  // patches along the shorter side of an image
constexpr int64_t kLargePatch = 8, kMostPatch = 1 << 20;
constexpr double kLargestBox = 0.33;                  // as the paper has it
constexpr int64_t kPixelSide = 64, kPixelImages = 8;  // masking every pixel takes long: small images only, and few
constexpr double kMidGrey = 127.5;

const std::vector<std::string> kMetrics = {"bounding_box_accuracy", "bounding_box_accuracy_players",
                                           "bounding_box_accuracy_smoothed"};

struct Picture {
  ImageShape shape;
  Preprocess preprocess;
};

Picture picture_for(const PaperRun& run, const Network& network) {
  const Model model = run.open(network, {}).model();
  const Shape row = input_slot(model, explained_input(model.graph(), ""), model.precision()).row;
  const Preprocess preprocess =
      run.request.preprocess.empty() ? guess_preprocess(row) : parse_preprocess(run.request.preprocess);
  const auto image = sized_image(image_shape(row, preprocess));
  if (!image) fail(ErrorKind::unsupported, network.path, "the network's input is not an image; got {}", to_string(row));
  return {*image, preprocess};
}

// Mid-grey in the units of the network's input.
std::string grey_of(const Picture& picture) {
  const auto at = [](const std::vector<double>& list, int64_t channel, double otherwise) {
    if (list.empty()) return otherwise;
    return list[list.size() == 1 ? 0 : static_cast<size_t>(channel)];
  };
  std::vector<std::string> values;
  for (int64_t c = 0; c < picture.shape.channels; ++c) {
    const double mean = at(picture.preprocess.mean, c, 0), deviation = at(picture.preprocess.std, c, 1);
    values.push_back(fmt::format("{:.6g}", (picture.preprocess.scale * kMidGrey - mean) / deviation));
  }
  return fmt::format("value:{}", fmt::join(values, ","));
}

// Patches that are the players: masking every pixel by itself would take too long, and change too little.
int64_t patch_side(const ImageShape& shape) {
  return std::max<int64_t>(1, std::min(shape.height, shape.width) / kAcross);
}

// How methods are run with these players. Photographs take a hundred times as long as small images.
ScorePlan plan_for(const std::string& players, int64_t side) {
  ScorePlan plan;
  const bool large = side >= kLargePatch, pixels = players == "pixels";
  plan.players = players;
  plan.settings = {"deep_shap.samples=1", fmt::format("shapley.samples={}", pixels ? 2 : (large ? 4 : 8)),
                   fmt::format("integrated_gradients.steps={}", large ? 16 : 32),
                   fmt::format("expected_gradients.steps={}", large ? 4 : 8)};
  // Module or none: its other form is DeepLIFT Rescale, which would then count twice.
  if (large) plan.settings.push_back(fmt::format("deep_shap.most={}", 1 << 24));
  // Disjoint windows, as the paper defines Occlusion-patch, that hold several players.
  int64_t patch = pixels ? side : 2 * side;
  if (const std::string& text = plan.players; text.starts_with("patch:")) {
    std::from_chars(text.data() + 6, text.data() + text.size(), patch);  // what is wrong with it is said elsewhere
    patch = 2 * std::clamp<int64_t>(patch, 1, kMostPatch);
  }
  plan.settings.push_back(fmt::format("occlusion_patch.size={}", patch));
  plan.settings.push_back(fmt::format("occlusion_patch.stride={}", patch));
  plan.metrics = kMetrics;
  if (pixels) plan.metrics.erase(plan.metrics.begin() + 1);  // players are pixels
  plan.target = "label";
  plan.objects = true;
  plan.largest = kLargestBox;
  return plan;
}

// Three baselines; with patches as players, and on small images once more with pixels.
std::vector<ScorePlan> plans_of(const PaperRun& run, const Network& network) {
  const Picture picture = picture_for(run, network);
  const int64_t side = patch_side(picture.shape);
  std::vector<ScorePlan> bases;
  if (!run.request.players.empty()) {
    bases.push_back(plan_for(run.request.players, side));
  } else {
    bases.push_back(plan_for(fmt::format("patch:{}", side), side));
    if (std::max(picture.shape.height, picture.shape.width) <= kPixelSide) {
      bases.push_back(plan_for("pixels", side));
      bases.back().samples = std::min(run.samples, kPixelImages);
      bases.back().metrics = {kMetrics[0]};
    }
  }
  std::vector<ScorePlan> plans;
  for (ScorePlan base : bases) {
    const std::string masked = base.players == "pixels" ? "pixels" : "patches";
    for (const auto& [name, baseline] :
         {std::pair("grey", grey_of(picture)), {"blur", fmt::format("blur:{}", side)}, {"mean", "mean"}}) {
      base.name = fmt::format("{}-{}", name, masked);
      base.baseline = baseline;
      plans.push_back(base);
    }
  }
  return plans;
}

Json settings(const PaperRun& run) {
  Json protocols = Json::list();
  for (const ScorePlan& plan : plans_of(run, run.networks.front())) protocols.push(to_json(plan));
  return Json::object({{"data", identity_of(*run.objects())}, {"protocols", protocols}});
}

// ---- protocols: a baseline, and maps of a granularity ----

struct Protocol {
  const ScoredNetwork& scored;
  size_t metric = 0;

  std::string baseline() const { return scored.plan.name.substr(0, scored.plan.name.find('-')); }
  std::string maps() const {
    const std::string& name = scored.plan.metrics[metric];
    if (name == kMetrics[0]) return scored.plan.players == "pixels" ? "pixels" : "own";
    return name == kMetrics[1] ? "patches" : "smoothed";
  }
  std::string name() const { return fmt::format("{}, {}", baseline(), maps()); }  // "blur, smoothed"
};

std::vector<Protocol> protocols_of(const std::vector<ScoredNetwork>& networks, const std::string& network) {
  std::vector<Protocol> protocols;
  for (const char* maps : {"own", "pixels", "patches", "smoothed"}) {
    for (const ScoredNetwork& scored : networks) {
      if (scored.name != network) continue;
      for (size_t k = 0; k < scored.plan.metrics.size(); ++k) {
        if (const Protocol one{scored, k}; one.maps() == maps) protocols.push_back(one);
      }
    }
  }
  return protocols;
}

// A protocol on a line: what the groups get, and the tests between them, corrected together.
std::string protocol_table(const std::vector<Protocol>& protocols, uint64_t seed) {
  std::vector<std::vector<GroupComparison>> compared;
  std::vector<GroupComparison*> all;
  for (const Protocol& one : protocols) {
    std::vector<GroupComparison>& tests = compared.emplace_back(compared_groups(one.scored));
    std::erase_if(tests, [&](const GroupComparison& test) { return test.metric != one.metric; });
  }
  for (auto& tests : compared) {
    for (GroupComparison& test : tests) all.push_back(&test);
  }
  correct(all);
  Table table{{"baseline", "maps", "images"}};
  const std::vector<GroupScore> first = group_scores(protocols[0].scored, seed);
  for (auto group = first.rbegin(); group != first.rend(); ++group) {
    table.head.push_back(fmt::format("{} principle{}", group->principles, group->principles == 1 ? "" : "s"));
  }
  for (const GroupComparison& test : compared[0]) {
    table.head.push_back(fmt::format("{} better than {} on (p: signs, ranks)", test.more, test.fewer));
  }
  for (size_t i = 0; i < protocols.size(); ++i) {
    const Protocol& one = protocols[i];
    auto& row = table.rows.emplace_back(std::vector{one.baseline(), one.maps(), std::to_string(one.scored.images)});
    const std::vector<GroupScore> groups = group_scores(one.scored, seed);
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
      row.push_back(interval_text(group->by_metric[one.metric], 100));
    }
    for (const GroupComparison& test : compared[i]) row.push_back(test_text(test));
  }
  return table.markdown();
}

std::string methods_by_protocol(const std::vector<Protocol>& protocols) {
  Table table{{"method", "principles"}};
  for (const Protocol& one : protocols) table.head.push_back(one.name());
  for (const ScoredMethod* method : by_principles(protocols[0].scored)) {
    auto& row = table.rows.emplace_back(std::vector{method->method.title, std::to_string(method->principles)});
    const auto number = static_cast<size_t>(method - protocols[0].scored.methods.data());
    for (const Protocol& one : protocols) {
      const double mean = one.scored.methods[number].summaries[one.metric].mean;
      row.push_back(std::isfinite(mean) ? fmt::format("{:.1f}", 100 * mean) : "–");
    }
  }
  return table.markdown();
}

std::string counts_text(const ScoredNetwork& network) {
  std::string text = fmt::format("{} images with a box of less than 33 %, {} of them classified as labelled",
                                 network.images, network.correct);
  if (network.too_large > 0) text += fmt::format("; {} with a larger box are left out", network.too_large);
  if (network.without_box > 0) text += fmt::format("; {} without a box are left out", network.without_box);
  return text + fmt::format(". Boxes cover {:.1f} % on average, which is what chance gets.", 100 * network.covered);
}

std::string markdown(const PaperRun& run, const std::vector<ScoredNetwork>& networks, const std::string& data) {
  const ScorePlan& plan = networks[0].plan;
  const bool masks_pixels = std::any_of(networks.begin(), networks.end(),
                                        [](const ScoredNetwork& one) { return one.plan.players == "pixels"; });
  std::string text = fmt::format(
      "# Figure 5 (b): bounding box accuracy and the three principles\n\n![Bounding box accuracy](figure5b.svg)\n\n"
      "![The methods](figure5b-methods.svg)\n\n"
      "Of the pixels with the highest values, as many as the box has, the share that lies in the box, in percent; "
      "higher is better. A pixel's value is the sum over its channels, with its sign. Data: {}.\n\n"
      "A protocol is a baseline and the granularity of the maps. Baselines: *grey* is mid-grey, *blur* the image "
      "blurred (`{}`), *mean* the mean of the image's own pixels. Methods that mask parts of the input mask "
      "`{}`. Maps: *own*, as methods make them, pixels where a method values pixels and patches where it masks them; "
      "*patches*, every method's values summed over the same patches; *smoothed*, every method's map blurred by the "
      "same Gaussian, σ a twenty-eighth of the side{}. Occlusion by patches masks disjoint windows, as the paper "
      "defines it. Deep SHAP is the paper's, of "
      "modules, or left out: its form of components is DeepLIFT Rescale, which would count twice.\n\n{}\n{}",
      data, networks[std::min<size_t>(1, networks.size() - 1)].plan.baseline, plan.players,
      masks_pixels ? "; *pixels*, as *own* but with single pixels masked, which takes long, so of a few images only"
                   : "",
      plan_in_words(plan), tests_in_words(plan));
  for (const Network& network : run.networks) {
    const std::vector<Protocol> protocols = protocols_of(networks, network.name);
    const ScoredNetwork& scored = protocols[0].scored;
    text += fmt::format("\n## {}\n\n{}\n\n{}\n{}{}", network.name, counts_text(scored),
                        protocol_table(protocols, run.running.seed()), methods_by_protocol(protocols),
                        left_out_text(scored));
  }
  return text;
}

// What the groups get by every protocol.
std::string groups_svg(const PaperRun& run, const std::vector<ScoredNetwork>& networks) {
  DotRows chart{"Bounding box accuracy by protocol, and by the number of principles that methods satisfy",
                "baseline and maps; means of the groups of methods, with 95 % intervals over images; higher is better",
                " %",
                {},
                {}};
  for (const Network& network : run.networks) {
    const std::vector<Protocol> protocols = protocols_of(networks, network.name);
    DotPanel& panel = chart.panels.emplace_back();
    panel.title = fmt::format("{}, {} images", network.name, protocols[0].scored.images);
    panel.reference = {"chance", 100 * protocols[0].scored.covered};
    for (const Protocol& one : protocols) {
      DotRow& row = panel.rows.emplace_back(DotRow{one.name(), {}});
      const std::vector<GroupScore> groups = group_scores(one.scored, run.running.seed());
      for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
        const Summary& s = group->by_metric[one.metric];
        row.dots.push_back({group->principles, 100 * s.mean, 100 * (s.count > 1 ? s.low : s.mean),
                            100 * (s.count > 1 ? s.high : s.mean)});
      }
    }
  }
  for (const auto& [number, name] : {std::pair(3, "three principles"), {2, "two"}, {1, "one"}}) {
    chart.legend.push_back({number, name});
  }
  return dot_rows_svg(chart);
}

// The methods of two protocols: as maps come, and the one that we recommend.
std::string methods_svg(const PaperRun& run, const std::vector<ScoredNetwork>& networks) {
  Scatter scatter{"Bounding box accuracy and the number of principles that a method satisfies",
                  "95 % intervals of the mean",
                  "principles satisfied",
                  "Share of the highest pixels that lie in the box, higher is better",
                  Scale::linear,
                  " %",
                  {}};
  for (const Network& network : run.networks) {
    for (const Protocol& one : protocols_of(networks, network.name)) {
      const std::string name = one.name();
      if (name != "grey, own" && name != "blur, smoothed") continue;
      ScatterPanel panel = panel_of(one.scored, one.metric, 100);
      panel.title = fmt::format("{}: {}", network.name, name);
      panel.reference = ScatterPoint{"chance", 0, 100 * one.scored.covered, 0, 0};
      scatter.panels.push_back(std::move(panel));
    }
  }
  return scatter_svg(scatter);
}

Reproduced run(const PaperRun& run) {
  Reproduced made;
  const std::shared_ptr<Dataset> data = run.objects();
  const std::vector<ScoredNetwork> networks = score_networks(
      run, data, [&](const Network& network) { return plans_of(run, network); }, made);
  made.markdown = markdown(run, networks, data->description);
  made.csv = scores_csv(networks);
  made.svg = groups_svg(run, networks);
  made.others.push_back({"figure5b-methods.svg", methods_svg(run, networks)});
  return made;
}

std::vector<WorkCost> costs(const PaperRun& run) {
  return costs_of_scores(run, run.objects(), [&](const Network& network) { return plans_of(run, network); });
}

}  // namespace

PaperExperiment figure5b() {
  return {"figure5b", "Figure 5 (b): bounding box accuracy and the three principles", {"localiser"}, 100, settings, run,
          costs};
}

}  // namespace ascribe::core::study::paper
