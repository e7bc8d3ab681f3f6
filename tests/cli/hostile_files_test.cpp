// Files that ask for more than they are worth: every command that reads them refuses in one line, with little memory.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/sanitizer.h"
#include "cli/run_ascribe.h"
#include "cli/study_room_file.h"
#include "support/gzip.h"
#include "support/text.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

using namespace std::string_literals;

constexpr int64_t kMebibyte = int64_t{1} << 20;

// Whatever wants more than 400 MB fails, and says something else than the tests expect. The sanitizers need more.
Said run_with_little_memory(const std::vector<std::string>& arguments, const TemporaryFolder& folder) {
#ifdef ASCRIBE_ADDRESS_SANITIZER
  std::string command = "exec";
#else
  std::string command = "ulimit -d 500000; exec";
#endif
  command += fmt::format(" '{}'", ASCRIBE_BINARY);
  for (const std::string& argument : arguments) command += fmt::format(" '{}'", argument);
  const std::string out = folder.path("out.txt"), err = folder.path("err.txt");
  const int status = std::system(fmt::format("{} > '{}' 2> '{}' < /dev/null", command, out, err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out), read_file(err), 0};
}

#ifndef ASCRIBE_ADDRESS_SANITIZER  // which needs addresses by the terabyte
// A thread of OpenBLAS that gets none tries for ever, and exit would wait for it.
TEST(LittleMemory, OfAddressesIsAnErrorAndNoHang) {
  const TemporaryFolder folder;
  for (const int kibibytes : {150'000, 200'000, 260'000}) {
    const std::string err = folder.path("err.txt");
    const int status =
        std::system(fmt::format("ulimit -v {}; timeout 60 '{}' explain '{}' '{}' --method shapley --row 0 "
                                "> '{}' 2> '{}' < /dev/null",
                                kibibytes, ASCRIBE_BINARY, ASCRIBE_SOURCE_DIR "/models/tabular_mlp.onnx",
                                ASCRIBE_SOURCE_DIR "/models/tabular_sample.csv", folder.path("out.txt"), err)
                        .c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_TRUE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 8) << WEXITSTATUS(status) << read_file(err);
    EXPECT_EQ(read_file(err).empty(), WEXITSTATUS(status) == 0) << read_file(err);
  }
}
#endif

// ---- JSON ----

struct JsonReader {
  std::string name;
  std::function<std::vector<std::string>(TemporaryFolder& folder, const std::string& file)> arguments;
};

std::string rows(TemporaryFolder& folder) {
  return folder.write("rows.csv", "book,desk,lamp,clock\n1,1,1,1\n2,1,1,1\n");
}

// y = w e, where e are rows of a table by ids.
std::string token_model(TemporaryFolder& folder) {
  ModelMaker maker;
  maker.input("ids", {"N", 3}, onnx::TensorProto::INT64).output("y");
  maker.floats("table", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  maker.floats("w", {6, 2}, std::vector<float>(12, 1.0F));
  maker.node("Gather", {"table", "ids"}, {"e"});
  maker.node("Flatten", {"e"}, {"flat"});
  maker.node("MatMul", {"flat", "w"}, {"y"});
  return folder.write("tokens.onnx", maker.bytes());
}

// Every command and option that takes a file of JSON.
std::vector<JsonReader> json_readers() {
  const auto explain = [](TemporaryFolder& folder, const std::string& option, const std::string& value) {
    return std::vector<std::string>{
        "explain", study_room_file(folder), rows(folder), "--row", "0", "--method", "occlusion", option, value};
  };
  return {
      {"render",
       [](auto& folder, auto& file) {
         return std::vector<std::string>{"render", file, "-o", folder.path("page.html")};
       }},
      {"replay",
       [](auto&, auto& file) {
         return std::vector<std::string>{"replay", file};
       }},
      {"log",
       [](auto&, auto& file) {
         return std::vector<std::string>{"log", "verify", file};
       }},
      {"groups", [=](auto& folder, auto& file) { return explain(folder, "--players", "groups:" + file); }},
      {"preprocess", [=](auto& folder, auto& file) { return explain(folder, "--preprocess", file); }},
      {"labels", [=](auto& folder, auto& file) { return explain(folder, "--labels", file); }},
      {"tokens",
       [](auto& folder, auto& file) {
         return std::vector<std::string>{"explain",  token_model(folder), folder.write("a.ids", "1 2 3\n"),
                                         "--method", "occlusion",         "--tokens",
                                         file};
       }},
      {"journal",
       [](auto& folder, auto& file) {
         std::filesystem::create_directory(folder.root() / "out");
         std::filesystem::copy(file, folder.root() / "out" / "unfinished.journal");
         return std::vector<std::string>{
             "evaluate", study_room_file(folder), rows(folder), "--method",        "occlusion",
             "--metric", "completeness",          "-o",         folder.path("out")};
       }},
      {"reproduce",
       [](auto& folder, auto& file) {
         std::filesystem::create_directory(folder.root() / "made");
         std::filesystem::copy(file, folder.root() / "made" / "run.json");
         return std::vector<std::string>{"reproduce", "table3", "-o", folder.path("made")};
       }},
  };
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

struct Hostile {
  std::string name, text;
  bool may_be_meant = false;
};

std::vector<Hostile> hostile_documents() {
  return {{"deep lists", repeated("[", 1000000)},
          {"deep objects", repeated("{\"a\":", 1000000)},
          {"closed deep lists", repeated("[", 100000) + repeated("]", 100000)},
          {"a number too large", "{\"a\": 1e999}"},
          {"a key twice", "{\"a\": 1, \"a\": 2}"},
          {"nothing in it", "{}", true},
          {"an empty list", "[]"},
          {"a text", "\"text\""},
          {"null", "null"},
          {"NaN", "{\"a\": NaN}"},
          {"cut short", "{\"format\": \"ascri"},
          {"keys that mean nothing", "{\"rows\": 3, \"format\": [], \"experiments\": 7, \"log\": {}, \"model\": []}"}};
}

class HostileJson : public testing::TestWithParam<JsonReader> {};

TEST_P(HostileJson, IsRefusedInOneLine) {
  for (const Hostile& hostile : hostile_documents()) {
    TemporaryFolder folder;
    const std::string file = folder.write("hostile.json", hostile.text + "\n");
    const Said said = run_with_little_memory(GetParam().arguments(folder, file), folder);
    EXPECT_TRUE(said.code >= (hostile.may_be_meant ? 0 : 1) && said.code <= 7)
        << hostile.name << ": " << said.code << " " << said.err;
    EXPECT_LT(said.err.size(), 1000U) << hostile.name;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryReader, HostileJson, testing::ValuesIn(json_readers()),
                         [](const auto& one) { return one.param.name; });

// ---- bombs ----

struct Bomb {
  std::string name, file;
  std::function<std::string()> content;
  std::string complaint;
  std::function<std::vector<std::string>(TemporaryFolder& folder, const std::string& file)> arguments;
};

std::vector<std::string> predicted(TemporaryFolder& folder, const std::string& file) {
  return {"predict", study_room_file(folder), file};
}

std::vector<std::string> evaluated(TemporaryFolder& folder, const std::string& file) {
  return {"evaluate", study_room_file(folder), file, "--method", "occlusion", "--metric", "completeness", "--shuffle"};
}

std::string idx(uint32_t count) {
  std::string head = "\0\0\x08\2"s;
  for (const uint32_t extent : {count, 4U}) {
    for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(extent >> shift & 0xFF);
  }
  return head;
}

std::vector<Bomb> bombs() {
  const int kSize = 1024;  // MiB, in files of about one
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::string lie = npy_preamble("<f4", {2, 4}), endless = npy_preamble("|u1", {kMost});
  const std::string honest = npy_preamble("|u1", {int64_t{60} << 18, 4}),
                    wide = npy_preamble("|u1", {2, int64_t{30} << 20});
  return {
      {"npy_that_lies", "a.npy.gz", [=] { return gzip_bomb(lie, kSize); }, "too large", predicted},
      {"npy_that_grows", "a.npy.gz", [=] { return gzip_bomb(honest, 60); }, "the array is too large", predicted},
      {"npy_without_end", "a.npy.gz", [=] { return gzip_bomb(endless, 1); }, "does not hold", predicted},
      {"idx_that_lies", "a.idx.gz", [=] { return gzip_bomb(idx(7), kSize); }, "too large", predicted},
      {"idx_without_end", "a.idx.gz", [=] { return gzip_bomb(idx(0xFFFFFFFF), 1); }, "does not hold", predicted},
      {"table", "a.csv.gz", [=] { return gzip_bomb("book,desk,lamp,clock\n", kSize); }, "too large", predicted},
      {"table_of_small_numbers", "a.csv.gz", [=] { return gzip(repeated("1\n", 30 << 20)); }, "more than", predicted},
      {"ids", "a.ids.gz", [=] { return gzip(repeated("1\n", 30 << 20)); }, "more than", predicted},
      {"data_set_of_lines", "a.csv.gz", [=] { return gzip_bomb("book,desk,lamp,clock\n1,1,1,1\n", kSize); },
       "longer than", evaluated},
      {"data_set_without_end", "a.npy.gz", [=] { return gzip_bomb(endless, 1); }, "does not hold", evaluated},
      {"data_set_of_wide_rows", "a.npy.gz", [=] { return gzip_bomb(wide, 60); }, "a row of", evaluated},
      {"idx_data_set_without_end", "a.idx.gz", [=] { return gzip_bomb(idx(0xFFFFFFFF), 1); }, "does not hold",
       evaluated},
  };
}

class Bombs : public testing::TestWithParam<Bomb> {};

TEST_P(Bombs, AreRefusedWithLittleMemory) {
  TemporaryFolder folder;
  const std::string content = GetParam().content();
  ASSERT_LT(std::ssize(content), 2 * kMebibyte);
  const std::string file = folder.write(GetParam().file, content);
  const Said said = run_with_little_memory(GetParam().arguments(folder, file), folder);
  EXPECT_EQ(said.code, 5) << said.err;
  EXPECT_NE(said.err.find(GetParam().complaint), std::string::npos) << said.err;
}

INSTANTIATE_TEST_SUITE_P(Packed, Bombs, testing::ValuesIn(bombs()), [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace ascribe::core
