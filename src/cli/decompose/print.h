// A decomposition in words.
#pragma once

#include "study/decompose.h"

namespace ascribe::core::cli {

// `top`: effects that are listed; 0: as many as suit a screen.
void print_decomposition(const study::DecomposeResult& result, int64_t top);

// The estimated effects of a decomposition that has them, so many, and what follows from them.
void print_sparse(const study::DecomposeResult& result, int64_t most);

// The AND and OR effects of a decomposition that has them, so many.
void print_and_or(const study::DecomposeResult& result, int64_t most);

}  // namespace ascribe::core::cli
