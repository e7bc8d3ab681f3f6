// What is read of an output that has rows and columns, laid over the input.
#pragma once

#include "report/page/sections.h"

namespace ascribe::core::page {

// A figure and words; nothing if the output has no rows and columns.
void write_region(Html& html, const RowPage& page);

// The outline alone, to lie on a frame; nothing if all of the output is read.
void write_region_outline(Html& html, const Row& row);

}  // namespace ascribe::core::page
