#include "graph/op.h"

namespace ascribe::core {

std::string_view to_string(OpClass op_class) {
  switch (op_class) {
    case OpClass::source: return "source";
    case OpClass::linear: return "linear";
    case OpClass::bilinear: return "bilinear";
    case OpClass::elementwise: return "elementwise";
    case OpClass::selection: return "selection";
    case OpClass::composite: return "composite";
    case OpClass::plumbing: return "plumbing";
    case OpClass::opaque: return "opaque";
  }
  return "unknown";
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::real: return "real";
    case Kind::integer: return "integer";
    case Kind::boolean: return "boolean";
  }
  return "unknown";
}

DType storage(Kind kind, DType real_dtype) {
  if (kind == Kind::integer) return DType::i64;
  return kind == Kind::boolean ? DType::boolean : real_dtype;
}

Kind kind_of(DType dtype) {
  if (dtype == DType::i64) return Kind::integer;
  return dtype == DType::boolean ? Kind::boolean : Kind::real;
}

std::string to_string(const Type& type) { return fmt::format("{} {}", to_string(type.kind), to_string(type.shape)); }

const Op& op_named(std::string_view name) {
  const Op* op = OpRegistry::instance().find(name);
  if (op == nullptr) fail(ErrorKind::internal, name, "there is no such core operation");
  return *op;
}

Traits traits_of(const Op& op, const Attributes& attributes) {
  Traits traits = op.traits;
  if (op.more_traits != nullptr) op.more_traits(traits, attributes);
  return traits;
}

std::string contradiction(const Op& op, const Traits& traits) {
  const bool elementwise = op.op_class == OpClass::elementwise, one = op.max_inputs == 1;
  if (elementwise && !traits.pointwise) return "an elementwise operation is pointwise";
  if (traits.rearranges && !traits.moves) return "an operation that rearranges elements moves them";
  if (traits.rises && !(traits.pointwise && one)) return "only a pointwise function of one operand can rise";
  if (traits.scale_free && !elementwise) return "only an elementwise operation can be scale-free";
  if (traits.windowed && (traits.pointwise || traits.moves))
    return "a windowed operation is not pointwise and not a move";
  if (traits.commutes && (op.min_inputs != 2 || op.max_inputs != 2)) return "only two operands can commute";
  const bool plumbing_of_one = op.op_class == OpClass::plumbing && traits.pointwise && one;
  if (traits.straight_through && !plumbing_of_one) return "only plumbing of one operand is straight through";
  const bool product = op.op_class == OpClass::bilinear && !traits.pointwise;
  if (traits.layer != LayerKind::none && !product) return "only a bilinear operation that is not pointwise is a layer";
  const bool has_transpose = op.adjoint != nullptr || op.op_class == OpClass::plumbing;
  if (traits.moves && !has_transpose) return "an operation that moves elements needs its adjoint";
  return "";
}

namespace {

// An operation that is differentiable by halves cannot be registered.
void require_derivative(const Op& op) {
  const bool linear = op.op_class == OpClass::linear || op.op_class == OpClass::bilinear;
  const bool lowered = op.op_class == OpClass::composite || (op.op_class == OpClass::selection && op.choice < 0);
  require(!linear || op.adjoint != nullptr, op.name, "a linear or bilinear operation needs its adjoint");
  require(op.op_class != OpClass::elementwise || op.derivative != nullptr, op.name, "needs its derivative");
  require(op.lower != nullptr || !lowered, op.name, "a composite operation or selection needs a lowering");
  require(op.choice < 0 || op.adjoint != nullptr, op.name, "an operation that is linear by choice needs its adjoint");
}

}  // namespace

RegisterOp::RegisterOp(Op op) {
  require(!op.name.empty(), "operations", "an operation has no name");
  require(op.min_inputs >= 0 && op.max_inputs >= op.min_inputs, op.name,
          "an operation with no possible number of inputs");
  require(op.infer != nullptr || op.op_class == OpClass::source, op.name, "an operation needs infer");
  require(op.apply != nullptr || op.op_class == OpClass::source, op.name, "an operation needs apply");
  require_derivative(op);
  const std::string contradicts = contradiction(op, op.traits);
  require(contradicts.empty(), op.name, contradicts);
  std::string name = op.name;
  OpRegistry::instance().add(std::move(name), std::move(op));
}

}  // namespace ascribe::core
