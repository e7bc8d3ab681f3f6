#include "graph/convolution.h"

#include "base/checked.h"
#include "graph/adjoint.h"
#include "graph/op_support.h"

namespace ascribe::core {

namespace {

constexpr int64_t kProductsPerChunk = int64_t{1} << 18;

Shape spatial_part(const Shape& shape) { return {shape.begin() + 2, shape.end()}; }

Window window_of(const Attributes& attributes, const Shape& spatial, const Shape& kernel, bool transposed,
                 std::string_view where) {
  return transposed ? make_transposed_window(attributes, spatial, kernel, where)
                    : make_window(attributes, spatial, kernel, where);
}

void check_kinds(const Signature& s) {
  for (const Type& input : s.inputs) {
    if (input.kind != s.inputs[0].kind || input.kind == Kind::boolean) {
      s.refuse("expected operands of one kind, real or integer; got {} and {}", to_string(s.inputs[0]),
               to_string(input));
    }
  }
}

// Index of the input that meets output `o` through tap `k`, or -1 if that is padding.
int64_t met_input(const WindowAxis& axis, int64_t o, int64_t k, bool transposed) {
  if (!transposed) {
    const int64_t i = axis.start(o) + k * axis.dilation;
    return i < axis.input ? std::max<int64_t>(i, -1) : -1;
  }
  const int64_t spread = o + axis.before - k * axis.dilation;
  if (spread < 0 || spread % axis.stride != 0) return -1;
  return spread / axis.stride < axis.input ? spread / axis.stride : -1;
}

// A row of x and a row of w that meet, as offsets into a channel.
struct RowPair {
  int64_t x, w;
};

// The rows that contribute to output row `row`: all spatial axes but the last.
std::vector<RowPair> row_pairs(const Window& window, int64_t row, bool transposed) {
  Shape position(window.size());
  for (size_t i = window.size() - 1; i-- > 0; row /= window[i].output) position[i] = row % window[i].output;
  std::vector<RowPair> pairs = {{0, 0}};
  for (size_t i = 0; i + 1 < window.size(); ++i) {
    std::vector<RowPair> refined;
    for (const RowPair pair : pairs) {
      for (int64_t k = 0; k < window[i].kernel; ++k) {
        const int64_t met = met_input(window[i], position[i], k, transposed);
        if (met >= 0) refined.push_back({pair.x * window[i].input + met, pair.w * window[i].kernel + k});
      }
    }
    pairs = std::move(refined);
  }
  for (RowPair& pair : pairs) pair = {pair.x * window.back().input, pair.w * window.back().kernel};
  return pairs;
}

// Adds what one row of x contributes to one row of sums through one row of w.
template <class T, class Sum>
void add_row(const WindowAxis& axis, const T* x, const T* w, std::vector<Sum>& sums, bool transposed) {
  const int64_t coarse = transposed ? axis.input : axis.output;
  const int64_t fine = transposed ? axis.output : axis.input;
  for (int64_t k = 0; k < axis.kernel; ++k) {
    const auto weight = static_cast<Sum>(w[k]);
    const int64_t shift = k * axis.dilation - axis.before;
    if (shift >= fine) break;
    const int64_t first = shift < 0 ? (-shift + axis.stride - 1) / axis.stride : 0;
    const int64_t last = std::min(coarse - 1, (fine - 1 - shift) / axis.stride);
    if (transposed) {
      for (int64_t i = first; i <= last; ++i) sums[i * axis.stride + shift] += weight * static_cast<Sum>(x[i]);
    } else {
      for (int64_t o = first; o <= last; ++o) sums[o] += weight * static_cast<Sum>(x[o * axis.stride + shift]);
    }
  }
}

template <class T>
void convolve(const Evaluation& e, bool transposed) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  const Shape& x_shape = e.inputs[0].shape;
  const Shape kernel = spatial_part(e.inputs[1].shape);
  const Window window = window_of(e.attributes, spatial_part(x_shape), kernel, transposed, "convolution");
  const int64_t groups = e.attributes.integer("group");
  const int64_t channels = x_shape[1] / groups;        // inputs of one group
  const int64_t outputs = e.output.shape[1] / groups;  // outputs of one group
  const int64_t x_plane = element_count(spatial_part(x_shape));
  const int64_t w_plane = element_count(kernel);
  const int64_t row_size = window.back().output;
  const int64_t rows = element_count(output_extents(window)) / row_size;  // of one plane

