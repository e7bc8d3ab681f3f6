#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/sanitizer.h"
#include "data/open_dataset.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/gzip.h"
#include "support/pictures.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;

std::string big_endian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string idx_header(char type, const std::vector<uint32_t>& dimensions) {
  std::string bytes = {0, 0, type, static_cast<char>(dimensions.size())};
  for (const uint32_t dimension : dimensions) bytes += big_endian(dimension);
  return bytes;
}

std::string counting(size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(i);
  return bytes;
}

std::string gray_png(int height, int width) {
  return make_png(
      {height, width, PNG_COLOR_TYPE_GRAY, 8, std::vector<uint8_t>(static_cast<size_t>(height * width), 9)});
}

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < tensor.size(); ++i) result.push_back(tensor.at(i));
  return result;
}

class Datasets : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    fs::create_directories(fs::path(folder_.path(name)).parent_path());
    return folder_.write(name, bytes);
  }
  std::string root() const { return folder_.root().string(); }
  TemporaryFolder folder_;
};

// ---- idx ----

TEST_F(Datasets, IdxImagesComeWithTheLabelsBesideThem) {
  const std::string images = idx_header(8, {3, 2, 2}) + counting(12), labels = idx_header(8, {3}) + "\7\5\6";
  write("t10k-images-idx3-ubyte.gz", gzip(images));
  write("t10k-labels-idx1-ubyte", labels);
  write("train-images-idx3-ubyte", idx_header(8, {1, 2, 2}) + "abcd");
  for (const std::string& path : {root(), folder_.path("t10k-images-idx3-ubyte.gz")}) {
    const auto data = open_dataset(path);
    EXPECT_EQ(data->description, "idx: 3 images of 2 x 2, with labels");
    ASSERT_EQ(data->size(), 3);
    for (const int64_t i : {2, 0, 1}) {
      const Sample sample = data->read(i);
      EXPECT_EQ(sample.name, "t10k-images-idx3-ubyte.gz row " + std::to_string(i));
      EXPECT_EQ(sample.label, (std::vector<int64_t>{7, 5, 6})[static_cast<size_t>(i)]);
      const double first = 4 * static_cast<double>(i);
      EXPECT_EQ(values(*sample.source.pixels), (std::vector<double>{first, first + 1, first + 2, first + 3}));
    }
  }
  DatasetOptions training;
  training.part = "train";
  EXPECT_EQ(open_dataset(root(), training)->description, "idx: 1 images of 2 x 2, without labels");
}

TEST_F(Datasets, IdxFilesThatLieAreRefused) {
  const std::string good = idx_header(8, {3, 2, 2}) + counting(12);
  expect_error(ErrorKind::io, "does not hold what its header says; got 11 bytes; expected an array [3, 2, 2]",
               [&] { open_dataset(write("a", good.substr(0, 27))); });
  expect_error(ErrorKind::io, "cut short", [&] { open_dataset(write("a", good.substr(0, 14))); });
  expect_error(ErrorKind::io, "the rows are empty or too large; got an array", [&] {
    open_dataset(write("a", idx_header(8, {2, 0xFFFFFFFF, 0xFFFFFFFF})));
  });
  // A compressed file shows its end when it is read.
  const auto cut = open_dataset(write("a.gz", gzip(good.substr(0, 26))));
  EXPECT_EQ(cut->read(1).source.pixels->size(), 4);
  expect_error(ErrorKind::io, "cut short; got 2 bytes at byte 24; expected 4", [&] { cut->read(2); });
  DatasetOptions options;
  options.labels = write("labels", idx_header(8, {2}) + "\1\2");
  expect_error(ErrorKind::io, "do not belong to the images; got [2]; expected [3]",
               [&] { open_dataset(write("a", good), options); });
  options = {};
  options.boxes = "boxes.csv";
  expect_error(ErrorKind::argument, "[boxes]", [&] { open_dataset(write("a", good), options); });
}

// ---- images ----

