// Tables of numbers in text: .csv, also with ; or tabs between the fields, which may be
// quoted. The first line names the columns unless it holds numbers only.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.h"
#include "tensor/tensor.h"

namespace ascribe::core {

// .csv, .tsv, .txt or .data, and these with .gz behind.
bool is_table_name(std::string_view path);

struct TableOfCells {
  std::vector<std::string> columns;  // names, all different; "0", "1", ... if the file has none
  std::vector<std::string> notes;
  Tensor values;  // [rows, columns], float64
};

// `columns`: which to read, by name, by number from 0, or as a range a:b; empty: all.
// A cell that is not a finite number is refused, naming its line and column.
// `most`: of numbers in all.
TableOfCells parse_table(std::string_view text, const std::vector<std::string>& columns, const std::string& where,
                         int64_t most = std::numeric_limits<int64_t>::max());

// The first of them, for a complaint: "a, b, c, ... and 97 more".
std::string some_names(const std::vector<std::string>& names);

// ---- for tables that are read line by line ----

struct TableLine;
// All lines of a table, whatever its cells hold: first the names of the columns (`named`: the file has some, as its
// first line is not of numbers only), then every line, which has a cell for each of them.
void walk_table(std::string_view text, const std::string& where,
                const std::function<void(const std::vector<std::string>& names, bool named)>& head,
                const std::function<void(const TableLine&)>& row);

struct TableLine {
  size_t number = 0;  // in the file, from 1
  std::vector<std::string> cells;
};

class TableLines {
 public:
  explicit TableLines(ByteStream stream);

  std::optional<TableLine> next();  // empty lines are skipped

  // Where the next line begins, to come back to.
  struct Place {
    int64_t position = 0;
    size_t number = 0;
  };
  Place place() const { return {stream_.position(), number_}; }
  void go_to(const Place& place);
  const std::string& path() const { return stream_.path(); }

 private:
  ByteStream stream_;
  char separator_ = 0;
  size_t number_ = 0;
};

// Whether the first line names the columns.
bool names_columns(const TableLine& line);
// The names of the columns by the first line. One that the file gives several times says which column is meant:
// "age (column 2)".
std::vector<std::string> column_names(const TableLine& first);
// Places of the columns that are wanted, as for parse_table.
std::vector<int64_t> chosen_columns(const std::vector<std::string>& names, const std::vector<std::string>& wanted,
                                    const std::string& where);
// The number in a cell; complaints name the line and the column.
double number_in(const TableLine& line, int64_t column, const std::string& name, const std::string& where);

}  // namespace ascribe::core
