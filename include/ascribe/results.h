// Answers. All of them tell what was noted on the way, and have a form in JSON with the words of the command line.
// Those that carry a record (Options::record) write it too where they write files: into a folder as record.json, beside
// a file as FILE.record.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ascribe/array.h>
#include <ascribe/export.h>
#include <ascribe/question.h>

namespace ascribe {
inline namespace v1 {

// Structs without functions are as they are for good; classes may learn more.

struct TopClass {
  int64_t index = 0;
  std::string label;  // empty: it has none
  double score = 0;   // as the model gives it
  double probability = 0;
};

// What a model says about rows.
class ASCRIBE_API Prediction {
 public:
  int64_t rows() const;
  const std::string& row_name(int64_t row) const;
  std::size_t outputs() const;
  const std::string& output_name(std::size_t output = 0) const;
  Array values(std::size_t output = 0) const;  // [rows, row...]
  // Of an output that reads as classes; empty: it does not.
  std::vector<TopClass> top(int64_t row, int64_t count, std::size_t output = 0) const;
  const std::vector<std::string>& notes() const;
  std::string json(int64_t top = 5) const;
  std::string record_json() const;  // how it came about, if Options::record asked for it; otherwise empty

  struct State;
  explicit Prediction(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// What one method says of one row.
class ASCRIBE_API Attribution {
 public:
  const std::string& method() const;
  const std::string& row_name() const;
  Array x() const;                                  // the explained row, as it enters the model; in the row's shape
  Array baselines() const;                          // [baselines, row...]
  const std::vector<int32_t>& owners() const;       // the player of each element of the row; -1: nobody's
  std::vector<int64_t> token_ids() const;           // of a row of tokens, of which x holds the embeddings; else empty
  const std::vector<std::string>& players() const;  // their names: "r3c12" for a pixel
  const std::vector<double>& values() const;        // one per player
  Array elements() const;                           // one per element of the row, as pictures show it
  const std::vector<double>& standard_errors() const;  // one per player, if something was sampled; otherwise empty
  std::vector<double> intervals() const;               // half of each 95 % interval, by Student's t; likewise
  int64_t target() const;                              // which number of the output; -1: more than one of them is read
  const std::string& label() const;                    // of the target's class; empty: it has none
  const std::string& about() const;                    // the target in words: "Ankle boot (class 9)"
  const std::string& output_name() const;              // of the model's output that is explained
  const std::string& explains() const;  // logit, probability, log-probability, score, weighted sum or value
  bool contribution() const;            // the values are shares of what is explained; false: slopes, which are not
  double explained() const;             // what the values are held against: f(x) - f(b), or f(x)
  double output() const;                // f(x)
  double baseline_output() const;       // f(b), the mean over the baselines
  double residual() const;              // what is explained, f(x) - f(b) or f(x), less the sum of the values
  bool exact() const;                   // false: sampled, or an integral that missed its tolerance
  int64_t evaluations() const;          // rows that went through the network, forwards or backwards
  const std::vector<std::string>& notes() const;
  std::string parameters_json() const;  // the method's settings as they were used
  double sum() const;
  // Indices of the players with the largest magnitudes, the largest first.
  std::vector<std::size_t> strongest(std::size_t count) const;

  struct State;
  Attribution(std::shared_ptr<const State> state, std::size_t method, std::size_t row)
      : state_(std::move(state)), method_(method), row_(row) {}

 private:
  std::shared_ptr<const State> state_;
  std::size_t method_, row_;
};

struct LeftOut {
  std::string method, reason;
};

// What several methods say of several rows.
class ASCRIBE_API Explanation {
 public:
  std::size_t rows() const;
  std::size_t methods() const;
  const std::string& method_name(std::size_t method) const;
  double seconds(std::size_t method) const;  // for all rows together
  Attribution attribution(std::size_t method, std::size_t row = 0) const;
  Attribution attribution(const std::string& method, std::size_t row = 0) const;
  std::vector<LeftOut> left_out() const;  // methods of "all" that the model does not suit
  bool stopped() const;                   // by the progress callback: only the methods that were finished are here
  const std::vector<std::string>& notes() const;
  std::string json() const;
  std::string record_json() const;  // how it came about, if Options::record asked for it; otherwise empty
  void save(const std::string& folder, bool force = false) const;  // pictures, arrays and the document

  explicit Explanation(std::shared_ptr<const Attribution::State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const Attribution::State> state_;
};

// What a set of players does beyond all of its parts.
struct Effect {
  std::vector<int> players;
  double value = 0;
};

// An estimated effect, held against the model itself (docs/howto/sparse-effects.md). What is not known is no number.
struct VerifiedEffect {
  std::vector<int> players;
  double fit = 0;                        // in the sum of few effects that foretells the model best
  double alone = 0, alone_interval = 0;  // J(S), and half of its 95 % interval: 0 if J(S) was computed exactly
  double in_company = 0, in_company_interval = 0;  // the mean beside others: Shapley value, Shapley interaction index
};

// f(x) = f(b) + the sum of all effects.
class ASCRIBE_API Decomposition {
 public:
  const std::vector<std::string>& players() const;
  int64_t target() const;  // which number of the output; -1: more than one of them is read
  double output() const;
  double baseline_output() const;
  double remainder() const;  // the change less the effects that were computed
  // All 2^players effects J(S), if they were computed: bit p of the index says that player p is in S; [0] is f(b).
  const std::vector<double>& dividends() const;
  std::vector<Effect> strongest() const;         // effects of any number of players, the largest first
  bool estimated() const;                        // they were found by few evaluations
  std::vector<double> strongest_errors() const;  // their standard errors, if so; otherwise empty
  std::vector<VerifiedEffect> verified() const;  // one for each of strongest(), if so; otherwise empty
  // Pairs that derivatives point to and the estimate does not have, with J(S) exactly, the largest first.
  std::vector<Effect> beside_the_fit() const;
  double held_out_r2() const;  // how well they do at coalitions that were not used; not a number: nothing was estimated
  std::vector<Effect> index_values() const;  // of the index that was asked for
  std::vector<double> index_errors() const;  // their standard errors, if they were estimated; otherwise empty
  // If they were asked for, the largest first: AND effects are there when all of their players are, OR effects when one
  // of them is. Together they make up the change with the least sum of magnitudes.
  std::vector<Effect> and_effects() const;
  std::vector<Effect> or_effects() const;
  double strength() const;         // their sum of magnitudes; 0: they were not asked for
  double least_strength() const;   // no AND and OR effects have less; that of strength() up to rounding if it was found
  double strength_of_and() const;  // the sum of the magnitudes of the effects J(S)
  int64_t evaluations() const;
  const std::vector<std::string>& notes() const;
  std::string json() const;
  std::string record_json() const;  // how it came about, if Options::record asked for it; otherwise empty
  void save(const std::string& folder, bool force = false) const;

  struct State;
  explicit Decomposition(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

enum class Principle { low_error, no_unrelated, complete };

struct Verdict {
  double figure = 0, tolerance = 0;
  bool holds = false;
  bool open = false;  // left open: quadrature, draws or rounding may have caused the figure; see Audit::reason
};

// The three principles, of methods or of numbers.
class ASCRIBE_API Audit {
 public:
  std::size_t methods() const;
  const std::string& method_name(std::size_t method) const;
  Verdict verdict(std::size_t method, Principle principle) const;
  const std::string& reason(std::size_t method, Principle principle) const;  // why it is left open; otherwise empty
  int held(std::size_t method) const;                                        // how many of the three
  int left_open(std::size_t method) const;
  const std::vector<double>& values(std::size_t method) const;          // per player
  const std::vector<std::string>& sentences(std::size_t method) const;  // in words
  std::vector<LeftOut> left_out() const;
  // Of an attribution that was given as numbers: whether it could have come from an allocation that gives every effect
  // to its own players only, and all of it once; and how much of it would have to change. Shares may be negative, as
  // those of Integrated Gradients can be; without negative shares fewer attributions are possible.
  bool possible() const;
  double distance() const;
  bool possible_without_negative_shares() const;
  const std::vector<std::string>& notes() const;
  std::string json() const;
  std::string record_json() const;  // how it came about, if Options::record asked for it; otherwise empty

  struct State;
  explicit Audit(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// Why two methods differ.
class ASCRIBE_API Comparison {
 public:
  const std::vector<std::string>& players() const;
  const std::vector<double>& first() const;  // values per player
  const std::vector<double>& second() const;
  double difference() const;  // the sum of absolute differences
  double cosine() const;
  bool same() const;
  std::string sentence() const;  // where most of the difference comes from
  const std::vector<std::string>& notes() const;
  std::string json(int64_t sets = 5) const;
  std::string record_json() const;  // how it came about, if Options::record asked for it; otherwise empty

  struct State;
  explicit Comparison(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// One method at one order: |a - a*| / |a*| of the rule with effects up to that order (a) and the method as it runs
// (a*).
struct OrderError {
  std::string method;
  double temperature = 0;  // that kinks are smoothed at; 0: they are not
  double sigma = 0;
  int order = 0;
  double mean = 0, standard_error = 0;  // over the inputs whose series converges; not a number if there are none
  int64_t inputs = 0, inside = 0;       // how many there are, and how many of them these are
  std::string outcome;                  // why there is no mean: diverges, kinks, not decided; otherwise empty
};

// Methods against their allocation rules (docs/howto/verify.md).
class ASCRIBE_API Verification {
 public:
  std::vector<std::string> methods() const;
  std::vector<double> sigmas() const;
  std::vector<int> orders() const;
  std::vector<OrderError> errors() const;  // by temperature, sigma, method and order
  const std::vector<std::string>& notes() const;
  std::string json() const;
  std::string record_json() const;  // how it came about, if Options::record asked for it; otherwise empty
  // Of smoothed models: a chart and a table of errors by temperature, and the document.
  void save(const std::string& folder, bool force = false) const;

  struct State;
  explicit Verification(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

struct ScoreSummary {
  int64_t samples = 0, undefined = 0;
  double mean = 0, standard_error = 0, low = 0, high = 0, median = 0;  // low, high: 95 % interval of the mean
};

// What a score sums up, where it is a curve: shares of the players from 0 to 1, and what the metric finds there.
struct ScoreCurve {
  std::vector<double> positions, mean;
  std::vector<double> standard_errors;  // of the mean over samples; empty: there is one
  int64_t samples = 0;                  // that have a curve
};

// Methods rated by metrics on a data set.
class ASCRIBE_API Evaluation {
 public:
  std::vector<std::string> methods() const;  // with scores
  std::vector<std::string> metrics() const;
  ScoreSummary summary(const std::string& method, const std::string& metric) const;
  std::vector<double> scores(const std::string& method, const std::string& metric) const;  // per sample; NaN: undefined
  std::vector<std::string> why_undefined(const std::string& method, const std::string& metric) const;  // per sample
  // Of metrics that are curves (deletion, insertion, sensitivity_n, parameter_randomisation), averaged over the
  // samples; or of one of them. Empty: the metric is not one, or the sample comes from the journal of an earlier run.
  // Two million points are kept at most.
  ScoreCurve curve(const std::string& method, const std::string& metric) const;
  ScoreCurve curve(const std::string& method, const std::string& metric, std::size_t sample) const;
  std::size_t samples() const;
  std::vector<std::string> sample_names() const;
  std::vector<int64_t> sample_numbers() const;     // in the data set
  std::vector<int64_t> sample_classes() const;     // as the data say; -1: they do not
  std::vector<int64_t> predicted_classes() const;  // as the model says
  // If the metric order_spectrum was asked for: the share of the magnitudes of all effects that is due to one player
  // alone, to pairs, and so on.
  std::vector<ScoreSummary> order_spectrum() const;
  std::vector<LeftOut> left_out() const;
  const std::vector<std::string>& notes() const;
  std::string json() const;
  std::string record_json() const;  // how it came about, if Options::record asked for it; otherwise empty
  std::string csv() const;          // the summaries
  std::string scores_csv() const;   // a line for each sample and method
  std::string markdown() const;     // a page for people
  void save(const std::string& folder, bool force = false) const;  // all of these

  struct State;
  explicit Evaluation(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// An explanation as an ONNX file.
class ASCRIBE_API Compiled {
 public:
  const std::string& bytes() const;
  void write(const std::string& path, bool force = false) const;
  const std::vector<std::string>& notes() const;
  std::string json() const;
  std::string record_json() const;  // how it came about, if Options::record asked for it; otherwise empty

  struct State;
  explicit Compiled(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// A page about one or several decisions, or about many rows, and its data. A page about many rows has a folder beside
// it when it is written, PAGE_files: its pictures as SVG and CSV, and pages of single rows.
class ASCRIBE_API Report {
 public:
  std::string html() const;
  std::string json() const;
  std::string record_json() const;  // how it came about: a report always has it
  // The page, and its data beside it as .json. A page x.pdf is printed by an installed Chromium or Chrome, or the
  // program that the environment variable ASCRIBE_BROWSER names; `progress` can stop that by returning false.
  void write(const std::string& page, bool force = false) const;
  void write(const std::string& page, bool force, const Progress& progress) const;
  static void check(const std::string& page);  // early: throws if such a page cannot be written here
  const std::vector<std::string>& notes() const;

  struct State;
  explicit Report(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace v1
}  // namespace ascribe
