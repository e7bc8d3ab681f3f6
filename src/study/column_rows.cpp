#include "study/column_rows.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "data/table.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kMostNamed = 20;
constexpr int64_t kMostElements = 4096;  // of an input that columns fill by name[0], name[1] ...

std::string some_of(std::vector<std::string> names) {
  const size_t count = names.size();
  if (count > kMostNamed) names.resize(kMostNamed);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : "");
}

// Exporters write what is no letter or digit as an underscore.
std::string plain(const std::string& name) {
  std::string result;
  for (const char c : name) result += is_ascii_letter_or_digit(c) ? c : '_';
  return result;
}

// A column of an input: where its cells are in the table, and how they are read.
struct Column {
  int64_t place = 0;
  std::string name;
  const TextColumn* texts = nullptr;
  std::map<std::string, int64_t> codes = {};

  double read(const TableLine& line, const std::string& where) const {
    if (texts == nullptr) return number_in(line, place, name, where);
    const std::string& cell = line.cells[static_cast<size_t>(place)];
    if (const auto found = codes.find(cell); found != codes.end()) return static_cast<double>(found->second);
    if (texts->unknown) return -1;
    fail(ErrorKind::io, where, "line {}, column '{}': the model does not know the category '{}'; got {}", line.number,
         name, cell.substr(0, 40), some_of(texts->categories));
  }
};

class ColumnReader {
 public:
  ColumnReader(const ColumnReading& reading, const std::string& path, std::vector<std::string>& notes)
      : reading_(reading), path_(path), notes_(notes) {}

  void head(const std::vector<std::string>& names, bool named) {
    int64_t total = 0;
    for (const InputSlot& slot : reading_.slots) total += element_count(slot.row);
    const std::vector<int64_t> chosen = chosen_columns(names, reading_.options.columns, path_);
    std::vector<std::string> offered;
    for (const int64_t place : chosen) offered.push_back(names[static_cast<size_t>(place)]);
    // By their order: a table without names, or the only input's columns, which have none.
    const bool in_order = (!named || reading_.slots.size() == 1) && std::ssize(chosen) == total;
    if (!named && !in_order) {
      fail(ErrorKind::shape, path_, "the table has {} columns without names; the inputs of the model take {}",
           chosen.size(), total);
    }
    if (!named && reading_.slots.size() > 1)
      notes_.push_back(fmt::format("{}: the columns have no names; they are taken in the order of the inputs", path_));
    std::vector<std::string> missing;
    std::vector<bool> used(offered.size(), false);
    size_t next = 0;
    for (const InputSlot& slot : reading_.slots) {
      const int64_t size = element_count(slot.row);
      if (!in_order && size > kMostElements) {
        fail(ErrorKind::argument, path_, "the model has several inputs; say NAME=FILE for '{}' {}", slot.name,
             slot.shape_text);
      }
      for (int64_t i = 0; i < size; ++i) {
        const std::string wanted = size == 1 ? slot.name : fmt::format("{}[{}]", slot.name, i);
        const size_t at = in_order ? next++ : find(offered, wanted);
        if (at == offered.size()) {
          missing.push_back(wanted);
          continue;
        }
        used[at] = true;
        add(slot, i, chosen[at], offered[at]);
      }
    }
    if (!missing.empty()) {
      fail(ErrorKind::shape, path_, "the table lacks the columns {}; it has {}", some_of(missing), some_of(offered));
    }
    std::vector<std::string> left;
    for (size_t i = 0; i < offered.size(); ++i) {
      if (!used[i]) left.push_back(offered[i]);
    }
    if (!left.empty()) notes_.push_back(fmt::format("{}: the model does not take {}", path_, some_of(left)));
    values_.resize(reading_.slots.size());
  }

  void take(const TableLine& line) {
    for (size_t s = 0; s < reading_.slots.size(); ++s) {
      for (const Column& column : columns_[reading_.slots[s].name]) values_[s].push_back(column.read(line, path_));
    }
    ++rows_;
  }

  std::map<std::string, Batch> batches() {
    if (rows_ == 0) fail(ErrorKind::io, path_, "the table has no rows");
    std::map<std::string, Batch> result;
    for (size_t s = 0; s < reading_.slots.size(); ++s) {
      const InputSlot& slot = reading_.slots[s];
      const auto count = std::ssize(columns_[slot.name]);
      Source source;
      source.path = path_;
      source.arrays = {{"", Tensor::of<double>({rows_, count}, values_[s]), "float64"}};
      for (const Column& column : columns_[slot.name]) source.columns.push_back(column.name);
      DataOptions options = reading_.options;
      options.columns.clear();
      if (reading_.texts.contains(slot.name)) options.preprocess.reset();
      result[slot.name] = fit(source, 0, slot, options, notes_);
    }
    return result;
  }

 private:
  static size_t find(const std::vector<std::string>& names, const std::string& wanted) {
    const auto exact = std::find(names.begin(), names.end(), wanted);
    if (exact != names.end()) return static_cast<size_t>(exact - names.begin());
    const auto like = [&](const std::string& name) { return plain(name) == plain(wanted); };
    return static_cast<size_t>(std::find_if(names.begin(), names.end(), like) - names.begin());
  }

  void add(const InputSlot& slot, int64_t element, int64_t place, const std::string& name) {
    Column column{place, name};
    if (const auto texts = reading_.texts.find(slot.name); texts != reading_.texts.end()) {
      column.texts = &texts->second[static_cast<size_t>(element)];
      const std::vector<std::string>& categories = column.texts->categories;
      for (size_t k = 0; k < categories.size(); ++k) column.codes[categories[k]] = static_cast<int64_t>(k);
    }
    columns_[slot.name].push_back(std::move(column));
  }

  const ColumnReading& reading_;
  const std::string& path_;
  std::vector<std::string>& notes_;
  std::map<std::string, std::vector<Column>> columns_;
  std::vector<std::vector<double>> values_;
  int64_t rows_ = 0;
};

}  // namespace

std::map<std::string, Batch> read_columns(const ColumnReading& reading, std::string_view text, const std::string& path,
                                          std::vector<std::string>& notes) {
  ColumnReader columns(reading, path, notes);
  walk_table(
      text, path, [&](const std::vector<std::string>& names, bool named) { columns.head(names, named); },
      [&](const TableLine& line) { columns.take(line); });
  return columns.batches();
}

}  // namespace ascribe::core::study
