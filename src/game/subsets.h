// Sets as bits of a number: small sets of players, sums over all that contain them.
#pragma once

#include <cstdint>
#include <vector>

namespace ascribe::core {

// All sets of 1 .. order players, by size and then in the order of their members.
std::vector<uint64_t> sets_up_to(int players, int order);

// For every set S of `size` players, in the order above: the sum of table[T] over all T that contain S. Takes
// (size + 1) 2^players additions and as many numbers of memory again.
std::vector<double> superset_sums_of_size(std::vector<double> table, int players, int size);

std::vector<int> members_of(uint64_t set);  // ascending

// C(n, k); 0 unless 0 <= k <= n. Exact while it is below 2^53.
double binomial(int n, int k);

}  // namespace ascribe::core
