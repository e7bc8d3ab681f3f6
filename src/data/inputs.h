// Files of all kinds as rows for a model: images, idx sets, tables, arrays. Nothing is
// stretched, guessed or reshaped without a note, and nothing that is not finite passes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/preprocess.h"
#include "tensor/npy.h"
#include "tensor/tensor.h"

namespace ascribe::core {

// One input of a model, as the data have to fit it.
struct InputSlot {
  std::string name;
  Shape row;            // the shape of one row; the whole shape if there are no rows
  bool batched = true;  // rows come first ...
  int64_t rows = 0;     // ... any number of them, or exactly this many
  DType dtype = DType::f32;
  std::string shape_text;                 // "[N, 3, 224, 224]", for messages
  std::optional<ImageShape> series = {};  // how a row holds steps in time, if the model reads it so
};

// Rows that are images, and how their values came about (nothing: they were given as numbers).
struct RowPicture {
  ImageShape shape;
  std::optional<Preprocess> preprocess;
};

struct Batch {
  Tensor values;                     // [rows, row...]; the row itself if the slot has no rows
  std::vector<std::string> sources;  // where each row comes from: "7.png", "digits.idx row 12"
  std::vector<std::string> columns;  // names, if the rows come from tables: of their elements, or of a series' channels
  std::optional<RowPicture> picture;  // how the rows hold images, if they may
};

struct DataOptions {
  std::vector<std::string> rows;         // numbers and ranges; empty: all
  std::vector<std::string> columns;      // of tables; empty: all
  std::optional<Preprocess> preprocess;  // not given: guessed for images, values as they are otherwise
};

// A file decoded, but not yet fitted to a model.
struct Source {
  std::string path;
  std::optional<Image> image;
  std::optional<Tensor> pixels;  // [rows, height, width] of 0..255
  std::vector<Array> arrays;     // .npy: one; .npz: as many as it has; a table: one
  std::vector<std::string> columns;
  std::vector<std::string> notes = {};      // worth telling whoever uses it
  std::vector<std::string> row_names = {};  // what rows of arrays are called; empty: by the file and their number
};

Source read_source(const std::string& path, const std::vector<std::string>& columns = {});
// The same of a file that is in memory.
Source parse_source(std::string bytes, const std::string& path, const std::vector<std::string>& columns = {});

// The text of a table, unpacked if it is a .gz; nothing if the file is not one.
std::optional<std::string> table_text(std::string bytes, const std::string& path);

// The rows of `source` for one input of a model. `array`: which one of a .npz.
Batch fit(const Source& source, size_t array, const InputSlot& slot, const DataOptions& options,
          std::vector<std::string>& notes);

// The rows of several files for one slot, as many as it takes.
Batch concatenate(const std::vector<Batch>& batches, const InputSlot& slot);

}  // namespace ascribe::core
