#include <limits>

#include "base/parallel.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

TEST(Mul, BroadcastsAndLetsIntegersWrapAround) {
  const Tensor y = apply_op("mul", {Tensor::of<double>({2, 1}, {2, -3}), Tensor::of<double>({3}, {1, 0.5, 4})});
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(y), (std::vector<double>{2, 1, 8, -3, -1.5, -12}));
  const int64_t half = int64_t{1} << 62;
  EXPECT_EQ(apply_op("mul", {Tensor::scalar(half), Tensor::scalar<int64_t>(4)}).data<int64_t>()[0], 0);
}

TEST(Mul, RefusesMixedKindsBooleansAndShapesThatDoNotBroadcast) {
  EXPECT_NE(refusal("mul", {real({2}), integer({2})}), "");
  EXPECT_NE(refusal("mul", {boolean({2}), boolean({2})}), "");
  EXPECT_NE(refusal("mul", {real({kBatch, 2}), real({kBatch, 3})}), "");
  EXPECT_EQ(infer_op("mul", {real({kBatch, 1}), real({3})}), real({kBatch, 3}));
}

TEST(Div, OfIntegersTruncatesTowardZero) {
  const int64_t smallest = std::numeric_limits<int64_t>::min();
  const Tensor a = Tensor::of<int64_t>({4}, {7, -7, 7, smallest});
  const Tensor b = Tensor::of<int64_t>({4}, {2, 2, -2, -1});
  const Tensor y = apply_op("div", {a, b});
  EXPECT_EQ(std::vector<int64_t>(y.data<int64_t>().begin(), y.data<int64_t>().end()),
            (std::vector<int64_t>{3, -3, -3, smallest}));
}

TEST(Div, OfRealsByZeroIsInfiniteAndOfIntegersRefused) {
  EXPECT_EQ(apply_op("div", {Tensor::scalar(1.0), Tensor::scalar(0.0)}).at(0), std::numeric_limits<double>::infinity());
  EXPECT_THROW(apply_op("div", {Tensor::scalar<int64_t>(1), Tensor::scalar<int64_t>(0)}), Error);
}

// --- matmul ---------------------------------------------------------------------------------

Attributes flags(bool a, bool b) { return {{"transpose_a", ints({a})}, {"transpose_b", ints({b})}}; }
const Attributes kPlain = flags(false, false);

TEST(Matmul, MultipliesByHand) {
  const Tensor a = Tensor::of<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::of<double>({3, 2}, {7, 8, 9, 10, 11, 12});
  EXPECT_EQ(values_of(apply_op("matmul", {a, b}, kPlain)), (std::vector<double>{58, 64, 139, 154}));
  const Tensor x = Tensor::of<double>({2}, {1, -1}), y = Tensor::of<double>({3}, {1, 0, -1});
  EXPECT_EQ(values_of(apply_op("matmul", {x, a}, kPlain)), (std::vector<double>{-3, -3, -3}));
  EXPECT_EQ(values_of(apply_op("matmul", {a, y}, kPlain)), (std::vector<double>{-2, -2}));
  EXPECT_EQ(apply_op("matmul", {a, y}, kPlain).shape(), (Shape{2}));
  EXPECT_EQ(apply_op("matmul", {y, y}, kPlain).shape(), (Shape{}));
  EXPECT_EQ(apply_op("matmul", {y, y}, kPlain).at(0), 2);
}

