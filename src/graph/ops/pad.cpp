// x with `before` and `after` new elements per axis. mode: constant (value), edge (the nearest
// element), reflect (mirrored at the edge element, repeatedly if need be), wrap (periodic).
#include <cmath>

#include "graph/adjoint.h"
#include "graph/op_support.h"

namespace ascribe::core::op_pad {
namespace {

bool known_mode(const std::string& mode) {
  return mode == "constant" || mode == "edge" || mode == "reflect" || mode == "wrap";
}

Type infer(const Signature& s) {
  const Dims &before = s.attributes.dims("before"), &after = s.attributes.dims("after");
  const std::string& mode = s.attributes.text("mode");
  Dims shape = s.shape(0);
  if (before.size() != shape.size() || after.size() != shape.size()) {
    s.refuse("pads need an entry per axis; got {} and {} for shape {}", before.size(), after.size(), to_string(shape));
  }
  if (!known_mode(mode)) s.refuse("the mode is unknown; got '{}'; expected constant, edge, reflect or wrap", mode);
  const double value = s.attributes.real("value");
  if (s.inputs[0].kind != Kind::real && (std::trunc(value) != value || std::abs(value) > 0x1.0p62)) {
    s.refuse("the value is not an integer; got {} for {}", value, to_string(s.inputs[0]));
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!at_least(before[axis], 0) || !at_least(after[axis], 0)) {
      s.refuse("a pad is negative; got {} and {}", to_string(before), to_string(after));
    }
    const Dim added = before[axis] + after[axis];
    if (mode != "constant" && added != Dim(0) && !at_least(shape[axis], 1)) {
      s.refuse("an axis that may be empty cannot be padded by {}; got shape {}", mode, to_string(s.shape(0)));
    }
    shape[axis] = shape[axis] + added;
  }
  return {s.inputs[0].kind, shape};
}

// The element of an axis that lies at `position`, which may be outside of [0, size); -1: the value.
int64_t source(int64_t position, int64_t size, const std::string& mode) {
  if (position >= 0 && position < size) return position;
  if (mode == "constant") return -1;
  if (mode == "edge") return position < 0 ? 0 : size - 1;
  const int64_t period = mode == "wrap" ? size : std::max<int64_t>(2 * (size - 1), 1);
  const int64_t phase = (position % period + period) % period;
  return phase < size ? phase : period - phase;
}

// Offsets along each axis; -1 where the value goes.
std::vector<std::vector<int64_t>> source_offsets(const Evaluation& e) {
  const auto before = e.attributes.integers("before");
  const std::string& mode = e.attributes.text("mode");
  const auto strides = strides_of(e.inputs[0].shape);
  std::vector<std::vector<int64_t>> offsets(before.size());
  for (size_t axis = 0; axis < before.size(); ++axis) {
    const int64_t size = e.inputs[0].shape[axis];
    require(size > 0 || mode == "constant" || e.output.shape[axis] == 0, "pad", "an empty axis cannot be repeated");
    for (int64_t i = 0; i < e.output.shape[axis]; ++i) {
      const int64_t from = source(i - before[axis], size, mode);
      offsets[axis].push_back(from < 0 ? -1 : from * strides[axis]);
    }
  }
  return offsets;
}

template <class T>
void fill_row(const std::vector<std::vector<int64_t>>& offsets, std::span<const int64_t> shape, int64_t row,
              std::span<const T> x, T value, std::span<T> out) {
  int64_t from = 0, rest = row;
  for (size_t axis = shape.size() - 1; axis-- > 0;) {
    const int64_t offset = offsets[axis][rest % shape[axis]];
    rest /= shape[axis];
    if (offset < 0 || from < 0) from = -1;
    else from += offset;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t last = offsets.back()[i];
    out[i] = from < 0 || last < 0 ? value : x[from + last];
  }
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const double value = e.attributes.real("value");
  const auto offsets = source_offsets(e);
  visit(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    if (offsets.empty()) {
      out[0] = x[0];
      return;
    }
    const int64_t width = e.output.shape.back();
    parallel_for(e.output.size() / width, kGrain / width, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        fill_row<T>(offsets, e.output.shape, row, x, convert_element<T>(value), out.subspan(row * width, width));
      }
    });
  });
}

// The other modes repeat elements along one axis after the other.
Value fold_back(const DerivativeRequest& r, Value gradient, int64_t axis) {
  const Dim before = r.attributes.dims("before")[axis], size = r.b.shape(r.inputs[0])[axis];
  const Dim padded = r.b.shape(gradient)[axis];
  if (padded == size) return gradient;
  if (!before.is_fixed() || !size.is_fixed() || !padded.is_fixed()) {
    fail(ErrorKind::unsupported, r.b.where(), "the gradient of padding by {} along an axis that grows with the batch",
         r.attributes.text("mode"));
  }
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < padded.fixed; ++i) {
    sources.push_back(source(i - before.fixed, size.fixed, r.attributes.text("mode")));
  }
  return transposed_resample(r.b, gradient, axis, size.fixed, sources, std::vector<double>(sources.size(), 1), 1);
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  const Dims shape = r.b.shape(r.inputs[0]);
  if (r.attributes.text("mode") == "constant") {
    return r.b.op("slice", {gradient},
                  {{"starts", r.attributes.dims("before")}, {"sizes", shape}, {"steps", Dims(shape.size(), 1)}});
  }
  for (int64_t axis = 0; axis < std::ssize(shape); ++axis) gradient = fold_back(r, gradient, axis);
  return gradient;
}

void more_traits(Traits& traits, const Attributes& attributes) {
  if (attributes.text("mode") != "constant" || attributes.real("value") >= 0) traits.sign = Sign::kept;
}

const RegisterOp pad({.name = "pad",
                      .op_class = OpClass::linear,
                      .traits = {.moves = true},
                      .formula = "x with new elements before and after along each axis",
                      .infer = infer,
                      .apply = apply,
                      .adjoint = adjoint,
                      .offset = "value",
                      .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_pad
