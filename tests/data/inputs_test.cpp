#include "data/inputs.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "data/rows.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/pictures.h"

namespace ascribe::core {
namespace {

using namespace std::string_literals;

InputSlot slot(const Shape& row, bool batched = true) {
  return {"x", row, batched, 0, DType::f64, (batched ? "[N]+" : "") + to_string(row)};
}

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < tensor.size(); ++i) result.push_back(tensor.at(i));
  return result;
}

class Inputs : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) { return folder_.write(name, bytes); }
  Batch read(const std::string& path, const InputSlot& wanted, const DataOptions& options = {}) {
    return fit(read_source(path, options.columns), 0, wanted, options, notes_);
  }
  DataOptions preprocessed(const std::string& text) {
    DataOptions options;
    options.preprocess = parse_preprocess(text);
    return options;
  }
  // orange, blue; black, white
  std::string color_png() {
    return write("c.png", make_png({2, 2, PNG_COLOR_TYPE_RGB, 8, {255, 51, 0, 0, 102, 255, 0, 0, 0, 255, 255, 255}}));
  }

  TemporaryFolder folder_;
  std::vector<std::string> notes_;
};

TEST(ImageShapes, HoldAnyNumberOfChannels) {
  const auto two = image_shape({2, 8, 9}, {});
  ASSERT_TRUE(two);
  EXPECT_EQ(std::tuple(two->layout, two->channels, two->height, two->width),
            std::tuple(PixelLayout::chw, int64_t{2}, int64_t{8}, int64_t{9}));
  const auto last = image_shape({8, 9, 4}, {});
  EXPECT_EQ(std::tuple(last->layout, last->channels, last->height, last->width),
            std::tuple(PixelLayout::hwc, int64_t{4}, int64_t{8}, int64_t{9}));
  EXPECT_FALSE(image_shape({2, 8, 9}, parse_preprocess(R"({"color": "rgb"})")));
}

TEST_F(Inputs, ImagesAreGuessedToBeUnitAndLaidOutAsTheModelWants) {
  const std::string path = color_png();
  const Batch planes = read(path, slot({3, 2, 2}));
  EXPECT_EQ(planes.values.shape(), (Shape{1, 3, 2, 2}));
  const std::vector<double> chw = {1, 0, 0, 1, 0.2, 0.4, 0, 1, 0, 1, 0, 1},
                            hwc = {1, 0.2, 0, 0, 0.4, 1, 0, 0, 0, 1, 1, 1};
  for (size_t i = 0; i < chw.size(); ++i) EXPECT_NEAR(values(planes.values)[i], chw[i], 1e-15);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find("unit (x / 255), guessed"), std::string::npos) << notes_[0];
  const Batch pixels = read(path, slot({2, 2, 3}));
  for (size_t i = 0; i < hwc.size(); ++i) EXPECT_NEAR(values(pixels.values)[i], hwc[i], 1e-15);
  EXPECT_EQ(pixels.sources, std::vector<std::string>{"c.png"});
}

TEST_F(Inputs, AModelThatInsistsOnABatchOfOneTakesAnImage) {
  EXPECT_EQ(read(color_png(), slot({1, 3, 2, 2}, false)).values.shape(), (Shape{1, 3, 2, 2}));
}

TEST_F(Inputs, GrayModelsGetLumaAndANote) {
  const Batch batch = read(color_png(), slot({1, 2, 2}), preprocessed("raw"));
  EXPECT_EQ(values(batch.values), (std::vector<double>{106, 89, 0, 255}));  // 0.299 r + 0.587 g + 0.114 b, rounded
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find("gray"), std::string::npos);
}

TEST_F(Inputs, JsonPreprocessingScalesShiftsAndReversesColours) {
  const Batch batch = read(color_png(), slot({3, 2, 2}),
                           preprocessed(R"({"scale": 2, "mean": [1, 2, 3], "std": [1, 2, 4], "color": "bgr"})"));
  EXPECT_EQ(values(batch.values),
            (std::vector<double>{-1, 509, -1, 509, 50, 101, -1, 254, 126.75, -0.75, -0.75, 126.75}));
}

