// The formats of data sets, a file each. `open` functions throw; `is` functions look at names and first bytes only.
#pragma once

#include "data/open_dataset.h"

namespace ascribe::core {

// What a path shows without reading it: the first bytes of a file (unpacked if they are gzip).
struct DatasetPath {
  std::string path;
  bool folder = false;
  std::string beginning;
};

struct DatasetFormat {
  std::string name;
  bool (*is)(const DatasetPath& path);
  std::unique_ptr<Dataset> (*open)(const std::string& path, const DatasetOptions& options);
};

bool is_idx_dataset(const DatasetPath& path);
std::unique_ptr<Dataset> open_idx_dataset(const std::string& path, const DatasetOptions& options);
bool is_image_dataset(const DatasetPath& path);
std::unique_ptr<Dataset> open_image_dataset(const std::string& path, const DatasetOptions& options);
bool is_cifar_dataset(const DatasetPath& path);
std::unique_ptr<Dataset> open_cifar_dataset(const std::string& path, const DatasetOptions& options);
bool is_table_dataset(const DatasetPath& path);
std::unique_ptr<Dataset> open_table_dataset(const std::string& path, const DatasetOptions& options);
bool is_array_dataset(const DatasetPath& path);
std::unique_ptr<Dataset> open_array_dataset(const std::string& path, const DatasetOptions& options);

// ---- what they share ----

// Refuses options that the format has no use for.
void check_unused(const DatasetOptions& options, std::string_view format, std::initializer_list<std::string_view> used);

// Refuses a part other than "test" and "train".
bool wants_training_part(const DatasetOptions& options);

// The place of a name among the classes; -1 if there are none, and complains if it is not among them.
int64_t class_of(const std::string& name, const std::vector<std::string>& classes, const std::string& where);

// A whole number, nothing if it is none.
std::optional<int64_t> whole_number(std::string_view text);

}  // namespace ascribe::core
