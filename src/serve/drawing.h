// Methods of one row as HTML, by the sections of the report.
#pragma once

#include "base/json.h"
#include "study/document.h"

namespace ascribe::core::serve {

// {html, data}: what the page puts in, and what the script of the report needs for it. `number` tells the drawings of a
// page apart.
Json drawing(const document::Row& row, size_t number);

Json top_json(const std::vector<document::TopClass>& top);  // [{index, label?, value, probability?}]

}  // namespace ascribe::core::serve
