// How the program talks to people who mistype, wait, or want to know before they wait.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "cli/study_room_file.h"
#include "cli/terminal.h"

namespace ascribe::core {
namespace {

using nlohmann::json;
const std::string kVgg = ASCRIBE_SOURCE_DIR "/models/relu_vgg.onnx";

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// ---- a line a minute ----

struct Told {
  double time = 0;
  std::vector<std::string> lines;
  Progress progress =
      cli::progress_lines([this] { return time; }, [this](const std::string& line) { lines.push_back(line); });

  void at(double seconds, int64_t done, int64_t total, const std::string& task = "shapley") {
    time = seconds;
    progress(task, done, total);
  }
};

TEST(ProgressLines, AreQuietForWorkOfLessThanAMinute) {
  Told told;
  for (int i = 0; i <= 10; ++i) told.at(5.9 * i, i, 10);
  EXPECT_TRUE(told.lines.empty());
}

TEST(ProgressLines, ComeOnceAMinuteWithWhatIsLeft) {
  Told told;
  for (int i = 0; i < 40; ++i) told.at(10.0 * i, i, 40);  // a unit in ten seconds
  ASSERT_EQ(told.lines.size(), 6U);                       // of 390 s
  EXPECT_EQ(told.lines[0], "shapley: 6 of 40, about 6 min left");
  EXPECT_EQ(told.lines[1], "shapley: 12 of 40, about 5 min left");
  EXPECT_EQ(told.lines[5], "shapley: 36 of 40, less than a minute left");
}

TEST(ProgressLines, SayNothingOfTheTimeBeforeAnythingIsDone) {
  Told told;
  told.at(0, 0, 40);
  told.at(61, 0, 40);
  ASSERT_EQ(told.lines.size(), 1U);
  EXPECT_EQ(told.lines[0], "shapley: 0 of 40");
}

TEST(ProgressLines, CountWhatWasDoneEarlierForNothing) {
  Told told;
  told.at(0, 30, 40);  // a journal had these
  told.at(60, 31, 40);
  ASSERT_EQ(told.lines.size(), 1U);
  EXPECT_EQ(told.lines[0], "shapley: 31 of 40, about 9 min left");
}

TEST(ProgressLines, OfSeveralPartsSayThatTheyMeanOne) {
  Told told;
  told.at(0, 0, 40);
  told.at(50, 40, 40);
  told.at(51, 0, 1000, "lime");
  told.at(111, 10, 1000, "lime");
  ASSERT_EQ(told.lines.size(), 1U);
  EXPECT_EQ(told.lines[0], "lime: 10 of 1000, about 1.6 h left of this part");
}

TEST(ProgressLines, AreNotMisledByStepsWithinAPart) {
  Told told;
  told.at(0, 0, 1, "");  // before anything has begun
  told.at(1, 0, 40);
  told.at(31, 10, 40);
  told.at(32, 8, 40, "deletion");  // of the same rows
  told.at(61, 20, 40, "deletion");
  ASSERT_EQ(told.lines.size(), 1U);
  EXPECT_EQ(told.lines[0], "deletion: 20 of 40, about 1 min left");
}

TEST(ProgressLines, SayThatWorkGoesOnThatCannotBeCounted) {
  Told told;
  told.at(0, 0, 1, "");
  told.at(60, 0, 1, "");
  EXPECT_EQ(told.lines, std::vector<std::string>{"still at work"});
}

// ---- did you mean ----

TEST(Manners, MistypedCommandsAndOptionsAreGuessed) {
  const Said command = run_ascribe({"exlain"});
  EXPECT_EQ(command.code, 2);
  EXPECT_TRUE(says(command.err, "did you mean 'explain'?")) << command.err;
  const Said option = run_ascribe({"explain", kVgg, "x.png", "--mehtod", "shapley"});
  EXPECT_EQ(option.code, 2);
  EXPECT_TRUE(says(option.err, "explain has no option '--mehtod'; did you mean '--method'?")) << option.err;
  // --metric is required, and missing only because it is mistyped.
  const Said required = run_ascribe({"evaluate", kVgg, "x", "--metrics", "deletion"});
  EXPECT_TRUE(says(required.err, "did you mean '--metric'?")) << required.err;
  const Said first = run_ascribe({"--verson"});
  EXPECT_TRUE(says(first.err, "did you mean '--version'?")) << first.err;
}

TEST(Manners, FarOffWordsGetNoGuess) {
  for (const std::string word : {"xyzzy", "banana", "--qqqqq"}) {
    const Said said = run_ascribe({word});
    EXPECT_EQ(said.code, 2);
    EXPECT_FALSE(says(said.err, "did you mean")) << said.err;
  }
}

TEST(Manners, NamesOfMethodsMetricsLayersAndPlayersAreGuessed) {
  TemporaryFolder folder;
  const std::string room = study_room_file(folder);
  const std::string rows = folder.write("rows.csv", "book,desk,lamp,clock\n1,1,1,1\n");
  const std::string picture = ASCRIBE_SOURCE_DIR "/models/images/ankle_boot.png";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"explain", room, rows, "-m", "shaply"}, "'shapley'"},
      {{"explain", room, rows, "-m", "shapley", "--baseline", "zreo"}, "'zero'"},
      {{"explain", room, rows, "-m", "shapley", "--players", "colums"}, "'columns'"},
      {{"explain", room, rows, "-m", "shapley", "--set", "sample=3"}, "'samples'"},
      {{"decompose", room, rows, "--index", "shapely"}, "'shapley'"},
      {{"evaluate", room, rows, "-m", "shapley", "--metric", "delete"}, "'deletion'"},
      {{"explain", kVgg, picture, "-m", "grad_cam", "--set", "layer=relu_1"}, "'node_relu_1'"},
      {{"explain", kVgg, picture, "-m", "lrp_epsilon", "--set", "rules=node_conv:flat"}, "'node_conv2d'"},
      {{"explain", kVgg, picture, "-m", "lrp_epsilon", "--set", "rules=first:flatt"}, "'flat'"},
      {{"explain", kVgg, picture, "-m", "gradient", "--at", "node_rleu"}, "'node_relu'"},
      {{"reproduce", "tabel3"}, "'table3'"},
  };
  for (const auto& [arguments, meant] : cases) {
    const Said said = run_ascribe(arguments);
    EXPECT_NE(said.code, 0);
    EXPECT_TRUE(says(said.err, "did you mean " + meant)) << said.err;
  }
}

