// An evaluation as a folder: the page, tables of summaries and scores, and the document.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "study/evaluate.h"

namespace ascribe::core {

// The document without what took how long, so that equal scores are equal bytes; `times`: that.
Json results_document(Json document, Json* times = nullptr);

// `document`: the evaluation as JSON; `page`: as Markdown, in the words of whoever writes it.
std::vector<NamedBytes> evaluation_files(const study::EvaluateResult& result, const Json& document,
                                         const std::string& page);

std::vector<std::string> evaluation_file_names();  // that may be written

}  // namespace ascribe::core
