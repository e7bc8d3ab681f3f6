// Rows that influence each other would get gradients of each other.
#pragma once

#include "model/model.h"

namespace ascribe::core {

// Runs two random rows, if the model takes several, and fails, kind unsupported, if they influence each other.
void try_two_rows(Model& model);

}  // namespace ascribe::core
