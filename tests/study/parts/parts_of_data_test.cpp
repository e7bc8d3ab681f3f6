// Data sets in parts: whatever the shards, the batches and the threads, what comes out of the merge is the same.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/random.h"
#include "cli/study_room_file.h"
#include "report/evaluation_files.h"
#include "report/merged_files.h"
#include "study/parts/evaluate_part.h"
#include "study/parts/explain_part.h"
#include "study/parts/explained_rows.h"
#include "support/errors.h"
#include "tensor/npy.h"
#include "tensor/zip.h"

namespace ascribe::core::study {
namespace {

constexpr int64_t kRows = 23;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The arrays of numbers; names are text, which is nobody's input.
std::vector<Array> parse_npz_without_names(const std::string& bytes) {
  std::vector<Array> arrays;
  for (const ZipEntry& entry : read_zip(bytes, "npz")) {
    if (entry.name == "names.npy") continue;
    arrays.push_back(parse_npy(entry.bytes, entry.name));
    arrays.back().name = entry.name.substr(0, entry.name.size() - 4);
  }
  return arrays;
}

class PartsOfData : public testing::Test {
 protected:
  PartsOfData() : room_(Subject::open({.path = study_room_file(folder_), .precision = DType::f64})) {}

  // Row `bad`, if there is one, has no number where one is expected.
  std::string rows(int64_t bad = -1) {
    std::string text = "book,desk,lamp,clock\n";
    for (int64_t i = 0; i < kRows; ++i) {
      for (uint64_t j = 0; j < 4; ++j) {
        text += i == bad && j == 2 ? std::string("nan") : fmt::format("{}", number(i, j));
        text += j < 3 ? "," : "\n";
      }
    }
    return folder_.write(fmt::format("rows{}.csv", bad), text);
  }
  static double number(int64_t row, uint64_t column) {
    return std::round(1e6 * (0.5 + Random(7, static_cast<uint64_t>(row)).uniform(column))) / 1e6;
  }

  ExplainRequest explaining(const std::string& data) const {
    ExplainRequest request;
    request.question.rows.files = {data};
    request.methods = {"shapley", "integrated_gradients", "expected_gradients", "lime"};
    request.settings = {"shapley.exact=1", "shapley.samples=8", "lime.samples=20"};
    request.run.seed = 3;
    return request;
  }

  EvaluateRequest evaluating(const std::string& data) const {
    EvaluateRequest request;
    request.data = data;
    request.methods = {"occlusion", "shapley", "expected_gradients"};
    request.metrics = {"completeness", "infidelity_gaussian", "max_sensitivity", "order_spectrum"};
    request.samples = 0;
    request.run.seed = 3;
    return request;
  }

  std::string place(const std::string& name) const { return folder_.path(name); }

  // All shards, the last first.
  void explain_in(const std::string& name, int64_t shards, ExplainRequest request, int64_t batch) {
    for (int64_t i = shards; i >= 1; --i) explain_part(room_, request, {place(name), {i, shards}, 0, batch});
  }
  std::string merged(const std::string& name) {
    const std::string out = place(name + ".npz");
    merge_parts(WholeWork(place(name)), place(name), {.out = out});
    return read_file(out);
  }

  TemporaryFolder folder_;
  Subject room_;
};

// ---- explain ----

TEST_F(PartsOfData, ExplanationsAreTheSameForAnyShardsBatchesAndThreads) {
  const ExplainRequest request = explaining(rows());
  explain_in("one", 1, request, 0);
  const std::string expected = merged("one");
  ExplainRequest slow = request;
  slow.run.threads = 1;
  explain_in("three", 3, slow, 4);
  EXPECT_EQ(merged("three"), expected);
  explain_in("eight", 8, request, 2);
  EXPECT_EQ(merged("eight"), expected);
  explain_in("many", 40, request, 1);  // some of them have nothing to do
  EXPECT_EQ(merged("many"), expected);
  EXPECT_EQ(parts_in(place("many")).size(), static_cast<size_t>(kRows));
}

TEST_F(PartsOfData, ValuesAreThoseOfExplain) {
  const ExplainRequest request = explaining(rows());
  const ExplainResult whole = explain(room_, request);
  explain_in("parts", 3, request, 4);
  const std::vector<Array> arrays = parse_npz_without_names(merged("parts"));
  const auto array = [&](const std::string& name) -> const Tensor& {
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const Array& one) { return one.name == name; });
    if (found == arrays.end()) throw std::out_of_range(name);
    return found->values;
  };
  for (size_t m = 0; m < whole.methods.size(); ++m) {
    const std::string& name = whole.methods[m].name();
    for (size_t row = 0; row < whole.rows.size(); ++row) {
      const Attribution& a = whole.methods[m].attributions[row];
      for (size_t p = 0; p < a.values.size(); ++p) {
        ASSERT_EQ(array(name).at(static_cast<int64_t>(row * a.values.size() + p)), a.values[p]) << name << row;
      }
      ASSERT_EQ(array(name + "_residual").at(static_cast<int64_t>(row)), a.residual);
      ASSERT_EQ(array("outputs").at(static_cast<int64_t>(row)), a.output);
    }
  }
  EXPECT_EQ(array("shapley_standard_error").shape(), (Shape{kRows, 4}));
  EXPECT_EQ(array("numbers").at(kRows - 1), kRows - 1.0);
}

