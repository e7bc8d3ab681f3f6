#include "study/parts/game_part.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/watch.h"
#include "study/parts/merged_game.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/small_networks.h"
#include "tensor/npy.h"

namespace ascribe::core::study {
namespace {

namespace fs = std::filesystem;

// A network of 16 elements, the last four of which belong to one player: 13 players, 8 subcubes of 1024 sets.
class GamePart : public testing::Test {
 protected:
  static Subject subject(uint64_t seed = 1) {
    return Subject::of(Model::of(small_mlp("tanh", seed), {.precision = DType::f64}), "small");
  }
  DecomposeRequest request(double shift = 0) const {
    std::vector<double> row;
    for (uint64_t i = 0; i < 16; ++i) row.push_back(Random(3).normal(i) + shift);
    DecomposeRequest what;
    what.question.rows.arrays = {{"", Tensor::of<double>({1, 1, 4, 4}, row)}};
    for (int32_t i = 0; i < 16; ++i) what.question.owners.push_back(std::min(i, 12));
    what.question.target = "1";
    return what;
  }
  std::string parts(const std::string& name = "parts") const { return folder_.path(name); }
  GamePartResult shard(int64_t number, int64_t count, const DecomposeRequest& what, const std::string& folder) const {
    return game_part(subject(), {what, folder, {number, count}});
  }
  void all_shards(int64_t count, const DecomposeRequest& what, const std::string& folder) const {
    for (int64_t i = count; i >= 1; --i) shard(i, count, what, folder);
  }
  static MergedGame merged(const std::string& folder, const MergedGameRequest& how = {}) {
    return merged_game(WholeWork(folder), how);
  }
  static std::set<std::string> names_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
    return names;
  }
  static std::string some_part(const std::string& folder, int which = 3) {
    const std::set<std::string> names = names_in(folder);
    return folder + "/" + *std::next(names.begin(), which);
  }

