#include "theory/settled_audit.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "game/moebius.h"

namespace ascribe::core {

namespace {

constexpr double kMostNodes = 1 << 20;                              // that a path may take
constexpr double kMoreNodes = 16, kMoreDraws = 4, kWorthwhile = 2;  // from round to round
constexpr double kWellBelow = 0.25;     // of a principle's tolerance: what the error of its figure should come to
constexpr double kLeastMissed = 1e-11;  // of the change: less drowns in rounding
constexpr double kMostMissed = 1e-6;

using Given = std::map<std::string, std::string>;

const Parameter* declared(const Method& method, std::string_view name) {
  const auto found = std::find_if(method.parameters.begin(), method.parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  return found == method.parameters.end() ? nullptr : &*found;
}

bool integrates(const Method& method) {
  return declared(method, "steps") != nullptr && declared(method, "most") != nullptr;
}

// What a path may miss of its change, so that verdicts can be told. An effect of k players is read from 2^k paths,
// whose errors add up by their squares; over all sets that makes (1 + sqrt 2)^m.
double needed_tolerance(const SetAllocation& allocation, DType real) {
  if (real != DType::f64) return kMostMissed;
  std::vector<double> outputs = allocation.effects;
  zeta_transform(outputs);
  double effects = 0, change = 0;
  for (size_t set = 1; set < outputs.size(); ++set) {
    effects += std::abs(allocation.effects[set]);
    change = std::max(change, std::abs(outputs[set] - outputs[0]));
  }
  if (change == 0) return kMostMissed;
  const double sums = kSureOfErrors * std::pow(1 + std::sqrt(2.0), allocation.players);
  const double needed = kWellBelow * tolerance_of(Principle::complete) * effects / (sums * change);
  return std::clamp(needed, kLeastMissed, kMostMissed);
}

// What may be raised from round to round.
class Rounds {
 public:
  // `memory`: how many nodes of a path can be held.
  Rounds(const Method& method, const Given& given, const Effort& effort, double memory)
      : method_(method), given_(given), budget_(effort.most_evaluations) {
    const Parameter* samples = declared(method, "samples");
    if (integrates(method) && !given.contains("steps") && !given.contains("most")) {
      raised_ = "most";
      amount_ = effort.first_nodes;
      most_ = std::min(kMostNodes, memory);
    } else if (!integrates(method) && samples != nullptr && !given.contains("samples")) {
      raised_ = "samples";
      amount_ = ascii_number(samples->fallback).value_or(0);
      most_ = samples->most;
    }
  }

  Parameters parameters() const {
    Given used = given_;
    if (raised_ == "most" || changed_) used[raised_] = std::to_string(static_cast<int64_t>(amount_));
    if (tolerance_ > 0) used["tolerance"] = fmt::format("{:.2g}", tolerance_);
    return {method_.name, method_.parameters, used};
  }

  // Prepares another round; false: there is nothing to raise, or nothing left to spend.
  bool next(const SetAllocation& allocation, DType real) {
    if (raised_.empty()) return false;
    const auto cost = static_cast<double>(allocation.evaluations);
    spent_ += cost;
    const double wanted = raised_ == "most" ? kMoreNodes : kMoreDraws;
    const double affordable = std::min({wanted, (budget_ - spent_) / std::max(cost, 1.0), most_ / amount_});
    if (!allocation.exact) {
      if (affordable < kWorthwhile) return false;
      amount_ = std::floor(amount_ * affordable);
    } else if (raised_ != "most" || given_.contains("tolerance") || tolerance_ == kLeastMissed || affordable < 1) {
      return false;  // what is exact stays as it is
    }
    changed_ = true;
    if (raised_ == "most" && !given_.contains("tolerance")) tighten(allocation, real);
    return true;
  }

 private:
  void tighten(const SetAllocation& allocation, DType real) {
    if (tolerance_ == 0) tolerance_ = needed_tolerance(allocation, real);
    else if (allocation.exact) tolerance_ = std::max(tolerance_ / 10, kLeastMissed);
  }

  const Method& method_;
  const Given& given_;
  double budget_, spent_ = 0;
  std::string raised_ = {};  // the parameter; empty: none
  double amount_ = 0, most_ = 0, tolerance_ = 0;
  bool changed_ = false;
};

}  // namespace

SettledAudit settled_audit(const Method& method, ExplainedModel& model, const Question& question, const Given& given,
                           uint64_t seed, const Effort& effort, const Progress& progress) {
  const int64_t memory = model.row_bytes() / std::max<int64_t>(1, element_count(model.row()));
  Rounds rounds(method, given, effort, static_cast<double>(memory));
  while (true) {
    Parameters parameters = rounds.parameters();
    SetAllocation allocation = allocation_per_set(method, model, question, parameters, seed, progress);
    if (!allocation.errors_known) {
      take_errors_from(allocation, allocation_per_set(method, model, question, parameters, seed + 1, progress));
    }
    QuestionAudit audit = audit_question(allocation, model.real());
    if (audit.verdicts.open() == 0 || !rounds.next(allocation, model.real())) {
      return {std::move(allocation), std::move(audit), std::move(parameters)};
    }
  }
}

}  // namespace ascribe::core
