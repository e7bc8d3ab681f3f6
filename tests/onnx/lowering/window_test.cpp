// Conv, ConvTranspose, poolings: where the windows lie.
#include "onnx/lowering/node_case.h"

namespace ascribe::core {
namespace {

TEST(Conv, SamePaddingPutsTheOddElementAtTheEndOrTheBeginning) {
  const auto run = [](const char* mode) {
    NodeCase node("Conv", 11);
    node.input(reals_of({1, 1, 4}, {1, 2, 3, 4})).constant(reals_of({1, 1, 2}, {10, 1})).set("auto_pad", mode);
    return node.run()[0];
  };
  expect_values(run("SAME_UPPER"), {1, 1, 4}, {12, 23, 34, 40});
  expect_values(run("SAME_LOWER"), {1, 1, 4}, {1, 12, 23, 34});
  expect_values(run("VALID"), {1, 1, 3}, {12, 23, 34});
}

TEST(Conv, HostileWindowsAreRefused) {
  const auto refusal = [](const std::string& name, const std::vector<int64_t>& values, const char* mode) {
    NodeCase node("Conv", 11);
    node.input(counting({1, 1, 4})).constant(counting({1, 1, 2})).set(name, values).set("auto_pad", mode);
    return node.refusal();
  };
  for (const char* mode : {"NOTSET", "SAME_UPPER"}) {
    for (const int64_t value : {int64_t{0}, int64_t{-1}, INT64_MAX}) {
      EXPECT_NE(refusal("strides", {value}, mode), "") << mode << value;
      EXPECT_NE(refusal("dilations", {value}, mode), "") << mode << value;
      EXPECT_NE(refusal("kernel_shape", {value}, mode), "") << mode << value;
    }
    EXPECT_NE(refusal("pads", {INT64_MIN, 0}, mode), "");
    EXPECT_NE(refusal("strides", {1, 1}, mode), "");
    EXPECT_NE(refusal("group", {1}, mode), "");  // a list where a number belongs
  }
}

TEST(ConvTranspose, OutputShapeBeyondTheNaturalOnePadsTheEnd) {
  NodeCase node("ConvTranspose", 11);
  node.input(reals_of({1, 1, 2}, {1, 2})).constant(reals_of({1, 1, 2}, {1, 10}));
  node.set("strides", std::vector<int64_t>{2}).set("output_shape", std::vector<int64_t>{5});
  expect_values(node.run()[0], {1, 1, 5}, {1, 10, 2, 20, 0});
}

TEST(LpPool, SumsOverTheWindowPaddingIncluded) {
  NodeCase node("LpPool", 11);
  node.input(reals_of({1, 1, 3}, {3, -4, 12}));
  node.set("kernel_shape", std::vector<int64_t>{2}).set("pads", std::vector<int64_t>{1, 0});
  expect_values(node.run()[0], {1, 1, 3}, {3, 5, std::sqrt(160.0)});
}

TEST(MaxUnpool, PutsValuesBackWhereTheyCameFrom) {
  NodeCase node("MaxUnpool", 11);
  node.input(reals_of({1, 1, 2}, {5, 6})).input(Tensor::of<int64_t>({1, 1, 2}, {1, 2}));
  node.set("kernel_shape", std::vector<int64_t>{2}).set("strides", std::vector<int64_t>{2});
  expect_values(node.run()[0], {1, 1, 4}, {0, 5, 6, 0});
}

}  // namespace
}  // namespace ascribe::core
