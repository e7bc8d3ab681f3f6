// GridSample against a plain loop over taps, for all modes; conformance cases cover more.
#include <cmath>

#include "base/random.h"
#include "onnx/lowering/node_case.h"

namespace ascribe::core {
namespace {

struct Plane {
  int64_t height = 0, width = 0;
  std::vector<double> values;
};

struct Asked {
  std::string mode, padding;
  bool align = false;
};

double mirrored(double x, double low, double high) {
  if (high <= low) return 0;
  while (x < low || x > high) x = x < low ? 2 * low - x : 2 * high - x;
  return x;
}

double brought_in(const Asked& how, double x, int64_t size) {
  const double last = static_cast<double>(size - 1);
  if (how.padding == "border") return std::clamp(x, 0.0, last);
  if (how.padding == "reflection") {
    return std::clamp(how.align ? mirrored(x, 0, last) : mirrored(x, -0.5, last + 0.5), 0.0, last);
  }
  return x;
}

double pixel(const Plane& plane, double y, double x) {
  if (y < 0 || x < 0 || y > static_cast<double>(plane.height - 1) || x > static_cast<double>(plane.width - 1)) return 0;
  return plane.values[static_cast<size_t>(std::lround(y) * plane.width + std::lround(x))];
}

double keys(double x) {
  const double a = -0.75;
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

double sampled(const Plane& plane, const Asked& how, double gy, double gx) {
  const auto place = [&](double g, int64_t size) {
    const auto n = static_cast<double>(size);
    return how.align ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
  };
  double y = place(gy, plane.height), x = place(gx, plane.width);
  if (how.mode != "cubic") y = brought_in(how, y, plane.height), x = brought_in(how, x, plane.width);
  if (how.mode == "nearest") return pixel(plane, std::nearbyint(y), std::nearbyint(x));
  double sum = 0;
  for (int dy = -1; dy <= 2; ++dy) {
    for (int dx = -1; dx <= 2; ++dx) {
      const double py = std::floor(y) + dy, px = std::floor(x) + dx;
      if (how.mode == "linear") {
        sum += std::max(0.0, 1 - std::abs(py - y)) * std::max(0.0, 1 - std::abs(px - x)) * pixel(plane, py, px);
      } else {
        sum += keys(py - y) * keys(px - x) *
               pixel(plane, brought_in(how, py, plane.height), brought_in(how, px, plane.width));
      }
    }
  }
  return sum;
}

TEST(GridSample, LooksWhereTheGridSays) {
  const Random random(4);
  const Plane plane{3, 4, {1, 2, 3, 4, -5, 6, 7, 8, 9, -10, 11, 12}};
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const bool align : {false, true}) {
        std::vector<double> grid, expected;
        for (int i = 0; i < 12; ++i) {
          const double gx = 4 * random.uniform(2 * i) - 2, gy = 4 * random.uniform(2 * i + 1) - 2;
          grid.insert(grid.end(), {gx, gy});
          expected.push_back(sampled(plane, {mode, padding, align}, gy, gx));
        }
        NodeCase node("GridSample", 20);
        node.input(reals_of({1, 1, 3, 4}, plane.values)).input(reals_of({1, 2, 6, 2}, grid));
        node.set("mode", mode).set("padding_mode", padding).set("align_corners", align ? 1 : 0);
        SCOPED_TRACE(fmt::format("{} {} {}", mode, padding, align));
        expect_values(node.run()[0], {1, 1, 2, 6}, expected, 1e-9);
      }
    }
  }
}

TEST(GridSample, AConstantGridServesAllRowsAndChannels) {
  NodeCase node("GridSample", 16);
  node.input(reals_of({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), true).constant(reals_of({1, 1, 1, 2}, {0, 0}));
  expect_values(node.run()[0], {2, 2, 1, 1}, {1.5, 3.5, 5.5, 7.5});
}

TEST(GridSample, RefusesGridsThatDoNotFit) {
  NodeCase axes("GridSample", 20), mode("GridSample", 20);
  axes.input(reals_of({1, 1, 1, 2}, {1, 2})).input(reals_of({1, 1, 1, 3}, {0, 0, 0}));
  EXPECT_NE(axes.refusal().find("the grid"), std::string::npos);
  mode.input(reals_of({1, 1, 1, 2}, {1, 2})).input(reals_of({1, 1, 1, 2}, {0, 0})).set("mode", "fancy");
  EXPECT_NE(mode.refusal().find("fancy"), std::string::npos);
}

}  // namespace
}  // namespace ascribe::core
