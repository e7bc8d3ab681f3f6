#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/run_ascribe.h"
#include "study/audit.h"
#include "study/reproduce/paper_values.h"
#include "support/folder.h"
#include "support/idx_images.h"
#include "support/tiny_localiser.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Reproduce : public testing::Test {
 protected:
  Reproduce() {
    fs::create_directory(folder_.root() / "data");
    write_idx(folder_.root() / "data", 12);
    localiser_ = write_tiny_localiser(folder_.root() / "tiny.onnx");
  }

  Said reproduce(std::vector<std::string> arguments, const std::string& out) {
    arguments.insert(arguments.begin(), "reproduce");
    for (const std::string& text : {std::string("--data"), (folder_.root() / "data").string(), std::string("-o"),
                                    (folder_.root() / out).string()}) {
      arguments.push_back(text);
    }
    return run_ascribe(arguments);
  }
  std::string text(const std::string& name) { return read_file(folder_.root() / name); }

  TemporaryFolder folder_;
  std::string localiser_;
};

TEST_F(Reproduce, Table5HasTheFiguresOfTheAuditAndThePapersVerdicts) {
  const Said said = reproduce({"table5"}, "out");
  ASSERT_EQ(said.code, 0) << said.err;
  const std::string csv = text("out/table5.csv");
  const Json audit = Json::parse(run_ascribe({"audit", "--json"}).out)["audit"];
  ASSERT_EQ(audit.size(), 84U);
  for (const Json& one : audit) {
    const std::string method = one["method"];
    const auto verdicts = study::paper::paper_verdicts(method);
    const std::string principle = one["principle"];
    size_t p = 0;
    while (to_string(kPrinciples[p]) != principle) ++p;
    const std::string line =
        fmt::format("{},{},{},{:.6g},{:g},{},{}\n", method, principle, one["measured_by"].get<std::string>(),
                    one["figure"].get<double>(), one["tolerance"].get<double>(), one["verdict"].get<bool>() ? 1 : 0,
                    verdicts[p] ? 1 : 0);
    EXPECT_NE(csv.find(line), std::string::npos) << line;
  }
  EXPECT_NE(text("out/table5.md").find("Of 42 verdicts 42 are the paper's, and 42 are the same"), std::string::npos);
}

TEST_F(Reproduce, Table4HasTheNumbersOfVerify) {
  ASSERT_EQ(
      reproduce({"table4", "--samples", "1", "--model", ASCRIBE_SOURCE_DIR "/models/polynomial.onnx"}, "out").code, 0);
  const Json verified = Json::parse(run_ascribe({"verify", ASCRIBE_SOURCE_DIR "/models/polynomial.onnx",
                                                 (folder_.root() / "data/t10k-images-idx3-ubyte").string(), "--row",
                                                 "0", "--sigma", "0.03,0.05,0.1", "--json"})
                                        .out);
  const std::string csv = text("out/table4.csv");
  ASSERT_EQ(verified["errors"].size(), 7U * 3 * 5);
  for (const Json& one : verified["errors"]) {
    const std::string line =
        fmt::format("polynomial,{},{:g},{},{:.6g},", one["method"].get<std::string>(), one["sigma"].get<double>(),
                    one["order"].get<int>(), one["error"].get<double>());
    EXPECT_NE(csv.find(line), std::string::npos) << line;
  }
}

TEST_F(Reproduce, EqualRunsWriteEqualTablesAndOtherSeedsOthers) {
  const std::vector<std::string> arguments = {"figure5b",  "figure3",
                                              "--samples", "1",
                                              "--players", "grid:2x2",
                                              "--model",   "figure3=" ASCRIBE_SOURCE_DIR "/models/sigmoid_mlp.onnx",
                                              "--model",   "figure5b=" + localiser_};
  const Said first = reproduce(arguments, "first");
  ASSERT_EQ(first.code, 0) << first.err;
  ASSERT_EQ(reproduce(arguments, "second").code, 0);
  for (const char* name : {"figure5b.md", "figure5b.csv", "figure5b.svg", "figure3.csv", "figure3.png", "README.md"}) {
    EXPECT_EQ(text(std::string("first/") + name), text(std::string("second/") + name)) << name;
  }
  std::vector<std::string> seeded = arguments;
  seeded.erase(seeded.begin() + 1);  // figure3
  seeded.insert(seeded.end(), {"--seed", "1"});
  ASSERT_EQ(reproduce(seeded, "third").code, 0);
  EXPECT_NE(text("first/figure5b.csv"), text("third/figure5b.csv"));
}

