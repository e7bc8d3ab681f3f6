// The trust boundary: every way in which a file can lie, as a crafted file.
#include "onnx/reader.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "model/model.h"
#include "onnx/model_maker.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;
using onnx::TensorProto;

ModelMaker add_one() {
  ModelMaker m;
  m.input("x", {"batch", 2}).output("y");
  m.floats("w", {2}, {1, 1});
  m.node("Add", {"x", "w"}, {"y"}, "sum");
  return m;
}

Tensor weight_of(const ModelMaker& m) {
  ModelFile file = ModelFile::parse(m.bytes(), "test.onnx", {});
  return file.tensor(file.proto().graph().initializer(0), "w");
}

void expect_refused(const ModelMaker& m, ErrorKind kind, const std::vector<std::string>& words) {
  expect_refusal(kind, words, [&] { m.import(); });
}

TEST(Reader, AnEmptyFileIsNotAModel) {
  const TemporaryFolder folder;
  const auto path = folder.write("empty.onnx", "");
  expect_refusal(ErrorKind::model, {"empty.onnx", "not an ONNX model", "empty"}, [&] { import_model(path); });
}

TEST(Reader, ATextFileIsNotAModel) {
  const TemporaryFolder folder;
  for (const std::string text : {"hello world\n", "This is not a model.\n", "{\"a\": 1}", "<html></html>", "\n\n\n"}) {
    const auto path = folder.write("text.onnx", text);
    expect_refusal(ErrorKind::model, {"text.onnx", "not an ONNX model"}, [&] { import_model(path); });
  }
}

TEST(Reader, AFileThatDoesNotExistIsAnInputOutputError) {
  const TemporaryFolder folder;
  expect_refusal(ErrorKind::io, {"none.onnx", "cannot open"}, [&] { import_model(folder.path("none.onnx")); });
  expect_refusal(ErrorKind::io, {"not a regular file"}, [&] { import_model(folder.path(".")); });
}

TEST(Reader, AModelTruncatedAnywhereIsRefusedAndNamesTheFile) {
  const TemporaryFolder folder;
  const std::string whole = add_one().bytes();
  int refused = 0;
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto path = folder.write("cut.onnx", whole.substr(0, length));
    try {
      import_model(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model) << length << ": " << error.what();
      ++refused;
    }
  }
  // Cut between two fields after the graph, it is a whole model still.
  EXPECT_GT(refused, static_cast<int>(whole.size()) - 10);
}

TEST(Reader, AModelWithoutGraphIsRefused) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  expect_refusal(ErrorKind::model, {"no graph"},
                 [&] { import_model_bytes(model.SerializeAsString(), "test.onnx", {}); });
}

TEST(Reader, DeeplyNestedMessagesAreRefused) {
  ModelMaker m = add_one();
  onnx::GraphProto inner;
  for (int depth = 0; depth < 40; ++depth) {
    onnx::GraphProto outer;
    *outer.add_node()->add_attribute()->mutable_g() = inner;
    inner = outer;
  }
  *m.graph().add_node()->add_attribute()->mutable_g() = inner;
  expect_refused(m, ErrorKind::model, {"nested too deeply"});
}

TEST(Reader, ADeclaredLengthBeyondTheFileIsRefusedBeforeAllocating) {
  // Field 7 (graph) with a length of 2^31 - 1 and no content.
  expect_refusal(ErrorKind::model, {"ends too early"},
                 [] { import_model_bytes(std::string("\x3a\xff\xff\xff\xff\x07", 6), "test.onnx", {}); });
}

TEST(Reader, WeightsFromDiskAndFromMemoryAreTheSame) {
  const TemporaryFolder folder;
  ModelMaker m = add_one();
  m.graph().clear_initializer();
  m.floats("w", {2}, {1.5F, -2.25F});
  const auto path = folder.write("model.onnx", m.bytes());
  ModelFile file = ModelFile::open(path);
  const Tensor from_disk = file.tensor(file.proto().graph().initializer(0), "w");
  const Tensor from_memory = weight_of(m);
  EXPECT_EQ(from_disk.shape(), Shape{2});
  for (const Tensor& tensor : {from_disk, from_memory}) {
    EXPECT_EQ(tensor.at(0), 1.5);
    EXPECT_EQ(tensor.at(1), -2.25);
  }
}

