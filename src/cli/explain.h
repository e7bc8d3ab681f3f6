// What the parts of ascribe explain share: the options and the answers.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/method_choice.h"
#include "cli/options.h"
#include "cli/question.h"
#include "theory/set_allocation.h"

namespace ascribe::core {

struct ExplainRequest {
  GeneralOptions general;
  ModelOptions model;
  InputOptions input;
  OutputOptions file;
  QuestionOptions question;
  std::vector<std::string> methods;
  std::vector<std::string> settings;
  int64_t top = 3;  // players named per method
  bool allocations = false;
};

// One method on all rows.
struct MethodAnswer {
  ChosenMethod chosen;
  std::vector<Attribution> attributions;
  std::vector<SetAllocation> allocations;  // of every row, if they are asked for
  double seconds = 0;                      // for all rows together
};

struct LeftOut {
  std::string method;
  std::string reason;
};

struct ExplainAnswer {
  std::vector<RowQuestion> rows;
  std::vector<MethodAnswer> methods;
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;
};

// Asks every method about all rows of the answer, with a bar that names it. Those that nobody asked for by name and
// that the model does not suit are left out with a note.
void run_methods(ExplainAnswer& answer, std::vector<ChosenMethod> methods, ExplainedModel& model,
                 const ExplainRequest& request);
// A bar that says which method is at work.
Progress progress_of(const std::string& method, bool quiet);

void print_explanation(const ExplainAnswer& answer, const ExplainRequest& request);
nlohmann::ordered_json explanation_as_json(const ExplainAnswer& answer, const ExplainRequest& request);

// What every player received of every effect (explain_allocations.cpp): the largest, all, and as arrays with the rows
// first.
void print_allocations(const ExplainAnswer& answer, size_t row, const ExplainRequest& request);
nlohmann::ordered_json allocation_as_json(const SetAllocation& allocation);
std::vector<std::pair<std::string, Tensor>> allocation_arrays(const MethodAnswer& answer);

// Before the work, at first without knowing how many rows there are: whether --out can be written.
void check_explanation_files(const ExplainRequest& request, const std::vector<ChosenMethod>& methods, size_t rows);
void write_explanation(const ExplainAnswer& answer, const ExplainRequest& request);

}  // namespace ascribe::core
