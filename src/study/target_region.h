// Which cells of an output with rows and columns an explanation is about.
#pragma once

#include "study/document.h"
#include "study/question.h"

namespace ascribe::core::study {

// Of a map of classes over rows and columns, or over steps (of height 1); nothing of other outputs. `labels`: how many
// names of classes are given.
std::optional<document::Region> region_of(const RowQuestion& question, const Graph& model, int64_t labels);

}  // namespace ascribe::core::study
