#include "base/cpu_quota.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/parallel.h"

namespace ascribe::core {

namespace {

// Processors allowed by one group; infinity: no limit. The second version of control groups has both numbers in one
// file ("150000 100000", or "max 100000"), the first has a file for each and -1 for no limit.
double quota_of(const std::string& folder) {
  double quota = -1, period = 0;
  if (std::ifstream both(folder + "/cpu.max"); both) {
    both >> quota >> period;
    if (!both) quota = -1;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : INFINITY;
}

// The least of a group and of all groups that it lies in.
double least_quota(const std::string& root, std::string path) {
  double least = quota_of(root);
  while (path.size() > 1) {
    least = std::min(least, quota_of(root + path));
    path.resize(path.find_last_of('/'));
  }
  return least;
}

bool names_cpu(std::string_view controllers) {
  std::istringstream list{std::string(controllers)};
  for (std::string name; std::getline(list, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

}  // namespace

std::optional<int> processor_quota(const std::string& groups_file, const std::string& groups_folder) {
  double least = INFINITY;
  std::ifstream groups(groups_file);
  // "0::/path" in the second version, "4:cpu,cpuacct:/path" in the first.
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (path.empty() || path[0] != '/') continue;
    if (controllers.empty()) {
      least = std::min(least, least_quota(groups_folder, path));
    } else if (names_cpu(controllers)) {
      // Inside a container the folder is mounted at the container's own group, and the path may not exist there.
      least = std::min(least, least_quota(groups_folder + "/" + controllers, path));
      least = std::min(least, least_quota(groups_folder + "/cpu", path));
    }
  }
  if (!std::isfinite(least)) return std::nullopt;
  return static_cast<int>(std::clamp(std::floor(least), 1.0, 65536.0));
}

int usual_thread_count() {
  static const std::optional<int> quota = processor_quota();
  static const bool told = std::getenv("OMP_NUM_THREADS") != nullptr;
  return quota && !told ? std::min(thread_count(), *quota) : thread_count();
}

}  // namespace ascribe::core
