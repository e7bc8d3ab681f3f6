#include "methods/gradients_at.h"

#include <algorithm>
#include <array>

#include "passes/gradient.h"

namespace ascribe::core {

Value with_points_axis(Builder& b, Value x, int64_t times) {
  Dims shape = b.shape(x);
  shape[0] = divide(shape[0], times, b.where());
  shape.insert(shape.begin() + 1, times);
  return b.reshape(x, shape);
}

Value as_rows(Builder& b, Value x) {
  Dims shape = b.shape(x);
  shape[0] = shape[0] * shape[1];
  shape.erase(shape.begin() + 1);
  return b.reshape(x, shape);
}

std::vector<Value> gradients_at(const AttributionRequest& r, std::span<const Value> points, int64_t times) {
  std::vector<Value> all;
  for (const Port& port : r.model.inputs) {
    const Type& type = r.model[port.value].type;
    const auto moved = std::find(r.inputs.begin(), r.inputs.end(), r.at_x(port.value));
    if (moved != r.inputs.end() && all_fixed(type.shape)) {
      fail(ErrorKind::unsupported, port.name,
           "gradients at several points need a model that takes any number of rows; got shape {}",
           to_string(type.shape));
    }
    if (moved != r.inputs.end()) all.push_back(points[static_cast<size_t>(moved - r.inputs.begin())]);
    else all.push_back(all_fixed(type.shape) ? port.value : repeat_rows(r.b, r.at_x(port.value), times));
  }
  const Value output = r.model.outputs[0].value;
  const Placed placed = append_copy(r.b, r.model, all, std::array{output}, r.rows_per_input * times);
  return append_gradient(r.b, placed(output), repeat_rows(r.b, r.seed, times), points, &r.notes);
}

}  // namespace ascribe::core
