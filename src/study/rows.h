// The rows that a verb is about: files, bytes or arrays, as the inputs of a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/inputs.h"
#include "model/model.h"
#include "study/tokens.h"

namespace ascribe::core::study {

// A file that is in memory already; what it holds is told from its content, tables from the name.
struct FileBytes {
  std::string name;
  std::string bytes;
};

// Numbers for one input of the model: [rows, row...], or one row. They may be borrowed (Tensor::borrow).
struct GivenArray {
  std::string input;  // its name; empty: the only input, or the explained one
  Tensor values;
};

struct RowSource {
  std::vector<std::string> files;  // .png .jpg .npy .npz .csv .idx, also with .gz; NAME=FILE for one of several inputs
  std::vector<FileBytes> contents = {};
  std::vector<GivenArray> arrays = {};
  std::vector<std::string> names = {};  // what rows of arrays are called; empty: "row 0", "row 1" ...
  // Of rows of arrays, in the data that they are some of; empty: 0, 1 ... What is random depends on it.
  std::vector<int64_t> numbers = {};
  std::vector<std::string> feature_names = {};  // of the elements of a row of arrays, if they are features of a table
  std::vector<std::string> rows = {};           // which ones: numbers and ranges; empty: all
  std::vector<std::string> columns = {};        // of tables; empty: all
  std::string preprocess = {};            // unit, imagenet, raw, or JSON (text or file); empty: guessed for images
  std::vector<FileBytes> in_memory = {};  // files that a baseline names, where they are not read from the disk

  bool empty() const { return files.empty() && contents.empty() && arrays.empty(); }
  int64_t number_of(int64_t row) const { return numbers.empty() ? row : numbers.at(static_cast<size_t>(row)); }
  std::string where() const;                                       // for complaints: the first file, or "input"
  const FileBytes* find_in_memory(const std::string& name) const;  // null: it is on the disk
};

// One of several inputs that are explained together, where it lies in their joint row.
struct RowPart {
  std::string name;  // of the input
  int64_t first = 0;
  Shape row;
  std::optional<RowPicture> picture;
  std::vector<std::string> columns;  // names of its elements, if the data name them
  bool whole = false;                // codes of categories
  std::vector<TextColumn> texts;     // of texts: for each element

  int64_t size() const { return element_count(row); }
};

struct ModelInputs {
  std::vector<Tensor> tensors;                      // one per input of the graph
  std::vector<std::string> sources;                 // where each row comes from
  std::vector<std::string> columns;                 // names of features, if the data are a table
  std::vector<std::optional<RowPicture>> pictures;  // per input of the graph: how its rows hold images, if they may
  std::vector<TokenRow> tokens = {};                // of each row, if the explained input takes tokens
  std::vector<Tensor> entered = {};                 // what went through an entrance: a tensor per input of the file
  std::vector<std::vector<std::string>> columns_of = {};  // per input: names of features
  std::vector<RowPart> parts = {};  // of the first input, if it is made of several (joint_inputs.h)
};

// Several files are rows of one batch. A model of several inputs takes NAME=FILE for each, or one .npz file with those
// names. `real`: the precision of real numbers. Notes tell what was assumed.
ModelInputs read_inputs(const Model& model, const RowSource& source, DType real, std::vector<std::string>& notes);

// A file, and the input of the model it is for (empty: not said). A path may hold '=' itself: only what an input is
// called counts as a name.
struct NamedPath {
  std::string input;
  std::string path;
};
NamedPath named_path(const std::string& text, const std::vector<std::string>& inputs);

// Rows of the one input that data are for, with the others following from it (companions.h).
ModelInputs with_companions(const Model& model, size_t input, Batch rows, DType real, std::vector<std::string>& notes);

// How files are read and fitted to the model.
DataOptions data_options(const RowSource& source);

// One input of the model, as data have to fit it.
InputSlot input_slot(const Model& model, size_t input, DType real);

// One more file of rows for one input of the model: a baseline. Read as the source says, but all its rows.
Batch read_rows(const Model& model, size_t input, const std::string& path, const RowSource& source,
                std::vector<std::string>& notes);

}  // namespace ascribe::core::study
