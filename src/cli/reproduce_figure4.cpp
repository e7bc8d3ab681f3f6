// Figure 4: maps of the fourteen methods on images of different classes.
#include <algorithm>
#include <chrono>
#include <map>

#include "cli/method_choice.h"
#include "cli/reproduce_samples.h"
#include "data/png.h"
#include "report/attribution_pictures.h"
#include "report/map_table.h"

namespace ascribe::core {

namespace {

constexpr int64_t kLookedThrough = 1000;  // images, until every class is found
constexpr double kSigma = 0.1;
constexpr int64_t kDraws = 8;

std::vector<ChosenMethod> chosen_methods() {
  return choose_methods(
      {"all"}, {"shapley.samples=16", "deep_shap.samples=4", "occlusion_patch.size=4", "occlusion_patch.stride=2"});
}

bool averages(const Method& method) {
  return method.name == "expected_gradients" || method.name == "prediction_difference";
}

// The first image of each of `count` classes, evenly chosen among those that there are.
std::vector<int64_t> one_of_each_class(Dataset& data, int64_t count) {
  std::map<int64_t, int64_t> first;
  for (int64_t i = 0; i < std::min(kLookedThrough, data.size()); ++i) first.try_emplace(data.read(i).label, i);
  std::vector<int64_t> all, chosen;
  for (const auto& [label, index] : first) all.push_back(index);
  count = std::min(count, std::ssize(all));
  for (int64_t i = 0; i < count; ++i) chosen.push_back(all[static_cast<size_t>(i * std::ssize(all) / count)]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

nlohmann::ordered_json settings(const PaperRun& run) {
  nlohmann::ordered_json methods;
  for (const ChosenMethod& chosen : chosen_methods()) {
    if (!chosen.given.empty()) methods[chosen.method.name] = chosen.given;
  }
  return {{"data", identity_of(*open_images(run.request))},
          {"players", "pixels"},
          {"baseline", "zero"},
          {"target", "predicted class"},
          {"baselines_of_prediction_difference_and_expected_gradients",
           fmt::format("{} draws of N(0, {:g}^2)", kDraws, kSigma)},
          {"methods", methods}};
}

struct Explained {
  std::vector<SampleQuestion> asked;
  std::vector<std::pair<std::string, std::vector<Attribution>>> methods;  // by title
};

// What one method says of all images; nothing if it does not suit the network.
std::optional<std::vector<Attribution>> explained(const ChosenMethod& chosen, SampleQuestions& asker,
                                                  std::vector<Question> questions, const PaperRun& run,
                                                  Reproduced& made) {
  const auto start = std::chrono::steady_clock::now();
  if (averages(chosen.method)) {
    for (Question& question : questions) {
      question.baselines = noisy_baselines(asker.row(), kSigma, kDraws, run.request.general.seed);
    }
  }
  try {
    std::vector<Attribution> result = attribute(chosen.method, asker.model(), questions, chosen.parameters,
                                                run.request.general.seed, run.progress(chosen.method.name));
    made.seconds[chosen.method.name] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  } catch (const Error& error) {
    if (!may_be_left_out(chosen, error.kind())) throw;
    made.notes.push_back(fmt::format("{} is left out: {}", chosen.method.name, error.what()));
    return std::nullopt;
  }
}

Reproduced run(const PaperRun& run) {
  Reproduced made;
  const Network& network = run.networks.front();
  const std::unique_ptr<Dataset> data = open_images(run.request);
  SampleQuestions asker(run, network, DType::f32, "pixels");
  std::vector<SampleQuestion> asked;
  for (const int64_t index : one_of_each_class(*data, run.samples)) {
    asked.push_back(asker.ask(data->read(index), AskedClass::predicted));
  }
  std::vector<Question> questions;
  MapTable table{fmt::format("{}: attribution maps of all methods", network.name),
                 "Red raises the logit of the predicted class, blue lowers it; every map has a scale of its own",
                 {},
                 {}};
  for (const SampleQuestion& one : asked) {
    questions.push_back(one.question);
    if (!one.picture) fail(ErrorKind::unsupported, network.path, "the network's input is no image");
    table.rows.push_back({fmt::format("class {}", one.question.target),
                          picture_of(one.question.point[0], *one.question.players.image, one.picture->preprocess),
                          {}});
  }
  TextTable numbers{{"image", "predicted", "label", "method", "sum", "output", "baseline_output", "residual",
                     "largest_standard_error"}};
  for (const ChosenMethod& chosen : chosen_methods()) {
    const auto attributions = explained(chosen, asker, questions, run, made);
    table.columns.push_back(chosen.method.title);
    for (size_t i = 0; i < asked.size(); ++i) {
      table.rows[i].maps.emplace_back();
      if (!attributions) continue;
      const Attribution& a = (*attributions)[i];
      table.rows[i].maps.back() = pixel_values({chosen.method, a}, questions[i].players);
      const double error = a.standard_errors.empty() ? 0 : symmetric_limit(a.standard_errors);
      numbers.rows.push_back({asked[i].name, std::to_string(asked[i].predicted), std::to_string(asked[i].label),
                              chosen.method.name, fmt::format("{:.6g}", a.sum()), fmt::format("{:.6g}", a.output),
                              fmt::format("{:.6g}", a.baseline_output), fmt::format("{:.3g}", a.residual),
                              fmt::format("{:.3g}", error)});
    }
  }
  made.svg = map_table_svg(table);
  made.others.push_back({"figure4.png", encode_png(map_table_image(table))});
  made.csv = numbers.csv();
  TextTable legend{{"image", "predicted class", "class in the data"}};
  for (const SampleQuestion& one : asked) {
    legend.rows.push_back({one.name, std::to_string(one.predicted), std::to_string(one.label)});
  }
  made.markdown = fmt::format(
      "# Figure 4: attribution maps of the fourteen methods\n\n![Maps of all methods](figure4.svg)\n\n"
      "`{}`, logit of the predicted class, baseline zero, players pixels. Prediction Difference and Expected Gradients "
      "average over {} baselines drawn from N(0, {:g}²); the windows of Occlusion-patch are 4 × 4 pixels with stride "
      "2; "
      "the Shapley value is sampled by 16 permutations. Every map has a scale of its own, which ends where {:g} % of "
      "the pixels do.\n\n{}",
      network.name, kDraws, kSigma, 100 * kShownShare, legend.markdown());
  return made;
}

}  // namespace

PaperExperiment experiment_figure4() {
  return {"figure4", "Figure 4: attribution maps of the fourteen methods", {"relu_vgg"}, 6, settings, run};
}

}  // namespace ascribe::core