TEST_F(Reproduce, GoesOnFromATruncatedJournal) {
  const std::vector<std::string> arguments = {"figure5b", "--samples", "5",       "--players",
                                              "grid:2x2", "--model",   localiser_};
  ASSERT_EQ(reproduce(arguments, "whole").code, 0);
  // Killed before the results were written: a folder where they cannot be keeps the journal.
  const fs::path cut = folder_.root() / "cut";
  fs::create_directories(cut / "figure5b.md");  // a folder of the table's name
  EXPECT_NE(
      reproduce({"figure5b", "--samples", "5", "--players", "grid:2x2", "--model", localiser_, "--force"}, "cut").code,
      0);
  const fs::path journal = cut / "figure5b-tiny-grey-patches.journal";
  ASSERT_TRUE(fs::exists(journal));
  fs::remove(cut / "figure5b.md");
  // The first batch, with a time that shows whether it was read, and a piece of the second.
  std::istringstream lines(read_file(journal));
  std::string fingerprint, first, second;
  std::getline(lines, fingerprint), std::getline(lines, first), std::getline(lines, second);
  ASSERT_FALSE(second.empty());
  Json batch = Json::parse(first);
  batch["method_seconds"][0] = 12345;
  write_file(journal, fingerprint + "\n" + batch.dump() + "\n" + second.substr(0, 30), true);
  ASSERT_EQ(reproduce(arguments, "cut").code, 0);
  EXPECT_EQ(text("cut/figure5b.csv"), text("whole/figure5b.csv"));
  EXPECT_GT(Json::parse(text("cut/run.json"))["experiments"]["figure5b"]["seconds"]["tiny gradient_x_input"], 12345);
  EXPECT_FALSE(fs::exists(journal));
}

TEST_F(Reproduce, DoesNotRepeatWhatIsThereAndReplacesNothingUnasked) {
  ASSERT_EQ(reproduce({"table5"}, "out").code, 0);
  const auto before = fs::last_write_time(folder_.root() / "out/table5.md");
  const Said again = reproduce({"table5"}, "out");
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.err.find("table5 is there already"), std::string::npos) << again.err;
  EXPECT_EQ(fs::last_write_time(folder_.root() / "out/table5.md"), before);
  const Said other = reproduce({"table5", "--seed", "1"}, "out");
  EXPECT_EQ(other.code, 5);
  EXPECT_NE(other.err.find("other settings (different: seed)"), std::string::npos) << other.err;
  EXPECT_EQ(reproduce({"table5", "--seed", "1", "--force"}, "out").code, 0);
}

TEST_F(Reproduce, Figure5CountsPrinciplesAsTheyAreMeasured) {
  ASSERT_EQ(
      reproduce({"figure5a", "--samples", "1", "--model", ASCRIBE_SOURCE_DIR "/models/sigmoid_mlp.onnx"}, "out").code,
      0);
  const std::string csv = text("out/figure5a.csv");
  for (const study::MethodPrinciples& one : study::measured_principles(study::choose_methods({"all"}, {}))) {
    EXPECT_NE(csv.find(fmt::format("sigmoid_mlp,pixels,zero,{},{},infidelity_all_squares,", one.method.name,
                                   one.by_method.held())),
              std::string::npos);
  }
  EXPECT_NE(text("out/figure5a.md").find("Left out: Grad-CAM"), std::string::npos) << "a network without convolutions";
}

TEST_F(Reproduce, SaysWhatIsWrong) {
  const Said unknown = reproduce({"table6"}, "out");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(
      unknown.err.find("expected one of table3, table4, table5, figure2, figure3, figure4, figure5a, figure5b or all"),
      std::string::npos);
  const Said missing =
      run_ascribe({"reproduce", "figure3", "--data", "/nowhere", "-o", (folder_.root() / "out").string()});
  EXPECT_EQ(missing.code, 5) << missing.err;
  EXPECT_FALSE(fs::exists(folder_.root() / "out"));
}

}  // namespace
}  // namespace ascribe::core
