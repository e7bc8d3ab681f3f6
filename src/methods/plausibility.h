// Whether values can be what they say: shares of a change that a network can make. At singular points of a network
// (a normalisation of what has no contrast, a neuron at 0) rules that divide give values of any size, which cancel.
#pragma once

#include "methods/method.h"

namespace ascribe::core {

// A sum of |a| that exceeds the total by this factor is looked into. Up to here no more than three of the seven digits
// of float are lost where the values cancel. Noise of random sign stays below: over the 150,528 numbers of a photograph
// it exceeds its own sum by 390, the root of their number.
inline constexpr double kMostCancelling = 1000;

// What the strongest player may have got in units of what it does to f when it alone is masked, or when it alone is
// present. Inputs that truly cancel, as x1 - x2 does, stay near 1 whatever their sum.
inline constexpr double kMostPerEffect = 100;

// What a complete method may miss of its total, or of f(x) and f(b) if they are larger.
double complete_within(DType real);

// Adds a note and takes back `exact` where the values cancel beyond what their players can do, or where a method that
// promises completeness leaves a residual beyond rounding. Asks the model twice more, only where values cancel.
void check_plausible(const Method& method, ExplainedModel& model, const Question& question, Attribution& answer,
                     const Progress& progress);

}  // namespace ascribe::core