  TemporaryFolder folder_;
};

// But for what only one of them has.
std::string document(Json json) {
  for (const char* key : {"seconds", "parts", "notes", "shapley", "banzhaf", "index"}) json.erase(key);
  return json.dump();
}

TEST_F(GamePart, AnyNumberOfShardsGivesWhatOneProcessSays) {
  const DecomposeRequest what = request();
  const DecomposeResult whole = decompose(subject(), what);
  std::set<std::string> names;
  for (const int64_t count : {1, 3, 10}) {
    const std::string folder = parts("of_" + std::to_string(count));
    all_shards(count, what, folder);
    if (names.empty()) names = names_in(folder);
    EXPECT_EQ(names_in(folder), names);  // the same files, whoever wrote them
    EXPECT_EQ(names.size(), 8U);
    for (const size_t memory : {size_t{1} << 16, size_t{1} << 30}) {
      MergedGameRequest how;
      how.memory = memory;
      how.table = folder_.path("table.npy");
      how.overwrite = true;
      const MergedGame game = merged(folder, how);
      EXPECT_EQ(document(to_json(game)), document(to_json(whole)));
      const Array table = parse_npy(read_file(how.table), how.table);
      ASSERT_EQ(table.values.shape(), (Shape{1 << 13}));
      EXPECT_TRUE(
          std::equal(whole.exact->values.begin(), whole.exact->values.end(), table.values.data<double>().begin()));
    }
  }
}

TEST_F(GamePart, ShapleyValuesAndIndicesAreThoseOfTheWholeGame) {
  DecomposeRequest what = request();
  what.index = "sii";
  all_shards(2, what, parts());
  const MergedGame game = merged(parts());
  const DecomposeResult whole = decompose(subject(), what);
  // The two add in another order.
  ASSERT_EQ(game.index_values.effects.size(), whole.index_values->effects.size());
  for (size_t i = 0; i < game.index_values.effects.size(); ++i) {
    EXPECT_EQ(game.index_values.effects[i].support, whole.index_values->effects[i].support);
    EXPECT_NEAR(game.index_values.effects[i].value, whole.index_values->effects[i].value, 1e-13);
  }
  double sum = 0;
  for (size_t p = 0; p < 13; ++p) {
    EXPECT_NEAR(game.shapley[p], game.index_values.effects[p].value, 1e-13);
    sum += game.shapley[p];
  }
  EXPECT_NEAR(sum, whole.summary.change(), 1e-13);
  what.index = "banzhaf";
  const DecomposeResult banzhaf = decompose(subject(), what);
  for (size_t p = 0; p < 13; ++p) EXPECT_NEAR(game.banzhaf[p], banzhaf.index_values->effects[p].value, 1e-13);
}

TEST_F(GamePart, WhatIsThereIsNotComputedAgain) {
  const DecomposeRequest what = request();
  EXPECT_EQ(shard(1, 2, what, parts()).computed, 4);
  const GamePartResult again = shard(1, 2, what, parts());
  EXPECT_EQ(again.computed, 0);
  EXPECT_EQ(again.evaluations, 0);
  // Others may share what is left in another way.
  int64_t computed = 0;
  for (int64_t i = 1; i <= 5; ++i) computed += shard(i, 5, what, parts()).computed;
  EXPECT_EQ(computed, 4);
  EXPECT_EQ(merged(parts()).parts, 8);
}

TEST_F(GamePart, GoesOnAfterItWasStopped) {
  DecomposeRequest what = request();
  int calls = 0;
  what.run.progress = [&](std::string_view task, int64_t done, int64_t total) {
    EXPECT_LE(done, total);
    if (task == "masked inputs" && done > total / 3 && ++calls > 0) cancel();
  };
  expect_error(ErrorKind::cancelled, "", [&] { shard(1, 1, what, parts()); });
  const size_t before = names_in(parts()).size();
  EXPECT_GE(before, 1U);
  EXPECT_LE(before, 4U);
  what.run.progress = {};
  EXPECT_EQ(shard(1, 1, what, parts()).computed, 8 - static_cast<int64_t>(before));
  EXPECT_EQ(document(to_json(merged(parts()))), document(to_json(decompose(subject(), what))));
}

TEST_F(GamePart, MissingAndDamagedPartsAreNamedAndMended) {
  const DecomposeRequest what = request();
  all_shards(2, what, parts());
  const std::string gone = some_part(parts()), hurt = some_part(parts(), 6);
  fs::remove(gone);
  expect_error(ErrorKind::io, "3", [&] { merged(parts()); });
  std::string bytes = read_file(hurt);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(hurt, bytes, true);
  expect_error(ErrorKind::io, fs::path(hurt).filename().string(), [&] { merged(parts()); });
  int64_t computed = 0;
  for (int64_t i = 1; i <= 2; ++i) computed += shard(i, 2, what, parts()).computed;
  EXPECT_EQ(computed, 2);
  EXPECT_EQ(document(to_json(merged(parts()))), document(to_json(decompose(subject(), what))));
}

TEST_F(GamePart, PartsOfOtherGamesAreRefused) {
  const DecomposeRequest what = request();
  all_shards(1, what, parts());
  // Another row, another target, another network.
  expect_error(ErrorKind::io, "other work", [&] { shard(1, 1, request(0.5), parts()); });
  DecomposeRequest target = what;
  target.question.target = "2";
  expect_error(ErrorKind::io, "target", [&] { shard(1, 1, target, parts()); });
  DecomposeRequest baseline = what;
  baseline.question.baseline = "value:1";
  expect_error(ErrorKind::io, "baselines", [&] { shard(1, 1, baseline, parts()); });
  // One of them smuggled in.
  all_shards(1, request(0.5), parts("other"));
  const std::string name = fs::path(some_part(parts())).filename().string();
  fs::copy_file(parts("other") + "/" + name, parts() + "/" + name, fs::copy_options::overwrite_existing);
  expect_error(ErrorKind::io, name, [&] { merged(parts()); });
  // The same part twice.
  fs::remove(parts() + "/" + name);
  shard(1, 1, what, parts());
  fs::copy_file(parts() + "/" + name, parts() + "/copy.part");
  expect_error(ErrorKind::io, "copy.part", [&] { merged(parts()); });
}

TEST_F(GamePart, SaysWhatManyPlayersCostBeforeItBegins) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 26}});
  b.output("y", b.op("relu", {b.matmul(x, b.constant(random_tensor({26, 1}, 4)))}));
  const Subject wide = Subject::of(Model::of(graph, {.precision = DType::f64}), "wide");
  DecomposeRequest what;
  what.question.rows.arrays = {{"", Tensor::of<double>({1, 26}, std::vector<double>(26, 1.0))}};
  const auto error = error_of([&] { game_part(wide, {what, parts(), {1, 8}}); });
  ASSERT_TRUE(error);
  for (const char* part : {"2^26", "6.71e+07 evaluations", "537 MB", "a second", "each of 8 shards", "`force`"}) {
    EXPECT_NE(error->message().find(part), std::string::npos) << error->message();
  }
  EXPECT_FALSE(fs::exists(parts()));
}

TEST_F(GamePart, WhatItCannotShareIsRefused) {
  const auto refused = [&](ErrorKind kind, const char* part, auto&& change) {
    DecomposeRequest what = request();
    change(what);
    expect_error(kind, part, [&] { shard(1, 1, what, parts()); });
    EXPECT_FALSE(fs::exists(parts())) << part;
  };
  refused(ErrorKind::argument, "`taylor`", [](DecomposeRequest& what) { what.taylor = 2; });
  refused(ErrorKind::argument, "`order`", [](DecomposeRequest& what) { what.order = 2; });
  refused(ErrorKind::argument, "`and-or`", [](DecomposeRequest& what) { what.and_or = true; });
  refused(ErrorKind::unsupported, "sgv", [](DecomposeRequest& what) { what.index = "sgv"; });
}

}  // namespace
}  // namespace ascribe::core::study
