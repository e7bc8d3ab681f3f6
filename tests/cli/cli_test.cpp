#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "cli/run_ascribe.h"
#include "onnx/model_maker.h"
#include "support/folder.h"
#include "support/pictures.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

class CommandLine : public testing::Test {
 protected:
  // y = x W + b with x [N, 2] and three classes.
  static ModelMaker linear() {
    ModelMaker maker;
    maker.input("x", {"N", 2}).output("y");
    maker.floats("w", {2, 3}, {1, 0, -1, 0, 2, 1});
    maker.floats("b", {3}, {0, 0, 0.5F});
    maker.node("Gemm", {"x", "w", "b"}, {"y"}, "layer");
    return maker;
  }
  // Two sums over images [N, 3, 2, 2].
  static ModelMaker image_model() {
    ModelMaker maker;
    maker.input("pixels", {"N", 3, 2, 2}).output("y");
    maker.node("Flatten", {"pixels"}, {"flat"});
    std::vector<float> ones(24);
    for (size_t i = 0; i < ones.size(); i += 2) ones[i] = 1.0F;
    maker.floats("w", {12, 2}, ones);
    maker.node("MatMul", {"flat", "w"}, {"y"});
    return maker;
  }

  std::string save(const ModelMaker& maker, const std::string& name = "model.onnx") {
    return folder_.write(name, maker.bytes());
  }
  std::string array(const Tensor& tensor, const std::string& name = "x.npy") {
    return folder_.write(name, format_npy(tensor));
  }
  std::string one_row() { return array(Tensor::of<float>({1, 2}, {1, 2})); }

  // Runs predict with an output file, which must not be there afterwards.
  void expect_refused(int code, const std::string& part, const std::string& model, const std::string& input) {
    const std::string target = folder_.path("out.npy");
    const Said said = run_ascribe({"predict", model, input, "-o", target, "--quiet"});
    EXPECT_EQ(said.code, code) << said.err;
    EXPECT_EQ(said.out, "");
    expect_one_line(said.err, part);
    EXPECT_FALSE(std::filesystem::exists(target));
    EXPECT_EQ(leftovers(), 0) << "a partial file was left behind";
  }
  static void expect_one_line(const std::string& err, const std::string& part) {
    EXPECT_TRUE(err.starts_with("ascribe: ")) << err;
    EXPECT_NE(err.find(part), std::string::npos) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_TRUE(err.ends_with('\n'));
  }
  int leftovers() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.root())) {
      count += entry.path().string().ends_with(".part") ? 1 : 0;
    }
    return count;
  }

  TemporaryFolder folder_;
};

// ---- predict ----

TEST_F(CommandLine, PredictRanksClassesWithLogitsAndProbabilities) {
  const std::string labels = folder_.write("labels.txt", "cat\ndog\nbird\n");
  const Said said = run_ascribe({"predict", save(linear()), one_row(), "--labels", labels});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  // logits 1, 4, 1.5, whose softmax is exp(-3), 1 and exp(-2.5) over their sum 1.1319
  EXPECT_EQ(said.out,
            "y of x.npy\n"
            "  class  label   logit  probability\n"
            "      1  dog    4.0000       0.8835\n"
            "      2  bird   1.5000       0.0725\n"
            "      0  cat    1.0000       0.0440\n");
}

TEST_F(CommandLine, PredictPrintsALinePerRow) {
  const std::string rows = array(Tensor::of<float>({2, 2}, {1, 2, -5, 0}), "rows.npy");
  const std::string labels = folder_.write("labels.txt", "cat\ndog\nbird\n");
  const Said said = run_ascribe({"predict", save(linear()), rows, one_row(), "--top", "1", "--labels", labels});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out,
            "y, top 1 of 3 classes with probability\n"
            "  rows.npy row 0  dog 0.8835\n"
            "  rows.npy row 1  bird 0.9959\n"  // logits -5, 0, 5.5
            "  x.npy           dog 0.8835\n");
}

TEST_F(CommandLine, PredictShowsValuesWhereNothingSpeaksOfClasses) {
  const Said said = run_ascribe({"predict", save(linear()), one_row()});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, "y of x.npy\n  1  4  1.5\n");
}

