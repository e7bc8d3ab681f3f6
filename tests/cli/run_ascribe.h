// Runs the built program as a user would, and keeps what it said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ascribe::core {

struct Said {
  int code = -1;  // 128 + signal if it was killed
  std::string out;
  std::string err;
  int64_t peak_bytes = 0;  // of memory that it held at most
};

Said run_ascribe(const std::vector<std::string>& arguments);

}  // namespace ascribe::core
