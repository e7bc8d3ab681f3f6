#include "study/report.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

#include <fmt/ranges.h>

#include "methods/shared_work.h"
#include "metrics/agreement.h"
#include "passes/choices.h"
#include "study/asked.h"
#include "study/few_players.h"
#include "study/pixels.h"
#include "study/prediction.h"
#include "study/report_inputs.h"
#include "study/report_sections.h"
#include "study/series.h"
#include "study/target_region.h"
#include "study/token_values.h"
#include "study/trusted.h"

namespace ascribe::core::study {

namespace {

using document::Document, document::number, document::numbers;

constexpr int64_t kSmallWork = 50'000'000;          // multiply-adds per row: such a model is asked many times a second
constexpr int64_t kWorkOfFunction = 500'000;        // what a function is taken for, of which nobody knows
constexpr int64_t kFineGrid = 14, kCoarseGrid = 7;  // cells along a side of an image
constexpr std::array<int64_t, 3> kCoarserGrids = {7, 5, 4};    // where there is no time for finer ones
constexpr double kShareOfPlayers = 0.05;                       // of the budget: what masking each of them once may take
constexpr double kShareOfMethods = 0.4, kMostOfMethods = 0.6;  // of the time that is left: planned, and at most
constexpr int64_t kMostOfSeries = 200;                         // players that a series is shared among

// What a large model is asked, unless the settings say otherwise: fewer orders for Shapley values, and DeepSHAP without
// those of every neuron.
struct CheapSetting {
  const char *method, *key, *value;
};
constexpr CheapSetting kCheapSettings[] = {{"shapley", "samples", "32"}, {"deep_shap", "granularity", "component"}};

}  // namespace

int64_t row_work(const Model& model) {
  const std::vector<Node>& nodes = model.graph().nodes;
  const bool function =
      std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.op->name == "opaque"; });
  return function ? kWorkOfFunction : model.cost().macs_per_row;
}

namespace {

// ---- what is asked ----

void make_affordable(std::vector<ChosenMethod>& methods, int64_t work, Running& running) {
  for (ChosenMethod& chosen : methods) {
    for (const CheapSetting& cheap : kCheapSettings) {
      if (work <= kSmallWork || chosen.own || chosen.method.name != cheap.method) continue;
      if (chosen.given.contains(cheap.key)) continue;
      std::map<std::string, std::string> all = chosen.given;
      all[cheap.key] = cheap.value;
      chosen.parameters = Parameters(chosen.method.name, chosen.method.parameters, all);
      running.note(fmt::format("{}: {}={}, because the model is large; `set` chooses otherwise", cheap.method,
                               cheap.key, cheap.value));
    }
  }
}

std::string grid_within(int64_t cells, const ImageShape& image) {
  return fmt::format("grid:{}x{}", std::min(cells, image.height), std::min(cells, image.width));
}

// Every number by itself where they are few, else every step, else segments of them.
std::string series_players(const Players& players) {
  return std::ssize(players.owner) <= kMostOfSeries ? "elements" : segments_text(*players.series, kMostOfSeries);
}

// Images are shared among some hundred players at most, so that masking methods take seconds; the others show pixels
// all the same.
}  // namespace

void choose_usual_players(std::vector<RowQuestion>& rows, int64_t work, std::vector<std::string>& notes) {
  bool changed = false;
  const int64_t most = work <= kSmallWork ? kFineGrid : kCoarseGrid;
  std::string wanted;
  for (RowQuestion& row : rows) {
    const auto& plane = row.players.plane();
    if (!plane) continue;
    wanted = row.players.series ? series_players(row.players) : grid_within(most, *plane);
    Players players = make_players({wanted, row.row, row.image(), row.players.channels, &row.x()});
    if (players.count() >= row.players.count()) continue;
    row.players = std::move(players);
    changed = true;
  }
  if (changed) notes.push_back(fmt::format("players: {}; `players` chooses others", wanted));
}