TEST_F(CommandLine, PredictAsJsonIsOneDocument) {
  const std::string labels = folder_.write("labels.txt", "cat\ndog\nbird\n");
  const Said said = run_ascribe({"predict", save(linear()), one_row(), "--json", "--top", "2", "--labels", labels});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  const Json& output = json["predictions"][0]["outputs"][0];
  EXPECT_EQ(json["predictions"][0]["input"], "x.npy");
  EXPECT_EQ(output["values"], Json({1.0, 4.0, 1.5}));
  ASSERT_EQ(output["top"].size(), 2U);
  EXPECT_EQ(output["top"][0]["index"], 1);
  EXPECT_EQ(output["top"][0]["logit"], 4.0);
  EXPECT_NEAR(output["top"][0]["probability"].get<double>(), 1 / (1 + std::exp(-3.0) + std::exp(-2.5)), 1e-6);
}

TEST_F(CommandLine, PredictTakesProbabilitiesAsTheyAre) {
  ModelMaker maker = linear();
  maker.graph().mutable_node(0)->set_output(0, "z");
  auto& axis = *maker.node("Softmax", {"z"}, {"y"}).add_attribute();
  axis.set_name("axis");
  axis.set_type(onnx::AttributeProto::INT);
  axis.set_i(1);
  const Said said = run_ascribe({"predict", save(maker), one_row()});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("class  probability\n      1       0.8835\n"), std::string::npos) << said.out;
}

TEST_F(CommandLine, PredictPrintsPlainValuesOfARegression) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("price");
  maker.floats("w", {2, 1}, {10, 1});
  maker.node("MatMul", {"x", "w"}, {"price"});
  const std::string table = folder_.write("houses.csv", "rooms,age\n1,2\n3,4\n");
  const Said said = run_ascribe({"predict", save(maker), table});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, "price\n  houses.csv row 0  12\n  houses.csv row 1  34\n");
}

TEST_F(CommandLine, PredictWritesItsOutputsWholeAndOnlyWhenAllowed) {
  const std::string model = save(linear()), target = folder_.path("y.npy");
  ASSERT_EQ(run_ascribe({"predict", model, one_row(), "-o", target}).code, 0);
  const Array written = parse_npy(read_file(target), target);
  EXPECT_EQ(written.values.shape(), (Shape{1, 3}));
  EXPECT_EQ(written.values.at(1), 4.0);
  const Said again = run_ascribe({"predict", model, one_row(), "-o", target});
  EXPECT_EQ(again.code, 5);
  expect_one_line(again.err, "--force");
  EXPECT_EQ(run_ascribe({"predict", model, one_row(), "-o", target, "--force"}).code, 0);
  EXPECT_EQ(run_ascribe({"predict", model, one_row(), "-o", folder_.path("y.npz")}).code, 0);
  EXPECT_EQ(parse_npz(read_file(folder_.path("y.npz")), "y.npz").at(0).name, "y");
  EXPECT_EQ(run_ascribe({"predict", model, one_row(), "-o", folder_.path("y.txt")}).code, 2);
  EXPECT_EQ(run_ascribe({"predict", model, one_row(), "-o", folder_.path("no/where/y.npy")}).code, 5);
}

TEST_F(CommandLine, ModelsOfSeveralInputsTakeNamedFiles) {
  ModelMaker maker;
  maker.input("a", {"N", 1}).input("b", {"N", 1}).output("y");
  maker.node("Sub", {"a", "b"}, {"y"});
  const std::string model = save(maker);
  const std::string five = array(Tensor::of<float>({1, 1}, {5}), "five.npy");
  const std::string two = array(Tensor::of<float>({1, 1}, {2}), "two.npy");
  const Said named = run_ascribe({"predict", model, "b=" + two, "a=" + five});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(named.out, "y of five.npy\n  3\n");
  const std::string both = folder_.write(
      "both.npz", format_npz({{"b", Tensor::of<float>({1, 1}, {5})}, {"a", Tensor::of<float>({1, 1}, {2})}}));
  EXPECT_EQ(run_ascribe({"predict", model, both}).out, "y of both.npz\n  -3\n");
  const Said missing = run_ascribe({"predict", model, "a=" + five});
  EXPECT_EQ(missing.code, 5);
  expect_one_line(missing.err, "nothing is given for the input 'b'");
  EXPECT_EQ(run_ascribe({"predict", model, five}).code, 2);
}

