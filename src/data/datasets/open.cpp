#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/byte_stream.h"
#include "base/closest_name.h"
#include "data/datasets/formats.h"

namespace ascribe::core {

namespace {

constexpr size_t kLookedAt = 4096;

// Tables come last but one: nearly anything might be text.
const std::array<DatasetFormat, 5>& formats() {
  static const std::array<DatasetFormat, 5> all = {{
      {"idx", is_idx_dataset, open_idx_dataset},
      {"array", is_array_dataset, open_array_dataset},
      {"cifar", is_cifar_dataset, open_cifar_dataset},
      {"images", is_image_dataset, open_image_dataset},
      {"table", is_table_dataset, open_table_dataset},
  }};
  return all;
}

DatasetPath look_at(const std::string& path) {
  DatasetPath result{path, std::filesystem::is_directory(path), {}};
  if (result.folder) return result;
  ByteStream stream(path);
  result.beginning.resize(kLookedAt);
  result.beginning.resize(stream.read_some(result.beginning));
  if (result.beginning.empty()) fail(ErrorKind::io, path, "the file is empty");
  return result;
}

}  // namespace

std::vector<std::string> dataset_formats() {
  std::vector<std::string> names;
  for (const DatasetFormat& format : formats()) names.push_back(format.name);
  return names;
}

std::unique_ptr<Dataset> open_dataset(const std::string& path, const DatasetOptions& options) {
  const DatasetPath look = look_at(path);
  for (const DatasetFormat& format : formats()) {
    const bool chosen = options.format.empty() ? format.is(look) : options.format == format.name;
    if (chosen) return format.open(path, options);
  }
  if (!options.format.empty()) {
    fail(ErrorKind::argument, "format", "got '{}'; {}", options.format,
         expected_one_of(options.format, dataset_formats()));
  }
  fail(ErrorKind::io, path, "cannot tell what kind of data this is; expected {}",
       look.folder ? "a folder with images, idx files or CIFAR's .bin files"
                   : "an idx file, a .npy, .npz or .csv file, CIFAR's .bin files, or a folder of images");
}

void check_unused(const DatasetOptions& options, std::string_view format,
                  std::initializer_list<std::string_view> used) {
  const auto check = [&](std::string_view name, bool given) {
    if (!given || std::find(used.begin(), used.end(), name) != used.end()) return;
    fail(ErrorKind::argument, name, "data of the format {} have no use for it", format);
  };
  check("label-from", !options.labels.empty());
  check("boxes", !options.boxes.empty());
  check("annotations", !options.annotations.empty());
  check("columns", !options.columns.empty());
}

bool wants_training_part(const DatasetOptions& options) {
  if (options.part != "test" && options.part != "train") {
    fail(ErrorKind::argument, "part", "got '{}'; expected test or train", options.part);
  }
  return options.part == "train";
}

int64_t class_of(const std::string& name, const std::vector<std::string>& classes, const std::string& where) {
  if (classes.empty()) return -1;
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found == classes.end()) fail(ErrorKind::io, where, "no class is called '{}'", name);
  return found - classes.begin();
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace ascribe::core
