// Opens a data set of any known format, which is recognised by its content:
//   idx      MNIST and its relatives: a file of images, with the file of labels beside it, or the folder of both
//   images   a folder of .png and .jpg files, classes by sub-folder, by a table or by XML files; or the table itself
//   cifar    the binary files of CIFAR-10 and CIFAR-100, or their folder
//   table    .csv, .tsv, .txt or .data: a row of numbers per line
//   array    .npy, or .npz with x and perhaps y and boxes
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/dataset.h"

namespace ascribe::core {

struct DatasetOptions {
  std::string format;                // empty: told from the content
  std::string part = "test";         // of folders that hold a part to train with and one to test with
  std::string labels;                // idx: the file of the labels; table: the column, by name or number
  std::string boxes;                 // images: a table of file, class and box
  std::string annotations;           // images: a folder of Pascal-VOC XML files
  std::vector<std::string> columns;  // table: which are inputs; empty: all but the label
  std::vector<std::string> classes;  // names in the model's order, to find classes that the data call by name
};

// Complaints are of kind io where a file is wrong, and of kind argument where the options are.
std::unique_ptr<Dataset> open_dataset(const std::string& path, const DatasetOptions& options = {});

std::vector<std::string> dataset_formats();

}  // namespace ascribe::core
