#include "base/table.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"

namespace ascribe::core {

namespace {

// Columns that a text takes on the screen, colours left out.
size_t width_of(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') i = std::min(text.find('m', i), text.size());
    else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++width;
  }
  return width;
}

bool looks_like_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.,+-e%") == std::string_view::npos;
}

// Begins like a number, whatever stands behind it.
bool begins_like_number(const std::string& cell) {
  const size_t at = cell.find_first_not_of("-+<~ ");
  return at != std::string::npos && cell[at] >= '0' && cell[at] <= '9';
}

bool holds_numbers(const Table& table, size_t column) {
  const auto& rows = table.rows;
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return begins_like_number(row[column]); }) &&
         std::all_of(rows.begin(), rows.end(),
                     [&](const auto& row) { return row[column].size() < 4 || begins_like_number(row[column]); });
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char c : cell) line += c == '|' ? std::string("\\|") : std::string(1, c);
    line += " |";
  }
  return line + "\n";
}

// Spreadsheets compute a cell that begins so, even in quotes; behind an apostrophe it is text for them.
bool looks_like_formula(const std::string& cell) {
  return cell.find_first_of("=+-@\t\r") == 0 && cell != "-" && !ascii_number(cell);
}

std::string csv_cell(const std::string& text) {
  const std::string cell = (looks_like_formula(text) ? "'" : "") + mended_utf8(text);
  if (cell.find_first_of(",;\"\n\r\t") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return line + "\n";
}

std::string columns_text(const Lines& lines, size_t indent) {
  std::vector<size_t> widths;
  std::vector<bool> numeric;
  for (size_t l = 0; l < lines.size(); ++l) {
    widths.resize(std::max(widths.size(), lines[l].size()), 0);
    numeric.resize(widths.size(), lines.size() > 1);
    for (size_t c = 0; c < lines[l].size(); ++c) {
      widths[c] = std::max(widths[c], width_of(lines[l][c]));
      if (l > 0 && !lines[l][c].empty()) numeric[c] = numeric[c] && looks_like_number(lines[l][c]);
    }
  }
  std::string all;
  for (const auto& line : lines) {
    std::string text(indent, ' ');
    for (size_t c = 0; c < line.size(); ++c) {
      const std::string space(widths[c] - width_of(line[c]), ' ');
      text += (c > 0 ? "  " : "") + (numeric[c] ? space + line[c] : line[c] + space);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    all += text + "\n";
  }
  return all;
}

std::string Table::text(size_t indent) const {
  Lines lines = {head};
  lines.insert(lines.end(), rows.begin(), rows.end());
  return columns_text(lines, indent);
}

std::string Table::markdown() const {
  std::string text = markdown_line(head) + "|";
  for (const auto& row : rows) require(row.size() == head.size(), "table", "a cell for each column");
  for (size_t column = 0; column < head.size(); ++column) text += holds_numbers(*this, column) ? "--:|" : "---|";
  text += "\n";
  for (const auto& row : rows) text += markdown_line(row);
  return text;
}

std::string Table::csv() const {
  std::string text = csv_line(head);
  for (const auto& row : rows) text += csv_line(row);
  return text;
}

std::string markdown_escaped(std::string_view text) {
  std::string out;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') in_code = !in_code;
    if (c == '|' || (!in_code && (c == '*' || c == '<' || c == '_'))) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace ascribe::core
