// A decomposition in words.
#pragma once

#include "study/decompose.h"

namespace ascribe::core::cli {

// `top`: effects that are listed; 0: as many as suit a screen.
void print_decomposition(const study::DecomposeResult& result, int64_t top);

}  // namespace ascribe::core::cli
