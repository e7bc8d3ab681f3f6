#include "onnx/export/constants.h"

#include <numeric>

#include <gtest/gtest.h>

#include "base/random.h"
#include "onnx/export/writer.h"

namespace ascribe::core {
namespace {

using Part = DerivedConstant::Part;

Tensor random_weights(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::f32, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(random.normal(i));
  return tensor;
}

template <class F>
Tensor changed(Tensor tensor, const F& f) {
  for (float& value : tensor.mutable_data<float>()) value = f(value);
  return tensor;
}

TEST(StoredConstants, KnowPartsShapesAndOrders) {
  StoredConstants constants;
  const Tensor weights = random_weights({8, 4, 3, 3}, 1);
  constants.keep("w", weights);
  EXPECT_FALSE(constants.find(random_weights({8, 4, 3, 3}, 2)));
  const auto positive = constants.find(changed(weights, [](float w) { return w > 0 ? w : 0; }));
  ASSERT_TRUE(positive);
  EXPECT_EQ(positive->part, Part::positive);
  const auto negative = constants.find(changed(weights, [](float w) { return w < 0 ? w : -0.0F; }));
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->part, Part::negative);
  const auto shaped = constants.find(weights.reshaped({32, 9}));
  ASSERT_TRUE(shaped);
  EXPECT_EQ(shaped->part, Part::whole);
  EXPECT_TRUE(shaped->axes.empty());
  Tensor swapped(DType::f32, {4, 8, 3, 3});
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      std::copy_n(weights.data<float>().begin() + (i * 4 + j) * 9, 9,
                  swapped.mutable_data<float>().begin() + (j * 8 + i) * 9);
    }
  }
  const auto turned = constants.find(swapped);
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->axes, (std::vector<int64_t>{1, 0, 2, 3}));
}

TEST(StoredConstants, OneDifferentNumberIsAnotherTensor) {
  StoredConstants constants;
  const Tensor weights = random_weights({64, 5}, 1);
  constants.keep("w", weights);
  Tensor other = weights;
  other.mutable_data<float>()[317] = std::nextafter(other.data<float>()[317], 10.0F);
  EXPECT_FALSE(constants.find(other));
  Tensor broken = weights;
  broken.mutable_data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
  constants.keep("broken", broken);
  EXPECT_FALSE(constants.find(broken));
}

TEST(RepeatedColumns, AreStoredOnce) {
  Tensor masks(DType::boolean, {3, 2000});
  for (int64_t s = 0; s < 3; ++s) {
    for (int64_t i = 0; i < 2000; ++i) masks.mutable_data<uint8_t>()[s * 2000 + i] = (i / 500 + s) % 2;
  }
  const auto repeated = repeated_columns(masks);
  ASSERT_TRUE(repeated);
  ASSERT_EQ(repeated->columns.shape(), (Shape{3, 2}));
  for (int64_t s = 0; s < 3; ++s) {
    for (int64_t i = 0; i < 2000; ++i) {
      EXPECT_EQ(repeated->columns.data<uint8_t>()[s * 2 + repeated->choice[i]], masks.data<uint8_t>()[s * 2000 + i]);
    }
  }
  EXPECT_FALSE(repeated_columns(random_weights({3, 2000}, 1)));
}

TEST(GridOfIntegers, IsASumOfAColumnAndARow) {
  std::vector<int64_t> cells;  // 3 channels of 28 x 42 pixels in cells of 4 x 6
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t y = 0; y < 28; ++y) {
      for (int64_t x = 0; x < 42; ++x) cells.push_back(y / 4 * 7 + x / 6);
    }
  }
  const auto grid = grid_of(cells);
  ASSERT_TRUE(grid);
  const auto rows = std::ssize(grid->down), columns = std::ssize(grid->across);
  ASSERT_EQ(grid->times * rows * columns, std::ssize(cells));
  EXPECT_LT(rows + columns, 200);
  for (int64_t i = 0; i < std::ssize(cells); ++i) {
    EXPECT_EQ(grid->down[i / columns % rows] + grid->across[i % columns], cells[i]);
  }
  cells[1000] += 1;
  EXPECT_FALSE(grid_of(cells));
}

}  // namespace
}  // namespace ascribe::core