TEST_F(CommandLine, OptionsMayStandAnywhereAndBeRepeated) {
  const std::string rows = array(Tensor::of<float>({4, 2}, {0, 9, 9, 0, 0, 0, 1, 2}), "rows.npy");
  const Said said = run_ascribe({"predict", "--row", "0", save(linear()), "--row", "2:4", rows, "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  ASSERT_EQ(json["predictions"].size(), 3U);
  EXPECT_EQ(json["predictions"][0]["input"], "rows.npy row 0");
  EXPECT_EQ(json["predictions"][2]["outputs"][0]["values"], Json({1.0, 4.0, 1.5}));
}

TEST_F(CommandLine, AModelThatMixesRowsTakesOneAtATime) {
  ModelMaker maker;
  maker.input("x", {1, 2}).output("y");
  maker.integers("two", {2});
  maker.node("Reshape", {"x", "two"}, {"flat"});
  maker.node("Relu", {"flat"}, {"y"});
  const std::string model = save(maker);
  const std::string rows = array(Tensor::of<float>({2, 2}, {1, 2, 3, 4}), "rows.npy");
  const Said one = run_ascribe({"predict", model, rows, "--row", "1", "--json"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(Json::parse(one.out)["predictions"][0]["outputs"][0]["values"], Json({3.0, 4.0}));
  const Said both = run_ascribe({"predict", model, rows, "--json"});
  ASSERT_EQ(both.code, 0) << both.err;
  const Json predictions = Json::parse(both.out)["predictions"];
  EXPECT_EQ(predictions[0]["outputs"][0]["values"], Json({1.0, 2.0}));
  EXPECT_EQ(predictions[1]["outputs"][0]["values"], Json({3.0, 4.0}));
  EXPECT_NE(both.out.find("rows are run one after the other"), std::string::npos) << both.out;
}

TEST_F(CommandLine, NotesGoToStderrUnlessQuiet) {
  const std::string picture = folder_.write("p.png", make_png({2, 2, PNG_COLOR_TYPE_GRAY, 8, {255, 0, 0, 0}}));
  const std::string model = save(image_model());
  const Said said = run_ascribe({"predict", model, picture});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("note: preprocessing: unit (x / 255), guessed"), std::string::npos) << said.err;
  const Said quiet = run_ascribe({"predict", model, picture, "--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(quiet.out, said.out);
}

TEST_F(CommandLine, DoublePrecisionIsAnOptionAway) {
  const Said said = run_ascribe({"predict", save(linear()), one_row(), "--precision", "double", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(Json::parse(said.out)["precision"], "float64");
}

// ---- what can go wrong: one clear line, the right exit code, no output file ----

TEST_F(CommandLine, ATruncatedModelIsABadModel) {
  const std::string whole = linear().bytes();
  expect_refused(3, "model.onnx", folder_.write("model.onnx", whole.substr(0, whole.size() / 2)), one_row());
}

TEST_F(CommandLine, ATextFileIsABadModel) {
  expect_refused(3, "model.onnx", folder_.write("model.onnx", "This is not a model.\n"), one_row());
}

TEST_F(CommandLine, AMissingModelIsUnreadable) {
  expect_refused(5, "cannot open", folder_.path("none.onnx"), one_row());
}

// A linear model whose weights lie in a file of this name.
ModelMaker with_external_weights(ModelMaker maker, const std::string& location) {
  auto& weights = *maker.graph().mutable_initializer(0);
  weights.clear_raw_data();
  weights.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *weights.add_external_data();
  entry.set_key("location");
  entry.set_value(location);
  return maker;
}

TEST_F(CommandLine, ExternalDataOutsideTheModelsFolderIsRefused) {
  folder_.write("secret.bin", std::string(24, '\0'));
  std::filesystem::create_directory(folder_.root() / "sub");
  const std::string model = folder_.write("sub/model.onnx", with_external_weights(linear(), "../secret.bin").bytes());
  expect_refused(3, "..", model, one_row());
}

TEST_F(CommandLine, ExternalDataBehindASymlinkIsRefused) {
  const std::string secret = folder_.write("secret.bin", std::string(24, '\0'));
  std::filesystem::create_directory(folder_.root() / "sub");
  std::filesystem::create_symlink(secret, folder_.root() / "sub" / "weights.bin");
  const std::string model = folder_.write("sub/model.onnx", with_external_weights(linear(), "weights.bin").bytes());
  expect_refused(3, "weights.bin", model, one_row());
}

TEST_F(CommandLine, AnImmenseDeclaredShapeIsRefused) {
  ModelMaker maker = linear();
  maker.graph().mutable_initializer(0)->set_dims(0, int64_t{1} << 62);
  expect_refused(3, "'w'", save(maker), one_row());
  ModelMaker input = linear();
  auto& dims = *input.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  dims.mutable_dim(1)->set_dim_value(int64_t{1} << 62);
  expect_refused(3, "4611686018427387904", save(input), one_row());
}

TEST_F(CommandLine, ACycleIsRefused) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.node("Add", {"x", "z"}, {"y"});
  maker.node("Relu", {"y"}, {"z"});
  expect_refused(3, "cycle", save(maker), one_row());
}

TEST_F(CommandLine, AMissingInputIsRefused) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.node("Add", {"x", "nowhere"}, {"y"});
  expect_refused(3, "nowhere", save(maker), one_row());
  EXPECT_EQ(run_ascribe({"predict", save(linear())}).code, 2) << "no data at all is wrong use";
}

TEST_F(CommandLine, AnImageOfAnotherSizeIsRefused) {
  const std::string picture = folder_.write("p.png", make_png({1, 3, PNG_COLOR_TYPE_GRAY, 8, {255, 0, 0}}));
  expect_refused(5, "got 3 x 1 pixels; expected 2 x 2", save(image_model()), picture);
}

TEST_F(CommandLine, NanInTheWeightsIsANumericFailure) {
  ModelMaker maker = linear();
  std::string& raw = *maker.graph().mutable_initializer(0)->mutable_raw_data();
  raw.replace(0, 4, std::string("\x00\x00\xc0\x7f", 4));
  expect_refused(6, "'w'", save(maker), one_row());
}

TEST_F(CommandLine, NonFiniteDataAndOutputsAreNumericFailures) {
  expect_refused(6, "x.npy", save(linear()), array(Tensor::of<float>({1, 2}, {NAN, 1})));
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.node("Log", {"x"}, {"y"});
  expect_refused(6, "output 'y'", save(maker), array(Tensor::of<float>({1, 2}, {-1, 1})));
}

TEST_F(CommandLine, DataOfAnotherShapeAreRefused) {
  expect_refused(5, "got [1, 5]; expected [N, 2]", save(linear()), array(Tensor::of<float>({1, 5}, {1, 2, 3, 4, 5})));
}

TEST_F(CommandLine, UnknownOperatorsAreUnsupportedAndAllNamed) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.node("Frobnicate", {"x"}, {"a"});
  maker.node("Twiddle", {"a"}, {"y"});
  const std::string model = save(maker);
  expect_refused(4, "Frobnicate", model, one_row());
  expect_refused(4, "Twiddle", model, one_row());
}

TEST_F(CommandLine, HostileNamesCannotSteerTheTerminal) {
  const std::string hostile = "\x1b]0;owned\x07\xff";
  ModelMaker good, bad;
  good.input(hostile, {"N", 2}).output("y");
  good.node("Relu", {hostile}, {"y"});
  const Said described = run_ascribe({"inspect", save(good)});
  EXPECT_EQ(described.code, 0) << described.err;
  EXPECT_NE(described.out.find("\\x1b]0;owned\\x07\\xff  float32"), std::string::npos) << described.out;
  EXPECT_TRUE(Json::accept(run_ascribe({"inspect", save(good), "--json"}).out));
  bad.input("x", {"N", 2}).output("y");
  bad.node("Add", {"x", hostile}, {"y"}, hostile);
  const Said refused = run_ascribe({"inspect", save(bad)});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.err.find('\x1b'), std::string::npos);
}

// ---- inspect ----

TEST_F(CommandLine, InspectDescribesAModel) {
  const Said said = run_ascribe({"inspect", save(linear())});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* part : {"x  float32 [N, 2]", "y  float32 [N, 3]", "opset 17", "parameters  9", "6 multiply-adds",
                           "Gemm", "any number"}) {
    EXPECT_NE(said.out.find(part), std::string::npos) << part << "\n" << said.out;
  }
  EXPECT_EQ(said.out.find('\x1b'), std::string::npos) << "no colours in a pipe";
}

TEST_F(CommandLine, InspectAsJsonIsOneDocument) {
  const Said said = run_ascribe({"inspect", save(linear()), "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  EXPECT_EQ(json["supported"], true);
  EXPECT_EQ(json["batched"], true);
  EXPECT_EQ(json["parameters"], 9);
  EXPECT_EQ(json["macs_per_row"], 6);
  EXPECT_EQ(json["inputs"][0]["shape"], Json({"N", 2}));
  EXPECT_EQ(json["operators"][0]["name"], "Gemm");
}

TEST_F(CommandLine, InspectDescribesModelsThatCannotBeRun) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.node("Frobnicate", {"x"}, {"z"});
  maker.node("Relu", {"z"}, {"y"});
  const std::string model = save(maker);
  const Said said = run_ascribe({"inspect", model});
  EXPECT_EQ(said.code, 4);
  EXPECT_NE(said.out.find("Frobnicate      1  ✗"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("Relu            1  ✓"), std::string::npos) << said.out;
  expect_one_line(said.err, "Frobnicate");
  EXPECT_EQ(Json::parse(run_ascribe({"inspect", model, "--json"}).out)["supported"], false);
}

TEST_F(CommandLine, InspectDescribesModelsWhoseSizeIsOpenAndSaysHowToGiveIt) {
  ModelMaker maker;
  maker.input("x", {"N", 3, "height", "width"}).output("y");
  maker.node("Relu", {"x"}, {"y"});
  const std::string model = save(maker);
  const Said said = run_ascribe({"inspect", model});
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.out.find("x  float32 [?, 3, ?, ?]"), std::string::npos) << said.out;
  expect_one_line(said.err, "--shape x=");
  for (const char* shape : {"1x3x4x5", "x=1,3,4,5"}) {
    const Said given = run_ascribe({"inspect", model, "--shape", shape});
    EXPECT_EQ(given.code, 0) << given.err;
    EXPECT_NE(given.out.find("x  float32 [N, 3, 4, 5]"), std::string::npos) << given.out;
  }
}

// ---- compile ----

TEST_F(CommandLine, CompileWritesAnExplanationThatRuns) {
  const std::string model = save(linear()), target = folder_.path("e.onnx");
  const Said said = run_ascribe({"compile", model, "--method", "gradient", "--target", "1", "-o", target});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  for (const char* part : {"gradient: a_i = df/dx_i", "value of y", "value 1 of y", "x  float32 [N, 2]",
                           "prediction  float32 [N, 3]", "attribution  float32 [N, 2]", "float32"}) {
    EXPECT_NE(said.out.find(part), std::string::npos) << part << "\n" << said.out;
  }
  const Said ran = run_ascribe({"predict", target, one_row(), "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json outputs = Json::parse(ran.out)["predictions"][0]["outputs"];
  EXPECT_EQ(outputs[0]["values"], Json({1.0, 4.0, 1.5}));
  EXPECT_EQ(outputs[1]["values"], Json({0.0, 2.0}));
}

TEST_F(CommandLine, CompileSaysInTheFileWhatItComputes) {
  const std::string model = save(linear()), target = folder_.path("e.onnx");
  const Said said =
      run_ascribe({"compile", model, "--method", "gradient_x_input", "-o", target, "--json", "--precision", "double"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  EXPECT_EQ(json["written"], target);
  EXPECT_EQ(json["bytes"], std::filesystem::file_size(target));
  EXPECT_EQ(json["inputs"][1], (Json{{"name", "target"}, {"type", "int64"}, {"shape", {"N"}}}));
  EXPECT_EQ(json["outputs"][1]["type"], "float64");
  const Json inside = Json::parse(run_ascribe({"inspect", target, "--json"}).out)["metadata"];
  EXPECT_EQ(inside, json["metadata"]);
  EXPECT_EQ(inside["ascribe.method"], "gradient_x_input");
  EXPECT_EQ(inside["ascribe.explains"], "value");
  EXPECT_EQ(inside["ascribe.version"], ASCRIBE_VERSION);
  EXPECT_EQ(inside["ascribe.model"], "model.onnx sha256:" + sha256(linear().bytes()));
}

TEST_F(CommandLine, CompileTakesALabelForAClass) {
  const std::string model = save(linear()), labels = folder_.write("labels.txt", "cat\ndog\nbird\n");
  const auto compile = [&](const std::string& target, const std::string& file) {
    return run_ascribe({"compile", model, "--method", "gradient", "--target", target, "--labels", file, "--force", "-o",
                        folder_.path("e.onnx")});
  };
  EXPECT_NE(compile("bird", labels).out.find("class 2"), std::string::npos);
  const Said unknown = compile("fish", labels);
  EXPECT_EQ(unknown.code, 2);
  expect_one_line(unknown.err, "'fish'");
  EXPECT_EQ(compile("cat", folder_.write("two.txt", "cat\ndog\n")).code, 5);
  EXPECT_EQ(compile("cat", folder_.write("twice.txt", "cat\ncat\ndog\n")).code, 2);
}

TEST_F(CommandLine, CompileNeverLeavesHalfAFileAndNamesWhatIsWrong) {
  const std::string model = save(linear()), target = folder_.path("e.onnx");
  const auto expect = [&](int code, const std::string& part, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compile");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, code) << said.err;
    EXPECT_EQ(said.out, "");
    expect_one_line(said.err, part);
    EXPECT_FALSE(std::filesystem::exists(target));
  };
  expect(4, "expected one of gradient_x_input, ", {model, "--method", "magic", "-o", target});
  expect(2, "there is no value 3", {model, "--method", "gradient", "--target", "3", "-o", target});
  expect(2, "'dog'", {model, "--method", "gradient", "--target", "dog", "-o", target});
  expect(2, "softmax", {model, "--method", "gradient", "--explain", "probability", "-o", target});
  expect(2, "no real output 'z'", {model, "--method", "gradient", "--output", "z", "-o", target});
  expect(2, "--out", {model, "--method", "gradient"});
  expect(2, "--method", {model, "-o", target});
  expect(2, ".onnx", {model, "--method", "gradient", "-o", folder_.path("e.txt")});
  expect(2, "model itself", {model, "--method", "gradient", "--force", "-o", model});
  expect(5, "--force", {model, "--method", "gradient", "-o", save(linear(), "other.onnx")});
  expect(5, "cannot open", {folder_.path("none.onnx"), "--method", "gradient", "-o", target});
}

TEST_F(CommandLine, CompileRefusesRowsThatInfluenceEachOther) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  auto& mean = maker.node("ReduceMean", {"x"}, {"m"});
  set_integers(mean, "axes", {0});
  maker.node("Sub", {"x", "m"}, {"y"});
  const Said said = run_ascribe({"compile", save(maker), "--method", "gradient", "-o", folder_.path("e.onnx")});
  EXPECT_EQ(said.code, 4) << said.err;
  expect_one_line(said.err, "influence each other");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("e.onnx")));
}

// ---- the rest ----

TEST_F(CommandLine, AnUnknownCommandIsNamedWithThoseThereAre) {
  const Said said = run_ascribe({"frobnicate", "x"});
  EXPECT_EQ(said.code, 2);
  expect_one_line(
      said.err,
      "there is no command 'frobnicate'; expected one of inspect, predict, explain, decompose, report, compile");
}

TEST_F(CommandLine, OperatorsListsBothRegistries) {
  const Said text = run_ascribe({"operators"});
  EXPECT_EQ(text.code, 0);
  for (const char* part : {"Conv", "max_pool", "bilinear"}) EXPECT_NE(text.out.find(part), std::string::npos);
  const Json json = Json::parse(run_ascribe({"operators", "--json"}).out);
  EXPECT_GT(json["onnx"].size(), 100U);
  EXPECT_GT(json["core"].size(), 60U);
  EXPECT_TRUE(run_ascribe({"operators", "--markdown"}).out.starts_with("# Operators\n"));
}

TEST_F(CommandLine, WrongUseExitsWithTwoAndOneLine) {
  const std::string model = save(linear()), row = one_row();
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"frobnicate"},
      {"inspect"},
      {"inspect", "a", "--frobnicate"},
      {"predict", model, row, "--precision", "half"},
      {"predict", model, row, "--memory", "lots"},
      {"predict", model, row, "--row", "7"},
      {"predict", model, row, "--row", "x"},
      {"predict", model, row, "--preprocess", "nonsense"},
      {"predict", model, row, "--threads", "0"},
      {"inspect", model, "--shape", "z=1x2"},
      {"operators", "--json", "--markdown"},
  };
  for (const auto& arguments : wrong) {
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, 2) << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
}

TEST_F(CommandLine, HelpAndVersionGoToStdout) {
  const Said help = run_ascribe({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("predict"), std::string::npos);
  EXPECT_EQ(run_ascribe({"predict", "--help"}).code, 0);
  EXPECT_EQ(run_ascribe({"--version"}).out, "ascribe " ASCRIBE_VERSION "\n");
}

TEST_F(CommandLine, AFullDiskIsNotSuccess) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const std::string command = std::string(ASCRIBE_BINARY) + " operators > /dev/full 2> /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 5);
}

}  // namespace
}  // namespace ascribe::core
