// The rows of a report on many rows, batch by batch.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "data/rows.h"
#include "methods/shared_work.h"
#include "study/dataset_parts.h"

namespace ascribe::core::study {

namespace {

constexpr uint64_t kDrawnRows = 0x726f7773;  // the stream of the draws here
constexpr int64_t kElementsPerBatch = int64_t{1} << 19, kLargestBatch = 64;
constexpr int64_t kWaves = 4;  // each is a sample of the rows, read in rising order
constexpr size_t kKeptRows = 32;
constexpr int64_t kPilotRows = 4;
constexpr double kShareOfWork = 0.55, kMostOfWork = 0.8;  // of the time: planned, and where the work ends
constexpr int64_t kFewestRows = 20;
constexpr size_t kMostNotes = 3;  // of a method

struct Batched {
  std::vector<std::optional<Attribution>> attributions;
  std::vector<std::string> errors;
};

// A row whose numbers a method cannot take is left out by itself.
Batched attribute_rows(const ChosenMethod& chosen, ExplainedModel& model, std::span<const Question> questions,
                       uint64_t seed, const Progress& progress) {
  Batched batched{std::vector<std::optional<Attribution>>(questions.size()),
                  std::vector<std::string>(questions.size())};
  const auto ask = [&](std::span<const Question> some, size_t first) {
    std::vector<Attribution> answers = attribute(chosen.method, model, some, chosen.parameters, seed, progress);
    for (size_t i = 0; i < some.size(); ++i) batched.attributions[first + i] = std::move(answers[i]);
  };
  try {
    ask(questions, 0);
    return batched;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::numeric) throw;
  }
  for (size_t i = 0; i < questions.size(); ++i) {
    try {
      ask(questions.subspan(i, 1), i);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::numeric) throw;
      batched.errors[i] = fmt::format("{}: {}", chosen.method.title, error.what());
    }
  }
  return batched;
}

std::vector<double> feature_values(const RowQuestion& question) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Players& players = question.players;
  std::vector<double> values(players.names.size(), kNone);
  if (question.tokens) return values;
  std::vector<int> elements(values.size(), 0);
  for (size_t i = 0; i < players.owner.size(); ++i) {
    if (players.owner[i] < 0) continue;
    const auto player = static_cast<size_t>(players.owner[i]);
    values[player] = ++elements[player] == 1 ? question.x().at(static_cast<int64_t>(i)) : kNone;
  }
  return values;
}

// Tokens are called by their position too, "3 good": of words that several rows have, it says nothing.
std::string without_position(const std::string& name) {
  const size_t end = name.find_first_not_of("0123456789");
  return end == 0 || end == std::string::npos || name[end] != ' ' ? name : name.substr(end + 1);
}

class RowStudy {
 public:
  RowStudy(const DatasetWork& work, const ChosenRows& rows, const RowQuestion& first)
      : work_(work), numbers_(rows.numbers), names_(first.players.names) {
    const int64_t elements = std::max<int64_t>(1, element_count(first.row));
    batch_ = work.request.batch > 0 ? work.request.batch
                                    : std::clamp<int64_t>(kElementsPerBatch / elements, 1, kLargestBatch);
    studied_.methods = methods_for_rows(work, first, std::ssize(numbers_), studied_.choice);
    studied_.seconds.assign(studied_.methods.size(), 0.0);
    studied_.notes.resize(studied_.methods.size());
  }

  StudiedRows run() {
    plan();
    const size_t kept_every = std::max<size_t>(1, numbers_.size() / kKeptRows);
    for (size_t i = 0; i < numbers_.size() && keep_.size() < kKeptRows; i += kept_every) keep_.push_back(numbers_[i]);
    std::sort(keep_.begin(), keep_.end());
    const auto waves = std::min<size_t>(kWaves, numbers_.size());
    for (size_t wave = 0; wave < waves && !stopped_; ++wave) {
      std::vector<int64_t> some;
      for (size_t i = wave; i < numbers_.size(); i += waves) some.push_back(numbers_[i]);
      std::sort(some.begin(), some.end());
      const auto step = static_cast<size_t>(batch_);
      for (size_t from = 0; from < some.size() && !stopped_; from += step) {
        study(std::span(some).subspan(from, std::min(step, some.size() - from)));
        stopped_ = work_.spending.limited() && work_.spending.spent() > kMostOfWork * work_.spending.budget() &&
                   done_ < std::ssize(numbers_);
      }
    }
    finish();
    return std::move(studied_);
  }

