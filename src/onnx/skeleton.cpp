#include "onnx/skeleton.h"

#include <cstring>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int kDeepest = 64;
constexpr int64_t kMostFields = int64_t{1} << 22;  // messages and strings
// FunctionProto.attribute_proto: newer than the message classes of Debian 12, but needed for defaults.
constexpr int kFunctionAttributeDefaults = 11;

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

class Walker {
 public:
  Walker(CodedInputStream& in, const std::string& name) : in_(in), name_(name) {}

  // Reads fields up to the current limit.
  std::string message(const Descriptor& type, int depth) {
    if (depth > kDeepest) refuse("messages are nested too deeply");
    std::string out;
    while (in_.BytesUntilLimit() > 0) {
      const uint32_t tag = in_.ReadTag();
      if (tag == 0) refuse("a field is malformed");
      field(type, tag, depth, out);
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    fail(ErrorKind::model, name_, "not an ONNX model, or a damaged one: {} at byte {}", why, in_.CurrentPosition());
  }

  void field(const Descriptor& type, uint32_t tag, int depth, std::string& out) {
    const int number = WireFormatLite::GetTagFieldNumber(tag);
    uint64_t varint = 0;
    uint32_t fixed32 = 0;
    uint64_t fixed64 = 0;
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_VARINT:
        if (!in_.ReadVarint64(&varint)) refuse("a number is cut off");
        put_varint(out, tag);
        put_varint(out, varint);
        return;
      case WireFormatLite::WIRETYPE_FIXED32:
        if (!in_.ReadLittleEndian32(&fixed32)) refuse("a number is cut off");
        put_varint(out, tag);
        out.append(reinterpret_cast<const char*>(&fixed32), sizeof fixed32);
        return;
      case WireFormatLite::WIRETYPE_FIXED64:
        if (!in_.ReadLittleEndian64(&fixed64)) refuse("a number is cut off");
        put_varint(out, tag);
        out.append(reinterpret_cast<const char*>(&fixed64), sizeof fixed64);
        return;
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED: delimited(type, number, tag, depth, out); return;
      default: refuse("a field is malformed");
    }
  }

  void delimited(const Descriptor& type, int number, uint32_t tag, int depth, std::string& out) {
    uint32_t length = 0;
    if (!in_.ReadVarint32(&length)) refuse("a length is cut off");
    if (length > static_cast<uint32_t>(in_.BytesUntilLimit())) refuse("the file ends too early");
    if (++fields_ > kMostFields) refuse("too many parts");
    const auto size = static_cast<int>(length);
    const FieldDescriptor* known = type.FindFieldByNumber(number);
    if (const Descriptor* nested = nested_type(type, known, number)) {
      const auto outer = in_.PushLimit(size);
      const std::string body = message(*nested, depth + 1);
      in_.PopLimit(outer);
      put(out, tag, body);
    } else if (&type == onnx::TensorProto::descriptor() && number == onnx::TensorProto::kRawDataFieldNumber) {
      const RawExtent extent{in_.CurrentPosition(), size};
      put(out, tag, {reinterpret_cast<const char*>(&extent), sizeof extent});
      if (!in_.Skip(size)) refuse("the file ends too early");
    } else if (known == nullptr || known->name() == "doc_string" || known->name() == "training_info") {
      if (!in_.Skip(size)) refuse("the file ends too early");
    } else {
      std::string body;
      if (!in_.ReadString(&body, size)) refuse("the file ends too early");
      put(out, tag, body);
    }
  }

  static const Descriptor* nested_type(const Descriptor& type, const FieldDescriptor* known, int number) {
    if (&type == onnx::FunctionProto::descriptor() && number == kFunctionAttributeDefaults) {
      return onnx::AttributeProto::descriptor();
    }
    if (known == nullptr || known->name() == "training_info") return nullptr;
    return known->message_type();
  }

  static void put(std::string& out, uint32_t tag, std::string_view body) {
    put_varint(out, tag);
    put_varint(out, body.size());
    out.append(body);
  }

  CodedInputStream& in_;
  const std::string& name_;
  int64_t fields_ = 0;
};

}  // namespace

std::string skeleton_of(const ByteSource& source) {
  const auto walk = [&](google::protobuf::io::ZeroCopyInputStream& stream) {
    CodedInputStream in(&stream);
    in.PushLimit(static_cast<int>(source.size()));
    return Walker(in, source.name()).message(*onnx::ModelProto::descriptor(), 0);
  };
  if (source.descriptor() >= 0) {
    google::protobuf::io::FileInputStream stream(source.descriptor());
    try {
      return walk(stream);
    } catch (const Error&) {
      // To the walker a disk that fails is a file that ends.
      if (stream.GetErrno() == 0) throw;
      fail(ErrorKind::io, source.name(), "cannot read the file; {}", std::strerror(stream.GetErrno()));
    }
  }
  google::protobuf::io::ArrayInputStream stream(source.memory()->data(), static_cast<int>(source.size()));
  return walk(stream);
}

RawExtent raw_extent(const std::string& raw_data) {
  RawExtent extent;
  require(raw_data.size() == sizeof extent, "reader", "raw_data was not rewritten");
  std::memcpy(&extent, raw_data.data(), sizeof extent);
  return extent;
}

}  // namespace ascribe::core
