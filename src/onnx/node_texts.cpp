#include <onnx/onnx_pb.h>

#include "onnx/lowering.h"

namespace ascribe {

std::vector<std::string> NodeContext::texts(std::string_view name, std::vector<std::string> otherwise) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) return otherwise;
  return {attribute->strings().begin(), attribute->strings().end()};
}

}  // namespace ascribe
