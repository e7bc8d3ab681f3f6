// Winograd's F(2 x 2, 3 x 3) (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016):
//   Y = A' [ (G g G') * (B' d B) ] A
// for tiles d of 4 x 4 input elements that overlap by two, each giving 2 x 2 outputs. The sum over input channels is
// 16 independent matrix products. Channels lie in blocks of a vector, so that everything runs on vectors of channels.
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

constexpr int64_t kPoints = 16;                        // of a transformed tile
constexpr int64_t kTileBlock = 48;                     // tiles of one task; whole numbers of inner products
constexpr int64_t kChannelBlock = 64;                  // output channels of one task
constexpr int64_t kTasksPerThread = 4;                 // of tiles, for threads to work by themselves
constexpr int64_t kLeastChannels = 32;                 // with fewer the transforms cost more than they save
constexpr size_t kTransformedBytes = size_t{4} << 20;  // of input tiles that all threads share
constexpr size_t kOwnBytes = size_t{768} << 10;        // of input tiles that one thread has for itself, in its cache

struct Geometry {
  int64_t images, in_channels, in_height, in_width, out_channels, out_height, out_width, top, left;
  // Floats from a pixel to the next, and from a vector of channels to the next: channels come in blocks, or last.
  int64_t in_pixel, in_block, out_pixel, out_block;

  int64_t tile_rows() const { return (out_height + 1) / 2; }
  int64_t tile_columns() const { return (out_width + 1) / 2; }
  int64_t tiles() const { return images * tile_rows() * tile_columns(); }
};

struct Finish {
  const float* bias = nullptr;   // a vector of channels, or none
  const float* other = nullptr;  // the plane that is added, or none
  bool relu = false;
};

// What winograd_loops.inc has for one set of vector instructions.
struct Loops {
  int64_t vector;  // floats, and channels of a block
  int64_t rows;    // tiles of one inner product

  void (*multiply)(const float* tiles, int64_t channels, const float* panel, float* sums, int64_t stride);
  void (*transform_input)(const Geometry& g, const float* plane, int64_t y, int64_t x, float* out,
                          int64_t point_stride);
  void (*transform_output)(const Geometry& g, const float* sums, int64_t point_stride, int64_t y, int64_t x,
                           const Finish& finish, float* plane);

  int64_t panel() const { return 2 * vector; }  // output channels of one inner product
};

#define ASCRIBE_TARGET __attribute__((target("avx2,fma")))
#define ASCRIBE_INLINE ASCRIBE_TARGET __attribute__((always_inline)) inline
namespace winograd_avx2 {
constexpr int64_t kVector = 8, kRows = 6;  // 12 of 16 registers hold sums
using V = __m256;
ASCRIBE_INLINE V load(const float* at) { return _mm256_load_ps(at); }
ASCRIBE_INLINE V loadu(const float* at) { return _mm256_loadu_ps(at); }
ASCRIBE_INLINE void store(float* at, V value) { _mm256_store_ps(at, value); }
ASCRIBE_INLINE void storeu(float* at, V value) { _mm256_storeu_ps(at, value); }
ASCRIBE_INLINE V zero() { return _mm256_setzero_ps(); }
ASCRIBE_INLINE V broadcast(const float* at) { return _mm256_broadcast_ss(at); }
ASCRIBE_INLINE V add(V a, V b) { return _mm256_add_ps(a, b); }
ASCRIBE_INLINE V sub(V a, V b) { return _mm256_sub_ps(a, b); }
ASCRIBE_INLINE V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
ASCRIBE_INLINE V max(V a, V b) { return _mm256_max_ps(a, b); }
#include "runtime/kernels/winograd_loops.inc"
}  // namespace winograd_avx2
#undef ASCRIBE_TARGET

