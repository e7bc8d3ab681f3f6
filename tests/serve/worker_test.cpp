// One thing at a time, and the newest counts.
#include "serve/worker.h"

#include <atomic>

#include <gtest/gtest.h>

#include "base/error.h"

namespace ascribe::core::serve {
namespace {

using namespace std::chrono_literals;

// Tells its progress until it is stopped.
void endless(const Progress& progress) {
  for (int64_t i = 0;; ++i) {
    progress("counting", i, 1000);
    std::this_thread::sleep_for(1ms);
  }
}

ErrorKind kind_of_end(Worker& worker, const std::function<void(const Progress&)>& work) {
  try {
    worker.run(work);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

TEST(Worker, GivesBackErrorsAndGoesOn) {
  Worker worker;
  EXPECT_EQ(kind_of_end(worker, [](const Progress&) { fail(ErrorKind::shape, "x", "wrong"); }), ErrorKind::shape);
  bool done = false;
  worker.run([&](const Progress&) { done = true; });
  EXPECT_TRUE(done);
  EXPECT_FALSE(worker.state().busy);
}

TEST(Worker, ANewerQuestionStopsTheOlderOne) {
  Worker worker;
  std::atomic<bool> begun = false;
  ErrorKind older = ErrorKind::internal;
  std::thread first([&] {
    older = kind_of_end(worker, [&](const Progress& progress) {
      begun = true;
      endless(progress);
    });
  });
  while (!begun) std::this_thread::sleep_for(1ms);
  bool done = false;
  worker.run([&](const Progress&) { done = true; });
  first.join();
  EXPECT_TRUE(done);
  EXPECT_EQ(older, ErrorKind::cancelled);
}

TEST(Worker, TellsHowFarItIsAndCanBeStopped) {
  Worker worker;
  std::thread first([&] { EXPECT_EQ(kind_of_end(worker, endless), ErrorKind::cancelled); });
  while (worker.state().done < 3) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(worker.state().task, "counting");
  EXPECT_EQ(worker.state().total, 1000);
  worker.stop();
  first.join();
  EXPECT_FALSE(worker.state().busy);
}

TEST(Worker, StopsWhenNobodyIsThereAnyMore) {
  Worker worker(20ms);
  EXPECT_EQ(kind_of_end(worker, endless), ErrorKind::cancelled);
}

TEST(Worker, EndsWithWorkUnderWay) {
  std::thread first;
  {
    Worker worker;
    std::atomic<bool> begun = false;
    first = std::thread([&] {
      kind_of_end(worker, [&](const Progress& progress) {
        begun = true;
        endless(progress);
      });
    });
    while (!begun) std::this_thread::sleep_for(1ms);
    worker.end_now();
    first.join();
    EXPECT_EQ(kind_of_end(worker, [](const Progress&) {}), ErrorKind::cancelled);
  }
}

}  // namespace
}  // namespace ascribe::core::serve