// a [2, 3, rows, inner] times b [3, inner, columns], one element at a time.
TEST(Matmul, EqualsTheSlowLoopForBroadcastStacksAndAllTransposes) {
  for (const int64_t columns : {4, 300}) {  // less and more than one block of columns
    const int64_t rows = 5, inner = 7;
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        const Tensor a = random_tensor(ta ? Shape{2, 3, inner, rows} : Shape{2, 3, rows, inner}, 1);
        const Tensor b = random_tensor(tb ? Shape{3, columns, inner} : Shape{3, inner, columns}, 2);
        Tensor expected(DType::f64, {2, 3, rows, columns});
        const auto out = expected.mutable_data<double>();
        for (int64_t s = 0; s < 6; ++s) {
          for (int64_t i = 0; i < rows; ++i) {
            for (int64_t j = 0; j < columns; ++j) {
              double sum = 0;
              for (int64_t k = 0; k < inner; ++k) {
                const int64_t ia = ta ? k * rows + i : i * inner + k;
                const int64_t ib = tb ? j * inner + k : k * columns + j;
                sum += a.at(s * rows * inner + ia) * b.at(s % 3 * inner * columns + ib);
              }
              out[(s * rows + i) * columns + j] = sum;
            }
          }
        }
        expect_near(apply_op("matmul", {a, b}, flags(ta, tb)), expected, 1e-13);
      }
    }
  }
}

TEST(Matmul, SumsIntegersExactly) {
  const int64_t large = (int64_t{1} << 53) + 1;  // not a double
  const Tensor a = Tensor::of<int64_t>({1, 2}, {large, 1}), b = Tensor::of<int64_t>({2, 1}, {1, 1});
  EXPECT_EQ(apply_op("matmul", {a, b}, kPlain).data<int64_t>()[0], large + 1);
}

TEST(Matmul, OverAnEmptyInnerAxisIsZero) {
  const Tensor y = apply_op("matmul", {Tensor(DType::f64, {2, 0}), Tensor(DType::f64, {0, 3})}, kPlain);
  EXPECT_EQ(values_of(y), std::vector<double>(6, 0.0));
}

TEST(Matmul, RowsAndStacksMayGrowWithTheBatch) {
  EXPECT_EQ(infer_op("matmul", {real({kBatch, 3}), real({3, 4})}, kPlain).shape, (Dims{kBatch, 4}));
  EXPECT_EQ(infer_op("matmul", {real({kBatch, 2, 3}), real({3, 4})}, kPlain).shape, (Dims{kBatch, 2, 4}));
  EXPECT_EQ(infer_op("matmul", {real({2, 3}), real({kBatch, 5, 3})}, flags(false, true)).shape, (Dims{kBatch, 2, 5}));
  EXPECT_EQ(infer_op("matmul", {real({3}), real({kBatch, 3, 4})}, kPlain).shape, (Dims{kBatch, 4}));
}

TEST(Matmul, RefusesOperandsThatDoNotFit) {
  EXPECT_NE(refusal("matmul", {real({2, 3}), real({2, 3})}, kPlain), "");
  EXPECT_NE(refusal("matmul", {real({2, kBatch}), real({3, 4})}, kPlain), "");
  EXPECT_NE(refusal("matmul", {real({}), real({3, 4})}, kPlain), "");
  EXPECT_NE(refusal("matmul", {real({3}), real({3, 4})}, flags(true, false)), "") << "a row has no transpose";
  EXPECT_NE(refusal("matmul", {real({2, 4, 3}), real({5, 3, 4})}, kPlain), "");
  EXPECT_NE(refusal("matmul", {real({2, 3}), integer({3, 4})}, kPlain), "");
  EXPECT_NE(refusal("matmul", {boolean({2, 3}), boolean({3, 4})}, kPlain), "");
}

// --- conv and conv_transpose ----------------------------------------------------------------

struct Geometry {
  std::vector<int64_t> strides, pads, dilations;
  int64_t group = 1;
  std::vector<int64_t> output_padding = {};

  Attributes attributes(bool transposed) const {
    Attributes result = {
        {"strides", ints(strides)}, {"pads", ints(pads)}, {"dilations", ints(dilations)}, {"group", ints({group})}};
    if (transposed) {
      result.set("output_padding", ints(output_padding.empty() ? Shape(strides.size(), 0) : output_padding));
    }
    return result;
  }
};

Tensor conv(const std::vector<Tensor>& operands, const Geometry& geometry) {
  return apply_op("conv", operands, geometry.attributes(false));
}
Tensor conv_transpose(const std::vector<Tensor>& operands, const Geometry& geometry) {
  return apply_op("conv_transpose", operands, geometry.attributes(true));
}

