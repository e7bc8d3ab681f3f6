// What a model says in an output with several axes: classes of a map with their shares, the best boxes, the tokens that
// it puts first; of other outputs the range of each index of the first axis.
#pragma once

#include "study/predict.h"

namespace ascribe::core::cli::command_predict {

// At most `top` lines.
void print_dense(const study::PredictResult& result, const study::Prediction& answer, int64_t row, int64_t top);

}  // namespace ascribe::core::cli::command_predict