TEST_F(PartsOfData, AStoppedShardGoesOn) {
  const ExplainRequest request = explaining(rows());
  explain_in("one", 1, request, 4);
  int told = 0;
  ExplainRequest stopped = request;
  stopped.run.progress = [&](std::string_view, int64_t done, int64_t) {
    if (done > 9 && ++told > 2) cancel();
  };
  expect_error(ErrorKind::cancelled, "", [&] { explain_part(room_, stopped, {place("two"), {1, 1}, 0, 4}); });
  EXPECT_TRUE(says(WholeWork(place("two")).problems().at(0), "unfinished"));
  const PartResult rest = explain_part(room_, request, {place("two"), {1, 1}, 0, 4});
  EXPECT_LT(rest.computed, kRows);
  EXPECT_GT(rest.computed, 0);
  EXPECT_EQ(read_file(parts_in(place("two"))[0].path), read_file(parts_in(place("one"))[0].path));
  EXPECT_TRUE(explain_part(room_, request, {place("two"), {1, 1}, 0, 4}).was_finished);
  ExplainRequest other = request;
  other.run.seed = 4;
  expect_error(ErrorKind::io, "seed: 3 there, 4 now", [&] {
    explain_part(room_, other, {place("two"), {1, 1}, 0, 4});
  });
}

TEST_F(PartsOfData, ASampleThatFailsIsARowWithItsError) {
  const PartResult part = explain_part(room_, explaining(rows(5)), {place("parts"), {1, 1}, 0, 4});
  EXPECT_EQ(part.failed, 1);
  EXPECT_TRUE(says(part.first_error, "not finite") || says(part.first_error, "nan")) << part.first_error;
  const MergedParts all = merge_parts(WholeWork(place("parts")), place("parts"), {});
  EXPECT_EQ(all.failed, 1);
  EXPECT_EQ(all.samples, kRows);
  const Json manifest = parse_json(read_file(place("parts/merged.json")), "manifest");
  ASSERT_EQ(manifest["errors"].size(), 1U);
  EXPECT_EQ(manifest["errors"].items()[0]["number"], Json(5));
  for (const Array& array : parse_npz_without_names(read_file(place("parts/merged.npz")))) {
    if (array.name == "failed") {
      EXPECT_EQ(array.values.at(5), 1);
    }
    if (array.name == "shapley") {
      EXPECT_TRUE(std::isnan(array.values.at(5 * 4)));
    }
    if (array.name == "shapley") {
      EXPECT_FALSE(std::isnan(array.values.at(6 * 4)));
    }
  }
}

// What a worker that holds some rows in memory finds is what one machine finds in the file.
TEST_F(PartsOfData, RowsThatSayTheirNumbersAreThoseOfTheData) {
  const std::string file = rows();
  ExplainRequest request = explaining(file);
  request.question.players = "elements";  // arrays have no columns
  explain_in("file", 1, request, 8);
  ExplainRequest some = request;
  some.question.rows.files.clear();
  for (const std::vector<int64_t>& numbers :
       {std::vector<int64_t>{16, 17, 18, 19, 20, 21, 22}, std::vector<int64_t>{8, 10, 9, 15, 14, 13, 12, 11},
        std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}}) {
    std::vector<double> values;
    for (const int64_t row : numbers) {
      for (uint64_t j = 0; j < 4; ++j) values.push_back(number(row, j));
    }
    some.question.rows.arrays = {{"", Tensor::of<double>({std::ssize(numbers), 4}, values)}};
    some.question.rows.numbers = numbers;
    const PartResult part = explain_part(room_, some, {place("memory"), {}, kRows, 8});
    EXPECT_EQ(explain_part(room_, some, {place("memory"), {}, kRows, 8}).path, part.path);
  }
  const std::vector<Array> expected = parse_npz_without_names(merged("file")),
                           found = parse_npz_without_names(merged("memory"));
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].name);
    EXPECT_EQ(format_npy(found[i].values), format_npy(expected[i].values)) << found[i].name;
  }
  some.question.rows.numbers.back() = kRows;
  expect_error(ErrorKind::argument, "items", [&] { explain_part(room_, some, {place("memory"), {}, kRows, 8}); });
}

