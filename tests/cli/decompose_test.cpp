#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/product_model.h"
#include "cli/run_ascribe.h"
#include "data/png.h"
#include "onnx/model_maker.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";
const std::string kBoot = kModels + "images/ankle_boot.png";

class Decompose : public testing::Test {
 protected:
  // y = x W + b with x [N, 3] and two classes.
  std::string linear() {
    ModelMaker maker;
    maker.input("x", {"N", 3}).output("y");
    maker.floats("w", {3, 2}, {1, 10, -2, 20, 0.5F, -40});
    maker.floats("b", {2}, {0.25F, 0.5F});
    maker.node("Gemm", {"x", "w", "b"}, {"y"}, "layer");
    return folder_.write("linear.onnx", maker.bytes());
  }
  std::string product() { return folder_.write("product.onnx", product_model_bytes()); }
  std::string table() { return folder_.write("row.csv", "age,height,weight\n3,4,2\n1,1,1\n"); }

  static Json json_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "decompose");
    arguments.push_back("--json");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? Json::parse(said.out) : Json();
  }
  static double effect(const Json& effects, const std::vector<int>& support) {
    for (const Json& one : effects) {
      if (one["support"] == Json(support)) return one["value"];
    }
    return NAN;
  }
  void expect_refused(int code, const std::string& part, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "decompose");
    arguments.push_back("--quiet");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, code) << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_NE(said.err.find(part), std::string::npos) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }

  TemporaryFolder folder_;
};

TEST_F(Decompose, OfALinearModelIsWeightTimesStep) {
  const Json json = json_of({linear(), table(), "--row", "0", "--target", "1", "--baseline", "value:1"});
  EXPECT_EQ(json["players"], Json({"age", "height", "weight"}));
  EXPECT_EQ(json["order"], 3);
  EXPECT_NEAR(json["output"], 30 + 80 - 80 + 0.5, 1e-5);
  EXPECT_NEAR(json["baseline_output"], -9.5, 1e-5);
  EXPECT_NEAR(effect(json["effects"], {0}), 10 * (3 - 1), 1e-5);
  EXPECT_NEAR(effect(json["effects"], {1}), 20 * (4 - 1), 1e-5);
  EXPECT_NEAR(effect(json["effects"], {2}), -40 * (2 - 1), 1e-5);
  EXPECT_NEAR(json["remainder"], 0, 1e-5);
  for (const Json& order : json["orders"]) {
    EXPECT_EQ(order["beyond_rounding"], order["players"] == 1 ? 3 : 0) << order;
  }
}

TEST_F(Decompose, AProductIsAnInteraction) {
  const Json json = json_of({product(), table(), "--row", "0"});
  EXPECT_EQ(json["explains"], "value");
  EXPECT_EQ(effect(json["effects"], {0, 1}), 12);
  EXPECT_EQ(effect(json["effects"], {0}), 0);
  EXPECT_EQ(effect(json["effects"], {2}), 2);
  EXPECT_EQ(json["evaluations"], 8);
}

TEST_F(Decompose, SeveralBaselinesAverage) {
  const std::string background = folder_.write("background.csv", "age,height,weight\n0,0,0\n2,2,0\n");
  const Json json = json_of({product(), table(), "--row", "0", "--baseline", "data:" + background});
  EXPECT_EQ(json["baselines"], 2);
  EXPECT_EQ(json["baseline_output"], 2);          // mean of 0 and 4
  EXPECT_EQ(effect(json["effects"], {0}), 1);     // (3 - 2) * 2 / 2
  EXPECT_EQ(effect(json["effects"], {0, 1}), 7);  // (3 * 4 + (3 - 2) * (4 - 2)) / 2
}

TEST_F(Decompose, GroupsOfAFileArePlayers) {
  const std::string groups = folder_.write("groups.json", R"({"pair": ["age", 1]})");
  const Json json = json_of({product(), table(), "--row", "0", "--players", "groups:" + groups});
  EXPECT_EQ(json["players"], Json({"pair"}));
  EXPECT_EQ(json["baseline_output"], 2);  // weight belongs to nobody and stays
  EXPECT_EQ(effect(json["effects"], {0}), 12);
}

TEST_F(Decompose, TruncatedLeavesARemainder) {
  const Json json = json_of({product(), table(), "--row", "0", "--order", "1"});
  EXPECT_EQ(json["order"], 1);
  EXPECT_EQ(json["exact"], false);
  EXPECT_EQ(json["effects"].size(), 3U);
  EXPECT_EQ(json["remainder"], 12);
}

