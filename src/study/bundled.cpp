#include "study/bundled.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/ranges.h>

#include "base/error.h"

namespace ascribe::core::study {

std::string bundled_file(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  const std::vector<fs::path> folders = {program.parent_path() / "models",
                                         program.parent_path() / "share" / "ascribe" / "models", "models"};
  std::vector<std::string> tried;
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) return (folder / name).string();
    tried.push_back(folder.string());
  }
  fail(ErrorKind::io, name, "the sample file is in none of {}; give a model and data of your own",
       fmt::join(tried, ", "));
}

std::vector<std::string> bundled_images() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(bundled_file("images"))) {
    if (entry.path().extension() == ".png") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace ascribe::core::study
