#include "tensor/npz_stream.h"

#include "base/checked.h"
#include "base/checksum.h"
#include "base/error.h"
#include "tensor/npy.h"

namespace ascribe::core {

namespace {

constexpr size_t kWaiting = size_t{1} << 20;  // bytes of an array that are written together
constexpr int64_t kLargestPlain = (int64_t{1} << 32) - (int64_t{1} << 20);
constexpr int64_t kLocalBytes = 30, kZip64Bytes = 20;  // bytes of a local header, and of zip64's addition to it
constexpr uint64_t kElsewhere = 0xFFFFFFFF;

void put_le(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xFF);
}

}  // namespace

NpzStream::NpzStream(const std::filesystem::path& path, std::vector<NpzField> fields, bool overwrite)
    : fields_(std::move(fields)), file_(path, overwrite) {
  int64_t total = 0;
  for (const NpzField& field : fields_) {
    Entry entry{field.name + ".npy", npy_preamble(field.code, field.shape)};
    int64_t size = field.size;
    for (const int64_t extent : field.shape) size = checked_multiply(size, extent, field.name);
    entry.bytes = checked_add(std::ssize(entry.preamble), size, field.name);
    total = checked_add(total, checked_add(entry.bytes, 2 * std::ssize(entry.name) + 256, field.name), field.name);
    entries_.push_back(std::move(entry));
  }
  large_ = total > kLargestPlain;
  for (Entry& entry : entries_) {
    entry.header = directory_;
    entry.next = entry.header + kLocalBytes + std::ssize(entry.name) + (large_ ? kZip64Bytes : 0);
    directory_ = entry.next + entry.bytes;
    entry.waiting = entry.preamble;
  }
}

void NpzStream::append(size_t field, std::string_view bytes) {
  Entry& entry = entries_[field];
  entry.waiting += bytes;
  if (entry.waiting.size() >= kWaiting) flush(entry);
}

void NpzStream::flush(Entry& entry) {
  entry.sum = checksum(entry.waiting, entry.sum);
  file_.write_at(entry.next, entry.waiting);
  entry.next += std::ssize(entry.waiting);
  entry.waiting.clear();
}

std::string NpzStream::local_header(const Entry& entry) const {
  std::string out = "PK\x03\x04";
  put_le(out, large_ ? 45 : 20, 2);  // version needed
  put_le(out, 0, 2);                 // flags
  put_le(out, 0, 2);                 // stored
  put_le(out, 0, 2);                 // midnight
  put_le(out, 33, 2);                // of 1980-01-01: the same bytes at any time
  put_le(out, entry.sum, 4);
  for (int i = 0; i < 2; ++i) put_le(out, large_ ? kElsewhere : static_cast<uint64_t>(entry.bytes), 4);
  put_le(out, entry.name.size(), 2);
  put_le(out, large_ ? kZip64Bytes : 0, 2);
  out += entry.name;
  if (!large_) return out;
  put_le(out, 1, 2);
  put_le(out, 16, 2);
  for (int i = 0; i < 2; ++i) put_le(out, static_cast<uint64_t>(entry.bytes), 8);
  return out;
}

std::string NpzStream::central_header(const Entry& entry) const {
  std::string out = "PK\x01\x02";
  put_le(out, large_ ? 45 : 20, 2);          // version made by
  out += local_header(entry).substr(4, 24);  // to the length of the name
  put_le(out, large_ ? 28 : 0, 2);
  out.append(2 + 2 + 2 + 4, '\0');  // comment, disk, attributes
  put_le(out, large_ ? kElsewhere : static_cast<uint64_t>(entry.header), 4);
  out += entry.name;
  if (!large_) return out;
  put_le(out, 1, 2);
  put_le(out, 24, 2);
  for (int i = 0; i < 2; ++i) put_le(out, static_cast<uint64_t>(entry.bytes), 8);
  put_le(out, static_cast<uint64_t>(entry.header), 8);
  return out;
}

void NpzStream::finish() {
  std::string directory;
  for (Entry& entry : entries_) {
    flush(entry);
    require(entry.next == entry.header + std::ssize(local_header(entry)) + entry.bytes, entry.name,
            "as many elements as the shape says");
    file_.write_at(entry.header, local_header(entry));
    directory += central_header(entry);
  }
  std::string end = directory;
  const auto size = static_cast<uint64_t>(directory.size()), place = static_cast<uint64_t>(directory_);
  const uint64_t count = entries_.size();
  if (large_) {
    end += "PK\x06\x06";
    put_le(end, 44, 8);
    put_le(end, 45, 2);
    put_le(end, 45, 2);
    put_le(end, 0, 8);  // disks
    put_le(end, count, 8);
    put_le(end, count, 8);
    put_le(end, size, 8);
    put_le(end, place, 8);
    end += "PK\x06\x07";
    put_le(end, 0, 4);
    put_le(end, place + size, 8);
    put_le(end, 1, 4);
  }
  end += "PK\x05\x06";
  put_le(end, 0, 4);  // disks
  put_le(end, count, 2);
  put_le(end, count, 2);
  put_le(end, size, 4);
  put_le(end, large_ ? kElsewhere : place, 4);
  put_le(end, 0, 2);  // comment
  file_.write_at(directory_, end);
  file_.finish();
}

}  // namespace ascribe::core
