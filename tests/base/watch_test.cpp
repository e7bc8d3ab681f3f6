#include "base/watch.h"

#include <thread>

#include "base/parallel.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

using namespace std::chrono_literals;

TEST(Watch, IsToldWhatTheWorkTells) {
  std::string seen;
  const Watch watch(
      [&](std::string_view task, int64_t done, int64_t total) { seen += fmt::format("{} {}/{};", task, done, total); });
  report(watch.progress(), "rows", 1, 4);
  report(watch.progress(), "rows", 2, 4);
  EXPECT_EQ(seen, "rows 1/4;rows 2/4;");
}

TEST(Watch, IsAskedAgainInLoopsThatTellNothing) {
  int asked = 0;
  const Watch watch([&](std::string_view, int64_t, int64_t) { ++asked; });
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(10ms);
    parallel_for(1, 1, [](int64_t, int64_t) {});
  }
  EXPECT_GE(asked, 2);
  EXPECT_LE(asked, 10);  // at most twenty times a second, of 0.2 s and what a busy machine adds
}

TEST(Watch, StopsTheWorkFromInside) {
  const Watch watch([](std::string_view, int64_t, int64_t) { cancel(); });
  std::this_thread::sleep_for(60ms);
  expect_error(ErrorKind::cancelled, "stopped", [] { parallel_for(1, 1, [](int64_t, int64_t) {}); });
}

TEST(Watch, TheInnermostCounts) {
  int outer = 0, inner = 0;
  const Watch first([&](std::string_view, int64_t, int64_t) { ++outer; });
  {
    const Watch second([&](std::string_view, int64_t, int64_t) { ++inner; });
    std::this_thread::sleep_for(60ms);
    poll();
  }
  EXPECT_EQ(outer, 0);
  EXPECT_EQ(inner, 1);
  std::this_thread::sleep_for(60ms);
  poll();
  EXPECT_EQ(outer, 1);
}

TEST(Watch, NobodyIsAskedOnceItIsGone) {
  int asked = 0;
  {
    const Watch watch([&](std::string_view, int64_t, int64_t) { ++asked; });
    std::this_thread::sleep_for(60ms);
    poll();
  }
  EXPECT_EQ(asked, 1);
  std::this_thread::sleep_for(60ms);
  poll();
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace ascribe::core
