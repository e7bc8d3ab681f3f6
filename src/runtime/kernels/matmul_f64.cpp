// Matrix products in float64 on tiles of a fixed size (see blas.h).
#include "base/parallel.h"
#include "graph/op_support.h"
#include "runtime/kernels/blas.h"
#include "runtime/kernels/matmul_shape.h"

namespace ascribe::core::kernel_matmul_f64 {
namespace {

constexpr int64_t kTileRows = 64, kTileColumns = 256;

class MatmulDoubleKernel : public Kernel {
 public:
  MatmulDoubleKernel(const KernelRequest& request, MatmulShape shape) : s_(std::move(shape)) {
    input_layouts.resize(request.inputs.size());
    held.resize(request.inputs.size(), false);
    const size_t batch_axes = s_.out.size() - 2;
    const Shape batch(s_.out.begin(), s_.out.begin() + static_cast<int64_t>(batch_axes));
    const auto matrix_offsets = [&](const Shape& operand, int64_t matrix) {
      const Shape own(operand.begin(), operand.begin() + static_cast<int64_t>(batch_axes));
      const auto strides = broadcast_strides(own, batch);
      std::vector<int64_t> offsets;
      for_each_broadcast(batch, std::array{strides}, 0, element_count(batch),
                         [&](int64_t, int64_t offset) { offsets.push_back(offset * matrix); });
      return offsets;
    };
    a_offsets_ = matrix_offsets(s_.a, s_.rows * s_.inner);
    b_offsets_ = matrix_offsets(s_.b, s_.inner * s_.columns);
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    a_ = static_cast<const double*>(inputs[0]);
    b_ = static_cast<const double*>(inputs[1]);
    out_ = static_cast<double*>(output);
  }

  void run() override {
    const int64_t row_tiles = (s_.rows + kTileRows - 1) / kTileRows;
    const int64_t column_tiles = (s_.columns + kTileColumns - 1) / kTileColumns;
    const int64_t tiles = row_tiles * column_tiles;
    parallel_for(static_cast<int64_t>(a_offsets_.size()) * tiles, 1, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t tile = item % tiles;
        compute_tile(item / tiles, tile / column_tiles * kTileRows, tile % column_tiles * kTileColumns);
      }
    });
  }

 private:
  void compute_tile(int64_t matrix, int64_t row, int64_t column) const {
    const int64_t rows = std::min(kTileRows, s_.rows - row), columns = std::min(kTileColumns, s_.columns - column);
    const double* a = a_ + a_offsets_[matrix] + (s_.transpose_a ? row : row * s_.inner);
    const double* b = b_ + b_offsets_[matrix] + (s_.transpose_b ? column * s_.inner : column);
    double* out = out_ + (matrix * s_.rows + row) * s_.columns + column;
    multiply_tile(rows, columns, s_.inner, {a, s_.transpose_a ? s_.rows : s_.inner, s_.transpose_a},
                  {b, s_.transpose_b ? s_.inner : s_.columns, s_.transpose_b}, 0.0, out, s_.columns);
  }

  MatmulShape s_;
  std::vector<int64_t> a_offsets_, b_offsets_;
  const double *a_ = nullptr, *b_ = nullptr;
  double* out_ = nullptr;
};

std::unique_ptr<Kernel> make_matmul(const KernelRequest& request) {
  MatmulShape s = matmul_shape(request);
  if (element_count(s.out) == 0 || s.inner == 0) return nullptr;
  return std::make_unique<MatmulDoubleKernel>(request, std::move(s));
}

const RegisterKernel kernel("matmul", DType::f64, make_matmul);

}  // namespace
}  // namespace ascribe::core::kernel_matmul_f64
