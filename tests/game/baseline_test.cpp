#include "game/baseline.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "game/players.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

constexpr ImageShape kColor{PixelLayout::chw, 2, 3, 2, 0};

std::vector<double> values_of(const Tensor& tensor) {
  const auto data = tensor.data<double>();
  return {data.begin(), data.end()};
}

class Baseline : public testing::Test {
 protected:
  Tensor make(const std::string& text, uint64_t seed = 0, std::optional<Tensor> rows = {}) {
    return make_baselines({text, &x_, x_.shape(), kColor, std::move(rows), seed});
  }
  Tensor x_ = Tensor::of<float>({2, 3, 2}, {0, 1, 2, 3, 4, 5, 10, 10, 10, 10, 10, 16});
};

TEST_F(Baseline, ZeroIsTheNumber) {
  const Tensor zero = make("zero");
  EXPECT_EQ(zero.shape(), (Shape{1, 2, 3, 2}));
  EXPECT_EQ(values_of(zero), std::vector<double>(12, 0.0));
}

TEST_F(Baseline, MeanIsPerChannel) {
  EXPECT_EQ(values_of(make("mean")), (std::vector<double>{2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 11, 11, 11, 11, 11, 11}));
}

TEST_F(Baseline, MeanOfARowThatIsNoImageIsOverAllElements) {
  const Tensor mean = make_baselines({"mean", &x_, x_.shape(), {}, {}, 0});
  EXPECT_DOUBLE_EQ(values_of(mean)[0], 81.0 / 12);
}

TEST_F(Baseline, ValueIsOneNumberOrOnePerChannel) {
  EXPECT_EQ(values_of(make("value:-0.5")), std::vector<double>(12, -0.5));
  const auto two = values_of(make("value:1,2e1"));
  EXPECT_EQ(two[5], 1);
  EXPECT_EQ(two[6], 20);
}

TEST_F(Baseline, BlurKeepsConstantsAndSpreadsAPoint) {
  const ImageShape shape{PixelLayout::hwc, 1, 21, 21, 0};
  Tensor point(DType::f64, {21, 21, 1});
  point.mutable_data<double>()[10 * 21 + 10] = 1;
  const auto blurred = values_of(make_baselines({"blur:2", &point, point.shape(), shape, {}, 0}));
  // Cut off at four sigma, so the weights are those of the density up to 1e-4.
  EXPECT_NEAR(blurred[10 * 21 + 10], 1 / (2 * M_PI * 4), 1e-4);
  EXPECT_NEAR(blurred[10 * 21 + 12] / blurred[10 * 21 + 10], std::exp(-0.5), 1e-12);
  EXPECT_NEAR(blurred[8 * 21 + 10], blurred[10 * 21 + 12], 1e-15);
  EXPECT_NEAR(std::accumulate(blurred.begin(), blurred.end(), 0.0), 1, 1e-12);
  Tensor plain(DType::f64, {21, 21, 1});
  for (double& value : plain.mutable_data<double>()) value = 7;
  for (const double value : values_of(make_baselines({"blur:1e9", &plain, plain.shape(), shape, {}, 0}))) {
    EXPECT_NEAR(value, 7, 1e-12);
  }
}

TEST_F(Baseline, NoiseDependsOnTheSeedOnly) {
  EXPECT_EQ(values_of(make("gaussian:0.1", 5)), values_of(make("gaussian:0.1", 5)));
  EXPECT_NE(values_of(make("gaussian:0.1", 5)), values_of(make("gaussian:0.1", 6)));
  Tensor x(DType::f64, {100000});
  double square = 0;
  for (const double value : values_of(make_baselines({"gaussian:3", &x, x.shape(), {}, {}, 1})))
    square += value * value;
  EXPECT_NEAR(std::sqrt(square / 100000), 3, 0.05);
}

TEST_F(Baseline, FilesGiveOneRowOrAll) {
  const Tensor rows = Tensor::of<float>({2, 12}, std::vector<float>(24, 4.0F));
  EXPECT_EQ(make("data:f.npy", 0, rows).shape(), (Shape{2, 2, 3, 2}));
  expect_error(ErrorKind::argument, "holds 2 rows", [&] { make("file:f.npy", 0, rows); });
  EXPECT_EQ(baseline_file("data:a:b.npy"), "a:b.npy");
  EXPECT_EQ(baseline_file("zero"), std::nullopt);
  EXPECT_EQ(thinned_rows(Tensor::of<double>({5, 1}, {0, 1, 2, 3, 4}), 3).at(1), 2);
}

TEST_F(Baseline, NonsenseIsRefused) {
  for (const char* text : {"", "one", "zero:1", "mean:2", "value:", "value:x", "value:nan", "value:inf", "value:1,2,3",
                           "value:1,", "blur:0", "blur:-1", "blur:", "gaussian:0", "gaussian:x", "file:", "data:"}) {
    expect_error(ErrorKind::argument, "expected", [&] { make(text); });
  }
  expect_error(ErrorKind::argument, "needs an image", [&] { make_baselines({"blur:1", &x_, x_.shape(), {}, {}, 0}); });
  Tensor broken = Tensor::of<double>({1, 12}, std::vector<double>(12, std::numeric_limits<double>::quiet_NaN()));
  expect_error(ErrorKind::numeric, "finite", [&] { make("file:f.npy", 0, broken); });
}

}  // namespace
}  // namespace ascribe::core
