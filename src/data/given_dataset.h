// Samples that somebody has in memory, as a data set: rows of an array, or images.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"

namespace ascribe::core {

// What is known of the samples besides their numbers; empty: nothing.
struct GivenFacts {
  std::vector<int64_t> classes = {};
  Tensor boxes = {};  // [samples, 4] or [samples, k, 4]: x0, y0, x1, y1 in pixels (all zero or not a number: no box)
};

// `rows`: [samples, row...]. `names` of samples, "row 3" where there are none; `columns`: names of a row's elements.
std::unique_ptr<Dataset> dataset_of_rows(Tensor rows, const GivenFacts& facts = {}, std::vector<std::string> names = {},
                                         std::vector<std::string> columns = {});

// A .png or .jpg file: its path, or what to call it and what it holds.
struct GivenImage {
  std::string path;
  std::optional<std::string> bytes = {};
};
std::unique_ptr<Dataset> dataset_of_images(std::vector<GivenImage> images, const GivenFacts& facts = {});

}  // namespace ascribe::core
