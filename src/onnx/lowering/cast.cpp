// Cast and CastLike. We keep three kinds of numbers: floats of any width are reals, whole
// numbers of any width 64-bit integers, so most casts do nothing; narrow types do not wrap.
#include "onnx/lowering/cast.h"

#include <onnx/onnx_pb.h>

#include "onnx/lowering/support.h"

namespace ascribe::core {

Kind kind_of_onnx(const NodeContext& c, int64_t element_type) {
  using Proto = onnx::TensorProto;
  switch (element_type) {
    case Proto::FLOAT:
    case Proto::DOUBLE:
    case Proto::FLOAT16:
    case Proto::BFLOAT16: return Kind::real;
    case Proto::INT8:
    case Proto::INT16:
    case Proto::INT32:
    case Proto::INT64:
    case Proto::UINT8:
    case Proto::UINT16:
    case Proto::UINT32:
    case Proto::UINT64: return Kind::integer;
    case Proto::BOOL: return Kind::boolean;
    default: c.unsupported("element type {} (strings, complex and packed types are not supported)", element_type);
  }
}

namespace {

const RegisterLowering cast({"Cast", 28, "round_mode:24 saturate:19 to"}, [](NodeContext& c) {
  if (c.is_text(0)) c.unsupported("texts are not turned into numbers");
  const Kind kind = kind_of_onnx(c, c.integer("to"));
  c.out(0, c.b().cast(c.in(0), kind));
});

const RegisterLowering cast_like({"CastLike", 25, "round_mode:24 saturate:19"}, [](NodeContext& c) {
  if (c.is_text(0) != c.is_text(1)) c.unsupported("texts are not turned into numbers");
  c.out(0, c.b().cast(c.in(0), c.b().kind(c.in(1))));
});

}  // namespace
}  // namespace ascribe::core
