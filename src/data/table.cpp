#include "data/table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "data/rows.h"

namespace ascribe::core {

namespace {

constexpr size_t kMaximumColumns = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{1} << 26;
constexpr size_t kNamesShown = 20;

std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

// Splits text into lines of cells; a quoted cell may hold separators, doubled quotes and line ends.
class Reader {
 public:
  // `number`: of the lines before the text.
  Reader(std::string_view text, char separator, size_t number, const std::string& where)
      : text_(text), where_(where), separator_(separator), number_(number) {}

  // Empty lines are skipped.
  std::optional<TableLine> next() {
    while (!text_.empty()) {
      TableLine line{++number_, {}};
      bool more = true;
      while (more) {
        if (line.cells.size() == kMaximumColumns) fail(ErrorKind::io, where_, "line {}: too many columns", line.number);
        line.cells.push_back(cell(more));
      }
      if (line.cells.size() > 1 || !line.cells[0].empty()) return line;
    }
    return std::nullopt;
  }

 private:
  // Sets `more` if a separator follows; consumes it or the end of the line.
  std::string cell(bool& more) {
    const size_t start = text_.find_first_not_of(' ');
    if (start != std::string_view::npos && text_[start] == '"') {
      text_.remove_prefix(start + 1);
      return quoted(more);
    }
    const size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}), text_.size());
    std::string_view content = text_.substr(0, end);
    if (content.ends_with('\r')) content.remove_suffix(1);
    more = end < text_.size() && text_[end] == separator_;
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return trimmed(content);
  }

  std::string quoted(bool& more) {
    const size_t opened = number_;
    std::string content;
    for (;;) {
      const size_t quote = text_.find('"');
      if (quote == std::string_view::npos) fail(ErrorKind::io, where_, "line {}: a quoted cell does not end", opened);
      content += text_.substr(0, quote);
      number_ += static_cast<size_t>(std::count(text_.begin(), text_.begin() + static_cast<int64_t>(quote), '\n'));
      text_.remove_prefix(quote + 1);
      if (!text_.starts_with('"')) break;
      content += '"';
      text_.remove_prefix(1);
    }
    const size_t end = std::min(text_.find_first_of(std::string{separator_, '\n'}), text_.size());
    if (!trimmed(text_.substr(0, end)).empty() && text_.substr(0, end) != "\r") {
      fail(ErrorKind::io, where_, "line {}: text follows a quoted cell", number_);
    }
    more = end < text_.size() && text_[end] == separator_;
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return content;
  }

  std::string_view text_;
  const std::string& where_;
  char separator_;
  size_t number_;
};

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte order mark some programs write
  return text;
}

char separator_in(std::string_view first) {
  const auto count = [&](char c) { return std::count(first.begin(), first.end(), c); };
  char separator = ',';
  if (count(';') > count(separator)) separator = ';';
  if (count('\t') > count(separator)) separator = '\t';
  return separator;
}

// Whether a text, handed over in pieces, ends inside a quoted cell.
class Quotes {
 public:
  bool open_after(std::string_view text, char separator) {
    for (const char c : text) {
      if (c == '"' && (quoted_ || begins_)) quoted_ = !quoted_;
      // A doubled quote closes and opens again.
      begins_ = c == separator || (begins_ && c == ' ') || c == '"';
    }
    return quoted_;
  }

 private:
  bool quoted_ = false, begins_ = true;
};

}  // namespace

bool is_table_name(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path.ends_with(".csv") || path.ends_with(".tsv") || path.ends_with(".txt") || path.ends_with(".data");
}

std::string some_names(const std::vector<std::string>& names) {
  const std::span some(names.data(), std::min(names.size(), kNamesShown));
  const std::string more =
      names.size() > kNamesShown ? fmt::format(", ... and {} more", names.size() - kNamesShown) : "";
  return fmt::format("{}{}", fmt::join(some, ", "), more);
}

bool names_columns(const TableLine& line) {
  return std::any_of(line.cells.begin(), line.cells.end(), [](const std::string& cell) { return !ascii_number(cell); });
}

std::vector<std::string> column_names(const TableLine& first) {
  const bool header = names_columns(first);
  std::map<std::string, int> count;
  for (const std::string& cell : first.cells) ++count[cell];
  std::vector<std::string> names;
  for (size_t i = 0; i < first.cells.size(); ++i) {
    const std::string& cell = first.cells[i];
    if (!header) names.push_back(fmt::format("{}", i));
    else if (count[cell] == 1) names.push_back(cell);
    else names.push_back(cell.empty() ? fmt::format("column {}", i) : fmt::format("{} (column {})", cell, i));
  }
  return names;
}

