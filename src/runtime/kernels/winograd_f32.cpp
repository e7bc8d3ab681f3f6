// Winograd's F(2 x 2, 3 x 3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016):
//   Y = A' [ (G g G') * (B' d B) ] A
// for tiles d of 4 x 4 input elements that overlap by two, each giving 2 x 2 outputs. The sum over input channels is
// 16 independent matrix products. Channels lie in blocks of eight, so that everything runs on vectors of channels.
#include "runtime/kernels/winograd_f32.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ascribe::core {

#if defined(__x86_64__)

namespace {

constexpr int64_t kPoints = 16;                         // of a transformed tile
constexpr int64_t kVector = 8;                          // floats
constexpr int64_t kPanel = 16;                          // output channels of one inner product
constexpr int64_t kRows = 6;                            // tiles of one inner product: 6 x 16 sums fill the registers
constexpr int64_t kTileBlock = 48;                      // tiles of one task
constexpr int64_t kPanelBlock = 4;                      // panels of one task
constexpr int64_t kLeastChannels = 32;                  // with fewer the transforms cost more than they save
constexpr size_t kTransformedBytes = size_t{16} << 20;  // of input tiles at a time

struct Geometry {
  int64_t images, in_channels, in_height, in_width, out_channels, out_height, out_width, top, left;

