// A way into a model other than through the inputs of its file: data are read for the file's inputs, and enter the
// graph that is explained behind them. Token ids enter as rows of their embedding, several inputs as one.
#pragma once

#include <string>
#include <vector>

#include "study/rows.h"

namespace ascribe::core::study {

class Entrance {
 public:
  virtual ~Entrance() = default;

  // Rows of the file's inputs as rows of the inputs of the graph that is explained.
  virtual ModelInputs enter(ModelInputs rows, std::vector<std::string>& notes) const = 0;
};

}  // namespace ascribe::core::study
