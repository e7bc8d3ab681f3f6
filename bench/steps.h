// Where the time of a session goes: with ASCRIBE_BENCH_STEPS in the environment, the steps of its plan on the error
// stream, slowest first; those of one name and shape are added up.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "runtime/session.h"

namespace ascribe::core {

inline void print_steps(Session& session, int64_t rows, const std::function<void()>& run) {
  if (std::getenv("ASCRIBE_BENCH_STEPS") == nullptr) return;
  constexpr int kRuns = 5;
  run();
  session.time_steps(rows);
  for (int i = 0; i < kRuns; ++i) run();
  const auto names = session.step_names(rows);
  const auto shapes = session.step_shapes(rows);
  const auto& seconds = session.step_seconds(rows);
  std::map<std::string, std::pair<double, int>> sums;
  double total = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    auto& [sum, count] = sums[names[i] + " " + to_string(shapes[i])];
    sum += seconds[i] / kRuns;
    total += seconds[i] / kRuns;
    ++count;
  }
  std::vector<std::pair<std::string, std::pair<double, int>>> order(sums.begin(), sums.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  for (const auto& [name, cost] : order) {
    std::fprintf(stderr, "%9.3f ms %5.1f%% %4d  %s\n", cost.first * 1e3, 100 * cost.first / total, cost.second,
                 name.c_str());
  }
  std::fprintf(stderr, "%9.3f ms in %zu steps, %.1f MiB\n", total * 1e3, names.size(),
               static_cast<double>(session.arena_bytes(rows)) / 1048576.0);
}

}  // namespace ascribe::core
