#include "tensor/npy.h"

#include <cstring>

#include <gtest/gtest.h>
#include <zlib.h>

#include "support/errors.h"
#include "tensor/half.h"
#include "tensor/zip.h"

namespace ascribe::core {
namespace {

using namespace std::string_literals;

// A file of format 1 with this header and these elements.
std::string npy(const std::string& header, const std::string& elements, char version = 1) {
  std::string bytes = "\x93NUMPY"s + version + '\0';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  if (version > 1) bytes += "\0\0"s;
  return bytes + header + elements;
}

std::string npy(const std::string& descr, const std::string& order, const std::string& shape, const std::string& data) {
  return npy(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape), data);
}

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < tensor.size(); ++i) result.push_back(tensor.at(i));
  return result;
}

TEST(Npy, LittleEndianFloatsAreRead) {
  const Array array = parse_npy(npy("<f4", "False", "(2,)", "\x00\x00\x80\x3f\x00\x00\x00\xc0"s), "a.npy");
  EXPECT_EQ(array.values.dtype(), DType::f32);
  EXPECT_EQ(array.values.shape(), (Shape{2}));
  EXPECT_EQ(values(array.values), (std::vector<double>{1.0, -2.0}));
  EXPECT_EQ(array.element_type, "float32");
}

TEST(Npy, BigEndianNumbersAreTurnedAround) {
  EXPECT_EQ(values(parse_npy(npy(">f4", "False", "(1,)", "\x3f\x80\x00\x00"s), "a").values), std::vector<double>{1.0});
  EXPECT_EQ(values(parse_npy(npy(">i2", "False", "(1,)", "\x01\x02"s), "a").values), std::vector<double>{258.0});
  EXPECT_EQ(values(parse_npy(npy(">f8", "False", "(1,)", "\xc0\x08\0\0\0\0\0\0"s), "a").values),
            std::vector<double>{-3.0});
}

TEST(Npy, EveryIntegerTypeBecomesInt64) {
  const std::vector<std::pair<std::string, std::string>> minus_two = {
      {"|i1", "\xfe"}, {"<i2", "\xfe\xff"}, {"<i4", "\xfe\xff\xff\xff"}, {"<i8", "\xfe\xff\xff\xff\xff\xff\xff\xff"}};
  for (const auto& [descr, data] : minus_two) {
    const Array array = parse_npy(npy(descr, "False", "(1,)", data), "a");
    EXPECT_EQ(array.values.dtype(), DType::i64);
    EXPECT_EQ(array.values.at(0), -2.0) << descr;
  }
  const std::vector<std::pair<std::string, std::string>> positive = {
      {"|u1", "\xfe"}, {"<u2", "\xfe\x00"s}, {"<u4", "\xfe\0\0\0"s}, {"<u8", "\xfe\0\0\0\0\0\0\0"s}};
  for (const auto& [descr, data] : positive) {
    EXPECT_EQ(parse_npy(npy(descr, "False", "(1,)", data), "a").values.at(0), 254.0) << descr;
  }
}

TEST(Npy, HalvesAndBooleansAreRead) {
  EXPECT_EQ(values(parse_npy(npy("<f2", "False", "(3,)", "\x00\x3c\x00\xc0\x01\x00"s), "a").values),
            (std::vector<double>{1.0, -2.0, 0x1p-24}));
  const Array flags = parse_npy(npy("|b1", "False", "(2,)", "\x00\x01"s), "a");
  EXPECT_EQ(flags.values.dtype(), DType::boolean);
  EXPECT_EQ(values(flags.values), (std::vector<double>{0.0, 1.0}));
}

