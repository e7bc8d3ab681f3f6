#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "cli/run_ascribe.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";
const std::string kModel = kModels + "relu_vgg.onnx", kBoot = kModels + "images/ankle_boot.png";

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ReplayCommand : public testing::Test {
 protected:
  std::string path(const std::string& name) { return folder_.path(name); }
  TemporaryFolder folder_;
};

TEST_F(ReplayCommand, FollowsAResultFromItsFolder) {
  const Said made = run_ascribe({"explain", kModel, kBoot, "-m", "gradient_x_input,occlusion", "--players", "grid:2x2",
                                 "--precision", "double", "--threads", "2", "-o", path("out"), "--quiet"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json record = Json::parse(read_file(path("out/record.json")));
  EXPECT_EQ(record["contents"][0]["sha256"], sha256(read_file(kModel)));
  EXPECT_EQ(record["contents"][1]["sha256"], sha256(read_file(kBoot)));
  EXPECT_TRUE(says(record["command"], "ascribe explain"));
  EXPECT_EQ(record["threads"], 2);
  const Said same = run_ascribe({"replay", path("out/record.json"), "--threads", "1"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_TRUE(says(same.out, "SAME:")) << same.out;
}

TEST_F(ReplayCommand, HasACodeForEachAnswer) {
  fs::copy_file(kBoot, path("boot.png"));
  const Said made = run_ascribe(
      {"explain", kModel, path("boot.png"), "-m", "occlusion", "--players", "grid:2x2", "--json", "--quiet"});
  ASSERT_EQ(made.code, 0) << made.err;
  Json document = Json::parse(made.out);
  folder_.write("result.json", made.out);
  EXPECT_EQ(run_ascribe({"replay", path("result.json")}).code, 0);
  document["record"]["request"]["question"]["players"] = "grid:2x1";
  folder_.write("other.json", document.dump());
  const Said different = run_ascribe({"replay", path("other.json")});
  EXPECT_EQ(different.code, 1) << different.out << different.err;
  EXPECT_TRUE(says(different.out, "DIFFERENT:"));
  EXPECT_TRUE(says(different.out, "row 0, occlusion: 4 numbers then, 2 now")) << different.out;
  fs::copy_file(kModels + "images/sneaker.png", path("boot.png"), fs::copy_options::overwrite_existing);
  const Said changed = run_ascribe({"replay", path("result.json")});
  EXPECT_EQ(changed.code, 7) << changed.out << changed.err;
  EXPECT_TRUE(says(changed.out, "the input has changed: " + path("boot.png"))) << changed.out;
  const Said anyway = run_ascribe({"replay", path("result.json"), "--anyway", "--json"});
  EXPECT_EQ(anyway.code, 1) << anyway.err;
  EXPECT_EQ(Json::parse(anyway.out)["agreement"], "different");
  fs::remove(path("boot.png"));
  EXPECT_EQ(run_ascribe({"replay", path("result.json")}).code, 7);
  EXPECT_EQ(run_ascribe({"replay", path("result.json"), "--input", kBoot}).code, 0);
  folder_.write("broken.json", "{\"format\": \"ascribe record\"");
  EXPECT_EQ(run_ascribe({"replay", path("broken.json")}).code, 5);
  folder_.write("none.json", "{}");
  EXPECT_EQ(run_ascribe({"replay", path("none.json")}).code, 5);
}

TEST_F(ReplayCommand, StandsBesideOutputsThatAreOneFile) {
  const Said made = run_ascribe({"decompose", kModel, kBoot, "--players", "grid:2x2", "-o", path("d.npz"), "--quiet"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(run_ascribe({"replay", path("d.npz.record.json")}).code, 0);
  // Nothing is overwritten, and nothing is computed before that is known.
  fs::remove(path("d.npz"));
  const Said refused =
      run_ascribe({"decompose", kModel, kBoot, "--players", "grid:2x2", "-o", path("d.npz"), "--quiet"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_TRUE(says(refused.err, "d.npz.record.json")) << refused.err;
  EXPECT_FALSE(fs::exists(path("d.npz")));
}

TEST_F(ReplayCommand, OfAReportTakesOtherThreadsAndMemory) {
  const Said made = run_ascribe({"report", kModel, kBoot, "-m", "gradient_x_input,shapley", "--players", "grid:2x2",
                                 "--precision", "double", "--threads", "2", "-o", path("r.html"), "--quiet"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Said same = run_ascribe({"replay", path("r.json"), "--threads", "1", "--memory", "64M"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  // The page can still be made from it, with the record in it.
  EXPECT_EQ(run_ascribe({"render", path("r.json"), "-o", path("again.html")}).code, 0);
  EXPECT_EQ(read_file(path("again.html")), read_file(path("r.html")));
}

TEST_F(ReplayCommand, LogsHashesAndNothingElse) {
  fs::copy_file(kBoot, path("secret-name.png"));
  const std::vector<std::string> explain = {
      "explain",  kModel,  path("secret-name.png"), "-m",     "occlusion", "--players",
      "grid:2x2", "--log", path("runs.log"),        "--quiet"};
  ASSERT_EQ(run_ascribe(explain).code, 0);
  std::vector<std::string> kept = explain;
  kept.insert(kept.end(), {"-o", path("out")});
  ASSERT_EQ(run_ascribe(kept).code, 0);
  const std::string log = read_file(path("runs.log"));
  EXPECT_FALSE(says(log, "secret-name"));
  EXPECT_FALSE(says(log, "relu_vgg"));
  EXPECT_TRUE(says(log, sha256(read_file(kBoot))));
  const Said good = run_ascribe({"log", "verify", path("runs.log"), "--record", path("out/record.json")});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_TRUE(says(good.out, "2 entries")) << good.out;
  EXPECT_TRUE(says(good.out, "is entry 2")) << good.out;
  const Said shown = run_ascribe({"log", "show", path("runs.log")});
  EXPECT_EQ(shown.code, 0);
  EXPECT_TRUE(says(shown.out, "explain"));
  // The first line is gone.
  folder_.write("runs.log", log.substr(log.find('\n') + 1));
  const Said bad = run_ascribe({"log", "verify", path("runs.log")});
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(says(bad.out, "BAD: line 1")) << bad.out;
}

TEST_F(ReplayCommand, GivesNoResultThatTheLogDoesNotTake) {
  folder_.write("notes.txt", "mine\n");
  const Said refused = run_ascribe({"explain", kModel, kBoot, "-m", "occlusion", "--log", path("notes.txt"), "--json"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_TRUE(refused.out.empty());
  EXPECT_EQ(read_file(path("notes.txt")), "mine\n");
}

}  // namespace
}  // namespace ascribe::core
