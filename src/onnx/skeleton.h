// The bytes of an ONNX file without its weights, in protobuf's wire format: every
// TensorProto.raw_data is replaced by a RawExtent that says where it lies in the file.
// Documentation strings, training information and fields we do not know are left out.
#pragma once

#include <optional>
#include <string>

#include "onnx/byte_source.h"

namespace ascribe::core {

struct RawExtent {
  int64_t offset = 0;
  int64_t length = 0;
};

// Refuses what is not a protobuf message of the right form, naming the byte where it ends to be one.
std::string skeleton_of(const ByteSource& source);

// What a rewritten raw_data says.
RawExtent raw_extent(const std::string& raw_data);

}  // namespace ascribe::core