// One value of every type, by raw_data.
struct RawCase {
  int32_t type;
  std::string bytes;
  double value;
};

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

TEST(Reader, ReadsRawDataOfEveryType) {
  const std::vector<RawCase> cases = {
      {TensorProto::FLOAT, bytes_of(0.5F), 0.5},
      {TensorProto::DOUBLE, bytes_of(0.1), 0.1},
      {TensorProto::FLOAT16, bytes_of(uint16_t{0xC100}), -2.5},
      {TensorProto::BFLOAT16, bytes_of(uint16_t{0x4040}), 3.0},
      {TensorProto::INT64, bytes_of(int64_t{-5}), -5},
      {TensorProto::INT32, bytes_of(int32_t{-70000}), -70000},
      {TensorProto::INT16, bytes_of(int16_t{-300}), -300},
      {TensorProto::INT8, bytes_of(int8_t{-3}), -3},
      {TensorProto::UINT8, bytes_of(uint8_t{200}), 200},
      {TensorProto::UINT16, bytes_of(uint16_t{60000}), 60000},
      {TensorProto::UINT32, bytes_of(uint32_t{4000000000}), 4e9},
      {TensorProto::UINT64, bytes_of(uint64_t{7}), 7},
      {TensorProto::BOOL, bytes_of(uint8_t{2}), 1},
  };
  for (const RawCase& c : cases) {
    ModelMaker m;
    m.raw("w", {1}, c.type, std::vector<char>(c.bytes.begin(), c.bytes.end()));
    EXPECT_EQ(weight_of(m).at(0), c.value) << c.type;
  }
}

TEST(Reader, ReadsTypedFieldsOfEveryType) {
  const auto with = [](int32_t type, auto fill) {
    ModelMaker m;
    auto& tensor = *m.graph().add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(type);
    tensor.add_dims(1);
    fill(tensor);
    return weight_of(m).at(0);
  };
  EXPECT_EQ(with(TensorProto::FLOAT, [](auto& t) { t.add_float_data(0.5F); }), 0.5);
  EXPECT_EQ(with(TensorProto::DOUBLE, [](auto& t) { t.add_double_data(0.1); }), 0.1);
  EXPECT_EQ(with(TensorProto::INT64, [](auto& t) { t.add_int64_data(-5); }), -5);
  EXPECT_EQ(with(TensorProto::UINT32, [](auto& t) { t.add_uint64_data(4000000000); }), 4e9);
  EXPECT_EQ(with(TensorProto::UINT64, [](auto& t) { t.add_uint64_data(7); }), 7);
  EXPECT_EQ(with(TensorProto::FLOAT16, [](auto& t) { t.add_int32_data(0x3C00); }), 1.0);
  EXPECT_EQ(with(TensorProto::BFLOAT16, [](auto& t) { t.add_int32_data(0x3F80); }), 1.0);
  EXPECT_EQ(with(TensorProto::BOOL, [](auto& t) { t.add_int32_data(1); }), 1);
  for (const auto type : {TensorProto::INT32, TensorProto::INT16, TensorProto::INT8}) {
    EXPECT_EQ(with(type, [](auto& t) { t.add_int32_data(-7); }), -7);
  }
  for (const auto type : {TensorProto::UINT8, TensorProto::UINT16}) {
    EXPECT_EQ(with(type, [](auto& t) { t.add_int32_data(200); }), 200);
  }
}

TEST(Reader, ValuesThatDoNotFitTheirTypeAreRefused) {
  ModelMaker m = add_one();
  auto& tensor = *m.graph().add_initializer();
  tensor.set_name("small");
  tensor.set_data_type(TensorProto::UINT8);
  tensor.add_dims(1);
  tensor.add_int32_data(300);
  expect_refused(m, ErrorKind::model, {"initializer 'small'", "does not fit its type", "300"});
  tensor.set_data_type(TensorProto::UINT64);
  tensor.clear_int32_data();
  tensor.add_uint64_data(uint64_t{1} << 63);
  expect_refused(m, ErrorKind::unsupported, {"initializer 'small'", "64 signed bits"});
}