// Calls f(coarse index, fine index, tap index) for all that meet on three axes, by trying every combination.
template <class F>
void for_each_meeting(const Shape& coarse, const Shape& fine, const Shape& kernel, const Geometry& g, F f) {
  const auto split = [](int64_t i, const Shape& s) { return std::array{i / s[2] / s[1], i / s[2] % s[1], i % s[2]}; };
  for (int64_t c = 0; c < element_count(coarse); ++c) {
    for (int64_t k = 0; k < element_count(kernel); ++k) {
      const auto at = split(c, coarse), tap = split(k, kernel);
      int64_t index = 0;
      bool inside = true;
      for (size_t d = 0; d < 3; ++d) {
        const int64_t position = at[d] * g.strides[d] - g.pads[d] + tap[d] * g.dilations[d];
        inside = inside && position >= 0 && position < fine[d];
        index = index * fine[d] + position;
      }
      if (inside) f(c, index, k);
    }
  }
}

Shape space(const Tensor& tensor) { return {tensor.shape().begin() + 2, tensor.shape().end()}; }

// The definition with all channels and groups spelled out; zero where the groups differ.
Tensor slow_convolution(const Tensor& x, const Tensor& w, const Tensor& bias, const Geometry& g, const Shape& output,
                        bool transposed) {
  Tensor result(DType::f64, output);
  const auto out = result.mutable_data<double>();
  const Shape spatial(output.begin() + 2, output.end());
  const int64_t outputs = element_count(spatial), inputs = element_count(space(x)), taps = element_count(space(w));
  const int64_t channels = x.shape()[1], filters = output[1];
  for (int64_t n = 0; n < output[0]; ++n) {
    for (int64_t m = 0; m < filters; ++m) {
      for (int64_t o = 0; o < outputs; ++o) out[(n * filters + m) * outputs + o] = bias.at(m);
      for (int64_t c = 0; c < channels; ++c) {
        if (c / (channels / g.group) != m / (filters / g.group)) continue;
        const int64_t plane = transposed ? c * (filters / g.group) + m % (filters / g.group)
                                         : m * (channels / g.group) + c % (channels / g.group);
        const auto add = [&](int64_t o, int64_t i, int64_t k) {
          out[(n * filters + m) * outputs + o] += w.at(plane * taps + k) * x.at((n * channels + c) * inputs + i);
        };
        if (transposed) {
          for_each_meeting(space(x), spatial, space(w), g, [&](int64_t i, int64_t o, int64_t k) { add(o, i, k); });
        } else {
          for_each_meeting(spatial, space(x), space(w), g, add);
        }
      }
    }
  }
  return result;
}

