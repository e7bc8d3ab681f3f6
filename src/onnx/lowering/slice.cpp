// Slice: starts, ends, axes, steps as attributes (before opset 10) or operands. Negative
// positions count from the end, what lies outside is clamped. Where the axis grows with the
// batch, the extent must too.
#include <limits>

#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_slice {
namespace {

struct Cut {
  int64_t start = 0, size = 0;
};

Cut cut(int64_t start, int64_t end, int64_t step, int64_t extent) {
  if (extent <= 0) return {};
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, extent);
    end = std::clamp<int64_t>(end, 0, extent);
    return end > start ? Cut{start, (end - start - 1) / step + 1} : Cut{};
  }
  start = std::clamp<int64_t>(start, 0, extent - 1);
  end = std::clamp<int64_t>(end, -1, extent - 1);
  return start > end ? Cut{start, (start - end - 1) / -step + 1} : Cut{};
}

struct Request {
  Dims starts, ends;
  std::vector<int64_t> axes, steps;
};

Request read_request(const NodeContext& c, int64_t rank) {
  Request request;
  if (c.has_attribute("starts")) {
    request.starts = to_dims(c.integers("starts", {}));
    request.ends = to_dims(c.integers("ends", {}));
  } else {
    request.starts = c.known_integers(1, "starts");
    request.ends = c.known_integers(2, "ends");
  }
  const auto count = static_cast<int64_t>(request.starts.size());
  request.axes = integers_of(c, "axes", 3).value_or(axes_from(0, count));
  request.steps = c.has(4) ? c.fixed_integers(4, "steps") : std::vector<int64_t>(count, 1);
  if (request.ends.size() != request.starts.size() || request.axes.size() != request.starts.size() ||
      request.steps.size() != request.starts.size()) {
    c.refuse("starts, ends, axes and steps differ in length");
  }
  normal_axes(c, request.axes, rank);  // refuses repeats
  for (int64_t& axis : request.axes) axis = normal_axis(axis, rank, c.where());
  for (int64_t& step : request.steps) {
    if (step == 0) c.refuse("a step is 0");
    step = std::max(step, -std::numeric_limits<int64_t>::max());
  }
  return request;
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  Dims sizes = b.shape(c.in(0));
  const Request request = read_request(c, b.rank(c.in(0)));
  Dims starts(sizes.size(), 0), steps(sizes.size(), 1);
  for (size_t i = 0; i < request.axes.size(); ++i) {
    const int64_t axis = request.axes[i], step = request.steps[i];
    const Dim extent = sizes[axis];
    const auto at_batch = [&](int64_t n) {
      return cut(request.starts[i].at(n), request.ends[i].at(n), step, extent.at(n));
    };
    starts[axis] = fit_dimension(c, "the start of the slice", [&](int64_t n) { return at_batch(n).start; });
    sizes[axis] = fit_dimension(c, "the size of the slice", [&](int64_t n) { return at_batch(n).size; });
    steps[axis] = sizes[axis] == Dim(0) || sizes[axis] == Dim(1) ? 1 : step;
  }
  c.out(0, b.op("slice", {c.in(0)}, {{"starts", starts}, {"sizes", sizes}, {"steps", steps}}));
}

const RegisterLowering slice({"Slice", 13, "axes ends starts"}, lower,
                             "starts, ends, axes and steps must be known when the model is loaded");

}  // namespace
}  // namespace ascribe::core::lowering_slice
