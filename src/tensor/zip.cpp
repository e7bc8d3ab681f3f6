#include "tensor/zip.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>

#include "base/checksum.h"
#include "base/error.h"
#include "base/inflate.h"
#include "base/unpacking.h"

namespace ascribe::core {

namespace {

constexpr std::string_view kLocal = "PK\x03\x04", kCentral = "PK\x01\x02", kEnd = "PK\x05\x06";
constexpr size_t kCentralSize = 46, kEndSize = 22, kLongestComment = 0xFFFF;
constexpr uint32_t kZip64 = 0xFFFFFFFF;

uint16_t u16(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(static_cast<uint8_t>(bytes[at]) | static_cast<uint8_t>(bytes[at + 1]) << 8);
}
uint32_t u32(std::string_view bytes, size_t at) {
  return u16(bytes, at) | static_cast<uint32_t>(u16(bytes, at + 2)) << 16;
}

[[noreturn]] void damaged(const std::string& where) {
  fail(ErrorKind::io, where, "the archive is damaged; expected a zip file as numpy.savez writes it");
}

// One line of the central directory.
struct Record {
  std::string name;
  uint16_t flags, method;
  uint32_t crc;
  size_t packed, unpacked, offset;
};

// `bytes`: the end of the file, from `first` on.
std::vector<Record> read_directory(std::string_view bytes, size_t first, const std::string& where) {
  const size_t tail = std::min(bytes.size(), kEndSize + kLongestComment);
  const size_t end = bytes.rfind(kEnd);
  if (bytes.size() < kEndSize || end == std::string_view::npos || bytes.size() - end > tail ||
      bytes.size() - end < kEndSize) {
    damaged(where);
  }
  const size_t count = u16(bytes, end + 10);
  size_t at = u32(bytes, end + 16);
  if (at == kZip64 || count == 0xFFFF) fail(ErrorKind::io, where, "zip64 archives are not supported");
  if (at < first) fail(ErrorKind::io, where, "the archive holds too many files");
  at -= first;
  std::vector<Record> records;
  for (size_t i = 0; i < count; ++i) {
    if (at > end || end - at < kCentralSize || bytes.substr(at, 4) != kCentral) damaged(where);
    const size_t name = u16(bytes, at + 28), extra = u16(bytes, at + 30), comment = u16(bytes, at + 32);
    if (end - at - kCentralSize < name + extra + comment) damaged(where);
    records.push_back({std::string(bytes.substr(at + kCentralSize, name)), u16(bytes, at + 8), u16(bytes, at + 10),
                       u32(bytes, at + 16), u32(bytes, at + 20), u32(bytes, at + 24), u32(bytes, at + 42)});
    at += kCentralSize + name + extra + comment;
  }
  return records;
}

void check_plain(const Record& record, const std::string& where) {
  if (record.packed == kZip64 || record.unpacked == kZip64 || record.offset == kZip64) {
    fail(ErrorKind::io, where, "'{}': zip64 archives are not supported", record.name);
  }
  if ((record.flags & 1) != 0) fail(ErrorKind::io, where, "'{}' is encrypted", record.name);
  if (record.method == 0 && record.packed != record.unpacked) damaged(where);
  if (record.method != 0 && record.method != 8) {
    fail(ErrorKind::io, where, "'{}' is compressed by an unknown method", record.name);
  }
  if (record.unpacked / size_t{kBestRatio} > record.packed) damaged(where);
}

std::string read_entry(std::string_view bytes, const Record& record, const std::string& where) {
  const size_t at = record.offset;
  if (at > bytes.size()) damaged(where);
  const size_t start = at + static_cast<size_t>(zip_content(bytes.substr(at), where));
  if (start > bytes.size() || bytes.size() - start < record.packed) damaged(where);
  const std::string_view packed = bytes.substr(start, record.packed);
  if (record.method == 0) return std::string(packed);
  return inflate_raw(packed, record.unpacked, where);
}

void put(std::string& out, uint64_t value, int size) {
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> 8 * i & 0xFF);
}

// The fields that local and central headers share, from "version needed" to the name's length.
std::string common_fields(const ZipEntry& entry) {
  std::string out;
  put(out, 20, 2);    // version needed
  put(out, 0, 2);     // flags
  put(out, 0, 2);     // stored
  put(out, 0, 2);     // time: none, so that equal arrays give equal files
  put(out, 0x21, 2);  // date: 1980-01-01, the earliest there is
  put(out, checksum(entry.bytes), 4);
  put(out, entry.bytes.size(), 4);
  put(out, entry.bytes.size(), 4);
  put(out, entry.name.size(), 2);
  put(out, 0, 2);  // extra field
  return out;
}

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with(kLocal) || bytes.starts_with(kEnd); }

