#include "onnx/reader.h"

#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <google/protobuf/stubs/logging.h>

#include "base/checked.h"
#include "base/parallel.h"
#include "onnx/element_type.h"
#include "onnx/skeleton.h"
#include "onnx/small_float.h"
#include "tensor/half.h"

static_assert(std::endian::native == std::endian::little, "raw_data is little endian and is read as it is");

namespace ascribe::core {

namespace {

// Tied weights and functions may read the same bytes more than once; beyond this it is no longer a model.
constexpr int64_t kMostRereads = 4;
constexpr int64_t kAlwaysRead = int64_t{1} << 30;
constexpr size_t kSmallestBorrowed = size_t{64} << 10;  // smaller tensors are read: pages are no smaller unit
constexpr int64_t kSearched = int64_t{1} << 18;         // elements at a time for NaN

Shape shape_of(const onnx::TensorProto& proto, std::string_view where) {
  Shape shape(proto.dims().begin(), proto.dims().end());
  if (shape.size() > 64)
    fail(ErrorKind::model, where, "too many dimensions; got {}; expected at most 64", shape.size());
  const int64_t count = element_count(shape, where);
  checked_multiply(count, 16, where);
  return shape;
}

void check_length(int64_t got, int64_t expected, std::string_view unit, const Shape& shape, std::string_view where) {
  if (got == expected) return;
  fail(ErrorKind::model, where, "the data does not fit the dimensions {}; got {} {}; expected {}", to_string(shape),
       got, unit, expected);
}

template <class T>
bool has_nan(const T* values, int64_t count) {
  int bad = 0;
#pragma omp simd reduction(| : bad)
  for (int64_t i = 0; i < count; ++i) bad |= static_cast<int>(values[i] != values[i]);
  return bad != 0;
}

template <class T>
void refuse_nan_in(std::span<const T> values, std::string_view where) {
  std::atomic<bool> bad = false;
  parallel_for(std::ssize(values), kSearched, [&](int64_t begin, int64_t end) {
    if (has_nan(values.data() + begin, end - begin)) bad = true;
    forget_mapped(values.data() + begin, static_cast<size_t>(end - begin) * sizeof(T));
  });
  if (bad) fail(ErrorKind::numeric, where, "contains NaN; expected numbers");
}

Tensor without_nan(Tensor tensor, std::string_view where) {
  if (tensor.dtype() == DType::f32) refuse_nan_in(tensor.data<float>(), where);
  if (tensor.dtype() == DType::f64) refuse_nan_in(tensor.data<double>(), where);
  return tensor;
}

// Elements of `From`, each turned by f into the tensor's own type.
template <class To, class From, class F>
Tensor widened(const Shape& shape, const From* from, int64_t count, F f) {
  Tensor tensor(dtype_of<To>(), shape);
  auto out = tensor.mutable_data<To>();
  for (int64_t i = 0; i < count; ++i) out[i] = f(from[i]);
  return tensor;
}

int64_t from_unsigned(uint64_t value, std::string_view where) {
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    fail(ErrorKind::unsupported, where, "an integer does not fit 64 signed bits; got {}", value);
  }
  return static_cast<int64_t>(value);
}

template <class From>
Tensor widened_integers(const Shape& shape, std::string_view bytes, std::string_view where) {
  const auto count = static_cast<int64_t>(bytes.size() / sizeof(From));
  std::vector<From> values(count);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return widened<int64_t>(shape, values.data(), count, [&](From value) {
    if constexpr (std::is_same_v<From, uint64_t>) return from_unsigned(value, where);
    else return static_cast<int64_t>(value);
  });
}

Tensor widened_halves(const Shape& shape, std::string_view bytes, float (*to_float)(uint16_t)) {
  std::vector<uint16_t> values(bytes.size() / 2);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return widened<float>(shape, values.data(), static_cast<int64_t>(values.size()), to_float);
}

// Element i of numbers of `bits` bits, packed from the low end of each byte on.
int packed_at(const ElementType& type, std::string_view bytes, int64_t i) {
  const int64_t per_byte = 8 / type.bits;
  const auto byte = static_cast<uint8_t>(bytes[static_cast<size_t>(i / per_byte)]);
  return byte >> (i % per_byte * type.bits) & ((1 << type.bits) - 1);
}

// Types of at most 8 bits that only weights have.
Tensor unpacked(const ElementType& type, const Shape& shape, std::string_view bytes) {
  const int64_t count = element_count(shape);
  Tensor tensor(storage(type.kind, DType::f32), shape);
  if (type.kind == Kind::real) {
    const SmallFloat format = small_float_named(type.name);
    const auto out = tensor.mutable_data<float>();
    for (int64_t i = 0; i < count; ++i) out[i] = small_to_float(format, packed_at(type, bytes, i));
    return tensor;
  }
  const bool is_signed = type.name.starts_with('i');
  const auto out = tensor.mutable_data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    const int value = packed_at(type, bytes, i), half = 1 << (type.bits - 1);
    out[i] = is_signed && value >= half ? value - 2 * half : value;
  }
  return tensor;
}

