// Student's t distribution: what a mean of few draws may be off by, in units of its standard error.
#pragma once

namespace ascribe::core {

// P(T <= t); degrees of freedom above 0, or infinite: the normal distribution.
double student_probability(double t, double degrees);

// The t that |T| stays below with this probability, between 0 and 1: 1.96 for 0.95 of infinitely many degrees, 12.7 of
// one. Infinite if there are no degrees of freedom.
double student_quantile(double probability, double degrees);

}  // namespace ascribe::core
