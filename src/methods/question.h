// What is asked: why did the model say this of this row?
#pragma once

#include <vector>

#include "game/absence.h"
#include "game/players.h"
#include "tensor/tensor.h"

namespace ascribe::core {

struct Question {
  std::vector<Tensor> point;  // a tensor per input of the model, of one row
  int64_t target = 0;         // which number of the explained output
  Tensor baselines;           // rows of the explained input, in double: [rows, row...]; several average
  Players players;
  int64_t number = -1;   // of the row among those that are asked about, or in its data set; -1: not known
  Absence absence = {};  // what players outside of a coalition are; methods that mask players heed it

  int64_t baseline_count() const { return baselines.shape()[0]; }
};

}  // namespace ascribe::core
