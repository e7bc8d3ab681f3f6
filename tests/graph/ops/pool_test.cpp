#include <cmath>
#include <limits>

#include "graph/window.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

struct Pool {
  std::vector<int64_t> kernel, strides, pads, dilations;
  bool ceil_mode = false;
  bool count_include_pad = false;
  int64_t storage_order = 0;

  // The attributes of max_pool; the two others have one more.
  Attributes attributes(std::string_view op) const {
    Attributes result = {{"kernel", ints(kernel)},
                         {"strides", ints(strides)},
                         {"pads", ints(pads)},
                         {"dilations", ints(dilations)},
                         {"ceil_mode", ints({ceil_mode})}};
    if (op == "average_pool") result.set("count_include_pad", ints({count_include_pad}));
    if (op == "max_pool_indices") result.set("storage_order", ints({storage_order}));
    return result;
  }
};

Tensor pooled(std::string_view op, const Tensor& x, const Pool& pool) { return apply_op(op, {x}, pool.attributes(op)); }

Tensor counting(const Shape& shape) {  // 1, 2, 3, ...
  Tensor tensor(DType::f64, shape);
  const auto values = tensor.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  return tensor;
}

const Pool kLine = {{3}, {2}, {0, 0}, {1}};  // kernel 3, stride 2

int64_t line_output(int64_t input, Pool pool) {
  return infer_op("max_pool", {real({1, 1, input})}, pool.attributes("max_pool")).shape[2].fixed;
}

TEST(Window, OutputSizesRoundDownUnlessCeilModeAsks) {
  EXPECT_EQ(line_output(7, kLine), 3);
  EXPECT_EQ(line_output(8, kLine), 3);
  Pool ceil = kLine;
  ceil.ceil_mode = true;
  EXPECT_EQ(line_output(7, ceil), 3);
  EXPECT_EQ(line_output(8, ceil), 4);
  EXPECT_EQ(line_output(2, ceil), 1) << "the only window may reach beyond the input";
}

TEST(Window, AWindowThatStartsInTheEndPaddingDoesNotCount) {
  // Starts -1, 1, 3, 5: without the rule ceil((4 + 2 - 2) / 2) + 1 = 3 windows, the last at 3.
  EXPECT_EQ(line_output(4, {{2}, {2}, {1, 1}, {1}, true}), 3);
  // ceil((3 + 2 - 2) / 2) + 1 = 3 windows, the last starting at 3 = the end of the input.
  EXPECT_EQ(line_output(3, {{2}, {2}, {1, 1}, {1}, true}), 2);
}

TEST(Window, TapsOutsideTheInputAreNamedBySteppingThroughThem) {
  const WindowAxis axis{.input = 5, .kernel = 4, .stride = 3, .dilation = 2, .before = 3, .after = 4, .output = 3};
  for (int64_t o = 0; o < axis.output; ++o) {
    int64_t begin = axis.kernel, end = 0;
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t position = o * 3 - 3 + k * 2;
      if (position < 0 || position >= 5) continue;
      begin = std::min(begin, k);
      end = k + 1;
    }
    EXPECT_EQ(axis.taps(o).begin, begin) << o;
    EXPECT_EQ(axis.taps(o).end, end) << o;
  }
}

TEST(Window, HostileAttributesAreRefused) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  const std::vector<Pool> hostile = {
      {{0}, {1}, {0, 0}, {1}},
      {{-3}, {1}, {0, 0}, {1}},
      {{3}, {0}, {0, 0}, {1}},
      {{3}, {-1}, {0, 0}, {1}},
      {{3}, {1}, {-1, 0}, {1}},
      {{3}, {1}, {0, -1}, {1}},
      {{3}, {1}, {0, 0}, {0}},
      {{3}, {1}, {0, 0}, {-2}},
      {{9}, {1}, {0, 0}, {1}},
      {{3}, {1}, {0, 0}, {5}},
      {{huge}, {1}, {0, 0}, {1}},
      {{3}, {huge}, {0, 0}, {1}},
      {{3}, {1}, {huge, huge}, {1}},
      {{3}, {1}, {0, 0}, {huge}},
      {{3, 3}, {1}, {0, 0}, {1}},
      {{3}, {1, 1}, {0, 0}, {1}},
      {{3}, {1}, {0}, {1}},
      {{3}, {1}, {0, 0}, {1, 1}},
      {{}, {}, {}, {}},
      {{3}, {1}, {3, 0}, {1}},
      {{3}, {1}, {0, 3}, {1}},
      {{9}, {1}, {0, 0}, {1}, true},
      {{2}, {1}, {10, 10}, {11}},
      {{3}, {1}, {huge, 1}, {1}, true},
  };
  for (const char* op : {"max_pool", "average_pool", "max_pool_indices"}) {
    for (size_t i = 0; i < hostile.size(); ++i) {
      EXPECT_NE(refusal(op, {real({1, 1, 8})}, hostile[i].attributes(op)), "") << op << " case " << i;
    }
    EXPECT_EQ(refusal(op, {real({1, 1, 8})}, kLine.attributes(op)), "") << "the refusals have other reasons";
  }
}

