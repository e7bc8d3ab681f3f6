#include "cli/report/dataset.h"

#include <filesystem>

#include "cli/program.h"
#include "cli/recorded.h"
#include "cli/report/kept_data.h"
#include "report/dataset_page.h"

namespace ascribe::core::cli::command_report {

namespace {

bool is_folder(const study::RowSource& rows) {
  return rows.files.size() == 1 && std::filesystem::is_directory(rows.files[0]);
}

// What makes the page of one row: the same question about the same data.
std::string row_command(const study::Subject& subject, const study::ReportRequest& request) {
  const study::QuestionRequest& question = request.question;
  if (is_folder(question.rows)) return "";
  std::string command = "ascribe report " + shell_word(subject.path());
  for (const std::string& file : question.rows.files) command += " " + shell_word(file);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) command += fmt::format(" {} {}", option, shell_word(value));
  };
  add("--columns", fmt::format("{}", fmt::join(question.rows.columns, ",")));
  add("--preprocess", question.rows.preprocess);
  add("--labels", question.labels);
  add("--baseline", question.baseline);
  add("--players", question.players);
  if (question.target != "top") add("--target", question.target);
  add("--explain", question.explain);
  add("--output", question.output);
  add("--input", question.input);
  add("--tokens", question.tokens);
  add("--at", question.at);
  return command + " --row {row} -o row-{row}.html";
}

}  // namespace

bool is_about_many(const study::Subject& subject, const study::ReportRequest& request, int64_t rows) {
  if (is_folder(request.question.rows)) return true;
  return rows > 0 && study::count_rows(subject, request.question, request.run.seed) > study::kMostSections;
}

int report_many(const study::Subject& subject, const study::ReportRequest& request, const ManyRows& many,
                const Output& page, const General& general) {
  study::DatasetRequest wanted;
  wanted.report = request;
  if (many.rows > 0) wanted.rows = many.rows;
  wanted.pages = many.pages;
  wanted.row_command = row_command(subject, request);
  const std::filesystem::path path(page.path);
  const std::filesystem::path above = path.parent_path();
  check_output_folder({(above / dataset_folder(path)).string(), page.force}, {"outputs.svg", "outputs.csv"});
  study::DatasetReport report = study::report_dataset(subject, wanted);
  report.document.head.record = recorded(general, page, [&](const study::Origin& origin) {
    return study::record_of(subject, wanted, report.document, origin);
  });
  each_note(report.document, [](std::string& note) { note = spelled(note); });
  for (study::RowPageOf& row : report.pages) each_note(row.document, [](std::string& note) { note = spelled(note); });
  const DatasetFiles files = made_or_kept(
      page, [&] { return dataset_files(report, path); }, [&] { return file_text(report.document); });
  write_output_folder({(above / files.folder).string(), page.force}, files.inside);
  write_output_folder({above.empty() ? "." : above.string(), page.force}, files.beside);
  if (general.json) {
    print_json(to_json(report.document));
    return 0;
  }
  fmt::print("{}\n", printable(report.document.head.title));
  fmt::print("  {}  ({}), made from {} in {:.1f} s\n", printable(page.path),
             human_bytes(files.beside.back().bytes.size()), printable(files.beside.front().name),
             report.document.head.seconds.value_or(0));
  fmt::print("  {}/  pictures as SVG and CSV, pages of {} rows\n", printable((above / files.folder).string()),
             report.pages.size());
  return 0;
}

}  // namespace ascribe::core::cli::command_report
