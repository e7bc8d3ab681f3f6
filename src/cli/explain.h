// What the parts of ascribe explain share: the options and the answers.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/method_choice.h"
#include "cli/options.h"
#include "cli/question.h"

namespace ascribe {

struct ExplainRequest {
  GeneralOptions general;
  ModelOptions model;
  InputOptions input;
  OutputOptions file;
  QuestionOptions question;
  std::vector<std::string> methods;
  std::vector<std::string> settings;
  int64_t top = 3;  // players named per method
};

// One method on all rows.
struct MethodAnswer {
  ChosenMethod chosen;
  std::vector<Attribution> attributions;
  double seconds = 0;  // for all rows together
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

void print_explanation(const ExplainAnswer& answer, const ExplainRequest& request);
nlohmann::ordered_json explanation_as_json(const ExplainAnswer& answer, const ExplainRequest& request);

// Before the work, at first without knowing how many rows there are: whether --out can be written.
void check_explanation_files(const ExplainRequest& request, const std::vector<ChosenMethod>& methods, size_t rows);
void write_explanation(const ExplainAnswer& answer, const ExplainRequest& request);

}  // namespace ascribe
