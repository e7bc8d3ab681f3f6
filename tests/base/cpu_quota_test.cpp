#include "base/cpu_quota.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include "base/parallel.h"

namespace ascribe::core {
namespace {

class Quota : public testing::Test {
 protected:
  Quota() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) / (std::string("quota_") + test->name());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~Quota() override { std::filesystem::remove_all(root_); }

  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::optional<int> found() const { return processor_quota((root_ / "groups").string(), (root_ / "fs").string()); }

 private:
  std::filesystem::path root_;
};

TEST_F(Quota, IsTheLeastOfAllGroupsAround) {
  put("groups", "0::/service/job\n");
  EXPECT_EQ(found(), std::nullopt);
  put("fs/cpu.max", "max 100000\n");
  put("fs/service/job/cpu.max", "350000 100000\n");
  EXPECT_EQ(found(), 3);
  put("fs/service/cpu.max", "200000 100000\n");
  EXPECT_EQ(found(), 2);
  put("fs/cpu.max", "50000 100000\n");  // a container sees its own group as the root
  EXPECT_EQ(found(), 1);                // never none
}

TEST_F(Quota, IsReadFromTheFirstVersionToo) {
  put("groups", "7:memory:/a\n4:cpu,cpuacct:/a\n");
  put("fs/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  put("fs/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(found(), std::nullopt);
  put("fs/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  put("fs/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(found(), 4);
}

TEST_F(Quota, IsUnknownWhereTheFilesAreBroken) {
  EXPECT_EQ(found(), std::nullopt);
  put("groups", "nonsense\n0:\n1:cpu\n0::relative\n");
  EXPECT_EQ(found(), std::nullopt);
  put("groups", "0::/\n");
  for (const char* broken : {"", "a b", "100000", "100000 0", "-5 100000"}) {
    put("fs/cpu.max", broken);
    EXPECT_EQ(found(), std::nullopt) << broken;
  }
}

TEST(UsualThreads, AreNoMoreThanTheThreadUses) {
  const ThreadCount two(2);
  EXPECT_LE(usual_thread_count(), 2);
  EXPECT_GE(usual_thread_count(), 1);
}

}  // namespace
}  // namespace ascribe::core
