// The three principles per Taylor term, as the paper has them: what every player is given of I(kappa), not only of the
// sum J(S) of the terms of a set. Along x(t) = b + sum over p of t_p (x - b)|P_p both f and the attribution are
// functions of t; their Taylor coefficients at t = 0 are I(kappa) and a(i <- I(kappa)), for a method with weights w(i,
// kappa) I(kappa). They are read from values on a grid of Chebyshev points in [-h, h]^m by interpolation; two widths h
// that differ by a factor of 2 give the error, and the width with the least of it is taken.
#pragma once

#include <optional>
#include <string>

#include "theory/principles.h"
#include "theory/set_allocation.h"

namespace ascribe::core {

struct Term {
  std::vector<int> degrees;  // kappa: one per player
  AllocatedEffect effect;
};

struct TermAudit {
  std::string left_out;  // why there is none; empty: there is one
  int order = 0;         // of the highest terms
  std::vector<Term> terms;
  double remainder = 0;  // f(x) - f(b) - the sum of the terms
  PrincipleFigures figures, errors;
  Verdicts verdicts;
};

inline constexpr int64_t kMostTermPlayers = 4;

// Left out: more players than that, networks with kinks, models in float, series that do not converge up to x, methods
// whose values are not smooth in t.
TermAudit audit_terms(const Method& method, ExplainedModel& model, const Question& question,
                      const std::map<std::string, std::string>& given, uint64_t seed = 0,
                      const Progress& progress = {});

}  // namespace ascribe::core
