#include "study/reproduce/reproduce.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/idx_images.h"

namespace ascribe::core::study {
namespace {

namespace fs = std::filesystem;

class ReproduceStudy : public testing::Test {
 protected:
  ReproduceStudy() {
    fs::create_directory(folder_.root() / "data");
    write_idx(folder_.root() / "data", 12);
  }

  ReproduceRequest request(const std::string& experiment, const std::string& folder) const {
    ReproduceRequest request{{experiment}};
    request.folder = folder_.path(folder);
    request.data = folder_.path("data");
    request.models = {ASCRIBE_SOURCE_DIR "/models/localiser.onnx"};
    request.players = "grid:2x2";
    request.samples = 5;  // two batches
    return request;
  }
  std::string text(const std::string& name) const { return read_file(folder_.root() / name); }

  TemporaryFolder folder_;
};

TEST_F(ReproduceStudy, TellsWhatIsFinishedAndPrintsNothing) {
  ReproduceRequest wanted = request("table4", "out");
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
  EXPECT_EQ(finished, std::vector<std::string>{"table4"}) << "not when it is there already";
  ASSERT_EQ(first.experiments.size(), 1U);
  EXPECT_FALSE(first.experiments[0].was_there);
  EXPECT_EQ(first.experiments[0].files[0], folder_.path("out/table4.md"));
  EXPECT_TRUE(first.record["experiments"].contains("table4"));
  EXPECT_TRUE(second.experiments[0].was_there);
  EXPECT_EQ(second.notes, std::vector<std::string>{"table4 is there already, with these settings"});
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
  for (const char* name : {"figure5b.md", "figure5b.csv", "figure5b.svg", "README.md"}) {
    EXPECT_EQ(text(std::string("whole/") + name), text(std::string("stopped/") + name)) << name;
  }
  EXPECT_FALSE(fs::exists(folder_.root() / "stopped/figure5b-localiser.journal"));
}

TEST_F(ReproduceStudy, ARecordOfSomethingElseIsRefused) {
  reproduce(request("table4", "out"));
  for (const char* other : {"my notes", "[]", "{}", "{\"experiments\": 3}", "{\"experiments\": {\"table4\": 1e999}}"}) {
    folder_.write("out/run.json", other);
    expect_error(ErrorKind::io, "run.json", [&] { reproduce(request("table4", "out")); });
    EXPECT_EQ(text("out/run.json"), other);
  }
  for (const char* other : {"3", "[]", "{}", "{\"parameters\": []}", "{\"parameters\": {\"seed\": \"x\"}}"}) {
    folder_.write("out/run.json", fmt::format("{{\"experiments\": {{\"table4\": {}}}}}", other));
    expect_error(ErrorKind::io, "made with other settings", [&] { reproduce(request("table4", "out")); });
  }
  folder_.write("out/run.json", "{\"experiments\": {\"table4\": 3}}");
  ReproduceRequest forced = request("table4", "out");
  forced.force = true;
  EXPECT_TRUE(reproduce(forced).record["experiments"]["table4"].contains("parameters"));
}

TEST_F(ReproduceStudy, SaysWhatIsWrong) {
  expect_error(ErrorKind::argument, "there is no such experiment; expected table3, table4, figure4, figure5a, figure5b",
               [&] { reproduce(request("table5", "out")); });
  ReproduceRequest players = request("figure5b", "out");
  players.players = "patch:x";
  const auto error = error_of([&] { reproduce(players); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::argument) << error->what();
  EXPECT_FALSE(fs::exists(folder_.root() / "out/figure5b.md"));
}

}  // namespace
}  // namespace ascribe::core::study
