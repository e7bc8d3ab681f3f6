// MatMulNBits: a product with weights that the file stores in blocks of small integers, each block with its own scale
// and zero point. They are unpacked when the model is loaded.
#include "base/checked.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_matmul_nbits {
namespace {

// Whole numbers of `bits` bits, packed from the low end of each byte on.
class Packed {
 public:
  Packed(Tensor bytes, int64_t bits) : bytes_(std::move(bytes)), bits_(bits) {}

  // Number `i` of a run that begins at byte `start`.
  int64_t at(int64_t start, int64_t i) const {
    const int64_t per_byte = 8 / bits_;
    const auto byte = static_cast<int64_t>(bytes_.at(start + i / per_byte)) & 0xFF;
    return byte >> (i % per_byte * bits_) & ((int64_t{1} << bits_) - 1);
  }

 private:
  Tensor bytes_;
  int64_t bits_;
};

struct Layout {
  int64_t rows = 0, width = 0, bits = 4, block = 0, blocks = 0, block_bytes = 0;
};

Layout read_layout(const NodeContext& c) {
  Layout l{
      .rows = c.integer("N"), .width = c.integer("K"), .bits = c.integer("bits", 4), .block = c.integer("block_size")};
  if (l.bits != 2 && l.bits != 4 && l.bits != 8) c.unsupported("weights of {} bits", l.bits);
  if (l.rows < 1 || l.width < 1 || l.block < 1)
    c.refuse("N, K and block_size are {}, {}, {}", l.rows, l.width, l.block);
  if (l.block > kLargestTable || l.width > kLargestTable || l.block * l.bits % 8 != 0) {
    c.refuse("block_size is {} of {} bits", l.block, l.bits);
  }
  l.blocks = (l.width + l.block - 1) / l.block;
  l.block_bytes = l.block * l.bits / 8;
  return l;
}

void expect_size(const NodeContext& c, const Tensor& tensor, int64_t expected, std::string_view what) {
  if (tensor.size() != expected) c.refuse("{} has {} elements; expected {}", what, tensor.size(), expected);
}

// (q - zero) scale, [N, K].
Tensor unpacked(const NodeContext& c, const Layout& l) {
  const Tensor bytes = c.constant(1, "B"), scales = c.constant(2, "scales");
  const int64_t all_blocks = checked_multiply(l.rows, l.blocks, c.where());
  expect_size(c, bytes, checked_multiply(all_blocks, l.block_bytes, c.where()), "B");
  expect_size(c, scales, all_blocks, "scales");
  const bool has_zeros = c.has(3), whole_zeros = has_zeros && c.b().kind(c.in(3)) == Kind::integer;
  const Tensor zeros = has_zeros ? c.constant(3, "zero_points") : Tensor::scalar(0.0);
  const int64_t zero_bytes = (l.blocks * l.bits + 7) / 8;
  if (has_zeros) expect_size(c, zeros, whole_zeros ? l.rows * zero_bytes : all_blocks, "zero_points");
  const Packed numbers(bytes, l.bits), packed_zeros(zeros, l.bits);
  Tensor weights(DType::f32, {l.rows, l.width});
  const auto out = weights.mutable_data<float>();
  for (int64_t row = 0; row < l.rows; ++row) {
    for (int64_t k = 0; k < l.width; ++k) {
      const int64_t block = k / l.block, at = row * l.blocks + block;
      auto zero = static_cast<double>(int64_t{1} << (l.bits - 1));
      if (whole_zeros) zero = static_cast<double>(packed_zeros.at(row * zero_bytes, block));
      else if (has_zeros) zero = zeros.at(at);
      const auto q = static_cast<double>(numbers.at(at * l.block_bytes, k % l.block));
      out[row * l.width + k] = static_cast<float>((q - zero) * scales.at(at));
    }
  }
  return weights;
}

void lower(NodeContext& c) {
  if (c.has(4)) c.unsupported("columns in another order (g_idx)");
  if (c.integer("weight_prepacked", 0) != 0) c.unsupported("weight_prepacked");
  Builder& b = c.b();
  const Value y = b.matmul(c.in(0), b.constant(unpacked(c, read_layout(c))), false, true);
  c.out(0, c.has(5) ? b.add(y, c.in(5)) : y);
}

const RegisterLowering matmul({"com.microsoft.MatMulNBits", 1, "K N accuracy_level bits block_size weight_prepacked"},
                              lower, "weights of 2, 4 or 8 bits, known when the model is loaded; without g_idx");

}  // namespace
}  // namespace ascribe::core::lowering_matmul_nbits
