#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "cli/study_room_file.h"
#include "support/text.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Evaluate : public testing::Test {
 protected:
  std::string room() { return study_room_file(folder_); }
  std::string rows(const std::string& name = "rows.csv", const std::string& third = "1,0,1,1") {
    return folder_.write(name, "book,desk,lamp,clock\n1,1,1,1\n2,1,1,1\n" + third + "\n0,1,1,1\n1,1,2,0\n");
  }
  std::string out(const std::string& name) { return folder_.path(name); }
  TemporaryFolder folder_;
};

TEST_F(Evaluate, MeansAreThoseOfTheSamples) {
  const Said said =
      run_ascribe({"evaluate", room(), rows(), "-m", "occlusion,shapley", "--metric", "completeness", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  // Occlusion gives 3 b + 3 * 2 b d l of the change 3 b + 2 b d l: 4 too much of 5, 8 of 10, nothing of 3, 8 of 7. Row
  // 3 has no change to share out.
  const Json& occlusion = json["methods"][0]["scores"]["completeness"];
  EXPECT_NEAR(occlusion["mean"], (0.8 + 0.8 + 0 + 8.0 / 7) / 4, 1e-6);
  EXPECT_EQ(occlusion["samples"], 4);
  EXPECT_EQ(occlusion["undefined"], 1);
  EXPECT_FALSE(occlusion["best"]);
  const Json& shapley = json["methods"][1]["scores"]["completeness"];
  EXPECT_NEAR(shapley["mean"], 0, 1e-6);
  EXPECT_TRUE(shapley["best"]);
  EXPECT_EQ(json["samples"]["scored"], 5);
  EXPECT_EQ(json["settings"]["baseline"], "zero");
  EXPECT_EQ(json["model"]["sha256"].get<std::string>().size(), 64U);
}

TEST_F(Evaluate, TheSpectrumNeedsNoMethod) {
  // 3 b and 2 b d l: 3 and 2, 6 and 4, 3 and 0, nothing, 3 and 4.
  const Said said = run_ascribe({"evaluate", room(), rows(), "--metric", "order_spectrum", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json orders = Json::parse(said.out)["order_spectrum"];
  ASSERT_EQ(orders.size(), 4U);
  EXPECT_NEAR(orders[0]["mean"], (0.6 + 0.6 + 1 + 3.0 / 7) / 4, 1e-6);
  EXPECT_NEAR(orders[2]["mean"], (0.4 + 0.4 + 0 + 4.0 / 7) / 4, 1e-6);
  EXPECT_EQ(orders[1]["mean"], 0);
  EXPECT_EQ(orders[0]["samples"], 4);
  EXPECT_EQ(orders[0]["undefined"], 1);
  EXPECT_LE(orders[0]["low"], orders[0]["mean"]);
  EXPECT_GE(orders[0]["high"], orders[0]["mean"]);
}

TEST_F(Evaluate, TheSpectrumIsFilesToo) {
  const Said said = run_ascribe(
      {"evaluate", room(), rows(), "-m", "shapley", "--metric", "order_spectrum,completeness", "-o", out("both")});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.out, "61.4 %") || says(said.out, "65.7 %")) << said.out;
  EXPECT_TRUE(says(said.out, "order_spectrum: 1 of 5 samples have no score")) << said.out;
  EXPECT_TRUE(says(said.out, "completeness ↓")) << said.out;
  for (const char* name : {"scores.csv", "order_spectrum.csv", "order_spectrum.svg", "summary.csv", "results.json"}) {
    EXPECT_TRUE(fs::exists(fs::path(out("both")) / name)) << name;
  }
}

TEST_F(Evaluate, MethodsThatNothingRatesAreNotRunAndItSaysSo) {
  const Said said = run_ascribe({"evaluate", room(), rows(), "-m", "shapley", "--metric", "order_spectrum"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.err, "no method was run")) << said.err;
  const Said none = run_ascribe({"evaluate", room(), rows(), "--metric", "completeness"});
  EXPECT_NE(none.code, 0);
  EXPECT_TRUE(says(none.err, "[--method] got none")) << none.err;
}

TEST_F(Evaluate, PrintsATableWithArrowsAndMarksTheBest) {
  const Said said = run_ascribe(
      {"evaluate", room(), rows(), "-m", "occlusion,shapley,gradient", "--metric", "completeness", "--samples", "3"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.out, "3 samples")) << said.out;
  EXPECT_TRUE(says(said.out, "completeness ↓")) << said.out;
  EXPECT_TRUE(says(said.out, "0.5333 [0, 0.8]")) << said.out;
  EXPECT_EQ(occurrences(said.out, "] *"), 1U) << said.out;
  EXPECT_TRUE(says(said.out, "completeness of gradient: 3 of 3 samples have no score")) << said.out;
}

TEST_F(Evaluate, WritesAFolderOfResults) {
  const std::string folder = out("results");
  const std::vector<std::string> command = {"evaluate",     room(),    rows(), "-m", "occlusion", "--metric",
                                            "completeness", "--batch", "2",    "-o", folder};
  const Said said = run_ascribe(command);
  ASSERT_EQ(said.code, 0) << said.err;
  const std::string scores = read_file(folder + "/scores.csv");
  EXPECT_TRUE(
      scores.starts_with("sample,name,label,top,target,method,completeness\n"
                         "0,rows.csv row 0,,0,0,occlusion,0.8"))
      << scores;
  EXPECT_EQ(occurrences(scores, "\n"), 6U);
  EXPECT_TRUE(says(read_file(folder + "/summary.csv"), "occlusion,completeness,lower,4,1,0.68571"));
  EXPECT_TRUE(says(read_file(folder + "/summary.md"), "| occlusion | 0.6857 ["));
  EXPECT_EQ(Json::parse(read_file(folder + "/results.json"))["methods"].size(), 1U);
  EXPECT_FALSE(fs::exists(folder + "/unfinished.journal"));
  const Said again = run_ascribe(command);
  EXPECT_EQ(again.code, 5);
  EXPECT_TRUE(says(again.err, "exists already")) << again.err;
}

TEST_F(Evaluate, InterruptedWorkDoesNotGoOnWithOtherData) {
  const auto command = [&](const std::string& file) {
    return std::vector<std::string>{
        "evaluate", room(), folder_.path("rows.csv"), "-m",    "occlusion", "--metric", "completeness", "--batch", "2",
        "-o",       file,   "--label-from",           "class", "--target",  "label"};
  };
  const auto rows_with = [&](int third) {
    folder_.write("rows.csv", "book,desk,lamp,clock,class\n1,1,1,1,0\n2,1,1,1,0\n1,0,1,1," + std::to_string(third) +
                                  "\n0,1,1,1,0\n1,1,2,0,0\n");
  };
  rows_with(7);  // no such class: breaks off in the second batch
  const Said broken = run_ascribe(command(out("a.csv")));
  EXPECT_EQ(broken.code, 5) << broken.err;
  EXPECT_TRUE(fs::exists(out("a.csv.unfinished")));
  EXPECT_FALSE(fs::exists(out("a.csv")));
  rows_with(0);
  std::vector<std::string> other = command(out("a.csv"));
  other.insert(other.end(), {"--seed", "1"});
  EXPECT_TRUE(says(run_ascribe(other).err, "seed: 0 there, 1 now"));
  // The file is another one now, and what was finished was of the first.
  const Said refused = run_ascribe(command(out("a.csv")));
  EXPECT_EQ(refused.code, 5);
  EXPECT_TRUE(says(refused.err, "sha256 of the data")) << refused.err;
  std::vector<std::string> anew = command(out("a.csv"));
  anew.emplace_back("--force");
  ASSERT_EQ(run_ascribe(anew).code, 0);
  ASSERT_EQ(run_ascribe(command(out("b.csv"))).code, 0);
  EXPECT_EQ(read_file(out("a.csv")), read_file(out("b.csv")));
  EXPECT_FALSE(fs::exists(out("a.csv.unfinished")));
}

TEST_F(Evaluate, ASampleThatCannotBeReadIsLeftOut) {
  const Said said = run_ascribe({"evaluate", room(), rows("rows.csv", "1,0,what,1"), "-m", "occlusion", "--metric",
                                 "completeness", "-o", out("results")});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.out, "4 samples; 1 that cannot be asked about left out")) << said.out;
  EXPECT_TRUE(says(said.err, "sample 2 is left out")) << said.err;
  EXPECT_EQ(Json::parse(read_file(out("results/results.json")))["samples"]["left_out_as_failed"], 1);
  EXPECT_FALSE(says(read_file(out("results/results.json")), "seconds"));
  EXPECT_TRUE(says(read_file(out("results/timings.json")), "seconds"));
}

