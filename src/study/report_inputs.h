// What a report shows of series, and of rows that are made of several inputs: a picture and a table, two series.
#pragma once

#include "draw/heat_map.h"
#include "study/document.h"
#include "study/explain.h"

namespace ascribe::core::study {

// Of players with a series, channel by channel.
document::Series series_of(const Players& players, const Tensor& x);
std::vector<int32_t> owners_over_time(const Players& players);
PixelValues over_time(const Players& players, const Tensor& elements);  // nothing where nobody owns it

// Each input of a joint row with what the methods gave to it; none if the row is one input, or a table of columns.
std::vector<document::InputPart> parts_of_inputs(const ExplainResult& result, size_t row);

}  // namespace ascribe::core::study
