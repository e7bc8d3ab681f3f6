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

// `plain`: of the same document without any markup in its texts.
void check_page(const std::string& page, const std::string& plain, std::string_view script, std::string_view style) {
  const PageParts parts = parts_of_page(page, script, style), expected = parts_of_page(plain, script, style);
  hold(parts.problem.empty(), parts.problem);
  hold(parts.elements == expected.elements && parts.attributes == expected.attributes,
       "elements and attributes do not come from texts");
}

void feed(Bytes bytes) {
  const Json json = parse_json(text_of(bytes), "fuzz.json");
  if (document::is_dataset(json)) {
    const document::DatasetDocument read = document::dataset_from(json, "fuzz.json");
    hold(to_json(document::dataset_from(to_json(read), "again.json")) == to_json(read), "read as it was written");
    const document::DatasetDocument plain = document::dataset_from(without_markup(json), "plain.json");
    check_page(dataset_page(read), dataset_page(plain), page::kDatasetJs, page::kDatasetCss);
  } else {
    const document::Document read = document::document_from(json, "fuzz.json");
    hold(to_json(document::document_from(to_json(read), "again.json")) == to_json(read), "read as it was written");
    const document::Document plain = document::document_from(without_markup(json), "plain.json");
    check_page(report_page(read), report_page(plain), page::kReportJs, page::kReportCss);
  }
}

const RegisterTarget registered({"report", "documents of reports, as pages", Form::json, 65536, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_report