TEST_F(Datasets, SubFoldersAreClasses) {
  write("set/dog/b.png", gray_png(2, 3));
  write("set/cat/a.PNG", gray_png(2, 3));
  write("set/dog/a.png", gray_png(4, 3));
  write("set/dog/notes.txt", "no image");
  fs::create_directories(folder_.path("set/empty"));
  const auto data = open_dataset(folder_.path("set"));
  EXPECT_EQ(data->labels, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(data->description, "images: 3 files, with labels");
  EXPECT_EQ(data->read(0).name, "cat/a.PNG");
  EXPECT_EQ(data->read(1).name, "dog/a.png");
  EXPECT_EQ(data->read(1).source.image->height, 4);
  EXPECT_EQ(data->read(2).label, 1);
}

TEST_F(Datasets, ATableSaysClassesAndBoxes) {
  write("val/one.png", gray_png(20, 20));
  write("val/two.png", gray_png(20, 20));
  write("val/not listed.png", gray_png(20, 20));
  const std::string table = write("val.csv",
                                  "file,class_index,label,width,x0,y0,x1,y1\n"
                                  "two.png,7,\"dog, old\",20,1,2,3,4.5\n"
                                  "one.png,3,cat,20,,,,\n"
                                  "two.png,7,\"dog, old\",20,5,6,7,8\n");
  const auto data = open_dataset(table);
  ASSERT_EQ(data->size(), 2);
  EXPECT_TRUE(data->labelled && data->boxed);
  const Sample two = data->read(0);
  EXPECT_EQ(two.name, "two.png");
  EXPECT_EQ(two.label, 7);
  ASSERT_EQ(two.boxes.size(), 2U);
  EXPECT_EQ(two.boxes[0].y1, 4.5);
  EXPECT_EQ(two.boxes[1].x0, 5);
  EXPECT_TRUE(data->read(1).boxes.empty());
  DatasetOptions options;
  options.boxes = table;
  EXPECT_EQ(open_dataset(folder_.path("val"), options)->size(), 2);
  // By name, among the model's classes.
  options.labels = "label";
  options.classes = {"cat", "bird", "dog, old"};
  EXPECT_EQ(open_dataset(folder_.path("val"), options)->read(0).label, 2);
  options.classes = {"cat", "dog"};
  expect_error(ErrorKind::io, "no class is called 'dog, old'", [&] { open_dataset(folder_.path("val"), options); });
}

TEST_F(Datasets, TablesOfImagesThatCannotBeMeantAreRefused) {
  write("val/one.png", gray_png(2, 2));
  const auto refused = [&](const std::string& text, const std::string& complaint) {
    expect_error(ErrorKind::io, complaint, [&] { open_dataset(write("val/t.csv", text)); });
  };
  refused("file,x0,y0,x1,y1\none.png,1,2,1,4\n", "line 2: the box is empty");
  refused("file,x0,y0,x1\none.png,1,2,1\n", "there is a column x0, but no column y1");
  refused("file,x0,y0,x1,y1\none.png,1,2,x,4\n", "line 2, column 3 ('x1'): not a number");
  refused("file,class\none.png,1\none.png,2\n", "line 3: 'one.png' has two classes");
  refused("file\n../one.png\n", "lies outside the folder");
  refused("file\n/etc/one.png\n", "lies outside the folder");
  refused("file\nnone.png\n", "there is no image 'none.png'");
  refused("file,class\none.png\n", "line 2: 1 cells; expected 2");
  refused("file,class\n", "no rows");
}

TEST_F(Datasets, XmlFilesBesideTheImagesOrInAFolderBringBoxes) {
  const auto xml = [](const std::string& name, int x) {
    return "<annotation><size><width>20</width></size><object><name>" + name + "</name><bndbox><xmin>" +
           std::to_string(x) + "</xmin><ymin>3</ymin><xmax>9</xmax><ymax>10</ymax></bndbox></object></annotation>";
  };
  write("set/a.png", gray_png(20, 20));
  write("set/b.png", gray_png(20, 20));
  write("set/a.xml", xml("dog", 5));
  DatasetOptions options;
  options.classes = {"cat", "dog"};
  const auto beside = open_dataset(folder_.path("set"), options);
  EXPECT_TRUE(beside->boxed);
  EXPECT_EQ(beside->read(0).label, 1);
  EXPECT_EQ(beside->read(0).boxes.at(0).x0, 4);
  EXPECT_EQ(beside->read(0).boxes.at(0).x1, 9);
  EXPECT_TRUE(beside->read(1).boxes.empty());
  write("xml/b.xml", xml("cat", 7));
  options.annotations = folder_.path("xml");
  EXPECT_EQ(open_dataset(folder_.path("set"), options)->read(1).boxes.at(0).x0, 6);
  EXPECT_TRUE(open_dataset(folder_.path("set"), options)->read(0).boxes.empty());
}

TEST_F(Datasets, AnImageThatIsNoneIsNamed) {
  write("set/a.png", "not a picture");
  const auto data = open_dataset(folder_.path("set"));
  expect_error(ErrorKind::io, "set/a.png", [&] { data->read(0); });
  fs::create_directories(folder_.path("nothing"));
  expect_error(ErrorKind::io, "cannot tell what kind of data", [&] { open_dataset(folder_.path("nothing")); });
}

// ---- cifar ----

TEST_F(Datasets, CifarPlanesBecomePixels) {
  std::string record = {9};
  for (const char plane : {'r', 'g', 'b'}) record += std::string(1024, plane);
  record[1 + 33] = 'R';  // row 1, column 1 of the red plane
  std::string fine = {2, 55};
  fine += record.substr(1);
  write("batches.meta.txt", "a\nb\n\n");
  write("test_batch.bin", record + record);
  write("data_batch_2.bin", record);
  const auto data = open_dataset(root());
  ASSERT_EQ(data->size(), 2);
  EXPECT_EQ(data->labels, (std::vector<std::string>{"a", "b"}));
  const Sample sample = data->read(1);
  EXPECT_EQ(sample.label, 9);
  EXPECT_EQ(sample.source.image->at(0, 0, 1), 'g');
  EXPECT_EQ(sample.source.image->at(1, 1, 0), 'R');
  EXPECT_EQ(sample.source.image->at(1, 1, 2), 'b');
  EXPECT_EQ(open_dataset(write("hundred.bin", fine))->read(0).label, 55);
  DatasetOptions options;
  options.format = "cifar";
  expect_error(ErrorKind::io, "got 3079 bytes; expected a multiple",
               [&] { open_dataset(write("cut.bin", record + "x" + record.substr(0, 5)), options); });
}

// ---- tables ----

std::string long_table(int64_t rows) {
  std::string text = "a,kind,b\n";
  for (int64_t i = 0; i < rows; ++i) text += fmt::format("{},{},\"{}\"\n{}", i, i % 3, -i, i % 5 == 0 ? "\n" : "");
  return text;
}

TEST_F(Datasets, TableLinesAreFoundInAnyOrder) {
  for (const bool packed : {false, true}) {
    const std::string text = long_table(5000);
    DatasetOptions options;
    options.labels = "kind";
    const auto data = open_dataset(write("t.csv", packed ? gzip(text) : text), options);
    EXPECT_EQ(data->description, "table: 5000 rows of 2 columns, classes in 'kind'");
    for (const int64_t i : {0, 1, 4999, 1023, 1024, 1025, 3000, 3, 2048}) {
      const Sample sample = data->read(i);
      const auto number = static_cast<double>(i);
      EXPECT_EQ(values(sample.source.arrays[0].values), (std::vector<double>{number, -number})) << i;
      EXPECT_EQ(sample.label, i % 3);
      EXPECT_EQ(sample.source.columns, (std::vector<std::string>{"a", "b"}));
    }
  }
}

TEST_F(Datasets, TablesThatAreDamagedAreRefusedWithTheLine) {
  expect_error(ErrorKind::io, "line 3 has 1 cells; expected 2", [&] { open_dataset(write("t.csv", "a,b\n1,2\n3\n")); });
  expect_error(ErrorKind::io, "line 2: a quoted cell does not end",
               [&] { open_dataset(write("t.csv", "a,b\n\"1,2\n3,4\n")); });
  const auto data = open_dataset(write("t.csv", "a,b\n1,2\n\n3,x\n"));
  EXPECT_EQ(values(data->read(0).source.arrays[0].values), (std::vector<double>{1, 2}));
  expect_error(ErrorKind::io, "line 4, column 1 ('b'): not a number; got 'x'", [&] { data->read(1); });
  DatasetOptions options;
  options.labels = "b";
  expect_error(ErrorKind::io, "line 4] 'x' is not a class",
               [&] { open_dataset(folder_.path("t.csv"), options)->read(1); });
}

// ---- arrays ----

TEST_F(Datasets, ArraysComeRowByRowWithLabelsAndBoxes) {
  const Tensor x = Tensor::of<float>({2, 1, 2}, std::vector<float>{1, 2, 3, 4});
  const Tensor y = Tensor::of<int64_t>({2}, std::vector<int64_t>{4, 5});
  const Tensor boxes = Tensor::of<double>({2, 1, 4}, std::vector<double>{0, 0, 0, 0, 1, 2, 3, 4});
  const auto data = open_dataset(write("a.npz", format_npz({{"boxes", boxes}, {"y", y}, {"x", x}})));
  EXPECT_EQ(data->description, "array: 2 rows of [1, 2], with labels, with boxes");
  const Sample sample = data->read(1);
  EXPECT_EQ(values(sample.source.arrays[0].values), (std::vector<double>{3, 4}));
  EXPECT_EQ(sample.label, 5);
  EXPECT_EQ(sample.boxes.at(0).y0, 2);
  EXPECT_TRUE(data->read(0).boxes.empty());
  DatasetOptions options;
  options.labels = write("y.npy", format_npy(y));
  EXPECT_EQ(open_dataset(write("x.npy.gz", gzip(format_npy(x))), options)->read(0).label, 4);
  options.labels = write("y.npy", format_npy(x));
  expect_error(ErrorKind::io, "do not belong to the rows",
               [&] { open_dataset(write("x.npy", format_npy(x)), options); });
}

TEST_F(Datasets, ArraysThatLieAreRefused) {
  const std::string good = format_npy(Tensor::of<float>({2, 2}, std::vector<float>{1, 2, 3, 4}));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string bytes = good;
    bytes.replace(bytes.find(from), from.size(), to);
    return write("a.npy", bytes);
  };
  expect_error(ErrorKind::io, "got 15 bytes; expected an array [2, 2]",
               [&] { open_dataset(write("a.npy", good.substr(0, good.size() - 1))); });
  expect_error(ErrorKind::io, "does not hold", [&] { open_dataset(changed("(2, 2), }      ", "(9999999, 2), }")); });
  expect_error(ErrorKind::io, "the rows are empty or too large",
               [&] { open_dataset(changed("(2, 2), }            ", "(2, 99999999999), }  ")); });
  expect_error(ErrorKind::io, "Fortran", [&] { open_dataset(changed("False", "True ")); });
  const std::string archive = format_npz({{"x", Tensor::of<float>({1}, std::vector<float>{1})}});
  expect_error(ErrorKind::io, "archive is damaged",
               [&] { open_dataset(write("a.npz", archive.substr(0, archive.size() - 30))); });
}

