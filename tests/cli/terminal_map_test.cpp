#include "cli/terminal_map.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

using cli::terminal_maps;
using cli::TerminalMap;

const std::string kHalfBlock = "\xe2\x96\x80";

int64_t count(const std::string& text, const std::string& part) {
  int64_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(TerminalMap, PutsTwoPixelsIntoACharacter) {
  // Red above blue, white above white.
  const std::vector<std::string> lines = terminal_maps({{"one", {1.0, 0.0, -1.0, 0.0}}}, 2, 2, 80);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(count(lines[0], kHalfBlock), 2);
  const size_t red = lines[0].find("38;2;140;10;35"), blue = lines[0].find("48;2;10;62;122");
  EXPECT_NE(red, std::string::npos) << lines[0];
  EXPECT_NE(blue, std::string::npos) << lines[0];
  EXPECT_TRUE(lines[0].ends_with("\x1b[0m"));
  EXPECT_EQ(lines[1], "on");  // a title is as wide as its map
}

TEST(TerminalMap, MapsStandSideBySideAsTheWidthAllows) {
  const TerminalMap map{"map", PixelValues(64, 1.0)};
  EXPECT_EQ(terminal_maps({map, map, map}, 8, 8, 28).size(), 5u);   // three of 8 and two gaps
  EXPECT_EQ(terminal_maps({map, map, map}, 8, 8, 27).size(), 10u);  // two, and one below
  EXPECT_EQ(terminal_maps({map}, 8, 8, 1).size(), 5u);
  EXPECT_TRUE(terminal_maps({}, 8, 8, 80).empty());
}

TEST(TerminalMap, LargeImagesAreAveraged) {
  PixelValues values(224 * 224, 0.0);
  values[0] = 49;  // a block of 7 x 7 holds it
  const std::vector<std::string> lines = terminal_maps({{"large", values}}, 224, 224, 80);
  EXPECT_EQ(lines.size(), 17u);
  EXPECT_EQ(count(lines[0], kHalfBlock), 32);
  EXPECT_EQ(count(lines[0], "38;2;140;10;35"), 1) << lines[0];
}

}  // namespace
}  // namespace ascribe::core
