// Models of token ids through the command line.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "onnx/model_maker.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

class TokenCommands : public testing::Test {
 protected:
  // f = sum over positions t of (t + 1) e(id_t), with e(id) = 10^id.
  std::string model() {
    ModelMaker maker;
    maker.input("input_ids", {"batch", 3}, onnx::TensorProto::INT64);
    maker.raw<float>("table", {4, 1}, onnx::TensorProto::FLOAT, {1, 10, 100, 1000});
    maker.raw<float>("weights", {3, 1}, onnx::TensorProto::FLOAT, {1, 2, 3});
    maker.node("Gather", {"table", "input_ids"}, {"embedded"}, "embed");
    maker.node("Flatten", {"embedded"}, {"flat"}, "flat");
    maker.node("MatMul", {"flat", "weights"}, {"score"}, "end");
    maker.output("score", {"batch", 1});
    return folder_.write("text.onnx", maker.bytes());
  }
  std::string ids() { return folder_.write("ids.txt", "2 1 3\n"); }
  std::string vocabulary() { return folder_.write("vocab.txt", "[PAD]\nbad\nnot\n##ly\n"); }

  static Json json_of(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? Json::parse(said.out) : Json();
  }

  TemporaryFolder folder_;
};

TEST_F(TokenCommands, ExplainNamesTokensAndReplacesThem) {
  const Json json = json_of({"explain", model(), ids(), "-m", "occlusion,gradient_x_input", "--tokens", vocabulary()});
  EXPECT_EQ(json["players"], (Json{"0 not", "1 bad", "2 ly"}));
  EXPECT_EQ(json["ids"], (Json{2, 1, 3}));
  EXPECT_EQ(json["baseline"], "pad");
  EXPECT_EQ(json["methods"][0]["values"], (Json{99.0, 18.0, 2997.0}));
  EXPECT_EQ(json["methods"][1]["values"], (Json{100.0, 20.0, 3000.0}));
}

TEST_F(TokenCommands, ExplainSaysWhatItAssumed) {
  const Said said = run_ascribe({"explain", model(), ids(), "-m", "occlusion"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* part : {"enter at node 'embed' (gather), a table of 4 x 1", "an embedding of zeros", "--baseline"}) {
    EXPECT_NE(said.err.find(part), std::string::npos) << part << "\n" << said.err;
  }
  EXPECT_EQ(said.out.find('\x1b'), std::string::npos);  // no colours into a pipe
}

TEST_F(TokenCommands, EveryVerbTakesThem) {
  const std::string players = "--players", words = "words";
  const Json decomposed = json_of({"decompose", model(), ids(), "--tokens", vocabulary(), players, words});
  EXPECT_EQ(decomposed["players"], (Json{"0 not", "1-2 badly"}));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"audit", model(), ids(), "-m", "occlusion", "--tokens", vocabulary()},
        {"compare", model(), ids(), "occlusion", "shapley", "--tokens", vocabulary()},
        {"predict", model(), ids()},
        {"explain", model(), ids(), "-m", "occlusion", "--at", "flat", "--baseline", "token:0"},
        {"compile", model(), "--method", "occlusion", "--baseline", "token:0", "-o", folder_.path("a.onnx")},
        {"report", model(), ids(), "--tokens", vocabulary(), "-m", "occlusion,shapley", "-o",
         folder_.path("r.html")}}) {
    const Said said = run_ascribe(command);
    EXPECT_EQ(said.code, 0) << command[0] << ": " << said.err;
  }
  const Json report = Json::parse(read_file(folder_.path("r.json")));
  EXPECT_EQ(report["rows"][0]["kind"], "text");
  EXPECT_EQ(report["rows"][0]["text"][2]["text"], "ly");
}

TEST_F(TokenCommands, PicturesAreText) {
  const Said said =
      run_ascribe({"explain", model(), ids(), "-m", "occlusion", "--tokens", vocabulary(), "-o", folder_.path("out")});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* name : {"out/occlusion.svg", "out/sheet.svg"}) {
    EXPECT_NE(read_file(folder_.path(name)).find(">not</text>"), std::string::npos) << name;
  }
}

TEST_F(TokenCommands, TheCompiledFileTakesIds) {
  const std::string file = folder_.path("a.onnx");
  const Json compiled = json_of({"compile", model(), "--method", "gradient_x_input", "--target", "0", "-o", file});
  EXPECT_EQ(compiled["inputs"][0]["name"], "input_ids");
  const Json said = json_of({"predict", file, ids()});
  const Json& outputs = said["predictions"][0]["outputs"];
  EXPECT_EQ(outputs[1]["name"], "attribution");
  EXPECT_EQ(outputs[1]["values"], (Json{100.0, 20.0, 3000.0}));
}

}  // namespace
}  // namespace ascribe::core