std::vector<ZipPlace> zip_places(std::string_view tail, int64_t size, const std::string& where) {
  std::vector<ZipPlace> places;
  for (const Record& record : read_directory(tail, static_cast<size_t>(size) - tail.size(), where)) {
    check_plain(record, where);
    places.push_back({record.name, static_cast<int64_t>(record.offset), static_cast<int64_t>(record.packed),
                      static_cast<int64_t>(record.unpacked), record.method == 8});
  }
  return places;
}

int64_t zip_content(std::string_view header, const std::string& where) {
  if (header.size() < kZipLocalHeader || !header.starts_with(kLocal)) damaged(where);
  return static_cast<int64_t>(kZipLocalHeader) + u16(header, 26) + u16(header, 28);
}

void walk_zip(std::string_view bytes, const std::string& where, int64_t limit,
              const std::function<bool(const std::string& name)>& wanted, const std::function<void(ZipEntry)>& take) {
  std::vector<Record> records = read_directory(bytes, 0, where);
  std::set<std::string> names;
  int64_t total = 0;
  for (const Record& record : records) {
    if (!names.insert(record.name).second) fail(ErrorKind::io, where, "the archive holds '{}' twice", record.name);
    if (!wanted(record.name)) continue;
    check_plain(record, where);
    total += static_cast<int64_t>(record.unpacked);
    if (total > limit) {
      fail(ErrorKind::io, where, "the archive is too large; expected at most {} bytes in it; unpack it first", limit);
    }
  }
  for (const Record& record : records) {
    if (!wanted(record.name)) continue;
    std::string content = read_entry(bytes, record, where);
    if (checksum(content) != record.crc) fail(ErrorKind::io, where, "the checksum of '{}' is wrong", record.name);
    take({record.name, std::move(content)});
  }
}

std::vector<ZipEntry> read_zip(std::string_view bytes, const std::string& where, std::optional<int64_t> limit) {
  std::vector<ZipEntry> entries;
  walk_zip(
      bytes, where, limit.value_or(most_unpacked_whole(std::ssize(bytes))), [](const std::string&) { return true; },
      [&](ZipEntry entry) { entries.push_back(std::move(entry)); });
  return entries;
}

std::string write_zip(const std::vector<ZipEntry>& entries) {
  std::string out, directory;
  for (const ZipEntry& entry : entries) {
    const std::string fields = common_fields(entry);
    if (entry.name.size() > 0xFFFF || out.size() + entry.bytes.size() >= kZip64 - 0x10000 || entries.size() >= 0xFFFF) {
      fail(ErrorKind::io, "npz", "the archive grows beyond 4 GiB; write a .npy file per array instead");
    }
    directory.append(kCentral);
    put(directory, 20, 2);  // version made by
    directory += fields;
    directory.append(2 + 2 + 2 + 4, '\0');  // comment, disk, attributes
    put(directory, out.size(), 4);
    directory += entry.name;
    out.append(kLocal).append(fields).append(entry.name).append(entry.bytes);
  }
  const size_t start = out.size();
  out.append(directory).append(kEnd);
  put(out, 0, 4);  // disks
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);  // comment
  return out;
}

}  // namespace ascribe::core
