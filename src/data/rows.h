// Which rows (or columns) a user asked for: numbers from 0, and ranges a:b that end before b.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ascribe::core {

// Empty `wanted`: all of them. `what` is "row" or "column" in complaints.
std::vector<int64_t> select_rows(const std::vector<std::string>& wanted, int64_t count, std::string_view what,
                                 const std::string& where);

}  // namespace ascribe::core
