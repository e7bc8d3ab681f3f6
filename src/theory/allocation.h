// Allocation rules: a method says how much of every effect each player receives,
//   a_i = sum over kappa of w(i, kappa) I(kappa)
// (theorems 2 to 15 of the paper; docs/theory/theorems). The rules are data, one per method and under its name; the
// files in theory/rules register them. What a rule is about depends on its level.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "game/effects.h"

namespace ascribe::core {

// Which function is expanded, and where.
enum class AllocationLevel {
  baseline,  // the model, at the baseline b towards x; several baselines average
  point,     // the model, at x towards the input 0: I(kappa) = -1/kappa! d^kappa f(x) (-x)^kappa, whatever b is
  layer,     // the linear surrogate of Grad-CAM at its layer, g(A) = sum over k of alpha_k times the sum of A^k
  module,    // one neuron sigma(sum of z_i + s), in z: at z = 0 (LRP, Deep Taylor), at the reference (DeepLIFT, Deep
             // SHAP)
};
std::string_view to_string(AllocationLevel level);

// What some rules need to know besides kappa.
struct AllocationContext {
  std::vector<std::vector<int>> windows = {};  // occlusion_patch: the players of each window that is masked together
  std::vector<double> z = {};                  // of a module: every player's z_i, or its change since the reference
  double alpha = 2, beta = -1;                 // lrp_alpha_beta
};

struct AllocationRule {
  std::string method;  // its name
  int theorem = 0;     // of the paper
  AllocationLevel level = AllocationLevel::baseline;
  std::string formula;                   // w(i, kappa) in one line
  bool depends_on_support_only = false;  // only on which degrees are not 0: then J(S), the dividends, determine a
  // `degree`: kappa, one degree per player, not all 0.
  std::function<double(const AllocationContext&, int player, std::span<const int> degree)> weight = nullptr;
};

using AllocationRegistry = Registry<AllocationRule>;

struct RegisterAllocation {
  explicit RegisterAllocation(AllocationRule rule);
};

std::vector<std::string> allocation_names();                   // methods that have a rule, in the order of the theorems
const AllocationRule& allocation_rule(std::string_view name);  // throws unsupported, and says which there are

// w(i, kappa) of all players.
std::vector<double> weights(const AllocationRule& rule, const AllocationContext& context, std::span<const int> degree);

// a_i = sum of w(i, kappa) I(kappa) over these effects. Effects without degrees are dividends: they have degree 1 in
// every player of their support, and the rule must depend on the support only.
std::vector<double> allocate(const AllocationRule& rule, const AllocationContext& context, const Effects& effects);
// The same for all 2^m dividends, again for rules that depend on the support only.
std::vector<double> allocate(const AllocationRule& rule, const AllocationContext& context, const Dividends& dividends);

// For the files of the rules: the sum of all degrees, and how many of them are not 0.
int total_degree(std::span<const int> degree);
int support_size(std::span<const int> degree);

}  // namespace ascribe::core