TEST(Npy, HalfKnowsItsExtremes) {
  EXPECT_EQ(half_to_float(0x7BFF), 65504.0F);
  EXPECT_EQ(half_to_float(0xFC00), -INFINITY);
  EXPECT_TRUE(std::isnan(half_to_float(0x7E00)));
  EXPECT_EQ(bfloat16_to_float(0x4049), 3.140625F);
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  // [[1, 2, 3], [4, 5, 6]] stored by columns
  const Array array = parse_npy(npy("|u1", "True", "(2, 3)", "\x01\x04\x02\x05\x03\x06"), "a");
  EXPECT_EQ(array.values.shape(), (Shape{2, 3}));
  EXPECT_EQ(values(array.values), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, ScalarsAndEmptyArraysAreRead) {
  EXPECT_EQ(parse_npy(npy("|u1", "False", "()", "\x05"), "a").values.shape(), Shape{});
  EXPECT_EQ(parse_npy(npy("|u1", "False", "(0, 3)", ""), "a").values.size(), 0);
}

TEST(Npy, FormatsTwoAndThreeHaveLongerHeaders) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }\n";
  for (const char version : {'\x02', '\x03'}) EXPECT_EQ(parse_npy(npy(header, "\x07", version), "a").values.at(0), 7.0);
  expect_error(ErrorKind::io, "version", [&] { parse_npy(npy(header, "\x07", '\x04'), "a"); });
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  const std::vector<Tensor> tensors = {Tensor::of<float>({2, 2}, {1.5F, -2.0F, 0.0F, 4.0F}),
                                       Tensor::of<double>({3}, {1e300, -0.1, 7.0}), Tensor::of<int64_t>({}, {-5}),
                                       Tensor::of<uint8_t>({2, 1}, {1, 0})};
  for (const Tensor& tensor : tensors) {
    const std::string bytes = format_npy(tensor);
    const Array back = parse_npy(bytes, "a");
    EXPECT_EQ(back.values.dtype(), tensor.dtype());
    EXPECT_EQ(back.values.shape(), tensor.shape());
    EXPECT_EQ(values(back.values), values(tensor));
    EXPECT_EQ((bytes.size() - tensor.bytes()) % 64, 0U);
  }
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string whole = format_npy(Tensor::of<float>({2}, {1.0F, 2.0F}));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(error_of([&] { parse_npy(whole.substr(0, size), "a"); }).has_value()) << size;
  }
}

TEST(Npy, HostileHeadersAreRefused) {
  const auto refuse = [](const std::string& bytes, const std::string& part) {
    expect_error(ErrorKind::io, part, [&] { parse_npy(bytes, "a.npy"); });
  };
  refuse(npy("<f4", "False", "(4611686018427387904, 4611686018427387904)", "abcd"), "does not hold");
  refuse(npy("<f4", "False", "(4611686018427387904,)", "abcd"), "does not hold");
  refuse(npy("<f4", "False", "(0, 4611686018427387904, 8)", ""), "does not hold");
  refuse(npy("<f4", "False", "(-1,)", "abcd"), "damaged");
  refuse(npy("<f4", "False", "(99999999999999999999,)", "abcd"), "damaged");
  refuse(npy("<f4", "Maybe", "(1,)", "abcd"), "damaged");
  refuse(npy("<f4", "False", "(1", "abcd"), "damaged");
  refuse(npy("<c8", "False", "(1,)", "abcdefgh"), "'<c8'");
  refuse(npy("|O", "False", "(1,)", "abcdefgh"), "'|O'");
  refuse(npy("", "False", "(1,)", "abcd"), "''");
  refuse(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"), "records");
  refuse(npy("{'descr': '<f4', 'shape': (1,)}", "abcd"), "damaged");
  refuse(npy("<u8", "False", "(1,)", "\xff\xff\xff\xff\xff\xff\xff\xff"), "too large");
  refuse(npy("<f4", "False", "(1,)", "abcdX"), "does not hold");
}

TEST(Npz, WhatIsWrittenIsReadBack) {
  const std::string bytes = format_npz({{"x", Tensor::of<float>({1}, {2.5F})}, {"y/z", Tensor::of<int64_t>({}, {3})}});
  ASSERT_TRUE(is_npz(bytes));
  const auto arrays = parse_npz(bytes, "a.npz");
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].name, "x");
  EXPECT_EQ(arrays[0].values.at(0), 2.5);
  EXPECT_EQ(arrays[1].name, "y/z");
  EXPECT_EQ(arrays[1].values.at(0), 3.0);
}

TEST(Npz, EqualArraysGiveEqualFiles) {
  const std::vector<std::pair<std::string, Tensor>> arrays = {{"x", Tensor::of<float>({1}, {2.5F})}};
  EXPECT_EQ(format_npz(arrays), format_npz(arrays));
}

// What the entry of a zip file claims about itself.
struct Claim {
  uint32_t method = 8, packed = 0, unpacked = 0, offset = 0, flags = 0;
  uint32_t crc = 0;
};

std::string number(uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> 8 * i & 0xFF);
  return out;
}

