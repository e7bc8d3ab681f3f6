// The three principles of a faithful attribution as figures (docs/howto/audit.md; the paper's section 5):
//   low error        | f(x) - f(b) - sum of the covered effects | / | f(x) - f(b) |
//   no unrelated     what reaches players outside of an effect, as a share of all that is given
//   complete         sum over covered effects of | what is given of it - the effect | / sum of their sizes
// An effect is covered if anything is given of it. A figure above its tolerance breaks the principle, and so does one
// that is not a number: nothing was given at all.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ascribe::core {

enum class Principle { low_error, no_unrelated, complete };
inline constexpr std::array<Principle, 3> kPrinciples = {Principle::low_error, Principle::no_unrelated,
                                                         Principle::complete};
std::string_view to_string(Principle principle);
double tolerance_of(Principle principle);  // 1 %, 1e-6, 1e-6

// One effect, and what every player is given of it.
struct AllocatedEffect {
  uint64_t support = 0;  // players, as bits
  double value = 0;
  std::vector<double> given;
};

struct PrincipleFigures {
  double low_error = 0, no_unrelated = 0, complete = 0;

  double operator[](Principle principle) const;
  bool holds(Principle principle) const { return (*this)[principle] <= tolerance_of(principle); }
  int held() const;  // how many of the three
};

// Whether an effect of which a part is given counts as covered, or that part of it.
enum class Coverage { whole, in_part };

// Adds up numerators and denominators over questions, or baselines, and divides them at the end.
class PrincipleAccount {
 public:
  explicit PrincipleAccount(Coverage coverage = Coverage::whole) : coverage_(coverage) {}

  void add(const AllocatedEffect& effect);
  // After the effects of one question: f(x) - f(b).
  void close(double change);
  PrincipleFigures figures() const;

 private:
  Coverage coverage_;
  double explained_ = 0;  // of the question that is open
  double left_ = 0, changes_ = 0;
  double unrelated_ = 0, given_ = 0;
  double defects_ = 0, covered_ = 0;
};

// The share of an effect that is given: between 0 and 1; 1 where more than all of it is.
double share_given(double given, double effect);

}  // namespace ascribe::core
