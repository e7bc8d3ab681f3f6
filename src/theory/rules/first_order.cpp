// Methods that know only the first order: w = 1 if kappa = e_i, 0 otherwise (theorems 2, 6 and 10).
// Gradient x Input and, on ReLU networks with a small epsilon, LRP-epsilon expand f at x towards 0. Grad-CAM expands a
// surrogate at its layer, which is linear in the layer, so that nothing but this order exists.
#include "theory/allocation.h"

namespace ascribe::core::allocation_first_order {

namespace {

double only_the_slope(const AllocationContext&, int player, std::span<const int> degree) {
  return degree[static_cast<size_t>(player)] == 1 && total_degree(degree) == 1 ? 1 : 0;
}

AllocationRule rule(std::string method, int theorem, AllocationLevel level) {
  return {.method = std::move(method),
          .theorem = theorem,
          .level = level,
          .formula = "1 if kappa = e_i, else 0",
          .weight = only_the_slope};
}

const RegisterAllocation kGradientXInput(rule("gradient_x_input", 2, AllocationLevel::point));
const RegisterAllocation kGradCam(rule("grad_cam", 6, AllocationLevel::layer));
const RegisterAllocation kLrpEpsilon(rule("lrp_epsilon", 10, AllocationLevel::point));

}  // namespace

}  // namespace ascribe::core::allocation_first_order
