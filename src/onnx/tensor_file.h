// Tensors in files of their own, as ONNX keeps test data: one serialized TensorProto (.pb).
#pragma once

#include <filesystem>
#include <string>

#include "tensor/tensor.h"

namespace ascribe::core {

struct NamedTensor {
  std::string name;
  std::string element_type;  // "float32", "int32", ... as the file says
  Tensor tensor;             // NaN is allowed here: these are data, not weights
};

NamedTensor read_tensor_file(const std::filesystem::path& path);
NamedTensor parse_tensor(const std::string& bytes, const std::string& name);

}  // namespace ascribe::core
