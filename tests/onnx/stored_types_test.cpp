// Weights of 2 to 8 bits, which files store and tensors widen: every pattern against the definition.
#include <cmath>

#include "onnx/lowering/node_case.h"
#include "onnx/model_maker.h"
#include "onnx/small_float.h"

namespace ascribe::core {
namespace {

// By the definition: (-1)^s 2^(e - bias) 1.m, or 2^(1 - bias) 0.m where e is 0.
double defined(int bits, int exponent_bits, int mantissa_bits, int bias) {
  const int mantissa = bits % (1 << mantissa_bits), exponent = bits / (1 << mantissa_bits) % (1 << exponent_bits);
  const double sign = bits >= 1 << (mantissa_bits + exponent_bits) ? -1 : 1;
  const double fraction = static_cast<double>(mantissa) / (1 << mantissa_bits);
  return exponent == 0 ? sign * std::pow(2.0, 1 - bias) * fraction
                       : sign * std::pow(2.0, exponent - bias) * (1 + fraction);
}

TEST(SmallFloat, EveryPatternIsWhatItsDefinitionSays) {
  struct Format {
    const char* name;
    int exponent_bits, mantissa_bits, bias, patterns;
    int (*special)(int bits);  // 0: a number, 1: NaN, 2: infinite
  };
  const std::vector<Format> formats = {
      {"float8e4m3fn", 4, 3, 7, 256, [](int bits) { return (bits & 0x7F) == 0x7F ? 1 : 0; }},
      {"float8e4m3fnuz", 4, 3, 8, 256, [](int bits) { return bits == 0x80 ? 1 : 0; }},
      {"float8e5m2", 5, 2, 15, 256, [](int bits) { return (bits & 0x7C) != 0x7C ? 0
                                                          : (bits & 3) != 0     ? 1
                                                                                : 2; }},
      {"float8e5m2fnuz", 5, 2, 16, 256, [](int bits) { return bits == 0x80 ? 1 : 0; }},
      {"float4e2m1", 2, 1, 1, 16, [](int) { return 0; }},
  };
  for (const Format& format : formats) {
    for (int bits = 0; bits < format.patterns; ++bits) {
      const float value = small_to_float(small_float_named(format.name), bits);
      const int special = format.special(bits);
      EXPECT_EQ(std::isnan(value), special == 1) << format.name << " " << bits;
      EXPECT_EQ(std::isinf(value), special == 2) << format.name << " " << bits;
      if (special == 0) {
        EXPECT_EQ(value, defined(bits, format.exponent_bits, format.mantissa_bits, format.bias))
            << format.name << " " << bits;
      }
    }
  }
  EXPECT_EQ(small_to_float(small_float_named("float8e8m0"), 130), 8);
  EXPECT_TRUE(std::isnan(small_to_float(small_float_named("float8e8m0"), 255)));
}

// One row, as the file says.
ImportOptions single() {
  ImportOptions options;
  options.batched = false;
  return options;
}

// y = x + weights, the weights stored in this type.
ModelMaker stored(int32_t type, const std::vector<int64_t>& dims, const std::vector<uint8_t>& bytes, bool typed) {
  ModelMaker m(21);
  m.input("x", {1, 1}).output("y");
  auto& tensor = m.raw<uint8_t>("w", dims, type, bytes);
  if (typed) {
    tensor.clear_raw_data();
    for (const uint8_t byte : bytes) tensor.add_int32_data(byte);
  }
  m.floats("one", {}, {1});
  m.node("DequantizeLinear", {"w", "one"}, {"v"});
  m.node("Add", {"x", "v"}, {"y"});
  return m;
}

TEST(StoredTypes, AreUnpackedFromTheLowEndOfEachByte) {
  struct Case {
    int32_t type;
    std::vector<uint8_t> bytes;
    std::vector<double> values;
  };
  const std::vector<Case> cases = {{21, {0x21, 0xF3, 0x07}, {1, 2, 3, 15, 7}},
                                   {22, {0x21, 0xF8, 0x07}, {1, 2, -8, -1, 7}},
                                   {25, {0xE4, 0x02}, {0, 1, 2, 3, 2}},
                                   {26, {0xE4, 0x02}, {0, 1, -2, -1, -2}},
                                   {17, {0x38, 0xB8, 0x01, 0x7E, 0x00}, {1, -1, 0.001953125, 448, 0}},
                                   {23, {0x21, 0xF3, 0x07}, {0.5, 1, 1.5, -6, 6}}};
  for (const Case& item : cases) {
    for (const bool typed : {false, true}) {
      const Graph graph = stored(item.type, {1, 5}, item.bytes, typed).import(single()).graph;
      expect_values(interpret(graph, {{"x", reals_of({1, 1}, {0})}}, 1)[0], {1, 5}, item.values);
    }
  }
}

TEST(StoredTypes, RefuseDataOfTheWrongLengthAndNaN) {
  for (const bool typed : {false, true}) {
    const std::string unit = typed ? "values" : "bytes";
    expect_refusal(ErrorKind::model, {"2 " + unit, "expected 3"}, [&] { stored(22, {1, 5}, {1, 2}, typed).import(); });
    expect_refusal(ErrorKind::numeric, {"NaN"}, [&] { stored(17, {1, 1}, {0x7F}, typed).import(); });
  }
}

TEST(StoredTypes, InputsDoNotHaveThem) {
  ModelMaker m(21);
  m.input("x", {1, 4}, 22).output("y");
  m.node("Identity", {"x"}, {"y"});
  expect_refusal(ErrorKind::unsupported, {"int4", "weights may have it"}, [&] { m.import(); });
}

}  // namespace
}  // namespace ascribe::core
