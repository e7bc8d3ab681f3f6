#include "report/report_files.h"

#include "base/error.h"
#include "report/page.h"
#include "report/pdf.h"

namespace ascribe::core {

namespace {

bool is_pdf(const std::filesystem::path& page) { return page.extension() == ".pdf"; }

}  // namespace

std::string page_bytes(const document::Document& document, const std::filesystem::path& page) {
  std::string html = report_page(document);
  return is_pdf(page) ? pdf_of(html) : html;
}

void check_page(const std::filesystem::path& page) {
  if (is_pdf(page)) check_pdf();
}

std::vector<NamedBytes> report_files(const document::Document& document, const std::filesystem::path& page) {
  const std::string name = page.filename().string();
  const std::string data = std::filesystem::path(name).replace_extension(".json").string();
  if (name.empty() || name == data) {
    fail(ErrorKind::argument, page.string(),
         "expected the name of a page, such as report.html; its data are beside it");
  }
  return {{data, file_text(document)}, {name, page_bytes(document, page)}};
}

}  // namespace ascribe::core
