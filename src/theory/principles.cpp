#include "theory/principles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace ascribe::core {

namespace {

// Running methods round: what is less than this share of an effect is nothing.
constexpr double kNoChange = 1e-9;
constexpr double kFloatTolerance = 1e-3;
// A figure this far below its error does not come from what the error is about: noise would show in it.
constexpr double kUntouched = 0.01;

// Nothing of nothing is no figure.
double ratio(double part, double whole) { return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : part / whole; }

double root_of_squares(std::span<const double> errors) {
  double sum = 0;
  for (const double error : errors) sum += error * error;
  return std::sqrt(sum);
}

std::string_view nothing_to_judge(Principle principle) {
  return principle == Principle::low_error ? "no set of players has an effect here, so there is nothing to explain"
                                           : "nothing was given, so there is nothing to judge";
}

}  // namespace

std::string_view to_string(Principle principle) {
  switch (principle) {
    case Principle::low_error: return "low error";
    case Principle::no_unrelated: return "no unrelated";
    case Principle::complete: return "complete";
  }
  return "";
}

double tolerance_of(Principle principle, DType real) {
  const double tolerance = principle == Principle::low_error ? 0.01 : 1e-6;
  return real == DType::f64 ? tolerance : std::max(tolerance, kFloatTolerance);
}

double& PrincipleFigures::at(Principle principle) {
  switch (principle) {
    case Principle::low_error: return low_error;
    case Principle::no_unrelated: return no_unrelated;
    case Principle::complete: break;
  }
  return complete;
}

double PrincipleFigures::operator[](Principle principle) const { return PrincipleFigures(*this).at(principle); }

int PrincipleFigures::held() const {
  return static_cast<int>(std::count_if(kPrinciples.begin(), kPrinciples.end(), [&](Principle p) { return holds(p); }));
}

Verdict judge(double figure, double error, double tolerance, std::string_view doubt) {
  Verdict verdict{figure, error, tolerance, std::nullopt, std::string(doubt)};
  if (figure <= tolerance && (error <= tolerance || figure <= kUntouched * error)) verdict.holds = true;
  if (figure - error > tolerance) verdict.holds = false;
  if (verdict.holds) verdict.reason.clear();
  return verdict;
}

Verdicts judge(const PrincipleFigures& figures, const PrincipleFigures& errors, DType real, std::string_view doubt) {
  Verdicts verdicts;
  for (const Principle principle : kPrinciples) {
    const bool none = std::isnan(figures[principle]);
    verdicts.all[static_cast<size_t>(principle)] =
        judge(figures[principle], errors[principle], tolerance_of(principle, real),
              none ? nothing_to_judge(principle) : doubt);
  }
  return verdicts;
}

int Verdicts::held() const {
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](const Verdict& v) { return v.holds == true; }));
}

int Verdicts::open() const {
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](const Verdict& v) { return !v.holds; }));
}

double share_given(double given, double effect) { return effect == 0 ? 1 : std::clamp(given / effect, 0.0, 1.0); }

void PrincipleAccount::add(const AllocatedEffect& effect) {
  double sum = 0, absolute = 0, unrelated = 0, unrelated_error = 0;
  for (size_t i = 0; i < effect.given.size(); ++i) {
    sum += effect.given[i];
    absolute += std::abs(effect.given[i]);
    if ((effect.support >> i & 1) != 0) continue;
    unrelated += std::abs(effect.given[i]);
    if (!effect.given_errors.empty()) unrelated_error += effect.given_errors[i];
  }
  const double size = std::abs(effect.value), error = effect.value_error + root_of_squares(effect.given_errors);
  sum_ += effect.value;
  sizes_ += size;
  unrelated_.part += unrelated;
  unrelated_.whole += absolute;
  unrelated_.error += unrelated_error;
  low_error_.error += error;
  if (absolute <= kNoChange * size) {
    low_error_.part += size;
    return;
  }
  if (coverage_ == Coverage::in_part) low_error_.part += (1 - share_given(sum, effect.value)) * size;
  complete_.part += std::abs(sum - effect.value);
  complete_.whole += size;
  complete_.error += error;
}

void PrincipleAccount::close(double change) {
  const double rest = std::abs(change - sum_);
  const bool rounding = rest <= kNoChange * sizes_;
  low_error_.whole += sizes_ + (rounding ? 0 : rest);
  low_error_.part += rounding ? 0 : rest;
  sum_ = sizes_ = 0;
}

PrincipleFigures PrincipleAccount::figures() const {
  // Where there is no effect at all, everything that is given is too much.
  const double covered = complete_.whole > 0 ? complete_.whole : complete_.part;
  return {ratio(low_error_.part, low_error_.whole), ratio(unrelated_.part, unrelated_.whole),
          ratio(complete_.part, covered)};
}

PrincipleFigures PrincipleAccount::errors() const {
  const double covered = complete_.whole > 0 ? complete_.whole : complete_.part;
  return {ratio(low_error_.error, low_error_.whole), ratio(unrelated_.error, unrelated_.whole),
          ratio(complete_.error, covered)};
}

}  // namespace ascribe::core
