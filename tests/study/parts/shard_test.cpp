#include "study/parts/shard.h"

#include <map>

#include <gtest/gtest.h>

#include "study/parts/part_work.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

using Variables = std::map<std::string, std::string>;

Environment with(const Variables& variables) {
  return [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

Shard shard_of(const std::string& text, const Variables& variables = {}) { return parse_shard(text, with(variables)); }

TEST(Shard, IsToldOutright) {
  EXPECT_EQ(shard_of("1/1"), (Shard{1, 1}));
  EXPECT_EQ(shard_of("3/64"), (Shard{3, 64}));
  for (const char* wrong : {"", "3", "/", "0/4", "5/4", "-1/4", "1/0", "a/4", "1/b", "1/4/2", "1.5/4", "auto/x",
                            "auto/", "99999999999999999999/4"}) {
    expect_error(ErrorKind::argument, "expected", [&] { shard_of(wrong); });
  }
}

TEST(Shard, OfASlurmArray) {
  const Variables array = {
      {"SLURM_ARRAY_TASK_ID", "5"}, {"SLURM_ARRAY_TASK_COUNT", "8"}, {"SLURM_ARRAY_TASK_MIN", "0"}};
  EXPECT_EQ(shard_of("auto", array), (Shard{6, 8}));
  EXPECT_EQ(shard_of("auto/8", array), (Shard{5, 8}));  // counted from 1, as far as anybody can tell
  Variables stepping = array;
  stepping["SLURM_ARRAY_TASK_MIN"] = "1";
  stepping["SLURM_ARRAY_TASK_MAX"] = "15";
  stepping["SLURM_ARRAY_TASK_STEP"] = "2";
  EXPECT_EQ(shard_of("auto", stepping), (Shard{3, 8}));
}

// --array=3,7 after two of 64 tasks have failed must not become shards 1 and 2 of 2.
TEST(Shard, OfASlurmArrayWithGapsIsRefused) {
  const Variables again = {{"SLURM_ARRAY_TASK_ID", "7"},
                           {"SLURM_ARRAY_TASK_COUNT", "2"},
                           {"SLURM_ARRAY_TASK_MIN", "3"},
                           {"SLURM_ARRAY_TASK_MAX", "7"}};
  expect_error(ErrorKind::argument, "auto/N says how many", [&] { shard_of("auto", again); });
  EXPECT_EQ(shard_of("auto/64", again), (Shard{7, 64}));
}

TEST(Shard, OfAnIndexedJobAndOfOpenMpi) {
  EXPECT_EQ(shard_of("auto/64", {{"JOB_COMPLETION_INDEX", "63"}}), (Shard{64, 64}));
  EXPECT_EQ(shard_of("auto", {{"JOB_COMPLETION_INDEX", "0"}, {"JOB_COMPLETIONS", "4"}}), (Shard{1, 4}));
  expect_error(ErrorKind::argument, "JOB_COMPLETIONS", [] { shard_of("auto", {{"JOB_COMPLETION_INDEX", "0"}}); });
  expect_error(ErrorKind::argument, "shard 65 of 64", [] { shard_of("auto/64", {{"JOB_COMPLETION_INDEX", "64"}}); });
  EXPECT_EQ(shard_of("auto", {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), (Shard{2, 2}));
}

TEST(Shard, AutoWithoutASchedulerOrWithTwoIsRefused) {
  expect_error(ErrorKind::argument, "finds no scheduler", [] { shard_of("auto"); });
  expect_error(ErrorKind::argument, "not clear", [] {
    shard_of("auto", {{"JOB_COMPLETION_INDEX", "0"}, {"OMPI_COMM_WORLD_RANK", "1"}});
  });
  expect_error(ErrorKind::argument, "is 'x'", [] { shard_of("auto/2", {{"JOB_COMPLETION_INDEX", "x"}}); });
}

// Whatever the numbers: every item once, in whole batches, shares that differ by one batch at most.
TEST(Shard, HaveAllItemsOnceInWholeBatches) {
  for (const int64_t items : {1, 7, 64, 65, 1000}) {
    for (const int64_t batch : {1, 3, 64}) {
      for (const int64_t count : {1, 3, 8, 1200}) {
        int64_t next = 0, least = items, most = 0;
        for (int64_t number = 1; number <= count; ++number) {
          const Items own = items_of(Shard{number, count}, items, batch);
          most = std::max(most, (count_of(own) + batch - 1) / batch);
          least = std::min(least, (count_of(own) + batch - 1) / batch);
          if (own.empty()) continue;
          ASSERT_EQ(own.size(), 1U);
          ASSERT_EQ(own[0].first, next);
          ASSERT_TRUE(own[0].end % batch == 0 || own[0].end == items);
          next = own[0].end;
        }
        ASSERT_EQ(next, items);
        ASSERT_LE(most - least, 1);
      }
    }
  }
}

TEST(Batches, AreCutAtMultiples) {
  EXPECT_EQ(batches_of({{5, 17}}, 8), (std::vector<Items>{{{5, 8}}, {{8, 16}}, {{16, 17}}}));
  EXPECT_EQ(batches_of({{1, 2}, {3, 9}}, 8), (std::vector<Items>{{{1, 2}, {3, 8}}, {{8, 9}}}));
}

}  // namespace
}  // namespace ascribe::core::study