int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

TEST_F(Datasets, AnArrayOfEightGigabytesIsReadAtItsEndWithLittleMemory) {
  const int64_t rows = 1000000, row = 2000;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 2000), }";
  std::string bytes = "\x93NUMPY";
  bytes += {1, 0, static_cast<char>(header.size()), 0};
  const std::string path = write("large.npy", bytes + header);
  const auto start = static_cast<int64_t>(bytes.size() + header.size());
  fs::resize_file(path, static_cast<uintmax_t>(start + rows * row * 4));  // holes, which take no place on disk
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(start + rows * row * 4 - 4)
      .write("\0\0\x80?", 4);
  const int64_t before = peak_bytes();
  const auto data = open_dataset(path);
  EXPECT_EQ(data->read(rows - 1).source.arrays[0].values.at(row - 1), 1);
  EXPECT_EQ(data->read(rows / 2).source.arrays[0].values.at(0), 0);
  EXPECT_LT(peak_bytes() - before, int64_t{16} << 20);
}

TEST_F(Datasets, ALongCompressedTableIsReadWithLittleMemory) {
#ifdef ASCRIBE_ADDRESS_SANITIZER
  GTEST_SKIP() << "the sanitizer keeps what is freed";
#endif
  std::string text = "a\n";
  for (int i = 0; i < 40000; ++i) text += std::string(500, '0') + std::to_string(i % 10) + "\n";
  const std::string path = write("t.csv.gz", gzip(text));
  text = {};
  text.shrink_to_fit();
  const int64_t before = peak_bytes();
  const auto data = open_dataset(path);
  EXPECT_EQ(data->size(), 40000);
  EXPECT_EQ(data->read(39998).source.arrays[0].values.at(0), 8);
  EXPECT_LT(peak_bytes() - before, int64_t{4} << 20);
}

