#include "study/explain.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/ranges.h>

#include "study/absence.h"
#include "study/asked.h"

namespace ascribe::core::study {

namespace {

using Clock = std::chrono::steady_clock;

MethodAnswer answer_of(ChosenMethod& chosen, std::span<const Question> questions, ExplainedModel& model,
                       bool allocations, const Running& running, const Progress& progress) {
  const auto start = Clock::now();
  std::vector<Attribution> attributions =
      attribute(chosen.method, model, questions, chosen.parameters, running.seed(), progress);
  std::vector<SetAllocation> per_set;
  for (const Question& question : questions) {
    if (!allocations) break;
    per_set.push_back(allocation_per_set(chosen.method, model, question, chosen.parameters, running.seed(), progress));
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return {std::move(chosen), std::move(attributions), std::move(per_set), seconds};
}

// Behind a normalisation the slopes of a position cancel.
void note_slopes(const ExplainResult& result, const std::vector<ChosenMethod>& methods, Running& running) {
  if (result.rows.empty() || !result.rows[0].tokens) return;
  for (const ChosenMethod& chosen : methods) {
    if (chosen.method.kind != AttributionKind::sensitivity) continue;
    running.note(
        fmt::format("{}: the slopes of a token's embedding are added up, and behind a layer normalisation they "
                    "add up to about 0; gradient_x_input weighs them by the embedding",
                    chosen.method.name));
  }
}

// Before any work.
void require_traces(const std::vector<ChosenMethod>& methods) {
  if (std::any_of(methods.begin(), methods.end(), [](const ChosenMethod& chosen) { return chosen.method.traces; }))
    return;
  fail(ErrorKind::argument, "trace",
       "none of the methods goes back through the network node by node; LRP and DeepLIFT methods do");
}

}  // namespace

double MethodAnswer::explained(size_t row) const {
  const Attribution& a = attributions[row];
  return chosen.method.total == Total::change ? a.output - a.baseline_output : a.output;
}

ExplainResult explain(const Subject& given, const ExplainRequest& request) {
  Running running(request.run);
  std::vector<ChosenMethod> methods = choose_methods(request.methods, request.settings);
  if (methods.empty()) fail(ErrorKind::argument, "method", "there is no method to explain with");
  const Subject subject = asked(given, request.question, running);
  ExplainResult result;
  result.model = subject.path();
  running.note(subject.model().notes());
  result.rows = ask(subject, request.question, running);
  running.begin(std::ssize(result.rows));
  for (RowQuestion& row : result.rows) {
    take_absence(row, request.absence);
    if (!request.allocations) continue;
    if (row.absence.conditional()) {
      fail(ErrorKind::argument, "allocations",
           "masks players by one baseline after the other; got `absence` {}; expected none", request.absence);
    }
    cost_of_allocation(row);
  }
  ExplainedModel& model = subject.explained(request.question.options(result.rows[0]));
  running.note(model.notes());
  note_slopes(result, methods, running);
  result.notes = running.notes();
  if (request.trace) require_traces(methods);
  run_methods(result, std::move(methods), model, request.allocations, running);
  if (request.trace) add_traces(result, model, running);
  return result;
}

void add_traces(ExplainResult& result, ExplainedModel& model, const Running& running) {
  for (MethodAnswer& answer : result.methods) {
    for (const RowQuestion& row : result.rows) {
      if (!answer.chosen.method.traces) break;
      answer.traces.push_back(trace(answer.chosen.method, model, row, answer.chosen.parameters, running.seed(),
                                    running.progress_of(answer.name())));
    }
  }
}

void run_method(ExplainResult& result, ChosenMethod chosen, std::span<const Question> questions, ExplainedModel& model,
                bool allocations, Running& running, const Progress& progress) {
  try {
    result.methods.push_back(answer_of(chosen, questions, model, allocations, running, progress));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || !may_be_left_out(chosen, error.kind())) throw;
    result.left_out.push_back({chosen.method.name, error.what()});
    running.note(fmt::format("{} is left out: {}", chosen.method.name, error.what()));
  }
}

void take_values(ExplainResult& result, std::span<const Question> questions, ExplainedModel& model) {
  if (result.methods.empty()) fail(ErrorKind::unsupported, "method", "no method can be run on this model");
  result.values.clear();
  // Whoever stopped the work gets what was finished, and would stop this too.
  std::optional<Watch> unwatched;
  if (result.stopped) unwatched.emplace(Progress());
  for (size_t row = 0; row < questions.size(); ++row) {
    result.values.push_back({result.methods[0].attributions[row].output, model.baseline_output(questions[row])});
  }
}

namespace {

// The questions within rows, one behind the other as methods take them. Copies of them would cost more than a small
// network: the rows lend theirs, and get them back when the work is done or has failed.
class LentQuestions {
 public:
  explicit LentQuestions(std::vector<RowQuestion>& rows) : rows_(rows) {
    lent_.reserve(rows.size());
    for (RowQuestion& row : rows) lent_.push_back(std::move(static_cast<Question&>(row)));
  }
  ~LentQuestions() {
    for (size_t i = 0; i < rows_.size(); ++i) static_cast<Question&>(rows_[i]) = std::move(lent_[i]);
  }
  LentQuestions(const LentQuestions&) = delete;
  LentQuestions& operator=(const LentQuestions&) = delete;