  int64_t tile_rows() const { return (out_height + 1) / 2; }
  int64_t tile_columns() const { return (out_width + 1) / 2; }
  int64_t tiles() const { return images * tile_rows() * tile_columns(); }
  int64_t panels() const { return (out_channels + kPanel - 1) / kPanel; }
};

// Sums of kRows tiles and kPanel output channels over all input channels.
__attribute__((target("avx2,fma"))) void multiply(const float* tiles, int64_t channels, const float* panel, float* sums,
                                                  int64_t stride) {
  __m256 sum[kRows][2];
#pragma GCC unroll 6
  for (auto& row : sum) row[0] = row[1] = _mm256_setzero_ps();
  for (int64_t c = 0; c < channels; ++c) {
    const __m256 low = _mm256_load_ps(panel + c * kPanel), high = _mm256_load_ps(panel + c * kPanel + kVector);
#pragma GCC unroll 6
    for (int64_t r = 0; r < kRows; ++r) {
      const __m256 value = _mm256_broadcast_ss(tiles + r * channels + c);
      sum[r][0] = _mm256_fmadd_ps(value, low, sum[r][0]);
      sum[r][1] = _mm256_fmadd_ps(value, high, sum[r][1]);
    }
  }
#pragma GCC unroll 6
  for (int64_t r = 0; r < kRows; ++r) {
    _mm256_store_ps(sums + r * stride, sum[r][0]);
    _mm256_store_ps(sums + r * stride + kVector, sum[r][1]);
  }
}

// B' d B of one tile and eight channels; rows and columns outside of the image are zero.
__attribute__((target("avx2,fma"))) void transform_input(const Geometry& g, const float* plane, int64_t y, int64_t x,
                                                         float* out, int64_t point_stride) {
  __m256 d[4][4];
#pragma GCC unroll 4
  for (int64_t i = 0; i < 4; ++i) {
#pragma GCC unroll 4
    for (int64_t j = 0; j < 4; ++j) {
      const bool inside = y + i >= 0 && y + i < g.in_height && x + j >= 0 && x + j < g.in_width;
      d[i][j] = inside ? _mm256_loadu_ps(plane + ((y + i) * g.in_width + x + j) * kVector) : _mm256_setzero_ps();
    }
  }
  __m256 t[4][4];
#pragma GCC unroll 4
  for (int64_t j = 0; j < 4; ++j) {
    t[0][j] = _mm256_sub_ps(d[0][j], d[2][j]);
    t[1][j] = _mm256_add_ps(d[1][j], d[2][j]);
    t[2][j] = _mm256_sub_ps(d[2][j], d[1][j]);
    t[3][j] = _mm256_sub_ps(d[1][j], d[3][j]);
  }
#pragma GCC unroll 4
  for (int64_t i = 0; i < 4; ++i) {
    float* row = out + 4 * i * point_stride;
    _mm256_storeu_ps(row, _mm256_sub_ps(t[i][0], t[i][2]));
    _mm256_storeu_ps(row + point_stride, _mm256_add_ps(t[i][1], t[i][2]));
    _mm256_storeu_ps(row + 2 * point_stride, _mm256_sub_ps(t[i][2], t[i][1]));
    _mm256_storeu_ps(row + 3 * point_stride, _mm256_sub_ps(t[i][1], t[i][3]));
  }
}

struct Finish {
  const float* bias = nullptr;   // eight channels, or none
  const float* other = nullptr;  // the plane that is added, or none
  bool relu = false;
};

// A' m A of one tile and eight output channels, with what follows the convolution.
__attribute__((target("avx2,fma"))) void transform_output(const Geometry& g, const float* sums, int64_t point_stride,
                                                          int64_t y, int64_t x, const Finish& finish, float* plane) {
  __m256 t[2][4];
#pragma GCC unroll 4
  for (int64_t j = 0; j < 4; ++j) {
    const auto m = [&](int64_t i) { return sums + (4 * i + j) * point_stride; };
    const __m256 m1 = _mm256_load_ps(m(1)), m2 = _mm256_load_ps(m(2));
    t[0][j] = _mm256_add_ps(_mm256_load_ps(m(0)), _mm256_add_ps(m1, m2));
    t[1][j] = _mm256_sub_ps(_mm256_sub_ps(m1, m2), _mm256_load_ps(m(3)));
  }
  const __m256 bias = finish.bias != nullptr ? _mm256_loadu_ps(finish.bias) : _mm256_setzero_ps();
  for (int64_t i = 0; i < 2 && y + i < g.out_height; ++i) {
    const __m256 values[2] = {_mm256_add_ps(t[i][0], _mm256_add_ps(t[i][1], t[i][2])),
                              _mm256_sub_ps(_mm256_sub_ps(t[i][1], t[i][2]), t[i][3])};
    for (int64_t j = 0; j < 2 && x + j < g.out_width; ++j) {
      const int64_t at = ((y + i) * g.out_width + x + j) * kVector;
      __m256 value = _mm256_add_ps(values[j], bias);
      if (finish.other != nullptr) value = _mm256_add_ps(value, _mm256_loadu_ps(finish.other + at));
      if (finish.relu) value = _mm256_max_ps(_mm256_setzero_ps(), value);  // in this order NaN stays
      _mm256_storeu_ps(plane + at, value);
    }
  }
}

// G g G' of one filter.
std::array<float, kPoints> transform_filter(const std::array<float, 9>& g) {
  std::array<double, 12> rows{};  // G g: 4 x 3
  for (size_t j = 0; j < 3; ++j) {
    const double a = g[j], b = g[3 + j], c = g[6 + j];
    rows[j] = a;
    rows[3 + j] = (a + b + c) / 2;
    rows[6 + j] = (a - b + c) / 2;
    rows[9 + j] = c;
  }
  std::array<float, kPoints> out{};
  for (size_t i = 0; i < 4; ++i) {
    const double a = rows[3 * i], b = rows[3 * i + 1], c = rows[3 * i + 2];
    out[4 * i] = static_cast<float>(a);
    out[4 * i + 1] = static_cast<float>((a + b + c) / 2);
    out[4 * i + 2] = static_cast<float>((a - b + c) / 2);
    out[4 * i + 3] = static_cast<float>(c);
  }
  return out;
}

// All filters as [panels, points, input channels, kPanel]; channels that fill up the last panel are zero. The filter
// of a transposed convolution is [in, out, 3, 3] and turned around.
Tensor transform_filters(const Tensor& weight, const Geometry& g, bool transposed) {
  Tensor packed(DType::f32, {g.panels(), kPoints, g.in_channels, kPanel});
  const auto from = weight.data<float>();
  const auto to = packed.mutable_data<float>();
  parallel_for(g.out_channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      for (int64_t c = 0; c < g.in_channels; ++c) {
        const int64_t start = 9 * (transposed ? c * g.out_channels + o : o * g.in_channels + c);
        std::array<float, 9> filter{};
        for (int64_t k = 0; k < 9; ++k) filter[static_cast<size_t>(k)] = from[start + (transposed ? 8 - k : k)];
        const auto points = transform_filter(filter);
        float* at = to.data() + (o / kPanel * kPoints * g.in_channels + c) * kPanel + o % kPanel;
        for (int64_t p = 0; p < kPoints; ++p) at[p * g.in_channels * kPanel] = points[static_cast<size_t>(p)];
      }
    }
  });
  return packed;
}