namespace {

// Images with fewer players, where masking each of them once would take long.
void coarsen_players(std::vector<RowQuestion>& rows, const QuestionRequest& request, const Pace& pace,
                     Spending& spending) {
  if (!spending.limited() || request.chose_players() || !rows[0].players.image) return;
  const auto seconds = [&] {
    double sum = 0;
    for (const RowQuestion& row : rows) {
      sum += static_cast<double>(row.players.count() * row.baseline_count()) * pace.forward;
    }
    return sum;
  };
  const std::string finest = rows[0].players.description;
  for (const int64_t cells : kCoarserGrids) {
    if (seconds() <= kShareOfPlayers * spending.budget()) break;
    for (RowQuestion& row : rows) {
      Players players = make_players(
          {grid_within(cells, *row.players.plane()), row.row, row.image(), row.players.channels, &row.x()});
      if (players.count() < row.players.count()) row.players = std::move(players);
    }
  }
  if (const std::string& now = rows[0].players.description; now != finest) {
    spending.cut(
        {"players", fmt::format("{} instead of {}", now, finest), fmt::format("`players` {} chooses those", finest)});
  }
}

// Settings of methods that fit into the time, and those that do not fit at all.
struct PlannedMethods {
  std::vector<ChosenMethod> methods;
  std::vector<Lowered> lowered;
  std::vector<double> seconds;  // of each
};

PlannedMethods plan_methods(std::vector<ChosenMethod> methods, const std::vector<RowQuestion>& rows, bool kinks,
                            const Pace& pace, Spending& spending) {
  PlannedMethods planned{std::move(methods), {}, {}};
  const Asking asking{rows[0].players, rows[0].baseline_count(), kinks};
  const auto count = static_cast<double>(rows.size());
  if (spending.limited()) {
    std::vector<Dial> dials = dials_of(planned.methods, asking, pace, count);
    planned.lowered = lower_to(spending.at_least(kShareOfMethods * spending.left()), dials);
    for (const Lowered& one : planned.lowered) {
      spending.cut({one.names(), "computed " + one.words(), "`set` chooses otherwise"});
    }
  }
  for (const ChosenMethod& one : planned.methods) {
    planned.seconds.push_back(count * passes_of(one.method, one.parameters, asking).seconds(pace));
  }
  return planned;
}

// The cheapest first where time is short, so that a stop takes the fewest.
std::vector<size_t> order_of(const PlannedMethods& planned) {
  std::vector<size_t> order(planned.methods.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (planned.lowered.empty()) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return planned.seconds[a] < planned.seconds[b]; });
  return order;
}

void run_within(ExplainResult& result, const PlannedMethods& planned, ExplainedModel& model, Spending& spending,
                Running& running) {
  const std::vector<Question> questions(result.rows.begin(), result.rows.end());
  const double until = kMostOfMethods * spending.left();
  const double start = spending.spent();
  for (const size_t i : order_of(planned)) {
    const std::string& name = planned.methods[i].method.name;
    const double most = spending.at_least(until - (spending.spent() - start));
    Spent spent{name, {}, 0, setting_of(planned.lowered, name)};
    if (spending.limited()) spent.planned = planned.seconds[i];
    const bool done = spending.within(most, std::move(spent), running.progress_of(name), [&](const Progress& progress) {
      run_method(result, planned.methods[i], questions, model, false, running, progress);
    });
    if (done) continue;
    result.left_out.push_back(
        {name, fmt::format("{}; ascribe explain with `method` {} computes it", stopped_text(most), name)});
    spending.cut({name, most > 0 ? "stopped, and left out" : "left out",
                  fmt::format("ascribe explain with `method` {} computes it", name)});
  }
  // In the order in which they were asked for.
  std::vector<MethodAnswer> answers;
  std::vector<LeftOut> left_out;
  for (const ChosenMethod& one : planned.methods) {
    for (MethodAnswer& answer : result.methods) {
      if (answer.name() == one.method.name) answers.push_back(std::move(answer));
    }
    for (LeftOut& left : result.left_out) {
      if (left.method == one.method.name) left_out.push_back(std::move(left));
    }
  }
  result.methods = std::move(answers);
  result.left_out = std::move(left_out);
  take_values(result, questions, model);
}

}  // namespace

document::TimeSpent time_facts(const Spending& spending, const Pace& pace, int64_t asked, int64_t computed) {
  document::TimeSpent time;
  if (spending.limited()) {
    time.budget = document::number(spending.budget());
    time.forward = document::number(pace.forward);
    if (pace.gradient > 0) time.gradient = document::number(pace.gradient);
  }
  time.masked_asked = asked;
  time.masked_computed = computed;
  for (const Spent& one : spending.parts()) {
    time.parts.push_back({one.part, one.planned ? document::number(*one.planned) : std::nullopt,
                          document::number(one.seconds), one.decision, one.stopped});
  }
  for (const Shortened& one : spending.cuts()) {
    // Several rows have the same.
    const bool known = std::any_of(time.cuts.begin(), time.cuts.end(), [&](const document::CutPart& other) {
      return other.part == one.part && other.what == one.what;
    });
    if (!known) time.cuts.push_back({one.part, one.what, one.instead});
  }
  return time;
}

