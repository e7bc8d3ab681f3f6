#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "support/errors.h"

namespace ascribe::core {
namespace {

// Restores the number of threads that a test changes.
class Parallel : public testing::Test {
 protected:
  void TearDown() override { set_thread_count(before_); }
  int before_ = thread_count();
};

TEST_F(Parallel, EveryIndexIsVisitedOnce) {
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    for (const int64_t count : {1, 7, 64, 1000}) {
      for (const int64_t grain : {0, 1, 7, 2000}) {
        std::vector<std::atomic<int>> visits(count);
        parallel_for(count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++visits[i];
        });
        for (const auto& visit : visits) EXPECT_EQ(visit, 1);
      }
    }
  }
}

TEST_F(Parallel, NothingToDoCallsNobody) {
  int calls = 0;
  parallel_for(0, 4, [&](int64_t, int64_t) { ++calls; });
  parallel_for(-3, 4, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

TEST_F(Parallel, ChunksDoNotDependOnTheNumberOfThreads) {
  const auto chunks = [](int threads) {
    set_thread_count(threads);
    std::set<std::pair<int64_t, int64_t>> result;
    std::mutex guard;
    parallel_for(103, 10, [&](int64_t begin, int64_t end) {
      const std::lock_guard lock(guard);
      result.emplace(begin, end);
    });
    return result;
  };
  EXPECT_EQ(chunks(1).size(), 11U);
  EXPECT_EQ(chunks(1), chunks(4));
  EXPECT_TRUE(chunks(4).contains({100, 103}));
}

TEST_F(Parallel, ExceptionsReachTheCaller) {
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    expect_error(ErrorKind::numeric, "chunk", [] {
      parallel_for(100, 1, [](int64_t begin, int64_t) {
        if (begin % 10 == 3) fail(ErrorKind::numeric, "test", "chunk {}", begin);
      });
    });
  }
}

TEST_F(Parallel, LoopsMayNest) {
  set_thread_count(3);
  std::atomic<int64_t> sum = 0;
  parallel_for(10, 1, [&](int64_t begin, int64_t) {
    parallel_for(10, 3, [&](int64_t from, int64_t to) { sum += (to - from) * begin; });
  });
  EXPECT_EQ(sum, 450);
}

TEST_F(Parallel, ZeroThreadsMeansAsAtTheBeginning) {
  set_thread_count(before_ + 1);
  EXPECT_EQ(thread_count(), before_ + 1);
  set_thread_count(0);
  EXPECT_EQ(thread_count(), before_);
}

TEST_F(Parallel, AThreadCountLastsAsLongAsItsScope) {
  set_thread_count(3);
  {
    const ThreadCount one(1);
    EXPECT_EQ(thread_count(), 1);
    const ThreadCount unchanged(0);
    EXPECT_EQ(thread_count(), 1);
  }
  EXPECT_EQ(thread_count(), 3);
}

TEST_F(Parallel, AThreadCountIsOfTheThreadThatSetIt) {
  set_thread_count(3);
  std::thread other([] { set_thread_count(5); });
  other.join();
  EXPECT_EQ(thread_count(), 3);
}

}  // namespace
}  // namespace ascribe::core
