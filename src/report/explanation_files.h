// An explanation as a folder: pictures, arrays and the document.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "study/explain.h"

namespace ascribe::core {

inline constexpr const char* kExplanationArrays = "arrays.npz";

// `document`: the explanation as JSON.
std::vector<NamedBytes> explanation_files(const study::ExplainResult& result, const Json& document);

// What these methods on so many rows may write; without rows: what does not depend on them.
std::vector<std::string> explanation_file_names(const std::vector<std::string>& methods, size_t rows);

}  // namespace ascribe::core
