#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.h"
#include "support/errors.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

Attributes elements(int64_t axis, const std::string& reduction) {
  return {{"axis", ints({axis})}, {"reduction", reduction}};
}
Attributes by(const std::string& reduction) { return {{"reduction", reduction}}; }

TEST(ScatterElements, WritesAlongTheAxis) {
  const Tensor y = apply_op("scatter_elements",
                            {Tensor::of<double>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<int64_t>({2, 2}, {2, 0, -2, 0}),
                             Tensor::of<double>({2, 2}, {10, 20, 30, 40})},
                            elements(1, "none"));
  EXPECT_EQ(values_of(y), (std::vector<double>{20, 2, 10, 40, 30, 6}));
  const Tensor z = apply_op("scatter_elements",
                            {Tensor::of<double>({2, 2}, {1, 2, 3, 4}), Tensor::of<int64_t>({1, 2}, {1, 0}),
                             Tensor::of<double>({1, 2}, {10, 20})},
                            elements(0, "none"));
  EXPECT_EQ(values_of(z), (std::vector<double>{1, 20, 10, 4}));
}

TEST(ScatterElements, RepeatedIndicesAreReduced) {
  const auto reduced = [](const std::string& reduction) {
    return apply_op("scatter_elements",
                    {Tensor::of<double>({2}, {5, 1}), Tensor::of<int64_t>({3}, {0, 0, 0}),
                     Tensor::of<double>({3}, {2, 7, 3})},
                    elements(0, reduction))
        .at(0);
  };
  EXPECT_EQ(reduced("none"), 3) << "the last update wins";
  EXPECT_EQ(reduced("add"), 17);
  EXPECT_EQ(reduced("mul"), 210);
  EXPECT_EQ(reduced("min"), 2);
  EXPECT_EQ(reduced("max"), 7);
}

TEST(ScatterElements, NanIsReplacedButOtherwiseStays) {
  const auto first = [](const std::string& reduction, double x, double update) {
    return apply_op("scatter_elements",
                    {Tensor::of<double>({1}, {x}), Tensor::of<int64_t>({1}, {0}), Tensor::of<double>({1}, {update})},
                    elements(0, reduction))
        .at(0);
  };
  EXPECT_EQ(first("none", NAN, 2), 2);
  EXPECT_TRUE(std::isnan(first("max", NAN, 2)));
  EXPECT_TRUE(std::isnan(first("min", 2, NAN)));
}

TEST(ScatterElements, NoUpdatesLeaveTheOperand) {
  const Tensor y =
      apply_op("scatter_elements", {Tensor::of<double>({2}, {5, 1}), Tensor(DType::i64, {0}), Tensor(DType::f64, {0})},
               elements(0, "add"));
  EXPECT_EQ(values_of(y), (std::vector<double>{5, 1}));
}

TEST(ScatterElements, WhatDoesNotFitIsRefused) {
  const auto refused = [](Type x, Type indices, Type updates, const std::string& reduction) {
    return !refusal("scatter_elements", {std::move(x), std::move(indices), std::move(updates)}, elements(0, reduction))
                .empty();
  };
  EXPECT_FALSE(refused(real({2, 3}), integer({5, 3}), real({5, 3}), "add"));
  EXPECT_TRUE(refused(real({2, 3}), integer({2, 4}), real({2, 4}), "add"));
  EXPECT_TRUE(refused(real({2, 3}), integer({2, 3}), real({2, 2}), "add"));
  EXPECT_TRUE(refused(real({2, 3}), integer({2, 3}), integer({2, 3}), "add"));
  EXPECT_TRUE(refused(real({2, 3}), real({2, 3}), real({2, 3}), "add"));
  EXPECT_TRUE(refused(real({2, 3}), integer({2, 3}), real({2, 3}), "sum"));
  EXPECT_TRUE(refused(boolean({2}), integer({2}), boolean({2}), "add"));
  EXPECT_FALSE(refused(boolean({2}), integer({2}), boolean({2}), "none"));
  EXPECT_TRUE(refused(real({}), integer({}), real({}), "none"));
}

TEST(ScatterElements, IndicesOutOfRangeAreErrorsOfTheModel) {
  expect_error(ErrorKind::model, "out of range", [] {
    apply_op("scatter_elements", {Tensor(DType::f64, {2}), Tensor::of<int64_t>({1}, {2}), Tensor(DType::f64, {1})},
             elements(0, "none"));
  });
}

TEST(ScatterNd, TuplesNameElementsOrSlices) {
  const Tensor x = Tensor::of<double>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(values_of(apply_op("scatter_nd",
                               {x, Tensor::of<int64_t>({2, 2}, {0, 1, -1, 0}), Tensor::of<double>({2}, {10, 20})},
                               by("none"))),
            (std::vector<double>{1, 10, 20, 4}));
  EXPECT_EQ(values_of(apply_op("scatter_nd",
                               {x, Tensor::of<int64_t>({2, 1}, {1, 1}), Tensor::of<double>({2, 2}, {10, 20, 30, 40})},
                               by("add"))),
            (std::vector<double>{1, 2, 43, 64}));
}

TEST(ScatterNd, ManyUpdatesOfOneSliceGiveTheSameBitsForAnyThreadCount) {
  const int64_t width = 40000, updates = 7;
  const Tensor x = random_tensor({2, width}, 1), u = random_tensor({updates, width}, 2);
  const Tensor indices = Tensor::of<int64_t>({updates, 1}, {1, 1, 0, 1, 1, 1, 0});
  const int before = thread_count();
  set_thread_count(1);
  const auto serial = values_of(apply_op("scatter_nd", {x, indices, u}, by("add")));
  set_thread_count(4);
  const auto threaded = values_of(apply_op("scatter_nd", {x, indices, u}, by("add")));
  set_thread_count(before);
  EXPECT_EQ(serial, threaded);
  EXPECT_EQ(serial[5], x.at(5) + u.at(2 * width + 5) + u.at(6 * width + 5));
}

TEST(ScatterNd, WhatDoesNotFitIsRefused) {
  const auto refused = [](Type indices, Type updates) {
    return !refusal("scatter_nd", {real({kBatch, 3}), std::move(indices), std::move(updates)}, by("none")).empty();
  };
  EXPECT_FALSE(refused(integer({5, 1}), real({5, 3})));
  EXPECT_FALSE(refused(integer({5, 2}), real({5})));
  EXPECT_TRUE(refused(integer({5, 2}), real({5, 3})));
  EXPECT_TRUE(refused(integer({5, 3}), real({5})));
  EXPECT_TRUE(refused(integer({5, 0}), real({5, 3, 3})));
  EXPECT_TRUE(refused(integer({}), real({kBatch, 3})));
  expect_error(ErrorKind::model, "out of range", [] {
    apply_op("scatter_nd", {Tensor(DType::f64, {2}), Tensor::of<int64_t>({1, 1}, {-3}), Tensor(DType::f64, {1})},
             by("none"));
  });
}

}  // namespace
}  // namespace ascribe::core
