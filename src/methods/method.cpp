#include "methods/method.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "base/finite.h"
#include "methods/compile.h"
#include "methods/group_errors.h"
#include "methods/plausibility.h"
#include "methods/spread.h"

namespace ascribe::core {

namespace {

// The rows that answer a question: one, or one for each baseline.
int64_t rows_of(const Method& method, const Question& question) {
  return method.baselines ? question.baseline_count() : 1;
}

double mean_of(const Tensor& values, int64_t first, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values.at(first + i);
  return sum / static_cast<double>(count);
}

// The output of this name, if the graph has it.
const Tensor* output_named(const Session& session, std::span<const Tensor> outputs, std::string_view name) {
  const auto& ports = session.graph().outputs;
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  return found == ports.end() ? nullptr : &outputs[static_cast<size_t>(found - ports.begin())];
}

struct GraphAccount {
  std::vector<std::string> notes, layers;
  bool sampled = false;
  std::vector<int64_t> group_sizes;
};

bool is_zero(const Tensor& values) {
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.at(i) != 0) return false;
  }
  return true;
}

// Of the players, from what each group of draws gives: [rows, groups, ...], rows that answer one question.
std::vector<double> errors_by_groups(const Tensor& groups, const std::vector<int64_t>& sizes, int64_t first,
                                     int64_t rows, const Players& players) {
  const int64_t count = std::ssize(sizes);
  const Tensor mean = mean_row(groups, first, rows, {groups.shape().begin() + 1, groups.shape().end()});
  const std::span<const double> all = mean.data<double>();
  const size_t each = all.size() / static_cast<size_t>(count);
  std::vector<std::vector<double>> estimates;
  for (size_t g = 0; g < sizes.size(); ++g) {
    estimates.push_back(sums_of_players(players, all.subspan(g * each, each)));
  }
  return standard_errors_of_groups(estimates, sizes);
}

// All questions as rows of the method's graph; where it uses baselines, x once beside each of them.
std::vector<Attribution> run_graph(const Method& method, ExplainedModel& model, std::span<const Question> questions,
                                   const MethodRun& run) {
  const auto key = fmt::format("{} {} {}", method.name, run.parameters.key(), run.seed);
  // What is said of the graph outlives its session, which may be dropped.
  const auto about = model.kept<GraphAccount>("about " + key, [] { return std::make_shared<GraphAccount>(); });
  const std::shared_ptr<Session> session = model.session(key, [&] {
    Explanation explanation = runnable_explanation(model, method, run.parameters, run.seed);
    *about = {explanation.notes, explanation.layers, explanation.sampled, explanation.group_sizes};
    return std::move(explanation.graph);
  });
  const size_t inputs = model.graph().inputs.size();
  std::vector<std::vector<Tensor>> parts(session->graph().inputs.size());
  std::vector<int64_t> targets;
  for (const Question& question : questions) {
    const int64_t rows = rows_of(method, question);
    for (size_t i = 0; i < inputs; ++i) parts[i].push_back(repeated_row(question.point[i], rows));
    targets.insert(targets.end(), static_cast<size_t>(rows), question.target);
    if (method.baselines) parts[inputs + 1].push_back(effective_baselines(model, question).cast(model.real()));
  }
  std::vector<Tensor> stacked;
  for (size_t i = 0; i < parts.size(); ++i) {
    stacked.push_back(i == inputs ? Tensor::of<int64_t>({std::ssize(targets)}, targets) : stacked_rows(parts[i]));
  }
  const std::vector<Tensor> outputs = model.run(*session, stacked, std::ssize(targets), run.progress);

  const Tensor* baseline_values = output_named(*session, outputs, "baseline_value");
  const Tensor* maps = output_named(*session, outputs, "layer_map");
  const Tensor* groups = output_named(*session, outputs, "groups");
  std::vector<Attribution> answers;
  int64_t first = 0;
  for (const Question& question : questions) {
    const int64_t rows = rows_of(method, question);
    const double baseline_output = baseline_values != nullptr ? mean_of(*baseline_values, first, rows)
                                                              : model.baseline_output(question, run.progress);
    Attribution answer = attribution_of_elements(question, mean_row(outputs[0], first, rows, model.row()),
                                                 outputs[1].at(first), baseline_output, method.total);
    answer.evaluations = rows * (baseline_values != nullptr ? 3 : 2);
    if (maps != nullptr)
      answer.layer_map = mean_row(*maps, first, rows, {maps->shape().begin() + 2, maps->shape().end()});
    if (groups != nullptr) {
      answer.standard_errors = errors_by_groups(*groups, about->group_sizes, first, rows, question.players);
      answer.degrees_of_freedom = static_cast<double>(about->group_sizes.size()) - 1;
      answer.evaluations += rows * std::ssize(about->group_sizes);
    }
    answer.notes = about->notes;
    answer.layers = about->layers;
    if (maps != nullptr && is_zero(answer.elements)) {
      answer.notes.emplace_back(
          "the map is zero everywhere: at this layer nothing speaks for the target; another "
          "`layer` may show something, `relu` = false what speaks against it");
    }
    answer.exact = !about->sampled;
    answers.push_back(std::move(answer));
    first += rows;
  }
  return answers;
}

