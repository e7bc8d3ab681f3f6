#include "study/records/content_hash.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "cli/study_room_file.h"
#include "data/open_dataset.h"
#include "onnx/model_maker.h"
#include "study/evaluate.h"
#include "support/errors.h"
#include "tensor/npy.h"

namespace ascribe::core::study {
namespace {

namespace fs = std::filesystem;

TEST(ContentHash, OfAFileIsThatOfItsBytes) {
  const TemporaryFolder folder;
  EXPECT_EQ(hash_of_file(folder.write("abc", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect_error(ErrorKind::io, "cannot open", [&] { hash_of_file(folder.path("none")); });
  expect_error(ErrorKind::io, "not a regular file", [&] { hash_of_file(folder.root().string()); });
}

// In the same tick of the clock, with the same size.
TEST(ContentHash, IsNotRememberedOfAFileThatWasJustWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "one");
  EXPECT_EQ(hash_of_file(path), sha256("one"));
  std::ofstream(path) << "two";
  EXPECT_EQ(hash_of_file(path), sha256("two"));
}

TEST(ContentHash, OfAFolderIsThatOfItsListing) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("b"));
  folder.write("c", "see");
  folder.write("b/a", "");
  const std::string listing = sha256("") + " 0 b/a\n" + sha256("see") + " 3 c\n";
  const Content content = content_at("input", folder.root().string());
  EXPECT_EQ(content.sha256, sha256(listing));
  EXPECT_EQ(content.files, 2);
  EXPECT_EQ(content.bytes, 3);
  fs::rename(folder.path("c"), folder.path("d"));
  EXPECT_NE(content_at("input", folder.root().string()).sha256, content.sha256) << "another name";
}

TEST(ContentHash, OfAnArrayKnowsItsTypeAndShape) {
  const Tensor a = Tensor::of<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(hash_of(a), hash_of(Tensor::of<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6})));
  EXPECT_NE(hash_of(a), hash_of(a.reshaped({3, 2})));
  EXPECT_NE(hash_of(a), hash_of(a.cast(DType::f64)));
  EXPECT_NE(hash_of(a), hash_of(Tensor::of<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 7})));
}

// y = x w, with w in another file.
std::string with_external_weights(const TemporaryFolder& folder) {
  ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  auto& tensor = *maker.graph().add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(2);
  tensor.add_dims(1);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& pair = *tensor.add_external_data();
  pair.set_key("location");
  pair.set_value("weights.bin");
  maker.node("MatMul", {"x", "w"}, {"y"});
  return folder.write("model.onnx", maker.bytes());
}

std::string floats(float a, float b) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &a, 4);
  std::memcpy(bytes.data() + 4, &b, 4);
  return bytes;
}

TEST(ContentHash, OfAModelHasItsExternalData) {
  const TemporaryFolder folder;
  folder.write("weights.bin", floats(1, 2));
  const std::string path = with_external_weights(folder);
  const std::string own = sha256(read_file(path));
  const std::string before = Subject::open({.path = path}).hash();
  EXPECT_NE(before, own);
  EXPECT_EQ(before, sha256(fmt::format("{} {} \n{} 8 weights.bin\n", own, fs::file_size(path), sha256(floats(1, 2)))));
  folder.write("weights.bin", floats(1, 3));
  EXPECT_NE(Subject::open({.path = path}).hash(), before) << "a weight has changed, and the .onnx file has not";
}

TEST(ContentHash, OfAModelInOneFileIsThatOfTheFile) {
  TemporaryFolder folder;
  const std::string path = study_room_file(folder);
  EXPECT_EQ(Subject::open({.path = path}).hash(), sha256(read_file(path)));
}

TEST(ContentHash, OfARequestHasEveryFileThatItNames) {
  TemporaryFolder folder;
  const Subject subject = Subject::open({.path = study_room_file(folder)});
  QuestionRequest request;
  request.rows.files = {folder.write("row.csv", "1,1,1,1\n")};
  request.labels = folder.write("labels", "l");
  request.baseline = "data:" + folder.write("base.csv", "b");
  request.players = "groups:" + folder.write("groups.json", "g");
  request.rows.preprocess = folder.write("pre.json", "p");
  request.tokens = folder.write("vocab.txt", "v");
  request.target = "class=2,mask=" + folder.write("mask.npy", "m");
  request.baselines = Tensor::of<double>({1, 4}, std::vector<double>(4, 0.0));
  const Json hashes = hashes_by_role(contents_of(subject, request));
  EXPECT_EQ(hashes["input"].text(), sha256("1,1,1,1\n"));
  EXPECT_EQ(hashes["labels"].text(), sha256("l"));
  EXPECT_EQ(hashes["players"].text(), sha256("g"));
  EXPECT_EQ(hashes["preprocess"].text(), sha256("p"));
  EXPECT_EQ(hashes["tokens"].text(), sha256("v"));
  EXPECT_EQ(hashes["target"].text(), sha256("m"));
  EXPECT_EQ(hashes["baseline"].text(), sha256(sha256("b") + "\n" + hash_of(request.baselines) + "\n"));
}

TEST(ContentHash, OfDataHasTheirLabelsAndBoxes) {
  const TemporaryFolder folder;
  const std::string table = folder.write("rows.csv", "a,b\n1,2\n3,4\n");
  const auto data = open_dataset(table);
  EXPECT_EQ(content_of_data(table, *data).sha256, hash_of_file(table));
  const std::string x = folder.write("x.npy", format_npy(Tensor::of<float>({2, 1}, std::vector<float>{1, 2})));
  const std::string y = folder.write("y.npy", format_npy(Tensor::of<int64_t>({2}, std::vector<int64_t>{0, 1})));
  DatasetOptions options;
  options.labels = y;
  const std::string before = content_of_data(x, *open_dataset(x, options)).sha256;
  folder.write("y.npy", format_npy(Tensor::of<int64_t>({2}, std::vector<int64_t>{1, 1})));
  EXPECT_NE(content_of_data(x, *open_dataset(x, options)).sha256, before);
}

// What the journal of evaluate did not notice when it knew names and shapes only.
TEST(ContentHash, TellsJournalsOfChangedDataAndWeightsApart) {
  TemporaryFolder folder;
  EvaluateRequest request;
  request.data = folder.write("rows.csv", "book,desk,lamp,clock\n1,1,1,1\n2,1,1,1\n");
  request.methods = {"occlusion"};
  request.metrics = {"completeness"};
  request.journal = folder.path("journal");
  const std::string model = study_room_file(folder);
  evaluate(Subject::open({.path = model}), request);
  EXPECT_EQ(evaluate(Subject::open({.path = model}), request).samples.size(), 2U) << "the same goes on";
  folder.write("rows.csv", "book,desk,lamp,clock\n1,1,1,1\n2,1,1,2\n");
  expect_error(ErrorKind::io, "sha256 of the data", [&] { evaluate(Subject::open({.path = model}), request); });
}

}  // namespace
}  // namespace ascribe::core::study