#define ASCRIBE_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
namespace winograd_avx512 {
constexpr int64_t kVector = 16, kRows = 12;  // 24 of 32 registers hold sums
using V = __m512;
ASCRIBE_INLINE V load(const float* at) { return _mm512_load_ps(at); }
ASCRIBE_INLINE V loadu(const float* at) { return _mm512_loadu_ps(at); }
ASCRIBE_INLINE void store(float* at, V value) { _mm512_store_ps(at, value); }
ASCRIBE_INLINE void storeu(float* at, V value) { _mm512_storeu_ps(at, value); }
ASCRIBE_INLINE V zero() { return _mm512_setzero_ps(); }
ASCRIBE_INLINE V broadcast(const float* at) { return _mm512_set1_ps(*at); }
ASCRIBE_INLINE V add(V a, V b) { return _mm512_add_ps(a, b); }
ASCRIBE_INLINE V sub(V a, V b) { return _mm512_sub_ps(a, b); }
ASCRIBE_INLINE V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
ASCRIBE_INLINE V max(V a, V b) { return _mm512_maskz_max_ps(0xFFFF, a, b); }  // GCC 12 warns of the plain one
#include "runtime/kernels/winograd_loops.inc"
}  // namespace winograd_avx512
#undef ASCRIBE_TARGET
#undef ASCRIBE_INLINE

// Of this machine; null if it has none.
const Loops* loops_here() {
  static const Loops* loops = [] {
    // As oneDNN, whose convolutions stand before and behind, and whose blocks of channels are as wide.
    const bool avx512 =
        (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & static_cast<unsigned>(dnnl::cpu_isa::avx512_core)) ==
        static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return avx512 ? &winograd_avx512::kLoops : (avx2 ? &winograd_avx2::kLoops : nullptr);
  }();
  return loops;
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

int64_t panels_of(const Geometry& g, int64_t panel) { return (g.out_channels + panel - 1) / panel; }

// All filters as [panels, points, input channels, panel]; channels that fill up the last panel are zero. The filter
// of a transposed convolution is [in, out, 3, 3] and turned around.
Tensor transform_filters(const Tensor& weight, const Geometry& g, int64_t panel, bool transposed) {
  Tensor packed(DType::f32, {panels_of(g, panel), kPoints, g.in_channels, panel});
  const auto from = weight.data<float>();
  const auto to = packed.mutable_data<float>();
  parallel_for(g.out_channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      for (int64_t c = 0; c < g.in_channels; ++c) {
        const int64_t start = 9 * (transposed ? c * g.out_channels + o : o * g.in_channels + c);
        std::array<float, 9> filter{};
        for (int64_t k = 0; k < 9; ++k) filter[static_cast<size_t>(k)] = from[start + (transposed ? 8 - k : k)];
        const auto points = transform_filter(filter);
        float* at = to.data() + (o / panel * kPoints * g.in_channels + c) * panel + o % panel;
        for (int64_t p = 0; p < kPoints; ++p) at[p * g.in_channels * panel] = points[static_cast<size_t>(p)];
      }
    }
  });
  return packed;
}

