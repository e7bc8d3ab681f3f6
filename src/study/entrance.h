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

  // The baseline of a question that names none.
  virtual std::string usual_baseline(std::vector<std::string>& notes) const {
    static_cast<void>(notes);
    return "zero";
  }

  // What a baseline says of the file's inputs, as rows of the explained input, in double.
  struct BaselineWish {
    std::string text;               // as QuestionRequest has it
    const Tensor* given = nullptr;  // or rows of it
    const RowSource& reading;       // how files are read
    uint64_t seed = 0;
    std::span<const Tensor> row = {};  // of the file's inputs, that is explained; empty: nobody knows
  };
  // Empty: it is said of the explained input itself, as of any.
  virtual Tensor baselines(const BaselineWish& wish, std::vector<std::string>& notes) const {
    static_cast<void>(wish);
    static_cast<void>(notes);
    return {};
  }
};

}  // namespace ascribe::core::study
