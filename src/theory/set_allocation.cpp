#include "theory/set_allocation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "game/moebius.h"
#include "methods/foreign.h"

namespace ascribe::core {

namespace {

constexpr int64_t kBatchBytes = int64_t{64} << 20;  // of masked rows that are explained together
constexpr int64_t kMostAtOnce = 256;
constexpr double kRoundings = 8;    // units in the last place that a network's output may be off
constexpr int64_t kAskedAgain = 8;  // masked inputs that a method of the caller's is asked about twice

// What is read of an answer to a masked question.
struct Answer {
  std::vector<double> values;
  double output = 0;
  int64_t evaluations = 0;
  std::vector<double> errors = {};  // of the values; empty: none
};
using Answers = std::function<std::vector<Answer>(std::span<const Question>)>;

// The baselines of the question, one at a time; rows share their memory, so that f is asked about each once.
std::vector<Tensor> single_baselines(const Question& question) {
  Shape shape = question.baselines.shape();
  const int64_t count = shape[0], size = question.baselines.size() / count;
  shape[0] = 1;
  std::vector<Tensor> baselines;
  const auto from = question.baselines.data<double>();
  for (int64_t b = 0; b < count; ++b) {
    baselines.push_back(
        Tensor::of<double>(shape, from.subspan(static_cast<size_t>(b * size), static_cast<size_t>(size))));
  }
  return baselines;
}

Question masked(const ExplainedModel& model, const Question& question, const Tensor& baseline, uint64_t present) {
  Question result = question;
  result.baselines = baseline;
  Tensor x = question.point[model.input()].cast(model.real());
  const Tensor b = baseline.cast(model.real());
  visit(model.real(), [&]<class T>(T) {
    const auto from = b.data<T>();
    const auto to = x.mutable_data<T>();
    for (size_t i = 0; i < to.size(); ++i) {
      const int32_t owner = question.players.owner[i];
      if (owner >= 0 && (present >> owner & 1) == 0) to[i] = from[i];
    }
  });
  result.point[model.input()] = std::move(x);
  return result;
}

void check_answer(const Answer& answer, int players) {
  if (std::ssize(answer.values) == players) return;
  fail(ErrorKind::argument, "explainer", "gave {} values; expected one for each of the {} players",
       answer.values.size(), players);
}

class Allocator {
 public:
  Allocator(ExplainedModel& model, const Question& question, const Progress& progress)
      : model_(model), question_(question), progress_(progress) {
    result_.attributions = cost_of_allocation(question);
    result_.players = static_cast<int>(question.players.count());
    const size_t sets = size_t{1} << result_.players;
    result_.effects.assign(sets, 0.0);
    result_.values.assign(static_cast<size_t>(result_.players) * sets, 0.0);
    result_.errors = result_.values;
  }

  SetAllocation run(const Answers& answers) {
    for (const Tensor& baseline : single_baselines(question_)) add(baseline, answers);
    const double count = static_cast<double>(question_.baseline_count());
    for (std::vector<double>* all : {&result_.values, &result_.effects, &result_.errors}) {
      for (double& value : *all) value /= count;
    }
    add_rounding();
    moebius_transform(result_.effects);
    for (int p = 0; p < result_.players; ++p) {
      moebius_transform(std::span(result_.values).subspan(static_cast<size_t>(p) * result_.sets(), result_.sets()));
    }
    return std::move(result_);
  }

  SetAllocation& result() { return result_; }

 private:
  void add(const Tensor& baseline, const Answers& answers) {
    const int64_t row_bytes = element_count(model_.row()) * static_cast<int64_t>(size_of(model_.real()));
    const auto sets = static_cast<int64_t>(result_.sets());
    const int64_t at_once = std::clamp<int64_t>(kBatchBytes / std::max<int64_t>(row_bytes, 1), 1, kMostAtOnce);
    for (int64_t first = 0; first < sets; first += at_once) {
      const int64_t count = std::min(at_once, sets - first);
      std::vector<Question> questions;
      for (int64_t s = first; s < first + count; ++s) {
        questions.push_back(masked(model_, question_, baseline, static_cast<uint64_t>(s)));
      }
      const std::vector<Answer> found = answers(questions);
      require(found.size() == questions.size(), "explainer", "expected an answer to each question");
      for (int64_t s = first; s < first + count; ++s)
        read(found[static_cast<size_t>(s - first)], static_cast<size_t>(s));
      done_ += count;
      report(progress_, "masked inputs", done_, result_.attributions);
    }
  }