TEST_F(Evaluate, ShardsAreMergedIntoTheBytesOfOneProcess) {
  const std::vector<std::string> command = {
      "evaluate", room(), rows(),        "-m",    "occlusion,shapley", "--metric", "completeness,infidelity_gaussian",
      "--batch",  "1",    "--precision", "double"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return run_ascribe(more);
  };
  ASSERT_EQ(with({"-o", out("one")}).code, 0);
  for (const char* shard : {"3/3", "1/3"}) ASSERT_EQ(with({"--shard", shard, "-o", out("parts")}).code, 0);
  const Said early = run_ascribe({"merge", out("parts"), "-o", out("merged")});
  EXPECT_EQ(early.code, 5);
  EXPECT_TRUE(says(early.err, "missing: items 2 to 3 of 5 are in no part")) << early.err;
  EXPECT_FALSE(fs::exists(out("merged")));
  ASSERT_EQ(with({"--shard", "2/3", "-o", out("parts")}).code, 0);
  EXPECT_TRUE(says(with({"--shard", "2/3", "-o", out("parts")}).out, "finished by an earlier run"));
  const Said merged = run_ascribe({"merge", out("parts"), "-o", out("merged")});
  ASSERT_EQ(merged.code, 0) << merged.err;
  for (const char* file : {"scores.csv", "summary.csv", "summary.md", "results.json"}) {
    EXPECT_EQ(read_file(out("merged") + "/" + file), read_file(out("one") + "/" + file)) << file;
  }
  EXPECT_EQ(with({"--shard", "4/3", "-o", out("parts")}).code, 2);
  EXPECT_EQ(with({"--shard", "1/3"}).code, 2);
}

