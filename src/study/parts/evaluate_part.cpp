#include "study/parts/evaluate_part.h"

#include <algorithm>
#include <map>

#include "study/evaluating.h"
#include "study/question_settings.h"
#include "study/sample_questions.h"
#include "study/sample_scorer.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kMostSamples = int64_t{1} << 53;

Json methods_json(const Experiment& experiment) {
  Json list = Json::list();
  for (const EvaluatedMethod& one : experiment.methods()) {
    list.push(Json::object({{"name", one.method.name}, {"parameters", one.parameters.all()}}));
  }
  return list;
}

Json metrics_json(const Experiment& experiment) {
  Json list = Json::list();
  for (const EvaluatedMetric& one : experiment.metrics()) {
    list.push(Json::object({{"name", one.metric.name},
                            {"parameters", one.parameters.all()},
                            {"better", static_cast<int>(one.metric.better)},
                            {"category", static_cast<int>(one.metric.category)}}));
  }
  return list;
}

PartHeader header_of(const Evaluating& at, const Experiment& experiment, int64_t batch) {
  const EvaluateRequest& request = at.request;
  PartHeader header;
  header.kind = "evaluate";
  header.model = model_identity(at.subject);
  header.seed = request.run.seed;
  header.precision = std::string(to_string(at.model().real()));
  Json scores = experiment.fingerprint();
  scores.erase("ascribe_journal");
  header.settings =
      Json::object({{"scores", std::move(scores)}, {"files", question_files(at.subject, request.question)}});
  header.settings["batch"] = batch;  // what is computed together can change the last bits
  header.about = Json::object({{"model", at.subject.path()},
                               {"model_sha256", at.subject.hash()},
                               {"data", name_of_data(request)},
                               {"data_description", at.data->description},
                               {"methods", methods_json(experiment)},
                               {"metrics", metrics_json(experiment)},
                               {"profile", at.wishes.profile != nullptr},
                               {"notes", at.running.notes()}});
  return header;
}

Failures failures_of(const std::string& body, const std::string& where) {
  const Json json = parse_json(body, where);
  const JsonPlace list = JsonPlace(json, where).at("failures");
  Failures failures{static_cast<int64_t>(list.length()), {}};
  if (failures.count > 0) failures.first = list.item(0).text("error");
  return failures;
}

// ---- the parts together ----

std::map<std::string, std::string, std::less<>> parameters_from(const JsonPlace& place) {
  std::map<std::string, std::string, std::less<>> parameters;
  for (const JsonMember& member : place.members()) {
    // Looked for only to complain: there may be many.
    parameters[member.key] = member.value.is_text() ? member.value.text() : place.at(member.key).text();
  }
  return parameters;
}

Rated rated_from(const JsonPlace& place) {
  return {place.text("name"), parameters_from(place.at("parameters")), 0, {}};
}

void take_left_out(std::vector<std::string>& known, const JsonPlace& list, size_t count, bool first) {
  const std::vector<std::string> reasons = list.texts();
  if (reasons.size() != count) list.refuse(fmt::format("has {} items; expected {}", reasons.size(), count));
  if (first) known = reasons;
  else if (known != reasons) list.refuse("differs from that of other parts; ask for methods and metrics by name");
}

void add(SamplesSeen& seen, const JsonPlace& more) {
  const auto number = [&](const char* key) { return more.at(key).whole(0, kMostSamples); };
  seen.read += number("read");
  seen.labelled += number("labelled");
  seen.correct += number("correct");
  seen.wrong += number("wrong");
  seen.large += number("large");
  seen.boxless += number("boxless");
  seen.failed += number("failed");
}

}  // namespace

