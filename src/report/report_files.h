// A report as files: the page, and the document it shows beside it.
#pragma once

#include <filesystem>
#include <vector>

#include "base/file.h"
#include "study/document.h"

namespace ascribe::core {

// The data first, as PAGE.json for PAGE.html.
std::vector<NamedBytes> report_files(const document::Document& document, const std::filesystem::path& page);

}  // namespace ascribe::core
