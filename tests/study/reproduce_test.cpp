#include "study/reproduce/reproduce.h"

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/idx_images.h"
#include "support/tiny_localiser.h"

namespace ascribe::core::study {
namespace {

namespace fs = std::filesystem;

class ReproduceStudy : public testing::Test {
 protected:
  ReproduceStudy() {
    fs::create_directory(folder_.root() / "data");
    write_idx(folder_.root() / "data", 12);
    write_tiny_localiser(folder_.root() / "tiny.onnx");
  }

  ReproduceRequest request(const std::string& experiment, const std::string& folder) const {
    ReproduceRequest request{{experiment}};
    request.folder = folder_.path(folder);
    request.data = folder_.path("data");
    request.models = {folder_.path("tiny.onnx")};
    request.players = "grid:2x2";
    request.samples = 5;  // two batches
    return request;
  }
  std::string text(const std::string& name) const { return read_file(folder_.root() / name); }

  TemporaryFolder folder_;
};

TEST_F(ReproduceStudy, TellsWhatIsFinishedAndPrintsNothing) {
  ReproduceRequest wanted = request("table5", "out");
  std::vector<std::string> finished;
  wanted.finished = [&](const ReproducedExperiment& one) {
    finished.push_back(one.name);
    for (const std::string& file : one.files) EXPECT_TRUE(fs::exists(file)) << file;
  };
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const ReproduceResult first = reproduce(wanted), second = reproduce(wanted);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(finished, std::vector<std::string>{"table5"}) << "not when it is there already";
  ASSERT_EQ(first.experiments.size(), 1U);
  EXPECT_FALSE(first.experiments[0].was_there);
  EXPECT_EQ(first.experiments[0].files[0], folder_.path("out/table5.md"));
  EXPECT_TRUE(first.record["experiments"].contains("table5"));
  EXPECT_TRUE(second.experiments[0].was_there);
  EXPECT_EQ(second.notes, std::vector<std::string>{"table5 is there already, with these settings"});
  EXPECT_EQ(second.record, parse_json(text("out/run.json"), "run.json"));
}

TEST_F(ReproduceStudy, StoppedWorkGoesOnAndLeavesNoHalfExperiment) {
  reproduce(request("figure5b", "whole"));
  ReproduceRequest stopped = request("figure5b", "stopped");
  const auto stop = [&](const std::function<bool(std::string_view, int64_t)>& when) {
    stopped.run.progress = [&](std::string_view task, int64_t done, int64_t) {
      if (when(task, done)) cancel();
    };
    expect_error(ErrorKind::cancelled, "stopped", [&] { reproduce(stopped); });
    EXPECT_FALSE(fs::exists(folder_.root() / "stopped/run.json"));
    EXPECT_FALSE(fs::exists(folder_.root() / "stopped/figure5b.md"));
  };
  stop([](std::string_view task, int64_t) { return task.find("shapley") != task.npos; });
  stop([](std::string_view, int64_t done) { return done == 4; });  // the first batch is finished
  std::vector<int64_t> seen;
  stopped.run.progress = [&](std::string_view task, int64_t done, int64_t) {
    if (task.find("shapley") != task.npos) seen.push_back(done);
  };
  reproduce(stopped);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen[0], 4) << "the first batch is not made again";
  for (const char* name : {"figure5b.md", "figure5b.csv", "figure5b.svg", "figure5b-methods.svg", "README.md"}) {
    EXPECT_EQ(text(std::string("whole/") + name), text(std::string("stopped/") + name)) << name;
  }
  for (const char* baseline : {"grey", "blur", "mean"}) {
    EXPECT_FALSE(fs::exists(folder_.root() / fmt::format("stopped/figure5b-tiny-{}-patches.journal", baseline)));
  }
}

TEST_F(ReproduceStudy, ARecordOfSomethingElseIsRefused) {
  reproduce(request("table5", "out"));
  for (const char* other : {"my notes", "[]", "{}", "{\"experiments\": 3}", "{\"experiments\": {\"table5\": 1e999}}"}) {
    folder_.write("out/run.json", other);
    expect_error(ErrorKind::io, "run.json", [&] { reproduce(request("table5", "out")); });
    EXPECT_EQ(text("out/run.json"), other);
  }
  for (const char* other : {"3", "[]", "{}", "{\"parameters\": []}", "{\"parameters\": {\"seed\": \"x\"}}"}) {
    folder_.write("out/run.json", fmt::format("{{\"experiments\": {{\"table5\": {}}}}}", other));
    expect_error(ErrorKind::io, "made with other settings", [&] { reproduce(request("table5", "out")); });
  }
  folder_.write("out/run.json", "{\"experiments\": {\"table5\": 3}}");
  ReproduceRequest forced = request("table5", "out");
  forced.force = true;
  EXPECT_TRUE(reproduce(forced).record["experiments"]["table5"].contains("parameters"));
}

TEST_F(ReproduceStudy, TheGroupsAreComparedByEveryProtocol) {
  ReproduceRequest wanted = request("figure5b", "out");
  wanted.players = "";  // patches, and single pixels once more
  wanted.samples = 2;
  reproduce(wanted);
  const std::string page = text("out/figure5b.md"), csv = text("out/figure5b.csv");
  for (const char* baseline : {"grey", "blur", "mean"}) {
    for (const char* maps : {"own", "pixels", "patches", "smoothed"}) {
      EXPECT_NE(page.find(fmt::format("| {} | {} | 2 |", baseline, maps)), std::string::npos) << baseline << maps;
    }
  }
  EXPECT_NE(page.find("`occlusion_patch.size=8`, `occlusion_patch.stride=8`"), std::string::npos) << "disjoint";
  EXPECT_EQ(page.find("granularity=component"), std::string::npos);
  for (const char* row : {"tiny,patch:4,value:0.5,deep_shap,", "tiny,patch:4,blur:4,", "tiny,pixels,mean,"}) {
    EXPECT_NE(csv.find(row), std::string::npos) << row;
  }
}

TEST_F(ReproduceStudy, WithPixelsAsPlayersThereAreNoPatches) {
  ReproduceRequest wanted = request("figure5b", "out");
  wanted.players = "pixels";
  wanted.samples = 1;
  reproduce(wanted);
  const std::string page = text("out/figure5b.md");
  for (const char* row : {"| grey | pixels | 1 |", "| blur | smoothed | 1 |"}) {
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  EXPECT_EQ(page.find("| grey | patches |"), std::string::npos);
  EXPECT_EQ(page.find("| grey | own |"), std::string::npos);
}

TEST_F(ReproduceStudy, EveryRuleOfTable3Holds) {
  reproduce(request("table3", "out"));
  EXPECT_NE(text("out/table3.md").find("14 of 14 rules hold to 1e-6"), std::string::npos) << text("out/table3.md");
  const std::string csv = text("out/table3.csv");
  for (const char* row :
       {"gradient_x_input,2,point,", "shapley,9,baseline,", "grad_cam,6,layer,", "deeplift_reveal_cancel,15,module,"}) {
    EXPECT_NE(csv.find(row), std::string::npos) << row;
  }
}

// What the rules say of single sets: all of an effect to each of its players, or equal parts.
TEST_F(ReproduceStudy, Figure2ShowsTheSharesThatTheRulesHave) {
  ReproduceRequest wanted = request("figure2", "out");
  wanted.models = {ASCRIBE_SOURCE_DIR "/models/sigmoid_mlp.onnx"};
  const ReproduceResult result = reproduce(wanted);
  EXPECT_NE(result.notes.back().find("grad_cam is left out"), std::string::npos) << result.notes.back();
  std::istringstream lines(text("out/figure2.csv"));
  std::string line;
  std::getline(lines, line);
  ASSERT_EQ(line, "method,set,effect,player,given");
  int64_t checked = 0;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string method, set, effect, player, given;
    for (std::string* cell : {&method, &set, &effect, &player, &given}) std::getline(cells, *cell, ',');
    if (method != "shapley" && method != "occlusion") continue;
    const double share = method == "occlusion" ? 1 : 1 / static_cast<double>(set.size() / 2 + 1);  // "1 3": two players
    const double expected = set.find(player) == std::string::npos ? 0 : share * std::stod(effect);
    EXPECT_NEAR(std::stod(given), expected, 1e-4) << line;  // computed in float
    ++checked;
  }
  EXPECT_EQ(checked, 2 * 15 * 4);
}

// The paper's example in section 5.2: what is given of an effect, measured.
TEST_F(ReproduceStudy, Figure4IllustratesEachPrincipleByAMethodThatBreaksIt) {
  reproduce(request("figure4", "out"));
  const std::string page = text("out/figure4.md");
  for (const char* row : {"| Gradient x Input |", "| Occlusion by patches |", "| Occlusion-1 |"}) {
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  EXPECT_NE(text("out/figure4.svg").find("4 times the effect"), std::string::npos) << "Occlusion-1 of four players";
  EXPECT_NE(text("out/figure4.svg").find("1 times the effect"), std::string::npos);
}

TEST_F(ReproduceStudy, SaysWhatIsWrong) {
  expect_error(ErrorKind::argument,
               "there is no such experiment; expected one of table3, table4, table5, figure2, "
               "figure3, figure4, figure5a, figure5b",
               [&] { reproduce(request("table6", "out")); });
  ReproduceRequest players = request("figure5b", "out");
  players.players = "patch:x";
  const auto error = error_of([&] { reproduce(players); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::argument) << error->what();
  EXPECT_FALSE(fs::exists(folder_.root() / "out/figure5b.md"));
}

}  // namespace
}  // namespace ascribe::core::study