namespace {

// Every row is a section of the page. Those that were named one by one, or chosen by number, were asked for.
void check_row_count(const ReportRequest& request, const std::vector<RowQuestion>& rows) {
  const RowSource& source = request.question.rows;
  const auto count = std::ssize(rows);
  const auto named = std::ssize(source.files) + std::ssize(source.contents);
  if (!source.rows.empty() || count <= std::max(request.most_rows, named)) return;
  fail(ErrorKind::argument, "rows",
       "the data have {} rows, and each would be a section of the page; expected at most {}; `row` chooses some "
       "(0:{} are the first {}), `rows` {} makes one page about all of them",
       count, request.most_rows, request.most_rows, request.most_rows, count);
}

std::vector<RowQuestion> ask_rows(const Subject& subject, const ReportRequest& report, int64_t work, Running& running) {
  const QuestionRequest& request = report.question;
  std::vector<std::string> notes;
  QuestionMaker maker(subject, request, running.seed(), notes);
  maker.read_rows();
  check_row_count(report, maker.questions());
  if (!request.chose_players()) choose_usual_players(maker.questions(), work, notes);
  maker.take_baselines();
  maker.take_targets();
  running.note(notes);
  return std::move(maker.questions());
}

// What the model says of all rows together.
std::vector<Prediction> predict_rows(const Subject& subject, const std::vector<RowQuestion>& rows, int64_t labels) {
  std::vector<Tensor> together;
  for (size_t input = 0; input < rows[0].point.size(); ++input) {
    std::vector<Tensor> parts;
    for (const RowQuestion& row : rows) parts.push_back(row.point[input]);
    together.push_back(rows.size() == 1 ? parts[0] : stacked_rows(parts));
  }
  std::vector<std::string> sources;
  for (const RowQuestion& row : rows) sources.push_back(row.source);
  return predictions_of(subject.model(), together, sources, {}, labels, &subject.outer().graph());
}

// ---- the head of the document ----

// "4G", "512M", or bytes.
std::string memory_text(size_t bytes) {
  std::string_view units = " KMGT";
  while (units.size() > 1 && bytes > 0 && bytes % 1024 == 0) bytes /= 1024, units.remove_prefix(1);
  return units[0] == ' ' ? fmt::format("{}", bytes) : fmt::format("{}{}", bytes, units[0]);
}

std::string ports_text(const std::vector<DeclaredValue>& values) {
  std::vector<std::string> ports;
  for (const DeclaredValue& value : values) {
    std::vector<std::string> extents;
    for (const int64_t extent : value.shape) extents.push_back(extent < 0 ? "?" : std::to_string(extent));
    ports.push_back(fmt::format("{} [{}]", value.name, fmt::join(extents, ", ")));
  }
  return fmt::format("{}", fmt::join(ports, ", "));
}

}  // namespace

document::Facts facts_of_model(const Subject& subject) {
  const Model& model = subject.model();
  document::Facts facts = {{"file", subject.name()}};
  if (const std::string hash = subject.hash(); !hash.empty()) facts.push_back({"sha256", hash});
  facts.push_back({"producer", model.info().producer});
  facts.push_back({"parameters", model.cost().parameters});
  facts.push_back({"macs_per_row", model.cost().macs_per_row});
  facts.push_back({"input", ports_text(model.info().inputs)});
  facts.push_back({"output", ports_text(model.info().outputs)});
  return facts;
}

namespace {

document::Facts setting_facts(const Model& model, const RowQuestion& first, const ReportRequest& request) {
  document::Facts facts;
  if (!request.command.empty()) facts.push_back({"command", request.command});
  facts.insert(facts.end(), {{"seed", request.run.seed},
                             {"threads", thread_count()},
                             {"memory", memory_text(model.memory())},
                             {"budget", request.budget},
                             {"precision", to_string(model.precision())},
                             {"explain", first.explains},
                             {"target", request.question.target_text()},
                             {"baseline", first.baselines_text()},
                             {"players", first.players.description},
                             {"parts", request.parts.empty() ? "as the model allows" : request.parts}});
  if (first.picture && first.picture->preprocess) {
    facts.push_back({"preprocess", describe(*first.picture->preprocess)});
  }
  return facts;
}

// ---- rows ----

std::vector<document::Row> rows_of(const Reporting& reporting, const std::vector<Prediction>& predictions,
                                   ExplainedModel& asked, ExplainedModel& few) {
  const std::vector<std::string> labels = labels_of(reporting.request.question);
  std::vector<document::Row> rows;
  for (size_t r = 0; r < reporting.explained.rows.size(); ++r) {
    document::Row& row = rows.emplace_back(explained_row(reporting.explained, r, predictions, labels));
    add_metrics(row, reporting, asked, r);
    add_estimated(row, reporting, asked, r);
    add_parts(row, reporting, few, r);
    row.trusted = document::trusted_of(row);
  }
  return rows;
}

// The model for sets of few players: in double where it is small.
ExplainedModel& few_model(const Subject& subject, const QuestionRequest& request, const RowQuestion& row,
                          int64_t work) {
  const bool exact = !subject.model().chose_precision() && affords_double(work);
  return subject.explained(exact ? request.options(row, DType::f64) : request.options(row));
}

}  // namespace

