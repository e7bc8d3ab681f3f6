#include "cli/output_file.h"

#include <array>
#include <csignal>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/file.h"

namespace ascribe::core::cli {

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

void check_output(const Output& output, std::initializer_list<std::string_view> suffixes) {
  if (output.path.empty()) return;
  const bool known = std::any_of(suffixes.begin(), suffixes.end(),
                                 [&](std::string_view suffix) { return output.path.ends_with(suffix); });
  if (!known) {
    fail(ErrorKind::argument, output.path, "cannot tell what to write; expected a name that ends in {}",
         fmt::join(suffixes, " or "));
  }
  const std::filesystem::path path(output.path);
  std::error_code ignored;
  if (!output.force && std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    fail(ErrorKind::io, output.path, "the file exists already; pass `force` to replace it");
  }
  if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), ignored)) {
    fail(ErrorKind::io, output.path, "the folder does not exist");
  }
}

void write_output(const Output& output, std::string_view bytes) {
  const DeferSignals deferred;
  write_file(output.path, bytes, output.force);
}

void check_output_folder(const Output& output, const std::vector<std::string>& names) {
  namespace fs = std::filesystem;
  const fs::path folder(output.path);
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) {
    const fs::path parent = fs::absolute(folder / "..").lexically_normal();
    if (!fs::is_directory(parent, ignored)) fail(ErrorKind::io, output.path, "the folder above it does not exist");
    return;
  }
  if (!fs::is_directory(folder, ignored))
    fail(ErrorKind::io, output.path, "this is not a folder; expected one, or FILE.npz");
  for (const std::string& name : names) {
    if (!output.force && fs::exists(fs::symlink_status(folder / name, ignored))) {
      fail(ErrorKind::io, (folder / name).string(), "the file exists already; pass `force` to replace it");
    }
  }
}

void write_output_folder(const Output& output, const std::vector<NamedBytes>& files) {
  const DeferSignals deferred;
  write_folder(output.path, files, output.force);
}

void check_folder_or_arrays(const Output& output, const std::vector<std::string>& names) {
  if (output.path.empty()) return;
  if (!output.is_folder()) return check_output(output, {".npz"});
  const std::string suffix = std::filesystem::path(output.path).extension().string();
  for (const std::string_view known : {".npy", ".json", ".png", ".svg", ".html", ".csv"}) {
    if (suffix == known) fail(ErrorKind::argument, output.path, "expected a folder, or a name that ends in .npz");
  }
  check_output_folder(output, names);
}

}  // namespace ascribe::core::cli
