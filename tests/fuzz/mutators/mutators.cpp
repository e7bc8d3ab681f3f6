#include "fuzz/mutators/mutators.h"

#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace ascribe::core::fuzz {

size_t Mutated::bytes() const { return LLVMFuzzerMutate(data, size, longest); }

size_t Mutated::take(const std::string& made) const {
  if (made.size() > longest) return bytes();
  std::memcpy(data, made.data(), made.size());
  return made.size();
}

size_t mutate(Form form, const Mutated& input) {
  switch (form) {
    case Form::model: return mutate_model(input);
    case Form::json: return mutate_json(input);
    case Form::json_lines: return mutate_json_lines(input);
    case Form::png: return mutate_png(input);
    case Form::bytes: break;
  }
  return input.bytes();
}

}  // namespace ascribe::core::fuzz
