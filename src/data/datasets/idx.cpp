// idx files (data/idx.h) as a data set: images, and their classes in a second file of the same count.
#include <algorithm>
#include <filesystem>

#include "base/byte_stream.h"
#include "data/datasets/formats.h"
#include "data/datasets/row_bytes.h"
#include "data/idx.h"

namespace ascribe::core {

namespace {

namespace fs = std::filesystem;

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

// An idx file whose rows are read one by one.
class IdxRows {
 public:
  explicit IdxRows(const std::string& path) : stream_(path) {
    std::string head(4, '\0');
    head.resize(stream_.read_some(head));
    const auto rank = head.size() == 4 ? static_cast<size_t>(static_cast<unsigned char>(head[3])) : 0;
    std::string dimensions(4 * rank, '\0');
    dimensions.resize(stream_.read_some(dimensions));
    header_ = parse_idx_header(head + dimensions, path);
    start_ = static_cast<int64_t>(head.size() + dimensions.size());
    count_ = header_.shape[0];
    row_bytes_ = row_bytes(header_.shape, header_.element_size, path);
    const auto size = static_cast<int64_t>(header_.element_size);
    check_rows(stream_, start_, header_.shape, row_bytes_, kept_size(header_) / size, path);
  }

  const std::string& path() const { return stream_.path(); }
  int64_t count() const { return count_; }
  const Shape& shape() const { return header_.shape; }

  IdxArray read(int64_t index) {
    stream_.seek(start_ + index * row_bytes_);
    Shape shape = header_.shape;
    shape[0] = 1;
    return parse_idx_elements(header_, shape, stream_.read_text(static_cast<size_t>(row_bytes_)));
  }

 private:
  ByteStream stream_;
  IdxHeader header_;
  int64_t start_ = 0, count_ = 0, row_bytes_ = 0;
};

class IdxDataset : public Dataset {
 public:
  IdxDataset(const std::string& images, const std::string& classes) : images_(images) {
    if (!classes.empty()) classes_.emplace(classes);
    if (classes_ && (classes_->shape().size() != 1 || classes_->count() != images_.count())) {
      fail(ErrorKind::io, classes, "the labels do not belong to the images; got {}; expected [{}]",
           to_string(classes_->shape()), images_.count());
    }
    labelled = classes_.has_value();
    files = {images};
    if (labelled) files.push_back(classes);
    const Shape& shape = images_.shape();
    description =
        fmt::format("idx: {} {}, {}", images_.count(),
                    shape.size() == 3 ? fmt::format("images of {} x {}", shape[2], shape[1])
                                      : fmt::format("rows of {}", to_string(Shape(shape.begin() + 1, shape.end()))),
                    labelled ? "with labels" : "without labels");
  }

  int64_t size() const override { return images_.count(); }

  Sample read(int64_t index) override {
    Sample sample;
    sample.name = fmt::format("{} row {}", file_name(images_.path()), index);
    sample.source.path = images_.path();
    IdxArray row = images_.read(index);
    if (row.bytes && row.values.rank() == 3) sample.source.pixels = std::move(row.values);
    else sample.source.arrays = {{"", std::move(row.values), row.bytes ? "uint8" : "float32"}};
    if (classes_) sample.label = static_cast<int64_t>(classes_->read(index).values.at(0));
    return sample;
  }

 private:
  IdxRows images_;
  std::optional<IdxRows> classes_;
};

bool replace(std::string& text, std::string_view part, std::string_view by) {
  const size_t at = text.find(part);
  if (at != std::string::npos) text.replace(at, part.size(), by);
  return at != std::string::npos;
}

// "t10k-labels-idx1-ubyte" for "t10k-images-idx3-ubyte.gz", compressed or not; empty: there is none.
std::string labels_beside(const std::string& images) {
  std::string name = file_name(images);
  if (!replace(name, "images", "labels")) return "";
  replace(name, "idx3", "idx1");
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  for (const std::string& one : {name, name + ".gz"}) {
    const fs::path path = fs::path(images).parent_path() / one;
    if (fs::is_regular_file(path)) return path.string();
  }
  return "";
}

// The images of one part in a folder with MNIST's names; empty: there are none.
std::string images_in(const std::string& folder, bool training) {
  for (const std::string separator : {"-", "."}) {
    for (const std::string end : {"", ".gz"}) {
      const std::string name = fmt::format("{}-images{}idx3-ubyte{}", training ? "train" : "t10k", separator, end);
      if (fs::is_regular_file(fs::path(folder) / name)) return (fs::path(folder) / name).string();
    }
  }
  return "";
}

}  // namespace

bool is_idx_dataset(const DatasetPath& path) {
  if (path.folder) return !images_in(path.path, false).empty() || !images_in(path.path, true).empty();
  return is_idx(path.beginning);
}

std::unique_ptr<Dataset> open_idx_dataset(const std::string& path, const DatasetOptions& options) {
  check_unused(options, "idx", {"label-from"});
  std::string images = path;
  if (fs::is_directory(path)) {
    images = images_in(path, wants_training_part(options));
    if (images.empty()) {
      fail(ErrorKind::io, path, "the folder has no part '{}'; expected {}-images-idx3-ubyte.gz", options.part,
           options.part == "train" ? "train" : "t10k");
    }
  }
  return std::make_unique<IdxDataset>(images, options.labels.empty() ? labels_beside(images) : options.labels);
}

}  // namespace ascribe::core
