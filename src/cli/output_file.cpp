#include "cli/output_file.h"

#include <array>
#include <csignal>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/file.h"

namespace ascribe::core {

namespace {

volatile std::sig_atomic_t pending_signal = 0;

void remember(int signal) { pending_signal = signal; }

// While it lives, signals that would end the program wait.
class DeferSignals {
 public:
  DeferSignals() {
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
  }
  ~DeferSignals() {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    if (pending_signal != 0) ::raise(pending_signal);
  }
  DeferSignals(const DeferSignals&) = delete;
  DeferSignals& operator=(const DeferSignals&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace

void check_output(const OutputOptions& options, std::initializer_list<std::string_view> suffixes) {
  if (options.path.empty()) return;
  const bool known = std::any_of(suffixes.begin(), suffixes.end(),
                                 [&](std::string_view suffix) { return options.path.ends_with(suffix); });
  if (!known) {
    fail(ErrorKind::argument, options.path, "cannot tell what to write; expected a name that ends in {}",
         fmt::join(suffixes, " or "));
  }
  const std::filesystem::path path(options.path);
  std::error_code ignored;
  if (!options.force && std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    fail(ErrorKind::io, options.path, "the file exists already; pass --force to replace it");
  }
  if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), ignored)) {
    fail(ErrorKind::io, options.path, "the folder does not exist");
  }
}

void write_output(const OutputOptions& options, std::string_view bytes) {
  const DeferSignals deferred;
  write_file(options.path, bytes, options.force);
}

void check_output_folder(const OutputOptions& options, const std::vector<std::string>& names) {
  namespace fs = std::filesystem;
  const fs::path folder(options.path);
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) {
    const fs::path parent = fs::absolute(folder / "..").lexically_normal();
    if (!fs::is_directory(parent, ignored)) fail(ErrorKind::io, options.path, "the folder above it does not exist");
    return;
  }
  if (!fs::is_directory(folder, ignored))
    fail(ErrorKind::io, options.path, "this is no folder; expected one, or FILE.npz");
  for (const std::string& name : names) {
    if (!options.force && fs::exists(fs::symlink_status(folder / name, ignored))) {
      fail(ErrorKind::io, (folder / name).string(), "the file exists already; pass --force to replace it");
    }
  }
}

void write_output_folder(const OutputOptions& options, const std::vector<NamedBytes>& files) {
  namespace fs = std::filesystem;
  const DeferSignals deferred;
  const fs::path folder(options.path);
  std::error_code error;
  const bool made = fs::create_directory(folder, error);
  if (error) fail(ErrorKind::io, options.path, "cannot make the folder; {}", error.message());
  std::vector<fs::path> written;
  try {
    for (const NamedBytes& file : files) {
      const bool fresh = !fs::exists(folder / file.name, error);
      write_file(folder / file.name, file.bytes, options.force);
      if (fresh) written.push_back(folder / file.name);
    }
  } catch (...) {
    for (const fs::path& path : written) fs::remove(path, error);
    if (made) fs::remove(folder, error);
    throw;
  }
}

}  // namespace ascribe::core
