// CIFAR's binary files (Krizhevsky 2009): a byte for the class (CIFAR-100: one for the coarse class before it), then
// the red, green and blue plane of 32 x 32 bytes.
#include <algorithm>
#include <filesystem>

#include "base/byte_stream.h"
#include "base/file.h"
#include "data/datasets/formats.h"

namespace ascribe::core {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kSide = 32, kPlane = kSide * kSide, kPixels = 3 * kPlane;

// Bytes of a record, from the size of the file; 0: it cannot be one.
int64_t record_size(int64_t bytes, const std::string& name) {
  const bool ten = bytes % (kPixels + 1) == 0, hundred = bytes % (kPixels + 2) == 0;
  if (bytes == 0 || (!ten && !hundred)) return 0;
  if (ten && hundred) return kPixels + (name == "train.bin" || name == "test.bin" ? 2 : 1);
  return kPixels + (ten ? 1 : 2);
}

Image image_of(std::string_view planes) {
  Image image{kSide, kSide, 3, std::vector<float>(static_cast<size_t>(kPixels)), false};
  for (int64_t i = 0; i < kPixels; ++i) {
    image.pixels[static_cast<size_t>(i % kPlane * 3 + i / kPlane)] =
        static_cast<float>(static_cast<unsigned char>(planes[static_cast<size_t>(i)]));
  }
  return image;
}

class CifarDataset : public Dataset {
 public:
  CifarDataset(const std::vector<std::string>& paths, std::vector<std::string> names) {
    for (const std::string& path : paths) {
      ByteStream stream(path);
      const std::string name = fs::path(path).filename().string();
      if (!stream.size()) fail(ErrorKind::io, path, "compressed CIFAR files cannot be read; unpack it first");
      const int64_t record = record_size(*stream.size(), name);
      if (record == 0) {
        fail(ErrorKind::io, path, "not a CIFAR file; got {} bytes; expected a multiple of {} or {}", *stream.size(),
             kPixels + 1, kPixels + 2);
      }
      files_.push_back({std::move(stream), name, record, size_});
      size_ += *files_.back().stream.size() / record;
    }
    labels = std::move(names);
    labelled = true;
    files = paths;
    description = fmt::format("cifar: {} images of 32 x 32 in colour, with labels", size_);
  }

  int64_t size() const override { return size_; }

  Sample read(int64_t index) override {
    File& file = *std::prev(std::upper_bound(files_.begin(), files_.end(), index,
                                             [](int64_t i, const File& one) { return i < one.first; }));
    const int64_t row = index - file.first;
    file.stream.seek(row * file.record);
    const std::string record = file.stream.read_text(static_cast<size_t>(file.record));
    const auto head = static_cast<size_t>(file.record - kPixels);
    Sample sample;
    sample.name = fmt::format("{} row {}", file.name, row);
    sample.source.path = file.stream.path();
    sample.source.image = image_of(std::string_view(record).substr(head));
    sample.label = static_cast<unsigned char>(record[head - 1]);
    return sample;
  }

 private:
  struct File {
    ByteStream stream;
    std::string name;
    int64_t record = 0;  // bytes
    int64_t first = 0;   // number of its first image in the set
  };
  std::vector<File> files_;
  int64_t size_ = 0;
};

// The files of one part in a folder with CIFAR's names.
std::vector<std::string> files_in(const std::string& folder, bool training) {
  std::vector<std::string> names = {training ? "train.bin" : "test.bin"};
  if (!training) names.emplace_back("test_batch.bin");
  for (int i = 1; training && i <= 5; ++i) names.push_back(fmt::format("data_batch_{}.bin", i));
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (fs::is_regular_file(fs::path(folder) / name)) paths.push_back((fs::path(folder) / name).string());
  }
  return paths;
}

std::vector<std::string> class_names_in(const std::string& folder) {
  for (const char* name : {"batches.meta.txt", "fine_label_names.txt"}) {
    const fs::path path = fs::path(folder) / name;
    if (!fs::is_regular_file(path)) continue;
    std::vector<std::string> names;
    ByteStream stream(path.string());
    std::string line;
    while (stream.read_line(line, 1000)) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) names.push_back(line);
    }
    return names;
  }
  return {};
}

}  // namespace

bool is_cifar_dataset(const DatasetPath& path) {
  if (path.folder) return !files_in(path.path, false).empty() || !files_in(path.path, true).empty();
  std::error_code error;
  const auto bytes = fs::file_size(path.path, error);
  return path.path.ends_with(".bin") && !error && record_size(static_cast<int64_t>(bytes), "") != 0;
}

std::unique_ptr<Dataset> open_cifar_dataset(const std::string& path, const DatasetOptions& options) {
  check_unused(options, "cifar", {});
  if (!fs::is_directory(path)) {
    return std::make_unique<CifarDataset>(std::vector{path}, class_names_in(fs::path(path).parent_path().string()));
  }
  const std::vector<std::string> paths = files_in(path, wants_training_part(options));
  if (paths.empty()) fail(ErrorKind::io, path, "the folder has no part '{}' of CIFAR", options.part);
  return std::make_unique<CifarDataset>(paths, class_names_in(path));
}

}  // namespace ascribe::core