TEST(Reader, TypesWeDoNotReadAreRefusedByName) {
  ModelMaker m = add_one();
  m.graph().mutable_initializer(0)->set_data_type(TensorProto::COMPLEX64);
  expect_refused(m, ErrorKind::unsupported, {"initializer 'w'", "complex64"});
  m.graph().mutable_initializer(0)->set_data_type(99);
  expect_refused(m, ErrorKind::unsupported, {"initializer 'w'", "type 99"});
  m.graph().mutable_initializer(0)->set_data_type(0);
  expect_refused(m, ErrorKind::model, {"initializer 'w'", "type is missing"});
}

TEST(Reader, TextsAreAsManyAsTheDimensionsSay) {
  ModelMaker m = add_one();
  m.graph().mutable_initializer(0)->set_data_type(TensorProto::STRING);
  expect_refused(m, ErrorKind::model, {"initializer 'w'", "got 0 texts; expected 2"});
}

TEST(Reader, DimensionsThatLieAreRefused) {
  ModelMaker m = add_one();
  auto& tensor = *m.graph().mutable_initializer(0);
  tensor.set_dims(0, -2);
  expect_refused(m, ErrorKind::model, {"initializer 'w'", "negative", "-2"});
  tensor.set_dims(0, int64_t{1} << 62);
  expect_refused(m, ErrorKind::model, {"initializer 'w'", "overflow"});
  tensor.set_dims(0, int64_t{1} << 40);
  tensor.add_dims(int64_t{1} << 40);
  expect_refused(m, ErrorKind::model, {"initializer 'w'", "overflow"});
  tensor.clear_dims();
  tensor.add_dims(3);
  expect_refused(m, ErrorKind::model, {"initializer 'w'", "[3]", "got 8 bytes", "expected 12"});
}

TEST(Reader, DataInTheWrongFieldIsRefused) {
  ModelMaker m = add_one();
  auto& tensor = *m.graph().mutable_initializer(0);
  tensor.clear_raw_data();
  tensor.add_int32_data(1);
  tensor.add_int32_data(1);
  expect_refused(m, ErrorKind::model, {"initializer 'w'", "got 0 values", "expected 2"});
}

TEST(Reader, NaNInTheWeightsIsRefusedAndInfinityIsNot) {
  ModelMaker m = add_one();
  m.graph().clear_initializer();
  m.floats("w", {2}, {1, std::numeric_limits<float>::quiet_NaN()});
  expect_refused(m, ErrorKind::numeric, {"initializer 'w'", "contains NaN"});
  m.graph().clear_initializer();
  m.floats("w", {2}, {1, -std::numeric_limits<float>::infinity()});
  EXPECT_NO_THROW(m.import());
}

// A model whose weight lies in another file.
ModelMaker external(const std::string& location, const std::string& offset = "", const std::string& length = "") {
  ModelMaker m = add_one();
  auto& tensor = *m.graph().mutable_initializer(0);
  tensor.clear_raw_data();
  tensor.set_data_location(TensorProto::EXTERNAL);
  const auto entry = [&](const std::string& key, const std::string& value) {
    auto& pair = *tensor.add_external_data();
    pair.set_key(key);
    pair.set_value(value);
  };
  entry("location", location);
  if (!offset.empty()) entry("offset", offset);
  if (!length.empty()) entry("length", length);
  return m;
}

std::string two_floats(float a, float b) { return bytes_of(a) + bytes_of(b); }

class ExternalData : public testing::Test {
 protected:
  void expect(const ModelMaker& m, ErrorKind kind, const std::vector<std::string>& words) {
    const auto path = folder.write("model.onnx", m.bytes());
    expect_refusal(kind, words, [&] { import_model(path); });
  }
  TemporaryFolder folder;
};

TEST_F(ExternalData, IsReadFromTheFolderOfTheModel) {
  fs::create_directory(folder.path("data"));
  folder.write("data/weights.bin", "four" + two_floats(3, 4));
  const auto path = folder.write("model.onnx", external("./data/weights.bin", "4", "8").bytes());
  ModelFile file = ModelFile::open(path);
  const Tensor tensor = file.tensor(file.proto().graph().initializer(0), "w");
  EXPECT_EQ(tensor.at(0), 3);
  EXPECT_EQ(tensor.at(1), 4);
  EXPECT_NO_THROW(import_model(path));
}

