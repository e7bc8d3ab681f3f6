// Concatenation of blocked tensors along the channels, as DenseNet and Inception do.
// Where every part fills its blocks, a row of the result is the rows of the parts one
// after another; other cases are oneDNN's.
#include <cstring>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core::kernel_concat_f32 {
namespace {

class ConcatKernel : public DnnlKernel {
 public:
  ConcatKernel(const KernelRequest& request, int axis) {
    std::vector<dnnl::memory::desc> parts;
    for (const Operand& input : request.inputs) parts.push_back(desc_of(input));
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::concat::primitive_desc desc(axis, parts, dnnl_engine(), attr);
    set_primitive(dnnl::concat(desc));
    for (size_t i = 0; i < parts.size(); ++i) {
      add_input(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), parts[i], request.inputs[i].shape);
    }
    set_output(desc.dst_desc(), request.output.shape);
    set_scratch(desc.scratchpad_desc());
  }
};

class BlockConcatKernel : public Kernel {
 public:
  BlockConcatKernel(const KernelRequest& request, int64_t block) : rows_(request.output.shape[0]) {
    for (const Operand& input : request.inputs) {
      input_layouts.push_back(input.layout);
      held.push_back(false);
      sizes_.push_back(input.plain_bytes() / static_cast<size_t>(rows_));
    }
    const auto tag = block == 8 ? dnnl::memory::format_tag::nChw8c : dnnl::memory::format_tag::nChw16c;
    const dnnl::memory::desc desc(request.output.shape, dnnl::memory::data_type::f32, tag);
    output_layout = layout_of(desc, request.output.shape);
    output_bytes = desc.get_size();
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    inputs_.assign(inputs.begin(), inputs.end());
    output_ = static_cast<std::byte*>(output);
  }

  void run() override {
    const auto parts = static_cast<int64_t>(inputs_.size());
    parallel_for(rows_ * parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item)
        copy(static_cast<size_t>(item / parts), static_cast<size_t>(item % parts));
    });
  }

 private:
  void copy(size_t row, size_t part) const {
    std::byte* to = output_ + row * (output_bytes / static_cast<size_t>(rows_));
    for (size_t before = 0; before < part; ++before) to += sizes_[before];
    std::memcpy(to, static_cast<const std::byte*>(inputs_[part]) + row * sizes_[part], sizes_[part]);
  }

  int64_t rows_;
  std::vector<size_t> sizes_;  // bytes of one row of each part
  std::vector<void*> inputs_;
  std::byte* output_ = nullptr;
};

// The block size if all parts have it and fill their blocks.
std::optional<int64_t> common_block(const KernelRequest& request) {
  std::optional<int64_t> common;
  for (const Operand& input : request.inputs) {
    const auto block = channel_block(input.layout, input.shape);
    if (!block || input.shape[1] % *block != 0 || (common && *common != *block)) return std::nullopt;
    common = block;
  }
  return common;
}

std::unique_ptr<Kernel> make_concat(const KernelRequest& request) {
  if (request.output.size() == 0) return nullptr;
  bool blocked = false;
  for (const Operand& input : request.inputs) {
    blocked = blocked || input.layout;
    if (input.size() == 0) return nullptr;
  }
  if (!blocked) return nullptr;
  const int64_t axis = request.attributes.integer("axis");
  if (axis == 1 && request.output.shape.size() == 4) {
    if (const auto block = common_block(request)) return std::make_unique<BlockConcatKernel>(request, *block);
  }
  return std::make_unique<ConcatKernel>(request, static_cast<int>(axis));
}

const RegisterKernel kernel("concat", DType::f32, make_concat);

}  // namespace
}  // namespace ascribe::core::kernel_concat_f32
