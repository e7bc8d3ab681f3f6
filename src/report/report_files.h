// A report as files: the page, and the document it shows beside it.
#pragma once

#include <filesystem>
#include <vector>

#include "base/file.h"
#include "study/document.h"

namespace ascribe::core {

// As the name of the file says: HTML, or PDF, which a browser prints (report/pdf.h).
std::string page_bytes(const document::Document& document, const std::filesystem::path& page);
// Complains early of a page that cannot be made here: a PDF without a browser.
void check_page(const std::filesystem::path& page);

// The data first, as PAGE.json for PAGE.html.
std::vector<NamedBytes> report_files(const document::Document& document, const std::filesystem::path& page);

}  // namespace ascribe::core