TEST_F(Datasets, FormatsCanBeNamedAndWrongNamesAreRefused) {
  DatasetOptions options;
  options.format = "tables";
  expect_error(ErrorKind::argument, "did you mean 'table'? Expected one of idx, array, cifar, images, table",
               [&] { open_dataset(write("t.csv", "1\n"), options); });
  options.format = "table";
  EXPECT_EQ(open_dataset(write("t.unknown", "1,2\n"), options)->size(), 1);
  expect_error(ErrorKind::io, "cannot tell", [&] { open_dataset(folder_.path("t.unknown")); });
  expect_error(ErrorKind::io, "the file is empty", [&] { open_dataset(write("e.csv", "")); });
}

// Whatever the bytes are, there is an answer or an error, never more.
TEST_F(Datasets, BrokenFilesNeverHurt) {
  const Tensor x = Tensor::of<float>({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const std::vector<std::pair<std::string, std::string>> good = {
      {"a", idx_header(8, {3, 2, 2}) + counting(12)},
      {"a.gz", gzip(idx_header(8, {3, 2, 2}) + counting(12))},
      {"a.npy", format_npy(x)},
      {"a.npz", format_npz({{"x", x}})},
      {"a.csv", long_table(5)},
      {"a.csv.gz", gzip(long_table(5))}};
  const Random random(11);
  uint64_t draw = 0;
  for (const auto& [name, bytes] : good) {
    for (int round = 0; round < 60; ++round) {
      std::string broken = bytes;
      for (int i = 0; i < 3; ++i) {
        const uint64_t place = random.below(draw++, broken.size());
        broken[place] = static_cast<char>(random.below(draw++, 256));
      }
      if (round % 3 == 0) broken.resize(random.below(draw++, broken.size()));
      try {
        const auto data = open_dataset(write(name, broken));
        for (int64_t i = 0; i < std::min<int64_t>(data->size(), 5); ++i) data->read(i);
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace ascribe::core