TEST(Window, OnlyTheFirstAxisMayGrowWithTheBatch) {
  for (const char* op : {"max_pool", "average_pool", "max_pool_indices"}) {
    const Attributes attributes = kLine.attributes(op);
    EXPECT_EQ(infer_op(op, {real({kBatch, 4, 7})}, attributes).shape, (Dims{kBatch, 4, 3}));
    EXPECT_NE(refusal(op, {real({1, kBatch, 7})}, attributes), "");
    EXPECT_NE(refusal(op, {real({1, 4, kBatch})}, attributes), "");
    EXPECT_NE(refusal(op, {real({1, 7})}, attributes), "");
    EXPECT_NE(refusal(op, {real({1, 4, 0})}, attributes), "");
    EXPECT_NE(refusal(op, {boolean({1, 4, 7})}, attributes), "");
  }
}

TEST(MaxPool, FindsTheLargestOfEachWindow) {
  const Pool pool = {{2, 2}, {2, 1}, {0, 0, 0, 0}, {1, 1}};
  const Tensor x = Tensor::of<double>({1, 1, 4, 3}, {1, 5, 2, 0, 3, 4, -1, -2, -3, -4, -5, -6});
  EXPECT_EQ(pooled("max_pool", x, pool).shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(values_of(pooled("max_pool", x, pool)), (std::vector<double>{5, 5, -1, -2}));
  EXPECT_EQ(values_of(pooled("max_pool_indices", x, pool)), (std::vector<double>{1, 1, 6, 7}));
}

TEST(MaxPool, PaddingNeverWinsOverNegativeValues) {
  const Pool pool = {{3}, {1}, {1, 1}, {1}};
  const Tensor x = Tensor::of<double>({1, 1, 3}, {-3, -2, -5});
  EXPECT_EQ(values_of(pooled("max_pool", x, pool)), (std::vector<double>{-2, -2, -2}));
}

TEST(MaxPool, TakesTheFirstOfEqualElementsAndEvenMinusInfinity) {
  const double low = -std::numeric_limits<double>::infinity();
  const Pool pool = {{3}, {3}, {0, 0}, {1}};
  const Tensor x = Tensor::of<double>({1, 1, 6}, {1, 7, 7, low, low, low});
  EXPECT_EQ(values_of(pooled("max_pool_indices", x, pool)), (std::vector<double>{1, 3}));
  EXPECT_EQ(pooled("max_pool", x, pool).at(1), low);
}

TEST(MaxPool, LetsNaNWin) {
  const Tensor x = Tensor::of<double>({1, 1, 3}, {1, std::nan(""), 7});
  EXPECT_TRUE(std::isnan(pooled("max_pool", x, kLine).at(0)));
  EXPECT_EQ(pooled("max_pool_indices", x, kLine).at(0), 1);
}

TEST(MaxPool, WorksOnIntegers) {
  const Tensor x = Tensor::of<int64_t>({1, 1, 3}, {-9, -4, -6});
  const Tensor y = pooled("max_pool", x, kLine);
  EXPECT_EQ(y.dtype(), DType::i64);
  EXPECT_EQ(y.at(0), -4);
}

TEST(MaxPoolIndices, AreFlatOverRowsChannelsAndSpace) {
  // Increasing values: the last element of each window wins.
  const Pool pool = {{2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}};
  EXPECT_EQ(values_of(pooled("max_pool_indices", counting({2, 2, 2, 3}), pool)), (std::vector<double>{4, 10, 16, 22}));
}

TEST(MaxPoolIndices, CountSpaceByColumnsIfAsked) {
  Pool pool = {{2, 2}, {2, 1}, {0, 0, 0, 0}, {1, 1}};
  pool.storage_order = 1;
  // 2 x 3 planes: (1, 1) is 1 + 2 * 1 = 3 and (1, 2) is 1 + 2 * 2 = 5; the second plane starts at 6.
  EXPECT_EQ(values_of(pooled("max_pool_indices", counting({1, 2, 2, 3}), pool)), (std::vector<double>{3, 5, 9, 11}));
}

TEST(MaxPoolIndices, RefuseAnUnknownStorageOrder) {
  Pool pool = kLine;
  pool.storage_order = 2;
  EXPECT_NE(refusal("max_pool_indices", {real({1, 1, 7})}, pool.attributes("max_pool_indices")), "");
}

TEST(AveragePool, LeavesPaddingOutUnlessItCounts) {
  Pool pool = {{3}, {1}, {1, 1}, {1}};
  const Tensor x = Tensor::of<double>({1, 1, 3}, {3, 6, 12});
  EXPECT_EQ(values_of(pooled("average_pool", x, pool)), (std::vector<double>{4.5, 7, 9}));
  pool.count_include_pad = true;
  EXPECT_EQ(values_of(pooled("average_pool", x, pool)), (std::vector<double>{3, 7, 6}));
}

TEST(AveragePool, NeverCountsWhatCeilModeCoversBeyondTheDeclaredPadding) {
  Pool pool = {{3}, {2}, {0, 1}, {1}, true, true};
  // Windows at 0 (1, 2, 3), at 2 (3, 4, 5) and at 4 (5, 6, padding): all within the padding.
  const Tensor even = counting({1, 1, 6});
  EXPECT_EQ(values_of(pooled("average_pool", even, pool)), (std::vector<double>{2, 4, 11.0 / 3}));
  pool.pads = {0, 0};
  // Now the third element of the last window is beyond everything declared.
  EXPECT_EQ(values_of(pooled("average_pool", even, pool)), (std::vector<double>{2, 4, 5.5}));
}

// Every window by stepping through all taps of three axes; 1-D and 2-D inputs get axes of length 1.
Tensor slow_average(const Tensor& x, const Pool& p, const Shape& output) {
  Tensor result(DType::f64, output);
  const auto out = result.mutable_data<double>();
  const Shape& s = x.shape();
  int64_t i = 0;
  for (int64_t plane = 0; plane < s[0] * s[1]; ++plane) {
    for (int64_t o = 0; o < output[2] * output[3] * output[4]; ++o, ++i) {
      const std::array at = {o / output[4] / output[3], o / output[4] % output[3], o % output[4]};
      double sum = 0, count = 0;
      for (int64_t a = 0; a < p.kernel[0]; ++a) {
        for (int64_t b = 0; b < p.kernel[1]; ++b) {
          for (int64_t c = 0; c < p.kernel[2]; ++c) {
            const std::array tap = {a, b, c};
            bool inside = true, declared = true;
            int64_t index = plane;
            for (size_t d = 0; d < 3; ++d) {
              const int64_t position = at[d] * p.strides[d] - p.pads[d] + tap[d] * p.dilations[d];
              inside = inside && position >= 0 && position < s[2 + d];
              declared = declared && position < s[2 + d] + p.pads[3 + d];
              index = index * s[2 + d] + position;
            }
            if (inside) sum += x.at(index);
            if (inside || (p.count_include_pad && declared)) count += 1;
          }
        }
      }
      out[i] = sum / count;
    }
  }
  return result;
}

TEST(AveragePool, EqualsTheSlowLoopInThreeDimensions) {
  const Tensor x = random_tensor({2, 3, 5, 6, 7}, 1);
  for (const bool include : {false, true}) {
    for (const bool ceil : {false, true}) {
      const Pool pool = {{2, 3, 2}, {1, 2, 3}, {1, 0, 1, 0, 1, 1}, {1, 2, 3}, ceil, include};
      const Tensor y = pooled("average_pool", x, pool);
      EXPECT_EQ(y.shape(), (Shape{2, 3, 5, 2, ceil ? 3 : 2}));
      expect_near(y, slow_average(x, pool, y.shape()), 1e-14);
    }
  }
}

TEST(AveragePool, RefusesIntegers) {
  EXPECT_NE(refusal("average_pool", {integer({1, 1, 7})}, kLine.attributes("average_pool")), "");
}

}  // namespace
}  // namespace ascribe::core
