// Text of files as UTF-8: names and labels may be anything.
#pragma once

#include <string>
#include <string_view>

namespace ascribe::core {

// With U+FFFD for each piece that is not UTF-8, as JSON is written (base/json.h).
std::string mended_utf8(std::string_view text);

// For a terminal: each byte of what would control it or turn the order of letters around (control characters of both
// sets, bidirectional overrides, separators of lines) and of what is not UTF-8 as \xNN. Line feeds and tabs, too.
std::string visible_text(std::string_view text);
// The same in the text of a JSON document, as its own escapes \uNNNN; its line feeds stay.
std::string visible_json(std::string_view json);

}  // namespace ascribe::core
