#include "data/table.h"

#include <chrono>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/idx.h"
#include "support/errors.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

using namespace std::string_literals;

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < tensor.size(); ++i) result.push_back(tensor.at(i));
  return result;
}

TEST(Table, TheFirstLineNamesTheColumns) {
  const TableOfCells table = parse_table("age,height\n3, 1.5\n-4,2e2\n", {}, "t.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"age", "height"}));
  EXPECT_EQ(table.values.shape(), (Shape{2, 2}));
  EXPECT_EQ(values(table.values), (std::vector<double>{3, 1.5, -4, 200}));
}

TEST(Table, NumbersOnTheFirstLineAreData) {
  const TableOfCells table = parse_table("1,2\r\n3,+4", {}, "t.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(values(table.values), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Table, QuotedCellsMayHoldSeparatorsQuotesAndLineEnds) {
  const TableOfCells table = parse_table("\"a,\"\"b\"\"\",\"c\nd\"\n\"1\", \"2\" \n", {}, "t.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"a,\"b\"", "c\nd"}));
  EXPECT_EQ(values(table.values), (std::vector<double>{1, 2}));
}

TEST(Table, SemicolonsAndTabsSeparateToo) {
  EXPECT_EQ(values(parse_table("a;b\n1;2\n", {}, "t").values), (std::vector<double>{1, 2}));
  EXPECT_EQ(values(parse_table("1\t2\n", {}, "t").values), (std::vector<double>{1, 2}));
}

TEST(Table, EmptyLinesAndTheByteOrderMarkAreSkipped) {
  EXPECT_EQ(parse_table("\xEF\xBB\xBF"
                        "a\n\n1\n\n2\n\n",
                        {}, "t")
                .values.shape(),
            (Shape{2, 1}));
}

TEST(Table, ColumnsAreChosenByNameNumberAndRange) {
  const std::string text = "name,a,b,c\nx,1,2,3\ny,4,5,6\n";
  EXPECT_EQ(values(parse_table(text, {"c", "a"}, "t").values), (std::vector<double>{3, 1, 6, 4}));
  EXPECT_EQ(values(parse_table(text, {"1:3"}, "t").values), (std::vector<double>{1, 2, 4, 5}));
  EXPECT_EQ(values(parse_table(text, {"3"}, "t").values), (std::vector<double>{3, 6}));
  expect_error(ErrorKind::argument, "'d'", [&] { parse_table(text, {"d"}, "t"); });
  expect_error(ErrorKind::argument, "4 columns", [&] { parse_table(text, {"2:9"}, "t"); });
}

