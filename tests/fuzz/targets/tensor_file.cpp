// Tensors as ONNX keeps test data: one serialized TensorProto.
#include "onnx/tensor_file.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_tensor_file {
namespace {

void feed(Bytes bytes) {
  const NamedTensor tensor = parse_tensor(text_of(bytes), "fuzz.pb");
  hold(tensor.tensor.bytes() <= 64 * bytes.size() + 8, "a tensor is not larger than its file allows");
}

const RegisterTarget registered({"tensor_file", "serialized tensors of ONNX", Form::bytes, 1024, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_tensor_file