// Beginning with one byte less or more, so that the numbers lie aligned in the file or not.
class LargeWeights : public testing::TestWithParam<int> {
 protected:
  static constexpr int64_t kCount = int64_t{9} << 20;  // 36 MiB

  std::filesystem::path write(float last) {
    std::vector<float> values(kCount);
    for (int64_t i = 0; i < kCount; ++i) values[static_cast<size_t>(i)] = static_cast<float>(i % 1000);
    values.back() = last;
    const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    folder.write("weights.bin", std::string(static_cast<size_t>(GetParam()), '#') + bytes);
    ModelMaker m = external("weights.bin", std::to_string(GetParam()));
    m.graph().mutable_initializer(0)->set_dims(0, kCount);
    m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(
        kCount);
    return folder.write("model.onnx", m.bytes());
  }
  TemporaryFolder folder;
};

TEST_P(LargeWeights, StayInTheirFileIfTheyAreAligned) {
  const auto path = write(7);
  ModelFile file = ModelFile::open(path);
  const Tensor tensor = file.tensor(file.proto().graph().initializer(0), "w");
  EXPECT_EQ(MappedFile::holding(tensor.memory()) != nullptr, GetParam() % 4 == 0);
  for (const int64_t i : {int64_t{0}, int64_t{1}, kCount / 2, kCount - 2}) EXPECT_EQ(tensor.at(i), i % 1000);
  EXPECT_EQ(tensor.at(kCount - 1), 7);
}

TEST_P(LargeWeights, AreSearchedForNan) {
  const auto path = write(std::numeric_limits<float>::quiet_NaN());
  expect_refusal(ErrorKind::numeric, {"contains NaN"}, [&] { import_model(path); });
}

TEST_P(LargeWeights, ThatChangeWhileTheyAreInUseAreNoticedOrCopied) {
  const auto path = write(7);
  Model model = Model::load(path);
  const Tensor x(DType::f32, {1, kCount});
  EXPECT_EQ(model.run(std::array{x})[0].at(kCount - 1), 7);
  std::filesystem::resize_file(folder.path("weights.bin"), 100);
  if (GetParam() % 4 == 0) {
    expect_refusal(ErrorKind::io, {"weights.bin", "has changed"}, [&] { model.run(std::array{x}); });
  } else {
    EXPECT_EQ(model.run(std::array{x})[0].at(kCount - 1), 7);
  }
}

INSTANTIATE_TEST_SUITE_P(Offsets, LargeWeights, testing::Values(0, 1, 8));

TEST_F(ExternalData, MayNotLeaveTheFolder) {
  folder.write("weights.bin", two_floats(1, 2));
  fs::create_directory(folder.path("data"));
  expect(external("../weights.bin"), ErrorKind::model, {"beneath the folder", "'..'"});
  expect(external("data/../weights.bin"), ErrorKind::model, {"beneath the folder", "'..'"});
  expect(external("/etc/passwd"), ErrorKind::model, {"beneath the folder", "absolute"});
  expect(external(""), ErrorKind::model, {"beneath the folder", "empty"});
  expect(external("."), ErrorKind::model, {"names no file"});
  expect(external(std::string("weights.bin\0x", 13)), ErrorKind::model, {"zero byte"});
}

TEST_F(ExternalData, MayNotBeASymbolicLinkNorLieBehindOne) {
  const TemporaryFolder outside;
  outside.write("weights.bin", two_floats(1, 2));
  fs::create_symlink(outside.path("weights.bin"), folder.path("link.bin"));
  fs::create_directory_symlink(outside.root(), folder.path("linked"));
  expect(external("link.bin"), ErrorKind::model, {"symbolic link"});
  expect(external("linked/weights.bin"), ErrorKind::model, {"link"});
}

TEST_F(ExternalData, MayNotBeAHardLink) {
  const TemporaryFolder outside;
  outside.write("weights.bin", two_floats(1, 2));
  fs::create_hard_link(outside.path("weights.bin"), folder.path("weights.bin"));
  expect(external("weights.bin"), ErrorKind::model, {"hard link"});
}

