#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/errors.h"

namespace ascribe::core {
namespace {

TEST(Tensor, StartsAsZerosOnAlignedMemory) {
  const Tensor x(DType::f32, {3, 5});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x.memory()) % 64, 0U);
  for (const float value : x.data<float>()) EXPECT_EQ(value, 0);
  EXPECT_EQ(x.bytes(), 60U);
}

TEST(Tensor, CopiesShareUntilOneIsWritten) {
  Tensor x = Tensor::of<float>({2}, {1, 2});
  const Tensor y = x;
  EXPECT_EQ(x.memory(), y.memory());
  x.mutable_data<float>()[0] = 9;
  EXPECT_EQ(x.at(0), 9);
  EXPECT_EQ(y.at(0), 1);
  const void* own = x.memory();
  x.mutable_data<float>()[1] = 8;
  EXPECT_EQ(x.memory(), own) << "a private buffer is not copied again";
}

TEST(Tensor, BorrowedMemoryIsNeverWritten) {
  const std::array<int64_t, 2> memory = {7, 7};
  Tensor x = Tensor::borrow(DType::i64, {2}, std::make_shared<int>(), memory.data());
  EXPECT_EQ(x.memory(), memory.data());
  x.mutable_data<int64_t>()[0] = 1;
  EXPECT_EQ(x.at(0), 1);
  EXPECT_EQ(x.at(1), 7);
  EXPECT_EQ(memory[0], 7) << "even though nobody else shares the owner";
}

TEST(Tensor, BorrowedMemoryOutlivesItsFirstOwner) {
  auto owner = std::make_shared<std::vector<int64_t>>(2, 7);
  const std::weak_ptr<std::vector<int64_t>> watch = owner;
  {
    const Tensor x = Tensor::borrow(DType::i64, {2}, owner, owner->data());
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(x.at(1), 7);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Tensor, ReshapedSharesTheElements) {
  Tensor x = Tensor::of<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor y = x.reshaped({6});
  EXPECT_EQ(y.memory(), x.memory());
  x.mutable_data<double>()[0] = 9;
  EXPECT_EQ(y.at(0), 1);
  expect_error(ErrorKind::internal, "number of elements", [&] { x.reshaped({5}); });
}

TEST(Tensor, CastsToIntegersTruncateAndSaturate) {
  const Tensor x = Tensor::of<double>({7}, {1.9, -1.9, 1e30, -1e30, NAN, 0x1.0p63, -0x1.0p63});
  const Tensor y = x.cast(DType::i64);
  const auto values = y.data<int64_t>();
  EXPECT_EQ(std::vector<int64_t>(values.begin(), values.end()),
            (std::vector<int64_t>{1, -1, INT64_MAX, INT64_MIN, INT64_MIN, INT64_MAX, INT64_MIN}));
  EXPECT_EQ(Tensor::scalar(INFINITY).cast(DType::i64).data<int64_t>()[0], INT64_MAX) << "from float32 too";
}

TEST(Tensor, CastsToBooleansAskWhetherItIsZero) {
  const Tensor y = Tensor::of<float>({4}, {0, -0.0F, 0.5F, NAN}).cast(DType::boolean);
  EXPECT_EQ(y.at(0), 0);
  EXPECT_EQ(y.at(1), 0);
  EXPECT_EQ(y.at(2), 1);
  EXPECT_EQ(y.at(3), 1);
}

TEST(Tensor, ACastToItsOwnTypeSharesTheElements) {
  const Tensor x = Tensor::of<float>({1}, {1});
  EXPECT_EQ(x.cast(DType::f32).memory(), x.memory());
}

TEST(Tensor, EmptyOnesHaveShapesAndNoElements) {
  const Tensor x(DType::f32, {0, 3});
  EXPECT_EQ(x.size(), 0);
  EXPECT_FALSE(x.empty()) << "only a default-constructed tensor is";
  EXPECT_TRUE(Tensor().empty());
  EXPECT_EQ(x.cast(DType::i64).shape(), (Shape{0, 3}));
}

TEST(Tensor, WrongAccessIsOurBug) {
  const Tensor x = Tensor::of<float>({1}, {1});
  expect_error(ErrorKind::internal, "element type", [&] { x.data<double>(); });
  expect_error(ErrorKind::internal, "out of range", [&] { x.at(1); });
  expect_error(ErrorKind::internal, "value count", [] { Tensor::of<float>({2}, {1}); });
}

TEST(Tensor, ImpossibleShapesAreRefusedBeforeAllocation) {
  expect_error(ErrorKind::model, "negative", [] { Tensor(DType::f32, {-1}); });
  expect_error(ErrorKind::model, "overflows", [] { Tensor(DType::f32, {int64_t{1} << 40, int64_t{1} << 40}); });
  expect_error(ErrorKind::model, "overflows", [] { Tensor(DType::f64, {int64_t{1} << 61}); });
  expect_error(ErrorKind::argument, "cannot allocate", [] { Tensor(DType::f64, {int64_t{1} << 57}); });
}

TEST(Shape, CountsElementsAndStrides) {
  EXPECT_EQ(element_count(Shape{}), 1);
  EXPECT_EQ(element_count(Shape{2, 3, 4}), 24);
  EXPECT_EQ(element_count(Shape{5, 0}), 0);
  EXPECT_EQ(strides_of(Shape{2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(to_string(Shape{1, 3}), "[1, 3]");
  expect_error(ErrorKind::model, "overflows", [] { element_count(Shape{int64_t{1} << 40, 0, int64_t{1} << 40}); });
}

}  // namespace
}  // namespace ascribe::core
