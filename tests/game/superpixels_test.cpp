#include "game/superpixels.h"

#include <queue>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ascribe::core {
namespace {

std::vector<double> noise(int64_t size, uint64_t seed) {
  const Random random(seed);
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) values.push_back(random.uniform(static_cast<uint64_t>(i)));
  return values;
}

// How many pixels can be reached from `start` within its label.
int64_t reachable(const Superpixels& pixels, int64_t height, int64_t width, int64_t start) {
  std::vector<bool> seen(pixels.label.size(), false);
  std::queue<int64_t> open({start});
  seen[start] = true;
  int64_t count = 0;
  for (; !open.empty(); open.pop()) {
    const int64_t at = open.front(), y = at / width, x = at % width;
    ++count;
    const auto visit = [&](int64_t v, int64_t u) {
      if (v < 0 || u < 0 || v >= height || u >= width) return;
      const int64_t next = v * width + u;
      if (seen[next] || pixels.label[next] != pixels.label[start]) return;
      seen[next] = true;
      open.push(next);
    };
    visit(y - 1, x), visit(y + 1, x), visit(y, x - 1), visit(y, x + 1);
  }
  return count;
}

void expect_sound(const Superpixels& pixels, int64_t height, int64_t width, int64_t most) {
  ASSERT_EQ(std::ssize(pixels.label), height * width);
  ASSERT_LE(pixels.count, most);
  ASSERT_GE(pixels.count, 1);
  std::vector<int64_t> sizes(pixels.count, 0), first(pixels.count, -1);
  for (int64_t i = 0; i < height * width; ++i) {
    const int32_t label = pixels.label[i];
    ASSERT_TRUE(label >= 0 && label < pixels.count);
    if (sizes[label]++ == 0) first[label] = i;
  }
  for (int64_t s = 0; s < pixels.count; ++s) {
    EXPECT_EQ(reachable(pixels, height, width, first[s]), sizes[s]) << "region " << s << " is not connected";
    EXPECT_TRUE(s == 0 || first[s - 1] < first[s]) << "numbered in the order of their first pixel";
  }
}

TEST(Superpixels, AreConnectedAndAtMostAsManyAsAskedFor) {
  for (const int64_t count : {1, 2, 5, 16, 24, 60, 221}) {
    for (const int64_t channels : {1, 3}) {
      const auto pixels = superpixels(noise(13 * 17 * channels, 7), 13, 17, channels, {.count = count});
      expect_sound(pixels, 13, 17, count);
    }
  }
}

TEST(Superpixels, OfAThinImageAreSoundToo) {
  expect_sound(superpixels(noise(40, 1), 1, 40, 1, {.count = 8}), 1, 40, 8);
  expect_sound(superpixels(noise(40, 1), 40, 1, 1, {.count = 40}), 40, 1, 40);
}

TEST(Superpixels, OfAPlainImageAreAGrid) {
  const auto pixels = superpixels(std::vector<double>(64, 3.0), 8, 8, 1, {.count = 4});
  EXPECT_EQ(pixels.count, 4);
  for (int64_t i = 0; i < 64; ++i) EXPECT_EQ(pixels.label[i], i / 32 * 2 + i % 8 / 4) << i;
}

TEST(Superpixels, FollowEdges) {
  // Left part 0, right part 1; the edge at column 5 is not where a grid would have it.
  std::vector<double> values;
  for (int64_t i = 0; i < 16 * 16; ++i) values.push_back(i % 16 < 5 ? 0 : 1);
  const auto pixels = superpixels(values, 16, 16, 1, {.count = 8});
  for (int64_t i = 4; i < 16 * 16; i += 16) EXPECT_NE(pixels.label[i], pixels.label[i + 1]) << "row " << i / 16;
}

TEST(Superpixels, DoNotDependOnUnits) {
  std::vector<double> values = noise(20 * 20, 3), scaled;
  for (const double value : values) scaled.push_back(value * 64 - 32);
  EXPECT_EQ(superpixels(values, 20, 20, 1, {.count = 9}).label, superpixels(scaled, 20, 20, 1, {.count = 9}).label);
}

}  // namespace
}  // namespace ascribe::core