std::string deflated(const std::string& content) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(content.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zip(const std::string& packed, const Claim& claim, int copies = 1) {
  const std::string name = "x.npy";
  const std::string fields = number(20, 2) + number(claim.flags, 2) + number(claim.method, 2) + number(0, 4) +
                             number(claim.crc, 4) + number(claim.packed, 4) + number(claim.unpacked, 4) +
                             number(name.size(), 2) + number(0, 2);
  std::string out = "PK\x03\x04" + fields + name + packed;
  const size_t directory = out.size();
  const std::string record =
      "PK\x01\x02" + number(20, 2) + fields + number(0, 8) + number(0, 2) + number(claim.offset, 4) + name;
  for (int i = 0; i < copies; ++i) out += record;
  const size_t size = out.size() - directory;
  return out + "PK\x05\x06" + number(0, 4) + number(copies, 2) + number(copies, 2) + number(size, 4) +
         number(directory, 4) + number(0, 2);
}

struct Packed {
  std::string bytes;
  Claim claim;
};

Packed packed_array() {
  const std::string content = format_npy(Tensor::of<float>({3}, {1.0F, 2.0F, 3.0F}));
  Packed result{deflated(content), {}};
  result.claim.packed = static_cast<uint32_t>(result.bytes.size());
  result.claim.unpacked = static_cast<uint32_t>(content.size());
  result.claim.crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
  return result;
}

TEST(Npz, DeflatedArraysAreRead) {
  const Packed packed = packed_array();
  const auto arrays = parse_npz(zip(packed.bytes, packed.claim), "a.npz");
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(values(arrays[0].values), (std::vector<double>{1.0, 2.0, 3.0}));
}

TEST(Npz, LyingEntriesAreRefused) {
  const Packed packed = packed_array();
  const auto refuse = [&](const std::string& part, auto change, int copies = 1) {
    Claim claim = packed.claim;
    change(claim);
    expect_error(ErrorKind::io, part, [&] { parse_npz(zip(packed.bytes, claim, copies), "a.npz"); });
  };
  refuse("checksum", [](Claim& c) { c.crc ^= 1; });
  refuse("damaged", [](Claim& c) { c.unpacked += 1; });
  refuse("too large", [](Claim& c) { c.unpacked -= 1; });
  refuse("damaged", [](Claim& c) { c.unpacked = 0xFFFFFFF0; });
  refuse("zip64", [](Claim& c) { c.unpacked = 0xFFFFFFFF; });
  refuse("damaged", [](Claim& c) { c.packed = 0x7FFFFFFF; });
  refuse("cut short", [](Claim& c) { c.packed -= 4; });
  refuse("damaged", [](Claim& c) { c.offset = 0x7FFFFFFF; });
  refuse("damaged", [](Claim& c) { c.offset = 1; });
  refuse("damaged", [](Claim& c) { c.method = 0; });
  refuse("unknown method", [](Claim& c) { c.method = 12; });
  refuse("encrypted", [](Claim& c) { c.flags = 1; });
  refuse(
      "twice", [](Claim&) {}, 2);
}

TEST(Npz, ABombIsRefusedBeforeItIsUnpacked) {
  Packed packed{deflated(std::string(size_t{90} << 20, '\0')), {}};
  packed.claim.packed = static_cast<uint32_t>(packed.bytes.size());
  packed.claim.unpacked = 90U << 20;
  EXPECT_LT(packed.bytes.size(), 100000U);
  expect_error(ErrorKind::io, "the archive is too large; expected at most 76",
               [&] { parse_npz(zip(packed.bytes, packed.claim), "a.npz"); });
}

TEST(Npz, NumbersThatGrowInMemoryCountAsTheyAreKept) {
  // 16 MiB of bytes become 128 MiB of int64.
  std::string content = npy_preamble("|u1", {int64_t{16} << 20});
  content.append(size_t{16} << 20, '\0');
  Packed packed{deflated(content), {}};
  packed.claim.packed = static_cast<uint32_t>(packed.bytes.size());
  packed.claim.unpacked = static_cast<uint32_t>(content.size());
  packed.claim.crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
  expect_error(ErrorKind::io, "the arrays are too large", [&] { parse_npz(zip(packed.bytes, packed.claim), "a.npz"); });
}

TEST(Npz, WhatIsNotAnArrayIsLeftAlone) {
  std::string bytes =
      write_zip({{"x.npy", format_npy(Tensor::of<float>({1}, {2.5F}))}, {"notes.txt", "whatever this is"}});
  bytes[bytes.find("whatever")] = '#';  // its checksum is wrong now
  EXPECT_EQ(parse_npz(bytes, "a.npz").size(), 1U);
  expect_error(ErrorKind::io, "checksum of 'notes.txt'", [&] { read_zip(bytes, "a.npz"); });
}

TEST(Npz, TheLimitCountsAllEntriesTogether) {
  const std::string bytes = write_zip({{"a", std::string(100, 'a')}, {"b", std::string(100, 'b')}});
  EXPECT_EQ(read_zip(bytes, "z", 200).size(), 2U);
  expect_error(ErrorKind::io, "too large", [&] { read_zip(bytes, "z", 199); });
}

TEST(Npz, EveryTruncationIsRefused) {
  const Packed packed = packed_array();
  const std::string whole = zip(packed.bytes, packed.claim);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(error_of([&] { parse_npz(whole.substr(0, size), "a"); }).has_value()) << size;
  }
}

TEST(Npz, AnArchiveWithoutArraysIsRefused) {
  expect_error(ErrorKind::io, "no array", [] { parse_npz(write_zip({{"readme.txt", "hello"}}), "a.npz"); });
}

}  // namespace
}  // namespace ascribe::core
