// Core operations. An operation says which class it is and fills in what that class
// needs; the registry is walked by the tests, so none can be forgotten.
//
// Every operation has one output. What ONNX calls a second output (the indices of
// MaxPool or TopK) is an operation of its own.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/registry.h"
#include "graph/attributes.h"
#include "tensor/tensor.h"

namespace ascribe::core {

enum class OpClass {
  source,       // input, constant: no operands
  linear,       // jointly linear (or affine) in its real operands
  bilinear,     // linear in each of two operands
  elementwise,  // smooth, one output element from one input element
  selection,    // picks among its operands; linear once the choice is frozen
  composite,    // has a lowering into the classes above
  plumbing,     // integer or boolean results, or piecewise constant ones: derivative 0
  opaque,       // known by its values only: a derivative is refused
};
std::string_view to_string(OpClass op_class);

// What is known of the sign of real results. kept: not negative if no real operand is.
enum class Sign : uint8_t { any, kept, never_negative };

// How the rules of layers see a product of operand 0 with weights, to which a bias may be added.
enum class LayerKind : uint8_t { none, dense, conv };

// What other code may assume of an operation without knowing it by name. tests/graph/traits_test.cpp holds each
// trait against `apply`, both ways: what is declared must be so, and what is not must fail somewhere.
struct Traits {
  // Where an element of the result comes from.
  bool pointwise = false;  // the operands' elements at its place, with broadcasting; they are read before it is written
  bool windowed = false;   // the window at its place, of operand 0 and those of its shape (window.h); weights
  bool moves = false;      // one element of a real operand, always the same one; or a constant
  bool rearranges = false;  // ... and no element of the operands is dropped or repeated
  // What real results are like.
  Sign sign = Sign::any;
  bool bounded = false;     // they lie between two numbers, whatever the operands and however many
  bool rises = false;       // of one operand: they never fall as it grows
  bool scale_free = false;  // elementwise: a power or a logarithm; f(c x) is f(x) times or plus a number that c decides
  bool straight_through = false;  // plumbing of one real: differentiated as the identity, which it is never far from
  // How operands meet.
  bool commutes = false;  // f(a, b) = f(b, a)
  LayerKind layer = LayerKind::none;
};

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
    fail_with(ErrorKind::model, where, format, fmt::make_format_args(args...));
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

// A node of the graph under construction whose derivative is being written. Derivatives are made of core
// operations again, so that they can be differentiated, run on jets and exported like any graph.
struct DerivativeRequest {
  Builder& b;
  std::span<const Value> inputs;
  const Value& output;  // the node itself
  const Attributes& attributes;
  size_t operand;  // the real operand with respect to which
};

struct Op {
  std::string name;
  OpClass op_class = OpClass::plumbing;
  Traits traits = {};   // that hold with any attributes
  std::string formula;  // one line for the documentation
  int min_inputs = 1;
  int max_inputs = 1;
  Type (*infer)(const Signature&) = nullptr;
  void (*apply)(const Evaluation&) = nullptr;  // the plain reference; runtime/kernels replace it for work

  // What differentiates the operation. Which of these it must bring depends on its class:
  //   linear, bilinear       adjoint
  //   elementwise            derivative
  //   selection, composite   lower, or adjoint and jets through `choice`; adjoint too if it is better than lower's
  //
  // The transpose of the operation, linearised, applied to `gradient` (of the output's shape), for one
  // operand. May leave axes along which the operand was broadcast: the caller sums over them.
  Value (*adjoint)(const DerivativeRequest&, Value gradient) = nullptr;
  // d output / d operand, element by element, from the operands and the output.
  Value (*derivative)(const DerivativeRequest&) = nullptr;
  // The same value from operations of other classes; a selection's choices become integers or booleans.
  Value (*lower)(Builder&, std::span<const Value>, const Attributes&) = nullptr;
  int choice = -1;                   // a real operand that only chooses, and so carries no derivative
  std::array<int, 2> factors{0, 1};  // bilinear: the operands that are multiplied; a third one is added
  std::string offset = {};           // linear: a real attribute that adds a constant, 0 in derivatives
  // Why a node with these attributes has no derivative; null or empty: it has one.
  std::string (*refusal)(const Attributes&) = nullptr;
  // Adds the traits that hold with these attributes only.
  void (*more_traits)(Traits&, const Attributes&) = nullptr;
};

Traits traits_of(const Op& op, const Attributes& attributes);

// Why an operation cannot have these traits; empty: it can.
std::string contradiction(const Op& op, const Traits& traits);

using OpRegistry = Registry<Op>;

const Op& op_named(std::string_view name);  // throws internal if there is none

struct RegisterOp {
  explicit RegisterOp(Op op);
};

}  // namespace ascribe::core
