// The idx format of MNIST: as a whole, and header and elements apart.
#include "data/idx.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_idx {
namespace {

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  const IdxArray array = parse_idx(text, "fuzz.idx");
  hold(is_idx(text), "what is read as idx looks like it");
  hold(array.values.bytes() <= 8 * text.size(), "an array is not larger than its file allows");
  const size_t header_size = 4 + 4 * array.values.shape().size();
  const IdxHeader header = parse_idx_header(text.substr(0, header_size), "fuzz.idx");
  hold(header.shape == array.values.shape(), "the header says the shape");
}

const RegisterTarget registered({"idx", "idx files, as of MNIST", Form::bytes, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_idx
