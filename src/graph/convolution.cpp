#include "graph/convolution.h"

#include "base/checked.h"
#include "graph/op_support.h"

namespace ascribe {

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

}  // namespace ascribe
