// audit: measures the three principles of a faithful attribution, for the methods in general, for methods on one
// question, or for an attribution that exists as numbers (docs/howto/audit.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/estimated_judgement.h"
#include "study/few_players.h"
#include "theory/feasible_allocation.h"
#include "theory/principles.h"
#include "theory/question_audit.h"
#include "theory/term_audit.h"

namespace ascribe::core::study {

struct AuditRequest {
  QuestionRequest question = {};              // without data: in general
  std::vector<MethodWish> methods = {"all"};  // may be the caller's own
  std::vector<std::string> settings = {};
  std::string attribution = {};  // an .npy file: a number for every player or element, instead of methods
  std::optional<std::vector<double>> values = {};  // or the numbers themselves
  Run run = {};
  std::string budget = kUsualBudget;  // of time, with a model; "none": as long as it takes
  TimeKeeping time = {};

  bool in_general() const { return question.rows.empty(); }
  bool of_numbers() const { return values.has_value() || !attribution.empty(); }
};

// The three principles of a method in general: by the method as it runs and by its rule.
struct MethodPrinciples {
  const Method& method;
  PrincipleFigures by_method, by_rule;
};
std::vector<MethodPrinciples> measured_principles(const std::vector<ChosenMethod>& methods);

// One method on the question.
struct AuditedAllocation {
  ChosenMethod chosen;
  Parameters parameters;  // those of the last round: integrals get more nodes until verdicts are settled
  SetAllocation allocation;
  QuestionAudit audit;
  TermAudit terms;  // the same per Taylor term, where the model is smooth and small
  double seconds = 0;
  std::vector<std::string> sentences;
};

// What can be said of an attribution that is only numbers.
struct NumbersAudit {
  std::string name;            // of the file
  std::vector<double> values;  // per player
  double output = 0, baseline_output = 0;
  double effects = 0;           // the sizes of all effects added up
  std::vector<int> dummies;     // players without any effect
  BalancedGroups balanced;      // with shares of any sign, as the paper has them
  FeasibleAllocation feasible;  // with shares that are not negative
  double tolerance = 0;

  double change() const { return output - baseline_output; }
  double sum() const;
  double residual() const { return change() - sum(); }
  double to_dummies() const;  // what they were given
  bool is_dummy(size_t player) const;
  // It could have come from an allocation that obeys principles 2 and 3; from one without negative shares.
  bool possible() const { return balanced.feasible(tolerance); }
  bool possible_without_negative_shares() const { return feasible.feasible(tolerance); }
};

struct AuditResult {
  std::vector<MethodPrinciples> general;  // in general: nothing else is filled in
  std::string model;                      // its path
  std::optional<RowQuestion> question;
  double output = 0, baseline_output = 0;  // f(x), and f at the question's baselines
  std::vector<AuditedAllocation> methods;
  std::vector<LeftOut> left_out;
  std::optional<NumbersAudit> numbers;
  // Of more players than every set can be masked of: by the methods' rules on effects that are estimated.
  std::optional<EstimatedEffects> estimated = {};
  std::vector<EstimatedPrinciples> by_estimate = {};
  std::vector<std::string> notes;
};

// Without a model: the methods in general.
AuditResult audit(const AuditRequest& request);
AuditResult audit(const Subject& subject, const AuditRequest& request);

Json to_json(const AuditResult& result);

}  // namespace ascribe::core::study
