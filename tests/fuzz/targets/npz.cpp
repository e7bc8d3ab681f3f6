// Archives of NumPy arrays, and zip archives as such: read as a whole and by their directory.
#include "fuzz/target.h"
#include "tensor/npy.h"
#include "tensor/zip.h"

namespace ascribe::core::fuzz::target_npz {
namespace {

constexpr size_t kLimit = size_t{1} << 22;

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  for (const ZipPlace& place : zip_places(text, static_cast<int64_t>(text.size()), "fuzz.npz")) {
    hold(place.header >= 0 && place.packed >= 0 && place.bytes >= 0, "places lie in the file");
  }
  const std::vector<ZipEntry> entries = read_zip(text, "fuzz.npz", kLimit);
  size_t all = 0;
  for (const ZipEntry& entry : entries) all += entry.bytes.size();
  hold(all <= kLimit, "no more is unpacked than may be");
  const std::vector<ZipEntry> again = read_zip(write_zip(entries), "again.npz");
  hold(again.size() == entries.size(), "what is written is read as it was");
  for (size_t i = 0; i < entries.size(); ++i) {
    hold(again[i].name == entries[i].name && again[i].bytes == entries[i].bytes, "what is written is read as it was");
  }
  parse_npz(text, "fuzz.npz");
}

const RegisterTarget registered({"npz", "archives of NumPy arrays", Form::bytes, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_npz
