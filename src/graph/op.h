// Core operations. An operation says which class it is and fills in what that class
// needs; the registry is walked by the tests, so none can be forgotten.
//
// Every operation has one output. What ONNX calls a second output (the indices of
// MaxPool or TopK) is an operation of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/registry.h"
#include "graph/attributes.h"
#include "tensor/tensor.h"

namespace ascribe {

enum class OpClass {
  source,       // input, constant: no operands
  linear,       // jointly linear (or affine) in its real operands
  bilinear,     // linear in each of two operands
  elementwise,  // smooth, one output element from one input element
  selection,    // picks among its operands; linear once the choice is frozen
  composite,    // has a lowering into the classes above
  plumbing,     // integer or boolean results, or piecewise constant ones: derivative 0
};
std::string_view to_string(OpClass op_class);

// What kind of number a value holds. A real is float32 or float64 as the plan decides.
enum class Kind : uint8_t { real, integer, boolean };
std::string_view to_string(Kind kind);
DType storage(Kind kind, DType real_dtype);  // f32 or f64 for reals
Kind kind_of(DType dtype);

struct Type {
  Kind kind = Kind::real;
  Dims shape;
  friend bool operator==(const Type&, const Type&) = default;
};
std::string to_string(const Type& type);  // "real [N, 10]"

// What `infer` sees. Complaints carry the place in the model that is being built.
struct Signature {
  std::string_view where;
  std::span<const Type> inputs;
  const Attributes& attributes;

  const Dims& shape(size_t input) const { return inputs[input].shape; }
  int64_t rank(size_t input) const { return static_cast<int64_t>(inputs[input].shape.size()); }

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(ErrorKind::model, where, "{}", fmt::format(format, std::forward<Args>(args)...));
  }
};

// What `apply` sees: concrete operands, attributes resolved for the batch, and an
// output whose shape `infer` chose. Real operands all have the output's precision.
struct Evaluation {
  std::span<const TensorRef> inputs;
  const TensorRef& output;
  const Attributes& attributes;
};

class Builder;
struct Value;

struct Op {
  std::string name;
  OpClass op_class = OpClass::plumbing;
  std::string formula;  // one line for the documentation
  int min_inputs = 1;
  int max_inputs = 1;
  Type (*infer)(const Signature&) = nullptr;
  void (*apply)(const Evaluation&) = nullptr;  // the plain reference; runtime/kernels replace it for work
  // composite only: the same value from operations of the other classes
  Value (*lower)(Builder&, std::span<const Value>, const Attributes&) = nullptr;
};

using OpRegistry = Registry<Op>;

const Op& op_named(std::string_view name);  // throws internal if there is none

struct RegisterOp {
  explicit RegisterOp(Op op);
};

}  // namespace ascribe
