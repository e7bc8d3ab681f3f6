// Sizes that a model's file leaves open, taken from the data.
#pragma once

#include <string>
#include <vector>

#include "study/rows.h"
#include "study/subject.h"

namespace ascribe::core::study {

struct SizingData {
  std::string input;  // that they are for; empty: not said
  std::string where;  // what messages call them
  const Source* source = nullptr;
};

// The subject with the sizes that these data have. Axes of one name have one size, in all inputs; an input that nothing
// is given for takes the sizes of axes of the same name, or of the same axis of one that data are given for. Notes
// tell each size that was taken.
Subject with_sizes_of(const std::vector<SizingData>& data, const Subject& subject, const RowSource& reading,
                      std::vector<std::string>& notes);

}  // namespace ascribe::core::study
