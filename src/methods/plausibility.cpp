#include "methods/plausibility.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/foreign.h"
#include "methods/path_tolerance.h"
#include "methods/question_game.h"
#include "methods/shared_work.h"

namespace ascribe::core {

namespace {

double magnitude_of(const Attribution& a) {
  return std::accumulate(a.values.begin(), a.values.end(), 0.0, [](double s, double v) { return s + std::abs(v); });
}

int64_t strongest_of(const Attribution& a) {
  const auto less = [](double u, double v) { return std::abs(u) < std::abs(v); };
  return std::max_element(a.values.begin(), a.values.end(), less) - a.values.begin();
}

double total_of(const Method& method, const Attribution& a) {
  return method.total == Total::change ? a.output - a.baseline_output : a.output;
}

// f at both ends, as far as it is known.
double size_of_f(const Attribution& a) {
  return std::max(std::abs(a.output), std::isfinite(a.baseline_output) ? std::abs(a.baseline_output) : 0.0);
}

// The larger of what f loses without the player and gains by it alone; at least what rounding leaves of f.
double effect_of(ExplainedModel& model, const Question& question, int64_t player, Attribution& a,
                 const Progress& progress) {
  Game game = shared_game(model, question, plain_question_game);
  std::vector<int64_t> others(static_cast<size_t>(game.players()));
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + player);
  Coalitions sets(game.players());
  sets.add(std::span<const int64_t>(others));
  sets.add(std::span<const int64_t>(&player, 1));
  const std::vector<double> v = game.values(sets, progress);
  a.evaluations += rows_of(game, question);
  double effect = rounding_of(model.real(), size_of_f(a));
  if (std::isfinite(v[0])) effect = std::max(effect, std::abs(a.output - v[0]));
  if (std::isfinite(v[1] - a.baseline_output)) effect = std::max(effect, std::abs(v[1] - a.baseline_output));
  return effect;
}

bool has_parameter(const Method& method, std::string_view name) {
  return std::any_of(method.parameters.begin(), method.parameters.end(), [&](const auto& p) { return p.name == name; });
}

std::string advice(const Method& method) {
  if (method.baselines) {
    return "The network is singular at or near this baseline; another `baseline` may do: mean, blur:SIGMA of an image, "
           "or data:FILE with real inputs";
  }
  if (!method.traces) return "The slopes at x say little about larger changes here";
  return fmt::format("The rules divide by what is almost 0 somewhere{}; a trace shows at which node",
                     has_parameter(method, "epsilon") ? "; a larger `epsilon` or other `rules` may do" : "");
}

// Nothing where the values are of a size that their players can have.
std::string cancelling_note(const Method& method, ExplainedModel& model, const Question& question, Attribution& a,
                            const Progress& progress) {
  const double magnitude = magnitude_of(a), total = total_of(method, a);
  if (magnitude <= kMostCancelling * std::abs(total) || magnitude == 0) return {};
  const int64_t p = strongest_of(a);
  const double strongest = a.values[static_cast<size_t>(p)];
  std::string said = fmt::format(
      "the values cannot be trusted: they cancel, their magnitudes sum to {:.3g} where {:.3g} is explained, and '{}' "
      "got "
      "{:.3g}",
      magnitude, total, question.players.names[static_cast<size_t>(p)], strongest);
  try {
    const double effect = effect_of(model, question, p, a, progress);
    if (std::abs(strongest) <= kMostPerEffect * effect) return {};
    said += fmt::format(" although it changes f by no more than {:.2g}", effect);
  } catch (const Error& error) {  // what cannot be masked is judged by the sum alone
    if (error.kind() != ErrorKind::unsupported) throw;
  }
  return fmt::format("{}. {}", said, advice(method));
}

std::string incomplete_note(const Method& method, const ExplainedModel& model, const Attribution& a) {
  const double allowed = complete_within(model.real()) * std::max(size_of_f(a), std::abs(total_of(method, a))) +
                         rounding_of(model.real(), magnitude_of(a));
  if (std::abs(a.residual) <= allowed) return {};
  const bool single = model.real() != DType::f64;
  return fmt::format(
      "the values should sum to {:.6g} and miss it by {:.2g}, more than the {:.2g} that rounding may leave{}. {}",
      total_of(method, a), a.residual, allowed, single ? "; `precision` double may do better" : "", advice(method));
}

}  // namespace

double complete_within(DType real) { return real == DType::f64 ? 1e-9 : 1e-4; }

void check_plausible(const Method& method, ExplainedModel& model, const Question& question, Attribution& answer,
                     const Progress& progress) {
  const bool ours = method.source != kForeignSource;  // the caller's numbers may have units of their own
  if (!ours || method.kind != AttributionKind::contribution || !std::isfinite(total_of(method, answer))) return;
  std::string note = cancelling_note(method, model, question, answer, progress);
  // A method with a tolerance of its own has judged the residual by it.
  if (note.empty() && method.complete && answer.exact && !has_parameter(method, "tolerance"))
    note = incomplete_note(method, model, answer);
  if (note.empty()) return;
  answer.exact = false;
  answer.notes.push_back(std::move(note));
}

}  // namespace ascribe::core
