// The report as one HTML file: a pure function of its document. Nothing is fetched when it is opened; what needs no
// script (pictures, tables, texts) is there without one. Every text of the report is untrusted and stays text.
#pragma once

#include <string>

#include "study/document.h"

namespace ascribe::core {

std::string report_page(const document::Document& document);

}  // namespace ascribe::core
