// Single core operations in tests: run one, or read why it was refused.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "graph/builder.h"

namespace ascribe::core {

// The type that an operation infers for operands that may grow with the batch.
inline Type infer_op(std::string_view name, const std::vector<Type>& types, const Attributes& attributes = {}) {
  return op_named(name).infer({"test", types, attributes});
}

// The operation on concrete operands, by its reference `apply`.
inline Tensor apply_op(std::string_view name, const std::vector<Tensor>& operands, const Attributes& attributes = {},
                       DType real_dtype = DType::f64) {
  std::vector<Type> types;
  for (const Tensor& operand : operands) types.push_back({kind_of(operand.dtype()), to_dims(operand.shape())});
  return evaluate(op_named(name), operands, attributes, infer_op(name, types, attributes), 1, real_dtype);
}

// The complaint about operands of these types; empty if they are accepted.
inline std::string refusal(std::string_view name, const std::vector<Type>& types, const Attributes& attributes = {}) {
  try {
    infer_op(name, types, attributes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline Type real(Dims shape) { return {Kind::real, std::move(shape)}; }
inline Type integer(Dims shape) { return {Kind::integer, std::move(shape)}; }
inline Type boolean(Dims shape) { return {Kind::boolean, std::move(shape)}; }

inline Tensor random_tensor(const Shape& shape, uint64_t seed, double scale = 1) {
  Tensor tensor(DType::f64, shape);
  const auto values = tensor.mutable_data<double>();
  const Random random(seed);
  for (size_t i = 0; i < values.size(); ++i) values[i] = scale * random.normal(i);
  return tensor;
}

inline std::vector<double> values_of(const Tensor& tensor) {
  const Tensor wide = tensor.cast(DType::f64);
  return {wide.data<double>().begin(), wide.data<double>().end()};
}

inline void expect_near(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.shape(), expected.shape());
  for (int64_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual.at(i), expected.at(i), tolerance) << "element " << i;
}

}  // namespace ascribe::core
