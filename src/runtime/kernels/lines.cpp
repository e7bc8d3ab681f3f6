#include "runtime/kernels/lines.h"

namespace ascribe::core {
namespace {

// How an operand of `shape` moves along the axes of the result: 0 on axes that it lacks or has as 1.
std::vector<int64_t> steps_of(const Shape& shape, const Shape& result) {
  const auto own = strides_of(shape);
  const size_t missing = result.size() - shape.size();
  std::vector<int64_t> steps(result.size(), 0);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1) steps[axis + missing] = own[axis];
  }
  return steps;
}

}  // namespace

Lines::Lines(std::span<const Shape> operands, const Shape& result) : count_(element_count(result)) {
  std::vector<std::vector<int64_t>> walks;
  for (const Shape& shape : operands) walks.push_back(steps_of(shape, result));
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] == 1) continue;
    Axis axis{result[i], {}};
    bool joins = !axes_.empty();
    for (size_t k = 0; k < walks.size(); ++k) {
      axis.steps.push_back(walks[k][i]);
      joins = joins && axes_.back().steps[k] == walks[k][i] * result[i];
    }
    if (joins) {
      axis.extent *= axes_.back().extent;
      axes_.pop_back();
    }
    axes_.push_back(std::move(axis));
  }
  if (axes_.empty()) axes_.push_back({1, std::vector<int64_t>(operands.size(), 0)});
}

Lines::Lines(int64_t count, std::vector<int64_t> steps) : axes_{{count, std::move(steps)}}, count_(count) {}

int64_t Lines::place(int64_t element, std::vector<int64_t>& offsets) const {
  const Axis& last = axes_.back();
  const int64_t column = element % last.extent;
  int64_t row = element / last.extent;
  for (size_t k = 0; k < offsets.size(); ++k) offsets[k] = column * last.steps[k];
  for (size_t i = axes_.size() - 1; i-- > 0; row /= axes_[i].extent) {
    const int64_t index = row % axes_[i].extent;
    for (size_t k = 0; k < offsets.size(); ++k) offsets[k] += index * axes_[i].steps[k];
  }
  return last.extent - column;
}

}  // namespace ascribe::core
