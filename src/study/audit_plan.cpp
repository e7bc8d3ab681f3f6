#include "study/audit_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/foreign.h"

namespace ascribe::core::study {

namespace {

constexpr double kNodes[] = {64, 32, 16, 8};  // that integrals may begin with
constexpr double kMostPasses =
    3.5;  // of a method that goes through the network as a whole: what is more was preparation
constexpr double kWindowsThatChange = 0.5;  // of masked inputs: the others cover what is masked already
constexpr double kShareOfSlack = 0.5;       // that a single method may take
constexpr double kRowsPerGradient = 2;      // as evaluations are counted

double seconds_of_one(const WantedAudit& wanted, const Question& question, bool kinks, const Pace& pace, double nodes) {
  const Method& method = wanted.chosen->method;
  if (method.source == kForeignSource) return wanted.seconds;
  const Asking asking{question.players, 1, kinks};
  const Passes passes = passes_of(method, wanted.chosen->parameters, asking);
  if (integrates(method)) return (2 + std::min(nodes, passes.gradient)) * pace.gradient;
  if (!masks_players(method)) {
    const double most = kMostPasses * pace.gradient;
    return wanted.seconds > 0 ? std::min(wanted.seconds, most) : passes.seconds(pace);
  }
  // Sets of the same players are known after the first method; windows are sets of their own.
  const bool others = std::any_of(method.parameters.begin(), method.parameters.end(),
                                  [](const Parameter& p) { return p.name == "stride"; });
  return others ? kWindowsThatChange * passes.seconds(pace) : pace.forward;
}

}  // namespace

double AuditPlan::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

Effort AuditPlan::effort(size_t audit, const Effort& usual, const Pace& pace) const {
  const double row = std::max(pace.gradient / kRowsPerGradient, pace.forward);
  return {std::min(usual.most_evaluations, (seconds[audit] + kShareOfSlack * slack) / std::max(row, 1e-9)), nodes};
}

AuditPlan plan_audits(std::span<const WantedAudit> wanted, const Question& question, bool kinks, const Pace& pace,
                      double available) {
  const double attributions =
      std::exp2(static_cast<double>(question.players.count())) * static_cast<double>(question.baseline_count());
  AuditPlan plan;
  for (const double nodes : kNodes) {
    plan = {nodes, {}, 0, true};
    bool paths_known = false;
    for (const WantedAudit& one : wanted) {
      const bool paths = integrates(one.chosen->method);
      const double own = paths && paths_known ? 0 : seconds_of_one(one, question, kinks, pace, nodes);
      paths_known = paths_known || paths;
      plan.seconds.push_back(attributions * own);
    }
    plan.fits = plan.total() <= available;
    plan.slack = std::max(0.0, available - plan.total());
    if (plan.fits) break;
  }
  return plan;
}

std::map<std::string, std::string> audited_settings(const ChosenMethod& chosen) {
  std::map<std::string, std::string> settings = chosen.given;
  if (integrates(chosen.method)) return settings;
  for (const Parameter& parameter : chosen.method.parameters) {
    const std::string& value = chosen.parameters.text(parameter.name);
    if (value != parameter.fallback) settings[parameter.name] = value;
  }
  return settings;
}

std::vector<size_t> cheapest_first(const AuditPlan& plan) {
  std::vector<size_t> order(plan.seconds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (plan.fits) return order;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return plan.seconds[a] < plan.seconds[b]; });
  return order;
}

}  // namespace ascribe::core::study
