// Add, Sub, Mul: the core operations of the same name; opset 7 and later broadcast like numpy.
#include "onnx/lowering.h"

namespace ascribe {
namespace {

const RegisterLowering add("Add", [](NodeContext& c) { c.out(0, c.b().add(c.in(0), c.in(1))); });
const RegisterLowering sub("Sub", [](NodeContext& c) { c.out(0, c.b().sub(c.in(0), c.in(1))); });
const RegisterLowering mul("Mul", [](NodeContext& c) { c.out(0, c.b().mul(c.in(0), c.in(1))); });

}  // namespace
}  // namespace ascribe