 private:
  // Times a few rows, leaves out what is too expensive and not needed, and takes as many rows as fit.
  void plan() {
    const auto count = std::min<size_t>(kPilotRows, numbers_.size());
    std::vector<int64_t> some(numbers_.begin(), numbers_.begin() + static_cast<int64_t>(count));
    std::sort(some.begin(), some.end());
    const AskedRows asked = work_.stream.ask(some);
    if (asked.questions.empty()) return;  // the work will tell
    const std::vector<Question> questions(asked.questions.begin(), asked.questions.end());
    std::vector<double> seconds;
    std::vector<bool> out(studied_.methods.size(), false);
    for (size_t m = 0; m < studied_.methods.size(); ++m) {
      const double start = work_.spending.spent();
      out[m] = !suits(studied_.methods[m], questions);
      const double first = work_.spending.spent() - start;
      // What is done once for all rows is done by now.
      const double again = work_.spending.spent();
      if (!out[m] && first < 0.02 * work_.spending.left()) suits(studied_.methods[m], questions);
      const double second = work_.spending.spent() - again;
      seconds.push_back((second > 0 ? second : first) / static_cast<double>(questions.size()));
    }
    drop(out, seconds);
    if (work_.spending.limited()) fit(seconds);
  }

  bool suits(const ChosenMethod& chosen, std::span<const Question> questions) {
    try {
      attribute_rows(chosen, work_.model, questions, work_.running.seed(), work_.running.progress());
      return true;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled || !may_be_left_out(chosen, error.kind())) throw;
      studied_.left_out.push_back({chosen.method.name, error.what()});
      return false;
    }
  }

  void drop(const std::vector<bool>& out, std::vector<double>& seconds) {
    std::vector<ChosenMethod> methods;
    std::vector<double> times;
    for (size_t m = 0; m < out.size(); ++m) {
      if (out[m]) continue;
      methods.push_back(std::move(studied_.methods[m]));
      times.push_back(seconds[m]);
    }
    // A ChosenMethod holds a reference, so that lists of them are exchanged as a whole.
    studied_.methods.swap(methods);
    seconds = std::move(times);
    if (studied_.methods.empty()) fail(ErrorKind::unsupported, "method", "no method can be run on this model");
    studied_.seconds.assign(studied_.methods.size(), 0.0);
    studied_.notes.assign(studied_.methods.size(), {});
  }

  void fit(std::vector<double>& seconds) {
    const double most = work_.spending.at_least(kShareOfWork * work_.spending.left());
    const auto rows = static_cast<double>(numbers_.size());
    const auto all = [&] { return rows * std::accumulate(seconds.begin(), seconds.end(), 0.0); };
    while (all() > most && seconds.size() > 2) {
      const size_t worst = static_cast<size_t>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
      const ChosenMethod& one = studied_.methods[worst];
      const auto promises_all = [](const ChosenMethod& m) { return count_promises(m.method) == 4; };
      const bool last =
          promises_all(one) && std::count_if(studied_.methods.begin(), studied_.methods.end(), promises_all) == 1;
      if (one.asked_for || last || rows * seconds[worst] < 0.5 * all()) break;
      const std::string reason =
          fmt::format("it would take about {} for {} rows", seconds_text(rows * seconds[worst]), numbers_.size());
      studied_.left_out.push_back({one.method.name, reason});
      work_.spending.cut({one.method.name, "left out: " + reason, "`method` or a larger `budget` has it computed"});
      std::vector<bool> out(seconds.size(), false);
      out[worst] = true;
      drop(out, seconds);
    }
    if (all() <= most) return;
    const double each = all() / rows;
    const auto fits = std::max(kFewestRows, static_cast<int64_t>(most / each));
    if (fits >= std::ssize(numbers_)) return;
    work_.spending.cut({"rows", fmt::format("{} of {} rows, drawn at random", fits, numbers_.size()),
                        "a larger `budget` explains more"});
    numbers_.resize(static_cast<size_t>(fits));
  }

  void study(std::span<const int64_t> numbers) {
    poll();
    AskedRows asked = work_.stream.ask(numbers);
    for (RowFailure& failure : asked.failures) studied_.failures.push_back(std::move(failure));
    const std::vector<Question> questions(asked.questions.begin(), asked.questions.end());
    std::vector<Batched> answers;
    if (!questions.empty()) {
      const SharedWork shared(work_.model);
      for (size_t m = 0; m < studied_.methods.size(); ++m) {
        const double start = work_.spending.spent();
        answers.push_back(attribute_rows(studied_.methods[m], work_.model, questions, work_.running.seed(),
                                         progress_of(studied_.methods[m].method.title, m)));
        studied_.seconds[m] += work_.spending.spent() - start;
      }
      for (size_t i = 0; i < questions.size(); ++i) keep(asked.questions[i], answers, i);
    }
    done_ += std::ssize(numbers);
    core::report(work_.running.progress(), "rows", done_, std::ssize(numbers_));
  }

  // Every batch takes all methods one after the other: progress counts rows.
  Progress progress_of(const std::string& title, size_t method) const {
    return [this, title, method](std::string_view, int64_t done, int64_t total) {
      const auto methods = static_cast<double>(studied_.methods.size());
      const double part =
          (static_cast<double>(method) + static_cast<double>(done) / std::max<double>(1, total)) / methods;
      const auto rows = static_cast<double>(done_) + part * static_cast<double>(batch_);
      core::report(work_.running.progress(), title + ": rows",
                   std::min<int64_t>(static_cast<int64_t>(rows), std::ssize(numbers_)), std::ssize(numbers_));
    };
  }

  void keep(RowQuestion& question, std::vector<Batched>& answers, size_t i) {
    RowRecord record{question.number,
                     question.source,
                     question.target_text(),
                     question.explains != "value",
                     0,
                     0,
                     feature_values(question),
                     {},
                     {},
                     {}};
    KeptRow kept;
    const bool all = std::binary_search(keep_.begin(), keep_.end(), question.number);
    for (size_t m = 0; m < answers.size(); ++m) {
      if (!answers[m].attributions[i]) {
        studied_.failures.push_back({question.number, question.source, answers[m].errors[i]});
        return;
      }
      Attribution& a = *answers[m].attributions[i];
      record.output = a.output;
      if (studied_.methods[m].method.total == Total::change && studied_.methods[m].method.drawn == nullptr) {
        record.baseline_output = a.baseline_output;
      }
      record.attributions.push_back(a.values);
      record.residuals.push_back(a.residual);
      note(m, a.notes);
      if (all) kept.attributions.push_back(std::move(a));
    }
    if (question.players.names != names_) studied_.common = false;
    if (question.tokens || !studied_.common) {
      for (const std::string& name : question.players.names) record.words.push_back(without_position(name));
    }
    studied_.rows.push_back(std::move(record));
    if (!all) return;
    kept.question = std::move(question);
    studied_.kept.push_back(std::move(kept));
  }

  void note(size_t method, const std::vector<std::string>& notes) {
    std::vector<std::string>& known = studied_.notes[method];
    for (const std::string& text : notes) {
      if (known.size() < kMostNotes && std::find(known.begin(), known.end(), text) == known.end()) {
        known.push_back(text);
      }
    }
  }

  void finish() {
    const auto by_number = [](const auto& a, const auto& b) { return a.number < b.number; };
    std::sort(studied_.rows.begin(), studied_.rows.end(), by_number);
    std::sort(studied_.failures.begin(), studied_.failures.end(), by_number);
    std::sort(studied_.kept.begin(), studied_.kept.end(),
              [](const KeptRow& a, const KeptRow& b) { return a.question.number < b.question.number; });
    if (stopped_) {
      work_.spending.cut({"rows",
                          fmt::format("stopped after {} of {} rows, which are a sample of all", done_, numbers_.size()),
                          "a larger `budget` explains more"});
    }
    if (!studied_.rows.empty()) return;
    const std::string why = studied_.failures.empty() ? "" : "; the first: " + studied_.failures[0].reason;
    fail(ErrorKind::numeric, work_.question.rows.where(), "none of {} rows can be explained{}", done_, why);
  }

  const DatasetWork& work_;
  std::vector<int64_t> numbers_, keep_;
  std::vector<std::string> names_;
  int64_t batch_ = 1, done_ = 0;
  bool stopped_ = false;
  StudiedRows studied_;
};

}  // namespace

ChosenRows choose_rows(const DatasetWork& work) {
  ChosenRows chosen;
  const RowSource& source = work.question.rows;
  const std::vector<int64_t> among = select_rows(source.rows, work.stream.size(), "row", source.where());
  chosen.among = std::ssize(among);
  const int64_t most = work.request.rows;
  // A permutation also where all are taken: parts of the work are then samples of the whole.
  const std::vector<int64_t> order = Random(work.running.seed(), kDrawnRows).permutation(0, chosen.among);
  for (int64_t i = 0; i < std::min(most, chosen.among); ++i) {
    chosen.numbers.push_back(among[static_cast<size_t>(order[static_cast<size_t>(i)])]);
  }
  const char* of_data = source.rows.empty() ? "in the data" : "that were chosen";
  chosen.words = chosen.among <= most ? fmt::format("all {} rows {}", chosen.among, of_data)
                                      : fmt::format("{} of the {} rows {}, drawn at random (seed {})", most,
                                                    chosen.among, of_data, work.running.seed());
  return chosen;
}

StudiedRows study_rows(const DatasetWork& work, const ChosenRows& rows, const RowQuestion& first) {
  return RowStudy(work, rows, first).run();
}

}  // namespace ascribe::core::study
