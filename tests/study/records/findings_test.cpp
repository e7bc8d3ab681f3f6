#include "study/records/findings.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ascribe::core::study {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Told = std::function<void(Findings&)>;

// Through a file, as a record goes.
Comparing compared(const Told& then, const Told& now, double tolerance = 1e-4) {
  WrittenFindings written;
  then(written);
  const Json file = parse_json(written.json().dump(1), "file");
  ComparedFindings found(JsonPlace(file, "file"), tolerance);
  now(found);
  return found.result();
}

Told numbers(std::vector<double> values, Fineness fineness = {}) {
  return [=](Findings& findings) { findings.numbers("part", values, {"a", "b", "c"}, fineness); };
}

TEST(Findings, OfTheSameAreTheSame) {
  const Comparing found = compared(numbers({0.1, kNan, -0.0}), numbers({0.1, -kNan, 0.0}));
  EXPECT_EQ(found.agreement, Agreement::same);
  EXPECT_EQ(found.parts, 1);
  EXPECT_EQ(found.numbers, 3);
  EXPECT_TRUE(found.differences.empty());
}

TEST(Findings, AreWithinAToleranceOfTheLargest) {
  const double large = 100.5, step = 0.009;  // the tolerance is 0.01005
  EXPECT_EQ(compared(numbers({large, 1.5}), numbers({large, 1.5 + step})).agreement, Agreement::within);
  EXPECT_EQ(compared(numbers({large, 1.5}), numbers({large, 1.5 + 2 * step})).agreement, Agreement::different);
  // Of outputs, whose difference the numbers are.
  EXPECT_EQ(compared(numbers({0.5}), numbers({0.5 + step})).agreement, Agreement::different);
  EXPECT_EQ(compared(numbers({0.5}), numbers({0.5 + step}, {large, 0, 0})).agreement, Agreement::within);
}

TEST(Findings, NameTheFirstAndTheLargestDifference) {
  const Comparing found = compared(numbers({1.5, 2.5, 3.5}), numbers({1.5, 2.6, 3.0}));
  ASSERT_EQ(found.differences.size(), 1U);
  const PartDifference& one = found.differences[0];
  EXPECT_EQ(one.part, "part");
  EXPECT_EQ(one.differing, 2);
  EXPECT_EQ(one.first->place, "1 (b)");
  EXPECT_EQ(one.first->then, 2.5);
  EXPECT_EQ(one.first->now, 2.6);
  EXPECT_EQ(one.largest->place, "2 (c)");
  EXPECT_NEAR(one.largest->difference(), 0.5, 1e-12);
}

TEST(Findings, OfANumberThatIsNoneNowDiffer) {
  EXPECT_EQ(compared(numbers({1.5, 2.5}), numbers({1.5, kNan})).agreement, Agreement::different);
  EXPECT_EQ(compared(numbers({1.5, kNan}), numbers({1.5, 2.5})).agreement, Agreement::different);
  EXPECT_EQ(compared(numbers({1.5}), numbers({HUGE_VAL})).agreement, Agreement::different);
}

// Classes, indices and counts have no tolerance, however large others are.
TEST(Findings, OfWholeNumbersAreExact) {
  EXPECT_EQ(compared(numbers({123456.5, 281}), numbers({123456.5, 282}), 1).agreement, Agreement::different);
}

TEST(Findings, AllowALastDigitAndAStep) {
  EXPECT_EQ(compared(numbers({0.123456}), numbers({0.123457}, {0, 0, 6}), 0).agreement, Agreement::within);
  EXPECT_EQ(compared(numbers({0.123456}), numbers({0.123459}, {0, 0, 6}), 0).agreement, Agreement::different);
  EXPECT_EQ(compared(numbers({3, 4}), numbers({3, 5}, {0, 1, 0}), 0).agreement, Agreement::within);
  EXPECT_EQ(compared(numbers({3, 4}), numbers({3, 6}, {0, 1, 0}), 0).agreement, Agreement::different);
}

