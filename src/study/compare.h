// compare: why two methods disagree, effect by effect (docs/howto/compare.md).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "study/estimated_judgement.h"
#include "study/explain.h"
#include "study/few_players.h"
#include "theory/comparison.h"

namespace ascribe::core::study {

struct CompareRequest {
  QuestionRequest question;
  MethodWish first, second;
  std::vector<std::string> settings = {};
  Run run = {};
  std::string budget = kUsualBudget;  // of time; "none": as long as it takes
  TimeKeeping time = {};
};

struct CompareResult {
  std::string model;  // its path
  RowQuestion question;
  std::vector<ChosenMethod> methods;  // two
  SetAllocation first = {}, second = {};
  RowValues values = {};
  bool by_player = false;                             // one of them is numbers: nobody knows how they share effects
  std::optional<EstimatedComparison> estimated = {};  // of more players than every set can be masked of
  std::array<double, 2> errors = {};  // what the values of each may be off in all, by quadrature or draws
  double effects = 0;                 // the sizes of all effects added up
  Comparison comparison = {};
  std::vector<std::string> notes = {};

  const std::string& name(size_t i) const { return methods[i].method.name; }
  bool same() const;  // but for rounding
};

CompareResult compare(const Subject& subject, const CompareRequest& request);

// With at most `top` sets of players.
Json to_json(const CompareResult& result, int64_t top);

}  // namespace ascribe::core::study