TEST_F(Decompose, PrintsTheLargestEffectsFirst) {
  const Said said = run_ascribe({"decompose", product(), table(), "--row", "0", "--top", "2"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("product.onnx: y for row.csv row 0\n"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("  effect        value  share\n"
                          "  age & height    +12  85.7%\n"
                          "  weight           +2  14.3%\n"
                          "  and 5 smaller\n"),
            std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("8 evaluations in "), std::string::npos) << said.out;
}

TEST_F(Decompose, TaylorEffectsAddUpToTheInteractions) {
  const Json json = json_of({product(), table(), "--row", "0", "--taylor", "2"});
  const Json& taylor = json["taylor"];
  EXPECT_NEAR(effect(taylor["effects"], {0, 1}), 12, 1e-12);
  EXPECT_NEAR(taylor["remainder"], 0, 1e-12);
  EXPECT_EQ(taylor["piecewise_linear"], false);
}

TEST_F(Decompose, SaysThatTaylorDoesNotSeeKinks) {
  const Said said = run_ascribe({"decompose", kModels + "tabular_mlp.onnx", kModels + "tabular_sample.csv", "--row",
                                 "1", "--taylor", "2", "--quiet"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("J(S) is the thing to read"), std::string::npos) << said.out;
}

TEST_F(Decompose, GivesAnIndex) {
  const Json json = json_of({product(), table(), "--row", "0", "--index", "shapley"});
  EXPECT_EQ(json["index"]["name"], "shapley");
  EXPECT_NEAR(effect(json["index"]["effects"], {0}), 6, 1e-9);
  EXPECT_NEAR(effect(json["index"]["effects"], {2}), 2, 1e-9);
}

// 0 1 + 2: an index of a game of order 2 is exact whatever is sampled, and its standard errors say so.
TEST_F(Decompose, EstimatesAnIndex) {
  for (const std::string index : {"sii", "stii", "fsii"}) {
    const Json json = json_of({product(), table(), "--row", "0", "--index", index, "--samples", "200"});
    ASSERT_EQ(json["index"]["standard_errors"].size(), 6U) << index;
    EXPECT_NEAR(effect(json["index"]["effects"], {0, 1}), 12, 1e-6) << index;
    EXPECT_NEAR(effect(json["index"]["effects"], {1, 2}), 0, 1e-6) << index;
    EXPECT_FALSE(json.contains("effects")) << index;
  }
  const Said said = run_ascribe({"decompose", product(), table(), "--row", "0", "--index", "stii", "--samples", "200"});
  EXPECT_NE(said.out.find("+- (95 %)"), std::string::npos) << said.out << said.err;
  const std::string file = folder_.path("sampled.npz");
  EXPECT_EQ(
      run_ascribe({"decompose", product(), table(), "--row", "0", "--index", "sii", "--samples", "200", "-o", file})
          .code,
      0);
  EXPECT_EQ(parse_npz(read_file(file), file)[2].name, "index_standard_error");
}

TEST_F(Decompose, StepsOverASoftmax) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("p");
  maker.floats("w", {2, 2}, {1, 0, 0, 3});
  maker.node("MatMul", {"x", "w"}, {"z"});
  maker.node("Softmax", {"z"}, {"p"});
  const std::string model = folder_.write("softmax.onnx", maker.bytes());
  const std::string row = folder_.write("x.npy", format_npy(Tensor::of<float>({1, 2}, {1, 1})));
  const Json logit = json_of({model, row, "--target", "top"});
  EXPECT_EQ(logit["target"]["index"], 1);
  EXPECT_NEAR(logit["output"], 3, 1e-6);
  const Json probability = json_of({model, row, "--explain", "probability"});
  EXPECT_NEAR(probability["output"], 1 / (1 + std::exp(-2.0)), 1e-6);
  EXPECT_NEAR(probability["baseline_output"], 0.5, 1e-6);
}

TEST_F(Decompose, OfABundledImageModelAddsUp) {
  const Json json = json_of({kModels + "relu_vgg.onnx", kBoot, "--labels", kModels + "labels_fashion.txt", "--players",
                             "grid:2x3", "--quiet"});
  EXPECT_EQ(json["target"]["label"], "Ankle boot");
  EXPECT_EQ(json["players"].size(), 6U);
  double sum = json["baseline_output"];
  for (const Json& one : json["effects"]) sum += one["value"].get<double>();
  EXPECT_NEAR(sum, json["output"], 1e-4);
  EXPECT_EQ(json["evaluations"], 64);
}

TEST_F(Decompose, WritesPicturesAndArrays) {
  const std::string target = folder_.path("out");
  const std::vector<std::string> arguments = {
      "decompose", kModels + "relu_vgg.onnx", kBoot, "--players", "grid:2x2", "--out", target, "--quiet"};
  ASSERT_EQ(run_ascribe(arguments).code, 0);
  for (const char* name : {"independent.svg", "pairs.svg", "triples.svg", "orders.svg"}) {
    EXPECT_TRUE(read_file(target + "/" + name).starts_with("<svg ")) << name;
  }
  EXPECT_EQ(decode_png(read_file(target + "/independent.png"), "map").width, 448);
  EXPECT_EQ(Json::parse(read_file(target + "/effects.json"))["players"].size(), 4U);
  const auto arrays = parse_npz(read_file(target + "/effects.npz"), "effects");
  ASSERT_EQ(arrays[0].name, "dividends");
  EXPECT_EQ(arrays[0].values.shape(), (Shape{16}));

  const Said again = run_ascribe(arguments);
  EXPECT_EQ(again.code, 5);
  EXPECT_NE(again.err.find("--force"), std::string::npos);
  auto forced = arguments;
  forced.push_back("--force");
  EXPECT_EQ(run_ascribe(forced).code, 0);
}

TEST_F(Decompose, WritesBarsForATable) {
  const std::string target = folder_.path("out");
  ASSERT_EQ(run_ascribe({"decompose", product(), table(), "--row", "0", "-o", target}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(target + "/interactions.svg"));
  EXPECT_FALSE(std::filesystem::exists(target + "/pairs.svg"));
  EXPECT_NE(read_file(target + "/independent.svg").find("weight"), std::string::npos);
}

TEST_F(Decompose, WritesTheListOfATruncatedDecomposition) {
  const std::string target = folder_.path("e.npz");
  ASSERT_EQ(run_ascribe({"decompose", product(), table(), "--row", "0", "--order", "2", "-o", target}).code, 0);
  const auto arrays = parse_npz(read_file(target), "effects");
  ASSERT_EQ(arrays[0].name, "support");
  EXPECT_EQ(arrays[0].values.shape(), (Shape{6, 2}));
  EXPECT_EQ(arrays[0].values.at(1), -1);
}

TEST_F(Decompose, RefusesClearly) {
  const std::string image = kModels + "relu_vgg.onnx", out = folder_.path("out");
  expect_refused(2, "784 players (pixels) would take 2^784 evaluations", {image, kBoot, "-o", out});
  expect_refused(2, "307,722", {image, kBoot, "-o", out});
  expect_refused(2, "--row picks", {product(), table(), "-o", out});
  expect_refused(4, "there is no index 'nope'; expected one of", {product(), table(), "--row", "0", "--index", "nope"});
  expect_refused(2, "or --samples 20000", {image, kBoot, "--index", "sii"});
  expect_refused(2, "estimates an index of pairs", {product(), table(), "--row", "0", "--samples", "200"});
  expect_refused(2, "expected sii, stii or fsii",
                 {product(), table(), "--row", "0", "--samples", "200", "--index", "bii"});
  expect_refused(2, "ends in .npz",
                 {product(), table(), "--row", "0", "--samples", "200", "--index", "sii", "-o", out});
  expect_refused(2, "there is no value 3", {product(), table(), "--row", "0", "--target", "3"});
  expect_refused(2, "got 'boot'", {image, kBoot, "--players", "grid:2x2", "--target", "boot"});
  expect_refused(2, "needs an image", {product(), table(), "--row", "0", "--players", "grid:2x2"});
  expect_refused(2, "needs an image", {product(), table(), "--row", "0", "--baseline", "blur:2"});
  expect_refused(5, "cannot open", {product(), table(), "--row", "0", "--baseline", "file:/no/such.npy"});
  expect_refused(5, "do not fit", {image, kBoot, "--players", "grid:2x2", "--labels", table()});
  expect_refused(2, "does not end in a softmax", {image, kBoot, "--players", "grid:2x2", "--explain", "probability"});
  expect_refused(2, "expected a folder", {product(), table(), "--row", "0", "-o", "x.json"});
  expect_refused(5, "folder above", {product(), table(), "--row", "0", "-o", "/no/such/folder"});
  expect_refused(2, "budget", {image, kBoot, "--players", "grid:4x5", "--memory", "1M"});
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(Decompose, RefusesAnOutputThatIsNotFinite) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.floats("w", {2, 1}, {1, 1});
  maker.node("MatMul", {"x", "w"}, {"z"});
  maker.node("Log", {"z"}, {"y"});
  const std::string model = folder_.write("log.onnx", maker.bytes());
  const std::string row = folder_.write("x.npy", format_npy(Tensor::of<float>({1, 2}, {1, 1})));
  expect_refused(6, "for a masked input", {model, row});
}

}  // namespace
}  // namespace ascribe::core
