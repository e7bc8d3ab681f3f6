// The little of the zip format that .npz files need: stored and deflated entries, found
// through the central directory. Encrypted, split and zip64 archives are refused.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ascribe::core {

struct ZipEntry {
  std::string name;
  std::string bytes;
};

bool is_zip(std::string_view bytes);
// Hands the entries whose names are wanted to `take`, one after the other, checksums verified. They have at most
// `limit` bytes together, which is known before any is unpacked; the others are left alone. Complaints are of kind io.
void walk_zip(std::string_view bytes, const std::string& where, int64_t limit,
              const std::function<bool(const std::string& name)>& wanted, const std::function<void(ZipEntry)>& take);
// All entries; without a limit, at most what a file of this size may unpack to (base/unpacking.h).
std::vector<ZipEntry> read_zip(std::string_view bytes, const std::string& where, std::optional<int64_t> limit = {});

// Where an entry lies in a file that is read in parts.
struct ZipPlace {
  std::string name;
  int64_t header = 0;             // its local header
  int64_t packed = 0, bytes = 0;  // sizes in the file and unpacked
  bool deflated = false;
};
// `tail`: the end of the file, or all of it; `size`: of the whole file.
std::vector<ZipPlace> zip_places(std::string_view tail, int64_t size, const std::string& where);
// From the local header (its first kZipLocalHeader bytes): how many bytes after its beginning the content begins.
inline constexpr size_t kZipLocalHeader = 30;
int64_t zip_content(std::string_view header, const std::string& where);

std::string write_zip(const std::vector<ZipEntry>& entries);  // stored, at most 4 GiB

}  // namespace ascribe::core
