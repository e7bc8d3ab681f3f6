// Work of minutes that is not lost with a page that cannot be made: a browser may not print.
#pragma once

#include <filesystem>
#include <string>

#include "cli/shared_options.h"
#include "cli/signals.h"

namespace ascribe::core::cli::command_report {

// What `make` gives; if that is an error of files or programs, `text()` is written as the data of the page, and the
// error says so.
template <class Make, class Text>
auto made_or_kept(const Output& page, Make&& make, Text&& text) {
  try {
    return stopped_by_signals(make);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    const std::filesystem::path data = std::filesystem::path(page.path).replace_extension(".json");
    const std::string folder = data.parent_path().string();
    write_output_folder({folder.empty() ? "." : folder, page.force}, {{data.filename().string(), text()}});
    fail(error.kind(), error.where(), "{}; the answer is kept in {}, of which ascribe render makes a page",
         error.message(), data.string());
  }
}

}  // namespace ascribe::core::cli::command_report