// raw_data of the types that no tensor holds as they are.
Tensor widened_raw(const ElementType& type, const Shape& shape, std::string_view bytes, std::string_view where) {
  if (type.stored) return unpacked(type, shape, bytes);
  switch (type.code) {
    case onnx::TensorProto::FLOAT16: return widened_halves(shape, bytes, half_to_float);
    case onnx::TensorProto::BFLOAT16: return widened_halves(shape, bytes, bfloat16_to_float);
    case onnx::TensorProto::INT32: return widened_integers<int32_t>(shape, bytes, where);
    case onnx::TensorProto::INT16: return widened_integers<int16_t>(shape, bytes, where);
    case onnx::TensorProto::INT8: return widened_integers<int8_t>(shape, bytes, where);
    case onnx::TensorProto::UINT8: return widened_integers<uint8_t>(shape, bytes, where);
    case onnx::TensorProto::UINT16: return widened_integers<uint16_t>(shape, bytes, where);
    case onnx::TensorProto::UINT32: return widened_integers<uint32_t>(shape, bytes, where);
    case onnx::TensorProto::UINT64: return widened_integers<uint64_t>(shape, bytes, where);
    case onnx::TensorProto::BOOL:
      return widened<uint8_t>(shape, bytes.data(), static_cast<int64_t>(bytes.size()),
                              [](char value) { return static_cast<uint8_t>(value != 0); });
    default: fail(ErrorKind::internal, where, "no reader for {}", type.name);
  }
}

// What a tensor can hold without conversion.
std::optional<DType> direct(const ElementType& type) {
  switch (type.code) {
    case onnx::TensorProto::FLOAT: return DType::f32;
    case onnx::TensorProto::DOUBLE: return DType::f64;
    case onnx::TensorProto::INT64: return DType::i64;
    default: return std::nullopt;
  }
}

// The values of `source` at `extent`, borrowed where they lie in memory already, or in a large file and aligned.
Tensor read_raw(const ByteSource& source, RawExtent extent, const ElementType& type, const Shape& shape,
                std::string_view where) {
  const auto dtype = direct(type);
  if (!dtype) {
    std::string bytes(extent.length, '\0');
    source.read(extent.offset, bytes);
    return widened_raw(type, shape, bytes, where);
  }
  if (const auto memory = source.memory()) {
    const char* start = memory->data() + extent.offset;
    if (reinterpret_cast<uintptr_t>(start) % size_of(*dtype) == 0) return Tensor::borrow(*dtype, shape, memory, start);
  }
  if (const auto& mapping = source.mapping(); mapping && static_cast<size_t>(extent.length) >= kSmallestBorrowed) {
    // Lengths were checked against the file as it was when it was mapped.
    const char* start = mapping->data() + extent.offset;
    if (reinterpret_cast<uintptr_t>(start) % size_of(*dtype) == 0) return Tensor::borrow(*dtype, shape, mapping, start);
  }
  Tensor tensor(*dtype, shape);
  source.read(extent.offset, {static_cast<char*>(tensor.mutable_memory()), tensor.bytes()});
  return tensor;
}

