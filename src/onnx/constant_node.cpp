// Constant: read like an initializer before nodes are lowered (flat_model.cpp), so that large ones are not
// copied. The entry makes the operator known.
#include "onnx/lowering.h"

namespace ascribe::core {
namespace {

const RegisterLowering constant("Constant", [](NodeContext& c) { c.refuse("the constant has no output"); });

}  // namespace
}  // namespace ascribe::core