// y0 = the sum of the upper pixels, y1 = that of the lower ones.
class EvaluateImages : public Evaluate {
 protected:
  std::string model() {
    ModelMaker maker;
    maker.input("x", {"N", 1, 2, 2}).output("y");
    maker.node("Flatten", {"x"}, {"flat"});
    maker.floats("w", {4, 2}, {1, 0, 1, 0, 0, 1, 0, 1});
    maker.node("MatMul", {"flat", "w"}, {"y"});
    return folder_.write("halves.onnx", maker.bytes());
  }
  // Upper, lower, upper (labelled wrongly), lower.
  std::string data() {
    const Tensor x =
        Tensor::of<float>({4, 1, 2, 2}, std::vector<float>{1, 1, 0, 0, 0, 0, 1, 1, 2, 2, 0, 0, 0, 0, 3, 1});
    const Tensor y = Tensor::of<int64_t>({4}, std::vector<int64_t>{0, 1, 1, 1});
    const Tensor boxes = Tensor::of<float>({4, 4}, std::vector<float>{0, 0, 2, 1, 0, 1, 2, 2, 0, 0, 2, 2, 0, 1, 1, 2});
    return folder_.write("data.npz", format_npz({{"x", x}, {"y", y}, {"boxes", boxes}}));
  }
};

TEST_F(EvaluateImages, BoxesLabelsAndFiltersDecideWhichSamplesCount) {
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> command = {
        "evaluate", model(), data(), "-m", "gradient_x_input", "--metric", "relevance_mass_accuracy", "--json"};
    command.insert(command.end(), more.begin(), more.end());
    const Said said = run_ascribe(command);
    EXPECT_EQ(said.code, 0) << said.err;
    return Json::parse(said.out);
  };
  const auto mean = [](const Json& json) {
    return json["methods"][0]["scores"]["relevance_mass_accuracy"]["mean"].get<double>();
  };
  const Json all = run({});
  EXPECT_EQ(all["samples"]["correct"], 3);
  EXPECT_NEAR(mean(all), (1 + 1 + 1 + 0.75) / 4, 1e-6);
  const Json right = run({"--only-correct"});
  EXPECT_EQ(right["samples"]["scored"], 3);
  EXPECT_EQ(right["samples"]["left_out_as_wrong"], 1);
  const Json small = run({"--most-box", "0.3"});
  EXPECT_EQ(small["samples"]["scored"], 1);
  EXPECT_NEAR(mean(small), 0.75, 1e-6);
  EXPECT_EQ(run({"--only-correct", "--samples", "3"})["samples"]["read"], 4) << "left out samples do not count";
  EXPECT_EQ(run({"--shuffle", "--samples", "2"})["samples"]["scored"], 2);
}

TEST_F(EvaluateImages, WhatCannotBeMeantIsRefused) {
  const auto refused = [&](std::vector<std::string> command, int code, const std::string& complaint) {
    command.insert(command.begin(), "evaluate");
    const Said said = run_ascribe(command);
    EXPECT_EQ(said.code, code) << said.err;
    EXPECT_TRUE(says(said.err, complaint)) << said.err;
  };
  const std::vector<std::string> room_rows = {room(), rows(), "-m", "shapley", "--metric"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> command = room_rows;
    command.insert(command.end(), more.begin(), more.end());
    return command;
  };
  refused(with({"pointing_game"}), 4, "where the object is");
  refused(with({"nonsense"}), 4, "there is no such metric");
  refused(with({"completeness", "--metric-set", "size=3"}), 2, "there is no parameter 'size'");
  refused(with({"completeness", "--only-correct"}), 2, "do not say their classes");
  refused(with({"completeness", "--target", "label"}), 2, "do not say their classes");
  refused(with({"completeness", "--most-box", "0.3"}), 2, "no boxes");
  refused(with({"completeness", "--skip", "5"}), 2, "the data have 5 samples");
  refused(with({"completeness", "-o", "/nowhere/at/all"}), 5, "does not exist");
  refused(with({"completeness", "--boxes", "b.csv"}), 2, "no use for it");
  refused({model(), data(), "-m", "gradient", "--metric", "sparseness", "--target", "9"}, 2, "there is no value 9");
}

}  // namespace
}  // namespace ascribe::core
