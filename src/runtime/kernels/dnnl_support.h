// oneDNN behind our kernel interface: layouts, memory bound to the arena, packed
// weights, and which operations oneDNN can run after another ("post-ops").
#pragma once

#include <optional>
#include <unordered_map>

#include <oneapi/dnnl/dnnl.hpp>

#include "runtime/kernels/constants.h"
#include "runtime/kernels/kernel.h"

namespace ascribe::core {

struct Layout {
  dnnl::memory::desc desc;
};

dnnl::engine& dnnl_engine();
dnnl::stream& dnnl_stream();

// Row-major float32.
dnnl::memory::desc plain_desc(const Shape& shape);
// Whatever the primitive likes best.
dnnl::memory::desc any_desc(const Shape& shape);
// The operand as it lies now.
dnnl::memory::desc desc_of(const Operand& operand);
// Null if the description is plain row-major: kernels of our own can read it.
LayoutPtr layout_of(const dnnl::memory::desc& desc, const Shape& shape);

// b if the layout is [N, C / b, spatial..., b] without gaps, the form that convolutions like
// best (channels padded to a multiple of b); our own kernels can walk it.
std::optional<int64_t> channel_block(const LayoutPtr& layout, const Shape& shape);
// That layout for another shape; the block is 8 or 16.
LayoutPtr channel_blocked(const Shape& shape, int64_t block);

// The same question for kernels that can also walk [N, spatial..., C], which oneDNN likes best with AVX-512.
struct ChannelOrder {
  int64_t block = 1;  // 1: row-major
  bool last = false;  // all channels side by side; the block is of no use then
};
std::optional<ChannelOrder> channel_order(const LayoutPtr& layout, const Shape& shape);
LayoutPtr layout_in(ChannelOrder order, const Shape& shape);

// Whether an implementation of oneDNN's is code generated for the case, not its reference or a detour.
bool is_generated(std::string_view implementation);

// Describes a primitive that reads `source` where it lies if channels come last there and oneDNN has generated code for
// that; otherwise in whatever layout it likes best. `describe` takes the description of the source.
template <class Describe>
auto described_as_it_lies(const Operand& source, Describe describe) {
  const auto order = channel_order(source.layout, source.shape);
  if (order && order->last) {
    try {
      auto desc = describe(desc_of(source));
      if (is_generated(desc.impl_info_str())) return desc;
    } catch (const dnnl::error&) {
      // No primitive for this layout.
    }
  }
  return describe(any_desc(source.shape));
}

// A oneDNN elementwise function equal to one of our unary operations.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};
struct EltwiseForm {
  std::string_view op;
  Eltwise (*make)(const Attributes&);
};
std::span<const EltwiseForm> eltwise_forms();  // all there are
std::optional<Eltwise> eltwise_of(const Op& op, const Attributes& attributes);

// Attributes with scratch memory in our arena and as many followers as oneDNN takes.
struct PostOps {
  dnnl::primitive_attr attr;
  size_t absorbed = 0;
  bool careless = false;  // Kernel::careless: oneDNN's functions lose NaN, relu and clip first of all
};
// Unary followers from `first` on.
PostOps unary_post_ops(std::span<const Follower> followers, size_t first = 0);

// A weight in the layout that a primitive asked for; `plain` says how the original lies.
dnnl::memory packed_weight(ConstantStore& constants, Value value, const dnnl::memory::desc& plain,
                           const dnnl::memory::desc& wanted);

// What a primitive of oneDNN holds, its generated code above all: an estimate, from the heap of one report.
inline constexpr size_t kPrimitiveBytes = size_t{36} << 10;

// A primitive with its memory. Pointers are set by bind, so running it costs one call.
class DnnlKernel : public Kernel {
 public:
  void bind(std::span<void* const> inputs, void* output, void* scratch) override;
  void run() override { primitive_.execute(dnnl_stream(), arguments_); }

 protected:
  // Inputs in the order of the operation; a held one keeps its own memory.
  void set_primitive(dnnl::primitive primitive) {
    primitive_ = std::move(primitive);
    own_bytes = kPrimitiveBytes;
  }
  void add_input(int argument, const dnnl::memory::desc& desc, const Shape& shape);
  void add_plain(int argument, const dnnl::memory::desc& desc);  // row-major memory, whatever view desc takes of it
  void add_held(int argument, dnnl::memory memory);
  void set_argument(int argument, dnnl::memory memory) { arguments_[argument] = std::move(memory); }
  void add_extra(int argument, const dnnl::memory::desc& desc, const Operand& operand);
  void set_output(const dnnl::memory::desc& desc, const Shape& shape);
  void set_plain_output(const dnnl::memory::desc& desc);
  void set_scratch(const dnnl::memory::desc& desc);

 private:
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::vector<dnnl::memory> inputs_;  // empty handles for held ones
  dnnl::memory output_, scratch_;
  bool has_scratch_ = false;
};

}  // namespace ascribe::core