TEST_F(PartsOfData, ATableHasALineForEachSampleAndMethod) {
  explain_in("parts", 2, explaining(rows(5)), 4);
  merge_parts(WholeWork(place("parts")), place("parts"), {.out = place("all.csv")});
  const std::string table = read_file(place("all.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 4 * kRows);
  EXPECT_TRUE(
      table.starts_with("sample,name,method,target,about,output,baseline_output,residual,error,book,desk,lamp"));
  expect_error(ErrorKind::io, "exists already",
               [&] { merge_parts(WholeWork(place("parts")), place("parts"), {.out = place("all.csv")}); });
}

TEST_F(PartsOfData, MethodsThatNobodyNamedAreLeftOutOfAllShards) {
  ExplainRequest request = explaining(rows());
  request.methods = {"all"};
  request.settings = {"shapley.samples=8"};
  explain_in("one", 1, request, 8);
  explain_in("three", 3, request, 4);
  EXPECT_EQ(merged("one"), merged("three"));
  const Json manifest = parse_json(read_file(place("three.json")), "manifest");
  EXPECT_GT(manifest["left_out"].size(), 0U);  // Grad-CAM has no layer to look at
}

TEST_F(PartsOfData, WhatPartsCannotHoldIsRefused) {
  ExplainRequest request = explaining(rows());
  request.allocations = true;
  expect_error(ErrorKind::argument, "allocations", [&] { explain_part(room_, request, {place("parts")}); });
  EXPECT_FALSE(std::filesystem::exists(place("parts")));
}

// ---- evaluate ----

std::vector<NamedBytes> files_of(const EvaluateResult& result) {
  std::vector<NamedBytes> files = evaluation_files(result, to_json(result), to_markdown(result));
  std::erase_if(files, [](const NamedBytes& file) { return file.name == "timings.json"; });
  return files;
}

void expect_same_files(const std::vector<NamedBytes>& a, const std::vector<NamedBytes>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].bytes, b[i].bytes) << a[i].name;
  }
}

TEST_F(PartsOfData, ScoresAndIntervalsAreThoseOfOneMachine) {
  const EvaluateRequest request = evaluating(rows());
  const std::vector<NamedBytes> expected = files_of(evaluate(room_, request));
  ASSERT_EQ(expected.size(), 6U);
  for (const int64_t shards : {1, 3, 8}) {
    EvaluateRequest cut = request;
    cut.batch = shards == 1 ? 0 : shards - 1;
    cut.run.threads = static_cast<int>(shards % 2 + 1);
    const std::string name = fmt::format("evaluation{}", shards);
    for (int64_t i = shards; i >= 1; --i) evaluate_part(room_, cut, {place(name), {i, shards}});
    expect_same_files(files_of(merged_evaluation(WholeWork(place(name)))), expected);
    merge_parts(WholeWork(place(name)), place(name), {});
    EXPECT_EQ(read_file(place(name) + "/merged/scores.csv"), expected.at(3).bytes);
  }
}

TEST_F(PartsOfData, ChosenSamplesAreThoseOfOneMachine) {
  EvaluateRequest request = evaluating(rows(5));
  request.shuffle = true;
  request.samples = 17;
  request.skip = 2;
  const EvaluateResult whole = evaluate(room_, request);
  const std::vector<NamedBytes> expected = files_of(whole);
  for (int64_t i = 1; i <= 3; ++i) evaluate_part(room_, request, {place("parts"), {i, 3}});
  request.batch = 3;
  expect_same_files(files_of(merged_evaluation(WholeWork(place("parts")))), expected);
  EXPECT_EQ(whole.seen.read, 17);
}

