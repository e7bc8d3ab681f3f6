#include "onnx/element_type.h"

#include <array>

#include <onnx/onnx_pb.h>

namespace ascribe::core {

namespace {

using onnx::TensorProto;

constexpr std::array kElementTypes = {
    ElementType{TensorProto::FLOAT, "float32", Kind::real, 32},
    ElementType{TensorProto::DOUBLE, "float64", Kind::real, 64},
    ElementType{TensorProto::FLOAT16, "float16", Kind::real, 16},
    ElementType{TensorProto::BFLOAT16, "bfloat16", Kind::real, 16},
    ElementType{TensorProto::INT64, "int64", Kind::integer, 64},
    ElementType{TensorProto::INT32, "int32", Kind::integer, 32},
    ElementType{TensorProto::INT16, "int16", Kind::integer, 16},
    ElementType{TensorProto::INT8, "int8", Kind::integer, 8},
    ElementType{TensorProto::UINT8, "uint8", Kind::integer, 8},
    ElementType{TensorProto::UINT16, "uint16", Kind::integer, 16},
    ElementType{TensorProto::UINT32, "uint32", Kind::integer, 32},
    ElementType{TensorProto::UINT64, "uint64", Kind::integer, 64},
    ElementType{TensorProto::BOOL, "bool", Kind::boolean, 8},
    ElementType{TensorProto::STRING, "string", Kind::integer, 0},  // codes of a vocabulary
    // Newer than the message classes we compile against; weights only.
    ElementType{17, "float8e4m3fn", Kind::real, 8, true},
    ElementType{18, "float8e4m3fnuz", Kind::real, 8, true},
    ElementType{19, "float8e5m2", Kind::real, 8, true},
    ElementType{20, "float8e5m2fnuz", Kind::real, 8, true},
    ElementType{21, "uint4", Kind::integer, 4, true},
    ElementType{22, "int4", Kind::integer, 4, true},
    ElementType{23, "float4e2m1", Kind::real, 4, true},
    ElementType{24, "float8e8m0", Kind::real, 8, true},
    ElementType{25, "uint2", Kind::integer, 2, true},
    ElementType{26, "int2", Kind::integer, 2, true},
};

// By code, including those newer than the message classes we compile against.
constexpr std::array<std::string_view, 27> kNames = {
    "undefined", "float32",    "uint8",      "int8",         "uint16",         "int16",      "int32",
    "int64",     "string",     "bool",       "float16",      "float64",        "uint32",     "uint64",
    "complex64", "complex128", "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
    "uint4",     "int4",       "float4e2m1", "float8e8m0",   "uint2",          "int2"};

}  // namespace

const ElementType* find_element_type(int32_t code) {
  for (const ElementType& type : kElementTypes) {
    if (type.code == code) return &type;
  }
  return nullptr;
}

const ElementType& element_type_named(std::string_view name) {
  for (const ElementType& type : kElementTypes) {
    if (type.name == name) return type;
  }
  fail(ErrorKind::internal, name, "there is no such element type");
}

std::string element_type_name(int32_t code) {
  if (code >= 0 && code < static_cast<int32_t>(kNames.size())) return std::string(kNames[code]);
  return fmt::format("type {}", code);
}

const ElementType& element_type(int32_t code, std::string_view where) {
  const ElementType* type = find_element_type(code);
  if (type != nullptr) return *type;
  if (code == TensorProto::UNDEFINED) fail(ErrorKind::model, where, "the element type is missing");
  fail(ErrorKind::unsupported, where,
       "elements of this type are not supported; got {}; expected floating point, integer or bool",
       element_type_name(code));
}

}  // namespace ascribe::core