TEST(Findings, TellWhatIsMissingNewOrLonger) {
  const Told two = [](Findings& f) { f.words("first", {"x"}), f.numbers("second", std::vector{1.0}); };
  const Told other = [](Findings& f) { f.numbers("second", std::vector{1.0, 2.0}), f.words("third", {"y"}); };
  const Comparing found = compared(two, other);
  EXPECT_EQ(found.agreement, Agreement::different);
  ASSERT_EQ(found.differences.size(), 3U);
  EXPECT_EQ(found.differences[0].what, "1 numbers then, 2 now");
  EXPECT_EQ(found.differences[1].what, "the record does not have it");
  EXPECT_EQ(found.differences[2].part, "first");
  EXPECT_EQ(found.differences[2].what, "it is not there now");
}

TEST(Findings, OfWordsNameTheFirstThatIsAnother) {
  const Comparing found = compared(
      [](Findings& f) {
        f.words("target", {"boot", "logit"});
      },
      [](Findings& f) {
        f.words("target", {"boot", "probability"});
      });
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].what, "'logit' then, 'probability' now");
}

// A part too large to be kept whole is known by its hash, and by some of its numbers.
TEST(Findings, OfManyNumbersKeepSome) {
  std::vector<double> many(300'000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = std::sin(static_cast<double>(i));
  EXPECT_EQ(compared(numbers(many), numbers(many)).agreement, Agreement::same);
  std::vector<double> near = many, far = many;
  for (double& value : near) value *= 1 + 1e-7;
  for (double& value : far) value *= 2;
  const Comparing within = compared(numbers(many), numbers(near));
  EXPECT_EQ(within.agreement, Agreement::within);
  EXPECT_EQ(within.differences[0].count, 300'000);
  EXPECT_LE(within.differences[0].compared, 4096);
  EXPECT_EQ(compared(numbers(many), numbers(far)).agreement, Agreement::different);
  WrittenFindings written;
  numbers(many)(written);
  EXPECT_LT(written.json().dump(-1).size(), 50'000U);
}

TEST(Findings, OfADocumentLeaveOutTimesPathsAndSentences) {
  const auto json = [](const char* seconds, const char* value) {
    return parse_json(fmt::format(R"({{"seconds": {}, "model": "a.onnx", "players": ["p", "q"],
      "methods": [{{"name": "m", "seconds": 1, "values": [0.5, {}], "notes": ["took {} s"]}}]}})",
                                  seconds, value, seconds),
                      "json");
  };
  const auto tell = [](const Json& document) {
    return [document](Findings& findings) { tell_json(findings, "", document); };
  };
  EXPECT_EQ(compared(tell(json("1", "2.5")), tell(json("7", "2.5"))).agreement, Agreement::same);
  const Comparing found = compared(tell(json("1", "2.5")), tell(json("1", "3.5")));
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].part, "methods, 0 m, values");
  EXPECT_EQ(found.differences[0].first->place, "1 (q)");
}

TEST(Findings, ThatNobodyWroteAreRefused) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const Json json = parse_json(text, "record.json");
    expect_error(ErrorKind::io, part, [&] { ComparedFindings(JsonPlace(json, "record.json"), 0); });
  };
  const std::string hash(64, 'a');
  expect("{}", "parts");
  expect(R"({"parts": [{"part": "a", "count": 1, "sha256": "zz"}]})", "is not a SHA-256");
  expect(R"({"parts": [{"part": "a", "count": -1, "sha256": ")" + hash + R"("}]})", "count");
  expect(R"({"parts": [{"part": "a", "count": 2, "sha256": ")" + hash + R"(", "values": "AAAAAAAAAAA="}]})",
         "has 1 numbers");
  expect(R"({"parts": [{"part": "a", "count": 1, "sha256": ")" + hash + R"(", "values": "!"}]})",
         "is not a list of numbers");
  expect(R"({"parts": [{"part": "a", "count": 1, "every": 0, "sha256": ")" + hash + R"("}]})", "every");
  const std::string one = R"({"part": "a", "count": 1, "sha256": ")" + hash + R"("})";
  expect(R"({"parts": [)" + one + "," + one + "]}", "twice");
}

}  // namespace
}  // namespace ascribe::core::study
