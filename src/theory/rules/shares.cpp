// Methods that share every effect among the players it involves: by their degrees (theorems 7, 8 and 13), or equally
// (theorems 9 and 14). DeepLIFT Rescale and Deep SHAP do so in every module, not in the network as a whole.
#include "theory/allocation.h"

namespace ascribe::core::allocation_shares {

namespace {

double by_degree(const AllocationContext&, int player, std::span<const int> degree) {
  return static_cast<double>(degree[static_cast<size_t>(player)]) / total_degree(degree);
}

double equally(const AllocationContext&, int player, std::span<const int> degree) {
  return degree[static_cast<size_t>(player)] > 0 ? 1.0 / support_size(degree) : 0;
}

AllocationRule share_by_degree(std::string method, int theorem, AllocationLevel level, std::string formula) {
  return {.method = std::move(method),
          .theorem = theorem,
          .level = level,
          .formula = std::move(formula),
          .weight = by_degree};
}

AllocationRule equal_share(std::string method, int theorem, AllocationLevel level) {
  return {.method = std::move(method),
          .theorem = theorem,
          .level = level,
          .formula = "1 / |S| if i is in S, else 0",
          .depends_on_support_only = true,
          .weight = equally};
}

const RegisterAllocation kIntegratedGradients(share_by_degree("integrated_gradients", 7, AllocationLevel::baseline,
                                                              "kappa_i / |kappa|"));
const RegisterAllocation kExpectedGradients(share_by_degree("expected_gradients", 8, AllocationLevel::baseline,
                                                            "kappa_i / |kappa|; the mean over b"));
const RegisterAllocation kDeepLiftRescale(share_by_degree("deeplift_rescale", 13, AllocationLevel::module,
                                                          "kappa_i / |kappa|"));

const RegisterAllocation kShapley(equal_share("shapley", 9, AllocationLevel::baseline));
const RegisterAllocation kDeepShap(equal_share("deep_shap", 14, AllocationLevel::module));

}  // namespace

}  // namespace ascribe::core::allocation_shares
