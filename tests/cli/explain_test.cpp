#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/product_model.h"
#include "cli/run_ascribe.h"
#include "data/png.h"
#include "methods/method.h"
#include "onnx/model_maker.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";
const std::string kBoot = kModels + "images/ankle_boot.png";
const std::string kVgg = kModels + "relu_vgg.onnx";

class Explain : public testing::Test {
 protected:
  std::string product() { return folder_.write("product.onnx", product_model_bytes()); }
  std::string table() { return folder_.write("row.csv", "age,height,weight\n3,4,2\n1,5,1\n"); }

  static Json json_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "explain");
    arguments.push_back("--json");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? Json::parse(said.out) : Json();
  }
  static void expect_refused(int code, const std::vector<std::string>& parts, std::vector<std::string> arguments,
                             const std::string& command = "explain") {
    arguments.insert(arguments.begin(), command);
    arguments.push_back("--quiet");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, code) << said.err;
    EXPECT_EQ(said.out, "");
    for (const std::string& part : parts) EXPECT_NE(said.err.find(part), std::string::npos) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  std::vector<std::string> files_in(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path(name))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  TemporaryFolder folder_;
};

// x0 x1 + x2 at (3, 4, 2): 12 and 2, and 12 in halves.
TEST_F(Explain, TracesTheWayBack) {
  const std::vector<std::string> arguments = {product(), table(), "--row", "0", "--method", "lrp_epsilon,occlusion",
                                              "--trace"};
  const Json json = json_of(arguments);
  EXPECT_FALSE(json["methods"][1].contains("trace"));
  const Json trace = json["methods"][0]["trace"];
  EXPECT_EQ(trace["start"], 14);
  EXPECT_NEAR(trace["arrived"].get<double>(), 14, 1e-4);
  double lost = 0;
  int products = 0;
  for (const Json& step : trace["steps"]) {
    lost += step["lost"].get<double>();
    if (step["op"] != "mul") continue;
    ++products;
    EXPECT_EQ(step["rule"], "halves");
    EXPECT_NEAR(step["received"].get<double>(), 12, 1e-4);
    EXPECT_NEAR(step["passed_on"].get<double>(), 12, 1e-4);
  }
  EXPECT_EQ(products, 1);
  EXPECT_NEAR(lost, 14 - trace["arrived"].get<double>(), 1e-4);

  std::vector<std::string> shown = arguments;
  shown.insert(shown.begin(), "explain");
  const Said said = run_ascribe(shown);
  EXPECT_NE(said.out.find("The way back of lrp_epsilon: +14 at the output, +14 at the input"), std::string::npos);
  EXPECT_NE(said.out.find("halves"), std::string::npos) << said.out;
  expect_refused(2, {"trace", "none of the methods goes back"},
                 {product(), table(), "--method", "occlusion", "--trace"});
}

TEST_F(Explain, GivesValuesWithAnAccountOfThem) {
  const Json json = json_of({product(), table(), "--row", "0", "--method", "gradient_x_input"});
  EXPECT_EQ(json["input"], "row.csv row 0");
  EXPECT_EQ(json["target"]["index"], 0);
  EXPECT_EQ(json["explains"], "value");
  EXPECT_EQ(json["output"], 14);
  EXPECT_EQ(json["baseline_output"], 0);
  EXPECT_EQ(json["players"], Json({"age", "height", "weight"}));
  const Json& method = json["methods"][0];
  EXPECT_EQ(method["name"], "gradient_x_input");
  EXPECT_EQ(method["values"], Json({12, 12, 2}));
  EXPECT_EQ(method["sum"], 26);
  EXPECT_EQ(method["residual"], 14 - 26);
  EXPECT_EQ(method["exact"], true);
  EXPECT_TRUE(method["standard_error"].is_null());
  EXPECT_GE(method["seconds"], 0);
}

TEST_F(Explain, BaselinesAndParametersReachTheMethods) {
  const Json json = json_of({product(), table(), "--row", "0", "--method", "integrated_gradients,gradient_x_input",
                             "--baseline", "value:1", "--set", "steps=2"});
  // f(1, 1, 1) = 2; along the path both x0 and x1 grow linearly: (x_i - 1) times the other's mean.
  EXPECT_EQ(json["baseline_output"], 2);
  EXPECT_EQ(json["methods"][0]["parameters"]["steps"], "2");
  EXPECT_FALSE(json["methods"][1]["parameters"].contains("steps"));
  const Json& values = json["methods"][0]["values"];
  EXPECT_NEAR(values[0], 2 * 2.5, 1e-5);
  EXPECT_NEAR(values[1], 3 * 2, 1e-5);
  EXPECT_NEAR(values[2], 1, 1e-5);
  EXPECT_NEAR(json["methods"][0]["residual"], 0, 1e-5);
}