TEST_F(ExternalData, MustBeARegularFileOfSufficientLength) {
  fs::create_directory(folder.path("data"));
  folder.write("weights.bin", two_floats(1, 2));
  expect(external("data"), ErrorKind::io, {"not a regular file"});
  expect(external("none.bin"), ErrorKind::model, {"cannot open the external data 'none.bin'"});
  expect(external("weights.bin", "4"), ErrorKind::model, {"too short", "offset 4"});
  expect(external("weights.bin", "9223372036854775807"), ErrorKind::model, {"too short"});
  expect(external("weights.bin", "-4"), ErrorKind::model, {"offset", "'-4'"});
  expect(external("weights.bin", "4x"), ErrorKind::model, {"offset", "'4x'"});
  expect(external("weights.bin", "0", "4"), ErrorKind::model, {"got 4 bytes", "expected 8"});
  expect(external("weights.bin", "0", "99999999999999999999"), ErrorKind::model, {"length"});
}

TEST_F(ExternalData, NeedsAFolder) {
  expect_refusal(ErrorKind::model, {"has no folder"}, [] { external("weights.bin").import(); });
}

TEST(Names, TwoValuesOfTheSameNameAreRefused) {
  ModelMaker twice = add_one();
  twice.node("Add", {"x", "w"}, {"y"}, "again");
  expect_refused(twice, ErrorKind::model, {"node 'again' (Add)", "same name", "'y'"});
  ModelMaker weights = add_one();
  weights.floats("w", {2}, {1, 1});
  expect_refused(weights, ErrorKind::model, {"same name", "'w'"});
  ModelMaker inputs = add_one();
  inputs.input("x", {1, 2});
  expect_refused(inputs, ErrorKind::model, {"two inputs", "'x'"});
  ModelMaker outputs = add_one();
  outputs.output("y");
  expect_refused(outputs, ErrorKind::model, {"two outputs", "'y'"});
}

TEST(Names, AnUndefinedInputIsRefusedNamingTheNode) {
  ModelMaker m = add_one();
  m.graph().mutable_node(0)->set_input(1, "ghost");
  expect_refused(m, ErrorKind::model, {"node 'sum' (Add)", "not defined", "'ghost'"});
  m.graph().mutable_node(0)->set_name("");
  expect_refused(m, ErrorKind::model, {"node #0 (Add)"});
}

TEST(Names, DoNotReachTheTerminalAsTheyAre) {
  ModelMaker m = add_one();
  m.graph().mutable_node(0)->set_input(1, "red\x1b[31m\nline");
  expect_refused(m, ErrorKind::model, {"'red?[31m?line'"});
}

TEST(Names, AnOutputThatNothingComputesIsRefused) {
  ModelMaker m = add_one();
  m.output("z");
  expect_refused(m, ErrorKind::model, {"output 'z'", "nothing in the model computes it"});
}

TEST(Names, ACycleIsRefusedNamingANodeOnIt) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("Add", {"x", "b"}, {"a"}, "first");
  m.node("Add", {"a", "x"}, {"b"}, "second");
  m.node("Add", {"b", "x"}, {"y"}, "after");
  try {
    m.import();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    const std::string what = error.what();
    EXPECT_NE(what.find("cycle"), std::string::npos) << what;
    EXPECT_TRUE(what.find("'first'") != std::string::npos || what.find("'second'") != std::string::npos) << what;
  }
}

TEST(Names, NodesMayComeInAnyOrder) {
  ModelMaker m;
  m.input("x", {1, 2}).output("y");
  m.node("Add", {"a", "x"}, {"y"}, "second");
  m.node("Add", {"x", "x"}, {"a"}, "first");
  EXPECT_EQ(m.import().graph.outputs.size(), 1U);
}

TEST(Names, AnInputWithoutTypeIsRefused) {
  ModelMaker m = add_one();
  m.graph().mutable_input(0)->clear_type();
  expect_refused(m, ErrorKind::model, {"input 'x'", "type is missing"});
}

}  // namespace
}  // namespace ascribe::core
