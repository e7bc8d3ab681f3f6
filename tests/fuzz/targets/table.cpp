// Tables in text, as numbers and as texts, with and without a choice of columns; and lines of token ids.
#include <cmath>

#include "data/id_lines.h"
#include "data/table.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_table {
namespace {

// "COLUMN,COLUMN\0 the table": what stands before a zero byte are the columns that are wanted.
struct Asked {
  std::vector<std::string> columns;
  std::string table;
};

Asked asked(const std::string& text) {
  const size_t zero = text.find('\0');
  if (zero == std::string::npos) return {{}, text};
  Asked result{{}, text.substr(zero + 1)};
  for (size_t at = 0; at < zero;) {
    const size_t end = std::min(text.find(',', at), zero);
    result.columns.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

void walk(const std::string& text) {
  size_t columns = 0;
  walk_table(
      text, "fuzz.csv", [&](const std::vector<std::string>& names, bool) { columns = names.size(); },
      [&](const TableLine& line) { hold(line.cells.size() == columns, "a line has a cell for each column"); });
}

void feed(Bytes bytes) {
  const Asked input = asked(text_of(bytes));
  if (is_id_lines(input.table, "fuzz.txt")) parse_id_lines(input.table, "fuzz.txt");
  walk(input.table);
  const TableOfCells table = parse_table(input.table, input.columns, "fuzz.csv");
  hold(table.values.shape().size() == 2 && table.values.shape()[1] == std::ssize(table.columns), "a name per column");
  for (int64_t i = 0; i < table.values.size(); ++i) hold(std::isfinite(table.values.at(i)), "numbers are finite");
}

const RegisterTarget registered({"table", "tables in text and lines of ids", Form::bytes, 2048, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_table
