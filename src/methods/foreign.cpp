#include "methods/foreign.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/finite.h"
#include "base/sha256.h"

namespace ascribe::core {

namespace {

constexpr const char* kGivenFormula = "numbers that were given";

void check(std::span<const double> values, const Players& players, std::string_view where) {
  const auto elements = players.owner.size();
  if (std::ssize(values) != players.count() && values.size() != elements) {
    fail(ErrorKind::shape, where, "got {} numbers; expected one for each of the {} players or of the {} elements",
         values.size(), players.count(), elements);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) fail(ErrorKind::numeric, where, "number {} is {}", i, number_in_words(values[i]));
  }
}

// Results are told apart by it.
void check_name(const std::string& name) {
  if (name.empty()) fail(ErrorKind::argument, "name", "a method of one's own needs a name; got an empty one");
}

Attribution answer_of(const std::string& name, std::vector<double> values, ExplainedModel& model,
                      const Question& question, const Progress& progress) {
  check(values, question.players, name);
  const double output = model.values(question.point, std::array{question.target}, progress)[0];
  const double baseline_output = model.baseline_output(question, progress);
  const bool elements = values.size() == question.players.owner.size();
  Attribution answer =
      elements ? attribution_of_elements(question, Tensor::of<double>(model.row(), values), output, baseline_output)
               : attribution_of_players(question, std::move(values), output, baseline_output);
  answer.evaluations = 1 + question.baseline_count();
  return answer;
}

Method described(std::string name, std::string formula) {
  Method method;
  method.name = name;
  method.title = std::move(name);
  method.formula = std::move(formula);
  method.source = kForeignSource;
  method.about = "An attribution that was not computed by ascribe.";
  method.cost = "not known";
  method.use = "where it is compared with others, or audited";
  method.limits = "Nothing is promised of it.";
  method.baselines = true;
  return method;
}

// Equal for equal inputs, whatever type their numbers have.
std::string digest(const Question& question) {
  std::string bytes;
  for (const Tensor& tensor : question.point) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const double value = tensor.at(i) + 0.0;  // -0 is 0
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
  }
  return sha256(bytes);
}

// Whose input the lists of numbers are about, once somebody has asked.
struct Given {
  std::vector<std::vector<double>> rows;
  std::vector<std::string> inputs = {};  // as many as rows; empty: nobody has asked yet

  // The list that is about this input, or the first that is not about any yet.
  size_t place_of(const std::string& input, int64_t number) const {
    if (number >= 0) return static_cast<size_t>(number);
    const auto known = std::find(inputs.begin(), inputs.end(), input);
    return static_cast<size_t>((known != inputs.end() ? known : std::find(inputs.begin(), inputs.end(), "")) -
                               inputs.begin());
  }
};

const std::vector<double>& numbers_for(Given& given, const Question& question, const std::string& name) {
  const std::string input = digest(question);
  const size_t place = given.place_of(input, question.number);
  if (place >= given.rows.size() && question.number >= 0) {
    fail(ErrorKind::argument, name,
         "its numbers were given for {} rows, and row {} is asked about; expected those of "
         "every row",
         given.rows.size(), question.number);
  }
  if (place >= given.rows.size() || (!given.inputs[place].empty() && given.inputs[place] != input)) {
    fail(ErrorKind::unsupported, name, "its numbers were given for {}, and say nothing of other inputs",
         given.rows.size() == 1 ? "one input" : fmt::format("{} inputs", given.rows.size()));
  }
  given.inputs[place] = input;
  return given.rows[place];
}

}  // namespace

std::vector<double> values_per_player(std::span<const double> values, const Players& players, std::string_view where) {
  check(values, players, where);
  if (std::ssize(values) == players.count()) return {values.begin(), values.end()};
  std::vector<double> sums(static_cast<size_t>(players.count()), 0.0);
  for (size_t i = 0; i < values.size(); ++i) {
    if (players.owner[i] >= 0) sums[static_cast<size_t>(players.owner[i])] += values[i];
  }
  return sums;
}

bool is_given(const Method& method) { return method.source == kForeignSource && method.formula == kGivenFormula; }

std::shared_ptr<const Method> own_method(std::string name, OwnAttribution attribution) {
  check_name(name);
  if (!attribution) fail(ErrorKind::argument, name, "there is no function to call");
  Method method = described(std::move(name), "a function of the caller's");
  method.attribute = [name = method.name, attribution = std::move(attribution)](
                         ExplainedModel& model, std::span<const Question> questions, const MethodRun& run) {
    std::vector<Attribution> answers;
    for (const Question& question : questions) {
      answers.push_back(answer_of(name, attribution(model, question), model, question, run.progress));
      report(run.progress, "rows", std::ssize(answers), std::ssize(questions));
    }
    return answers;
  };
  return std::make_shared<const Method>(std::move(method));
}

std::shared_ptr<const Method> given_attribution(std::string name, std::vector<std::vector<double>> rows) {
  check_name(name);
  if (rows.empty()) fail(ErrorKind::argument, name, "there are no numbers");
  Method method = described(std::move(name), kGivenFormula);
  const auto given = std::make_shared<Given>(Given{std::move(rows)});
  given->inputs.resize(given->rows.size());
  method.attribute = [name = method.name, given](ExplainedModel& model, std::span<const Question> questions,
                                                 const MethodRun& run) {
    std::vector<Attribution> answers;
    for (const Question& question : questions) {
      answers.push_back(answer_of(name, numbers_for(*given, question, name), model, question, run.progress));
    }
    return answers;
  };
  return std::make_shared<const Method>(std::move(method));
}

}  // namespace ascribe::core
