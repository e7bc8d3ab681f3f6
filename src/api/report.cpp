#include <filesystem>

#include "api/state.h"
#include "report/page.h"
#include "report/report_files.h"
#include "study/report.h"

namespace ascribe {

struct Report::State {
  core::document::Document document;
};

Report Model::report(const Question& question, const std::vector<Method>& methods, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("report", {"set", "metrics", "title", "parts", "most_rows", "budget"});
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
    return Report(made<Report::State>(core::study::report(state_->subject, request)));
  });
}

std::string Report::html() const {
  return translated([&] { return core::report_page(state_->document); });
}
std::string Report::json() const { return to_json(state_->document).dump(); }
const std::vector<std::string>& Report::notes() const { return state_->document.notes; }

void Report::check(const std::string& page) {
  translated([&] { core::check_page(page); });
}

void Report::write(const std::string& page, bool force) const { write(page, force, Progress()); }

void Report::write(const std::string& page, bool force, const Progress& progress) const {
  translated([&] {
    const core::Watch watch(progress ? stoppable(progress) : core::Progress());
    const std::filesystem::path path(page);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    write_folder(folder, core::report_files(state_->document, path), force);
  });
}

}  // namespace ascribe
