// Constant: read like an initializer before nodes are lowered (flat_model.cpp), so that large ones are not
// copied. The entry makes the operator known.
#include "onnx/lowering.h"

namespace ascribe::core {
namespace {

const RegisterLowering constant({"Constant", 25,
                                 "sparse_value:11 value value_float:12 value_floats:12 value_int:12 value_ints:12 "
                                 "value_string:12 value_strings:12"},
                                [](NodeContext& c) { c.refuse("the constant has no output"); });

}  // namespace
}  // namespace ascribe::core
