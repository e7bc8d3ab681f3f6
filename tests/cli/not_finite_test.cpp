// A model whose output at the baseline is minus infinity, and one that is not a number at it: whatever is asked about
// it, with every method and metric, no table, document, page or file has inf or nan where a number should be.
#include <filesystem>
#include <regex>

#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/run_ascribe.h"
#include "onnx/model_maker.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;

// inf and nan as printf, Python and JavaScript write them, as a word of its own.
std::string spelled_numbers(const std::string& text) {
  static const std::regex word(R"((^|[^A-Za-z_])([-+]?(inf|nan|NaN|Infinity|INF|NAN))(?![A-Za-z_.]))");
  std::string found;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
    const size_t from = static_cast<size_t>(at->position()), begin = from < 30 ? 0 : from - 30;
    found += "\n  ..." + text.substr(begin, 70);
  }
  return found;
}

class NotFinite : public testing::Test {
 protected:
  // y = log(x W), for which f(0) is minus infinity; with a shift below 0 f(0) is not a number.
  std::string model(float shift) {
    ModelMaker maker;
    maker.input("x", {"N", 4}).output("y");
    maker.floats("w", {4, 2}, {1, 0.5F, 2, 1, 0.5F, 3, 1, 1});
    maker.floats("shift", {1}, {shift});
    maker.node("MatMul", {"x", "w"}, {"h"});
    maker.node("Add", {"h", "shift"}, {"shifted"});
    maker.node("Log", {"shifted"}, {"y"});
    return folder_.write("log.onnx", maker.bytes());
  }
  std::string rows(int count = 1) {
    std::string text = "a,b,c,d\n";
    for (int i = 0; i < count; ++i) text += fmt::format("{},2,3,{}\n", 1 + i, 4 - 0.5 * i);
    return folder_.write("rows.csv", text);
  }
  std::string out(const std::string& name) { return folder_.path(name); }

  // Done, or refused as numeric failure or for want of a method; and no number in sight that is none.
  void ask(const std::vector<std::string>& arguments) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(arguments, " ")));
    const Said said = run_ascribe(arguments);
    EXPECT_TRUE(said.code == 0 || said.code == 4 || said.code == 6) << said.code << " " << said.err;
    EXPECT_EQ(spelled_numbers(said.out), "");
    EXPECT_EQ(spelled_numbers(said.err), "");
  }

  void expect_clean_files() {
    for (const auto& entry : fs::recursive_directory_iterator(folder_.root())) {
      const std::string suffix = entry.path().extension().string();
      if (suffix != ".csv" && suffix != ".json" && suffix != ".md" && suffix != ".svg") continue;
      EXPECT_EQ(spelled_numbers(read_file(entry.path())), "") << entry.path();
    }
  }

  TemporaryFolder folder_;
};

TEST_F(NotFinite, IsFoundWhereItIsWritten) {  // the test's own eyes
  EXPECT_NE(spelled_numbers("change +inf;"), "");
  EXPECT_NE(spelled_numbers("\"sum\":-nan,"), "");
  EXPECT_NE(spelled_numbers("a,inf,b"), "");
  EXPECT_EQ(spelled_numbers("information, nanometres, f(b) is minus infinity"), "");
}

TEST_F(NotFinite, ValuesOfEveryMethodAreSaidInWords) {
  for (const float shift : {0.0F, -1.0F}) {
    const std::string asked = model(shift);
    ask({"explain", asked, rows(), "--method", "all"});
    ask({"explain", asked, rows(), "--method", "all", "--json"});
    ask({"explain", asked, rows(), "--method", "all", "--force", "-o", out("explained")});
  }
  expect_clean_files();
}

TEST_F(NotFinite, TheChangeIsNotANumberEither) {
  const Said said = run_ascribe({"explain", model(0), rows(), "--method", "lrp_epsilon,gradient_x_input"});
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(said.out.find("f(b) is minus infinity: no change can be told"), std::string::npos) << said.out;
}

TEST_F(NotFinite, ScoresOfEveryMetricAreLeftOpen) {
  for (const float shift : {0.0F, -1.0F}) {
    const std::vector<std::string> asked = {"evaluate", model(shift), rows(5), "--method", "all", "--metric", "all"};
    ask(asked);
    std::vector<std::string> more = asked;
    more.emplace_back("--json");
    ask(more);
    more.back() = "--force";
    more.insert(more.end(), {"-o", out("evaluated")});
    ask(more);
  }
  expect_clean_files();
}

TEST_F(NotFinite, EveryOtherCommandRefusesOrSaysItInWords) {
  for (const float shift : {0.0F, -1.0F}) {
    const std::string asked = model(shift), x = rows();
    for (const bool json : {false, true}) {
      for (std::vector<std::string> one :
           std::vector<std::vector<std::string>>{{"predict", asked, x},
                                                 {"decompose", asked, x},
                                                 {"audit", asked, x},
                                                 {"verify", asked, x},
                                                 {"compare", asked, x, "gradient_x_input", "lrp_epsilon"},
                                                 {"explain", asked, x, "--method", "shapley"}}) {
        if (json) one.emplace_back("--json");
        ask(one);
      }
    }
    ask({"report", asked, x, "-o", out("report.html"), "--force"});
  }
  expect_clean_files();
}

// The prediction itself is not finite: that is the result, so there is none.
TEST_F(NotFinite, PredictionsAreRefused) {
  const std::string x = folder_.write("zero.csv", "a,b,c,d\n0,0,0,0\n");
  for (const float shift : {0.0F, -1.0F}) {
    const Said said = run_ascribe({"predict", model(shift), x});
    EXPECT_EQ(said.code, 6);
    EXPECT_NE(said.err.find(shift < 0 ? "is not a number" : "is minus infinity"), std::string::npos) << said.err;
    EXPECT_EQ(spelled_numbers(said.out + said.err), "");
  }
}

}  // namespace
}  // namespace ascribe::core
