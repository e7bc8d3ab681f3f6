#include "report/report_files.h"

#include "base/error.h"
#include "report/page.h"

namespace ascribe::core {

std::vector<NamedBytes> report_files(const document::Document& document, const std::filesystem::path& page) {
  const std::string name = page.filename().string();
  const std::string data = std::filesystem::path(name).replace_extension(".json").string();
  if (name.empty() || name == data) {
    fail(ErrorKind::argument, page.string(),
         "expected the name of a page, such as report.html; its data are beside it");
  }
  return {{data, to_json(document).dump(1) + "\n"}, {name, report_page(document)}};
}

}  // namespace ascribe::core
