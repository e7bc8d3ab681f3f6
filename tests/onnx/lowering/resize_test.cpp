#include "onnx/lowering/node_case.h"

namespace ascribe::core {
namespace {

const Tensor kRow = reals_of({1, 1, 1, 4}, {1, 2, 3, 4});

NodeCase resize(double scale) {
  NodeCase node("Resize", 13);
  node.input(kRow).skip().constant(reals_of({4}, {1, 1, 1, scale}).cast(DType::f32));
  return node;
}

NodeCase resize_to(int64_t opset, int64_t size) {
  NodeCase node("Resize", opset);
  node.input(kRow).skip().skip().constant(integers_of({1, 1, 1, size}));
  return node;
}

TEST(Resize, LinearHalfPixelKeepsTheEdges) {
  const Shape shape = {1, 1, 1, 8};
  expect_values(resize(2).set("mode", "linear").run()[0], shape, {1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4});
}

TEST(Resize, AlignedCornersReachBothEnds) {
  auto node = resize_to(13, 7);
  node.set("mode", "linear").set("coordinate_transformation_mode", "align_corners");
  expect_values(node.run()[0], {1, 1, 1, 7}, {1, 1.5, 2, 2.5, 3, 3.5, 4});
}

TEST(Resize, NearestModesDifferAtTheMiddle) {
  // asymmetric, 8 from 4: positions 0, 0.5, 1, 1.5, ...
  const auto run = [](const char* mode) {
    auto node = resize(2);
    node.set("coordinate_transformation_mode", "asymmetric").set("nearest_mode", mode);
    return node.run()[0];
  };
  const Shape shape = {1, 1, 1, 8};
  expect_values(run("floor"), shape, {1, 1, 2, 2, 3, 3, 4, 4});
  expect_values(run("ceil"), shape, {1, 2, 2, 3, 3, 4, 4, 4});
  expect_values(run("round_prefer_floor"), shape, {1, 1, 2, 2, 3, 3, 4, 4});
  expect_values(run("round_prefer_ceil"), shape, {1, 2, 2, 3, 3, 4, 4, 4});
}

TEST(Resize, CubicWithoutTheOutsideIsStillAnAverage) {
  // At x = -0.25 the taps -2, -1 fall out; weights of 0 and 1 by Keys' kernel (a = -0.75): 0.87890625 at
  // distance 0.25 and -0.10546875 at 1.25.
  auto node = resize(2);
  node.set("mode", "cubic").set("exclude_outside", 1);
  const double near = 0.87890625, far = -0.10546875;
  EXPECT_NEAR(node.run()[0].at(0), (near * 1 + far * 2) / (near + far), 1e-6);
}

TEST(Resize, AntialiasedHalvingAveragesOverTheStretchedHat) {
  // Output 0 lies at 0.5; hat of width 2: weights of 0 and 1: 0.75, of -1 (repeats 1) and 2: 0.25.
  auto node = resize_to(18, 2);
  node.set("mode", "linear").set("antialias", 1);
  expect_values(node.run()[0], {1, 1, 1, 2}, {(1 + 3 + 3 * 1 + 3 * 2) / 8.0, (4 + 2 + 3 * 3 + 3 * 4) / 8.0});
}

TEST(Resize, CropsGiveTheExtrapolationValueOutside) {
  NodeCase node("Resize", 13);
  node.input(reals_of({4}, {1, 2, 3, 4}))
      .constant(reals_of({2}, {0, 2}))
      .skip()
      .constant(integers_of({3}))
      .set("mode", "linear")
      .set("coordinate_transformation_mode", "tf_crop_and_resize")
      .set("extrapolation_value", 9.0);
  expect_values(node.run()[0], {3}, {1, 4, 9});
}

TEST(Resize, NotLargerKeepsTheAspectRatio) {
  NodeCase node("Resize", 18);
  node.input(counting({2, 4}))
      .skip()
      .skip()
      .constant(integers_of({4, 4}))
      .set("keep_aspect_ratio_policy", "not_larger");
  EXPECT_EQ(node.run()[0].shape(), (Shape{2, 4}));
}

TEST(Upsample, RoundsDown) {
  NodeCase node("Upsample", 7);
  node.input(reals_of({1, 1, 1, 2}, {1, 2})).set("scales", std::vector<double>{1, 1, 1, 1.5});
  expect_values(node.run()[0], {1, 1, 1, 3}, {1, 1, 2});
}

TEST(Resize, HostileScalesAreRefused) {
  for (const double scale : {0.0, -1.0, 1e30, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(resize(scale).refusal(), "") << scale;
  }
}

}  // namespace
}  // namespace ascribe::core
