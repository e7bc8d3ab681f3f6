// ascribe render: the page of a report again, from its data.
#include <memory>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/shared_options.h"
#include "cli/signals.h"
#include "report/dataset_page.h"
#include "report/report_files.h"

namespace ascribe::core::cli::command_render {

namespace {

constexpr size_t kLargestFile = size_t{1} << 30;

struct Choices {
  std::string data;
  Output page;
  bool quiet = false;
};

int render(const Choices& choices) {
  check_output(choices.page, {".html", ".htm", ".pdf"});
  check_page(choices.page.path);
  const Json json = parse_json(read_file(choices.data, kLargestFile), choices.data);
  write_output(choices.page, stopped_by_signals([&] {
                 return document::is_dataset(json)
                            ? dataset_bytes(document::dataset_from(json, choices.data), choices.page.path)
                            : page_bytes(document::document_from(json, choices.data), choices.page.path);
               }));
  if (!choices.quiet) fmt::print("{}\n", printable(choices.page.path));
  return 0;
}

const RegisterCommand command(
    {"render", 11, "The page of a report again, from its data", [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       options.add("REPORT", choices->data, "The report.json that ascribe report wrote").required();
       add_output(options, choices->page, "The page: an .html or .pdf file").required();
       options.flag("--quiet", choices->quiet, "Do not print where the page is");
       return [choices] { return render(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_render