const std::vector<Geometry> kGeometries = {
    {{1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 1},
    {{2, 1, 3}, {1, 0, 2, 0, 1, 1}, {1, 2, 1}, 2},
    {{1, 2, 2}, {2, 3, 0, 1, 2, 4}, {2, 1, 3}, 4},  // depthwise for 4 channels; padding beyond the kernel
};

TEST(Conv, EqualsTheSlowLoopInThreeDimensions) {
  const std::vector<Shape> outputs = {{2, 8, 3, 4, 6}, {2, 8, 2, 3, 3}, {2, 8, 5, 5, 4}};
  for (size_t i = 0; i < kGeometries.size(); ++i) {
    const Geometry& g = kGeometries[i];
    const Tensor x = random_tensor({2, 4, 4, 6, 7}, 1), bias = random_tensor({8}, 3);
    const Tensor w = random_tensor({8, 4 / g.group, 2, 3, 2}, 2);
    const Tensor y = conv({x, w, bias}, g);
    EXPECT_EQ(y.shape(), outputs[i]);
    expect_near(y, slow_convolution(x, w, bias, g, y.shape(), false), 1e-13);
  }
}

TEST(ConvTranspose, EqualsTheSlowLoopInThreeDimensions) {
  for (Geometry g : kGeometries) {
    g.output_padding = {0, 1, 0};
    const Tensor x = random_tensor({2, 4, 4, 5, 6}, 1), bias = random_tensor({2 * g.group}, 3);
    const Tensor w = random_tensor({4, 2, 2, 3, 2}, 2);
    const Tensor y = conv_transpose({x, w, bias}, g);
    for (size_t d = 0; d < 3; ++d) {
      const int64_t reach = (w.shape()[2 + d] - 1) * g.dilations[d] + 1;
      EXPECT_EQ(y.shape()[2 + d], g.strides[d] * (x.shape()[2 + d] - 1) + reach - g.pads[d] - g.pads[3 + d] + (d == 1));
    }
    expect_near(y, slow_convolution(x, w, bias, g, y.shape(), true), 1e-13);
  }
}

TEST(Conv, InOneDimensionByHand) {
  const Tensor x = Tensor::of<double>({1, 1, 5}, {1, 2, 3, 4, 5});
  const Tensor w = Tensor::of<double>({1, 1, 3}, {1, 0, -1});
  EXPECT_EQ(values_of(conv({x, w}, {{2}, {1, 1}, {1}})), (std::vector<double>{-2, -2, 4}));
  const Tensor bias = Tensor::of<double>({1}, {10});
  EXPECT_EQ(values_of(conv({x, w, bias}, {{1}, {0, 0}, {2}})), (std::vector<double>{6}));
}

TEST(ConvTranspose, InOneDimensionByHand) {
  const Tensor x = Tensor::of<double>({1, 1, 3}, {1, 2, 3});
  const Tensor w = Tensor::of<double>({1, 1, 3}, {1, 10, 100});
  EXPECT_EQ(values_of(conv_transpose({x, w}, {{2}, {0, 0}, {1}})), (std::vector<double>{1, 10, 102, 20, 203, 30, 300}));
  EXPECT_EQ(values_of(conv_transpose({x, w}, {{2}, {1, 1}, {1}, 1, {1}})),
            (std::vector<double>{10, 102, 20, 203, 30, 300}));
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) sum += a.at(i) * b.at(i);
  return sum;
}

TEST(ConvTranspose, IsTheAdjointOfConv) {
  // 9 = 2 (4 - 1) + 3 and 8 = 3 (3 - 1) + 4 - 2: conv uses every input, so the shapes match.
  const Geometry g = {{2, 3}, {0, 1, 0, 1}, {1, 3}, 2};
  const Tensor w = random_tensor({6, 2, 3, 2}, 1);
  const Tensor x = random_tensor({2, 4, 9, 8}, 2);
  const Tensor y = conv({x, w}, g);
  const Tensor c = random_tensor(y.shape(), 3);
  const Tensor back = conv_transpose({c, w}, g);
  ASSERT_EQ(back.shape(), x.shape());
  EXPECT_NEAR(dot(y, c), dot(x, back), 1e-12 * std::abs(dot(y, c)) + 1e-12);
}

TEST(Conv, GivesTheSameBitsForAnyNumberOfThreads) {
  const int threads = thread_count();
  const Tensor x = random_tensor({2, 16, 20, 20}, 1), w = random_tensor({16, 16, 3, 3}, 2);
  const Geometry g = {{1, 1}, {1, 1, 1, 1}, {1, 1}};
  set_thread_count(1);
  const auto alone = values_of(conv({x, w}, g));
  set_thread_count(4);
  const auto together = values_of(conv({x, w}, g));
  set_thread_count(threads);
  EXPECT_EQ(alone, together);
}

TEST(Conv, WorksInFloat32WithSumsInDouble) {
  // 1 + 2^-30 - 1: a float32 sum would lose the small part.
  const Tensor x = Tensor::of<float>({1, 3, 1}, {1, 1, 1});
  const Tensor w = Tensor::of<float>({1, 3, 1}, {1, 0x1p-30F, -1});
  const Tensor y = apply_op("conv", {x, w}, Geometry{{1}, {0, 0}, {1}}.attributes(false), DType::f32);
  EXPECT_EQ(y.dtype(), DType::f32);
  EXPECT_EQ(y.at(0), 0x1p-30);
}

