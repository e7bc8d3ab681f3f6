// Tables as text for a terminal, as Markdown and as CSV: the one engine for all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ascribe::core {

using Lines = std::vector<std::vector<std::string>>;

// Lines of cells as columns, two spaces apart, `indent` before; the first line is the head. Columns whose cells all
// look like numbers are flushed right. Characters count one each, colours none.
std::string columns_text(const Lines& lines, size_t indent = 0);

struct Table {
  std::vector<std::string> head;
  Lines rows = {};

  std::string text(size_t indent = 0) const;
  std::string markdown() const;  // columns of numbers flushed right
  std::string csv() const;       // RFC 4180, lines end with \n
};

// One line of a CSV file, for tables that are too long to be kept as cells.
std::string csv_line(const std::vector<std::string>& cells);

// For a cell of a Markdown table or a line of text: no bars, no emphasis by accident.
std::string markdown_escaped(std::string_view text);

}  // namespace ascribe::core
