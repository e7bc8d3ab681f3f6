#include <filesystem>

#include "api/state.h"
#include "report/dataset_page.h"
#include "report/page.h"
#include "report/report_files.h"
#include "study/records/record.h"
#include "study/records/record_file.h"
#include "study/report.h"

namespace ascribe {

struct Report::State {
  core::document::Document document;
  std::optional<core::study::DatasetReport> many = {};  // instead, if it is about many rows
};

Report Model::report(const Question& question, const std::vector<Method>& methods, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("report",
              {"set", "metrics", "title", "parts", "most_rows", "dataset_rows", "row_pages", "budget", "record"});
    core::study::ReportRequest request;
    request.question = question.state().request;
    request.methods = wishes(methods);
    request.settings = how.settings;
    if (how.given.contains("metrics")) request.metrics = how.metrics;
    request.title = how.title;
    request.parts = how.parts;
    if (how.given.contains("budget")) request.budget = how.budget;
    if (how.given.contains("most_rows")) request.most_rows = how.most_rows;
    request.created = core::study::moment_text();
    request.run = how.run;
    request.time.diary = std::make_shared<core::study::TimeDiary>();
    const core::study::Origin origin{"", request.created};
    if (how.given.contains("dataset_rows")) {
      core::study::DatasetRequest many;
      many.report = request;
      many.rows = how.dataset_rows;
      if (how.given.contains("row_pages")) many.pages = how.row_pages;
      core::study::DatasetReport report = core::study::report_dataset(state_->subject, many);
      report.document.head.record = core::study::record_of(state_->subject, many, report.document, origin);
      return Report(std::make_shared<const Report::State>(Report::State{{}, std::move(report)}));
    }
    core::document::Document document = core::study::report(state_->subject, request);
    document.record = core::study::record_of(state_->subject, request, document, origin);
    return Report(made<Report::State>(std::move(document)));
  });
}

std::string Report::html() const {
  return translated(
      [&] { return state_->many ? core::dataset_page(state_->many->document) : core::report_page(state_->document); });
}
std::string Report::json() const {
  return state_->many ? to_json(state_->many->document).dump() : to_json(state_->document).dump();
}
std::string Report::record_json() const {
  return core::study::record_text(state_->many ? state_->many->document.head.record : state_->document.record);
}
const std::vector<std::string>& Report::notes() const {
  return state_->many ? state_->many->document.head.notes : state_->document.notes;
}

void Report::check(const std::string& page) {
  translated([&] { core::check_page(page); });
}

void Report::write(const std::string& page, bool force) const { write(page, force, Progress()); }

void Report::write(const std::string& page, bool force, const Progress& progress) const {
  translated([&] {
    const core::Watch watch(progress ? stoppable(progress) : core::Progress());
    const std::filesystem::path path(page);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (state_->many) {
      core::study::DatasetReport report = *state_->many;
      const core::DatasetFiles files = core::dataset_files(report, path);
      write_folder(folder / files.folder, files.inside, force);
      write_folder(folder, files.beside, force);
      return;
    }
    write_folder(folder, core::report_files(state_->document, path), force);
  });
}

}  // namespace ascribe
