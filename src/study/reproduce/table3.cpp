// Table 3: the fourteen allocation rules, each checked against the method as it runs: effect by effect on generic
// questions (theory/probes.h), and once more where the method is at home: a polynomial of images, single neurons with
// polynomial activations, a ReLU network.
#include <cmath>
#include <map>

#include "draw/verdicts.h"
#include "study/bundled.h"
#include "study/choice.h"
#include "study/reproduce/experiment.h"
#include "theory/module_verification.h"
#include "theory/probes.h"

namespace ascribe::core::study::paper {

namespace {

constexpr double kHolds = 1e-6;  // LRP-epsilon runs with an epsilon of that size, and its rule is the limit
constexpr double kSigma = 0.1, kEpsilon = 1e-9;
constexpr int64_t kImages = 2, kNeurons = 16, kInputs = 6, kTerms = 1500;
constexpr const char* kFewPlayers = "grid:3x3";
const std::vector<int> kPowers = {2, 3, 4, 5};

struct SecondCheck {
  std::string where;
  double error = 0;
};

struct CheckedRule {
  ChosenMethod chosen;
  const AllocationRule& rule;
  int64_t effects = 0;
  double error = 0;  // of what is given of all effects: |method - rule| / |rule|
  std::optional<SecondCheck> second = {};
};

// ---- effect by effect ----

CheckedRule checked_by_effects(const ChosenMethod& chosen) {
  CheckedRule checked{chosen, allocation_rule(chosen.method.name)};
  const ProbeSubject subject{chosen.method, chosen.parameters, checked.rule};
  const std::vector<ProbedQuestion> by_method = ask_method(subject), by_rule = ask_rule(subject);
  double missed = 0, all = 0;
  for (size_t q = 0; q < by_rule.size(); ++q) {
    checked.effects += std::ssize(by_rule[q].effects);
    for (size_t e = 0; e < by_rule[q].effects.size(); ++e) {
      for (size_t i = 0; i < by_rule[q].effects[e].given.size(); ++i) {
        const double expected = by_rule[q].effects[e].given[i];
        missed += std::pow(by_method[q].effects[e].given[i] - expected, 2);
        all += expected * expected;
      }
    }
  }
  checked.error = std::sqrt(missed / all);
  return checked;
}

// ---- where the method is at home ----

using SecondChecks = std::map<std::string, SecondCheck>;

std::vector<Question> questions_about(const Subject& subject, const std::string& players, Run& quiet) {
  QuestionRequest request;
  request.players = players;
  for (const std::string& image : bundled_images()) {
    if (std::ssize(request.rows.files) < kImages) request.rows.files.push_back(image);
  }
  Running running(quiet);
  std::vector<Question> questions;
  for (RowQuestion& one : ask(subject, request, running)) questions.push_back(std::move(one));
  return questions;
}

Subject bundled(const PaperRun& run, const std::string& name) {
  return run.open({bundled_file(name), name, ""}, DType::f64);
}

void check_on_polynomial(const PaperRun& run, Run& quiet, SecondChecks& checks) {
  const Subject subject = bundled(run, "polynomial.onnx");
  VerificationOptions options;
  options.sigmas = {kSigma};
  options.orders = {2};
  options.seed = run.running.seed();
  const VerificationResult result = verify_methods(subject.explained({}), questions_about(subject, kFewPlayers, quiet),
                                                   options, run.progress("polynomial"));
  for (const FittingError& error : result.sigmas[0].methods) {
    checks[error.method] = {"polynomial of images", error.orders[0].all.mean};
  }
}

void check_on_neurons(const PaperRun& run, SecondChecks& checks) {
  for (const int power : kPowers) {
    const Neurons neurons = random_polynomial_neurons(power, kInputs, kNeurons, run.running.seed());
    for (const ModuleError& error : verify_modules(neurons, {power}, kTerms)) {
      SecondCheck& check = checks[error.method];
      check.where = "neurons with polynomial activations";
      check.error = std::max(check.error, error.orders[0].all.mean);
    }
  }
}

void check_on_relu(const PaperRun& run, Run& quiet, SecondChecks& checks) {
  const Subject subject = bundled(run, "relu_vgg.onnx");
  const std::vector<Question> questions = questions_about(subject, "pixels", quiet);
  checks["lrp_epsilon"] = {"ReLU network, against x ∘ gradient",
                           epsilon_against_gradient(subject.explained({}), questions, kEpsilon).mean};
}

std::vector<CheckedRule> checked_rules(const PaperRun& run) {
  Run quiet = run.request.run;
  quiet.note = {};
  SecondChecks checks;
  check_on_polynomial(run, quiet, checks);
  check_on_neurons(run, checks);
  check_on_relu(run, quiet, checks);
  std::vector<CheckedRule> all;
  for (const ChosenMethod& chosen : choose_methods({"all"}, {})) {
    all.push_back(checked_by_effects(chosen));
    if (const auto found = checks.find(chosen.method.name); found != checks.end()) all.back().second = found->second;
  }
  return all;
}

// ---- what it made ----

std::string error_figure(double error) { return error == 0 ? "0" : fmt::format("{:.0e}", error); }

std::string expanded_in_words(AllocationLevel level) {
  switch (level) {
    case AllocationLevel::baseline: return "the network, at b";
    case AllocationLevel::point: return "the network, at x towards 0";
    case AllocationLevel::layer: return "Grad-CAM's sum at its layer";
    case AllocationLevel::module: break;
  }
  return "one neuron";
}

std::string markdown(const std::vector<CheckedRule>& all) {
  Table table{{"method", "theorem", "share of I(κ) that player i receives", "what is expanded", "error, by effect",
               "error, at home", "where that is"}};
  int64_t holding = 0;
  for (const CheckedRule& one : all) {
    table.rows.push_back({one.chosen.method.title, std::to_string(one.rule.theorem), one.rule.formula,
                          expanded_in_words(one.rule.level), error_figure(one.error),
                          one.second ? error_figure(one.second->error) : "–", one.second ? one.second->where : "–"});
    holding += one.error <= kHolds && (!one.second || one.second->error <= kHolds) ? 1 : 0;
  }
  return fmt::format(
      "# Table 3: the allocation rules of fourteen methods, checked\n\n"
      "The paper's table states a rule per method: how much of every effect I(κ) each player receives. Here every rule "
      "is also measured, in double, against the method as it runs. *By effect*: fixed generic questions with effects "
      "of orders 1 to 8, alone and shared; the error is |method − rule| / |rule| over "
      "all effects and players. *At home*: methods of whole networks on the bundled polynomial ({} players, b = x + "
      "N(0, {:g}²), all its orders), layer-wise rules on {} random neurons with σ(u) = u² to u⁵, LRP-ε on a ReLU "
      "network with ε = {:g}. Grad-CAM's rule is about its own layer, where the first check is made.\n\n{}\n"
      "{} of {} rules hold to 1e-6.\n",
      kFewPlayers, kSigma, kNeurons * std::ssize(kPowers), kEpsilon, table.markdown(), holding, all.size());
}

std::string csv(const std::vector<CheckedRule>& all) {
  Table table{{"method", "theorem", "level", "rule", "effects", "error_by_effect", "error_at_home", "home"}};
  for (const CheckedRule& one : all) {
    table.rows.push_back({one.chosen.method.name, std::to_string(one.rule.theorem),
                          std::string(to_string(one.rule.level)), one.rule.formula, std::to_string(one.effects),
                          fmt::format("{:.3g}", one.error), one.second ? fmt::format("{:.3g}", one.second->error) : "",
                          one.second ? one.second->where : ""});
  }
  return table.csv();
}

std::string svg(const std::vector<CheckedRule>& all) {
  VerdictTable table{
      "Fourteen methods and their allocation rules",
      "relative error of the rule against the method as it runs, a tick: at most 1e-6; at the right the share of "
      "I(kappa) that player i receives",
      {"Effect by effect", "Where it is at home"},
      {}};
  for (const CheckedRule& one : all) {
    VerdictRow& row = table.rows.emplace_back(VerdictRow{one.chosen.method.title, {}, {}});
    row.cells.push_back({one.error <= kHolds, error_figure(one.error)});
    if (one.second) row.cells.push_back({one.second->error <= kHolds, error_figure(one.second->error)});
    row.remark = fmt::format("{}", one.rule.formula);
  }
  return verdicts_svg(table);
}

Json settings(const PaperRun&) {
  return Json::object({{"images", kImages},
                       {"players", kFewPlayers},
                       {"sigma", kSigma},
                       {"epsilon", kEpsilon},
                       {"powers", kPowers},
                       {"neurons", kNeurons},
                       {"inputs_of_a_neuron", kInputs}});
}

Reproduced run(const PaperRun& run) {
  const std::vector<CheckedRule> all = checked_rules(run);
  return {markdown(all), csv(all), svg(all)};
}

}  // namespace

PaperExperiment table3() {
  return {"table3", "Table 3: the allocation rules of fourteen methods, checked", {}, 0, settings, run};
}

}  // namespace ascribe::core::study::paper
