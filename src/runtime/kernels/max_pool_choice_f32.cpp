// max_pool_pick and max_pool_scatter in float32 on planes [H, W, lanes]: one lane in row-major memory, a
// block of channels, or some of the channels where all of them lie side by side. The first of equal ones wins, NaN wins
// over numbers, as in the reference. A gate that follows a scatter and has the same choice (pooling after relu) is
// absorbed.
#include <algorithm>

#include "base/parallel.h"
#include "graph/window.h"
#include "runtime/kernels/dnnl_support.h"
#include "runtime/kernels/select.h"

namespace ascribe::core::kernel_max_pool_choice_f32 {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk

// Whether a value takes the place of the largest one so far. No branch, so that lanes go in step.
bool beats(float value, float best) { return static_cast<int>(!(value <= best)) & static_cast<int>(best == best); }

// Windows of four that share no element: the commonest pooling by far.
bool is_halving(const Window& window) {
  return std::all_of(window.begin(), window.end(), [](const WindowAxis& axis) {
    return axis.kernel == 2 && axis.stride == 2 && axis.dilation == 1 && axis.before == 0 &&
           2 * axis.output <= axis.input;
  });
}

// The largest of four taps, lane by lane: which one it is (0 to 3) and its value.
template <int64_t Lanes>
struct Largest {
  std::array<float, Lanes> tap, value;

  Largest(const float* top, const float* below, int64_t pitch) {
#pragma omp simd
    for (int64_t lane = 0; lane < Lanes; ++lane) {
      float best = top[lane], from = 0;
      const float second = top[pitch + lane], third = below[lane], fourth = below[pitch + lane];
      from = select(beats(second, best), 1.0F, from);
      best = select(beats(second, best), second, best);
      from = select(beats(third, best), 2.0F, from);
      best = select(beats(third, best), third, best);
      tap[lane] = select(beats(fourth, best), 3.0F, from);
      value[lane] = select(beats(fourth, best), fourth, best);
    }
  }
};

struct Planes {
  Window window;
  int64_t pitch = 1;  // from one position to the next
  bool halving = false;
  bool gated = false;  // nothing goes to where the choice is 0 or less

