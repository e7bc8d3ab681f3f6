// evaluate over a data set, in parts, and the result that the parts make together (docs/howto/shards.md).
#pragma once

#include "study/evaluate.h"
#include "study/parts/part_folder.h"
#include "study/parts/part_work.h"

namespace ascribe::core::study {

// The batch and `force` are those of the request; it has no journal. A sample that cannot be asked about is left out,
// with a note. Memory is that of a batch. `only_correct` and `most_box` are for all samples: as many as fit cannot be
// known by a part.
PartResult evaluate_part(const Subject& subject, const EvaluateRequest& request, const PartRequest& part);

// As evaluate gives it for all samples at once, save for what took how long.
EvaluateResult merged_evaluation(const WholeWork& whole);

}  // namespace ascribe::core::study
