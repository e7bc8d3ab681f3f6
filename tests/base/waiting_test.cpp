#include "base/waiting.h"

#include <array>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ascribe::core {
namespace {

// What OpenMP says of itself when a child that has called wait_briefly is started once more; the child says "went on"
// if it was not.
std::string told_by_child(const char* policy) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    dup2(pipe_ends[1], STDOUT_FILENO);
    unsetenv("GOMP_SPINCOUNT");
    unsetenv("OMP_WAIT_POLICY");
    if (policy != nullptr) setenv("OMP_WAIT_POLICY", policy, 1);
    setenv("OMP_DISPLAY_ENV", "verbose", 1);
    std::string name = "tests", filter = "--gtest_filter=None", list = "--gtest_list_tests";
    std::array<char*, 4> arguments = {name.data(), filter.data(), list.data(), nullptr};
    wait_briefly(arguments.data());
    const std::string_view words = "went on";
    _exit(write(STDERR_FILENO, words.data(), words.size()) > 0 ? 0 : 1);
  }
  close(pipe_ends[1]);
  std::string told;
  std::array<char, 4096> some{};
  for (ssize_t got = 0; (got = read(pipe_ends[0], some.data(), some.size())) > 0;) {
    told.append(some.data(), static_cast<size_t>(got));
  }
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  return told;
}

TEST(WaitBriefly, StartsTheProgramWithThreadsThatSleepSoon) {
  const std::string told = told_by_child(nullptr);
  EXPECT_NE(told.find("GOMP_SPINCOUNT = '5000'"), std::string::npos) << told;
  EXPECT_EQ(told.find("went on"), std::string::npos) << told;
}

TEST(WaitBriefly, LeavesWhatTheUserHasSaid) { EXPECT_EQ(told_by_child("active"), "went on"); }

}  // namespace
}  // namespace ascribe::core
