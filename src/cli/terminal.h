// How all commands talk to people: results go to stdout, notes and progress to stderr; bars and colours go only to a
// terminal, and hostile names cannot control it.
#pragma once

#include <functional>
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

// On a terminal a bar on stderr that is gone when the work is done; elsewhere a line a minute.
Progress shown_progress();

// Lines about work that takes longer than `every` seconds: "shapley: 12 of 40, about 3 min left". `now`: seconds since
// whenever; `line` is given each.
Progress progress_lines(std::function<double()> now, std::function<void(const std::string&)> line, double every = 60);

void print_columns(const Lines& lines, size_t indent = 0);
void print_json(const Json& json);

std::string with_thousands(int64_t number);  // "1,234,567"
std::string human_bytes(size_t bytes);       // "3.2 MB"
std::string human_count(int64_t number);     // "1.82 billion"

}  // namespace ascribe::core::cli
