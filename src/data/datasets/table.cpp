// Tables (data/table.h) as a data set: a sample per line. The lines are counted once; where some of them begin is kept,
// so that any line is found without reading those before it.
#include <filesystem>

#include "data/datasets/formats.h"
#include "data/table.h"

namespace ascribe::core {

namespace {

constexpr int64_t kStride = 1024;  // lines between places that are kept

class TableDataset : public Dataset {
 public:
  TableDataset(const std::string& path, const DatasetOptions& options)
      : lines_(ByteStream(path)), classes_(options.classes) {
    const TableLines::Place top = lines_.place();
    const auto first = lines_.next();
    if (!first) fail(ErrorKind::io, path, "the table is empty");
    names_ = column_names(*first);
    if (!names_columns(*first)) lines_.go_to(top);
    choose(options);
    count();
    labelled = label_ >= 0;
    files = {path};
    description =
        fmt::format("table: {} rows of {} columns, {}", size_, inputs_.size(),
                    labelled ? fmt::format("classes in '{}'", names_[static_cast<size_t>(label_)]) : "without labels");
  }

  int64_t size() const override { return size_; }

  Sample read(int64_t index) override {
    if (index < next_ || index / kStride > next_ / kStride) {
      next_ = index / kStride * kStride;
      lines_.go_to(places_[static_cast<size_t>(index / kStride)]);
    }
    for (; next_ < index; ++next_) lines_.next();
    ++next_;
    const auto line = lines_.next();
    if (!line) fail(ErrorKind::io, lines_.path(), "the table changed while it was being read");
    return sample(*line, index);
  }

 private:
  void choose(const DatasetOptions& options) {
    if (!options.labels.empty()) label_ = chosen_columns(names_, {options.labels}, lines_.path()).at(0);
    for (const int64_t column : chosen_columns(names_, options.columns, lines_.path())) {
      if (column == label_ && options.columns.empty()) continue;
      inputs_.push_back(column);
      input_names_.push_back(names_[static_cast<size_t>(column)]);
    }
  }

  void count() {
    for (;;) {
      const TableLines::Place place = lines_.place();
      const auto line = lines_.next();
      if (!line) break;
      if (line->cells.size() != names_.size()) {
        fail(ErrorKind::io, lines_.path(), "line {} has {} cells; expected {}", line->number, line->cells.size(),
             names_.size());
      }
      if (size_ % kStride == 0) places_.push_back(place);
      ++size_;
    }
    if (size_ == 0) fail(ErrorKind::io, lines_.path(), "the table has no rows");
    next_ = size_;
  }

  Sample sample(const TableLine& line, int64_t index) const {
    Sample result;
    result.name = fmt::format("{} row {}", std::filesystem::path(lines_.path()).filename().string(), index);
    result.source.path = lines_.path();
    result.source.columns = input_names_;
    std::vector<double> values;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      values.push_back(number_in(line, inputs_[i], input_names_[i], lines_.path()));
    }
    result.source.arrays = {{"", Tensor::of<double>({1, std::ssize(inputs_)}, values), "float64"}};
    if (label_ >= 0) result.label = class_in(line);
    return result;
  }

  int64_t class_in(const TableLine& line) const {
    const std::string& cell = line.cells[static_cast<size_t>(label_)];
    if (const auto number = whole_number(cell); number && *number >= 0) return *number;
    const std::string where = fmt::format("{}: line {}", lines_.path(), line.number);
    if (!classes_.empty()) return class_of(cell, classes_, where);
    fail(ErrorKind::io, where, "'{}' is not a class; expected a whole number, or a name from `labels`", cell);
  }

  TableLines lines_;
  std::vector<std::string> classes_, names_, input_names_;
  std::vector<int64_t> inputs_;
  int64_t label_ = -1, size_ = 0, next_ = 0;
  std::vector<TableLines::Place> places_;
};

}  // namespace

bool is_table_dataset(const DatasetPath& path) { return !path.folder && is_table_name(path.path); }

std::unique_ptr<Dataset> open_table_dataset(const std::string& path, const DatasetOptions& options) {
  check_unused(options, "table", {"label-from", "columns"});
  return std::make_unique<TableDataset>(path, options);
}

}  // namespace ascribe::core
