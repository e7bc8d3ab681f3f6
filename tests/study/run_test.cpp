#include "study/run.h"

#include <gtest/gtest.h>

namespace ascribe::core::study {
namespace {

TEST(Running, ProgressOfAPartNamesThePartAndItsTask) {
  std::vector<std::string> told;
  study::Run run;
  run.progress = [&](std::string_view task, int64_t, int64_t) { told.emplace_back(task); };
  const Running running(run);
  const Progress inner = running.progress_of("deletion");
  inner("shapley", 1, 2);
  inner("", 2, 2);  // whose work has no name of its own
  EXPECT_EQ(told, (std::vector<std::string>{"deletion: shapley", "deletion"}));
  EXPECT_FALSE(Running(study::Run{}).progress_of("deletion"));
}

}  // namespace
}  // namespace ascribe::core::study
