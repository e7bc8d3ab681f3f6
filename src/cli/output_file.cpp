#include "cli/output_file.h"

#include <filesystem>

#include <fmt/ranges.h>

#include "base/error.h"
#include "cli/signals.h"

namespace ascribe::core::cli {

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
  std::error_code error;
  if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), error)) {
    const bool missing = !error || error == std::errc::no_such_file_or_directory;
    fail(ErrorKind::io, output.path, "the folder {}",
         missing ? "does not exist" : fmt::format("cannot be used; {}", error.message()));
  }
}

void write_output(const Output& output, std::string_view bytes) {
  const DeferSignals deferred;
  write_file(output.path, bytes, output.force);
}

void check_output_folder(const Output& output, const std::vector<std::string>& names) {
  check_folder(output.path, names, output.force);
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
