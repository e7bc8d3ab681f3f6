// explain over a data set, in parts (docs/howto/shards.md).
#pragma once

#include "study/explain.h"
#include "study/parts/part_work.h"

namespace ascribe::core::study {

// A sample that cannot be asked about, and a method that fails on one, are rows with an error. Memory is that of a
// batch.
PartResult explain_part(const Subject& subject, const ExplainRequest& request, const PartRequest& part);

}  // namespace ascribe::core::study