  // Of what is computed: relative to the largest number that takes part.
  void add_rounding() {
    const double unit = kRoundings * (model_.real() == DType::f64 ? 0x1p-53 : 0x1p-24);
    const auto largest = [](std::span<const double> numbers) {
      double most = 0;
      for (const double number : numbers) most = std::max(most, std::abs(number));
      return most;
    };
    result_.effect_errors.assign(result_.sets(), unit * largest(result_.effects));
    over_subsets(result_.effect_errors);
    for (int p = 0; p < result_.players; ++p) {
      const size_t first = static_cast<size_t>(p) * result_.sets();
      const double rounding = unit * largest(std::span(result_.values).subspan(first, result_.sets()));
      const std::span<double> errors = std::span(result_.errors).subspan(first, result_.sets());
      for (double& error : errors) error = std::hypot(error, rounding);
      over_subsets(errors);
    }
  }

  // Errors of independent terms add up by their squares.
  static void over_subsets(std::span<double> errors) {
    for (double& error : errors) error *= error;
    zeta_transform(errors);
    for (double& error : errors) error = std::sqrt(error);
  }

  void read(const Answer& answer, size_t set) {
    check_answer(answer, result_.players);
    for (size_t p = 0; p < answer.values.size(); ++p) result_.values[p * result_.sets() + set] += answer.values[p];
    for (size_t p = 0; p < answer.errors.size(); ++p) result_.errors[p * result_.sets() + set] += answer.errors[p];
    result_.effects[set] += answer.output;
    result_.evaluations += answer.evaluations;
  }

