// Outputs with several axes on the command line: what predict shows, what a target may be.
#include <gtest/gtest.h>

#include "cli/run_ascribe.h"
#include "onnx/model_maker.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

class TargetsOnTheCommandLine : public testing::Test {
 protected:
  // y = relu(x), a map of two classes over two rows and two columns
  std::string map() const {
    ModelMaker maker;
    maker.input("x", {"N", 2, 2, 2}).output("y");
    maker.node("Relu", {"x"}, {"y"});
    return folder_.write("map.onnx", maker.bytes());
  }
  std::string rows() const {
    const Tensor x = Tensor::of<float>({1, 2, 2, 2}, {1, 5, 1, 1, 2, 2, 2, 2});
    return folder_.write("x.npy", format_npy(x));
  }

  TemporaryFolder folder_;
};

TEST_F(TargetsOnTheCommandLine, PredictShowsTheSharesOfClasses) {
  const Said said = run_ascribe({"predict", map(), rows()});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out,
            "y of x.npy: channel (2), row (2), column (2)\n"
            "  channel  largest at  least  mean  most\n"
            "        1  75.0 %          2     2     2\n"
            "        0  25.0 %          1     2     5\n");
}

TEST_F(TargetsOnTheCommandLine, PredictNamesClassesByTheirLabels) {
  const std::string labels = folder_.write("labels.txt", "sky\nroad\n");
  const Said said = run_ascribe({"predict", map(), rows(), "--labels", labels, "--top", "1"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("    1  road   75.0 %"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("sky"), std::string::npos) << said.out;
  const std::string three = folder_.write("three.txt", "sky\nroad\ntree\n");
  EXPECT_EQ(run_ascribe({"predict", map(), rows(), "--labels", three}).code, 5);
}

TEST_F(TargetsOnTheCommandLine, ExplainTakesAClassAndItsPlaces) {
  const auto explain = [&](const std::string& target) {
    return run_ascribe({"explain", map(), rows(), "-m", "gradient_x_input", "--target", target});
  };
  const Said sum = explain("class=0,sum");
  EXPECT_EQ(sum.code, 0) << sum.err;
  EXPECT_NE(sum.out.find("map.onnx: logit of class 0, summed over all 4 places for x.npy\n  f(x) 8,"),
            std::string::npos)
      << sum.out;
  const Said top = explain("top");
  EXPECT_NE(top.out.find("f(x) 6,"), std::string::npos) << top.out;  // 2 at three places
  EXPECT_NE(top.err.find("--target class=1,sum takes all places"), std::string::npos) << top.err;
  const Said number = explain("1");
  EXPECT_EQ(number.code, 2);
  EXPECT_EQ(number.out, "");
  EXPECT_NE(number.err.find("has the axes channel (2), row (2), column (2)"), std::string::npos) << number.err;
}

TEST_F(TargetsOnTheCommandLine, EvaluateNeedsATargetThatAllSamplesShare) {
  const auto evaluate = [&](const std::string& target) {
    return run_ascribe(
        {"evaluate", map(), rows(), "-m", "gradient_x_input", "--metric", "sparseness", "--target", target});
  };
  EXPECT_EQ(evaluate("class=0,sum").code, 0) << evaluate("class=0,sum").err;
  const Said top = evaluate("top");
  EXPECT_EQ(top.code, 2) << top.out;
  EXPECT_NE(top.err.find("reads other numbers of every sample"), std::string::npos) << top.err;
}

}  // namespace
}  // namespace ascribe::core
