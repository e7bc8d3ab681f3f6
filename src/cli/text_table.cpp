#include "cli/text_table.h"

#include <algorithm>

#include "base/error.h"

namespace ascribe::core {

namespace {

// Begins like a number.
bool is_number(const std::string& cell) {
  const size_t at = cell.find_first_not_of("-+<~ ");
  return at != std::string::npos && cell[at] >= '0' && cell[at] <= '9';
}

bool holds_numbers(const TextTable& table, size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return is_number(row[column]); }) &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].size() < 4 || is_number(row[column]); });
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

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string TextTable::markdown() const {
  std::string text = markdown_line(head) + "|";
  for (size_t column = 0; column < head.size(); ++column) text += holds_numbers(*this, column) ? "--:|" : "---|";
  text += "\n";
  for (const auto& row : rows) {
    require(row.size() == head.size(), "table", "a cell for each column");
    text += markdown_line(row);
  }
  return text;
}

std::string TextTable::csv() const {
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(cells[i]);
    text += "\n";
  };
  add(head);
  for (const auto& row : rows) add(row);
  return text;
}

}  // namespace ascribe::core
