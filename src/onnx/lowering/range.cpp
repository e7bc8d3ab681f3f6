// Range, EyeLike and the window functions: tables made when the model is loaded. A Range
// up to the batch is a cumulative sum of ones.
#include <cmath>
#include <numbers>

#include "onnx/lowering/cast.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_range {
namespace {

void lower_real_range(NodeContext& c) {
  const double start = one_real(c, 0, "start"), limit = one_real(c, 1, "limit"), delta = one_real(c, 2, "delta");
  const double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (!(count <= static_cast<double>(kLargestTable))) c.refuse("the range has {} elements", count);
  Builder& b = c.b();
  const Value places = b.cast(integer_range(b, static_cast<int64_t>(count)), Kind::real);
  c.out(0, b.add(b.mul(places, delta), start));
}

void lower_integer_range(NodeContext& c) {
  Builder& b = c.b();
  const auto bound = [&](size_t input, std::string_view what) {
    const Dims values = c.known_integers(input, what);
    if (values.size() != 1) c.refuse("{} has {} elements; expected 1", what, values.size());
    return values[0];
  };
  const Dim start = bound(0, "start"), limit = bound(1, "limit");
  const int64_t delta = fixed_size(c, bound(2, "delta"), "delta");
  if (delta == 0) c.refuse("delta is 0");
  const Dim count = fit_dimension(c, "the range", [&](int64_t n) {
    const double steps =
        (static_cast<double>(limit.at(n)) - static_cast<double>(start.at(n))) / static_cast<double>(delta);
    if (!(steps <= static_cast<double>(kLargestTable))) c.refuse("the range has {} elements", steps);
    return static_cast<int64_t>(std::max(0.0, std::ceil(steps)));
  });
  const Value ones = b.expand(b.integer(1), {count});
  const Value places = b.op("cumsum", {ones}, {{"axis", ints({0})}, {"exclusive", ints({1})}, {"reverse", ints({0})}});
  c.out(0, b.add(b.integers({start}), b.mul(places, b.integer(delta))));
}

void lower_range(NodeContext& c) {
  if (c.b().kind(c.in(0)) == Kind::real) lower_real_range(c);
  else lower_integer_range(c);
}

void lower_eye_like(NodeContext& c) {
  Builder& b = c.b();
  if (b.rank(c.in(0)) != 2) c.refuse("the input has rank {}; expected a matrix", b.rank(c.in(0)));
  const Dims shape = b.shape(c.in(0));
  const int64_t rows = fixed_size(c, shape[0], "the number of rows");
  const int64_t columns = fixed_size(c, shape[1], "the number of columns");
  table_size(c, {rows, columns});
  const int64_t k = std::clamp(c.integer("k", 0), -rows, columns);
  const Value row = b.reshape(b.add(integer_range(b, rows), b.integer(k)), {rows, 1});
  const Kind kind = c.has_attribute("dtype") ? kind_of_onnx(c, c.integer("dtype")) : b.kind(c.in(0));
  c.out(0, b.cast(b.op("equal", {row, integer_range(b, columns)}), kind));
}

// Sum of a_k cos(2 pi k i / size), or over size - 1 if not periodic.
void lower_window(NodeContext& c, const std::vector<double>& cosines) {
  const int64_t size = one_integer(c, 0, "size");
  if (size < 0) c.refuse("size is {}", size);
  table_size(c, {size});
  const int64_t period = c.integer("periodic", 1) != 0 ? size : std::max<int64_t>(size - 1, 1);
  std::vector<double> values(size, 0.0);
  for (int64_t i = 0; i < size; ++i) {
    for (size_t k = 0; k < cosines.size(); ++k) {
      values[i] +=
          cosines[k] * std::cos(2 * std::numbers::pi * static_cast<double>(k * i) / static_cast<double>(period));
    }
  }
  const Kind kind = kind_of_onnx(c, c.integer("output_datatype", 1));
  c.out(0, c.b().cast(c.b().constant(Tensor::of<double>({size}, values)), kind));
}

const RegisterLowering range({"Range", 27, "stash_type:27"}, lower_range,
                             "the bounds must be known when the model is loaded");
const RegisterLowering eye_like({"EyeLike", 22, "dtype k"}, lower_eye_like);
const RegisterLowering hann({"HannWindow", 17, "output_datatype periodic"}, [](NodeContext& c) {
  lower_window(c, {0.5, -0.5});
});
const RegisterLowering hamming({"HammingWindow", 17, "output_datatype periodic"}, [](NodeContext& c) {
  lower_window(c, {25.0 / 46, -21.0 / 46});
});
const RegisterLowering blackman({"BlackmanWindow", 17, "output_datatype periodic"}, [](NodeContext& c) {
  lower_window(c, {0.42, -0.5, 0.08});
});

}  // namespace
}  // namespace ascribe::core::lowering_range
