// The three principles of a faithful attribution as figures (docs/howto/audit.md; the paper's section 5):
//   low error        sum over effects of | what is not covered of it |  /  sum of their sizes
//   no unrelated     what reaches players outside of an effect, as a share of all that is given
//   complete         sum over covered effects of | what is given of it - the effect | / sum of their sizes
// Sizes are added, never signed amounts: errors of both signs do not cancel. An effect is covered if anything is given
// of it. A figure is held against its tolerance by `judge`, which leaves open what the figure's error may have caused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace ascribe::core {

enum class Principle { low_error, no_unrelated, complete };
inline constexpr std::array<Principle, 3> kPrinciples = {Principle::low_error, Principle::no_unrelated,
                                                         Principle::complete};
std::string_view to_string(Principle principle);
// 1 %, 1e-6, 1e-6; of numbers in float never less than 1e-3, which rounding alone may reach.
double tolerance_of(Principle principle, DType real = DType::f64);

// One effect, and what every player is given of it.
struct AllocatedEffect {
  uint64_t support = 0;  // players, as bits
  double value = 0;
  std::vector<double> given;
  double value_error = 0;                 // how far the value may be off
  std::vector<double> given_errors = {};  // the same of what is given; empty: not at all
};

struct PrincipleFigures {
  double low_error = 0, no_unrelated = 0, complete = 0;  // not a number: there is nothing to judge by

  double operator[](Principle principle) const;
  double& at(Principle principle);
  bool holds(Principle principle) const { return (*this)[principle] <= tolerance_of(principle); }
  int held() const;  // how many of the three
};

struct Verdict {
  double figure = 0;
  double error = 0;  // how far quadrature, draws or rounding may have moved the figure
  double tolerance = 0;
  std::optional<bool> holds;  // nothing: left open
  std::string reason;         // why it is left open
};

// The one rule for every verdict. Yes: the figure is within the tolerance, and so is its error; or the figure is so far
// below its error that the error does not enter it. No: the figure less its error is above the tolerance. Otherwise it
// is left open, for `doubt` (what the error comes from).
Verdict judge(double figure, double error, double tolerance, std::string_view doubt);

struct Verdicts {
  std::array<Verdict, 3> all = {};

  const Verdict& operator[](Principle principle) const { return all[static_cast<size_t>(principle)]; }
  int held() const;  // how many of the three
  int open() const;
};

// All three, of figures that were computed in `real`.
Verdicts judge(const PrincipleFigures& figures, const PrincipleFigures& errors, DType real, std::string_view doubt);

// Whether an effect of which a part is given counts as covered, or that part of it.
enum class Coverage { whole, in_part };

// Adds up numerators and denominators over questions, or baselines, and divides them at the end.
class PrincipleAccount {
 public:
  explicit PrincipleAccount(Coverage coverage = Coverage::whole) : coverage_(coverage) {}

  void add(const AllocatedEffect& effect);
  // After the effects of one question: f(x) - f(b). What the effects do not make up of it is an effect of which nothing
  // was given.
  void close(double change);
  PrincipleFigures figures() const;
  PrincipleFigures errors() const;

 private:
  struct Ratio {
    double part = 0, whole = 0, error = 0;
  };

  Coverage coverage_;
  double sum_ = 0, sizes_ = 0;  // of the effects of the question that is open
  Ratio low_error_, unrelated_, complete_;
};

// The share of an effect that is given: between 0 and 1; 1 where more than all of it is.
double share_given(double given, double effect);

}  // namespace ascribe::core