// f(b) of the question, whichever method comes first; a method that draws its own baselines has another.
TEST_F(Explain, TheBaselineOutputIsTheQuestions) {
  for (const char* methods : {"expected_gradients,gradient_x_input", "gradient_x_input,expected_gradients"}) {
    const Json json = json_of({product(), table(), "--row", "0", "--method", methods, "--baseline", "value:1", "--set",
                               "expected_gradients.distribution=gaussian"});
    EXPECT_EQ(json["baseline_output"], 2);
    EXPECT_EQ(json["output"], 14);
    for (const Json& method : json["methods"]) {
      if (method["name"] == "gradient_x_input") EXPECT_EQ(method["baseline_output"], 2);
      else EXPECT_NE(method["baseline_output"], 2);
    }
  }
}

// y = x0 + log(x1): f(0) is minus infinity.
TEST_F(Explain, MethodsThatReadNoBaselineDoNotMindAnInfiniteOne) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.floats("left", {2, 1}, {1, 0});
  maker.floats("right", {2, 1}, {0, 1});
  maker.node("MatMul", {"x", "left"}, {"a"});
  maker.node("MatMul", {"x", "right"}, {"b"});
  maker.node("Log", {"b"}, {"logarithm"});
  maker.node("Add", {"a", "logarithm"}, {"y"});
  const std::string model = folder_.write("log.onnx", maker.bytes()), row = folder_.write("log.csv", "a,b\n3,4\n");
  const Json json = json_of({model, row, "--method", "gradient_x_input"});
  EXPECT_EQ(json["methods"][0]["values"], Json({3, 1}));
  EXPECT_TRUE(json["baseline_output"].is_null());
  EXPECT_TRUE(json["methods"][0]["residual"].is_null());
  EXPECT_NE(json["methods"][0]["notes"].dump().find("does not use b"), std::string::npos);
  expect_refused(6, {"minus infinity for a masked input"}, {model, row, "--method", "occlusion"});
}

TEST_F(Explain, NamesTheLayerOfAMap) {
  const Json json = json_of({kVgg, kBoot, "--method", "grad_cam"});
  const Json& layers = json["methods"][0]["layers"];
  ASSERT_EQ(layers.size(), 1U);
  const Said said = run_ascribe({"explain", kVgg, kBoot, "--method", "grad_cam"});
  EXPECT_NE(said.err.find("the map shows layer '" + layers[0].get<std::string>() + "' (relu, "), std::string::npos)
      << said.err;
}

TEST_F(Explain, RowsOfABatchAreWhatTheyAreAlone) {
  const Json both = json_of({product(), table(), "--method", "gradient_x_input,integrated_gradients"});
  ASSERT_EQ(both["rows"].size(), 2U);
  for (int row = 0; row < 2; ++row) {
    const Json alone = json_of(
        {product(), table(), "--row", std::to_string(row), "--method", "gradient_x_input,integrated_gradients"});
    EXPECT_EQ(both["rows"][row]["input"], alone["input"]);
    EXPECT_EQ(both["rows"][row]["output"], alone["output"]);
    for (int m = 0; m < 2; ++m) {
      EXPECT_EQ(both["rows"][row]["methods"][m]["values"], alone["methods"][m]["values"]) << row << " " << m;
    }
  }
}

