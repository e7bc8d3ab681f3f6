#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/run_ascribe.h"
#include "onnx/model_maker.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

class DecomposeAndOr : public testing::Test {
 protected:
  // Of zeros and ones, the largest of a row is their OR.
  std::string largest(int count) {
    ModelMaker maker;
    maker.input("x", {"N", count}).output("y");
    onnx::NodeProto& node = maker.node("ReduceMax", {"x"}, {"y"});
    auto* axes = node.add_attribute();
    axes->set_name("axes");
    axes->set_type(onnx::AttributeProto::INTS);
    axes->add_ints(1);
    return folder_.write("or.onnx", maker.bytes());
  }
  std::string row(int count) {
    std::string names = "a0", ones = "1";
    for (int i = 1; i < count; ++i) names += ",a" + std::to_string(i), ones += ",1";
    return folder_.write("row.csv", names + "\n" + ones + "\n");
  }

  TemporaryFolder folder_;
};

TEST_F(DecomposeAndOr, ADisjunctionIsOneEffect) {
  const Said said = run_ascribe({"decompose", largest(3), row(3), "--and-or", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json split = Json::parse(said.out)["and_or"];
  ASSERT_EQ(split["effects"].size(), 1U) << split;
  EXPECT_EQ(split["effects"][0]["kind"], "or");
  EXPECT_EQ(split["effects"][0]["support"], Json({0, 1, 2}));
  EXPECT_NEAR(split["effects"][0]["value"], 1, 1e-6);
  EXPECT_NEAR(split["strength"], 1, 1e-6);
  EXPECT_NEAR(split["and_alone"], 7, 1e-6);
  EXPECT_EQ(split["optimal"], true);
  EXPECT_EQ(split["effects_above"][0]["and_or"], 1);
  EXPECT_EQ(split["effects_above"][0]["and_alone"], 7);
}

TEST_F(DecomposeAndOr, IsPrintedInWords) {
  const Said said = run_ascribe({"decompose", largest(3), row(3), "--and-or"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("a0 or a1 or a2"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("No other split has a smaller sum"), std::string::npos) << said.out;
}

TEST_F(DecomposeAndOr, IsWrittenAsPicturesAndArrays) {
  const std::string out = folder_.path("out");
  const Said said = run_ascribe({"decompose", largest(3), row(3), "--and-or", "--out", out});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(read_file(out + "/and_or.svg").find("a0 or a1 or a2"), std::string::npos);
  EXPECT_NE(read_file(out + "/strengths.svg").find("AND alone"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(out + "/effects.npz"));
}

TEST_F(DecomposeAndOr, RefusesWhatItCannotDo) {
  const Said many = run_ascribe({"decompose", largest(11), row(11), "--and-or"});
  EXPECT_NE(many.code, 0);
  EXPECT_NE(many.err.find("[--and-or] got 11 players"), std::string::npos) << many.err;
  EXPECT_NE(many.err.find("--force for up to 12"), std::string::npos) << many.err;
  const Said forced = run_ascribe({"decompose", largest(13), row(13), "--and-or", "--force"});
  EXPECT_NE(forced.code, 0);
  EXPECT_NE(forced.err.find("[--and-or] got 13 players"), std::string::npos) << forced.err;
  const Said order = run_ascribe({"decompose", largest(3), row(3), "--and-or", "--order", "2"});
  EXPECT_NE(order.code, 0);
  EXPECT_NE(order.err.find("expected no --order"), std::string::npos) << order.err;
}

}  // namespace
}  // namespace ascribe::core
