// Text of files as UTF-8: names and labels may be anything.
#pragma once

#include <string>
#include <string_view>

namespace ascribe::core {

// With U+FFFD for each piece that is not UTF-8, as JSON is written (base/json.h).
std::string mended_utf8(std::string_view text);

}  // namespace ascribe::core
