#include "runtime/kernels/dnnl_support.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "runtime/kernels/views.h"

namespace ascribe::core {

namespace {

using Desc = dnnl::memory::desc;

constexpr auto kFloat = dnnl::memory::data_type::f32;

// oneDNN has no rank 0.
dnnl::memory::dims dnnl_dims(const Shape& shape) { return shape.empty() ? dnnl::memory::dims{1} : shape; }

std::string key_of(const Desc& desc) { return {reinterpret_cast<const char*>(&desc.data), sizeof(desc.data)}; }

void convert(const dnnl::memory& from, dnnl::memory to) {
  dnnl::reorder(from, to).execute(dnnl_stream(), const_cast<dnnl::memory&>(from), to);
  dnnl_stream().wait();
}

// A packed weight in memory of ours, which comes in large pages.
struct PackedWeight {
  explicit PackedWeight(const Desc& desc)
      : elements(DType::f32, {static_cast<int64_t>((desc.get_size() + sizeof(float) - 1) / sizeof(float))}),
        memory(desc, dnnl_engine(), elements.mutable_memory()) {}
  Tensor elements;
  dnnl::memory memory;
};

class ReorderKernel : public DnnlKernel {
 public:
  ReorderKernel(const Operand& from, const Desc& to) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc desc(dnnl_engine(), desc_of(from), dnnl_engine(), to, attr);
    set_primitive(dnnl::reorder(desc));
    add_input(DNNL_ARG_FROM, desc_of(from), from.shape);
    set_output(to, from.shape);
    set_scratch(desc.scratchpad_desc());
  }
};

}  // namespace

