#include "data/idx.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace ascribe::core {

namespace {

template <class T>
T big_endian(const char* from) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class Stored, class Kept>
Tensor read(std::string_view bytes, const Shape& shape) {
  Tensor tensor(dtype_of<Kept>(), shape);
  auto out = tensor.mutable_data<Kept>();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<Kept>(big_endian<Stored>(bytes.data() + i * sizeof(Stored)));
  }
  return tensor;
}

struct Element {
  char code;
  size_t size;
  Tensor (*read)(std::string_view bytes, const Shape& shape);
};

constexpr Element kElements[] = {
    {0x08, 1, read<uint8_t, float>},  {0x09, 1, read<int8_t, float>}, {0x0B, 2, read<int16_t, float>},
    {0x0C, 4, read<int32_t, double>}, {0x0D, 4, read<float, float>},  {0x0E, 8, read<double, double>},
};

const Element* element_of(char code) {
  const auto* found = std::find_if(std::begin(kElements), std::end(kElements),
                                   [&](const Element& element) { return element.code == code; });
  return found == std::end(kElements) ? nullptr : found;
}

}  // namespace

bool is_idx(std::string_view bytes) {
  return bytes.size() >= 8 && bytes[0] == 0 && bytes[1] == 0 && element_of(bytes[2]) != nullptr && bytes[3] > 0;
}

IdxHeader parse_idx_header(std::string_view bytes, const std::string& where) {
  if (!is_idx(bytes)) fail(ErrorKind::io, where, "not an idx file; expected two zero bytes, a type and a rank");
  const size_t rank = static_cast<unsigned char>(bytes[3]);
  if (bytes.size() < 4 + 4 * rank) fail(ErrorKind::io, where, "the idx file is cut short; got {} bytes", bytes.size());
  IdxHeader header{{}, bytes[2], element_of(bytes[2])->size};
  for (size_t axis = 0; axis < rank; ++axis) {
    header.shape.push_back(big_endian<uint32_t>(bytes.data() + 4 + 4 * axis));
  }
  return header;
}

IdxArray parse_idx_elements(const IdxHeader& header, const Shape& shape, std::string_view bytes) {
  return {element_of(header.code)->read(bytes, shape), header.code == 0x08};
}

void check_idx_size(const IdxHeader& header, int64_t bytes, const std::string& where) {
  const int64_t available = bytes / static_cast<int64_t>(header.element_size);
  int64_t count = 1;
  for (const int64_t extent : header.shape) {
    // Checked at every step, so that the product of hostile dimensions cannot overflow.
    if (extent == 0 || count > available / extent) {
      fail(ErrorKind::io, where,
           "the idx file does not hold what its header says; got {} elements; expected {} or more", available,
           to_string(header.shape));
    }
    count *= extent;
  }
  if (bytes != count * static_cast<int64_t>(header.element_size)) {
    fail(ErrorKind::io, where, "the idx file does not hold what its header says; got {} bytes; expected an array {}",
         bytes, to_string(header.shape));
  }
}

int64_t kept_size(const IdxHeader& header) { return header.code == 0x0C || header.code == 0x0E ? 8 : 4; }

IdxArray parse_idx(std::string_view bytes, const std::string& where) {
  const IdxHeader header = parse_idx_header(bytes, where);
  const size_t start = 4 + 4 * header.shape.size();
  check_idx_size(header, std::ssize(bytes) - static_cast<int64_t>(start), where);
  return parse_idx_elements(header, header.shape, bytes.substr(start));
}

}  // namespace ascribe::core
