// Files that commands write: checked before the work, whole or not at all, also after Ctrl-C.
#pragma once

#include <string>
#include <string_view>

#include "cli/options.h"

namespace ascribe {

// Complains early of a target that exists, a folder that does not, or a suffix that is none of `suffixes`.
void check_output(const OutputOptions& options, std::initializer_list<std::string_view> suffixes);

void write_output(const OutputOptions& options, std::string_view bytes);

}  // namespace ascribe
