#include "tensor/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/ranges.h>

#include "base/unpacking.h"
#include "tensor/half.h"
#include "tensor/npy_size.h"
#include "tensor/zip.h"

namespace ascribe::core {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written in little-endian order");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaximumRank = 64;

struct Header {
  std::string descr;
  bool fortran = false;
  Shape shape;
};

// The header is a Python dictionary literal of three known keys.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Header parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") header.descr = element_description(), descr = true;
      else if (key == "fortran_order") header.fortran = boolean(), order = true;
      else if (key == "shape") header.shape = tuple(), shape = true;
      else refuse();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!descr || !order || !shape) refuse();
    return header;
  }

 private:
  [[noreturn]] void refuse() const {
    fail(ErrorKind::io, where_,
         "the header of the array is damaged; expected a dictionary of descr, fortran_order "
         "and shape");
  }

  void skip_space() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse();
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    refuse();
  }
  std::string quoted() {
    skip_space();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) refuse();
    const size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) refuse();
    std::string word(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return word;
  }
  std::string element_description() {
    skip_space();
    if (text_.starts_with('[')) {
      fail(ErrorKind::io, where_, "the array holds records; expected plain numbers");
    }
    return quoted();
  }
  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(extent());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    if (shape.size() > kMaximumRank) refuse();
    return shape;
  }
  int64_t extent() {
    skip_space();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) refuse();
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    accept_word("L");  // written by Python 2
    return value;
  }

  std::string_view text_;
  const std::string& where_;
};

template <class T>
T load(const char* from, bool swap) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

// Elements in file order, converted one by one.
template <class Stored, class Kept, class Convert>
Tensor read_elements(std::string_view bytes, const Shape& shape, bool swap, Convert convert) {
  Tensor tensor(dtype_of<Kept>(), shape);
  auto out = tensor.mutable_data<Kept>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = convert(load<Stored>(bytes.data() + i * sizeof(Stored), swap));
  return tensor;
}

template <class Stored>
Tensor read_integers(std::string_view bytes, const Shape& shape, bool swap, const std::string& where) {
  return read_elements<Stored, int64_t>(bytes, shape, swap, [&](Stored value) {
    if (std::is_same_v<Stored, uint64_t> && value > static_cast<Stored>(std::numeric_limits<int64_t>::max())) {
      fail(ErrorKind::io, where, "the number {} is too large; expected at most 2^63 - 1", value);
    }
    return static_cast<int64_t>(value);
  });
}

struct Format {
  std::string_view code;  // NumPy's, without the byte order
  std::string_view name;
  size_t size;
  Tensor (*read)(std::string_view bytes, const Shape& shape, bool swap, const std::string& where);
};

template <class T>
Tensor read_reals(std::string_view bytes, const Shape& shape, bool swap, const std::string&) {
  return read_elements<T, T>(bytes, shape, swap, [](T value) { return value; });
}
Tensor read_halves(std::string_view bytes, const Shape& shape, bool swap, const std::string&) {
  return read_elements<uint16_t, float>(bytes, shape, swap, half_to_float);
}
Tensor read_booleans(std::string_view bytes, const Shape& shape, bool swap, const std::string&) {
  return read_elements<uint8_t, uint8_t>(bytes, shape, swap, [](uint8_t v) { return static_cast<uint8_t>(v != 0); });
}

constexpr Format kFormats[] = {
    {"f4", "float32", 4, read_reals<float>},
    {"f8", "float64", 8, read_reals<double>},
    {"f2", "float16", 2, read_halves},
    {"b1", "bool", 1, read_booleans},
    {"i1", "int8", 1, read_integers<int8_t>},
    {"i2", "int16", 2, read_integers<int16_t>},
    {"i4", "int32", 4, read_integers<int32_t>},
    {"i8", "int64", 8, read_integers<int64_t>},
    {"u1", "uint8", 1, read_integers<uint8_t>},
    {"u2", "uint16", 2, read_integers<uint16_t>},
    {"u4", "uint32", 4, read_integers<uint32_t>},
    {"u8", "uint64", 8, read_integers<uint64_t>},
};

const Format& format_of(const std::string& descr, const std::string& where) {
  const bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  const std::string_view code = std::string_view(descr).substr(ordered ? 1 : 0);
  for (const Format& format : kFormats) {
    if (format.code == code) return format;
  }
  fail(ErrorKind::io, where, "the array has elements of type '{}'; expected real numbers, integers or booleans", descr);
}

// Fortran order: the first index varies fastest. Reading it as the reversed shape and
// transposing gives row-major order.
Tensor from_fortran_order(const Tensor& reversed, const Shape& shape) {
  Tensor result(reversed.dtype(), shape);
  visit(reversed.dtype(), [&]<class T>(T) {
    const auto from = reversed.data<T>();
    auto to = result.mutable_data<T>();
    std::vector<int64_t> strides(shape.size());
    int64_t stride = 1;
    for (size_t axis = 0; axis < shape.size(); ++axis) strides[axis] = stride, stride *= shape[axis];
    std::vector<int64_t> index(shape.size(), 0);
    int64_t offset = 0;
    for (size_t flat = 0; flat < to.size(); ++flat) {
      to[flat] = from[offset];
      for (size_t axis = shape.size(); axis-- > 0;) {
        offset += strides[axis];
        if (++index[axis] < shape[axis]) break;
        offset -= strides[axis] * shape[axis];
        index[axis] = 0;
      }
    }
  });
  return result;
}

