// input: a value given by the caller. constant: a tensor of the model.
// growing_constant: integers fixed + per_row * N, made from the shapes of a batch.
#include "graph/op.h"

namespace ascribe::core::op_source {
namespace {

Op source(std::string name, std::string formula) {
  Op op;
  op.name = std::move(name);
  op.op_class = OpClass::source;
  op.formula = std::move(formula);
  op.min_inputs = op.max_inputs = 0;
  return op;
}

const RegisterOp input(source("input", "a value given by the caller"));
const RegisterOp constant(source("constant", "a tensor of the model"));
const RegisterOp growing_constant(source("growing_constant", "integers fixed + per_row * N"));

}  // namespace
}  // namespace ascribe::core::op_source
