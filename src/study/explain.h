// explain: what every player contributed to the output, by one or several methods, for one or several rows
// (docs/howto/explain.md).
#pragma once

#include <string>
#include <vector>

#include "methods/trace.h"
#include "study/choice.h"
#include "study/question.h"
#include "theory/set_allocation.h"

namespace ascribe::core::study {

struct ExplainRequest {
  QuestionRequest question;
  std::vector<MethodWish> methods;
  std::vector<std::string> settings = {};  // [METHOD.]KEY=VALUE
  bool allocations = false;                // also what every player received of every effect: few players
  Run run = {};
  bool trace = false;        // also the way back through the network, of methods that go back node by node
  std::string absence = {};  // what absent players are (study/absence.h); empty: as the baselines are
};

// One method on all rows.
struct MethodAnswer {
  ChosenMethod chosen;
  std::vector<Attribution> attributions;
  std::vector<SetAllocation> allocations;  // of every row, if they are asked for
  double seconds = 0;                      // for all rows together
  std::vector<Trace> traces = {};          // of every row, if they are asked for and the method has them

  const std::string& name() const { return chosen.method.name; }
  bool shares() const { return chosen.method.kind == AttributionKind::contribution; }  // slopes add up to nothing
  double explained(size_t row) const;  // f(x) - f(b), or f(x): what the values are held against
};

// What the model says of a row, and at the baseline of the question: the mean over several. A method that draws
// baselines of its own has another f(b) in its attributions.
struct RowValues {
  double output = 0, baseline_output = 0;
  double change() const { return output - baseline_output; }
};

struct ExplainResult {
  std::string model;  // its path
  std::vector<RowQuestion> rows;
  std::vector<RowValues> values;  // of each row
  std::vector<MethodAnswer> methods;
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;
  bool stopped = false;  // by the progress callback: the methods that were not finished are missing
};

ExplainResult explain(const Subject& subject, const ExplainRequest& request);

// Asks every method about all rows of the result. Those that nobody asked for by name and that the model does not suit
// are left out with a note.
void run_methods(ExplainResult& result, std::vector<ChosenMethod> methods, ExplainedModel& model, bool allocations,
                 Running& running);

// One of them, as run_methods does it, told how far it is; work that is stopped is an error.
void run_method(ExplainResult& result, ChosenMethod chosen, std::span<const Question> questions, ExplainedModel& model,
                bool allocations, Running& running, const Progress& progress);
// What the model says of the rows, once there is a method's answer.
void take_values(ExplainResult& result, std::span<const Question> questions, ExplainedModel& model);

// Adds the traces of all rows to the methods that have one.
void add_traces(ExplainResult& result, ExplainedModel& model, const Running& running);

// What the methods noted, each once, with the method's name before it.
std::vector<std::string> method_notes(const ExplainResult& result);

// Indices of the players with the largest magnitudes, the largest first.
std::vector<size_t> strongest(const std::vector<double>& values, size_t most);

// A part of an effect that a player received.
struct EffectShare {
  int player = 0;
  uint64_t set = 0;
  double amount = 0;
};
std::vector<EffectShare> largest_shares(const SetAllocation& allocation, size_t most);

// `arrays_file`: where the values of many players are, instead of in the document; empty: nowhere.
Json to_json(const ExplainResult& result, const std::string& arrays_file = {});

// Every array has the rows first, as the model's input has them: METHOD, METHOD_players, METHOD_standard_error, ...,
// owner, x, baselines; of tokens also ids.
std::vector<std::pair<std::string, Tensor>> arrays_of(const ExplainResult& result);

}  // namespace ascribe::core::study