// A value of int32_data, which holds all the small types.
template <class T>
Tensor from_int32s(const onnx::TensorProto& proto, const Shape& shape, std::string_view where) {
  return widened<int64_t>(shape, proto.int32_data().data(), proto.int32_data_size(), [&](int32_t value) {
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
      fail(ErrorKind::model, where, "a value does not fit its type; got {}", value);
    }
    return int64_t{value};
  });
}

int64_t typed_length(const onnx::TensorProto& proto, const ElementType& type) {
  switch (type.code) {
    case onnx::TensorProto::FLOAT: return proto.float_data_size();
    case onnx::TensorProto::DOUBLE: return proto.double_data_size();
    case onnx::TensorProto::INT64: return proto.int64_data_size();
    case onnx::TensorProto::UINT32:
    case onnx::TensorProto::UINT64: return proto.uint64_data_size();
    default: return proto.int32_data_size();
  }
}

// int32_data holds a byte of packed numbers in each entry.
Tensor typed_small(const onnx::TensorProto& proto, const ElementType& type, const Shape& shape,
                   std::string_view where) {
  check_length(proto.int32_data_size(), type.bytes_of(element_count(shape)), "values", shape, where);
  std::string bytes;
  for (const int32_t value : proto.int32_data()) bytes.push_back(static_cast<char>(value));
  return unpacked(type, shape, bytes);
}

Tensor typed_tensor(const onnx::TensorProto& proto, const ElementType& type, const Shape& shape,
                    std::string_view where) {
  if (type.stored) return typed_small(proto, type, shape, where);
  check_length(typed_length(proto, type), element_count(shape), "values", shape, where);
  const int32_t* small = proto.int32_data().data();
  const int64_t count = element_count(shape);
  switch (type.code) {
    case onnx::TensorProto::FLOAT: return Tensor::of<float>(shape, std::span(proto.float_data().data(), count));
    case onnx::TensorProto::DOUBLE: return Tensor::of<double>(shape, std::span(proto.double_data().data(), count));
    case onnx::TensorProto::INT64:
      return widened<int64_t>(shape, proto.int64_data().data(), count, [](auto value) { return int64_t{value}; });
    case onnx::TensorProto::UINT32:
    case onnx::TensorProto::UINT64:
      return widened<int64_t>(shape, proto.uint64_data().data(), count,
                              [&](uint64_t value) { return from_unsigned(value, where); });
    case onnx::TensorProto::FLOAT16:
      return widened<float>(shape, small, count, [](int32_t v) { return half_to_float(static_cast<uint16_t>(v)); });
    case onnx::TensorProto::BFLOAT16:
      return widened<float>(shape, small, count, [](int32_t v) { return bfloat16_to_float(static_cast<uint16_t>(v)); });
    case onnx::TensorProto::BOOL:
      return widened<uint8_t>(shape, small, count, [](int32_t v) { return static_cast<uint8_t>(v != 0); });
    case onnx::TensorProto::INT16: return from_int32s<int16_t>(proto, shape, where);
    case onnx::TensorProto::INT8: return from_int32s<int8_t>(proto, shape, where);
    case onnx::TensorProto::UINT8: return from_int32s<uint8_t>(proto, shape, where);
    case onnx::TensorProto::UINT16: return from_int32s<uint16_t>(proto, shape, where);
    default: return from_int32s<int32_t>(proto, shape, where);
  }
}

int64_t parse_number(const std::string& text, std::string_view key, std::string_view where) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    fail(ErrorKind::model, where, "the {} of the external data is not a size; got '{}'", key, text);
  }
  return value;
}

}  // namespace

ModelFile ModelFile::open(const std::filesystem::path& path) {
  ModelFile file;
  file.source_ = ByteSource::open(path);
  file.folder_ = path.has_parent_path() ? path.parent_path() : ".";
  file.read();
  return file;
}