class WinogradKernel : public Kernel {
 public:
  WinogradKernel(const KernelRequest& request, const Geometry& geometry) : g_(geometry) {
    const Operand& x = request.inputs[0];
    input_layouts = {channel_blocked(x.shape, kVector), nullptr};
    held = {false, true};
    filters_ = held_filters(request);
    if (request.inputs.size() > 2) {
      input_layouts.push_back(nullptr);
      held.push_back(true);
      bias_ = request.constants.plain(request.inputs[2].value);
    }
    output_layout = channel_blocked(request.output.shape, kVector);
    output_bytes = bytes_in(output_layout, request.output.plain_bytes());
    absorb(request);
    const size_t per_tile = static_cast<size_t>(kPoints * g_.in_channels) * sizeof(float);
    const int64_t blocks = (g_.tiles() + kTileBlock - 1) / kTileBlock;
    const auto most = static_cast<int64_t>(kTransformedBytes / (per_tile * kTileBlock));
    chunk_ = std::clamp<int64_t>(most, 1, blocks) * kTileBlock;
    scratch_bytes = static_cast<size_t>(chunk_) * per_tile;
  }

  void bind(std::span<void* const> inputs, void* output, void* scratch) override {
    x_ = static_cast<const float*>(inputs[0]);
    other_ = extra_inputs.empty() ? nullptr : static_cast<const float*>(inputs[held.size()]);
    y_ = static_cast<float*>(output);
    transformed_ = static_cast<float*>(scratch);
  }

  void run() override {
    for (int64_t first = 0; first < g_.tiles(); first += chunk_) {
      const int64_t count = std::min(chunk_, g_.tiles() - first);
      transform_tiles(first, count);
      multiply_tiles(first, count);
    }
  }

 private:
  std::shared_ptr<const Tensor> held_filters(const KernelRequest& request) const {
    const bool transposed = request.op.name == "conv_transpose";
    // The transformed filter does not give the original back to the last bit, so that stays in memory, too.
    const Value weight = request.inputs[1].value;
    request.constants.plain(weight);
    const auto pack = [&](const Tensor& plain) -> ConstantStore::Packed {
      return std::make_shared<Tensor>(transform_filters(plain, g_, transposed));
    };
    const auto unpack = [](const ConstantStore::Packed&) -> Tensor {
      fail(ErrorKind::internal, "winograd", "the original filter is gone");
    };
    const std::string key = fmt::format("winograd {} {}", transposed, to_string(request.inputs[1].shape));
    const auto bytes = static_cast<size_t>(g_.panels() * kPoints * g_.in_channels * kPanel) * sizeof(float);
    return std::static_pointer_cast<const Tensor>(request.constants.packed(weight, key, bytes, pack, unpack));
  }

  // A residual sum, then a relu.
  void absorb(const KernelRequest& request) {
    const auto& followers = request.followers;
    if (!followers.empty() && followers[0].op->name == "add" && followers[0].other.value.valid() &&
        !followers[0].other.constant && followers[0].other.shape == request.output.shape &&
        same_layout(followers[0].other.layout, output_layout)) {
      extra_inputs.push_back(followers[0].other);
      extra_layouts.push_back(output_layout);
      absorbed = 1;
    }
    if (absorbed < followers.size() && followers[absorbed].op->name == "relu") {
      relu_ = true;
      ++absorbed;
    }
  }

  // Where a tile begins: its image and the position of its first output.
  struct Place {
    int64_t image, y, x;
  };
  Place place_of(int64_t tile) const {
    const int64_t in_image = tile % (g_.tile_rows() * g_.tile_columns());
    return {tile / (g_.tile_rows() * g_.tile_columns()), in_image / g_.tile_columns() * 2,
            in_image % g_.tile_columns() * 2};
  }

  // Transformed tiles lie as [points, tiles of the chunk, channels].
  void transform_tiles(int64_t first, int64_t count) {
    const int64_t blocks = g_.in_channels / kVector, point_stride = chunk_ * g_.in_channels;
    parallel_for(count, std::max<int64_t>(1, 256 / blocks), [&](int64_t begin, int64_t end) {
      for (int64_t tile = begin; tile < end; ++tile) {
        const Place place = place_of(first + tile);
        for (int64_t block = 0; block < blocks; ++block) {
          const float* plane = x_ + (place.image * blocks + block) * g_.in_height * g_.in_width * kVector;
          transform_input(g_, plane, place.y - g_.top, place.x - g_.left,
                          transformed_ + tile * g_.in_channels + block * kVector, point_stride);
        }
      }
    });
  }