TEST(Conv, OnlyTheRowsMayGrowWithTheBatch) {
  const Attributes attributes = Geometry{{1}, {0, 0}, {1}}.attributes(false);
  EXPECT_EQ(infer_op("conv", {real({kBatch, 2, 5}), real({4, 2, 3})}, attributes).shape, (Dims{kBatch, 4, 3}));
  EXPECT_NE(refusal("conv", {real({1, kBatch, 5}), real({4, 2, 3})}, attributes), "");
  EXPECT_NE(refusal("conv", {real({1, 2, kBatch}), real({4, 2, 3})}, attributes), "");
  EXPECT_NE(refusal("conv", {real({1, 2, 5}), real({kBatch, 2, 3})}, attributes), "");
}

TEST(Conv, RefusesChannelsGroupsAndBiasesThatDoNotFit) {
  const auto complaint = [](std::vector<Type> types, int64_t group, bool transposed) {
    return refusal(transposed ? "conv_transpose" : "conv", types,
                   Geometry{{1}, {0, 0}, {1}, group}.attributes(transposed));
  };
  const Type x = real({1, 4, 5});
  for (const bool transposed : {false, true}) {
    EXPECT_EQ(complaint({x, real({4, 4, 3}), real({4})}, 1, transposed), "");
    EXPECT_NE(complaint({x, real({4, 4, 3}), real({5})}, 1, transposed), "");
    EXPECT_NE(complaint({x, real({4, 4, 3}), real({1, 4})}, 1, transposed), "");
    EXPECT_NE(complaint({x, real({4, 4, 3}), real({kBatch})}, 1, transposed), "");
    EXPECT_NE(complaint({x, real({3, 3, 3})}, 1, transposed), "");
    EXPECT_NE(complaint({x, real({4, 4, 3})}, 0, transposed), "");
    EXPECT_NE(complaint({x, real({4, 4, 3})}, -1, transposed), "");
    EXPECT_NE(complaint({x, real({4, 4, 3})}, std::numeric_limits<int64_t>::max(), transposed), "");
    EXPECT_NE(complaint({x, real({4, 4, 3, 3})}, 1, transposed), "");
    EXPECT_NE(complaint({x, real({4, 4, 0})}, 1, transposed), "");
    EXPECT_NE(complaint({x, integer({4, 4, 3})}, 1, transposed), "");
    EXPECT_NE(complaint({real({4, 5}), real({5, 5})}, 1, transposed), "");
  }
  EXPECT_NE(complaint({x, real({3, 2, 3})}, 2, false), "") << "3 outputs in 2 groups";
  EXPECT_NE(complaint({real({1, 3, 5}), real({3, 2, 3})}, 2, true), "") << "3 inputs in 2 groups";
  EXPECT_NE(complaint({x, real({4, 4, 6})}, 1, false), "") << "the kernel is longer than the input";
}

TEST(ConvTranspose, RefusesHostileSizes) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  const std::vector<Geometry> hostile = {
      {{0}, {0, 0}, {1}},    {{1}, {0, 0}, {0}},       {{1}, {-1, 0}, {1}},           {{huge}, {0, 0}, {1}},
      {{1}, {0, 0}, {huge}}, {{1}, {huge, huge}, {1}}, {{1}, {0, 0}, {1}, 1, {-1}},   {{1}, {0, 0}, {1}, 1, {huge}},
      {{1}, {4, 4}, {1}},    {{1, 1}, {0, 0}, {1}},    {{1}, {0, 0}, {1}, 1, {0, 0}},
  };
  for (size_t i = 0; i < hostile.size(); ++i) {
    EXPECT_NE(refusal("conv_transpose", {real({1, 2, 5}), real({2, 2, 3})}, hostile[i].attributes(true)), "") << i;
  }
}

}  // namespace
}  // namespace ascribe::core
