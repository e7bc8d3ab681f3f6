// The answers of the first screen in everyday words.
#pragma once

#include <string>

#include "report/page/sections.h"

namespace ascribe::core::page {

// "Why “boot”? boot.png", or the title that the report was given.
std::string page_title(const Document& document);
// "boot.png looks like “boot” to this model: 97 %"
std::string headline(const RowPage& page);
// "Next: “shoe”, 2.1 %. This page explains ..."; what the headline leaves open.
std::string what_it_said(const RowPage& page);
// Two sentences: what raises the number that is explained, what lowers it.
std::string what_mattered(const Row& row, const MethodResult& method);
// "the score of “boot”"
std::string what_is_explained(const Row& row);

}  // namespace ascribe::core::page
