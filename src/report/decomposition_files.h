// A decomposition as a folder: pictures, arrays and the document.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "study/decompose.h"

namespace ascribe::core {

// `document`: the decomposition as JSON.
std::vector<NamedBytes> decomposition_files(const study::DecomposeResult& result, const Json& document);

std::vector<std::string> decomposition_file_names();  // that may be written

}  // namespace ascribe::core
