// The report on many rows as one HTML file: a pure function of its document, under the same rules as the page of single
// rows (report/page.h).
#pragma once

#include <filesystem>

#include "base/file.h"
#include "study/dataset_report.h"

namespace ascribe::core {

std::string dataset_page(const document::DatasetDocument& document);
// As the name of the file says: HTML, or PDF (report/pdf.h).
std::string dataset_bytes(const document::DatasetDocument& document, const std::filesystem::path& page);

// The page PAGE.html with its data PAGE.json, and a folder PAGE_files beside it that holds every picture as SVG and CSV
// and the pages of single rows.
struct DatasetFiles {
  std::vector<NamedBytes> beside;  // the data, and then the page
  std::string folder;
  std::vector<NamedBytes> inside;
};
DatasetFiles dataset_files(study::DatasetReport& report, const std::filesystem::path& page);
std::string dataset_folder(const std::filesystem::path& page);

}  // namespace ascribe::core