// Only a method of masked inputs knows players that depend on each other.
void check_absence(const Method& method, const Question& question) {
  if (!question.absence.conditional() || method.game) return;
  std::vector<std::string> games;
  for (const std::string& name : method_names()) {
    if (method_named(name).game) games.push_back(name);
  }
  fail(ErrorKind::unsupported, method.name,
       "compares with baselines as they are; absent players that depend on the others are for {}",
       fmt::join(games, ", "));
}

void check_count(const Method& method, const Question& question, const Attribution& answer) {
  if (std::ssize(answer.values) == question.players.count()) return;
  fail(ErrorKind::internal, method.name, "the method gave {} values to {} players", answer.values.size(),
       question.players.count());
}

// The rule of base/finite.h for attributions.
// A method that reads no baselines answers as well where f(b) is not finite; only its residual says nothing.
void check_finite(const Method& method, Attribution& answer) {
  const bool ignores_baseline =
      !method.baselines && std::isfinite(answer.output) && !std::isfinite(answer.baseline_output);
  if (ignores_baseline && method.total == Total::change) {
    answer.notes.push_back(
        fmt::format("f(b) is {}, so the values cannot be held against f(x) - f(b); the method does "
                    "not use b",
                    number_in_words(answer.baseline_output)));
  }
  const auto wrong =
      std::find_if(answer.values.begin(), answer.values.end(), [](double v) { return !std::isfinite(v); });
  if (wrong == answer.values.end() && (std::isfinite(answer.residual) || ignores_baseline)) return;
  fail(ErrorKind::numeric, method.name, "the attribution is not finite; f(x) is {}, f(b) is {}{}{}",
       number_in_words(answer.output), number_in_words(answer.baseline_output),
       wrong == answer.values.end()
           ? ""
           : fmt::format(", player {} got {}", wrong - answer.values.begin(), number_in_words(*wrong)),
       answer.notes.empty() ? "" : fmt::format("; {}", fmt::join(answer.notes, "; ")));
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<const Method*> methods;
  for (const auto& [name, method] : MethodRegistry::instance().entries()) methods.push_back(&method);
  const auto rank = [](const Method* m) { return m->number == 0 ? 1000 : m->number; };
  std::stable_sort(methods.begin(), methods.end(), [&](auto a, auto b) { return rank(a) < rank(b); });
  std::vector<std::string> names;
  for (const Method* method : methods) names.push_back(method->name);
  return names;
}

const Method& method_named(std::string_view name) {
  if (const Method* method = MethodRegistry::instance().find(name)) return *method;
  fail(ErrorKind::unsupported, name, "there is no such method; {}", expected_one_of(name, method_names()));
}

const Value& BaselineValues::operator[](size_t input) const {
  if (input < values_.size()) return values_[input];
  fail(
      ErrorKind::internal, method_,
      "the method reads the baseline of input {} and there are {}; expected `.baselines = true` where it is registered",
      input, values_.size());
}

RegisterMethod::RegisterMethod(Method method) {
  std::string name = method.name;
  require(!name.empty(), "methods", "a method has no name");
  require(method.graph != nullptr || method.attribute, name, "a method that can neither be run nor compiled");
  Parameters(name, method.parameters);  // refuses what is declared twice
  MethodRegistry::instance().add(std::move(name), std::move(method));
}

std::vector<Attribution> attribute(const Method& method, ExplainedModel& model, std::span<const Question> questions,
                                   const Parameters& parameters, uint64_t seed, const Progress& progress) {
  const MethodRun run{parameters, seed, progress};
  for (const Question& question : questions) check_absence(method, question);
  std::vector<Attribution> answers =
      method.attribute ? method.attribute(model, questions, run) : run_graph(method, model, questions, run);
  if (answers.size() != questions.size()) {
    fail(ErrorKind::internal, method.name, "got {} answers to {} questions", answers.size(), questions.size());
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    check_count(method, questions[i], answers[i]);
    check_finite(method, answers[i]);
    check_plausible(method, model, questions[i], answers[i], progress);
  }
  return answers;
}

}  // namespace ascribe::core
