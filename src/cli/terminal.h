// How all commands talk to people: results go to stdout, notes and progress to stderr; bars and colours go only to a
// terminal, and hostile names cannot control it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "base/table.h"

namespace ascribe::core::cli {

// Text with control characters and broken UTF-8 made visible.
std::string printable(std::string_view text);
Lines printable(Lines lines);

std::string green(std::string_view text);  // on a terminal and without NO_COLOR
std::string red(std::string_view text);
std::string blue(std::string_view text);

// "ascribe: note: ..." on stderr.
void print_note(const std::string& note);

// A bar on stderr that is gone when the work is done; nothing if stderr is not a terminal.
Progress progress_bar();

void print_columns(const Lines& lines, size_t indent = 0);
void print_json(const Json& json);

std::string with_thousands(int64_t number);  // "1,234,567"
std::string human_bytes(size_t bytes);       // "3.2 MB"
std::string human_count(int64_t number);     // "1.82 billion"

}  // namespace ascribe::core::cli
