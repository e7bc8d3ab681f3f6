#include "study/records/run_log.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/errors.h"
#include "support/folder.h"

namespace ascribe::core::study {
namespace {

namespace fs = std::filesystem;

class RunLog : public testing::Test {
 protected:
  Json run(int64_t number) const { return Json::object({{"verb", "explain"}, {"results_sha256", number}}); }
  // Of some entries.
  std::string make(int64_t entries) {
    for (int64_t i = 0; i < entries; ++i) head_ = append_to_log(path_, run(i));
    return read_file(path_);
  }
  void put(const std::string& bytes) const { write_file(path_, bytes, true); }
  std::vector<std::string> lines() const {
    std::vector<std::string> list;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) list.push_back(line);
    return list;
  }
  void put(const std::vector<std::string>& list) const {
    std::string bytes;
    for (const std::string& line : list) bytes += line + "\n";
    put(bytes);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("runs.log"), head_;
};

TEST_F(RunLog, IsAChain) {
  make(3);
  const LogCheck check = read_log(path_);
  EXPECT_TRUE(check.good()) << check.problem;
  ASSERT_EQ(check.lines.size(), 3U);
  EXPECT_EQ(check.head, head_);
  EXPECT_EQ(check.lines[2].number, 3);
  EXPECT_EQ(check.lines[1].run, run(1));
  EXPECT_TRUE(read_log(path_, head_).good());
}

TEST_F(RunLog, IsReadableByItsOwnerOnly) {
  make(1);
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_F(RunLog, ShowsEveryByteThatWasChanged) {
  const std::string bytes = make(3);
  std::vector<size_t> ends;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n') ends.push_back(i);
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    put(changed);
    const LogCheck check = read_log(path_);
    ASSERT_FALSE(check.good()) << "byte " << i;
    const auto line = static_cast<int64_t>(std::lower_bound(ends.begin(), ends.end(), i) - ends.begin()) + 1;
    ASSERT_EQ(*check.bad_line, line) << "byte " << i << ": " << check.problem;
  }
}

TEST_F(RunLog, ShowsLinesThatWereRemovedMovedOrInserted) {
  make(4);
  const std::vector<std::string> all = lines();
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    std::vector<std::string> fewer = all;
    fewer.erase(fewer.begin() + static_cast<int64_t>(i));
    put(fewer);
    EXPECT_EQ(read_log(path_).bad_line, static_cast<int64_t>(i) + 1) << "removed";
    std::vector<std::string> moved = all;
    std::swap(moved[i], moved[i + 1]);
    put(moved);
    EXPECT_EQ(read_log(path_).bad_line, static_cast<int64_t>(i) + 1) << "moved";
    std::vector<std::string> more = all;
    more.insert(more.begin() + static_cast<int64_t>(i), all[i]);
    put(more);
    EXPECT_EQ(read_log(path_).bad_line, static_cast<int64_t>(i) + 2) << "inserted";
  }
  // A line of another log, which is whole by itself.
  const std::string other = folder_.path("other.log");
  append_to_log(other, run(7));
  append_to_log(other, run(8));
  std::string foreign = read_file(other);
  foreign = foreign.substr(foreign.find('\n') + 1);
  foreign.pop_back();
  std::vector<std::string> mixed = all;
  mixed[1] = foreign;
  put(mixed);
  EXPECT_EQ(read_log(path_).bad_line, 2);
}

// The chain itself cannot tell that its end is missing; who has kept the head can.
TEST_F(RunLog, ShowsAMissingEndToWhoeverKeptTheHead) {
  make(3);
  std::vector<std::string> all = lines();
  all.pop_back();
  put(all);
  EXPECT_TRUE(read_log(path_).good());
  const LogCheck check = read_log(path_, head_);
  EXPECT_FALSE(check.good());
  EXPECT_NE(check.problem.find("does not end as expected"), std::string::npos);
}

// Whatever is left of a line, nothing is overwritten, and the next line tells of it.
TEST_F(RunLog, GoesOnBehindALineThatACrashHasTorn) {
  const std::string bytes = make(3);
  const size_t second = bytes.find('\n', bytes.find('\n') + 1) + 1;
  for (size_t length = second + 1; length < bytes.size(); ++length) {
    put(bytes.substr(0, length));
    const LogCheck torn = read_log(path_);
    ASSERT_FALSE(torn.good());
    ASSERT_TRUE(torn.torn_end);
    ASSERT_EQ(torn.bad_line, 3);
    append_to_log(path_, run(9));
    const LogCheck after = read_log(path_);
    ASSERT_TRUE(after.good()) << length << ": " << after.problem;
    ASSERT_EQ(after.torn, std::vector<int64_t>{3});
    ASSERT_EQ(after.lines.size(), 3U);
    ASSERT_EQ(after.lines[2].run, run(9));
    ASSERT_EQ(read_file(path_).substr(0, length), bytes.substr(0, length)) << "what was there stays";
  }
  // What was torn cannot be exchanged either.
  std::vector<std::string> all = lines();
  all[2] += " ";
  put(all);
  EXPECT_EQ(read_log(path_).bad_line, 3);
  all.erase(all.begin() + 2);
  put(all);
  EXPECT_EQ(read_log(path_).bad_line, 3);
}

TEST_F(RunLog, BeginsBehindATornFirstLine) {
  const std::string bytes = make(1);
  put(bytes.substr(0, 40));
  append_to_log(path_, run(1));
  EXPECT_TRUE(read_log(path_).good());
}

TEST_F(RunLog, AppendsToNothingButALog) {
  put("my diary\n");
  expect_error(ErrorKind::io, "damaged", [&] { append_to_log(path_, run(0)); });
  EXPECT_EQ(read_file(path_), "my diary\n");
  put("my diary");
  expect_error(ErrorKind::io, "not a log", [&] { append_to_log(path_, run(0)); });
  fs::create_symlink(path_, folder_.path("link"));
  expect_error(ErrorKind::io, "symbolic link", [&] { append_to_log(folder_.path("link"), run(0)); });
  expect_error(ErrorKind::io, "log", [&] { append_to_log(folder_.root().string(), run(0)); });
  expect_error(ErrorKind::io, "cannot open", [&] { check_log(folder_.path("none/runs.log")); });
  fs::remove(path_);
  std::string bytes = make(1);
  bytes[bytes.size() - 20] = bytes[bytes.size() - 20] == '0' ? '1' : '0';
  put(bytes);
  expect_error(ErrorKind::io, "damaged", [&] { check_log(path_); });
}

// Several processes at once: every entry is there, once, in one chain.
TEST_F(RunLog, LosesNothingToProcessesThatWriteAtOnce) {
  constexpr int kProcesses = 6, kEach = 15;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0; i < kEach; ++i) append_to_log(path_, run(p * kEach + i));
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const LogCheck check = read_log(path_);
  ASSERT_TRUE(check.good()) << check.problem;
  std::set<int64_t> seen;
  for (const LogLine& line : check.lines) seen.insert(line.run["results_sha256"].integer());
  EXPECT_EQ(check.lines.size(), static_cast<size_t>(kProcesses * kEach));
  EXPECT_EQ(seen.size(), static_cast<size_t>(kProcesses * kEach));
}

// Killed at any moment: what was appended before is whole, and the log goes on.
TEST_F(RunLog, SurvivesProcessesThatAreKilled) {
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int64_t i = 0;; ++i) append_to_log(path_, run(i));
    }
    ::usleep(static_cast<useconds_t>(2000 + 1700 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    append_to_log(path_, run(-1));
    const LogCheck check = read_log(path_);
    ASSERT_TRUE(check.good()) << check.problem;
    ASSERT_EQ(check.lines.back().run, run(-1));
  }
}

}  // namespace
}  // namespace ascribe::core::study