class WinogradKernel : public Kernel {
 public:
  WinogradKernel(const KernelRequest& request, const Geometry& geometry, const Loops& loops)
      : g_(geometry), loops_(loops) {
    const Shape& result = request.output.shape;
    const auto order = channel_order(request.inputs[0].layout, request.inputs[0].shape);
    const ChannelOrder own = order && order->last ? *order : ChannelOrder{loops.vector, false};
    g_.in_pixel = own.last ? g_.in_channels : loops.vector;
    g_.out_pixel = own.last ? g_.out_channels : loops.vector;
    g_.in_block = own.last ? loops.vector : g_.in_height * g_.in_width * loops.vector;
    g_.out_block = own.last ? loops.vector : g_.out_height * g_.out_width * loops.vector;
    const Operand& x = request.inputs[0];
    input_layouts = {layout_in(own, x.shape), nullptr};
    held = {false, true};
    filters_ = held_filters(request);
    if (request.inputs.size() > 2) {
      input_layouts.push_back(nullptr);
      held.push_back(true);
      bias_ = request.constants.plain(request.inputs[2].value);
    }
    output_layout = layout_in(own, result);
    output_bytes = bytes_in(output_layout, request.output.plain_bytes());
    absorb(request);
    careless = true;  // see make_winograd
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

  // With work for all threads each transforms tiles and multiplies them while they are in its cache. Otherwise they
  // share the tiles, and each has channels of its own. Both ways add up the same numbers in the same order.
  void run() override {
    const int64_t per_task = std::clamp<int64_t>(own_tiles() / loops_.rows * loops_.rows, loops_.rows, kTileBlock);
    const int64_t tasks = (g_.tiles() + per_task - 1) / per_task;
    if (tasks >= kTasksPerThread * thread_count()) {
      parallel_for(tasks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) run_alone(task * per_task, per_task);
      });
      return;
    }
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
      return std::make_shared<Tensor>(transform_filters(plain, g_, loops_.panel(), transposed));
    };
    const auto unpack = [](const ConstantStore::Packed&) -> Tensor {
      fail(ErrorKind::internal, "winograd", "the original filter is gone");
    };
    const std::string key = fmt::format("winograd {} {}", transposed, to_string(request.inputs[1].shape));
    const int64_t padded = panels_of(g_, loops_.panel()) * loops_.panel();
    const auto bytes = static_cast<size_t>(padded * kPoints * g_.in_channels) * sizeof(float);
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

  int64_t own_tiles() const {
    return static_cast<int64_t>(kOwnBytes / (static_cast<size_t>(kPoints * g_.in_channels) * sizeof(float)));
  }

  void run_alone(int64_t first, int64_t most) const {
    static thread_local std::vector<float> memory;
    const int64_t count = std::min(most, g_.tiles() - first);
    const auto needed = static_cast<size_t>(kPoints * most * g_.in_channels);
    if (memory.size() < needed) memory.resize(needed);
    for (int64_t tile = 0; tile < count; ++tile)
      transform_tile(first + tile, memory.data() + tile * g_.in_channels, most);
    clear_behind(count, memory.data(), most);
    for (int64_t channel = 0; channel < g_.out_channels; channel += kChannelBlock) {
      multiply_block(first, count, channel, memory.data(), most);
    }
  }

  // Transformed tiles lie as [points, tiles, channels].
  void transform_tile(int64_t tile, float* out, int64_t tiles) const {
    const Place place = place_of(tile);
    const float* image = x_ + place.image * g_.in_channels * g_.in_height * g_.in_width;
    for (int64_t c = 0; c < g_.in_channels; c += loops_.vector) {
      loops_.transform_input(g_, image + c / loops_.vector * g_.in_block, place.y - g_.top, place.x - g_.left, out + c,
                             tiles * g_.in_channels);
    }
  }

  void transform_tiles(int64_t first, int64_t count) {
    parallel_for(count, std::max<int64_t>(1, 256 * loops_.vector / g_.in_channels), [&](int64_t begin, int64_t end) {
      for (int64_t tile = begin; tile < end; ++tile) {
        transform_tile(first + tile, transformed_ + tile * g_.in_channels, chunk_);
      }
    });
    clear_behind(count, transformed_, chunk_);
  }

  // Products take whole groups of tiles, and `stored` are whole groups. What lies behind the last tile is not used, but
  // left as it was it might be NaN, which would look as if the data had made it.
  void clear_behind(int64_t count, float* tiles, int64_t stored) const {
    const int64_t whole = (count + loops_.rows - 1) / loops_.rows * loops_.rows;
    for (int64_t point = 0; point < kPoints; ++point) {
      float* at = tiles + point * stored * g_.in_channels;
      std::fill(at + count * g_.in_channels, at + whole * g_.in_channels, 0.0f);
    }
  }

  // Tasks are tiles times output channels; neighbours share the filters.
  void multiply_tiles(int64_t first, int64_t count) {
    const int64_t tile_blocks = (count + kTileBlock - 1) / kTileBlock;
    const int64_t channel_blocks = (g_.out_channels + kChannelBlock - 1) / kChannelBlock;
    parallel_for(tile_blocks * channel_blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t tile = task % tile_blocks * kTileBlock;
        multiply_block(first + tile, std::min(kTileBlock, count - tile), task / tile_blocks * kChannelBlock,
                       transformed_ + tile * g_.in_channels, chunk_);
      }
    });
  }

  // Tiles from `first` on, whose transforms lie at `from` among those of `stored` tiles.
  void multiply_block(int64_t first, int64_t tiles, int64_t channel, const float* from, int64_t stored) const {
    alignas(64) std::array<float, kPoints * kTileBlock * kChannelBlock> sums;
    constexpr int64_t kPointStride = kTileBlock * kChannelBlock;
    const int64_t panel = loops_.panel(), end = std::min(g_.out_channels, channel + kChannelBlock);
    const float* filters = filters_->data<float>().data();
    for (int64_t point = 0; point < kPoints; ++point) {
      const float* rows = from + point * stored * g_.in_channels;
      for (int64_t o = channel; o < end; o += panel) {
        const float* weights = filters + (o / panel * kPoints + point) * g_.in_channels * panel;
        // The last rows may lie behind the tiles; see clear_behind.
        for (int64_t t = 0; t < tiles; t += loops_.rows) {
          loops_.multiply(rows + t * g_.in_channels, g_.in_channels, weights,
                          sums.data() + point * kPointStride + t * kChannelBlock + (o - channel), kChannelBlock);
        }
      }
    }
    finish_block(first, tiles, channel, end, sums.data(), kPointStride);
  }

  void finish_block(int64_t first, int64_t tiles, int64_t channel, int64_t end, const float* sums,
                    int64_t point_stride) const {
    const int64_t vector = loops_.vector, image_size = g_.out_channels * g_.out_height * g_.out_width;
    for (int64_t t = 0; t < tiles; ++t) {
      const Place place = place_of(first + t);
      for (int64_t o = channel; o < end; o += vector) {
        const int64_t plane = place.image * image_size + o / vector * g_.out_block;
        Finish finish{nullptr, other_ == nullptr ? nullptr : other_ + plane, relu_};
        if (!bias_.empty()) finish.bias = bias_.data<float>().data() + o;
        loops_.transform_output(g_, sums + t * kChannelBlock + (o - channel), point_stride, place.y, place.x, finish,
                                y_ + plane);
      }
    }
  }

  Geometry g_;
  const Loops& loops_;
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
  const Loops* loops = loops_here();
  // Its sums of elements make NaN of infinities and spread NaN over a tile.
  if (loops == nullptr || request.careful || !is_plain_3x3(request) || request.output.size() == 0) return nullptr;
  const Shape &x = request.inputs[0].shape, &y = request.output.shape;
  const auto pads = request.attributes.integers("pads");
  const bool transposed = request.op.name == "conv_transpose";
  const auto before = [&](int64_t pad) { return transposed ? 2 - pad : pad; };
  const Geometry geometry{x[0], x[1], x[2], x[3], y[1], y[2], y[3], before(pads[0]), before(pads[1]), 0, 0, 0, 0};
  const auto fits = [&](int64_t channels) { return channels >= kLeastChannels && channels % loops->vector == 0; };
  if (!fits(x[1]) || !fits(y[1]) || y[2] < 2 || y[3] < 2) return nullptr;
  return std::make_unique<WinogradKernel>(request, geometry, *loops);
}

#else

std::unique_ptr<Kernel> make_winograd(const KernelRequest&) { return nullptr; }

#endif

}  // namespace ascribe::core