  const auto x = e.inputs[0].data<const T>();
  const auto w = e.inputs[1].data<const T>();
  const auto bias = e.inputs.size() > 2 ? e.inputs[2].data<const T>() : std::span<const T>{};
  const auto out = e.output.data<T>();
  const int64_t grain = kProductsPerChunk / std::max<int64_t>(1, channels * w_plane * row_size);
  parallel_for(e.output.size() / row_size, grain, [&](int64_t begin, int64_t end) {
    std::vector<Sum> sums(row_size);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / rows / e.output.shape[1];
      const int64_t m = i / rows % e.output.shape[1];
      const int64_t group = m / outputs;
      std::fill(sums.begin(), sums.end(), bias.empty() ? Sum{0} : static_cast<Sum>(bias[m]));
      const auto pairs = row_pairs(window, i % rows, transposed);
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t channel = group * channels + c;
        const int64_t filter = transposed ? channel * outputs + m % outputs : m * channels + c;
        for (const RowPair pair : pairs) {
          add_row(window.back(), &x[(n * x_shape[1] + channel) * x_plane + pair.x], &w[filter * w_plane + pair.w], sums,
                  transposed);
        }
      }
      for (int64_t o = 0; o < row_size; ++o) out[i * row_size + o] = static_cast<T>(sums[o]);
    }
  });
}

}  // namespace

Type infer_convolution(const Signature& s, bool transposed) {
  check_kinds(s);
  const Shape spatial = spatial_extents(s, 0);
  if (!all_fixed(s.shape(1)) || s.rank(1) != s.rank(0)) {
    s.refuse("the kernel does not fit the input; got {} and {}", to_string(s.shape(1)), to_string(s.shape(0)));
  }
  const Shape w = at(s.shape(1), 1);
  const int64_t channels = s.shape(0)[1].fixed;
  const int64_t groups = s.attributes.integer("group");
  if (groups < 1 || channels < 1 || w[0] < 1 || w[1] < 1) {
    s.refuse("groups and channels must be positive; got {} groups, {} channels, a kernel {}", groups, channels,
             to_string(w));
  }
  const int64_t outputs = transposed ? checked_multiply(w[1], groups, s.where) : w[0];
  const int64_t expected = transposed ? w[0] : checked_multiply(w[1], groups, s.where);
  if (expected != channels || channels % groups != 0 || outputs % groups != 0) {
    s.refuse("the channels do not fit; got {} of the input, a kernel {} and {} groups", channels, to_string(w), groups);
  }
  if (s.inputs.size() > 2 && s.shape(2) != Dims{outputs}) {
    s.refuse("the bias does not fit; got {}; expected [{}]", to_string(s.shape(2)), outputs);
  }
  Dims result = {s.shape(0)[0], outputs};
  for (const WindowAxis& axis : window_of(s.attributes, spatial, spatial_part(w), transposed, s.where)) {
    result.push_back(axis.output);
  }
  return {s.inputs[0].kind, result};
}

void apply_convolution(const Evaluation& e, bool transposed) {
  visit_number(e.output.dtype, [&]<class T>(T) { convolve<T>(e, transposed); });
}

Attributes transposed_attributes(const Window& window, int64_t groups) {
  Shape strides, dilations, before, after, extra;
  for (const WindowAxis& axis : window) {
    const int64_t surplus = (axis.output - 1) * axis.stride + axis.reach() - axis.before - axis.input;
    strides.push_back(axis.stride);
    dilations.push_back(axis.dilation);
    before.push_back(axis.before);
    after.push_back(std::max<int64_t>(surplus, 0));
    extra.push_back(std::max<int64_t>(-surplus, 0));
  }
  before.insert(before.end(), after.begin(), after.end());
  return {{"strides", ints(strides)},
          {"pads", ints(before)},
          {"dilations", ints(dilations)},
          {"group", ints({groups})},
          {"output_padding", ints(extra)}};
}

