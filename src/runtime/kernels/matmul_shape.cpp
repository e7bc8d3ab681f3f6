#include "runtime/kernels/matmul_shape.h"

namespace ascribe::core {

MatmulShape matmul_shape(const KernelRequest& request) {
  MatmulShape s;
  s.a = request.inputs[0].shape;
  s.b = request.inputs[1].shape;
  s.transpose_a = request.attributes.flag("transpose_a") && s.a.size() > 1;
  s.transpose_b = request.attributes.flag("transpose_b") && s.b.size() > 1;
  if (s.a.size() == 1) s.a.insert(s.a.begin(), 1);
  if (s.b.size() == 1) s.b.push_back(1);
  if (s.transpose_a) std::swap(s.a[s.a.size() - 1], s.a[s.a.size() - 2]);
  if (s.transpose_b) std::swap(s.b[s.b.size() - 1], s.b[s.b.size() - 2]);
  const size_t rank = std::max(s.a.size(), s.b.size());
  s.a.insert(s.a.begin(), rank - s.a.size(), 1);
  s.b.insert(s.b.begin(), rank - s.b.size(), 1);
  s.rows = s.a[rank - 2];
  s.inner = s.a[rank - 1];
  s.columns = s.b[rank - 1];
  for (size_t axis = 0; axis + 2 < rank; ++axis) s.out.push_back(s.a[axis] == 1 ? s.b[axis] : s.a[axis]);
  s.out.push_back(s.rows);
  s.out.push_back(s.columns);
  // One matrix for all rows of the batch: one tall product.
  if (rank > 2 && !s.transpose_a && s.inner > 0 && element_count(s.b) == s.inner * s.columns) {
    s.rows = element_count(s.a) / s.inner;
    s.a = {s.rows, s.inner};
    s.b = {s.inner, s.columns};
    s.out = {s.rows, s.columns};
  }
  return s;
}

}  // namespace ascribe::core
