// The contributions z_ij of a layer by their sign: z+ = w+ x+ + w- x-, z- = w+ x- + w- x+.
#pragma once

#include "passes/rules/rule.h"

namespace ascribe::core {

// The sum of the positive (or negative) z_ij of every output, without the bias. Invalid if there are none.
Value group_sum(const RuleRequest& r, bool positive);
// The coefficient c of x, where sum over j of z_ij s_j over that group's z_ij is x_i c_i. Invalid if there are none.
Value group_coefficient(const RuleRequest& r, Value s, bool positive);

// a + b, of which either may be invalid.
Value sum_of(Builder& b, Value one, Value other);

}  // namespace ascribe::core
