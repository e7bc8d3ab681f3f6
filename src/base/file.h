// Reading and writing whole files. Output appears whole under its final name or not at all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ascribe::core {

// The whole file; refuses folders, devices and files above `limit` bytes.
std::string read_file(const std::filesystem::path& path, size_t limit = size_t{1} << 34);

// Writes beside the target and renames; refuses to replace a file unless `overwrite`.
void write_file(const std::filesystem::path& path, std::string_view bytes, bool overwrite);

// A file that goes into a folder.
struct NamedBytes {
  std::string name;
  std::string bytes;
};

// Says whether it was not there yet; the one above must be.
bool make_folder(const std::filesystem::path& folder);
// Complains early if the folder holds one of `names` already, unless `overwrite`, or cannot be made.
void check_folder(const std::filesystem::path& folder, const std::vector<std::string>& names, bool overwrite);
// All files or none: a folder that was not there appears with everything in it.
void write_folder(const std::filesystem::path& folder, const std::vector<NamedBytes>& files, bool overwrite);

}  // namespace ascribe::core
