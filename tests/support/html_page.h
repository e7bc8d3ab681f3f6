// A strict reader of the pages that the program writes: what a browser would make of them. Names of elements and
// attributes are those that the program has; texts and values cannot begin or end anything; nothing is fetched; the
// one script that runs is the program's own.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace ascribe::core {

struct PageParts {
  size_t elements = 0, attributes = 0;
  std::string problem;  // what is wrong with it, with the place; empty: nothing
};

// `script`, `style`: the program's own.
PageParts parts_of_page(std::string_view page, std::string_view script, std::string_view style);

// A document whose texts have no character that means something in a page: of what it makes, no element and no
// attribute comes from a text.
Json without_markup(Json document);

}  // namespace ascribe::core
