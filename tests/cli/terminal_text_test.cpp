#include "cli/terminal_text.h"

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

using cli::terminal_text;

TEST(TerminalText, PutsTokensOnTheirColours) {
  const std::vector<std::string> lines =
      terminal_text({{"good", true, 2.0}, {"ness", false, -2.0}, {"[SEP]", true, std::nullopt}}, 80);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("48;2;140;10;35mgood\x1b[0m\x1b["), std::string::npos) << lines[0];  // no space between them
  EXPECT_NE(lines[0].find("48;2;10;62;122mness"), std::string::npos) << lines[0];
  EXPECT_TRUE(lines[0].ends_with(" [SEP]")) << lines[0];
}

TEST(TerminalText, BreaksLinesAndSurvivesAnyText) {
  EXPECT_EQ(terminal_text({{"aaaa", true, 1.0}, {"bbbb", true, 1.0}, {"cc", true, 1.0}}, 9).size(), 2u);
  EXPECT_EQ(terminal_text({{"aaaa", true, 1.0}}, 1).size(), 1u);
  EXPECT_EQ(terminal_text({{"", true, 0.0}}, 9).size(), 1u);
  const std::string line = terminal_text({{"\x1b[2J\xff", true, 0.0}}, 80)[0];
  EXPECT_NE(line.find("\\x1b[2J\\xff"), std::string::npos) << line;  // a token does not control the terminal
}

}  // namespace
}  // namespace ascribe::core
