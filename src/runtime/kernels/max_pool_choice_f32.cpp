// max_pool_pick and max_pool_scatter in float32 on planes [H, W, lanes]: one lane in row-major memory, a
// block of channels otherwise. The first of equal ones wins, NaN wins over numbers, as in the reference.
// A gate that follows a scatter and has the same choice (pooling after relu) is absorbed.
#include <algorithm>
#include <limits>

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

  Largest(const float* top, const float* below) {
#pragma omp simd
    for (int64_t lane = 0; lane < Lanes; ++lane) {
      float best = top[lane], from = 0;
      const float second = top[Lanes + lane], third = below[lane], fourth = below[Lanes + lane];
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
  int64_t count = 0;  // rows times blocks of channels
  bool halving = false;
  bool gated = false;  // nothing goes to where the choice is 0 or less

  int64_t inputs() const { return window[0].input * window[1].input; }
  int64_t outputs() const { return window[0].output * window[1].output; }
};

// Calls f(window, flat index of the window's largest element, lane) for all windows of one plane.
template <int64_t Lanes, class F>
void for_each_largest(const Window& window, const float* choice, F f) {
  const WindowAxis &rows = window[0], &columns = window[1];
  std::array<float, Lanes> best{};
  std::array<int64_t, Lanes> at{};
  for (int64_t o = 0; o < rows.output * columns.output; ++o) {
    const int64_t oh = o / columns.output, ow = o % columns.output;
    const auto down = rows.taps(oh), across = columns.taps(ow);
    bool first = true;
    for (int64_t i = down.begin; i < down.end; ++i) {
      for (int64_t j = across.begin; j < across.end; ++j, first = false) {
        const int64_t position =
            (rows.start(oh) + i * rows.dilation) * columns.input + columns.start(ow) + j * columns.dilation;
        for (int64_t lane = 0; lane < Lanes; ++lane) {
          const float value = choice[position * Lanes + lane];
          if (!first && !beats(value, best[lane])) continue;
          best[lane] = value;
          at[lane] = position * Lanes + lane;
        }
      }
    }
    for (int64_t lane = 0; lane < Lanes; ++lane) f(o * Lanes + lane, at[lane]);
  }
}

template <int64_t Lanes>
void scatter_halving(const Planes& p, const float* x, const float* choice, float* y) {
  const int64_t row = p.window[1].input * Lanes;
  // What is not above it gets nothing; without a gate, NaN: nothing is below that.
  const float floor = p.gated ? 0.0F : std::numeric_limits<float>::quiet_NaN();
  for (int64_t oh = 0; oh < p.window[0].output; ++oh) {
    for (int64_t ow = 0; ow < p.window[1].output; ++ow, x += Lanes) {
      const int64_t corner = 2 * oh * row + 2 * ow * Lanes;
      const Largest<Lanes> largest(choice + corner, choice + corner + row);
      std::array<float, Lanes> kept;
#pragma omp simd
      for (int64_t lane = 0; lane < Lanes; ++lane) {
        kept[lane] = keep_if(!(largest.value[lane] <= floor), x[lane]);
      }
      for (const int64_t tap : {0, 1, 2, 3}) {
        float* to = y + corner + tap / 2 * row + tap % 2 * Lanes;
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
  if (!covered) std::fill_n(y, p.inputs() * Lanes, 0.0F);
  if (p.halving) return scatter_halving<Lanes>(p, x, choice, y);
  for_each_largest<Lanes>(p.window, choice, [&](int64_t window, int64_t position) {
    if (!p.gated || !(choice[position] <= 0.0F)) y[position] += x[window];
  });
}

template <int64_t Lanes>
void pick_halving(const Planes& p, const float* x, const float* choice, float* y) {
  const int64_t row = p.window[1].input * Lanes;
  for (int64_t oh = 0; oh < p.window[0].output; ++oh) {
    for (int64_t ow = 0; ow < p.window[1].output; ++ow, y += Lanes) {
      const int64_t corner = 2 * oh * row + 2 * ow * Lanes;
      const Largest<Lanes> largest(choice + corner, choice + corner + row);
      const float *top = x + corner, *below = top + row;
#pragma omp simd
      for (int64_t lane = 0; lane < Lanes; ++lane) {
        const float tap = largest.tap[lane];
        const float upper = select(tap == 0.0F, top[lane], top[Lanes + lane]);
        const float lower = select(tap == 2.0F, below[lane], below[Lanes + lane]);
        y[lane] = select(tap < 2.0F, upper, lower);
      }
    }
  }
}

template <int64_t Lanes>
void pick(const Planes& p, const float* x, const float* choice, float* y) {
  if (p.halving) return pick_halving<Lanes>(p, x, choice, y);
  for_each_largest<Lanes>(p.window, choice, [&](int64_t window, int64_t position) { y[window] = x[position]; });
}

class ChoiceKernel : public Kernel {
 public:
  ChoiceKernel(const KernelRequest& request, int64_t lanes) : lanes_(lanes) {
    scatters_ = request.op.name == "max_pool_scatter";
    const Shape& large = request.inputs[1].shape;
    planes_.window = pool_window(request.attributes, large, request.op.name);
    planes_.count = large[0] * ((large[1] + lanes - 1) / lanes);
    planes_.halving = is_halving(planes_.window);
    const auto layout = [&](const Operand& operand) {
      return lanes == 1 ? nullptr : channel_blocked(operand.shape, lanes);
    };
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
    parallel_for(planes_.count, kElements / (planes_.inputs() * lanes_), [this](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        if (lanes_ == 1) walk<1>(plane);
        else if (lanes_ == 8) walk<8>(plane);
        else walk<16>(plane);
      }
    });
  }

 private:
  template <int64_t Lanes>
  void walk(int64_t plane) const {
    const int64_t large = plane * planes_.inputs() * Lanes, small = plane * planes_.outputs() * Lanes;
    if (scatters_) scatter<Lanes>(planes_, x_ + small, choice_ + large, y_ + large);
    else pick<Lanes>(planes_, x_ + large, choice_ + large, y_ + small);
  }

  int64_t lanes_;
  Planes planes_;
  bool scatters_ = false;
  const float *x_ = nullptr, *choice_ = nullptr;
  float* y_ = nullptr;
};

std::unique_ptr<Kernel> make_choice(const KernelRequest& request) {
  const Operand &x = request.inputs[0], &choice = request.inputs[1];
  if (choice.shape.size() != 4 || request.output.size() == 0 || choice.size() == 0) return nullptr;
  // The choice is the larger one and seldom alone: it stays as it lies.
  int64_t lanes = channel_block(choice.layout, choice.shape).value_or(0);
  if (lanes == 0) lanes = channel_block(x.layout, x.shape).value_or(1);
  return std::make_unique<ChoiceKernel>(request, lanes);
}

const RegisterKernel max_pool_pick("max_pool_pick", DType::f32, make_choice);
const RegisterKernel max_pool_scatter("max_pool_scatter", DType::f32, make_choice);

}  // namespace
}  // namespace ascribe::core::kernel_max_pool_choice_f32
