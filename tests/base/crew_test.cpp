#include "base/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <thread>
#include <vector>

namespace ascribe::core {
namespace {

struct Seen {
  std::vector<std::atomic<int>> visits;
  std::vector<std::thread::id> threads;
  std::atomic<int> wrong = 0;
  explicit Seen(int count) : visits(static_cast<size_t>(count)), threads(static_cast<size_t>(count)) {}
};

void note(void* data) {
  Seen& seen = *static_cast<Seen*>(data);
  const auto number = static_cast<size_t>(part_number());
  if (!in_part() || part_count() != std::ssize(seen.visits)) ++seen.wrong;
  ++seen.visits[number];
  seen.threads[number] = std::this_thread::get_id();
}

void expect_each_once(int count) {
  Seen seen(count);
  run_parts(count, note, &seen);
  for (const auto& visits : seen.visits) EXPECT_EQ(visits, 1);
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_FALSE(in_part());
}

TEST(Crew, RunsEachPartOnce) {
  for (int again = 0; again < 200; ++again) {
    for (const int count : {1, 2, 5, 3}) expect_each_once(count);
  }
}

TEST(Crew, ACallWaitsForPartsThatOthersHaveBegun) {
  std::atomic<int> done = 0;
  run_parts(
      3,
      [](void* data) {
        meet_parts();  // so each has a thread of its own
        if (part_number() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++*static_cast<std::atomic<int>*>(data);
      },
      &done);
  EXPECT_EQ(done, 3);
}

TEST(Crew, PartsMeet) {
  struct State {
    std::atomic<int> came[3] = {0, 0, 0};
    std::atomic<int> wrong = 0;
  } state;
  run_parts(
      4,
      [](void* data) {
        State& all = *static_cast<State*>(data);
        for (auto& came : all.came) {
          ++came;
          meet_parts();
          if (came != 4) ++all.wrong;
          meet_parts();
        }
      },
      &state);
  EXPECT_EQ(state.wrong, 0);
}

TEST(Crew, ACallInsideOfAPartHasOnePart) {
  std::atomic<int> calls = 0;
  run_parts(
      2,
      [](void* data) {
        const int number = part_number();
        run_parts(
            5,
            [](void* sum) {
              *static_cast<std::atomic<int>*>(sum) += 1 + 10 * part_number() + 100 * (part_count() - 1);
            },
            data);
        if (part_number() != number) *static_cast<std::atomic<int>*>(data) += 1000;
      },
      &calls);
  EXPECT_EQ(calls, 2);
}

TEST(Crew, AnInvalidOperationOfAnyPartIsTheCallers) {
  for (const int guilty : {-1, 0, 1, 2}) {
    std::feclearexcept(FE_INVALID);
    int who = guilty;
    run_parts(
        3,
        [](void* data) {
          meet_parts();
          if (part_number() == *static_cast<int*>(data)) std::feraiseexcept(FE_INVALID);
        },
        &who);
    EXPECT_EQ(std::fetestexcept(FE_INVALID) != 0, guilty >= 0) << guilty;
  }
  std::feclearexcept(FE_INVALID);
}

TEST(Crew, EveryThreadHasItsOwn) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int again = 0; again < 100; ++again) expect_each_once(3);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Crew, WaitsAsTheEnvironmentSays) {
  EXPECT_EQ(turns_of_waiting(nullptr, nullptr), 5000);
  EXPECT_EQ(turns_of_waiting("77", "passive"), 77);
  EXPECT_EQ(turns_of_waiting(nullptr, "passive"), 0);
  EXPECT_EQ(turns_of_waiting(nullptr, "PASSIVE"), 0);
  EXPECT_GT(turns_of_waiting(nullptr, "active"), 1'000'000'000);
  EXPECT_GT(turns_of_waiting("infinite", nullptr), 1'000'000'000);
  EXPECT_EQ(turns_of_waiting(nullptr, "else"), 5000);
}

}  // namespace
}  // namespace ascribe::core
