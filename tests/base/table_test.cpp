#include "base/table.h"

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

TEST(Table, WritesMarkdownAndCsv) {
  const Table table{{"name", "number"}, {{"a|b", "1.5"}, {"say \"c\", d", "–"}}};
  EXPECT_EQ(table.markdown(), "| name | number |\n|---|--:|\n| a\\|b | 1.5 |\n| say \"c\", d | – |\n");
  EXPECT_EQ(table.csv(), "name,number\na|b,1.5\n\"say \"\"c\"\", d\",–\n");
}

TEST(Table, AsTextHasNumbersFlushedRight) {
  const Table table{{"name", "number"}, {{"ä", "1.5"}, {"longer", "-20"}}};
  EXPECT_EQ(table.text(1), " name    number\n ä          1.5\n longer     -20\n");
}

}  // namespace
}  // namespace ascribe::core