Pace pace_for(ExplainedModel& model, const Question& question, const TimeKeeping& time, const Spending& spending) {
  if (!spending.limited()) return {};
  return spending.told([&] { return time.pace ? time.pace(model) : measured_pace(model, question, spending.clock()); });
}

namespace {

Document head_of(const Subject& subject, const ReportRequest& request, const std::vector<RowQuestion>& rows) {
  Document document;
  document.title = request.title;
  if (document.title.empty()) {
    document.title =
        rows.size() == 1 ? rows[0].title(subject.name()) : fmt::format("{}: {} decisions", subject.name(), rows.size());
  }
  document.program = {"ascribe", ASCRIBE_VERSION};
  document.created = request.created;
  document.model = facts_of_model(subject);
  document.settings = setting_facts(subject.model(), rows[0], request);
  return document;
}

}  // namespace

std::string moment_text() {
  const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t moment = fixed != nullptr ? std::strtoll(fixed, nullptr, 10) : std::time(nullptr);
  std::tm parts{};
  if (gmtime_r(&moment, &parts) == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min);
}

void check_report(const ReportRequest& request) {
  if (choose_methods(request.methods, request.settings).empty()) {
    fail(ErrorKind::argument, "method", "there is no method to explain with");
  }
  for (const std::string& name : request.metrics) metric_named(name);
  Budget::parse(request.budget);
}

Document report(const Subject& given, const ReportRequest& request) {
  check_report(request);
  Spending spending(Budget::parse(request.budget), request.time);
  Running running(request.run);
  const Subject subject = asked(given, request.question, running);
  Model& model = subject.model();
  const int64_t work = row_work(model);
  running.note(model.notes());
  std::vector<ChosenMethod> methods = choose_methods(request.methods, request.settings);
  make_affordable(methods, work, running);
  ExplainResult result;
  result.rows = ask_rows(subject, request, work, running);
  running.begin(std::ssize(result.rows));
  const std::vector<Prediction> predictions =
      predict_rows(subject, result.rows, std::ssize(labels_of(request.question)));
  ExplainedModel& asked = subject.explained(request.question.options(result.rows[0]));
  ExplainedModel& few = few_model(subject, request.question, result.rows[0], work);
  running.note(asked.notes());
  const Pace pace = pace_for(asked, result.rows[0], request.time, spending);
  const Pace few_pace = &few == &asked ? pace : pace_for(few, result.rows[0], request.time, spending);
  coarsen_players(result.rows, request.question, pace, spending);
  Document document = head_of(subject, request, result.rows);
  document.notes = running.notes();
  const SharedWork shared(asked), shared_by_few(few);
  const PlannedMethods planned =
      plan_methods(std::move(methods), result.rows, has_kinks(asked.graph()), pace, spending);
  run_within(result, planned, asked, spending, running);
  const auto told = std::ssize(running.notes());  // methods that are left out say so in their rows
  document.rows = rows_of({request, result, work, running, spending, pace, few_pace}, predictions, asked, few);
  for (size_t r = 0; r < document.rows.size(); ++r) {
    document.rows[r].parts = parts_of_inputs(result, r);
    document.rows[r].region =
        region_of(result.rows[r], subject.outer().graph(), std::ssize(labels_of(request.question)));
  }
  document.notes.insert(document.notes.end(), running.notes().begin() + told, running.notes().end());
  document.time =
      time_facts(spending, pace, shared.asked() + shared_by_few.asked(), shared.computed() + shared_by_few.computed());
  document.seconds = number(spending.spent());
  return document;
}

}  // namespace ascribe::core::study
