// GridSample: for each place of the result, where in the input to look, in (-1, 1) along each axis; between the
// input's places one interpolates (linear, cubic), or takes the nearest. Outside there are zeros, the border, or the
// input mirrored. Derivatives reach the input and, except for nearest, the grid.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_grid_sample {
namespace {

constexpr double kCubic = -0.75;  // the parameter of Keys' kernel

struct Method {
  std::string mode, padding;
  bool align_corners = false;
};

// One place to look at along one axis: which one, how much it counts, and whether it lies within the input.
struct Tap {
  Value index, weight, inside;  // weight and inside: not valid where they are 1
};

Method read_method(const NodeContext& c) {
  Method method{c.text("mode", "linear"), c.text("padding_mode", "zeros"), c.integer("align_corners", 0) != 0};
  if (method.mode == "bilinear") method.mode = "linear";  // their names before opset 20
  if (method.mode == "bicubic") method.mode = "cubic";
  if (method.mode != "linear" && method.mode != "nearest" && method.mode != "cubic") {
    c.refuse("mode is \"{}\"; expected linear, nearest or cubic", method.mode);
  }
  if (method.padding != "zeros" && method.padding != "border" && method.padding != "reflection") {
    c.refuse("padding_mode is \"{}\"; expected zeros, border or reflection", method.padding);
  }
  return method;
}

Value clip(Builder& b, Value x, double low, double high) {
  return b.op("clip", {x}, {{"min", reals({low})}, {"max", reals({high})}});
}

// x folded into [low, high] as by mirrors at both ends.
Value reflected(Builder& b, Value x, double low, double high) {
  const double span = high - low;
  if (span <= 0) return b.mul(x, 0.0);
  const Value away = b.op("abs", {b.add(x, -low)});
  const Value folds = b.op("floor", {b.mul(away, 1 / span)});
  const Value rest = b.sub(away, b.mul(folds, span));
  const Value odd = b.sub(folds, b.mul(b.op("floor", {b.mul(folds, 0.5)}), 2.0));
  const Value back = b.sub(b.scalar(span), rest);
  return b.add(b.op("where", {b.op("less", {odd, b.scalar(0.5)}), rest, back}), low);
}

// A place outside the input brought into it; zeros leaves it where it is.
Value padded(Builder& b, const Method& method, Value x, int64_t size) {
  const auto last = static_cast<double>(size - 1);
  if (method.padding == "zeros") return x;
  if (method.padding == "border") return clip(b, x, 0, last);
  const Value folded = method.align_corners ? reflected(b, x, 0, last) : reflected(b, x, -0.5, last + 0.5);
  return clip(b, folded, 0, last);
}

// A whole place as an index; one outside is marked, and read at the border.
Tap tap(Builder& b, const Method& method, Value place, Value weight, int64_t size) {
  const auto last = static_cast<double>(size - 1);
  Tap result{{}, weight, {}};
  if (method.padding == "zeros") {
    const Value low = b.op("less_equal", {b.scalar(0), place}), high = b.op("less_equal", {place, b.scalar(last)});
    result.inside = b.op("logical_and", {low, high});
  }
  const Value near = clip(b, place, 0, last);
  const Value number = b.op("where", {b.op("is_nan", {near}), b.scalar(0), near});
  result.index = b.cast(number, Kind::integer);
  return result;
}

// Keys' kernel at a distance within [0, 1], or within [1, 2].
Value keys_near(Builder& b, Value x) {
  const Value inner = b.add(b.mul(x, kCubic + 2), -(kCubic + 3));
  return b.add(b.mul(b.mul(inner, x), x), 1.0);
}
Value keys_far(Builder& b, Value x) {
  const Value inner = b.add(b.mul(b.add(b.mul(x, kCubic), -5 * kCubic), x), 8 * kCubic);
  return b.add(b.mul(inner, x), -4 * kCubic);
}

// The places to look at along one axis, for coordinates in places of the input.
std::vector<Tap> taps(Builder& b, const Method& method, Value x, int64_t size) {
  if (method.mode == "nearest") return {tap(b, method, b.op("round", {padded(b, method, x, size)}), {}, size)};
  if (method.mode == "linear") {
    x = padded(b, method, x, size);
    const Value left = b.op("floor", {x}), rest = b.sub(x, left);
    return {tap(b, method, left, b.sub(b.scalar(1), rest), size), tap(b, method, b.add(left, 1.0), rest, size)};
  }
  const Value left = b.op("floor", {x}), rest = b.sub(x, left), other = b.sub(b.scalar(1), rest);
  const std::array weights = {keys_far(b, b.add(rest, 1.0)), keys_near(b, rest), keys_near(b, other),
                              keys_far(b, b.add(other, 1.0))};
  std::vector<Tap> result;
  for (int i = 0; i < 4; ++i) {
    const Value place = padded(b, method, b.add(left, i - 1.0), size);
    result.push_back(tap(b, method, b.op("round", {place}), weights[static_cast<size_t>(i)], size));
  }
  return result;
}

struct Input {
  Value flat;   // [N, C, places]
  Dims spread;  // [N, C, places of the result]
};

// The sum over all combinations of taps, from the axis on; `so_far` is the combination up to it.
Value summed(Builder& b, const Input& input, const std::vector<std::vector<Tap>>& axes,
             const std::vector<int64_t>& sizes, size_t axis, const Tap& so_far) {
  if (axis == axes.size()) {
    const Value index = b.expand(so_far.index, input.spread);
    Value y = b.op("gather_elements", {input.flat, index}, {{"axis", ints({2})}});
    if (so_far.inside.valid()) y = b.op("where", {so_far.inside, y, b.scalar(0)});
    return so_far.weight.valid() ? b.mul(y, so_far.weight) : y;
  }
  Value total;
  for (const Tap& own : axes[axis]) {
    Tap joined = own;
    if (so_far.index.valid()) joined.index = b.add(b.mul(so_far.index, b.integer(sizes[axis])), own.index);
    if (so_far.weight.valid()) joined.weight = b.mul(so_far.weight, own.weight);
    if (so_far.inside.valid()) joined.inside = b.op("logical_and", {so_far.inside, own.inside});
    const Value part = summed(b, input, axes, sizes, axis + 1, joined);
    total = total.valid() ? b.add(total, part) : part;
  }
  return total;
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Method method = read_method(c);
  const Dims shape = b.shape(c.in(0)), grid = b.shape(c.in(1));
  const auto rank = static_cast<int64_t>(shape.size()), spatial = rank - 2;
  if (spatial < 1 || spatial > 3 || static_cast<int64_t>(grid.size()) != rank || grid.back() != Dim(spatial)) {
    c.refuse("the input has shape {}, the grid {}; expected [N, C, places...] and [N, places..., {}]", to_string(shape),
             to_string(grid), spatial);
  }
  if (method.mode == "cubic" && spatial != 2) c.unsupported("cubic interpolation along {} axes; expected 2", spatial);
  const Dim places = product(Dims(grid.begin() + 1, grid.end() - 1));
  const Value flat_grid = b.reshape(c.in(1), {grid[0], 1, places, spatial});
  std::vector<std::vector<Tap>> axes;
  std::vector<int64_t> sizes;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    const int64_t size = fixed_size(c, shape[axis + 2], "a size of the input");
    if (size < 1) c.refuse("axis {} is empty", axis + 2);
    // The grid names the last axis first.
    const Value own = b.reshape(b.slice(flat_grid, 3, spatial - 1 - axis, 1), {grid[0], 1, places});
    const double half = static_cast<double>(method.align_corners ? size - 1 : size) / 2;
    const Value x = b.add(b.mul(own, half), static_cast<double>(size - 1) / 2);
    axes.push_back(taps(b, method, x, size));
    sizes.push_back(size);
  }
  const Dim all = product(Dims(shape.begin() + 2, shape.end()));
  const Input input{b.reshape(c.in(0), {shape[0], shape[1], all}), {shape[0], shape[1], places}};
  Dims result = {shape[0], shape[1]};
  result.insert(result.end(), grid.begin() + 1, grid.end() - 1);
  c.out(0, b.reshape(summed(b, input, axes, sizes, 0, {}), result));
}

const RegisterLowering standard({"GridSample", 22, "align_corners mode padding_mode"}, lower,
                                "cubic along two axes only");
const RegisterLowering own({"com.microsoft.GridSample", 1, "align_corners mode padding_mode"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_grid_sample
