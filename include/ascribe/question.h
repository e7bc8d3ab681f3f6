// What is asked, and how the work is done.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ascribe/array.h>
#include <ascribe/export.h>

namespace ascribe {
inline namespace v1 {

// Why did the model say this of these rows? Only data must be given. All settings have the words of the command line
// (docs/howto/explain.md); each returns the question, so that they can be put behind one another.
class ASCRIBE_API Question {
 public:
  Question();
  // .png .jpg .npy .npz .csv .idx, also with .gz; NAME=FILE for one of several inputs. Several files are several rows.
  explicit Question(const std::string& file);
  explicit Question(const Array& rows);  // [rows, row...], or one row
  Question(const Question&);
  Question(Question&&) noexcept;
  Question& operator=(const Question&);
  Question& operator=(Question&&) noexcept;
  ~Question();

  Question& file(const std::string& path);
  Question& bytes(const std::string& name, std::string content);  // a file that is in memory already
  Question& array(const Array& rows, const std::string& input = {});
  Question& row_names(std::vector<std::string> names);      // of arrays
  Question& row_numbers(std::vector<int64_t> numbers);      // of rows of arrays, in the data that they are some of
  Question& feature_names(std::vector<std::string> names);  // of the elements of a row of arrays
  Question& rows(std::vector<std::string> which);           // "7", "0:10"
  Question& columns(std::vector<std::string> which);        // of tables, by name or number
  Question& preprocess(const std::string& how);             // unit, imagenet, raw, or JSON

  Question& target(int64_t index);
  // "top" is usual; a label, or what is read of an output with several axes: "2,38,15", "class=2,sum",
  // "weights=FILE.npy", "rank=0,class=2", "tokens=12,55,9" (docs/howto/targets.md).
  Question& target(const std::string& text);
  // One for each row, in the same words.
  Question& targets(std::vector<std::string> texts);
  // Any linear functional: a weight for each number of a row of the output; with one axis more in front, for each row.
  Question& target_weights(const Array& weights);
  Question& labels(const std::string& file);  // names of the classes, one per line
  Question& labels(std::vector<std::string> names);
  Question& probability(bool wanted = true);  // otherwise the logit: a final softmax or sigmoid is stepped over
  Question& output(const std::string& name);  // of the model; the first real one is usual
  Question& input(const std::string& names);  // of the model: those that have the players, "a" or "a,b"
  Question& at(const std::string& node);      // of the model: what it gives has the players, instead of an input
  Question& tokens(const std::string& path);  // what token ids mean: a tokenizer.json or a vocab.txt

  // zero (usual), mean, value:V, blur:SIGMA, gaussian:SIGMA, file:F, data:F; of tokens also token:ID and pad, which is
  // usual if it is known
  Question& baseline(const std::string& how);
  Question& baselines(const Array& rows);                             // averaged
  Question& baselines(const std::string& name, std::string content);  // a file that is in memory already; likewise
  // elements, pixels, patch:K, grid:RxC, superpixels:N, columns, inputs, time, time:K, channel, groups:FILE.json; of
  // tokens positions, words, spans:K, groups:FILE.json; as suits the data is usual
  Question& players(const std::string& how);
  // The player of each element, counted from 0; -1: nobody's, it stays as it is.
  Question& owners(std::vector<int32_t> owners, std::vector<std::string> names = {});

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Told what is being done and how much of it; false stops the work, within a second.
using Progress = std::function<bool(std::string_view task, int64_t done, int64_t total)>;

// How work is done. What a verb does not know it refuses, naming the option.
class ASCRIBE_API Options {
 public:
  Options();
  Options(const Options&);
  Options(Options&&) noexcept;
  Options& operator=(const Options&);
  Options& operator=(Options&&) noexcept;
  ~Options();

  Options& seed(uint64_t seed);  // of everything random; 0 is usual
  Options& threads(int count);   // of this call; what OMP_NUM_THREADS says, or all of the machine, is usual
  Options& progress(Progress told);
  Options& note(std::function<void(const std::string&)> told);  // notes as they come; results have them too
  // All verbs: the result carries the record of how it came about, which replay_record() computes again
  // (docs/howto/records.md). Hashing files and numbers takes time, so it is made on request; a report always has one.
  Options& record(bool wanted = true);

  Options& set(const std::string& parameter, const std::string& value);  // of methods: "steps" or "shapley.samples"
  Options& set_metric(const std::string& parameter, const std::string& value);  // of metrics

  // report, audit, compare: how long they may take, as "90s", "5m", "1h" or "none"; 60 s are usual. What does not fit
  // is made smaller or left out, and named in the result.
  Options& budget(const std::string& time);

  // explain, decompose: what absent players are, "baseline", "marginal" or "conditional", "conditional:kernel:WIDTH",
  // "conditional:equal"; baseline or marginal, as many baselines there are, is usual
  Options& absence(const std::string& what);
  // explain
  Options& allocations(bool wanted = true);  // also what every player received of every effect: few players
  Options& trace(bool wanted = true);        // also the way back through the network: json() has it
  // decompose
  Options& order(int players);              // of effects, or of the index
  Options& index(const std::string& name);  // an interaction index: indices() lists them
  Options& samples(int64_t evaluations);    // to estimate it with; of evaluate: how many samples, 0 for all
  // An index by what it has of effects of more players: "pure", "partial", "full", "joint:pure" ...
  Options& influence(const std::string& what);
  Options& estimate(const std::string& how);    // "sparse": the strong effects of any order, with errors, of any number
                                                // of players
  Options& evaluations(int64_t count);          // for it; 20000 are usual
  Options& estimator(const std::string& name);  // that finds them
  Options& aim(double unexplained);             // it stops where 1 - R2 on held-out coalitions is at most this
  Options& taylor(int degree);                  // Taylor effects as well
  Options& top(int64_t count);                  // effects that are listed
  Options& at_any_cost(bool wanted = true);     // also where very many evaluations are needed
  Options& and_or(bool wanted = true);          // also AND and OR effects; 10 players, 12 at_any_cost
  // verify
  Options& orders(std::vector<int> orders);           // orders K: effects of order <= K are counted
  Options& sigmas(std::vector<double> sigmas);        // baselines are x + N(0, sigma^2)
  Options& draws(int64_t baselines);                  // for methods that average over them
  Options& inputs(int64_t rows);                      // that are used at most
  Options& smooth(std::vector<double> temperatures);  // of softplus in the place of kinks
  // report
  Options& title(const std::string& text);
  Options& parts(const std::string& players);  // the few players of which every set is masked
  Options& most_rows(int64_t count);     // that become sections; more are refused unless they are chosen by number
  Options& dataset_rows(int64_t count);  // one page about so many rows of the data instead of a section for each
  Options& row_pages(int64_t count);     // of its rows that get a page of their own beside it, at most; 12 are usual
  Options& metrics(std::vector<std::string> names);
  // evaluate
  Options& skip(int64_t samples);
  Options& batch(int64_t samples);
  Options& shuffle(bool wanted = true);
  Options& only_correct(bool wanted = true);
  Options& most_box(double share);
  Options& format(const std::string& name);       // of the data: idx, array, cifar, images or table
  Options& part(const std::string& name);         // test or train
  Options& label_from(const std::string& where);  // a file of labels, or a column
  Options& boxes(const std::string& file);
  Options& annotations(const std::string& folder);
  Options& classes(std::vector<int64_t> classes);  // of samples in memory: the true class of each
  // Of samples in memory: where the object is, [samples, 4] or [samples, k, 4] of x0, y0, x1, y1 in pixels.
  Options& object_boxes(const Array& boxes);
  Options& journal(const std::string& path);  // work that was stopped goes on from it
  Options& force(bool wanted = true);         // forgets a journal of other work; begins a part anew
  // explain_part, evaluate_part
  Options& shard(const std::string& which);  // "3/64", or "auto" as a scheduler says
  Options& items(int64_t count);             // samples of the whole work, if the rows say their numbers

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace v1
}  // namespace ascribe
