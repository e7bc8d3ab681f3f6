// What was probably meant by a name that there is not: the known name that is a few slips of the keyboard away, that
// the given one begins, or that has it as one of its words. Far-off words get no suggestion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ascribe::core {

// Empty: none is near, or the name itself is known.
std::string closest_name(std::string_view given, const std::vector<std::string>& known);

// "did you mean 'shapley'? Expected WORDS", or "expected WORDS" if no name is near: for errors.
std::string expected(std::string_view words, std::string_view given, const std::vector<std::string>& known);
std::string expected_one_of(std::string_view given, const std::vector<std::string>& known);  // all of them

}  // namespace ascribe::core
