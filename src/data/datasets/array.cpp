// NumPy files and arrays in memory as a data set: the first axis counts samples. A .npz holds x, and perhaps the
// classes y [n] and boxes, [n, 4] or [n, k, 4] of x0, y0, x1, y1 in the rows' own pixels (all zero or not a number: no
// box).
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>

#include <fmt/ranges.h>

#include "base/byte_stream.h"
#include "data/datasets/formats.h"
#include "data/datasets/row_bytes.h"
#include "data/given_dataset.h"
#include "tensor/npy_size.h"
#include "tensor/rows.h"
#include "tensor/zip.h"

namespace ascribe::core {

namespace {

constexpr size_t kLongestHeader = size_t{1} << 17, kLongestDirectory = size_t{1} << 20;

// An array whose rows are read one by one.
class ArrayRows {
 public:
  ArrayRows(ByteStream stream, std::string where) : stream_(std::move(stream)), where_(std::move(where)) {
    std::string beginning(kLongestHeader, '\0');
    beginning.resize(stream_.read_some(beginning));
    header_ = parse_npy_header(beginning, where_);
    if (header_.shape.empty()) fail(ErrorKind::io, where_, "the array is a single number; expected an array with rows");
    if (header_.fortran) {
      fail(ErrorKind::io, where_,
           "the array is in Fortran order, whose rows are scattered; save numpy.ascontiguousarray of it");
    }
    row_bytes_ = row_bytes(header_.shape, header_.element_size, where_);
    const auto size = static_cast<int64_t>(header_.element_size);
    check_rows(stream_, static_cast<int64_t>(header_.start), header_.shape, row_bytes_,
               (kept_size(header_) + size - 1) / size, where_);
  }

  int64_t count() const { return header_.shape[0]; }
  const Shape& shape() const { return header_.shape; }

  Array read(int64_t index) {
    stream_.seek(static_cast<int64_t>(header_.start) + index * row_bytes_);
    Shape shape = header_.shape;
    shape[0] = 1;
    return parse_npy_elements(header_, shape, stream_.read_text(static_cast<size_t>(row_bytes_)), where_);
  }

 private:
  ByteStream stream_;
  std::string where_;
  NpyHeader header_;
  int64_t row_bytes_ = 0;
};

// The rows of an array, wherever they lie.
struct RowReader {
  Shape shape;
  std::function<Array(int64_t)> read;

  int64_t count() const { return shape[0]; }
};

RowReader reader_of(ArrayRows rows) {
  const auto kept = std::make_shared<ArrayRows>(std::move(rows));
  return {kept->shape(), [kept](int64_t index) { return kept->read(index); }};
}

RowReader reader_of(Tensor values) {
  const Shape shape = values.shape();
  return {shape, [values = std::move(values)](int64_t index) {
            return Array{"", take_rows(values, std::array{index}), std::string(to_string(values.dtype()))};
          }};
}

// Samples with classes and boxes that are arrays, from a file (kind io) or not.
class ArrayDataset : public Dataset {
 public:
  ArrayDataset(std::string where, ErrorKind kind, int64_t count, std::function<Sample(int64_t)> read)
      : where_(std::move(where)), kind_(kind), count_(count), read_(std::move(read)) {}

  void add_classes(RowReader rows) {
    if (rows.shape != Shape{count_}) {
      fail(kind_, where_, "the labels do not belong to the rows; got {}; expected [{}]", to_string(rows.shape), count_);
    }
    classes_.emplace(std::move(rows));
    labelled = true;
  }
  void add_boxes(RowReader rows) {
    const Shape& shape = rows.shape;
    if (shape.size() < 2 || shape.size() > 3 || shape[0] != count_ || shape.back() != 4) {
      fail(kind_, where_, "the boxes do not belong to the rows; got {}; expected [{}, 4]", to_string(shape), count_);
    }
    boxes_.emplace(std::move(rows));
    boxed = true;
  }
  void add_facts(const GivenFacts& facts) {
    if (!facts.classes.empty()) {
      add_classes(reader_of(Tensor::of<int64_t>({std::ssize(facts.classes)}, facts.classes)));
    }
    if (!facts.boxes.empty()) add_boxes(reader_of(facts.boxes));
  }
  void describe(const std::string& what) {
    description =
        fmt::format("{}, {}{}", what, labelled ? "with labels" : "without labels", boxed ? ", with boxes" : "");
  }

