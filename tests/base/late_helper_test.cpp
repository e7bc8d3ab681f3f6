// Helpers that do not come, or are no longer there. ThreadSanitizer can follow neither signals nor fork, so these are
// not among its suites.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "base/crew.h"
#include "support/held_helper.h"

namespace ascribe::core {
namespace {

TEST(LateHelper, PartsOfAThreadThatDoesNotComeAreTheCallers) {
  {
    const HeldHelper held;
    std::array<std::thread::id, 2> threads;
    run_parts(
        2, [](void* data) { static_cast<std::thread::id*>(data)[part_number()] = std::this_thread::get_id(); },
        threads.data());
    EXPECT_EQ(threads[0], std::this_thread::get_id());
    EXPECT_EQ(threads[1], std::this_thread::get_id());
  }
  std::atomic<int> parts = 0;
  run_parts(
      2, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &parts);
  EXPECT_EQ(parts, 2);
}

TEST(LateHelper, AProcessMadeByForkHasHelpersAgain) {
  run_parts(
      2, [](void*) { meet_parts(); }, nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // rather than wait for ever
    std::atomic<int> met = 0;
    run_parts(
        2,
        [](void* data) {
          meet_parts();
          ++*static_cast<std::atomic<int>*>(data);
        },
        &met);
    _exit(met == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace ascribe::core
