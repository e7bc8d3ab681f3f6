// Which methods explain many rows, and which of them to trust.
#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "metrics/shared_passes.h"
#include "passes/choices.h"
#include "study/dataset_parts.h"

namespace ascribe::core::study {

namespace {

constexpr double kShareOfRows = 0.45;  // of the time: what settings of methods are fitted to
constexpr double kShareOfTests = 0.1;  // of what is left
constexpr const char* kTest = "infidelity";

bool chosen_by_nobody(const std::vector<MethodWish>& wishes) {
  return wishes.size() == 1 && wishes[0].name == "all" && !wishes[0].own;
}

struct Candidate {
  const Method* method = nullptr;
  double seconds = 0;
};

// Methods that say what each feature contributed, that give nothing to features without influence, and that compare
// with the baseline of the question, the most promising and cheapest first.
std::vector<Candidate> candidates(const Asking& asking, const Pace& pace) {
  std::vector<Candidate> list;
  for (const std::string& name : method_names()) {
    const Method& method = method_named(name);
    if (method.kind != AttributionKind::contribution || !method.dummy || !method.symmetric || !method.linear) continue;
    if (method.drawn != nullptr) continue;
    const Parameters usual(method.name, method.parameters, {});
    list.push_back({&method, passes_of(method, usual, asking).seconds(pace)});
  }
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
    const int p = count_promises(*a.method), q = count_promises(*b.method);
    return p != q ? p > q : a.seconds < b.seconds;
  });
  return list;
}

std::vector<ChosenMethod> usual_methods(const Asking& asking, const Pace& pace,
                                        const std::vector<std::string>& settings, std::string& choice) {
  std::vector<MethodWish> wishes;
  std::vector<std::string> titles;
  bool masks = false, slopes = false;  // there is one of each among those that promise less
  for (const Candidate& one : candidates(asking, pace)) {
    const bool all = count_promises(*one.method) == 4;
    bool& other = masks_players(*one.method) ? masks : slopes;
    if (!all && other) continue;
    if (!all) other = true;
    wishes.emplace_back(one.method->name);
    titles.push_back(one.method->title);
  }
  std::vector<ChosenMethod> methods = choose_methods(wishes, settings);
  for (ChosenMethod& one : methods) one.asked_for = false;
  choice = fmt::format(
      "Nobody chose methods. These were taken: all that promise everything a method can promise (their values add up, "
      "a feature without influence gets nothing, equal features get the same, and sums of models are explained by "
      "sums), and as a check on them the cheapest others that give nothing to features without influence, one that "
      "masks features and one that follows slopes: {}. `method` chooses others",
      fmt::join(titles, ", "));
  return methods;
}

}  // namespace

int count_promises(const Method& method) { return method.complete + method.dummy + method.symmetric + method.linear; }

std::vector<std::string> promises_of(const Method& method) {
  std::vector<std::string> words;
  if (method.complete) words.emplace_back("its values add up to the change of the output");
  if (method.dummy) words.emplace_back("a feature without influence gets nothing");
  if (method.symmetric) words.emplace_back("features that the model treats alike get the same");
  if (method.linear) words.emplace_back("a sum of models is explained by the sum of their explanations");
  return words;
}

std::vector<ChosenMethod> methods_for_rows(const DatasetWork& work, const RowQuestion& first, int64_t rows,
                                           std::string& choice) {
  const ReportRequest& request = work.request.report;
  const Asking asking{first.players, first.baseline_count(), has_kinks(work.model.graph())};
  std::vector<ChosenMethod> methods;
  if (chosen_by_nobody(request.methods)) {
    methods = usual_methods(asking, work.pace, request.settings, choice);
  } else {
    methods = choose_methods(request.methods, request.settings);
    choice = "The methods were chosen by whoever made this page";
  }
  if (methods.empty()) fail(ErrorKind::argument, "method", "there is no method to explain with");
  if (!work.spending.limited()) return methods;
  std::vector<Dial> dials = dials_of(methods, asking, work.pace, static_cast<double>(rows));
  for (const Lowered& one : lower_to(kShareOfRows * work.spending.left(), dials)) {
    work.spending.cut({one.names(), "computed " + one.words(), "`set` chooses otherwise"});
  }
  return methods;
}

