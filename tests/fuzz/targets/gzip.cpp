// gzip files and raw deflate streams, below a limit; and what was packed comes out as it was.
#include "support/gzip.h"
#include "base/inflate.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_gzip {
namespace {

constexpr size_t kLimit = size_t{1} << 20;

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  hold(inflate_gzip(gzip(text), text.size() + 1, "packed.gz") == text, "what was packed comes out as it was");
  if (!is_gzip(text) && !text.empty()) {
    const size_t size = size_t{bytes[0]} * 16;
    hold(inflate_raw(std::string_view(text).substr(1), size, "fuzz").size() == size, "as many bytes as were promised");
  } else {
    hold(inflate_gzip(text, kLimit, "fuzz.gz").size() <= kLimit, "no more is unpacked than may be");
  }
}

const RegisterTarget registered({"gzip", "gzip files and deflate streams", Form::bytes, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_gzip