namespace {

// Plans keep their primitives themselves; oneDNN keeps some more, which help where a plan is made again. The thousand
// that it keeps unless told otherwise are megabytes that no budget knows.
constexpr int kKeptPrimitives = 256;

dnnl::engine make_engine() {
  if (std::getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY") == nullptr) dnnl::set_primitive_cache_capacity(kKeptPrimitives);
  return {dnnl::engine::kind::cpu, 0};
}

}  // namespace

dnnl::engine& dnnl_engine() {
  static dnnl::engine engine = make_engine();
  return engine;
}

dnnl::stream& dnnl_stream() {
  static dnnl::stream stream(dnnl_engine());
  return stream;
}

Desc plain_desc(const Shape& shape) {
  const auto strides = strides_of(shape);
  return {dnnl_dims(shape), kFloat, shape.empty() ? dnnl::memory::dims{1} : dnnl::memory::dims(strides)};
}

Desc any_desc(const Shape& shape) { return {dnnl_dims(shape), kFloat, dnnl::memory::format_tag::any}; }

Desc desc_of(const Operand& operand) { return operand.layout ? operand.layout->desc : plain_desc(operand.shape); }

LayoutPtr layout_of(const Desc& desc, const Shape& shape) {
  if (desc == plain_desc(shape)) return nullptr;
  return std::make_shared<const Layout>(Layout{desc});
}

bool same_layout(const LayoutPtr& a, const LayoutPtr& b) {
  if (!a || !b) return !a && !b;
  return a->desc == b->desc;
}

size_t bytes_in(const LayoutPtr& layout, size_t plain_bytes) { return layout ? layout->desc.get_size() : plain_bytes; }

LayoutPtr channel_blocked(const Shape& shape, int64_t block) {
  using Tag = dnnl::memory::format_tag;
  constexpr std::array<Tag, 3> by_eight = {Tag::nCw8c, Tag::nChw8c, Tag::nCdhw8c};
  constexpr std::array<Tag, 3> by_sixteen = {Tag::nCw16c, Tag::nChw16c, Tag::nCdhw16c};
  return std::make_shared<const Layout>(
      Layout{{shape, kFloat, (block == 8 ? by_eight : by_sixteen)[shape.size() - 3]}});
}

std::optional<int64_t> channel_block(const LayoutPtr& layout, const Shape& shape) {
  if (!layout || shape.size() < 3 || shape.size() > 5) return std::nullopt;
  for (const int64_t block : {8, 16}) {
    if (same_layout(layout, channel_blocked(shape, block))) return block;
  }
  return std::nullopt;
}

namespace {

LayoutPtr channels_last(const Shape& shape) {
  using Tag = dnnl::memory::format_tag;
  constexpr std::array<Tag, 3> tags = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
  return std::make_shared<const Layout>(Layout{{shape, kFloat, tags[shape.size() - 3]}});
}

}  // namespace

std::optional<ChannelOrder> channel_order(const LayoutPtr& layout, const Shape& shape) {
  if (const auto block = channel_block(layout, shape)) return ChannelOrder{*block, false};
  if (!layout || shape.size() < 3 || shape.size() > 5) return std::nullopt;
  if (same_layout(layout, channels_last(shape))) return ChannelOrder{1, true};
  return std::nullopt;
}

LayoutPtr layout_in(ChannelOrder order, const Shape& shape) {
  if (order.last) return channels_last(shape);
  return order.block == 1 ? nullptr : channel_blocked(shape, order.block);
}

LayoutPtr channels_last_layout(const Shape& shape) {
  if (shape.size() < 3 || shape.size() > 5) return nullptr;
  return layout_of(channels_last(shape)->desc, shape);
}

bool is_generated(std::string_view implementation) {
  const auto has = [&](std::string_view part) { return implementation.find(part) != std::string_view::npos; };
  return (has("jit") || has("brg")) && !has("gemm") && !has("ref");
}

std::unique_ptr<Kernel> make_reorder(const Operand& from, const LayoutPtr& to) {
  return std::make_unique<ReorderKernel>(from, to ? to->desc : plain_desc(from.shape));
}

namespace {

template <dnnl::algorithm Algorithm>
Eltwise plain(const Attributes&) {
  return {Algorithm};
}

template <dnnl::algorithm Algorithm>
Eltwise by_alpha(const Attributes& attributes) {
  return {Algorithm, static_cast<float>(attributes.real("alpha"))};
}

Eltwise clipped(const Attributes& attributes) {
  return {dnnl::algorithm::eltwise_clip, static_cast<float>(attributes.real("min")),
          static_cast<float>(attributes.real("max"))};
}

Eltwise gelu(const Attributes& attributes) {
  const bool by_tanh = attributes.text("approximate") == "tanh";
  return {by_tanh ? dnnl::algorithm::eltwise_gelu_tanh : dnnl::algorithm::eltwise_gelu_erf};
}

}  // namespace

std::span<const EltwiseForm> eltwise_forms() {
  using dnnl::algorithm;
  static constexpr EltwiseForm forms[] = {
      {"relu", plain<algorithm::eltwise_relu>},
      {"leaky_relu", by_alpha<algorithm::eltwise_relu>},
      {"sigmoid", plain<algorithm::eltwise_logistic>},
      {"tanh", plain<algorithm::eltwise_tanh>},
      {"silu",
       [](const Attributes&) {
         return Eltwise{algorithm::eltwise_swish, 1.0F};
       }},
      {"hard_swish", plain<algorithm::eltwise_hardswish>},
      {"clip", clipped},
      {"gelu", gelu},
      {"exp", plain<algorithm::eltwise_exp>},
      {"abs", plain<algorithm::eltwise_abs>},
      {"sqrt", plain<algorithm::eltwise_sqrt>},
  };
  return forms;
}

std::optional<Eltwise> eltwise_of(const Op& op, const Attributes& attributes) {
  for (const EltwiseForm& form : eltwise_forms()) {
    if (form.op == op.name) return form.make(attributes);
  }
  return std::nullopt;
}

PostOps unary_post_ops(std::span<const Follower> followers, size_t first) {
  PostOps result;
  result.attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  result.absorbed = first;
  dnnl::post_ops ops;
  // More than one activation in a row is rare; one keeps the generated code simple.
  if (first < followers.size() && !followers[first].other.value.valid()) {
    if (const auto eltwise = eltwise_of(*followers[first].op, followers[first].attributes)) {
      ops.append_eltwise(1.0F, eltwise->algorithm, eltwise->alpha, eltwise->beta);
      ++result.absorbed;
      result.careless = true;
    }
  }
  result.attr.set_post_ops(ops);
  return result;
}

dnnl::memory packed_weight(ConstantStore& constants, Value value, const Desc& plain, const Desc& wanted) {
  if (plain == wanted) {
    const Tensor tensor = constants.plain(value);  // the store keeps it alive
    return {plain, dnnl_engine(), const_cast<void*>(tensor.memory())};
  }
  const auto pack = [&](const Tensor& tensor) -> ConstantStore::Packed {
    const dnnl::memory from(plain, dnnl_engine(), const_cast<void*>(tensor.memory()));
    auto packed = std::make_shared<PackedWeight>(wanted);
    convert(from, packed->memory);
    return packed;
  };
  // The plain form has the shape and order of the original tensor, whatever view `plain` takes of it.
  const auto unpack = [plain, bytes = plain.get_size()](const ConstantStore::Packed& packed) {
    Tensor tensor(DType::f32, {static_cast<int64_t>(bytes / sizeof(float))});
    convert(std::static_pointer_cast<PackedWeight>(packed)->memory, {plain, dnnl_engine(), tensor.mutable_memory()});
    return tensor;
  };
  // A convolution and its transpose see the same weight under different views. The store keeps the copy alive.
  const auto packed = constants.packed(value, key_of(plain) + key_of(wanted), wanted.get_size(), pack, unpack);
  return std::static_pointer_cast<PackedWeight>(packed)->memory;
}

void DnnlKernel::add_input(int argument, const Desc& desc, const Shape& shape) {
  inputs_.push_back({desc, dnnl_engine(), DNNL_MEMORY_NONE});
  arguments_[argument] = inputs_.back();
  input_layouts.push_back(layout_of(desc, shape));
  held.push_back(false);
}

void DnnlKernel::add_plain(int argument, const Desc& desc) {
  inputs_.push_back({desc, dnnl_engine(), DNNL_MEMORY_NONE});
  arguments_[argument] = inputs_.back();
  input_layouts.push_back(nullptr);
  held.push_back(false);
}

void DnnlKernel::add_held(int argument, dnnl::memory memory) {
  inputs_.emplace_back();
  arguments_[argument] = std::move(memory);
  input_layouts.push_back(nullptr);
  held.push_back(true);
}

void DnnlKernel::add_extra(int argument, const Desc& desc, const Operand& operand) {
  inputs_.push_back({desc, dnnl_engine(), DNNL_MEMORY_NONE});
  arguments_[argument] = inputs_.back();
  extra_inputs.push_back(operand);
  extra_layouts.push_back(layout_of(desc, operand.shape));
}

void DnnlKernel::set_output(const Desc& desc, const Shape& shape) {
  output_ = dnnl::memory(desc, dnnl_engine(), DNNL_MEMORY_NONE);
  arguments_[DNNL_ARG_DST] = output_;
  output_layout = layout_of(desc, shape);
  output_bytes = desc.get_size();
}

void DnnlKernel::set_plain_output(const Desc& desc) {
  output_ = dnnl::memory(desc, dnnl_engine(), DNNL_MEMORY_NONE);
  arguments_[DNNL_ARG_DST] = output_;
  output_bytes = desc.get_size();
}

void DnnlKernel::set_scratch(const Desc& desc) {
  scratch_bytes = desc.get_size();
  if (scratch_bytes == 0) return;
  has_scratch_ = true;
  scratch_ = dnnl::memory(desc, dnnl_engine(), DNNL_MEMORY_NONE);
  arguments_[DNNL_ARG_SCRATCHPAD] = scratch_;
}

void DnnlKernel::bind(std::span<void* const> inputs, void* output, void* scratch) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs[i] != nullptr && inputs_[i].get(true) != nullptr) inputs_[i].set_data_handle(inputs[i]);
  }
  output_.set_data_handle(output);
  if (has_scratch_) scratch_.set_data_handle(scratch);
}

}  // namespace ascribe::core
