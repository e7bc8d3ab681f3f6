// What the commands share in talking to people: results go to stdout, notes and progress to
// stderr; bars and colours only to a terminal; hostile names cannot steer it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/progress.h"

namespace ascribe::core {

// Text with control characters and broken UTF-8 made visible.
std::string printable(std::string_view text);

std::string green(std::string_view text);  // on a terminal and without NO_COLOR
std::string red(std::string_view text);
std::string blue(std::string_view text);

// "ascribe: note: ..." lines on stderr.
void print_notes(const std::vector<std::string>& notes, bool quiet);

// A bar on stderr that is gone when the work is done; nothing if stderr is no terminal.
Progress progress_bar(bool quiet);

// Lines of cells as columns, two spaces apart, `indent` before; the first line is the head.
// Columns whose cells all look like numbers are flushed right.
void print_columns(const std::vector<std::vector<std::string>>& lines, size_t indent = 0);

void print_json(const nlohmann::ordered_json& json);

std::string with_thousands(int64_t number);  // "1,234,567"
std::string human_bytes(size_t bytes);       // "3.2 MB"
std::string human_count(int64_t number);     // "1.82 G"

}  // namespace ascribe::core
