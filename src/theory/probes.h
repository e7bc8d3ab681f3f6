// The methods in general: fixed generic questions that show what a method does with every effect, asked of the method
// as it runs and of its allocation rule. Which question is suitable depends on the level of the rule:
//   baseline           monomials centred at b: the method is linear in f, so what it returns is its weights
//   point              monomials centred at x; for methods that share out f(x) itself, a ReLU network with biases
//   module             one neuron sigma(sum of z + s) with polynomial sigma, both signs of z scaled apart
//   layer              a head that averages maps, with monomials on top
// Effects of order 3 and more, interactions, biases and windows of several players take part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "methods/method.h"
#include "theory/allocation.h"
#include "theory/principles.h"

namespace ascribe::core {

// A method as it is run, and what is claimed of it.
struct ProbeSubject {
  const Method& method;
  const Parameters& parameters;
  const AllocationRule& rule;
};

// What was given of every effect; f(x) - f(b).
struct ProbedQuestion {
  std::vector<AllocatedEffect> effects;
  double change = 0;
};

// The same questions and effects in the same order.
std::vector<ProbedQuestion> ask_method(const ProbeSubject& subject);
std::vector<ProbedQuestion> ask_rule(const ProbeSubject& subject);

PrincipleFigures principles_of(std::span<const ProbedQuestion> questions);

// What the rule of a method needs to know, from the parameters that the method runs with.
AllocationContext context_of(const ProbeSubject& subject, const Players& players);

}  // namespace ascribe::core
