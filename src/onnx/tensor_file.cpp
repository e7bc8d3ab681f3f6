#include "onnx/tensor_file.h"

#include "base/file.h"
#include "onnx/element_type.h"
#include "onnx/reader.h"

namespace ascribe::core {

namespace {

// A message as the field `number` of another one, in protobuf's wire format.
std::string as_field(int number, const std::string& body) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  uint64_t length = body.size();
  for (; length >= 0x80; length >>= 7) out.push_back(static_cast<char>(length | 0x80));
  out.push_back(static_cast<char>(length));
  return out + body;
}

}  // namespace

NamedTensor parse_tensor(const std::string& bytes, const std::string& name) {
  // The reader of models knows how to read tensors safely: give it a model with one initializer.
  std::string model =
      as_field(onnx::ModelProto::kGraphFieldNumber, as_field(onnx::GraphProto::kInitializerFieldNumber, bytes));
  ModelFile file = ModelFile::parse(std::move(model), name, {});
  if (file.proto().graph().initializer_size() != 1) fail(ErrorKind::io, name, "not a tensor file of ONNX");
  const auto& proto = file.proto().graph().initializer(0);
  return {proto.name(), element_type_name(proto.data_type()), file.tensor(proto, name, NanPolicy::allow)};
}

NamedTensor read_tensor_file(const std::filesystem::path& path) {
  return parse_tensor(read_file(path, size_t{1} << 30), path.string());
}

}  // namespace ascribe::core
