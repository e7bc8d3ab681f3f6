// How long-running work reports its progress, and how it is stopped: by a callback that throws (base/watch.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace ascribe::core {

// (what is being done, units done, units in all)
using Progress = std::function<void(std::string_view task, int64_t done, int64_t total)>;

inline void report(const Progress& progress, std::string_view task, int64_t done, int64_t total) {
  if (progress) progress(task, done, total);
}

}  // namespace ascribe::core