namespace {

// The geometry as conv sees it: `input` is the extent of the fine array, `output` that of the coarse one.
Window fine_to_coarse(const DerivativeRequest& r, bool transposed) {
  const Shape spatial = spatial_part(at(r.b.shape(r.inputs[0]), 1)),
              kernel = spatial_part(at(r.b.shape(r.inputs[1]), 1));
  Window window = window_of(r.attributes, spatial, kernel, transposed, r.b.where());
  if (transposed) {
    for (WindowAxis& axis : window) std::swap(axis.input, axis.output);
  }
  return window;
}

// The coarse array from the fine one. There may be more windows than the coarse array has elements.
Value gather_windows(Builder& b, Value fine, Value weight, const Window& window, int64_t groups) {
  Attributes attributes = transposed_attributes(window, groups);
  const Value all = b.op("conv", {fine, weight},
                         {{"strides", attributes.dims("strides")},
                          {"pads", attributes.dims("pads")},
                          {"dilations", attributes.dims("dilations")},
                          {"group", ints({groups})}});
  Dims sizes = b.shape(all);
  for (size_t i = 0; i < window.size(); ++i) sizes[i + 2] = window[i].output;
  if (sizes == b.shape(all)) return all;
  const size_t rank = sizes.size();
  return b.op("slice", {all}, {{"starts", Dims(rank, 0)}, {"sizes", sizes}, {"steps", Dims(rank, 1)}});
}

// The elements of the fine array that each tap meets, one tap after the other:
// [rows, groups, taps * channels of a group, coarse elements].
Value met_by_taps(Builder& b, Value fine, const Window& window, int64_t groups) {
  Dims starts(2, 0), padded = b.shape(fine), sizes = padded, steps(2, 1);
  int64_t taps = 1, elements = 1;
  for (size_t i = 0; i < window.size(); ++i) {
    const WindowAxis& axis = window[i];
    starts.push_back(axis.before);
    steps.push_back(axis.stride);
    sizes[i + 2] = axis.output;
    const int64_t covered = (axis.output - 1) * axis.stride + axis.reach();
    padded[i + 2] = std::max(covered, axis.before + axis.input);
    taps *= axis.kernel;
    elements *= axis.output;
  }
  const Value whole = embed(b, fine, starts, padded);
  const Dims split = {sizes[0], groups, sizes[1].fixed / groups, elements};
  std::vector<Value> parts;
  for (int64_t tap = 0; tap < taps; ++tap) {
    int64_t rest = tap;
    for (size_t i = window.size(); i-- > 0; rest /= window[i].kernel) {
      starts[i + 2] = rest % window[i].kernel * window[i].dilation;
    }
    starts[0] = starts[1] = 0;
    parts.push_back(b.reshape(b.op("slice", {whole}, {{"starts", starts}, {"sizes", sizes}, {"steps", steps}}), split));
  }
  return b.concat(parts, 2);
}

// w[a, b, k] meets coarse[n, a, o] and fine[n, b, o * stride - before + k * dilation]: the sum over n and o.
// A product per row, because the rows may grow with the batch and the channels of a convolution may not.
Value adjoint_of_weight(const DerivativeRequest& r, Value coarse, Value fine, const Window& window) {
  Builder& b = r.b;
  const Dims weight = b.shape(r.inputs[1]);
  const int64_t groups = r.attributes.integer("group"), rows = weight[0].fixed, columns = weight[1].fixed;
  const int64_t taps = element_count(spatial_part(at(weight, 1)));
  const Value met = met_by_taps(b, fine, window, groups);
  const Value coarse_rows = b.reshape(coarse, {b.shape(coarse)[0], groups, rows / groups, b.shape(met)[3]});
  const Value sums = b.reduce("reduce_sum", b.matmul(coarse_rows, met, false, true), {0}, false);
  return b.reshape(b.transpose(b.reshape(sums, {rows, taps, columns}), {0, 2, 1}), weight);
}

}  // namespace

Value convolution_adjoint(const DerivativeRequest& r, Value gradient, bool transposed) {
  Builder& b = r.b;
  if (r.operand == 2) {
    std::vector<int64_t> axes = {0};
    for (int64_t axis = 2; axis < b.rank(gradient); ++axis) axes.push_back(axis);
    return b.reduce("reduce_sum", gradient, axes, false);
  }
  const Window window = fine_to_coarse(r, transposed);
  const int64_t groups = r.attributes.integer("group");
  if (r.operand == 1) {
    return transposed ? adjoint_of_weight(r, r.inputs[0], gradient, window)
                      : adjoint_of_weight(r, gradient, r.inputs[0], window);
  }
  if (transposed) return gather_windows(b, gradient, r.inputs[1], window, groups);
  return b.op("conv_transpose", {gradient, r.inputs[1]}, transposed_attributes(window, groups));
}

}  // namespace ascribe::core
