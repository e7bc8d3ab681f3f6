// How many processors this process may use: a container or a service may be given fewer than the machine has, as a
// quota of time. Threads beyond it only wait for each other.
#pragma once

#include <optional>
#include <string>

namespace ascribe::core {

// Whole processors that the control groups of this process allow, at least 1; none: no limit.
// The folders are those of Linux, others in tests.
std::optional<int> processor_quota(const std::string& groups_file = "/proc/self/cgroup",
                                   const std::string& groups_folder = "/sys/fs/cgroup");

// Threads of a loop when nobody has said how many: what OMP_NUM_THREADS says, or as many as this thread is set to use
// but no more than the quota.
int usual_thread_count();

}  // namespace ascribe::core