  // Tasks are tiles times output channels; neighbours share the filters.
  void multiply_tiles(int64_t first, int64_t count) {
    const int64_t tile_blocks = (count + kTileBlock - 1) / kTileBlock;
    const int64_t panel_blocks = (g_.panels() + kPanelBlock - 1) / kPanelBlock;
    parallel_for(tile_blocks * panel_blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t tile = task % tile_blocks * kTileBlock, panel = task / tile_blocks * kPanelBlock;
        multiply_block(first, tile, std::min(kTileBlock, count - tile), panel,
                       std::min(kPanelBlock, g_.panels() - panel));
      }
    });
  }

  void multiply_block(int64_t first, int64_t tile, int64_t tiles, int64_t panel, int64_t panels) const {
    alignas(64) std::array<float, kPoints * kTileBlock * kPanelBlock * kPanel> sums;
    constexpr int64_t kStride = kPanelBlock * kPanel, kPointStride = kTileBlock * kStride;
    const float* filters = filters_->data<float>().data();
    for (int64_t point = 0; point < kPoints; ++point) {
      const float* from = transformed_ + (point * chunk_ + tile) * g_.in_channels;
      for (int64_t p = 0; p < panels; ++p) {
        const float* weights = filters + ((panel + p) * kPoints + point) * g_.in_channels * kPanel;
        // The last rows may lie behind the tiles: the scratch memory goes on to a whole block, and nobody reads them.
        for (int64_t t = 0; t < tiles; t += kRows) {
          multiply(from + t * g_.in_channels, g_.in_channels, weights,
                   sums.data() + point * kPointStride + t * kStride + p * kPanel, kStride);
        }
      }
    }
    finish_block(first + tile, tiles, panel, panels, sums.data(), kStride, kPointStride);
  }

  void finish_block(int64_t first, int64_t tiles, int64_t panel, int64_t panels, const float* sums, int64_t stride,
                    int64_t point_stride) const {
    const int64_t blocks = g_.out_channels / kVector, plane_size = g_.out_height * g_.out_width * kVector;
    const int64_t begin = panel * (kPanel / kVector);
    const int64_t end = std::min(blocks, (panel + panels) * (kPanel / kVector));
    for (int64_t t = 0; t < tiles; ++t) {
      const Place place = place_of(first + t);
      for (int64_t block = begin; block < end; ++block) {
        const int64_t plane = (place.image * blocks + block) * plane_size;
        Finish finish{nullptr, other_ == nullptr ? nullptr : other_ + plane, relu_};
        if (!bias_.empty()) finish.bias = bias_.data<float>().data() + block * kVector;
        transform_output(g_, sums + t * stride + (block - begin) * kVector, point_stride, place.y, place.x, finish,
                         y_ + plane);
      }
    }
  }

  Geometry g_;
  std::shared_ptr<const Tensor> filters_;
  Tensor bias_;
  bool relu_ = false;
  int64_t chunk_ = 0;  // tiles that are transformed at a time
  const float *x_ = nullptr, *other_ = nullptr;
  float *y_ = nullptr, *transformed_ = nullptr;
};

bool all_are(const std::vector<int64_t>& values, int64_t wanted) {
  return std::all_of(values.begin(), values.end(), [&](int64_t value) { return value == wanted; });
}

// With AVX-512 the direct convolutions of oneDNN are twice as fast, and this is not.
bool pays_on_this_machine() {
  static const bool pays = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                           __builtin_cpu_supports("avx512f") == 0;
  return pays;
}

bool is_plain_3x3(const KernelRequest& request) {
  const Operand &x = request.inputs[0], &weight = request.inputs[1];
  if (x.shape.size() != 4 || weight.shape[2] != 3 || weight.shape[3] != 3) return false;
  for (size_t i = 1; i < request.inputs.size(); ++i) {
    if (!request.inputs[i].constant) return false;
  }
  const Attributes& a = request.attributes;
  return a.integer("group") == 1 && all_are(a.integers("strides"), 1) && all_are(a.integers("dilations"), 1) &&
         (!a.has("output_padding") || all_are(a.integers("output_padding"), 0));
}

}  // namespace

std::unique_ptr<Kernel> make_winograd(const KernelRequest& request) {
  if (!pays_on_this_machine() || !is_plain_3x3(request) || request.output.size() == 0) return nullptr;
  const Shape &x = request.inputs[0].shape, &y = request.output.shape;
  const auto pads = request.attributes.integers("pads");
  const bool transposed = request.op.name == "conv_transpose";
  const auto before = [&](int64_t pad) { return transposed ? 2 - pad : pad; };
  const Geometry geometry{x[0], x[1], x[2], x[3], y[1], y[2], y[3], before(pads[0]), before(pads[1])};
  const auto fits = [](int64_t channels) { return channels >= kLeastChannels && channels % kVector == 0; };
  if (!fits(x[1]) || !fits(y[1]) || y[2] < 2 || y[3] < 2) return nullptr;
  return std::make_unique<WinogradKernel>(request, geometry);
}

#else

std::unique_ptr<Kernel> make_winograd(const KernelRequest&) { return nullptr; }

#endif

}  // namespace ascribe::core
