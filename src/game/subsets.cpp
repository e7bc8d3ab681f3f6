#include "game/subsets.h"

#include <algorithm>
#include <bit>

#include "base/parallel.h"

namespace ascribe::core {

namespace {

void add_sets(int players, int size, int from, uint64_t chosen, std::vector<uint64_t>& sets) {
  if (size == 0) {
    sets.push_back(chosen);
    return;
  }
  for (int p = from; p <= players - size; ++p) add_sets(players, size - 1, p + 1, chosen | uint64_t{1} << p, sets);
}

constexpr int64_t kGrain = 1 << 14;

double sum_of(const double* values, int64_t count) {
  std::vector<double> parts(static_cast<size_t>((count + kGrain - 1) / kGrain));
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += values[i];
    parts[static_cast<size_t>(begin / kGrain)] = sum;
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

// Players leave one by one, the first one first: sets with him see half of the table, sets without him the sums of
// both halves. `room` is as large as the table.
void add_sums(double* table, int players, int size, double* room, std::vector<double>& sums) {
  const int64_t half = players > 0 ? int64_t{1} << (players - 1) : 0;
  if (size == 0 || size == players) {
    sums.push_back(size == 0 ? sum_of(table, int64_t{1} << players) : table[(int64_t{1} << players) - 1]);
    return;
  }
  parallel_for(half, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) room[i] = table[2 * i + 1];
  });
  add_sums(room, players - 1, size - 1, room + half, sums);
  parallel_for(half, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) room[i] = table[2 * i] + table[2 * i + 1];
  });
  add_sums(room, players - 1, size, room + half, sums);
}

}  // namespace

std::vector<double> superset_sums_of_size(std::vector<double> table, int players, int size) {
  std::vector<double> sums, room(table.size());
  add_sums(table.data(), players, size, room.data(), sums);
  return sums;
}

std::vector<uint64_t> sets_up_to(int players, int order) {
  std::vector<uint64_t> sets;
  for (int size = 1; size <= std::min(order, players); ++size) add_sets(players, size, 0, 0, sets);
  return sets;
}

std::vector<int> members_of(uint64_t set) {
  std::vector<int> members;
  for (; set != 0; set &= set - 1) members.push_back(std::countr_zero(set));
  return members;
}

double binomial(int n, int k) {
  if (k < 0 || k > n) return 0;
  double result = 1;
  for (int i = 1; i <= std::min(k, n - k); ++i) result = result * (n - i + 1) / i;
  return result;
}

}  // namespace ascribe::core
