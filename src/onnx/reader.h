// Bytes -> onnx::ModelProto, the first half of the trust boundary. The file is walked once,
// message by message: lengths are checked, messages counted, and every raw_data is left
// where it is and replaced by its place in the file. So parsing allocates little whatever
// the file says, and weights are read later, straight into tensors.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "onnx/byte_source.h"
#include "onnx/text_codes.h"
#include "tensor/tensor.h"

#include <onnx/onnx_pb.h>

namespace ascribe::core {

enum class NanPolicy { refuse, allow };

class ModelFile {
 public:
  static ModelFile open(const std::filesystem::path& path);
  // External data may lie beneath `folder`; empty: there must be none.
  static ModelFile parse(std::string bytes, const std::string& name, const std::filesystem::path& folder);

  const std::string& name() const { return source_.name(); }
  int64_t size() const { return source_.size(); }
  onnx::ModelProto& proto() { return proto_; }
  const onnx::ModelProto& proto() const { return proto_; }
  TextCodes& vocabulary() { return vocabulary_; }

  // The value of a tensor of this file. Refuses lengths that do not fit the dimensions,
  // types that we do not read, and NaN (unless allowed). float16 and bfloat16 become float32, texts their
  // codes in the vocabulary.
  Tensor tensor(const onnx::TensorProto& proto, std::string_view where, NanPolicy nan = NanPolicy::refuse);

 private:
  void read();
  Tensor text_tensor(const onnx::TensorProto& proto, const Shape& shape, std::string_view where);
  Tensor raw_tensor(const onnx::TensorProto& proto, const Shape& shape, std::string_view where);
  const ByteSource& external_file(const std::string& location, std::string_view where);

  ByteSource source_;
  TextCodes vocabulary_;
  std::filesystem::path folder_;
  onnx::ModelProto proto_;
  std::map<std::string, ByteSource> external_;
  int64_t external_bytes_ = 0;  // of the external files, each counted once
  int64_t bytes_read_ = 0;      // by tensors
};

}  // namespace ascribe::core
