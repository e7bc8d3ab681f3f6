// What the benchmark programs share: an input, and their figures.
#pragma once

#include "base/random.h"
#include "tensor/tensor.h"

#include "timing.h"

namespace ascribe::core {

inline Tensor random_input(const Shape& shape) {
  Tensor tensor(DType::f32, shape);
  const Random random(7);
  auto values = tensor.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(random.normal(i));
  return tensor;
}

}  // namespace ascribe::core
