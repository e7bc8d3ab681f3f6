// Seconds of repeated runs and the peak memory of the process, as one line of JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>

#include <sys/resource.h>

namespace ascribe::core {

inline double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// `prepare` is not timed.
inline void measure(int64_t repeats, const std::function<void()>& prepare, const std::function<void()>& run) {
  for (int i = 0; i < 2; ++i) {
    prepare();
    run();
  }
  std::printf("{\"seconds\": [");
  for (int64_t i = 0; i < repeats; ++i) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    std::printf("%s%.9f", i == 0 ? "" : ", ", elapsed.count());
  }
  std::printf("], \"peak_mib\": %.1f}\n", peak_mebibytes());
}

}  // namespace ascribe::core
