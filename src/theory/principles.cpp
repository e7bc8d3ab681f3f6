#include "theory/principles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace ascribe::core {

namespace {

// Running methods round: what is less than this share of an effect is nothing.
constexpr double kNoChange = 1e-9;

// Nothing of nothing is no figure: who gives nothing keeps no principle.
double ratio(double part, double whole) { return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : part / whole; }

}  // namespace

std::string_view to_string(Principle principle) {
  switch (principle) {
    case Principle::low_error: return "low error";
    case Principle::no_unrelated: return "no unrelated";
    case Principle::complete: return "complete";
  }
  return "";
}

double tolerance_of(Principle principle) { return principle == Principle::low_error ? 0.01 : 1e-6; }

double PrincipleFigures::operator[](Principle principle) const {
  switch (principle) {
    case Principle::low_error: return low_error;
    case Principle::no_unrelated: return no_unrelated;
    case Principle::complete: return complete;
  }
  return 0;
}

int PrincipleFigures::held() const {
  return static_cast<int>(std::count_if(kPrinciples.begin(), kPrinciples.end(), [&](Principle p) { return holds(p); }));
}

double share_given(double given, double effect) { return effect == 0 ? 1 : std::clamp(given / effect, 0.0, 1.0); }

void PrincipleAccount::add(const AllocatedEffect& effect) {
  double sum = 0, absolute = 0, unrelated = 0;
  for (size_t i = 0; i < effect.given.size(); ++i) {
    sum += effect.given[i];
    absolute += std::abs(effect.given[i]);
    if ((effect.support >> i & 1) == 0) unrelated += std::abs(effect.given[i]);
  }
  unrelated_ += unrelated;
  given_ += absolute;
  if (absolute <= kNoChange * std::abs(effect.value)) return;
  explained_ += coverage_ == Coverage::whole ? effect.value : share_given(sum, effect.value) * effect.value;
  defects_ += std::abs(sum - effect.value);
  covered_ += std::abs(effect.value);
}

void PrincipleAccount::close(double change) {
  left_ += std::abs(change - explained_);
  changes_ += std::abs(change);
  explained_ = 0;
}

PrincipleFigures PrincipleAccount::figures() const {
  return {ratio(left_, changes_), ratio(unrelated_, given_), ratio(defects_, covered_)};
}

}  // namespace ascribe::core