TEST_F(PartsOfData, WhatDoesNotSuitIsDecidedByTheFirstSampleOfAll) {
  EvaluateRequest request = evaluating(rows(0));  // which fails
  request.methods = {"all"};
  request.settings = {"shapley.samples=8"};
  request.metrics = {"completeness", "sparseness"};
  request.batch = 4;
  const std::vector<NamedBytes> expected = files_of(evaluate(room_, request));
  for (int64_t i = 1; i <= 4; ++i) evaluate_part(room_, request, {place("parts"), {i, 4}});
  expect_same_files(files_of(merged_evaluation(WholeWork(place("parts")))), expected);
  EXPECT_EQ(merged_evaluation(WholeWork(place("parts"))).seen.failed, 1);
}

TEST_F(PartsOfData, ANumberOfCorrectSamplesIsRefusedAndAllAreNot) {
  std::string table = "book,desk,lamp,clock,class\n";
  for (int64_t i = 0; i < 12; ++i) table += fmt::format("{},1,1,1,{}\n", number(i, 0), i % 2 == 0 ? 0 : 1);
  EvaluateRequest request = evaluating(folder_.write("classes.csv", table));
  request.options.labels = "class";
  request.only_correct = true;
  request.samples = 4;
  expect_error(ErrorKind::argument, "which a part of the work cannot know", [&] {
    evaluate_part(room_, request, {place("parts"), {1, 2}});
  });
  request.samples = 0;
  const EvaluateResult whole = evaluate(room_, request);
  EXPECT_GT(whole.seen.wrong, 0);
  request.batch = 2;
  for (int64_t i = 1; i <= 3; ++i) evaluate_part(room_, request, {place("parts"), {i, 3}});
  expect_same_files(files_of(merged_evaluation(WholeWork(place("parts")))), files_of(whole));
}

// ---- what the numbers of a block may not do ----

TEST(ExplainedRows, AreReadAsTheyWereWritten) {
  ExplainedRows rows;
  rows.layouts = {{"columns", {2}, 2, {"a", "b"}, {0, 1}}};
  PartRow row{7, "row 7", "", 0, 1, "class 1", 0.25, -1e-300, {}};
  row.answers.push_back({"", {1, -0.0}, {0.5, 0.25}, 1e-17, 3, INFINITY, 12, false, {"a note"}});
  row.answers.push_back({"no", {}, {}, 0, 0, 0, 0, true, {}});
  rows.rows = {row, {8, "row 8", "it is not finite", 0, -1, "", 0, 0, {}}};
  const std::string body = body_of(rows);
  const ExplainedRows read = explained_rows(body, 2, "x");
  EXPECT_EQ(body_of(read), body);
  EXPECT_EQ(read.rows[0].answers[0].values, row.answers[0].values);
  EXPECT_EQ(read.rows[0].answers[0].degrees_of_freedom, INFINITY);
  EXPECT_EQ(read.rows[1].error, "it is not finite");
  expect_error(ErrorKind::io, "answers", [&] { explained_rows(body, 3, "x"); });
  for (size_t length = 0; length < body.size(); ++length) {
    expect_error(ErrorKind::io, "", [&] { explained_rows(body.substr(0, length), 2, "x"); });
  }
}

TEST(ExplainedRows, RefuseSizesThatAreNotThere) {
  const auto body = [](const std::string& json) {
    const auto length = static_cast<uint64_t>(json.size());
    return std::string(reinterpret_cast<const char*>(&length), 8) + json;
  };
  for (const char* json :
       {R"({"layouts":[{"description":"","row":[2147483648,2147483648],"players":1,"names":[]}],"rows":[],"notes":[]})",
        R"({"layouts":[{"description":"","row":[1000000000],"players":1,"names":[]}],"rows":[],"notes":[]})",
        R"({"layouts":[{"description":"","row":[0],"players":3,"names":["a"]}],"rows":[],"notes":[]})",
        R"({"layouts":[],"rows":[{"number":0,"name":"","layout":0,"target":0,"about":"","answers":[]}],"notes":[]})",
        R"({"layouts":[],"rows":[{"number":-1,"name":"","error":"x"}],"notes":[]})", R"([])", R"({)"}) {
    expect_error(ErrorKind::io, "", [&] { explained_rows(body(json), 0, "x"); });
  }
}

}  // namespace
}  // namespace ascribe::core::study