  int64_t size() const override { return count_; }

  Sample read(int64_t index) override {
    Sample sample = read_(index);
    if (classes_) sample.label = class_at(index);
    if (boxes_) sample.boxes = boxes_at(index);
    return sample;
  }

 private:
  int64_t class_at(int64_t index) {
    const double value = classes_->read(index).values.at(0);
    if (!(value >= 0) || value != std::floor(value) || value > 1e9) {
      fail(kind_, where_, "the label of row {} is {}; expected the number of a class", index, value);
    }
    return static_cast<int64_t>(value);
  }

  std::vector<Box> boxes_at(int64_t index) {
    const Tensor values = boxes_->read(index).values;
    std::vector<Box> boxes;
    for (int64_t i = 0; i < values.size(); i += 4) {
      const Box box{values.at(i), values.at(i + 1), values.at(i + 2), values.at(i + 3)};
      if (box.x1 > box.x0 && box.y1 > box.y0) boxes.push_back(box);
    }
    return boxes;
  }

  std::string where_;
  ErrorKind kind_;
  int64_t count_;
  std::function<Sample(int64_t)> read_;
  std::optional<RowReader> classes_, boxes_;
};

std::string rows_text(const Shape& shape) {
  return fmt::format("array: {} rows of {}", shape[0], to_string(Shape(shape.begin() + 1, shape.end())));
}

std::unique_ptr<ArrayDataset> dataset_in_file(const std::string& path, ArrayRows rows) {
  RowReader reader = reader_of(std::move(rows));
  const int64_t count = reader.count();
  return std::make_unique<ArrayDataset>(path, ErrorKind::io, count, [path, reader = std::move(reader)](int64_t index) {
    Sample sample;
    sample.name = fmt::format("{} row {}", std::filesystem::path(path).filename().string(), index);
    sample.source.path = path;
    sample.source.arrays = {reader.read(index)};
    return sample;
  });
}

ArrayRows rows_in_archive(const std::string& path, const ZipPlace& place) {
  const std::string where = fmt::format("{}: {}", path, place.name);
  ByteStream archive(path);
  archive.seek(place.header);
  std::string header(kZipLocalHeader, '\0');
  header.resize(archive.read_some(header));
  const int64_t start = place.header + zip_content(header, where);
  return {ByteStream(path, start, place.packed, place.deflated), where};
}

std::vector<ZipPlace> arrays_in(const std::string& path) {
  ByteStream archive(path);
  if (!archive.size()) fail(ErrorKind::io, path, "archives inside gzip files cannot be read; unpack it first");
  const int64_t size = *archive.size();
  const auto length = static_cast<size_t>(std::min<int64_t>(size, kLongestDirectory));
  archive.seek(size - static_cast<int64_t>(length));
  return zip_places(archive.read_text(length), size, path);
}

std::unique_ptr<Dataset> open_archive(const std::string& path) {
  const std::vector<ZipPlace> places = arrays_in(path);
  const auto find = [&](std::initializer_list<std::string_view> names) -> const ZipPlace* {
    for (const std::string_view name : names) {
      for (const ZipPlace& place : places) {
        if (place.name == fmt::format("{}.npy", name)) return &place;
      }
    }
    return nullptr;
  };
  const ZipPlace* x = places.size() == 1 ? places.data() : find({"x", "X", "images", "x_test"});
  if (x == nullptr) {
    std::vector<std::string> names;
    for (const ZipPlace& place : places) names.push_back(place.name);
    fail(ErrorKind::io, path, "cannot tell which array holds the rows; got {}; expected x", fmt::join(names, ", "));
  }
  ArrayRows rows = rows_in_archive(path, *x);
  const std::string what = rows_text(rows.shape());
  auto dataset = dataset_in_file(path, std::move(rows));
  if (const auto* y = find({"y", "Y", "labels", "y_test"})) dataset->add_classes(reader_of(rows_in_archive(path, *y)));
  if (const auto* boxes = find({"boxes"})) dataset->add_boxes(reader_of(rows_in_archive(path, *boxes)));
  dataset->describe(what);
  dataset->files = {path};
  return dataset;
}

}  // namespace

bool is_array_dataset(const DatasetPath& path) { return is_npy(path.beginning) || is_npz(path.beginning); }

std::unique_ptr<Dataset> open_array_dataset(const std::string& path, const DatasetOptions& options) {
  check_unused(options, "array", {"label-from"});
  ByteStream stream(path);
  std::string beginning(16, '\0');
  beginning.resize(stream.read_some(beginning));
  stream.seek(0);
  if (is_npz(beginning)) {
    if (!options.labels.empty()) fail(ErrorKind::argument, "label-from", "a .npz file holds its labels in its array y");
    return open_archive(path);
  }
  ArrayRows rows(std::move(stream), path);
  const std::string what = rows_text(rows.shape());
  auto dataset = dataset_in_file(path, std::move(rows));
  dataset->files = {path};
  if (!options.labels.empty()) {
    dataset->add_classes(reader_of(ArrayRows(ByteStream(options.labels), options.labels)));
    dataset->files.push_back(options.labels);
  }
  dataset->describe(what);
  return dataset;
}

std::unique_ptr<Dataset> dataset_of_rows(Tensor rows, const GivenFacts& facts, std::vector<std::string> names,
                                         std::vector<std::string> columns) {
  if (rows.rank() < 1 || rows.shape()[0] < 1) {
    fail(ErrorKind::shape, "rows", "there are no samples; got {}; expected [samples, row...]", to_string(rows.shape()));
  }
  const Shape shape = rows.shape();
  RowReader reader = reader_of(std::move(rows));
  auto dataset = std::make_unique<ArrayDataset>(
      "rows", ErrorKind::shape, shape[0],
      [reader = std::move(reader), names = std::move(names), columns = std::move(columns)](int64_t index) {
        const auto place = static_cast<size_t>(index);
        Sample sample;
        sample.name = place < names.size() ? names[place] : fmt::format("row {}", index);
        sample.source.path = "row";
        sample.source.arrays = {reader.read(index)};
        sample.source.columns = columns;
        return sample;
      });
  dataset->add_facts(facts);
  dataset->describe(rows_text(shape));
  return dataset;
}

std::unique_ptr<Dataset> dataset_of_images(std::vector<GivenImage> images, const GivenFacts& facts) {
  const auto count = std::ssize(images);
  if (count == 0) fail(ErrorKind::argument, "rows", "there are no samples");
  const bool in_files = facts.classes.empty() && facts.boxes.empty() &&
                        std::none_of(images.begin(), images.end(), [](const GivenImage& one) { return one.bytes; });
  std::vector<std::string> files;
  for (const GivenImage& image : images) files.push_back(image.path);
  auto dataset =
      std::make_unique<ArrayDataset>("rows", ErrorKind::shape, count, [images = std::move(images)](int64_t index) {
        const GivenImage& image = images[static_cast<size_t>(index)];
        Sample sample;
        sample.name = std::filesystem::path(image.path).filename().string();
        sample.source = image.bytes ? parse_source(*image.bytes, image.path) : read_source(image.path);
        if (!sample.source.image) {
          fail(ErrorKind::argument, image.path,
               "not an image; samples are images or one array, and a file of many rows is data of its own");
        }
        return sample;
      });
  dataset->add_facts(facts);
  if (in_files) dataset->files = std::move(files);
  dataset->describe(fmt::format("images: {}", count));
  return dataset;
}

}  // namespace ascribe::core
