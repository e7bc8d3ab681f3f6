// Mutations of inputs that keep them what they are, so that the fuzzer gets past the first check of a reader. Part of
// the inputs is mutated byte by byte all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/target.h"

namespace ascribe::core::fuzz {

// An input in libFuzzer's buffer, in which the mutated one is put.
struct Mutated {
  uint8_t* data;
  size_t size;
  size_t longest;
  unsigned int seed;

  std::string text() const { return {reinterpret_cast<const char*>(data), size}; }
  size_t bytes() const;                        // libFuzzer's own mutation
  size_t take(const std::string& made) const;  // the new size; libFuzzer's own mutation if it is too long
};

size_t mutate(Form form, const Mutated& input);

size_t mutate_model(const Mutated& input);
size_t mutate_json(const Mutated& input);
size_t mutate_json_lines(const Mutated& input);
size_t mutate_png(const Mutated& input);

}  // namespace ascribe::core::fuzz
