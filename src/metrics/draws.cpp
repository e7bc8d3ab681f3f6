#include "metrics/draws.h"

namespace ascribe::core {

Random draws_of(const MetricInput& input, size_t question, std::string_view metric) {
  uint64_t tag = 0xcbf29ce484222325;  // FNV-1a, so that no two metrics share their draws
  for (const char c : metric) tag = (tag ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  const auto mixed = Random(tag, input.streams[question]).block(0);
  return Random(input.seed, uint64_t{mixed[0]} << 32 | mixed[1]);
}

}  // namespace ascribe::core
