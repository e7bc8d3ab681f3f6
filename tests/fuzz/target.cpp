#include "fuzz/target.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/error.h"
#include "base/registry.h"

namespace ascribe::core::fuzz {

namespace {

class ScratchFolder {
 public:
  ScratchFolder() {
    const bool memory = std::filesystem::is_directory("/dev/shm");
    std::string name =
        ((memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) / "ascribe.XXXXXX")
            .string();
    root_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace

RegisterTarget::RegisterTarget(Target target) {
  const std::string name = target.name;
  Registry<Target>::instance().add(name, std::move(target));
}

const Target* find_target(std::string_view name) { return Registry<Target>::instance().find(name); }

std::vector<const Target*> all_targets() {
  std::vector<const Target*> list;
  for (const auto& [name, target] : Registry<Target>::instance().entries()) list.push_back(&target);
  return list;
}

void feed(const Target& target, Bytes bytes) {
  try {
    target.feed(bytes);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
}

void hold(bool condition, std::string_view what) {
  if (!condition) throw std::logic_error("this should hold: " + std::string(what));
}

std::string scratch(const std::string& name) {
  static const ScratchFolder folder;
  return (folder.root() / name).string();
}

std::string scratch_file(const std::string& name, std::string_view content) {
  const std::string path = scratch(name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  hold(static_cast<bool>(file.flush()), "the scratch folder can be written");
  return path;
}

std::string fresh_scratch_folder(const std::string& name) {
  const std::string path = scratch(name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

}  // namespace ascribe::core::fuzz
