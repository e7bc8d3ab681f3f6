// Which rows (or columns) a user asked for: numbers from 0, and ranges a:b that end before b.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace ascribe {

// Empty `wanted`: all of them. `what` is "row" or "column" in complaints.
std::vector<int64_t> select_rows(const std::vector<std::string>& wanted, int64_t count, std::string_view what,
                                 const std::string& where);

Tensor take_rows(const Tensor& tensor, const std::vector<int64_t>& rows);  // along axis 0

}  // namespace ascribe