TEST_F(Inputs, ShapesThatCannotHoldTheImageAreRefused) {
  expect_error(ErrorKind::shape, "the layout or color of `preprocess` does not fit rows of shape [1, 2, 2]", [&] {
    read(color_png(), slot({1, 2, 2}), preprocessed(R"({"color": "rgb"})"));
  });
  expect_error(ErrorKind::shape, "[5, 2, 2], which have 2 channels; a picture has 1 or 3", [&] {
    read(color_png(), slot({5, 2, 2}));
  });
}

TEST_F(Inputs, AFlatRowTakesAnImageWithAsManyPixels) {
  EXPECT_EQ(values(read(color_png(), slot({4}), preprocessed("raw")).values), (std::vector<double>{106, 89, 0, 255}));
  EXPECT_EQ(values(read(color_png(), slot({1, 1, 12}), preprocessed("raw")).values),
            (std::vector<double>{255, 0, 0, 255, 51, 102, 0, 255, 0, 255, 0, 255}));
}

TEST_F(Inputs, AnImageOfAnotherSizeIsRefusedNamingBothSizesAndTheRemedy) {
  const std::string path = color_png();
  const auto error = error_of([&] { read(path, slot({3, 64, 48})); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::shape);
  const std::string text = error->what();
  for (const char* part : {"got 2 x 2 pixels", "expected 48 x 64", "\"resize\": [64, 48]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(read(path, slot({3, 64, 48}), preprocessed(R"({"resize": [64, 48]})")).values.shape(),
            (Shape{1, 3, 64, 48}));
}

TEST_F(Inputs, TheImagenetPipelineIsGuessedForItsShape) {
  const std::string path =
      write("big.png", make_png({300, 400, PNG_COLOR_TYPE_GRAY, 8, std::vector<uint8_t>(120000, 124)}));
  const Batch batch = read(path, slot({3, 224, 224}));
  EXPECT_NEAR(batch.values.at(0), (124 / 255.0 - 0.485) / 0.229, 1e-12);
  EXPECT_NEAR(batch.values.at(2 * 224 * 224), (124 / 255.0 - 0.406) / 0.225, 1e-12);
  EXPECT_NE(notes_.at(0).find("imagenet"), std::string::npos);
}

TEST_F(Inputs, ACropLargerThanTheImageIsRefused) {
  expect_error(ErrorKind::shape, "smaller than the crop", [&] {
    read(color_png(), slot({3, 4, 4}), preprocessed(R"({"crop": 4})"));
  });
}

TEST_F(Inputs, IdxImagesFitPlanesAndFlatRows) {
  const std::string path = write("d.idx", "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\xff\x00\x33\x66"s);
  const Batch all = read(path, slot({1, 1, 2}));
  EXPECT_EQ(all.values.shape(), (Shape{2, 1, 1, 2}));
  EXPECT_NEAR(all.values.at(2), 0.2, 1e-15);
  EXPECT_EQ(all.sources, (std::vector<std::string>{"d.idx row 0", "d.idx row 1"}));
  DataOptions options = preprocessed("raw");
  options.rows = {"1"};
  EXPECT_EQ(values(read(path, slot({2}), options).values), (std::vector<double>{51, 102}));
  EXPECT_NE(notes_.back().find("flattened"), std::string::npos);
  options.rows = {"2"};
  expect_error(ErrorKind::argument, "no row 2; got 2 rows", [&] { read(path, slot({2}), options); });
  expect_error(ErrorKind::shape, "does not have the size", [&] { read(path, slot({3, 32, 32})); });
}

TEST_F(Inputs, ArraysAreRowsOrOneRow) {
  const std::string path = write("a.npy", format_npy(Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(read(path, slot({3})).values.shape(), (Shape{2, 3}));
  EXPECT_EQ(read(path, slot({1, 3, 1})).values.shape(), (Shape{2, 1, 3, 1}));
  EXPECT_EQ(read(path, slot({2, 3})).values.shape(), (Shape{1, 2, 3}));
  EXPECT_TRUE(notes_.empty());
  EXPECT_EQ(read(path, slot({6})).values.shape(), (Shape{1, 6}));
  EXPECT_EQ(notes_.size(), 1U) << "flattening is said";
  EXPECT_EQ(read(path, slot({2, 3}, false)).values.shape(), (Shape{2, 3}));
  expect_error(ErrorKind::shape, "got [2, 3]; expected [N]+[4]", [&] { read(path, slot({4})); });
  expect_error(ErrorKind::shape, "do not fit", [&] { read(path, slot({3, 2})); });
}

TEST_F(Inputs, ArraysStayAsTheyAreUnlessPreprocessingIsAskedFor) {
  const std::string path = write("a.npy", format_npy(Tensor::of<float>({1, 2, 1, 2}, {1, 2, 3, 4})));
  EXPECT_EQ(values(read(path, slot({2, 1, 2})).values), (std::vector<double>{1, 2, 3, 4}));
  const std::string image = write("i.npy", format_npy(Tensor::of<float>({3, 1, 1}, {1, 2, 3})));
  EXPECT_EQ(values(read(image, slot({3, 1, 1}), preprocessed(R"({"mean": [1, 1, 1], "std": [1, 2, 4]})")).values),
            (std::vector<double>{0, 0.5, 0.5}));
  expect_error(ErrorKind::argument, "needs an image", [&] { read(image, slot({3, 1, 1}), preprocessed("imagenet")); });
}

TEST_F(Inputs, NonFiniteArraysAreRefused) {
  for (const float bad : {NAN, INFINITY}) {
    const std::string path = write("a.npy", format_npy(Tensor::of<float>({2, 2}, {1, 2, 3, bad})));
    expect_error(ErrorKind::numeric, "[a.npy row 1] the value at position 1 is", [&] { read(path, slot({2})); });
  }
}

TEST_F(Inputs, IntegersAreNotMadeFromFractions) {
  InputSlot integer = slot({2});
  integer.dtype = DType::i64;
  EXPECT_EQ(read(write("a.npy", format_npy(Tensor::of<float>({2}, {1, 2}))), integer).values.dtype(), DType::i64);
  expect_error(ErrorKind::shape, "whole numbers; got 1.5", [&] {
    read(write("a.npy", format_npy(Tensor::of<float>({2}, {1.5, 2}))), integer);
  });
}

TEST_F(Inputs, TablesTellTheirColumnsAndMayBeStandardised) {
  const std::string path = write("t.csv", "a,b,y\n1,2,9\n3,6,9\n");
  expect_error(ErrorKind::shape, "3 columns (a, b, y); the model takes 2; `columns` 0:2",
               [&] { read(path, slot({2})); });
  DataOptions options = preprocessed(R"({"mean": [1, 2], "std": [2, 4]})");
  options.columns = {"a", "b"};
  const Batch batch = read(path, slot({1, 1, 2}), options);
  EXPECT_EQ(batch.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values(batch.values), (std::vector<double>{0, 0, 1, 1}));
}

TEST_F(Inputs, BatchesOfSeveralFilesAreJoined) {
  const Batch one = read(write("a.npy", format_npy(Tensor::of<float>({1, 2}, {1, 2}))), slot({2}));
  const Batch two = read(write("b.npy", format_npy(Tensor::of<float>({2, 2}, {3, 4, 5, 6}))), slot({2}));
  const Batch all = concatenate({one, two}, slot({2}));
  EXPECT_EQ(values(all.values), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(all.sources, (std::vector<std::string>{"a.npy", "b.npy row 0", "b.npy row 1"}));
  InputSlot single = slot({2});
  single.rows = 1;
  EXPECT_EQ(concatenate({one}, single).values.shape(), (Shape{1, 2}));
  expect_error(ErrorKind::shape, "takes one row at a time; got 2", [&] { concatenate({two}, single); });
  expect_error(ErrorKind::shape, "takes one row at a time; got 2", [&] { concatenate({one, one}, slot({2}, false)); });
}

TEST_F(Inputs, FilesThatAreNothingAreRefused) {
  expect_error(ErrorKind::io, "cannot tell", [&] { read_source(write("a.bin", "hello")); });
  expect_error(ErrorKind::io, "empty", [&] { read_source(write("b.png", "")); });
  expect_error(ErrorKind::io, "cannot open", [&] { read_source("/nonexistent/a.png"); });
  expect_error(ErrorKind::io, "damaged", [&] { read_source(write("c.csv.gz", "\x1f\x8b\x08zzzzzzzzzzz")); });
  expect_error(ErrorKind::argument, "needs a table", [&] { read_source(color_png(), {"0"}); });
}

TEST(Rows, RangesEndBeforeTheirLastNumber) {
  EXPECT_EQ(select_rows({"3", "0:2", "4:"}, 6, "row", ""), (std::vector<int64_t>{3, 0, 1, 4, 5}));
  for (const char* bad : {"6", "2:2", "0:7", "-1", "x", "1:y", ""}) {
    expect_error(ErrorKind::argument, "row", [&] { select_rows({bad}, 6, "row", ""); });
  }
}

TEST(Preprocessing, NonsenseIsRefused) {
  const auto refuse = [](const std::string& text, const std::string& part) {
    expect_error(ErrorKind::argument, part, [&] { parse_preprocess(text); });
  };
  refuse("unitt", "unitt");
  refuse("{", "this is not JSON; reading stopped at character 2");
  refuse("{\"mean\": 1, \"mean\": 2}", "an object has the key 'mean' twice");
  refuse("{\"mean\": 1e999}", "a number is too large at character");
  refuse("{\"resze\": 3}", "resze");
  refuse("{\"resize\": 0}", "resize");
  refuse("{\"resize\": [1, 2, 3]}", "resize");
  refuse("{\"resize\": 1e9}", "resize");
  refuse("{\"crop\": \"big\"}", "crop");
  refuse("{\"std\": [1, 0]}", "std");
  refuse("{\"mean\": [\"a\"]}", "mean");
  refuse("{\"mean\": []}", "mean");
  refuse("{\"layout\": \"nwhc\"}", "layout");
  refuse("{\"color\": \"pink\"}", "color");
  refuse("{\"scale\": \"1/256\"}", "scale is 1/256; expected a number or \"1/255\"");
  refuse("{\"mean\": \"a\"}", "mean is a text; expected a number");
  refuse("{\"layout\": 3}", "layout is a number; expected a text");
}

TEST_F(Inputs, PreprocessingFromAFileIsRefusedByItsName) {
  for (const std::string text : {"", "{", "[]", "3", "{\"mean\": 1, \"mean\": 2}", "{\"mean\": [1e999]}"}) {
    const std::string path = folder_.write("p.json", text);
    expect_error(ErrorKind::argument, "p.json] ", [&] { parse_preprocess(path); });
  }
  const std::string list = folder_.write("list.json", "[]");
  expect_error(ErrorKind::argument, "the document is a list; expected an object", [&] { parse_preprocess(list); });
}

// A parser that calls itself would run out of stack.
TEST_F(Inputs, PreprocessingOfAMillionListsInOneAnotherIsRefused) {
  const std::string deep(1000000, '['), ends(1000000, ']');
  const auto refuse = [](const std::string& text) {
    expect_error(ErrorKind::argument, "lists and objects are nested more than 64 deep",
                 [&] { parse_preprocess(text); });
  };
  refuse("{\"mean\": " + deep);
  refuse("{\"mean\": " + deep + ends + "}");
  refuse(folder_.write("deep.json", deep));
  refuse(folder_.write("closed.json", deep.substr(0, 500000) + ends.substr(0, 500000)));
}

}  // namespace
}  // namespace ascribe::core