PartResult evaluate_part(const Subject& subject, const EvaluateRequest& asked_for, const PartRequest& part) {
  check_evaluation(asked_for);
  std::string input;
  EvaluateRequest request = with_data(subject, asked_for, input);
  request.journal.clear();
  Evaluating at(subject, request, input);
  Experiment experiment = at.experiment();
  at.tell_notes_of_the_model();
  SampleScorer scorer(at, experiment);
  const std::vector<int64_t> wanted = scorer.wanted_in_parts();
  const std::vector<int64_t>& numbers = request.question.rows.numbers;
  if (!numbers.empty() && std::ssize(numbers) != std::ssize(wanted)) {
    fail(ErrorKind::argument, "numbers", "rows that say their numbers are all taken; got a choice of {} of {}",
         wanted.size(), numbers.size());
  }
  std::map<int64_t, int64_t> rows;  // of those that say their numbers
  for (size_t i = 0; i < numbers.size(); ++i) rows[numbers[i]] = static_cast<int64_t>(i);
  scorer.decide(wanted);
  PartRequest how = part;
  how.batch = scorer.batch();
  how.force = part.force || request.force;
  PartResult result = write_part_of(
      how, header_of(at, experiment, scorer.batch()), std::ssize(wanted), numbers, scorer.batch(), at.running,
      [&](const Items& items, const Progress& inner) {
        std::vector<int64_t> batch;
        for (const ItemRange& range : items) {
          for (int64_t item = range.first; item < range.end; ++item) {
            batch.push_back(rows.empty() ? wanted[static_cast<size_t>(item)] : rows.at(item));
          }
        }
        return scorer.line_of(batch, inner).dump(-1);
      },
      [&](const std::string& body) { return failures_of(body, part.folder); });
  result.notes = at.running.notes();
  return result;
}

EvaluateResult merged_evaluation(const WholeWork& whole) {
  const PartHeader& header = whole.header();
  const std::string where = whole.parts().front();
  const JsonPlace about(header.about, where), settings(header.settings, where);
  EvaluateResult result;
  result.model = about.text("model");
  result.model_hash = about.text("model_sha256");
  result.data = about.text("data");
  result.data_description = about.text("data_description");
  result.settings = settings.at("scores").json();
  result.notes = about.at("notes").texts();
  for (const JsonPlace& one : about.at("methods").items()) result.methods.push_back(rated_from(one));
  for (const JsonPlace& one : about.at("metrics").items()) {
    result.metrics.push_back({rated_from(one), static_cast<Better>(one.at("better").whole(0, 2)),
                              static_cast<MetricCategory>(one.at("category").whole(0, 7))});
  }
  std::vector<std::string> methods, metrics;
  bool first = true;
  const WholeWork::Place* before = nullptr;
  for (const WholeWork::Place& place : whole.places()) {
    poll();
    // A block of several ranges is one line.
    const bool known =
        place.before > 0 || (before != nullptr && before->part == place.part && before->position == place.position);
    before = &place;
    if (known) continue;
    const std::string& path = whole.parts()[place.part];
    const Json json = parse_json(whole.block(place).body, path);
    const JsonPlace line(json, path);
    for (const JsonPlace& one : line.at("samples").items()) {
      result.samples.push_back(
          {evaluated_sample(one, result.methods.size(), result.metrics.size()), number_of_sample(one)});
    }
    add(result.seen, line.at("seen"));
    take_left_out(methods, line.at("methods_left_out"), result.methods.size(), first);
    take_left_out(metrics, line.at("metrics_left_out"), result.metrics.size(), first);
    // Every part has noted it, and one process would have said it once.
    for (std::string& note : line.at("notes").texts()) {
      const auto same = std::find(result.notes.begin(), result.notes.end(), note);
      if (same == result.notes.end()) result.notes.push_back(std::move(note));
    }
    first = false;
  }
  for (size_t m = 0; m < methods.size(); ++m) result.methods[m].left_out = methods[m];
  for (size_t k = 0; k < metrics.size(); ++k) result.metrics[k].left_out = metrics[k];
  std::stable_sort(result.samples.begin(), result.samples.end(),
                   [](const ScoredSample& a, const ScoredSample& b) { return a.index < b.index; });
  if (result.samples.empty()) {
    fail(ErrorKind::unsupported, where, "no sample is left: {} read, {} of them left out", result.seen.read,
         result.seen.read);
  }
  sum_up(result, about.at("profile").truth(), header.seed);
  return result;
}

}  // namespace ascribe::core::study
