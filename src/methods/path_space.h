// Where paths from baselines to x are straight lines: in the input, and in what a linear first layer L makes of it,
// L(b) + t (L(x) - L(b)). Behind L only the rest of the network is differentiated at the points of a path; the
// transpose of L acts once, on a weighted sum of gradients.
#pragma once

#include <optional>
#include <span>

#include "methods/explained_model.h"
#include "passes/linear_prefix.h"

namespace ascribe::core {

enum class Road {
  shorter,  // behind a linear first layer if its values are no more than the input's
  plain,    // through the whole network
  behind,   // behind a linear first layer, if there is one
};

class PathSpace {
 public:
  PathSpace(ExplainedModel& model, Road road);

  int64_t size() const { return size_; }  // of a row
  DType real() const { return model_.real(); }
  size_t input() const { return model_.input(); }
  const Shape& row() const { return model_.row(); }
  int64_t row_bytes() const { return model_.row_bytes(); }  // at a time

  // Rows of the input [count, elements] as rows of this space [count, size], in double.
  Tensor enter(const Tensor& rows);
  // f and its gradient at rows of this space. Other inputs of the model are the question's.
  ExplainedModel::Gradients gradients(const Tensor& rows, std::span<const int64_t> targets, const Question& question);
  // Gradients in this space as gradients in the input, in double.
  Tensor leave(const Tensor& gradients);

 private:
  Graph gradient_behind() const;

  ExplainedModel& model_;
  std::optional<LinearPrefix> cut_;
  int64_t size_;
};

}  // namespace ascribe::core
