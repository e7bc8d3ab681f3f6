#include "base/table.h"

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

TEST(Table, WritesMarkdownAndCsv) {
  const Table table{{"name", "number"}, {{"a|b", "1.5"}, {"say \"c\", d", "–"}}};
  EXPECT_EQ(table.markdown(), "| name | number |\n|---|--:|\n| a\\|b | 1.5 |\n| say \"c\", d | – |\n");
  EXPECT_EQ(table.csv(), "name,number\na|b,1.5\n\"say \"\"c\"\", d\",–\n");
}

// A label or the name of a column that somebody else chose.
TEST(Table, AsCsvHasNoCellsThatASpreadsheetComputes) {
  const Table table{{"=name", "b"},
                    {{"=1+1", "-1.5e-3"}, {"+cmd", "+2"}, {"-x", "-"}, {"@sum", ""}, {"\tx", "-1+2"}, {"a=b", "x"}}};
  EXPECT_EQ(table.csv(), "'=name,b\n'=1+1,-1.5e-3\n'+cmd,+2\n'-x,-\n'@sum,\n\"'\tx\",'-1+2\na=b,x\n");
}

TEST(Table, AsCsvIsUtf8WhateverNamesAre) {
  const Table table{{"na\xFFme", "ä"}, {{"\xC3", "1"}}};
  EXPECT_EQ(table.csv(), "na\uFFFDme,ä\n\uFFFD,1\n");
}

TEST(Table, AsTextHasNumbersFlushedRight) {
  const Table table{{"name", "number"}, {{"ä", "1.5"}, {"longer", "-20"}}};
  EXPECT_EQ(table.text(1), " name    number\n ä          1.5\n longer     -20\n");
}

}  // namespace
}  // namespace ascribe::core
