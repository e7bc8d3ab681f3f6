// The little of the zip format that .npz files need: stored and deflated entries, found
// through the central directory. Encrypted, split and zip64 archives are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ascribe {

struct ZipEntry {
  std::string name;
  std::string bytes;
};

bool is_zip(std::string_view bytes);
// All entries, checksums verified, at most `limit` bytes together. Complaints are of kind io.
std::vector<ZipEntry> read_zip(std::string_view bytes, const std::string& where, size_t limit = size_t{1} << 32);
std::string write_zip(const std::vector<ZipEntry>& entries);  // stored, at most 4 GiB

}  // namespace ascribe