  std::span<const Question> all() const { return lent_; }

 private:
  std::vector<RowQuestion>& rows_;
  std::vector<Question> lent_;
};

}  // namespace

void run_methods(ExplainResult& result, std::vector<ChosenMethod> methods, ExplainedModel& model, bool allocations,
                 Running& running) {
  const LentQuestions lent(result.rows);
  const std::span<const Question> questions = lent.all();
  for (ChosenMethod& chosen : methods) {
    const std::string& name = chosen.method.name;
    if (result.stopped) {
      result.left_out.push_back({name, "the work was stopped before"});
      continue;
    }
    try {
      run_method(result, std::move(chosen), questions, model, allocations, running, running.progress_of(name));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || result.methods.empty()) throw;
      result.stopped = true;
      result.left_out.push_back({name, error.what()});
    }
  }
  take_values(result, questions, model);
}

namespace {

// A note without its numbers: those of several rows that differ in nothing else are one.
std::string without_numbers(const std::string& note) {
  std::string text;
  for (const char c : note) {
    const bool number =
        (c >= '0' && c <= '9') || ((c == '.' || c == 'e' || c == '-' || c == '+') && text.ends_with('#'));
    if (!number) text += c;
    else if (!text.ends_with('#')) text += '#';
  }
  return text;
}

// "0, 3 to 7 and 9"
std::string numbers_text(const std::vector<size_t>& rows) {
  std::vector<std::string> ranges;
  for (size_t i = 0; i < rows.size();) {
    size_t end = i;
    while (end + 1 < rows.size() && rows[end + 1] == rows[end] + 1) ++end;
    ranges.push_back(end == i ? fmt::format("{}", rows[i]) : fmt::format("{} to {}", rows[i], rows[end]));
    i = end + 1;
  }
  constexpr size_t kMostRanges = 6;
  if (ranges.size() > kMostRanges) {
    ranges.resize(kMostRanges);
    return fmt::format("{} ... ({} rows)", fmt::join(ranges, ", "), rows.size());
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

struct RowsNote {
  std::string kind, first;
  std::vector<size_t> rows = {};
  bool same = true;  // every row has the same text
};

}  // namespace

std::vector<std::string> method_notes(const ExplainResult& result) {
  std::vector<std::string> notes;
  for (const MethodAnswer& method : result.methods) {
    std::vector<RowsNote> merged;
    for (size_t row = 0; row < method.attributions.size(); ++row) {
      for (const std::string& note : method.attributions[row].notes) {
        const std::string kind = without_numbers(note);
        auto known = std::find_if(merged.begin(), merged.end(), [&](const RowsNote& one) { return one.kind == kind; });
        if (known == merged.end()) known = merged.insert(merged.end(), {kind, note});
        known->same = known->same && known->first == note;
        if (known->rows.empty() || known->rows.back() != row) known->rows.push_back(row);
      }
    }
    for (const RowsNote& note : merged) {
      std::string text = fmt::format("{}: {}", method.name(), note.first);
      if (!note.same) text += fmt::format(" (row {}; alike in rows {})", note.rows[0], numbers_text(note.rows));
      else if (note.rows.size() < result.rows.size()) text += fmt::format(" (rows {})", numbers_text(note.rows));
      notes.push_back(std::move(text));
    }
  }
  return notes;
}

std::vector<size_t> strongest(const std::vector<double>& values, size_t most) {
  std::vector<size_t> ranking(values.size());
  std::iota(ranking.begin(), ranking.end(), 0);
  const size_t count = std::min(ranking.size(), most);
  std::partial_sort(ranking.begin(), ranking.begin() + static_cast<int64_t>(count), ranking.end(),
                    [&](size_t i, size_t j) {
                      const double p = std::abs(values[i]), q = std::abs(values[j]);
                      return p != q ? p > q : i < j;
                    });
  ranking.resize(count);
  return ranking;
}

std::vector<EffectShare> largest_shares(const SetAllocation& allocation, size_t most) {
  std::vector<EffectShare> shares;
  for (int p = 0; p < allocation.players; ++p) {
    for (uint64_t set = 0; set < allocation.sets(); ++set) shares.push_back({p, set, allocation(p, set)});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const EffectShare& a, const EffectShare& b) { return std::abs(a.amount) > std::abs(b.amount); });
  shares.resize(std::min(shares.size(), most));
  return shares;
}

}  // namespace ascribe::core::study