  ExplainedModel& model_;
  const Question& question_;
  const Progress& progress_;
  SetAllocation result_;
  int64_t done_ = 0;
};

bool residual_is_quadrature(const Method& method) {
  return method.complete && method.total == Total::change &&
         std::any_of(method.parameters.begin(), method.parameters.end(),
                     [](const Parameter& parameter) { return parameter.name == "steps"; });
}

// How far the values may be off. Of an integral the sum is known: what it misses is laid to the players by the sizes of
// their values.
std::vector<double> errors_of(const Method& method, const Attribution& a, SetAllocation& result) {
  std::vector<double> errors(a.values.size(), 0.0);
  double sizes = 0;
  for (const double value : a.values) sizes += std::abs(value);
  if (residual_is_quadrature(method)) {
    const double missed = sizes > 0 ? kSureOfErrors * std::abs(a.residual) / sizes : 0;
    for (size_t p = 0; p < errors.size(); ++p) errors[p] = missed * std::abs(a.values[p]);
    if (!a.exact && result.doubt.empty()) {
      result.doubt = "its integrals were not exact enough with the nodes that could be spent";
    }
  } else if (!a.standard_errors.empty()) {
    for (size_t p = 0; p < errors.size(); ++p) errors[p] = kSureOfErrors * a.standard_errors[p];
    result.doubt = "its values were sampled, and their standard errors are of this size";
  } else if (!a.exact) {
    result.errors_known = false;
    result.doubt = "its values were sampled, and other draws give other values";
  }
  return errors;
}

size_t few_of(std::span<const Question> questions) {
  return std::min(questions.size(), static_cast<size_t>(kAskedAgain));
}

// A method of the caller's that answers differently when it is asked again is off by as much.
void add_whims(std::vector<Answer>& answers, const std::vector<Attribution>& again, SetAllocation& result) {
  double most = 0;
  for (size_t q = 0; q < again.size(); ++q) {
    for (size_t p = 0; p < again[q].values.size(); ++p) {
      most = std::max(most, std::abs(again[q].values[p] - answers[q].values[p]));
    }
  }
  if (most == 0) return;
  result.doubt = "the method gave other values when it was asked the same again";
  result.exact = false;
  for (Answer& answer : answers) {
    for (double& error : answer.errors) error += kSureOfErrors * most;
  }
}

void add_once(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  for (const std::string& note : more) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

}  // namespace

double SetAllocation::given(uint64_t set) const {
  double sum = 0;
  for (int p = 0; p < players; ++p) sum += (*this)(p, set);
  return sum;
}

std::vector<double> SetAllocation::attribution() const {
  std::vector<double> sums;
  for (int p = 0; p < players; ++p) {
    const auto row = values.begin() + static_cast<int64_t>(static_cast<size_t>(p) * sets());
    sums.push_back(std::accumulate(row, row + static_cast<int64_t>(sets()), 0.0));
  }
  return sums;
}

double SetAllocation::change() const { return std::accumulate(effects.begin() + 1, effects.end(), 0.0); }

int64_t cost_of_allocation(const Question& question) {
  const int64_t players = question.players.count(), baselines = question.baseline_count();
  if (players > kMostAllocatedPlayers) {
    fail(ErrorKind::argument, "allocation per set",
         "the method is run on every masked input, 2^{} = {:.3g} times; got {} players; expected at most {}, for "
         "example by `players` grid:3x3",
         players, std::pow(2.0, static_cast<double>(players)), players, kMostAllocatedPlayers);
  }
  const int64_t attributions = baselines << players;
  if (attributions > kMostAllocatedAttributions) {
    fail(ErrorKind::argument, "allocation per set",
         "{} baselines times 2^{} masked inputs are {} attributions; expected at most {}", baselines, players,
         attributions, kMostAllocatedAttributions);
  }
  return attributions;
}

JudgedQuestion judged_question(const Method& method, const ExplainedModel& model, const Question& question,
                               const Parameters& parameters, uint64_t seed) {
  JudgedQuestion judged{question, parameters, ""};
  if (method.drawn == nullptr) return judged;
  std::optional<DrawnBaselines> drawn = method.drawn(model, question, {parameters, seed, {}});
  if (!drawn) return judged;
  judged.question.baselines = std::move(drawn->rows);
  judged.parameters = Parameters(method.name, method.parameters, drawn->parameters);
  judged.baselines = std::move(drawn->about);
  return judged;
}

SetAllocation allocation_per_set(const Method& method, ExplainedModel& model, const Question& asked,
                                 const Parameters& given, uint64_t seed, const Progress& progress) {
  const JudgedQuestion judged = judged_question(method, model, asked, given, seed);
  const Parameters& parameters = judged.parameters;
  Allocator allocator(model, judged.question, progress);
  SetAllocation& result = allocator.result();
  result.baselines = judged.baselines;
  const bool foreign = method.source == kForeignSource;
  return allocator.run([&](std::span<const Question> questions) {
    std::vector<Answer> answers;
    for (Attribution& a : attribute(method, model, questions, parameters, seed)) {
      std::vector<double> errors = errors_of(method, a, result);
      result.exact = result.exact && a.exact;
      if (result.notes.size() < 8) add_once(result.notes, a.notes);
      answers.push_back({std::move(a.values), a.output, a.evaluations, std::move(errors)});
    }
    if (foreign)
      add_whims(answers, attribute(method, model, questions.first(few_of(questions)), parameters, seed), result);
    return answers;
  });
}

void take_errors_from(SetAllocation& allocation, const SetAllocation& again) {
  for (size_t k = 0; k < allocation.errors.size(); ++k) {
    allocation.errors[k] = std::hypot(allocation.errors[k], kSureOfErrors * (allocation.values[k] - again.values[k]));
  }
  allocation.errors_known = true;
}

SetAllocation allocation_per_set(const Explainer& explainer, ExplainedModel& model, const Question& question,
                                 const Progress& progress) {
  return Allocator(model, question, progress).run([&](std::span<const Question> questions) {
    std::vector<std::vector<double>> values = explainer(questions);
    require(values.size() == questions.size(), "explainer", "expected values for each question");
    std::vector<Answer> answers;
    for (size_t q = 0; q < questions.size(); ++q) {
      const double output = model.values(questions[q].point, std::array{questions[q].target})[0];
      answers.push_back({std::move(values[q]), output, 1});
    }
    return answers;
  });
}

Question masked_question(const ExplainedModel& model, const Question& question, int64_t baseline, uint64_t present) {
  return masked(model, question, single_baselines(question)[static_cast<size_t>(baseline)], present);
}

}  // namespace ascribe::core
