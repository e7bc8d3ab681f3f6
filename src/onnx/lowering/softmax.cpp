// Softmax, LogSoftmax, Hardmax. Before opset 13 they run over all axes from `axis` on at
// once (default 1); since then over that axis alone (default -1).
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_softmax {
namespace {

// Calls f(x, axis) on x with the axes that belong together made one.
template <class F>
void over_axis(NodeContext& c, F f) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const Dims shape = b.shape(x);
  const int64_t rank = b.rank(x);
  if (rank == 0) return c.out(0, b.reshape(f(b.reshape(x, {1}), 0), {}));
  if (c.opset() >= 13) return c.out(0, f(x, axis_attribute(c, -1, rank)));
  // Opset 1 to 12 coerce [a, b] with axis = rank to [..., 1]; such a file has nothing to choose from.
  const int64_t axis = axis_attribute(c, rank == 1 ? 0 : 1, rank);
  if (axis == rank - 1) return c.out(0, f(x, axis));
  Dims merged(shape.begin(), shape.begin() + axis);
  merged.push_back(product(Dims(shape.begin() + axis, shape.end())));
  c.out(0, b.reshape(f(b.reshape(x, merged), axis), shape));
}

// 1 at the first largest element, 0 elsewhere.
Value hardmax(NodeContext& c, Value x, int64_t axis) {
  Builder& b = c.b();
  const int64_t size = fixed_size(c, b.shape(x)[axis], "the axis of Hardmax");
  table_size(c, {size});
  const Value best =
      b.op("arg_max", {x}, {{"axis", ints({axis})}, {"keepdims", ints({1})}, {"select_last", ints({0})}});
  const Value places = along_axis(b, integer_range(b, size), axis, b.rank(x));
  return b.cast(b.op("equal", {places, best}), Kind::real);
}

const RegisterLowering softmax({"Softmax", 13, "axis"}, [](NodeContext& c) {
  over_axis(c, [&](Value x, int64_t axis) { return c.b().op("softmax", {x}, {{"axis", ints({axis})}}); });
});
const RegisterLowering log_softmax({"LogSoftmax", 13, "axis"}, [](NodeContext& c) {
  over_axis(c, [&](Value x, int64_t axis) { return c.b().op("log_softmax", {x}, {{"axis", ints({axis})}}); });
});
const RegisterLowering hardmax_lowering({"Hardmax", 13, "axis"}, [](NodeContext& c) {
  over_axis(c, [&](Value x, int64_t axis) { return hardmax(c, x, axis); });
});

}  // namespace
}  // namespace ascribe::core::lowering_softmax