ModelFile ModelFile::parse(std::string bytes, const std::string& name, const std::filesystem::path& folder) {
  ModelFile file;
  file.source_ = ByteSource::of(std::move(bytes), name);
  file.folder_ = folder;
  file.read();
  return file;
}

void ModelFile::read() {
  if (size() == 0) fail(ErrorKind::model, name(), "not an ONNX model: the file is empty");
  if (size() > std::numeric_limits<int32_t>::max()) {
    fail(ErrorKind::model, name(), "the file is too large; got {} bytes; expected less than 2 GiB, as ONNX requires",
         size());
  }
  const std::string skeleton = skeleton_of(source_);
  const google::protobuf::LogSilencer quiet;
  if (!proto_.ParseFromString(skeleton)) fail(ErrorKind::model, name(), "not an ONNX model, or a damaged one");
  if (!proto_.has_graph()) fail(ErrorKind::model, name(), "not an ONNX model: there is no graph in it");
}

const ByteSource& ModelFile::external_file(const std::string& location, std::string_view where) {
  auto found = external_.find(location);
  if (found == external_.end()) {
    found = external_.emplace(location, ByteSource::open_beneath(folder_, location, where)).first;
    external_bytes_ = checked_add(external_bytes_, found->second.size(), where);
  }
  return found->second;
}

Tensor ModelFile::raw_tensor(const onnx::TensorProto& proto, const Shape& shape, std::string_view where) {
  const ElementType& type = element_type(proto.data_type(), where);
  const int64_t expected = type.bytes_of(element_count(shape, where));
  if (proto.data_location() != onnx::TensorProto::EXTERNAL) {
    const RawExtent extent = raw_extent(proto.raw_data());
    check_length(extent.length, expected, "bytes", shape, where);
    return read_raw(source_, extent, type, shape, where);
  }
  std::string location;
  RawExtent extent{0, expected};
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") extent.offset = parse_number(entry.value(), "offset", where);
    if (entry.key() == "length") extent.length = parse_number(entry.value(), "length", where);
  }
  check_length(extent.length, expected, "bytes", shape, where);
  const ByteSource& source = external_file(location, where);
  if (extent.offset > source.size() || extent.length > source.size() - extent.offset) {
    fail(ErrorKind::model, where, "the external data '{}' is too short; got {} bytes; expected {} at offset {}",
         location, source.size(), extent.length, extent.offset);
  }
  return read_raw(source, extent, type, shape, where);
}

Tensor ModelFile::text_tensor(const onnx::TensorProto& proto, const Shape& shape, std::string_view where) {
  check_length(proto.string_data_size(), element_count(shape), "texts", shape, where);
  std::vector<int64_t> codes;
  for (const std::string& text : proto.string_data()) codes.push_back(vocabulary_.code(text));
  return Tensor::of<int64_t>(shape, codes);
}

Tensor ModelFile::tensor(const onnx::TensorProto& proto, std::string_view where, NanPolicy nan) {
  const ElementType& type = element_type(proto.data_type(), where);
  const Shape shape = shape_of(proto, where);
  if (type.code == onnx::TensorProto::STRING) return text_tensor(proto, shape, where);
  bytes_read_ = checked_add(bytes_read_, type.bytes_of(element_count(shape)), where);
  if (proto.has_segment()) fail(ErrorKind::unsupported, where, "tensors in segments are not supported");
  if (proto.has_raw_data() || proto.data_location() == onnx::TensorProto::EXTERNAL) {
    Tensor tensor = raw_tensor(proto, shape, where);
    if ((bytes_read_ - kAlwaysRead) / kMostRereads > size() + external_bytes_) {
      fail(ErrorKind::model, where, "the tensors name the same data too often; got {} bytes of {}", bytes_read_,
           size() + external_bytes_);
    }
    return nan == NanPolicy::allow ? tensor : without_nan(std::move(tensor), where);
  }
  Tensor tensor = typed_tensor(proto, type, shape, where);
  return nan == NanPolicy::allow ? tensor : without_nan(std::move(tensor), where);
}

}  // namespace ascribe::core
