// An explanation in words and small pictures.
#pragma once

#include "study/explain.h"

namespace ascribe::core::cli {

// `top`: players named per method.
void print_explanation(const study::ExplainResult& result, int64_t top);

}  // namespace ascribe::core::cli
