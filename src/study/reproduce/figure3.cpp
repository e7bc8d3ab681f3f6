// Figure 3: maps of the fourteen methods on images of different classes.
#include <algorithm>
#include <chrono>
#include <map>

#include "data/png.h"
#include "draw/map_table.h"
#include "study/choice.h"
#include "study/pixels.h"
#include "study/reproduce/experiment.h"
#include "study/sample_questions.h"

namespace ascribe::core::study::paper {

namespace {

constexpr int64_t kLookedThrough = 1000;  // images, until every class is found
constexpr double kSigma = 0.1;
constexpr int64_t kDraws = 8;

std::vector<ChosenMethod> chosen_methods() {
  return choose_methods(
      {"all"}, {"shapley.samples=16", "deep_shap.samples=4", "occlusion_patch.size=4", "occlusion_patch.stride=2"});
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

Json settings(const PaperRun& run) {
  Json methods;
  for (const ChosenMethod& chosen : chosen_methods()) {
    if (!chosen.given.empty()) methods[chosen.method.name] = chosen.given;
  }
  return Json::object({{"data", identity_of(*run.images())},
                       {"players", "pixels"},
                       {"baseline", "zero"},
                       {"target", "predicted class"},
                       {"baselines_of_prediction_difference_and_expected_gradients",
                        fmt::format("{} draws of N(0, {:g}^2)", kDraws, kSigma)},
                       {"methods", methods}});
}

std::vector<SampleQuestion> ask_about_images(const PaperRun& run, const Subject& subject) {
  const std::unique_ptr<Dataset> data = run.images();
  const QuestionRequest request = run.question("pixels", "top");
  std::vector<std::string> notes;
  SampleAsker asker(subject, request, run.running.seed(), notes);
  std::vector<SampleQuestion> asked;
  for (const int64_t index : one_of_each_class(*data, run.samples)) {
    asked.push_back(asker.ask(data->read(index)));
    if (!asked.back().question.picture) {
      fail(ErrorKind::unsupported, subject.path(), "the network's input is not an image");
    }
  }
  return asked;
}

// What one method says of all images; nothing if it does not suit the network.
std::optional<std::vector<Attribution>> explained(const ChosenMethod& chosen, ExplainedModel& model,
                                                  std::vector<Question> questions, const PaperRun& run,
                                                  Reproduced& made) {
  const auto start = std::chrono::steady_clock::now();
  if (averages_over_baselines(chosen.method)) {
    for (Question& question : questions) {
      question.baselines = noisy_baselines(model.row(), kSigma, kDraws, run.running.seed());
    }
  }
  try {
    std::vector<Attribution> result = attribute(chosen.method, model, questions, chosen.parameters, run.running.seed(),
                                                run.progress(chosen.method.name));
    made.seconds[chosen.method.name] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  } catch (const Error& error) {
    if (!may_be_left_out(chosen, error.kind())) throw;
    made.notes.push_back(fmt::format("{} is left out: {}", chosen.method.name, error.what()));
    return std::nullopt;
  }
}

MapTable empty_maps(const std::vector<SampleQuestion>& asked, const std::string& network) {
  MapTable table{fmt::format("{}: attribution maps of all methods", network),
                 "Red raises the logit of the predicted class, blue lowers it; every map has a scale of its own",
                 {},
                 {}};
  for (const SampleQuestion& one : asked) {
    const RowQuestion& question = one.question;
    table.rows.push_back({fmt::format("class {}", question.target),
                          picture_of(question.x(), *question.players.image, question.picture->preprocess),
                          {}});
  }
  return table;
}

std::vector<std::string> numbers_of(const SampleQuestion& asked, const ChosenMethod& chosen, const Attribution& a) {
  const double error = a.standard_errors.empty() ? 0 : symmetric_limit(a.standard_errors);
  return {asked.question.source,
          std::to_string(asked.top),
          std::to_string(asked.label),
          chosen.method.name,
          fmt::format("{:.6g}", a.sum()),
          fmt::format("{:.6g}", a.output),
          fmt::format("{:.6g}", a.baseline_output),
          fmt::format("{:.3g}", a.residual),
          fmt::format("{:.3g}", error)};
}

std::string markdown(const std::vector<SampleQuestion>& asked, const std::string& network) {
  Table legend{{"image", "predicted class", "class in the data"}};
  for (const SampleQuestion& one : asked) {
    legend.rows.push_back({one.question.source, std::to_string(one.top), std::to_string(one.label)});
  }
  return fmt::format(
      "# Figure 3: attribution maps of the fourteen methods\n\n![Maps of all methods](figure3.svg)\n\n"
      "`{}`, logit of the predicted class, baseline zero, players pixels. Prediction Difference and Expected Gradients "
      "average over {} baselines drawn from N(0, {:g}²); the windows of Occlusion-patch are 4 × 4 pixels with stride "
      "2; the Shapley value is sampled by 16 permutations. Every map has a scale of its own, which ends where {:g} % "
      "of the pixels do.\n\n{}",
      network, kDraws, kSigma, 100 * kShownShare, legend.markdown());
}

Reproduced run(const PaperRun& run) {
  Reproduced made;
  const Network& network = run.networks.front();
  const Subject subject = run.open(network, DType::f32);
  const std::vector<SampleQuestion> asked = ask_about_images(run, subject);
  std::vector<Question> questions;
  for (const SampleQuestion& one : asked) questions.push_back(one.question);
  MapTable maps = empty_maps(asked, network.name);
  Table numbers{{"image", "predicted", "label", "method", "sum", "output", "baseline_output", "residual",
                 "largest_standard_error"}};
  for (const ChosenMethod& chosen : chosen_methods()) {
    const auto attributions = explained(chosen, subject.explained({}), questions, run, made);
    maps.columns.push_back(chosen.method.title);
    for (size_t i = 0; i < asked.size(); ++i) {
      maps.rows[i].maps.emplace_back();
      if (!attributions) continue;
      const Attribution& a = (*attributions)[i];
      maps.rows[i].maps.back() = pixel_values(chosen.method, a, questions[i].players);
      numbers.rows.push_back(numbers_of(asked[i], chosen, a));
    }
  }
  made.svg = map_table_svg(maps);
  made.others.push_back({"figure3.png", encode_png(map_table_image(maps))});
  made.csv = numbers.csv();
  made.markdown = markdown(asked, network.name);
  return made;
}

}  // namespace

PaperExperiment figure3() {
  return {"figure3", "Figure 3: attribution maps of the fourteen methods", {"relu_vgg"}, 6, settings, run};
}

}  // namespace ascribe::core::study::paper
