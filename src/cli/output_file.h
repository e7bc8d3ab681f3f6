// Files that commands write: checked before the work, whole or not at all, also after Ctrl-C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace ascribe::core {

// Complains early of a target that exists, a folder that does not, or a suffix that is none of `suffixes`.
void check_output(const OutputOptions& options, std::initializer_list<std::string_view> suffixes);

void write_output(const OutputOptions& options, std::string_view bytes);

// A file that goes into a folder.
struct NamedBytes {
  std::string name;
  std::string bytes;
};

// Complains early if the folder holds one of `names` already, or cannot be made.
void check_output_folder(const OutputOptions& options, const std::vector<std::string>& names);

// All files or none: a folder that was not there appears with everything in it.
void write_output_folder(const OutputOptions& options, const std::vector<NamedBytes>& files);

}  // namespace ascribe::core