std::string_view code_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return "<f4";
    case DType::f64: return "<f8";
    case DType::i64: return "<i8";
    case DType::boolean: return "|b1";
  }
  return "";
}

}  // namespace

bool is_npy(std::string_view bytes) { return bytes.starts_with(kMagic); }
bool is_npz(std::string_view bytes) { return is_zip(bytes); }

NpyHeader parse_npy_header(std::string_view bytes, const std::string& where) {
  if (!is_npy(bytes)) fail(ErrorKind::io, where, "not a NumPy array; expected a .npy file");
  const size_t length_size = bytes.size() > 6 && bytes[6] == 1 ? 2 : 4;
  const size_t start = kMagic.size() + 2 + length_size;
  if (bytes.size() < start) fail(ErrorKind::io, where, "the file is cut short; got {} bytes", bytes.size());
  if (bytes[6] < 1 || bytes[6] > 3) {
    fail(ErrorKind::io, where, "unknown version of the .npy format; got {}; expected 1 to 3", int{bytes[6]});
  }
  const size_t length = length_size == 2 ? load<uint16_t>(bytes.data() + 8, false) : load<uint32_t>(&bytes[8], false);
  if (length > bytes.size() - start) {
    fail(ErrorKind::io, where, "the file is cut short; got a header of {} bytes in a file of {}", length, bytes.size());
  }
  const Header header = HeaderParser(bytes.substr(start, length), where).parse();
  const Format& format = format_of(header.descr, where);
  return {header.shape,  header.fortran && header.shape.size() > 1, header.descr, std::string(format.name), format.size,
          start + length};
}

void check_npy_size(const NpyHeader& header, const Shape& shape, int64_t bytes, const std::string& where) {
  int64_t count = 1;
  bool empty = false, overflow = false;
  for (const int64_t extent : shape) {
    if (extent == 0) empty = true;
    else overflow = overflow || __builtin_mul_overflow(count, extent, &count);
  }
  overflow = overflow || count > std::numeric_limits<int64_t>::max() / 8;
  const int64_t expected = overflow || empty ? 0 : count * static_cast<int64_t>(header.element_size);
  if (overflow || bytes != expected) {
    fail(ErrorKind::io, where, "the file does not hold what its header says; got {} bytes; expected an array {}", bytes,
         to_string(shape));
  }
}

int64_t kept_size(const NpyHeader& header) {
  const std::string_view code = std::string_view(header.element_type);
  if (code == "bool") return 1;
  return code == "float32" || code == "float16" ? 4 : 8;
}

Array parse_npy_elements(const NpyHeader& header, const Shape& shape, std::string_view bytes,
                         const std::string& where) {
  check_npy_size(header, shape, std::ssize(bytes), where);
  const bool swap = header.descr[0] == '>';
  return {"", format_of(header.descr, where).read(bytes, shape, swap, where), header.element_type};
}

Array parse_npy(std::string_view bytes, const std::string& where) {
  const NpyHeader header = parse_npy_header(bytes, where);
  Array array = parse_npy_elements(header, header.shape, bytes.substr(header.start), where);
  if (header.fortran) array.values = from_fortran_order(array.values, header.shape);
  return array;
}

std::vector<Array> parse_npz(std::string_view bytes, const std::string& where) {
  std::vector<Array> arrays;
  const int64_t most = most_unpacked_whole(std::ssize(bytes));
  int64_t kept = 0;
  const auto is_array = [](const std::string& name) { return name.ends_with(".npy"); };
  walk_zip(bytes, where, most, is_array, [&](ZipEntry entry) {
    const std::string name = entry.name.substr(0, entry.name.size() - 4), place = fmt::format("{}: {}", where, name);
    const NpyHeader header = parse_npy_header(entry.bytes, place);
    const auto elements = static_cast<int64_t>((entry.bytes.size() - header.start) / header.element_size);
    kept += elements * kept_size(header);
    if (kept > std::max(most, 8 * std::ssize(bytes))) {
      fail(ErrorKind::io, where, "the arrays are too large; expected at most {} bytes of numbers; unpack them first",
           most);
    }
    arrays.push_back(parse_npy(entry.bytes, place));
    arrays.back().name = name;
  });
  if (arrays.empty()) fail(ErrorKind::io, where, "the archive holds no array; expected .npy files in it");
  return arrays;
}

std::string npy_preamble(std::string_view code, const Shape& shape) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", code,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const size_t preamble = kMagic.size() + 4;
  header.append(63 - (preamble + header.size()) % 64, ' ');  // the elements start at a multiple of 64
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  return bytes += header;
}

std::string format_npy(const Tensor& tensor) {
  return npy_preamble(code_of(tensor.dtype()), tensor.shape())
      .append(static_cast<const char*>(tensor.memory()), tensor.bytes());
}

std::string format_npz(const std::vector<std::pair<std::string, Tensor>>& arrays) {
  std::vector<ZipEntry> entries;
  for (const auto& [name, tensor] : arrays) entries.push_back({name + ".npy", format_npy(tensor)});
  return write_zip(entries);
}

}  // namespace ascribe::core