  int64_t inputs() const { return window[0].input * window[1].input; }
  int64_t outputs() const { return window[0].output * window[1].output; }
};

// Calls f(position, number of the tap) for the elements of a window.
template <class F>
void for_each_tap(const Planes& p, int64_t o, F f) {
  const WindowAxis &rows = p.window[0], &columns = p.window[1];
  const int64_t oh = o / columns.output, ow = o % columns.output;
  const auto down = rows.taps(oh), across = columns.taps(ow);
  int64_t tap = 0;
  for (int64_t i = down.begin; i < down.end; ++i) {
    const int64_t line = (rows.start(oh) + i * rows.dilation) * columns.input + columns.start(ow);
    for (int64_t j = across.begin; j < across.end; ++j) f(line + j * columns.dilation, static_cast<float>(tap++));
  }
}

// Calls f(window, tap of its largest element, value of that) for all windows of one plane, with the lanes of both.
template <int64_t Lanes, class F>
void for_each_largest(const Planes& p, const float* choice, F f) {
  std::array<float, Lanes> best{}, tap{};
  for (int64_t o = 0; o < p.outputs(); ++o) {
    for_each_tap(p, o, [&](int64_t position, float own) {
      const float* values = choice + position * p.pitch;
      if (own == 0) {
        std::copy_n(values, Lanes, best.begin());
        tap.fill(0);
        return;
      }
#pragma omp simd
      for (int64_t lane = 0; lane < Lanes; ++lane) {
        const bool wins = beats(values[lane], best[lane]);
        tap[lane] = select(wins, own, tap[lane]);
        best[lane] = select(wins, values[lane], best[lane]);
      }
    });
    f(o, tap, best);
  }
}

template <int64_t Lanes, bool Gated>
void scatter_halving(const Planes& p, const float* x, const float* choice, float* y) {
  const int64_t row = p.window[1].input * p.pitch;
  for (int64_t oh = 0; oh < p.window[0].output; ++oh) {
    for (int64_t ow = 0; ow < p.window[1].output; ++ow, x += p.pitch) {
      const int64_t corner = 2 * oh * row + 2 * ow * p.pitch;
      const Largest<Lanes> largest(choice + corner, choice + corner + row, p.pitch);
      std::array<float, Lanes> kept;
#pragma omp simd
      for (int64_t lane = 0; lane < Lanes; ++lane) {
        kept[lane] = keep_if(!Gated || !(largest.value[lane] <= 0.0F), x[lane]);
      }
      for (const int64_t tap : {0, 1, 2, 3}) {
        float* to = y + corner + tap / 2 * row + tap % 2 * p.pitch;
        const auto own = static_cast<float>(tap);
#pragma omp simd
        for (int64_t lane = 0; lane < Lanes; ++lane) to[lane] = keep_if(largest.tap[lane] == own, kept[lane]);
      }
    }
  }
}

template <int64_t Lanes>
void scatter(const Planes& p, const float* x, const float* choice, float* y) {
  const bool covered = p.halving && 4 * p.outputs() == p.inputs();
  for (int64_t position = 0; !covered && position < p.inputs(); ++position) {
    std::fill_n(y + position * p.pitch, Lanes, 0.0F);
  }
  if (p.halving)
    return p.gated ? scatter_halving<Lanes, true>(p, x, choice, y) : scatter_halving<Lanes, false>(p, x, choice, y);
  for_each_largest<Lanes>(p, choice, [&](int64_t window, const auto& tap, const auto& best) {
    std::array<float, Lanes> kept;
    std::copy_n(x + window * p.pitch, Lanes, kept.begin());
    if (p.gated) {
      for (int64_t lane = 0; lane < Lanes; ++lane) kept[lane] = keep_if(!(best[lane] <= 0.0F), kept[lane]);
    }
    for_each_tap(p, window, [&](int64_t position, float own) {
      float* to = y + position * p.pitch;
#pragma omp simd
      for (int64_t lane = 0; lane < Lanes; ++lane) to[lane] += keep_if(tap[lane] == own, kept[lane]);
    });
  });
}

template <int64_t Lanes>
void pick_halving(const Planes& p, const float* x, const float* choice, float* y) {
  const int64_t row = p.window[1].input * p.pitch;
  for (int64_t oh = 0; oh < p.window[0].output; ++oh) {
    for (int64_t ow = 0; ow < p.window[1].output; ++ow, y += p.pitch) {
      const int64_t corner = 2 * oh * row + 2 * ow * p.pitch;
      const Largest<Lanes> largest(choice + corner, choice + corner + row, p.pitch);
      const float *top = x + corner, *below = top + row;
#pragma omp simd
      for (int64_t lane = 0; lane < Lanes; ++lane) {
        const float tap = largest.tap[lane];
        const float upper = select(tap == 0.0F, top[lane], top[p.pitch + lane]);
        const float lower = select(tap == 2.0F, below[lane], below[p.pitch + lane]);
        y[lane] = select(tap < 2.0F, upper, lower);
      }
    }
  }
}

template <int64_t Lanes>
void pick(const Planes& p, const float* x, const float* choice, float* y) {
  if (p.halving) return pick_halving<Lanes>(p, x, choice, y);
  for_each_largest<Lanes>(p, choice, [&](int64_t window, const auto& tap, const auto&) {
    float* to = y + window * p.pitch;
    for_each_tap(p, window, [&](int64_t position, float own) {
      const float* from = x + position * p.pitch;
#pragma omp simd
      for (int64_t lane = 0; lane < Lanes; ++lane) to[lane] = select(tap[lane] == own, from[lane], to[lane]);
    });
  });
}

// Channels that are walked together.
struct Lanes {
  int64_t count = 1;
  int64_t block = 0, channel = 0;  // behind so many blocks of planes, and so many channels of one position