std::vector<int64_t> chosen_columns(const std::vector<std::string>& names, const std::vector<std::string>& wanted,
                                    const std::string& where) {
  std::vector<int64_t> chosen;
  if (wanted.empty()) return select_rows({}, static_cast<int64_t>(names.size()), "column", where);
  for (const std::string& one : wanted) {
    const auto found = std::find(names.begin(), names.end(), one);
    if (found != names.end()) {
      chosen.push_back(found - names.begin());
      continue;
    }
    const auto repeated = [&](const std::string& name) { return name.starts_with(one + " (column "); };
    if (const auto first = std::find_if(names.begin(), names.end(), repeated); first != names.end()) {
      std::vector<std::string> places;
      for (size_t i = 0; i < names.size(); ++i) {
        if (repeated(names[i])) places.push_back(fmt::format("{}", i));
      }
      fail(ErrorKind::argument, where, "several columns are named '{}': {}; choose by number", one, some_names(places));
    }
    if (one.find_first_not_of("0123456789:-") != std::string::npos) {
      fail(ErrorKind::argument, where, "no column is named '{}'; got {}", one, some_names(names));
    }
    for (const int64_t index : select_rows({one}, static_cast<int64_t>(names.size()), "column", where)) {
      chosen.push_back(index);
    }
  }
  return chosen;
}

double number_in(const TableLine& line, int64_t column, const std::string& name, const std::string& where) {
  const std::string& cell = line.cells[column];
  const auto value = ascii_number(cell);
  if (value && std::isfinite(*value)) return *value;
  const std::string place = fmt::format("line {}, column {} ('{}')", line.number, column, name);
  if (cell.empty()) fail(ErrorKind::io, where, "{}: the cell is empty; expected a number", place);
  if (value) fail(ErrorKind::numeric, where, "{}: got {}; expected a finite number", place, cell);
  fail(ErrorKind::io, where, "{}: not a number; got '{}'; `columns` picks other columns", place, cell.substr(0, 40));
}

TableOfCells parse_table(std::string_view text, const std::vector<std::string>& columns, const std::string& where,
                         int64_t most) {
  text = without_mark(text);
  Reader reader(text, separator_in(text.substr(0, text.find('\n'))), 0, where);
  std::optional<TableLine> line = reader.next();
  if (!line) fail(ErrorKind::io, where, "the table is empty");
  const std::vector<std::string> names = column_names(*line);
  const std::vector<std::string> header = line->cells;
  if (names_columns(*line)) line = reader.next();

  TableOfCells table;
  const std::vector<int64_t> chosen = chosen_columns(names, columns, where);
  for (const int64_t column : chosen) table.columns.push_back(names[column]);
  std::set<std::string> told;
  for (const int64_t column : chosen) {
    const bool renamed = names[column] == fmt::format("{} (column {})", header[column], column);
    if (!renamed || !told.insert(header[column]).second) continue;
    table.notes.push_back(
        fmt::format("{}: several columns are named '{}'; they are told apart by their numbers", where, header[column]));
  }
  std::vector<double> values;
  int64_t rows = 0;
  for (; line; line = reader.next(), ++rows) {
    if (line->cells.size() != names.size()) {
      fail(ErrorKind::io, where, "line {} has {} cells; expected {}", line->number, line->cells.size(), names.size());
    }
    if (std::ssize(values) > most - std::ssize(chosen)) {
      fail(ErrorKind::io, where, "the table holds more than {} numbers; unpack the file first", most);
    }
    for (const int64_t column : chosen) values.push_back(number_in(*line, column, names[column], where));
  }
  if (rows == 0) fail(ErrorKind::io, where, "the table has no rows");
  table.values = Tensor::of<double>({rows, static_cast<int64_t>(chosen.size())}, values);
  return table;
}

void walk_table(std::string_view text, const std::string& where,
                const std::function<void(const std::vector<std::string>& names, bool named)>& head,
                const std::function<void(const TableLine&)>& row) {
  text = without_mark(text);
  Reader reader(text, separator_in(text.substr(0, text.find('\n'))), 0, where);
  std::optional<TableLine> line = reader.next();
  if (!line) fail(ErrorKind::io, where, "the table is empty");
  const bool named = names_columns(*line);
  const size_t columns = line->cells.size();
  head(column_names(*line), named);
  if (named) line = reader.next();
  for (; line; line = reader.next()) {
    if (line->cells.size() != columns) {
      fail(ErrorKind::io, where, "line {} has {} cells; expected {}", line->number, line->cells.size(), columns);
    }
    row(*line);
  }
}

TableLines::TableLines(ByteStream stream) : stream_(std::move(stream)) {}

std::optional<TableLine> TableLines::next() {
  std::string text;
  while (stream_.read_line(text, kLongestLine)) {
    const size_t before = number_++;
    std::string_view content = text;
    if (before == 0) content = without_mark(content);
    if (separator_ == 0) separator_ = separator_in(content);
    std::string longer(content), more;
    Quotes quotes;
    bool open = quotes.open_after(longer, separator_);
    while (open && longer.size() < kLongestLine && stream_.read_line(more, kLongestLine)) {
      longer += '\n';
      longer += more;
      open = quotes.open_after(std::string_view(longer).substr(longer.size() - more.size() - 1), separator_);
      ++number_;
    }
    if (auto line = Reader(longer, separator_, before, path()).next()) return line;
  }
  return std::nullopt;
}

void TableLines::go_to(const Place& place) {
  stream_.seek(place.position);
  number_ = place.number;
}

}  // namespace ascribe::core
