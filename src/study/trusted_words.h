// How sure the choice of study/trusted.h is, why it was made and what it cannot say, in everyday words.
#pragma once

#include "study/document.h"

namespace ascribe::core::document {

// Sets `sure`, `why`, `reasons` and `limits` from what was chosen.
void say_how_sure(Trusted& trusted, const Row& row);

}  // namespace ascribe::core::document