TEST_F(Explain, EveryMethodOfThePaperIsRunOrSaidToBeLeftOut) {
  const Json json = json_of({product(), table(), "--row", "0", "--method", "all"});
  std::vector<std::string> named, expected;
  for (const Json& method : json["methods"]) named.push_back(method["name"]);
  for (const Json& method : json["left_out"]) {
    named.push_back(method["name"]);
    EXPECT_NE(method["reason"], "");
  }
  for (const std::string& name : method_names()) {
    if (method_named(name).number > 0) expected.push_back(name);
  }
  std::sort(named.begin(), named.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(named, expected);
}

TEST_F(Explain, PrintsALinePerMethod) {
  const Said said =
      run_ascribe({"explain", product(), table(), "--row", "0", "--method", "gradient_x_input,gradient", "--top", "1"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(
      said.out.starts_with("product.onnx: y for row.csv row 0\n"
                           "  f(x) 14, f(b) 0, change +14; 3 players (columns), baseline b zero\n"))
      << said.out;
  EXPECT_NE(said.out.find("\n  gradient_x_input  +26       +14       -12  exact "), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("\n  gradient           +8         -         -  exact "), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("  age +12\n"), std::string::npos) << said.out;
}

TEST_F(Explain, WritesPicturesAndArrays) {
  const std::string out = folder_.path("boot");
  const Json json = json_of({kVgg, kBoot, "--method", "gradient_x_input,gradient", "-o", out});
  EXPECT_EQ(files_in("boot"), (std::vector<std::string>{"arrays.npz", "attributions.csv", "explanation.json",
                                                        "gradient.png", "gradient.svg", "gradient_x_input.png",
                                                        "gradient_x_input.svg", "record.json", "sheet.svg"}));
  const Image map = decode_png(read_file(out + "/gradient.png"), "map");
  EXPECT_EQ(map.width, 28 * 16);
  std::map<std::string, Tensor> arrays;
  for (const Array& array : parse_npz(read_file(out + "/arrays.npz"), "arrays")) arrays[array.name] = array.values;
  ASSERT_TRUE(arrays.contains("gradient_players"));
  EXPECT_EQ(arrays.at("gradient").shape(), (Shape{1, 1, 28, 28}));
  EXPECT_EQ(arrays.at("x").shape(), (Shape{1, 1, 28, 28}));
  EXPECT_EQ(arrays.at("gradient_players").shape(), (Shape{1, 784}));
  EXPECT_EQ(json["methods"][1]["values"][300], arrays.at("gradient_players").at(300));
  EXPECT_NEAR(arrays.at("gradient_x_input").at(400), arrays.at("gradient").at(400) * arrays.at("x").at(400), 1e-6);
  Json document = Json::parse(read_file(out + "/explanation.json"));
  EXPECT_EQ(document["methods"][0]["values"], json["methods"][0]["values"]);
  expect_refused(5, {"exists already"}, {kVgg, kBoot, "--method", "gradient", "-o", out});
}

TEST_F(Explain, FilesOfSeveralRowsCarryTheirNumbers) {
  json_of({product(), table(), "--method", "gradient", "-o", folder_.path("two")});
  EXPECT_EQ(files_in("two"),
            (std::vector<std::string>{"arrays.npz", "attributions.csv", "explanation.json", "record.json",
                                      "row_0_gradient.svg", "row_0_sheet.svg", "row_1_gradient.svg", "row_1_sheet.svg",
                                      "summary_gradient.svg"}));
}

TEST_F(Explain, ManyPlayersGoToTheFileOfArrays) {
  ModelMaker maker;
  maker.input("x", {"N", 5000}).output("y");
  maker.node("ReduceSum", {"x"}, {"y"});
  const std::string model = folder_.write("sum.onnx", maker.bytes());
  const std::string x = folder_.write("x.npy", format_npy(Tensor(DType::f32, {1, 5000})));
  const std::string out = folder_.path("a.npz");
  const Json json = json_of({model, x, "--method", "gradient", "-o", out, "--players", "elements"});
  EXPECT_FALSE(json["methods"][0].contains("values"));
  EXPECT_EQ(json["methods"][0]["file"], out);
  EXPECT_EQ(json["methods"][0]["array"], "gradient_players");
}

TEST_F(Explain, RefusesBadRequestsInOneLine) {
  const std::string model = product(), data = table();
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {model, data, "--row", "0"});
    return more;
  };
  expect_refused(4, {"[gradent]", "gradient_x_input", "integrated_gradients"}, with({"--method", "gradent"}));
  expect_refused(2, {"no parameter 'stps'", "steps (integrated_gradients)"},
                 with({"--method", "integrated_gradients", "--set", "stps=3"}));
  expect_refused(2, {"no parameter 'steps'", "no parameters"}, with({"--method", "gradient", "--set", "steps=3"}));
  expect_refused(2, {"steps = '-3'", "expected an integer"},
                 with({"--method", "integrated_gradients", "--set", "steps=-3"}));
  expect_refused(2, {"'occlusion'", "not chosen"}, with({"--method", "gradient", "--set", "occlusion.steps=3"}));
  expect_refused(2, {"expected KEY=VALUE"}, with({"--method", "gradient", "--set", "steps"}));
  expect_refused(2, {"no value 7", "0 to 0"}, with({"--method", "gradient", "--target", "7"}));
  expect_refused(2, {"--players"}, with({"--method", "gradient", "--players", "dogs"}));
  const std::string narrow = folder_.write("narrow.csv", "age,height\n1,2\n");
  expect_refused(5, {"narrow.csv"}, with({"--method", "integrated_gradients", "--baseline", "data:" + narrow}));
  expect_refused(2, {"expected a folder"}, with({"--method", "gradient", "-o", folder_.path("x.png")}));
}

TEST_F(Explain, AMethodThatTheModelDoesNotSuitIsAnErrorIfItIsNamed) {
  expect_refused(4, {"[grad_cam]", "no convolution"}, {product(), table(), "--row", "0", "--method", "grad_cam"});
  const Said all = run_ascribe({"explain", product(), table(), "--row", "0", "--method", "all"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_NE(all.err.find("note: grad_cam is left out: "), std::string::npos) << all.err;
  EXPECT_EQ(all.out.find("grad_cam"), std::string::npos) << all.out;
}

TEST_F(Explain, ALayerThatDoesNotExistListsThoseThatDo) {
  const std::vector<std::string> question = {kVgg, kBoot, "--method", "grad_cam", "--set", "layer=conv99"};
  expect_refused(2, {"no layer 'conv99'", "expected one of"}, question);
  std::vector<std::string> all = question;
  all[3] = "all";  // what was asked for is not left out
  expect_refused(2, {"no layer 'conv99'"}, all);
}

TEST_F(Explain, NothingIsWrittenWhenAMethodFails) {
  const std::string out = folder_.path("none");
  expect_refused(
      2, {"steps"},
      {product(), table(), "--row", "0", "--method", "gradient,integrated_gradients", "--set", "steps=0.5", "-o", out});
  EXPECT_FALSE(std::filesystem::exists(out));
}

// ---- methods ----

TEST(Methods, AreListedFromTheRegistry) {
  const Said table = run_ascribe({"methods"});
  EXPECT_EQ(table.code, 0);
  const Json json = Json::parse(run_ascribe({"methods", "--json"}).out);
  const std::vector<std::string> names = method_names();
  ASSERT_EQ(json["methods"].size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(json["methods"][i]["name"], names[i]);
    EXPECT_NE(table.out.find("  " + names[i] + "  "), std::string::npos) << names[i];
    for (const char* text : {"title", "formula", "source", "about", "cost", "use", "limits"}) {
      EXPECT_NE(json["methods"][i][text], "") << names[i] << " says nothing of its " << text;
    }
  }
}

TEST(Methods, OneIsToldInFull) {
  const Said said = run_ascribe({"methods", "integrated_gradients"});
  EXPECT_EQ(said.code, 0);
  for (const Parameter& parameter : method_named("integrated_gradients").parameters) {
    EXPECT_NE(said.out.find("\n  " + parameter.name + "  "), std::string::npos) << said.out;
  }
  EXPECT_NE(said.out.find("Sundararajan"), std::string::npos) << said.out;
  EXPECT_EQ(run_ascribe({"methods", "nothing"}).code, 4);
}

TEST(Methods, APageHasAllThatTheRegistryKnows) {
  const std::string table = run_ascribe({"methods", "--markdown"}).out;
  for (const std::string& name : method_names()) {
    EXPECT_NE(table.find(fmt::format("[`{0}`]({0}.md)", name)), std::string::npos) << name;
    const std::string page = run_ascribe({"methods", name, "--markdown"}).out;
    for (const Parameter& parameter : method_named(name).parameters) {
      EXPECT_NE(page.find(fmt::format("\n| `{}` | ", parameter.name)), std::string::npos) << name;
    }
    for (const char* part : {"## Parameters", "## When to use it", "## Limits"}) {
      EXPECT_NE(page.find(part), std::string::npos) << name << " " << part;
    }
  }
}

// ---- compile ----

TEST_F(Explain, CompiledBaselinesAndParametersAreThoseOfTheCommandLine) {
  const std::string model = product(), data = table(), file = folder_.path("e.onnx"), out = folder_.path("e.npz");
  const Said said = run_ascribe({"compile", model, "--method", "integrated_gradients", "--set", "steps=2", "--baseline",
                                 "data:" + data, "--target", "top", "-o", file});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("steps = 2"), std::string::npos) << said.out;
  ASSERT_EQ(run_ascribe({"predict", file, data, "--row", "0", "-o", out}).code, 0);
  const Json json = json_of({model, data, "--row", "0", "--method", "integrated_gradients", "--set", "steps=2",
                             "--baseline", "data:" + data});
  bool found = false;
  for (const Array& array : parse_npz(read_file(out), out)) {
    if (array.name != "attribution") continue;
    found = true;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(array.values.at(i), json["methods"][0]["values"][i], 1e-5) << i;
  }
  EXPECT_TRUE(found);
}

TEST_F(Explain, WhatCannotBeFrozenIsNotCompiled) {
  const std::string out = folder_.path("e.onnx");
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {kVgg, "-o", out};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  for (const char* baseline : {"mean", "blur:2", "gaussian:0.1"}) {
    expect_refused(2, {baseline, "depends on the input"},
                   with({"--method", "integrated_gradients", "--baseline", baseline}), "compile");
  }
  expect_refused(2, {"does not use baselines"}, with({"--method", "gradient", "--baseline", "value:1"}), "compile");
  expect_refused(2, {"values elements"}, with({"--method", "gradient", "--players", "grid:2x2"}), "compile");
  expect_refused(2, {"no parameters"}, with({"--method", "gradient", "--set", "a=1"}), "compile");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace ascribe::core
