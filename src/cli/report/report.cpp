// ascribe report: everything about one or several decisions on one page (docs/howto/report.md).
#include "study/report.h"

#include <filesystem>

#include "cli/program.h"
#include "cli/recorded.h"
#include "cli/report/dataset.h"
#include "cli/report/kept_data.h"
#include "report/report_files.h"

namespace ascribe::core::cli::command_report {

namespace {

struct Choices {
  General general;
  ModelChoice model;
  study::ReportRequest request;
  std::vector<std::string> methods = {"all"};
  ManyRows many;
  Output page{"report.html"};
};

int report(Choices& choices) {
  study::ReportRequest& request = choices.request;
  request.methods = wishes(choices.methods);
  request.command = command_text();
  request.created = study::moment_text();
  request.run = choices.general.run();
  request.time.diary = std::make_shared<study::TimeDiary>();
  const Output& page = choices.page;
  const Output data{std::filesystem::path(page.path).replace_extension(".json").string(), page.force};
  check_report(request);
  check_output(page, {".html", ".pdf"});
  check_output(data, {".json"});
  check_page(page.path);
  const study::Subject subject = choices.model.open(choices.general);
  if (is_about_many(subject, request, choices.many.rows)) {
    return report_many(subject, request, choices.many, page, choices.general);
  }
  document::Document document = study::report(subject, request);
  document.record = recorded(choices.general, page, [&](const study::Origin& origin) {
    return study::record_of(subject, request, document, origin);
  });
  each_note(document, [](std::string& note) { note = spelled(note); });
  const std::vector<NamedBytes> files = made_or_kept(
      page, [&] { return report_files(document, page.path); }, [&] { return file_text(document); });
  const std::filesystem::path folder = std::filesystem::path(page.path).parent_path();
  write_output_folder({folder.empty() ? "." : folder.string(), page.force}, files);
  if (choices.general.json) {
    print_json(to_json(document));
    return 0;
  }
  fmt::print("{}\n", printable(document.title));
  fmt::print("  {}  ({}), made from {} in {:.1f} s\n", printable(page.path), human_bytes(files.back().bytes.size()),
             printable(data.path), document.seconds.value_or(0));
  return 0;
}

const RegisterCommand command(
    {"report", 5, "One page that a person can judge a decision by", [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::ReportRequest& request = choices->request;
       add_model(options, choices->model);
       add_rows(options, request.question.rows);
       add_labels(options, request.question.labels);
       add_methods(options, choices->methods);
       add_settings(options, request.settings);
       options.add("--metric", request.metrics, "Metrics to show; ascribe metrics lists them", "NAME[,NAME...]").list();
       options.add("--title", request.title, "The title of the page", "TEXT");
       add_question(options, request.question, "What the input is compared with, and absent players replaced by");
       options.add("--parts", request.parts,
                   "The few players for the decomposition and the principles, of which every set is masked;\n"
                   "grid:3x3 or coarser for images, the columns of tables (strongest:K: K of them, the others as\n"
                   "one), as the model allows",
                   "P");
       add_budget(options, request.budget);
       choices->general.memory = "2G";
       options
           .add("--rows", choices->many.rows,
                "One page about many rows: more than 20, or a folder. So many of them are explained, drawn at\n"
                "random if there are more",
                "N")
           .range(1, 1000000);
       options
           .add("--pages", choices->many.pages,
                "Of many rows: how many of those that are named get a page of their own beside it", "N")
           .range(0, 1000);
       add_output(options, choices->page, "The page, .html or .pdf; its data go beside it, as .json");
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] { return report(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_report
