// ascribe render: the page of a report again, from its data.
#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "report/page.h"

namespace ascribe::core {

namespace {

struct RenderOptions {
  std::string path;
  OutputOptions output;
  bool quiet = false;
};

nlohmann::ordered_json read_json(const std::string& path) {
  try {
    return nlohmann::ordered_json::parse(read_file(path, size_t{1} << 30));
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorKind::io, path, "is no JSON document: {}", error.what());
  }
}

void render(const RenderOptions& options) {
  check_output(options.output, {".html", ".htm"});
  write_output(options.output, report_page(read_json(options.path)));
  if (!options.quiet) fmt::print("{}\n", printable(options.output.path));
}

}  // namespace

void add_render(CLI::App& app) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App& command = *app.add_subcommand("render", "The page of a report again, from its data");
  command.add_option("REPORT", options->path, "The report.json that ascribe report wrote")->required();
  add_output_options(command, options->output, "The page: an .html file");
  command.get_option("--out")->required();
  command.add_flag("--quiet", options->quiet, "Do not print where the page is");
  command.callback([options] { render(*options); });
}

}  // namespace ascribe::core
