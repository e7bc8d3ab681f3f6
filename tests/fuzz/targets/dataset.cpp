// Data sets of several files: a first byte for the options, then files as a byte for the name, two for the length and
// the content.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "data/open_dataset.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_dataset {
namespace {

constexpr const char* kNames[] = {"t10k-images-idx3-ubyte",
                                  "t10k-labels-idx1-ubyte",
                                  "test.bin",
                                  "data_batch_1.bin",
                                  "fine_label_names.txt",
                                  "cat/a.png",
                                  "dog/b.png",
                                  "a.xml",
                                  "boxes.csv",
                                  "rows.csv",
                                  "x.npz"};
constexpr size_t kCifarRecord = 3073;  // such files are filled up to whole ones, or no input would ever be one

std::vector<std::string> write_files(const std::string& folder, Bytes bytes) {
  std::vector<std::string> files;
  while (bytes.size() > 3 && files.size() < std::size(kNames)) {
    const std::string name = kNames[bytes[0] % std::size(kNames)];
    const size_t length = std::min<size_t>(bytes[1] + 256U * bytes[2], bytes.size() - 3);
    std::string content = text_of(bytes.subspan(3, length));
    bytes = bytes.subspan(3 + length);
    if (name.ends_with(".bin")) content.resize((content.size() / kCifarRecord + 1) * kCifarRecord);
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    files.push_back(path.string());
  }
  return files;
}

void read_some_of(Dataset& data) {
  hold(data.size() >= 0, "a data set has a size");
  for (int64_t i = 0; i < std::min<int64_t>(data.size(), 3); ++i) {
    const Sample sample = data.read(i);
    hold(sample.label >= -1, "a class has a number, or is not known");
    for (const Box& box : sample.boxes) hold(box.x0 < box.x1 && box.y0 < box.y1, "boxes have an area");
  }
}

void feed(Bytes bytes) {
  if (bytes.empty()) return;
  const std::string folder = fresh_scratch_folder("dataset");
  const std::vector<std::string> files = write_files(folder, bytes.subspan(1));
  if (files.empty()) return;
  DatasetOptions options;
  if ((bytes[0] & 1) != 0) options.part = "train";
  if ((bytes[0] & 2) != 0) options.boxes = folder + "/boxes.csv";
  if ((bytes[0] & 4) != 0) options.annotations = folder;
  if ((bytes[0] & 8) != 0) options.classes = {"cat", "dog"};
  if ((bytes[0] & 16) != 0) options.labels = "1";
  read_some_of(*open_dataset((bytes[0] & 32) != 0 ? files[0] : folder, options));
}

const RegisterTarget registered({"dataset", "data sets of several files", Form::bytes, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_dataset