  int64_t offset(int64_t positions, int64_t pitch) const { return block * positions * pitch + channel; }
};

// How the channels of a row are cut into lanes.
std::vector<Lanes> lanes_of_blocks(int64_t channels, int64_t block) {
  std::vector<Lanes> all;
  for (int64_t first = 0; first < channels; first += block) all.push_back({block, first / block, 0});
  return all;
}

std::vector<Lanes> lanes_side_by_side(int64_t channels) {
  std::vector<Lanes> all;
  for (int64_t first = 0, count = 0; first < channels; first += count) {
    const int64_t left = channels - first;
    count = left >= 16 ? 16 : left >= 8 ? 8 : 1;
    all.push_back({count, 0, first});
  }
  return all;
}

class ChoiceKernel : public Kernel {
 public:
  ChoiceKernel(const KernelRequest& request, ChannelOrder order) {
    scatters_ = request.op.name == "max_pool_scatter";
    const Shape& large = request.inputs[1].shape;
    planes_.window = pool_window(request.attributes, large, request.op.name);
    planes_.halving = is_halving(planes_.window);
    planes_.pitch = order.last ? large[1] : order.block;
    rows_ = large[0];
    lanes_ = order.last ? lanes_side_by_side(large[1]) : lanes_of_blocks(large[1], order.block);
    blocks_ = order.last ? 1 : std::ssize(lanes_);
    const auto layout = [&](const Operand& operand) { return layout_in(order, operand.shape); };
    input_layouts = {layout(request.inputs[0]), layout(request.inputs[1])};
    held.assign(2, false);
    output_layout = layout(request.output);
    output_bytes = bytes_in(output_layout, request.output.plain_bytes());
    if (!scatters_ || request.followers.empty()) return;
    const Follower& next = request.followers[0];
    planes_.gated = next.op->name == "gate" && next.other.value == request.inputs[1].value;
    if (!planes_.gated) return;
    absorbed = 1;
    extra_inputs = {next.other};
    extra_layouts = {input_layouts[1]};
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const float*>(inputs[0]);
    choice_ = static_cast<const float*>(inputs[1]);
    y_ = static_cast<float*>(output);
  }

  void run() override {
    const int64_t chunk = kElements / (planes_.inputs() * lanes_[0].count);
    parallel_for(rows_ * std::ssize(lanes_), chunk, [this](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t row = plane / std::ssize(lanes_);
        const Lanes& lanes = lanes_[static_cast<size_t>(plane % std::ssize(lanes_))];
        if (lanes.count == 1) walk<1>(row, lanes);
        else if (lanes.count == 8) walk<8>(row, lanes);
        else walk<16>(row, lanes);
      }
    });
  }

 private:
  template <int64_t Count>
  void walk(int64_t row, const Lanes& lanes) const {
    const auto start = [&](int64_t positions) {
      return row * blocks_ * positions * planes_.pitch + lanes.offset(positions, planes_.pitch);
    };
    const int64_t large = start(planes_.inputs()), small = start(planes_.outputs());
    if (scatters_) scatter<Count>(planes_, x_ + small, choice_ + large, y_ + large);
    else pick<Count>(planes_, x_ + large, choice_ + large, y_ + small);
  }

  Planes planes_;
  int64_t rows_ = 0, blocks_ = 1;
  std::vector<Lanes> lanes_;  // of one row
  bool scatters_ = false;
  const float *x_ = nullptr, *choice_ = nullptr;
  float* y_ = nullptr;
};

std::unique_ptr<Kernel> make_choice(const KernelRequest& request) {
  const Operand &x = request.inputs[0], &choice = request.inputs[1];
  if (choice.shape.size() != 4 || request.output.size() == 0 || choice.size() == 0) return nullptr;
  // The choice is the larger one and seldom alone: it stays as it lies.
  auto order = channel_order(choice.layout, choice.shape);
  if (!order) order = channel_order(x.layout, x.shape);
  return std::make_unique<ChoiceKernel>(request, order.value_or(ChannelOrder{}));
}

const RegisterKernel max_pool_pick("max_pool_pick", DType::f32, make_choice);
const RegisterKernel max_pool_scatter("max_pool_scatter", DType::f32, make_choice);

}  // namespace
}  // namespace ascribe::core::kernel_max_pool_choice_f32
