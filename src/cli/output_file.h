// Files that commands write: checked before the work, and written whole or not at all, even after Ctrl-C.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace ascribe::core::cli {

struct Output {
  std::string path;
  bool force = false;

  bool is_folder() const {
    return !path.empty() && !path.ends_with(".npz");
  }  // of commands that write one or the other
};

// Complains early of a target that exists, a folder that does not, or a suffix that is none of `suffixes`.
void check_output(const Output& output, std::initializer_list<std::string_view> suffixes);
void write_output(const Output& output, std::string_view bytes);

// Complains early if the folder holds one of `names` already, or cannot be made.
void check_output_folder(const Output& output, const std::vector<std::string>& names);
// All files or none: a folder that was not there appears with everything in it.
void write_output_folder(const Output& output, const std::vector<NamedBytes>& files);

// A folder with these files, or an .npz file of the arrays alone.
void check_folder_or_arrays(const Output& output, const std::vector<std::string>& names);

}  // namespace ascribe::core::cli
