// NumPy arrays: what is read can be written, and is then read as the same.
#include <cstring>

#include "fuzz/target.h"
#include "tensor/npy.h"

namespace ascribe::core::fuzz::target_npy {
namespace {

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.memory(), b.memory(), a.bytes()) == 0;
}

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  const Array array = parse_npy(text, "fuzz.npy");
  hold(array.values.bytes() <= 8 * text.size(), "an array is not larger than its file allows");
  hold(same(parse_npy(format_npy(array.values), "again.npy").values, array.values),
       "what is written is read as it was");
}

const RegisterTarget registered({"npy", "NumPy arrays", Form::bytes, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_npy
