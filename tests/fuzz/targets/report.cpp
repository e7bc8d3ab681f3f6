// Documents of reports, of single rows and of many, as pages: whatever the texts are, the page has the elements that
// the program writes and no others (support/html_page.h). A document that is read is written as the same.
#include "fuzz/target.h"
#include "report/dataset_page.h"
#include "report/page.h"
#include "report/page/assets.h"
#include "study/dataset_document.h"
#include "support/html_page.h"

namespace ascribe::core::fuzz::target_report {
namespace {

void check_page(const std::string& page, std::string_view script, std::string_view style) {
  const std::string problem = problem_of_page(page, script, style);
  hold(problem.empty(), problem);
}

void feed(Bytes bytes) {
  const Json json = parse_json(text_of(bytes), "fuzz.json");
  if (document::is_dataset(json)) {
    const document::DatasetDocument read = document::dataset_from(json, "fuzz.json");
    hold(to_json(document::dataset_from(to_json(read), "again.json")) == to_json(read), "read as it was written");
    check_page(dataset_page(read), page::kDatasetJs, page::kDatasetCss);
  } else {
    const document::Document read = document::document_from(json, "fuzz.json");
    hold(to_json(document::document_from(to_json(read), "again.json")) == to_json(read), "read as it was written");
    check_page(report_page(read), page::kReportJs, page::kReportCss);
  }
}

const RegisterTarget registered({"report", "documents of reports, as pages", Form::json, 65536, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_report