void choose_trusted(document::DatasetDocument& document, const StudiedRows& studied, const DatasetWork& work) {
  std::vector<size_t> rated;
  for (size_t m = 0; m < studied.methods.size(); ++m) {
    if (document.methods[m].contributes()) rated.push_back(m);
  }
  if (rated.empty()) {
    document.trusted = 0;
    document.trust =
        "None of the methods here says what a feature contributed: they give slopes, which do not add up to anything.";
    return;
  }
  std::vector<std::vector<double>> scores(studied.methods.size());
  const Metric& metric = metric_named(kTest);
  const auto count = std::ssize(rated);
  const auto measure = [&](const Progress& progress) {
    std::vector<ChosenMetric> one = {{metric, {}, Parameters(metric.name, metric.parameters, {}), true}};
    const Question& question = studied.kept[0].question;
    if (work.spending.limited()) {
      std::vector<Dial> dials = dials_of(one, question.players, count, question.baseline_count(), work.pace);
      const auto rows = static_cast<double>(studied.kept.size());
      lower_to(kShareOfTests * work.spending.left() / rows, dials);
    }
    for (size_t k = 0; k < studied.kept.size(); ++k) {
      core::report(progress, "rows", static_cast<int64_t>(k), std::ssize(studied.kept));
      const KeptRow& kept = studied.kept[k];
      std::vector<MethodExplanations> methods;
      for (const size_t m : rated) {
        methods.push_back(
            {studied.methods[m].method, studied.methods[m].parameters, std::span(&kept.attributions[m], 1)});
      }
      const Question& asked = kept.question;
      const auto stream = static_cast<uint64_t>(kept.question.number);
      SharedPasses shared;
      const Scores result = score(metric, {work.model,
                                           std::span(&asked, 1),
                                           std::span(&stream, 1),
                                           methods,
                                           {},
                                           one[0].parameters,
                                           work.running.seed(),
                                           progress,
                                           &shared});
      for (size_t i = 0; i < rated.size(); ++i) {
        if (result[i][0].defined()) scores[rated[i]].push_back(result[i][0].value);
      }
    }
    document.tested = std::ssize(studied.kept);
  };
  if (!studied.kept.empty()) {
    try {
      const double most = work.spending.at_least(3 * kShareOfTests * work.spending.left());
      if (!work.spending.within(most, {"infidelity"}, work.running.progress_of("infidelity"), measure)) {
        for (auto& list : scores) list.clear();
        work.spending.cut({"infidelity", "stopped, and left out", "a larger `budget` measures it"});
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
      document.absent.push_back({"infidelity", error.what()});
    }
  }
  size_t best = rated[0];
  const auto better = [&](size_t a, size_t b) {
    const int p = count_promises(studied.methods[a].method), q = count_promises(studied.methods[b].method);
    if (p != q) return p > q;
    const auto x = document.methods[a].infidelity.mean, y = document.methods[b].infidelity.mean;
    return x && y ? *x < *y : x.has_value() && !y.has_value();
  };
  for (const size_t m : rated) {
    if (!scores[m].empty()) document.methods[m].infidelity = mean_of(scores[m]);
  }
  for (const size_t m : rated) {
    if (better(m, best)) best = m;
  }
  document.trusted = best;
  const bool all = count_promises(studied.methods[best].method) == 4;
  std::vector<std::string> rivals;
  for (const size_t m : rated) {
    if (m != best && count_promises(studied.methods[m].method) == count_promises(studied.methods[best].method)) {
      rivals.push_back(document.methods[m].title);
    }
  }
  document.trust = fmt::format("{} promises {}.", document.methods[best].title,
                               all ? "everything that a method can promise" : "more than the other methods here");
  if (!rivals.empty())
    document.trust = fmt::format("{} {} {}", document.methods[best].title,
                                 all ? "promises everything that a method can promise, as"
                                     : "promises as much as any other here, as",
                                 fmt::join(rivals, " and ")) +
                     (rivals.size() == 1 ? " does" : " do");
  if (!rivals.empty()) {
    document.trust += document.methods[best].infidelity.mean
                          ? fmt::format(
                                "; of them it predicts best what the model does when parts of the input are "
                                "removed (infidelity, {} rows).",
                                document.tested)
                          : "; which of them predicts the model better was not measured.";
  }
}

}  // namespace ascribe::core::study
