// What a NumPy header claims, held against what there is, before memory is taken for it.
#pragma once

#include "tensor/npy.h"

namespace ascribe::core {

// Refuses, kind io, an array of this shape that does not take exactly `bytes` bytes.
void check_npy_size(const NpyHeader& header, const Shape& shape, int64_t bytes, const std::string& where);

// Bytes that an element takes in memory, where all integers are int64.
int64_t kept_size(const NpyHeader& header);

}  // namespace ascribe::core
