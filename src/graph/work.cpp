#include "graph/work.h"

#include <algorithm>
#include <limits>

#include "graph/tree_ensemble.h"

namespace ascribe::core {

int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

int64_t work_per_element(const Op& op, std::span<const Shape> inputs, const Attributes& attributes) {
  const auto per_channel = [&](size_t axis) {
    return inputs[1].size() <= axis ? 1 : element_count(inputs[1]) / std::max<int64_t>(1, inputs[1][axis]);
  };
  if (op.name == "matmul") {
    const Shape& a = inputs[0];
    if (a.empty()) return 1;
    return a.size() > 1 && attributes.flag("transpose_a") ? a[a.size() - 2] : a.back();
  }
  if (op.name == "conv") return per_channel(0);
  if (op.name == "conv_transpose") return per_channel(1);
  if (op.name == "tree_ensemble") {
    const auto trees = trees_of(attributes);
    return 8 * std::ssize(trees->roots) / trees->targets + 1;
  }
  if (op.name == "opaque") return int64_t{1} << 24;  // nobody knows: never small
  if (op.name == "resample") return inputs[1].empty() ? 1 : inputs[1].back();
  int64_t work = 1;
  if (attributes.has("kernel")) {
    for (const Dim dim : attributes.dims("kernel")) work = saturating_multiply(work, dim.at(1));
  }
  return work;
}

}  // namespace ascribe::core