TEST(Manners, NumbersAreTakenAsTheyStandOrNotAtAll) {
  const std::string picture = ASCRIBE_SOURCE_DIR "/models/images/ankle_boot.png";
  const auto asked = [&](const std::string& option, const std::string& number) {
    return run_ascribe({"decompose", kVgg, picture, "--players", "grid:1x2", "--json", "--quiet", option, number});
  };
  for (const std::string number : {"-1", "99999999999999999999", "1e30", "0x10", "", "1 2", "nan"}) {
    const Said said = asked("--seed", number);
    EXPECT_EQ(said.code, 2) << number;
    EXPECT_TRUE(says(said.err, "expected a whole number from 0 to 18446744073709551615")) << said.err;
  }
  for (const std::string number : {"nan", "inf", "1e999", "-nan", "0.5x"}) {
    EXPECT_EQ(asked("--aim", number).code, 2) << number;
  }
  // Ten, not eight.
  EXPECT_EQ(json::parse(asked("--seed", "010").out)["record"]["seed"], 10);
}

// ---- what it costs ----

TEST(Manners, EvaluateSaysWhatItCostsBeforeItStarts) {
  TemporaryFolder folder;
  const std::string room = study_room_file(folder);
  const std::string rows = folder.write("rows.csv", "book,desk,lamp,clock\n1,1,1,1\n2,1,1,1\n");
  const Said said = run_ascribe({"evaluate", room, rows, "-m", "occlusion", "--metric", "completeness", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  // Occlusion asks about x and about x without each of the four, of two rows.
  EXPECT_TRUE(says(said.err, "2 rows × 1 method × 1 metric: up to 10 passes of the network, at most about"))
      << said.err;
  const json planned = json::parse(said.out)["planned"];
  EXPECT_EQ(planned["passes"], 10);
  EXPECT_EQ(planned["passes_with_gradient"], 0);
  EXPECT_EQ(planned["rows"], 2);
  EXPECT_GE(planned["seconds"], 0);
  const Said quiet = run_ascribe({"evaluate", room, rows, "-m", "occlusion", "--metric", "completeness", "--quiet"});
  EXPECT_EQ(quiet.err, "");
}

// ---- layers ----

TEST(Manners, InspectListsWhatSettingsCanName) {
  const Said said = run_ascribe({"inspect", kVgg, "--layers"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.out, "yes, the usual one")) << said.out;
  const json layers = json::parse(run_ascribe({"inspect", kVgg, "--layers", "--json"}).out)["layers"];
  ASSERT_FALSE(layers.empty());
  EXPECT_EQ(layers[0]["name"], "node_conv2d");
  EXPECT_EQ(layers[0]["kind"], "conv");
  EXPECT_EQ(layers[0]["number"], 0);
  EXPECT_EQ(layers[0]["shape"], json::parse(R"(["N", 16, 28, 28])"));
  EXPECT_EQ(layers[0]["rules"]["deep_taylor"], "z_plus");
  EXPECT_FALSE(json::parse(run_ascribe({"inspect", kVgg, "--json"}).out).contains("layers"));
}

}  // namespace
}  // namespace ascribe::core
