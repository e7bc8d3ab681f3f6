// Layer-wise rules against the methods as they run, on single modules y = sigma(sum of w_i x_i + s): what theorems 11
// to 15 are about (docs/theory/theorems). A module is a network by itself, on which the method is run; LRP's rule
// expands it at z = 0 and allocates sigma(sum z + s) - sigma(s), so the running method's values, which start from f(x),
// are scaled to that. LRP-epsilon is compared with x * gradient on whole ReLU networks.
#pragma once

#include <string>
#include <vector>

#include "theory/verification.h"

namespace ascribe::core {

// A dense layer with its activation; every output is a neuron.
struct Neurons {
  std::string name;
  Tensor weights;  // [inputs, outputs], double
  Tensor bias;     // [outputs], double
  int power = 0;   // sigma(u) = u^power; 0: the sigmoid

  struct Case {
    std::vector<double> x, baseline;
    int64_t neuron = 0;
  };
  std::vector<Case> cases;
};

// sigma(u) = u^power: with a bias, polynomials in all inputs and of all degrees up to the power.
Neurons random_polynomial_neurons(int power, int64_t inputs, int64_t cases, uint64_t seed);

// The layers of a network that a sigmoid follows, with the inputs that they get at these rows and at the baseline 0:
// dense layers as they are, a convolution as a dense layer over the elements of its window. At most `cases` each,
// evenly spread over rows, places and neurons.
std::vector<Neurons> sigmoid_neurons(const Graph& model, const Tensor& rows, int64_t cases);

// One rule on one layer's neurons.
struct ModuleError {
  std::string method;
  std::string neurons;
  int64_t inputs = 0;  // of each neuron
  std::vector<OrderError> orders;
  int64_t cases = 0, inside = 0;
  int64_t left_out = 0;  // an empty group, or nothing to share out: the rule does not speak of them
  int listed_order = 0;  // as in FittingError
  double listed_difference = 0;
};

std::vector<std::string> module_methods();
// Deep SHAP is left out where neurons have more inputs than it takes exactly.
std::vector<ModuleError> verify_modules(const Neurons& neurons, const std::vector<int>& orders, int64_t most_terms);

// |lrp_epsilon - x * gradient| / |x * gradient| over the questions.
Mean epsilon_against_gradient(ExplainedModel& model, std::span<const Question> questions, double epsilon);

}  // namespace ascribe::core
