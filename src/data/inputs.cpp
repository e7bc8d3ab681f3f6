#include "data/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/inflate.h"
#include "base/unpacking.h"
#include "data/id_lines.h"
#include "data/idx.h"
#include "data/rows.h"
#include "data/table.h"
#include "tensor/npy_size.h"
#include "tensor/rows.h"

namespace ascribe::core {

namespace {

constexpr size_t kLongestHeader = size_t{1} << 17;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

Shape without_ones(const Shape& shape) {
  Shape result;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(result), [](int64_t extent) { return extent != 1; });
  return result;
}

// Whether values of one shape may be read as the other: axes of length 1 and flattening
// keep the meaning of every element, while [224, 224, 3] as [3, 224, 224] would not.
bool same_elements(const Shape& a, const Shape& b) {
  if (element_count(a) != element_count(b)) return false;
  const Shape left = without_ones(a), right = without_ones(b);
  return left == right || left.size() <= 1 || right.size() <= 1;
}

void add_note(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

Preprocess chosen_preprocess(const DataOptions& options, const InputSlot& slot, std::vector<std::string>& notes) {
  if (options.preprocess) return *options.preprocess;
  Preprocess guess = guess_preprocess(slot.row);
  add_note(notes, fmt::format("preprocessing: {}, guessed from the input {}; `preprocess` changes it", describe(guess),
                              slot.shape_text));
  return guess;
}

// Images as they lie in the rows; a flat row's size is that of the images which were put into it.
std::optional<RowPicture> picture_in(const InputSlot& slot, const Image& image, const Preprocess& preprocess) {
  auto shape = image_shape(slot.row, preprocess);
  if (shape && shape->flat > 0) {
    int64_t height = image.height, width = image.width;
    if (preprocess.resize.size() == 2) height = preprocess.resize[0], width = preprocess.resize[1];
    if (!preprocess.crop.empty()) height = preprocess.crop[0], width = preprocess.crop[1];
    shape->channels = height * width > 0 ? shape->flat / (height * width) : 0;
    if (shape->channels * height * width != shape->flat || shape->channels < 1) return std::nullopt;
    shape->height = height, shape->width = width;
  }
  if (!shape) return std::nullopt;
  return RowPicture{*shape, preprocess};
}

Batch stack(const std::vector<Tensor>& rows, std::vector<std::string> sources, const InputSlot& slot) {
  if (!slot.batched) return {rows[0], std::move(sources), {}, {}};
  Shape shape = slot.row;
  shape.insert(shape.begin(), static_cast<int64_t>(rows.size()));
  Tensor values(slot.dtype, shape);
  auto* to = static_cast<char*>(values.mutable_memory());
  for (const Tensor& row : rows) {
    std::memcpy(to, row.memory(), row.bytes());
    to += row.bytes();
  }
  return {std::move(values), std::move(sources), {}, {}};
}

Batch fit_image(const Source& source, const InputSlot& slot, const DataOptions& options,
                std::vector<std::string>& notes) {
  select_rows(options.rows, 1, "row", source.path);
  const Preprocess preprocess = chosen_preprocess(options, slot, notes);
  if (source.image->transparent) add_note(notes, fmt::format("{}: transparent pixels were put on white", source.path));
  const auto wanted = image_shape(slot.row, preprocess);
  if (wanted && wanted->channels == 1 && wanted->flat == 0 && source.image->channels == 3 && !preprocess.color) {
    add_note(notes, fmt::format("{}: colour was turned into gray, because the model takes one channel", source.path));
  }
  Tensor row = preprocess_image(*source.image, preprocess, slot.row, slot.dtype, source.path);
  Batch batch = stack({row}, {file_name(source.path)}, slot);
  batch.picture = picture_in(slot, *source.image, preprocess);
  return batch;
}

Batch fit_pixels(const Source& source, const InputSlot& slot, const DataOptions& options,
                 std::vector<std::string>& notes) {
  const Shape& shape = source.pixels->shape();
  const Preprocess preprocess = chosen_preprocess(options, slot, notes);
  const auto pixels = source.pixels->data<float>();
  const int64_t size = shape[1] * shape[2];
  std::vector<Tensor> rows;
  std::vector<std::string> sources;
  for (const int64_t row : select_rows(options.rows, shape[0], "row", source.path)) {
    const auto begin = pixels.begin() + row * size;
    const Image image{shape[1], shape[2], 1, std::vector<float>(begin, begin + size), false};
    rows.push_back(preprocess_image(image, preprocess, slot.row, slot.dtype, source.path));
    sources.push_back(fmt::format("{} row {}", file_name(source.path), row));
  }
  const auto wanted = image_shape(slot.row, preprocess);
  if (wanted && wanted->flat > 0) {
    add_note(notes, fmt::format("images of {} x {} flattened to rows {}", shape[2], shape[1], to_string(slot.row)));
  }
  Batch batch = stack(rows, std::move(sources), slot);
  batch.picture = picture_in(slot, {shape[1], shape[2], 1, {}, false}, preprocess);
  return batch;
}

// How an array is cut into rows for a slot; the array reshaped to [rows, row...].
Tensor as_rows(const Tensor& values, const InputSlot& slot, const std::string& where, std::vector<std::string>& notes) {
  const Shape& shape = values.shape();
  Shape wanted = slot.row;
  if (slot.batched && !shape.empty() && same_elements({shape.begin() + 1, shape.end()}, slot.row)) {
    wanted.insert(wanted.begin(), shape[0]);
  } else if (same_elements(shape, slot.row)) {
    if (slot.batched) wanted.insert(wanted.begin(), 1);
  } else {
    fail(ErrorKind::shape, where, "the data do not fit the input '{}'; got {}; expected {}", slot.name,
         to_string(shape), slot.shape_text);
  }
  if (without_ones(wanted) != without_ones(shape)) {
    add_note(notes, fmt::format("{}: {} reshaped to {}", where, to_string(shape), to_string(wanted)));
  }
  return values.reshaped(wanted);
}

// Without a way out of the loop, so that many are looked at together.
template <class T>
bool all_finite(std::span<const T> values) {
  int any_other = 0;
#pragma omp simd reduction(| : any_other)
  for (size_t i = 0; i < values.size(); ++i) {
    any_other |= std::abs(values[i]) <= std::numeric_limits<T>::max() ? 0 : 1;
  }
  return any_other == 0;
}

void check_finite(const Tensor& values, const std::vector<std::string>& sources, const InputSlot& slot) {
  if (values.dtype() != DType::f32 && values.dtype() != DType::f64) return;
  visit(values.dtype(), [&]<class T>(T) {
    const auto data = values.data<T>();
    if constexpr (std::is_floating_point_v<T>) {
      if (all_finite<T>(data)) return;
    }
    for (size_t i = 0; i < data.size(); ++i) {
      const auto value = static_cast<double>(data[i]);
      if (std::isfinite(value)) continue;
      const size_t per_row = slot.batched ? data.size() / sources.size() : data.size();
      fail(ErrorKind::numeric, sources[i / per_row], "the value at position {} is {}; expected finite numbers",
           i % per_row, value);
    }
  });
}

// To the slot's type, without changing a value unnoticed.
Tensor converted(const Tensor& values, const InputSlot& slot, const std::string& where) {
  const bool to_integer = slot.dtype == DType::i64 || slot.dtype == DType::boolean;
  if (to_integer && (values.dtype() == DType::f32 || values.dtype() == DType::f64)) {
    for (int64_t i = 0; i < values.size(); ++i) {
      if (values.at(i) != std::floor(values.at(i))) {
        fail(ErrorKind::shape, where, "the input '{}' takes whole numbers; got {}", slot.name, values.at(i));
      }
    }
  }
  return values.cast(slot.dtype);
}

int64_t channel_axis(const InputSlot& slot, const Preprocess& preprocess, bool table,
                     const std::optional<ImageShape>& series) {
  const int64_t first = slot.batched ? 1 : 0;
  const auto rank = static_cast<int64_t>(slot.row.size());
  if (series && rank == 2) return series->layout == PixelLayout::chw ? first : first + 1;
  const auto image = image_shape(slot.row, preprocess);
  if (!table && rank == 3 && image && image->layout == PixelLayout::chw) return first;
  return std::max<int64_t>(first + rank - 1, 0);
}

void check_columns(const Source& source, const InputSlot& slot, const std::optional<ImageShape>& series) {
  const auto count = static_cast<int64_t>(source.columns.size());
  const int64_t wanted = element_count(slot.row);
  if (count == wanted) return;
  if (series) {
    fail(
        ErrorKind::shape, source.path,
        "the table has {} lines of {} columns ({}); the model takes series of {} steps by {} channels: a line per step "
        "and a column per channel, or a line per series with {} columns",
        source.arrays[0].values.shape()[0], count, some_names(source.columns), series->width, series->channels, wanted);
  }
  const std::string remedy =
      count > wanted ? fmt::format("; `columns` 0:{} would take the first {}", wanted, wanted) : "";
  fail(ErrorKind::shape, source.path, "the table has {} columns ({}); the model takes {}{}", count,
       some_names(source.columns), wanted, remedy);
}

// How rows hold a series, if somebody says so: the user, the model, or a table of a line per step.
std::optional<ImageShape> series_in(const Source& source, const Array& array, const InputSlot& slot,
                                    const DataOptions& options) {
  if (slot.row.empty() || slot.row.size() > 2) return std::nullopt;
  if (options.preprocess && options.preprocess->series) {
    return series_shape(slot.row, options.preprocess->layout == PixelLayout::chw);
  }
  if (slot.series || source.columns.empty() || slot.row.size() < 2) return slot.series;
  const Shape& table = array.values.shape();
  if (table == slot.row) return series_shape(slot.row, false);
  if (table == Shape{slot.row[1], slot.row[0]}) return series_shape(slot.row, true);
  return std::nullopt;
}

// A table of a line per step and a column per channel is one row.
bool is_one_series(const Source& source, const Array& array, const std::optional<ImageShape>& series) {
  return series && !source.columns.empty() && array.values.shape() == Shape{series->width, series->channels};
}

Tensor series_row(const Tensor& table, const ImageShape& series) {
  if (series.layout == PixelLayout::hwc) return table;
  Tensor turned(table.dtype(), {series.channels, series.width});
  visit(table.dtype(), [&]<class T>(T) {
    const auto from = table.data<T>();
    auto to = turned.mutable_data<T>();
    for (int64_t t = 0; t < series.width; ++t) {
      for (int64_t c = 0; c < series.channels; ++c) to[c * series.width + t] = from[t * series.channels + c];
    }
  });
  return turned;
}

std::string row_name(const Source& source, int64_t row, bool many) {
  if (row < std::ssize(source.row_names)) return source.row_names[static_cast<size_t>(row)];
  return many ? fmt::format("{} row {}", file_name(source.path), row) : file_name(source.path);
}

Batch fit_array(const Source& source, const Array& array, const InputSlot& slot, const DataOptions& options,
                std::vector<std::string>& notes) {
  const std::optional<ImageShape> series = series_in(source, array, slot, options);
  const bool one_series = is_one_series(source, array, series);
  const bool table = !source.columns.empty() && !one_series;
  if (table) check_columns(source, slot, series);
  for (const std::string& note : source.notes) add_note(notes, note);
  const std::string where = array.name.empty() ? source.path : fmt::format("{}: {}", source.path, array.name);
  Tensor values = as_rows(one_series ? series_row(array.values, *series) : array.values, slot, where, notes);
  Batch batch;
  batch.columns = source.columns;
  if (slot.batched) {
    const auto rows = select_rows(options.rows, values.shape()[0], "row", where);
    for (const int64_t row : rows) batch.sources.push_back(row_name(source, row, values.shape()[0] > 1));
    if (!options.rows.empty()) values = take_rows(values, rows);
    if (rows.empty()) fail(ErrorKind::shape, where, "there are no rows");
  } else {
    batch.sources = {row_name(source, 0, false)};
  }
  check_finite(values, batch.sources, slot);
  values = converted(values, slot, where);
  if (options.preprocess && values.rank() > 0) {
    values = normalize_values(std::move(values), *options.preprocess,
                              channel_axis(slot, *options.preprocess, table, series), where);
  } else if (array.element_type == "uint8" && slot.dtype != DType::i64) {
    add_note(notes, "bytes are taken as they are, 0 to 255; `preprocess` unit would divide them by 255");
  }
  check_finite(values, batch.sources, slot);
  if (series) {
    batch.picture = RowPicture{*series, options.preprocess};
  } else if (const auto shape = image_shape(slot.row, options.preprocess.value_or(Preprocess{})); shape && !table) {
    batch.picture = RowPicture{*shape, options.preprocess};
  }
  batch.values = std::move(values);
  return batch;
}

// A gzip file without its wrapping. Arrays are refused by their headers before memory is taken for them.
std::string unpacked(const std::string& bytes, const std::string& where) {
  const int64_t most = most_unpacked_whole(std::ssize(bytes)), size = gzip_size(bytes, most, where);
  const std::string beginning = gzip_beginning(bytes, kLongestHeader, where);
  int64_t kept = 0;  // bytes of the numbers in memory
  if (is_npy(beginning)) {
    const NpyHeader header = parse_npy_header(beginning, where);
    const int64_t elements = size - static_cast<int64_t>(header.start);
    check_npy_size(header, header.shape, elements, where);
    kept = elements / static_cast<int64_t>(header.element_size) * kept_size(header);
  } else if (is_idx(beginning)) {
    const IdxHeader header = parse_idx_header(beginning, where);
    const int64_t elements = size - 4 - 4 * std::ssize(header.shape);
    check_idx_size(header, elements, where);
    kept = elements / static_cast<int64_t>(header.element_size) * kept_size(header);
  }
  if (kept > most) {
    fail(ErrorKind::io, where, "the array is too large; got {} bytes of numbers; expected at most {}; unpack it first",
         kept, most);
  }
  return inflate_gzip(bytes, size, where);
}

}  // namespace

Source read_source(const std::string& path, const std::vector<std::string>& columns) {
  return parse_source(read_file(path), path, columns);
}

Source parse_source(std::string bytes, const std::string& path, const std::vector<std::string>& columns) {
  Source source;
  source.path = path;
  // Of numbers in a text; a plain file may hold as many as it does.
  int64_t most_numbers = std::numeric_limits<int64_t>::max();
  if (is_gzip(bytes)) {
    most_numbers = most_unpacked_whole(std::ssize(bytes)) / static_cast<int64_t>(sizeof(double));
    bytes = unpacked(bytes, path);
  }
  if (bytes.empty()) fail(ErrorKind::io, path, "the file is empty");
  if (is_image(bytes)) {
    source.image = decode_image(bytes, path);
  } else if (is_npy(bytes)) {
    source.arrays = {parse_npy(bytes, path)};
  } else if (is_npz(bytes)) {
    source.arrays = parse_npz(bytes, path);
  } else if (is_idx(bytes)) {
    IdxArray idx = parse_idx(bytes, path);
    if (idx.bytes && idx.values.rank() == 3) source.pixels = std::move(idx.values);
    else source.arrays = {{"", std::move(idx.values), idx.bytes ? "uint8" : "float32"}};
  } else if (is_id_lines(bytes, path)) {
    source.arrays = {{"", parse_id_lines(bytes, path, most_numbers), "int64"}};
  } else if (is_table_name(path)) {
    TableOfCells table = parse_table(bytes, columns, path, most_numbers);
    source.columns = std::move(table.columns);
    source.notes = std::move(table.notes);
    source.arrays = {{"", std::move(table.values), "float64"}};
  } else {
    fail(ErrorKind::io, path,
         "cannot tell what the file is; expected a .png, .jpg, .npy, .npz, .csv or .idx file, or a .txt file of ids");
  }
  if (!columns.empty() && source.columns.empty()) {
    fail(ErrorKind::argument, path, "`columns` needs a table; expected a .csv file");
  }
  return source;
}

std::optional<std::string> table_text(std::string bytes, const std::string& path) {
  if (!is_table_name(path)) return std::nullopt;
  if (is_gzip(bytes)) bytes = unpacked(bytes, path);
  if (is_image(bytes) || is_npy(bytes) || is_npz(bytes) || is_idx(bytes)) return std::nullopt;
  return bytes;
}

Batch fit(const Source& source, size_t array, const InputSlot& slot, const DataOptions& options,
          std::vector<std::string>& notes) {
  if (source.image) return fit_image(source, slot, options, notes);
  if (source.pixels) return fit_pixels(source, slot, options, notes);
  return fit_array(source, source.arrays.at(array), slot, options, notes);
}

Batch concatenate(const std::vector<Batch>& batches, const InputSlot& slot) {
  Batch result;
  result.columns = batches.at(0).columns;
  result.picture = batches[0].picture;
  for (const Batch& batch : batches) {
    result.sources.insert(result.sources.end(), batch.sources.begin(), batch.sources.end());
  }
  const auto rows = static_cast<int64_t>(result.sources.size());
  const int64_t wanted = slot.batched ? slot.rows : 1;
  if (wanted != 0 && rows != wanted) {
    fail(ErrorKind::shape, result.sources[0], "the model takes {} at a time; got {}; `row` picks rows",
         wanted == 1 ? "one row" : fmt::format("{} rows", wanted), rows);
  }
  if (batches.size() == 1) return batches[0];
  Shape shape = slot.row;
  shape.insert(shape.begin(), rows);
  result.values = Tensor(slot.dtype, shape);
  auto* to = static_cast<char*>(result.values.mutable_memory());
  for (const Batch& batch : batches) {
    std::memcpy(to, batch.values.memory(), batch.values.bytes());
    to += batch.values.bytes();
  }
  return result;
}

}  // namespace ascribe::core
