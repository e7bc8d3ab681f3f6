#include "study/labels.h"

#include <chrono>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/folder.h"

namespace ascribe::core::study {
namespace {

using Names = std::vector<std::string>;

class Labels : public testing::Test {
 protected:
  Names read(const std::string& text, const std::string& name = "labels.json") {
    return read_labels(folder_.write(name, text));
  }
  void refused(const std::string& text, const std::string& part) {
    expect_error(ErrorKind::io, part, [&] { read(text); });
  }
  TemporaryFolder folder_;
};

TEST_F(Labels, AreALineEach) {
  EXPECT_EQ(read("cat\r\ndog\n\n", "labels.txt"), (Names{"cat", "dog"}));
  EXPECT_EQ(read("{braces}\n[list]\n", "labels.txt"), (Names{"{braces}", "[list]"}));
}

TEST_F(Labels, AreReadFromEveryFormOfJsonThatPeopleHave) {
  EXPECT_EQ(read(R"(["cat", "dog"])"), (Names{"cat", "dog"}));
  EXPECT_EQ(read(R"({"1": "dog", "0": "cat"})"), (Names{"cat", "dog"}));
  EXPECT_EQ(read(R"({"dog": 1, "cat": 0})"), (Names{"cat", "dog"}));
  EXPECT_EQ(read(R"({"0": ["n01440764", "tench"], "1": ["n01443537", "goldfish"]})"), (Names{"tench", "goldfish"}));
  EXPECT_EQ(read(R"([["n01440764", "tench"], ["n01443537", "goldfish"]])"), (Names{"tench", "goldfish"}));
  EXPECT_EQ(read(" {\n \"0\": \"cat\"}", "labels.txt"), (Names{"cat"}));  // whatever the file is called
  EXPECT_EQ(read(R"(["", "\u00e9", "<b>"])"), (Names{"", "é", "<b>"}));
}

TEST_F(Labels, OfMillionsOfLinesAreRefused) {
  expect_error(ErrorKind::io, "more than 4194304 lines",
               [&] { read(std::string((size_t{1} << 22) + 1, '\n'), "labels.txt"); });
}

TEST_F(Labels, ManyTakeNoLongerThanTheyMust) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += fmt::format("{}\"{}\": \"label {}\"", i > 0 ? ", " : "", i, i);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read(text + "}").size(), 200000U);
  // Each looked for among all of them, they would take a minute.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST_F(Labels, WithGapsOrDoublesAreRefused) {
  refused(R"({"0": "cat", "2": "dog"})", "the class 2 ('dog') among 2; expected every number from 0 to 1 once");
  refused(R"({"cat": 0, "dog": 0})", "the class 0 twice: 'cat' and 'dog'");
  refused(R"({"0": "cat", "00": "dog"})", "twice");
  refused(R"({"-1": "cat"})", "the class -1");
  refused(R"({"cat": 9223372036854775807, "dog": 0})", "expected");
  refused(R"({"cat": -1})", "");
  refused(R"({"cat": 0.5})", "");
  refused(R"({"0": "cat", "0": "dog"})", "0");  // a key twice
}

TEST_F(Labels, OfOtherFormsAreRefusedWithTheFormsThereAre) {
  refused("[]", "no labels");
  refused("{}", "no labels");
  refused("\"cat\"", "no labels");
  refused("12", "no labels");
  refused(R"({"cat": "dog"})", "has the key 'cat'; expected numbers of classes");
  refused(R"({"0": "cat", "dog": 1})", "a label, as in the line before");
  refused(R"({"0": []})", "a label");
  refused(R"({"0": ["n1", 3]})", "text");
  refused(R"(["cat", 3])", "a label");
  refused(R"(["cat")", "");
  refused(std::string(2000, '[') + std::string(2000, ']'), "");
  refused(R"([[[[[[[[[["cat"]]]]]]]]]])", "");
}

}  // namespace
}  // namespace ascribe::core::study
