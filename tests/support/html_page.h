// A strict reader of the pages that the program writes: what a browser would make of them. Names of elements and
// attributes are those that the program has; texts and values cannot begin or end anything; nothing is fetched; the
// one script that runs is the program's own.
#pragma once

#include <string>
#include <string_view>

namespace ascribe::core {

// What is wrong with it, with the place; empty: nothing. `script`, `style`: the program's own.
std::string problem_of_page(std::string_view page, std::string_view script, std::string_view style);

}  // namespace ascribe::core
