// Methods that treat the players of a module by their sign: N+ has z_i > 0, N- the rest (theorems 11, 12 and 15).
// LRP-alpha-beta gives alpha of every effect to N+, by degree if the effect has a degree there and by z if not, and
// beta to N-; this includes effects of single players of the other group. A group without members loses its share.
// RevealCancel shares an effect of one group within it, one of both groups half and half.
#include "theory/allocation.h"

namespace ascribe::core::allocation_signed_groups {

namespace {

struct Group {
  int degree = 0;  // of its players together
  double z = 0;
};

bool positive(const AllocationContext& context, size_t player) { return context.z[player] > 0; }

Group group_of(const AllocationContext& context, bool sign, std::span<const int> degree) {
  Group group;
  for (size_t i = 0; i < degree.size(); ++i) {
    if (positive(context, i) != sign) continue;
    group.degree += degree[i];
    group.z += context.z[i];
  }
  return group;
}

void check_z(const AllocationContext& context, std::span<const int> degree) {
  if (context.z.size() == degree.size()) return;
  fail(ErrorKind::internal, "allocation rule", "a module of {} players with {} values of z", degree.size(),
       context.z.size());
}

double by_alpha_beta(const AllocationContext& context, double alpha, double beta, int player,
                     std::span<const int> degree) {
  check_z(context, degree);
  const auto i = static_cast<size_t>(player);
  const Group own = group_of(context, positive(context, i), degree);
  const double share = positive(context, i) ? alpha : beta;
  if (own.degree > 0) return share * degree[i] / own.degree;
  return own.z != 0 ? share * context.z[i] / own.z : 0;
}

double by_reveal_cancel(const AllocationContext& context, int player, std::span<const int> degree) {
  check_z(context, degree);
  const auto i = static_cast<size_t>(player);
  if (degree[i] == 0) return 0;
  const bool sign = positive(context, i);
  const double share = static_cast<double>(degree[i]) / group_of(context, sign, degree).degree;
  return group_of(context, !sign, degree).degree > 0 ? share / 2 : share;
}

const RegisterAllocation kLrpAlphaBeta(
    {.method = "lrp_alpha_beta",
     .theorem = 11,
     .level = AllocationLevel::module,
     .formula = "i in N+: alpha kappa_i / |kappa of N+|, or alpha z_i / sum of z in N+ if that is 0; N-: with beta",
     .weight = [](const AllocationContext& context, int player, std::span<const int> degree) {
       return by_alpha_beta(context, context.alpha, context.beta, player, degree);
     }});
const RegisterAllocation kDeepTaylor(
    {.method = "deep_taylor",
     .theorem = 12,
     .level = AllocationLevel::module,
     .formula = "i in N+: kappa_i / |kappa of N+|, or z_i / sum of z in N+ if that is 0; N-: 0",
     .weight = [](const AllocationContext& context, int player, std::span<const int> degree) {
       return by_alpha_beta(context, 1, 0, player, degree);
     }});
const RegisterAllocation kDeepLiftRevealCancel(
    {.method = "deeplift_reveal_cancel",
     .theorem = 15,
     .level = AllocationLevel::module,
     .formula = "i in N+: kappa_i / |kappa of N+|, half of it if S meets N- too; N-: alike",
     .weight = by_reveal_cancel});

}  // namespace

}  // namespace ascribe::core::allocation_signed_groups