TEST(Table, ColumnsOfOneNameAreToldApart) {
  const std::string text = "age,height,age\n1,2,3\n";
  const TableOfCells table = parse_table(text, {}, "t.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"age (column 0)", "height", "age (column 2)"}));
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_NE(table.notes[0].find("several columns are named 'age'"), std::string::npos) << table.notes[0];
  EXPECT_TRUE(parse_table(text, {"height"}, "t.csv").notes.empty());
  EXPECT_EQ(values(parse_table(text, {"2"}, "t.csv").values), (std::vector<double>{3}));
  expect_error(ErrorKind::argument, "several columns are named 'age': 0, 2; choose by number",
               [&] { parse_table(text, {"age"}, "t.csv"); });
  EXPECT_EQ(parse_table(",a,\n1,2,3\n", {}, "t").columns, (std::vector<std::string>{"column 0", "a", "column 2"}));
  EXPECT_EQ(parse_table("1,1\n2,3\n", {}, "t").columns, (std::vector<std::string>{"0", "1"}));
}

TEST(Table, BadCellsAreNamedByLineAndColumn) {
  const auto refuse = [](ErrorKind kind, const std::string& part, const std::string& text) {
    expect_error(kind, part, [&] { parse_table(text, {}, "t.csv"); });
  };
  refuse(ErrorKind::numeric, "line 3, column 1 ('b'): got nan", "a,b\n1,2\n3,nan\n");
  refuse(ErrorKind::numeric, "got inf", "a\ninf\n");
  refuse(ErrorKind::io, "line 2, column 0 ('a'): not a number; got 'x'", "a,b\nx,2\n");
  refuse(ErrorKind::io, "line 2, column 1 ('b'): the cell is empty", "a,b\n1,\n");
  refuse(ErrorKind::io, "line 3 has 1 cells; expected 2", "a,b\n1,2\n3\n");
  refuse(ErrorKind::io, "line 2: a quoted cell does not end", "a\n\"1\n");
  refuse(ErrorKind::io, "text follows", "a\n\"1\"x\n");
  refuse(ErrorKind::io, "empty", "");
  refuse(ErrorKind::io, "no rows", "a,b\n");
}

TEST(Table, LineNumbersCountTheLinesInsideQuotes) {
  expect_error(ErrorKind::io, "line 3,", [] { parse_table("\"a\nb\"\nx\n", {}, "t"); });
}

TEST(Table, ComplaintsNameSomeOfManyColumns) {
  std::string text = "c0";
  for (int i = 1; i < 10000; ++i) text += fmt::format(",c{}", i);
  const auto error = error_of([&] { parse_table(text + "\n", {"height"}, "t.csv"); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("c18, c19, ... and 9980 more"), std::string::npos) << error->what();
  EXPECT_LT(error->message().size(), 300U);
}

TEST(Table, RefusesMoreNumbersThanAllowed) {
  EXPECT_EQ(parse_table("1,2\n3,4\n", {}, "t.csv", 4).values.size(), 4);
  expect_error(ErrorKind::io, "the table holds more than 3 numbers", [] { parse_table("1,2\n3,4\n", {}, "t", 3); });
}

TEST(Table, AQuotedCellOfManyLinesIsReadOnce) {
  const TemporaryFolder folder;
  std::string cell;
  for (int i = 0; i < 400000; ++i) cell += "a\n";
  TableLines lines(ByteStream(folder.write("t.csv", "\"" + cell + "\",2\n3,4\n")));
  // Looked at again with each of its lines, it would take minutes.
  const auto start = std::chrono::steady_clock::now();
  const auto first = lines.next(), second = lines.next();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->cells, (std::vector<std::string>{cell, "2"}));
  EXPECT_EQ(second->number, 400002U);
}

TEST(Idx, BytesBecomeNumbersOfTheDeclaredShape) {
  const IdxArray idx = parse_idx("\0\0\x08\x02\0\0\0\x02\0\0\0\x03\x01\x02\x03\x04\x05\xff"s, "a.idx");
  EXPECT_TRUE(idx.bytes);
  EXPECT_EQ(idx.values.shape(), (Shape{2, 3}));
  EXPECT_EQ(values(idx.values), (std::vector<double>{1, 2, 3, 4, 5, 255}));
}

TEST(Idx, WiderElementsAreBigEndian) {
  EXPECT_EQ(values(parse_idx("\0\0\x0b\x01\0\0\0\x01\xff\xfe"s, "a").values), std::vector<double>{-2});
  EXPECT_EQ(values(parse_idx("\0\0\x0c\x01\0\0\0\x01\x7f\xff\xff\xff"s, "a").values), std::vector<double>{2147483647});
  EXPECT_EQ(values(parse_idx("\0\0\x0d\x01\0\0\0\x01\x3f\x80\0\0"s, "a").values), std::vector<double>{1});
}

TEST(Idx, HostileHeadersAreRefused) {
  const auto refuse = [](const std::string& bytes) {
    expect_error(ErrorKind::io, "idx file", [&] { parse_idx(bytes, "a.idx"); });
  };
  refuse("\0\0\x08\x7f\0\0\0\x02"s);                                        // dimensions beyond the end
  refuse("\0\0\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff"s);                  // 2^64 elements
  refuse("\0\0\x0e\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s);  // more than 64 bits of them
  refuse("\0\0\x08\x01\0\0\0\x03\x01\x02"s);                                // cut short
  refuse("\0\0\x08\x01\0\0\0\x01\x01\x02"s);                                // too long
  refuse("\0\0\x07\x01\0\0\0\x01\x01"s);                                    // unknown type
  refuse("\0\0\x08\x02\0\0\0\0\xff\xff\xff\xff"s);                          // no rows
}

TEST(Table, LinesOfTextsAreWalked) {
  std::vector<std::string> columns, cells;
  walk_table(
      "\xEF\xBB\xBFname;age\n\"a;\"\"b\"\"\";3\n\n c ;\n", "t.csv",
      [&](const std::vector<std::string>& names, bool named) {
        columns = names;
        EXPECT_TRUE(named);
      },
      [&](const TableLine& line) { cells.insert(cells.end(), line.cells.begin(), line.cells.end()); });
  EXPECT_EQ(columns, (std::vector<std::string>{"name", "age"}));
  EXPECT_EQ(cells, (std::vector<std::string>{"a;\"b\"", "3", "c", ""}));
}

TEST(Table, LinesOfAnotherLengthAreRefused) {
  const auto walk = [](const std::string& text) {
    walk_table(
        text, "t.csv", [](const auto&, bool) {}, [](const TableLine&) {});
  };
  expect_error(ErrorKind::io, "line 3 has 3 cells; expected 2", [&] { walk("a,b\nx,y\nx,y,z\n"); });
  expect_error(ErrorKind::io, "does not end", [&] { walk("a,b\n\"x,y\n"); });
  expect_error(ErrorKind::io, "empty", [&] { walk("\n\n"); });
}

}  // namespace
}  // namespace ascribe::core
