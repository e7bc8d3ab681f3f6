#include "study/parts/part_file.h"

#include <cstdlib>
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "base/file.h"
#include "study/parts/part_folder.h"
#include "study/parts/part_writer.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

// In memory, where waiting for the disk takes no time.
class QuickFolder {
 public:
  QuickFolder() {
    const bool memory = std::filesystem::is_directory("/dev/shm");
    std::string name =
        ((memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) / "ascribe.XXXXXX")
            .string();
    root_ = ::mkdtemp(name.data());
  }
  ~QuickFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  QuickFolder(const QuickFolder&) = delete;
  QuickFolder& operator=(const QuickFolder&) = delete;
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

PartHeader header_of(Items holds, int64_t items = 10) {
  PartHeader header;
  header.kind = "explain";
  header.model = "abc";
  header.seed = 18446744073709551615ULL;
  header.precision = "f64";
  header.settings = Json::object({{"methods", "shapley"}, {"steps", 4}});
  header.items = items;
  header.holds = std::move(holds);
  return header;
}

std::string body_of(int64_t item) { return fmt::format("body of {}", item); }

PartBlock block_of(int64_t first, int64_t end) {
  PartBlock block{{{first, end}}, ""};
  for (int64_t i = first; i < end; ++i) block.body += body_of(i);
  return block;
}

// Two items a block, as a worker would: what is known is not computed again.
void work(PartWriter& part, int64_t first, int64_t end) {
  if (part.finished()) return;
  for (int64_t i = first; i < end; i += 2) {
    const PartBlock block = block_of(i, std::min(i + 2, end));
    if (!part.knows(block.items)) part.append(block);
  }
  part.finish();
}

std::string whole_part(const std::filesystem::path& folder, int64_t first, int64_t end) {
  PartWriter part(folder, header_of({{first, end}}));
  work(part, first, end);
  return part.path().string();
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string complaint_about(const std::filesystem::path& folder) {
  try {
    WholeWork(folder).check();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    return error.what();
  }
  return "";
}

TEST(Items, AreJoinedWhereTheyTouch) {
  Items items;
  for (const int64_t first : {4, 0, 2, 8}) EXPECT_TRUE(add_items(items, {first, first + 2}));
  EXPECT_EQ(items, (Items{{0, 6}, {8, 10}}));
  EXPECT_EQ(count_of(items), 8);
  EXPECT_FALSE(add_items(items, {5, 7}));
  EXPECT_FALSE(add_items(items, {7, 9}));
  EXPECT_EQ(items, (Items{{0, 6}, {8, 10}}));
  EXPECT_TRUE(has_items(items, {1, 6}));
  EXPECT_FALSE(has_items(items, {5, 9}));
  EXPECT_TRUE(add_items(items, {6, 8}));
  EXPECT_EQ(items, (Items{{0, 10}}));
}

TEST(Items, OfNumbersInAnyOrder) {
  EXPECT_EQ(items_of(std::vector<int64_t>{7, 1, 2, 0, 9}), (Items{{0, 3}, {7, 8}, {9, 10}}));
  EXPECT_EQ(items_text(items_of(std::vector<int64_t>{7, 1, 2, 0, 9})), "0 to 2, 7, 9");
  expect_error(ErrorKind::argument, "twice", [&] { items_of(std::vector<int64_t>{3, 4, 3}); });
}

TEST(PartFile, HasWhatWasWritten) {
  const QuickFolder folder;
  const std::string path = whole_part(folder.root(), 0, 5);
  EXPECT_TRUE(path.ends_with("explain-000000-000004.part"));
  PartReader part(path);
  EXPECT_EQ(part.header().seed, 18446744073709551615ULL);
  EXPECT_EQ(part.header().settings_hash(), header_of({{0, 5}}).settings_hash());
  std::string bodies;
  while (const auto block = part.next()) bodies += block->body;
  EXPECT_EQ(bodies, block_of(0, 5).body);
  EXPECT_EQ(part.items(), (Items{{0, 5}}));
  EXPECT_FALSE(std::filesystem::exists(folder.root() / "explain-000000-000004.part.growing"));
}

TEST(PartFile, TheNameFollowsFromTheItems) {
  EXPECT_EQ(header_of({{512, 576}}, 10000000).file_name(), "explain-00000512-00000575.part");
  const std::string some = header_of({{0, 2}, {4, 6}}).file_name(), others = header_of({{0, 3}, {5, 6}}).file_name();
  EXPECT_NE(some, others);
  EXPECT_TRUE(some.starts_with("explain-000000-000005-"));
}

// A run that is stopped at any moment leaves some beginning of the file, whatever the disk has of it.
TEST(PartWriter, GoesOnFromAnyBeginning) {
  const QuickFolder folder;
  const std::string path = whole_part(folder.root(), 0, 5), whole = read_file(path);
  std::filesystem::remove(path);
  const std::string growing = path + ".growing";
  for (size_t length = 0; length <= whole.size(); ++length) {
    write_file(growing, whole.substr(0, length), true);
    EXPECT_EQ(whole_part(folder.root(), 0, 5), path);
    ASSERT_EQ(read_file(path), whole) << length;
    ASSERT_FALSE(std::filesystem::exists(growing));
    std::filesystem::remove(path);
  }
}

TEST(PartWriter, TakesNothingThatIsDamagedFromAnUnfinishedPart) {
  const QuickFolder folder;
  const std::string path = whole_part(folder.root(), 0, 5), whole = read_file(path);
  std::filesystem::remove(path);
  for (size_t at = 0; at < whole.size(); at += 3) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
    write_file(path + ".growing", flipped, true);
    whole_part(folder.root(), 0, 5);
    ASSERT_EQ(read_file(path), whole) << at;
    std::filesystem::remove(path);
  }
}

TEST(PartWriter, SkipsWhatIsFinished) {
  const QuickFolder folder;
  whole_part(folder.root(), 0, 4);
  PartWriter again(folder.root(), header_of({{0, 4}}));
  EXPECT_TRUE(again.finished());
  EXPECT_TRUE(again.knows({{0, 4}}));
}

TEST(PartWriter, RefusesOtherWorkUnlessForced) {
  const QuickFolder folder;
  const std::string path = whole_part(folder.root(), 0, 4);
  PartHeader other = header_of({{0, 4}});
  other.settings["steps"] = 5;
  expect_error(ErrorKind::io, "settings.steps: 4 there, 5 now", [&] { PartWriter(folder.root(), other); });
  {
    PartWriter part(folder.root(), other, true);
    EXPECT_FALSE(part.finished());
    work(part, 0, 4);
  }
  EXPECT_EQ(PartReader(path).header().settings_hash(), other.settings_hash());
  // The same for a part of other items, and for one that is not finished.
  expect_error(ErrorKind::io, "settings.steps: 5 there, 4 now", [&] {
    PartWriter(folder.root(), header_of({{4, 8}}));
  });
  std::filesystem::rename(path, path + ".growing");
  expect_error(ErrorKind::io, "settings.steps: 5 there, 4 now", [&] {
    PartWriter(folder.root(), header_of({{0, 4}}));
  });
}

TEST(PartWriter, RefusesAnotherCutOfTheSameWork) {
  const QuickFolder folder;
  whole_part(folder.root(), 0, 4);
  expect_error(ErrorKind::io, "cut into other shards", [&] { PartWriter(folder.root(), header_of({{2, 6}})); });
}

TEST(PartWriter, OneAtATime) {
  const QuickFolder folder;
  PartWriter first(folder.root(), header_of({{0, 4}}));
  expect_error(ErrorKind::io, "another run is writing this part", [&] {
    PartWriter(folder.root(), header_of({{0, 4}}));
  });
}

TEST(WritePart, TwiceIsOnce) {
  const QuickFolder folder;
  const PartHeader header = header_of({{0, 2}, {4, 6}});
  const std::vector<PartBlock> blocks = {block_of(0, 2), block_of(4, 6)};
  const std::string path = write_part(folder.root(), header, blocks), bytes = read_file(path);
  EXPECT_EQ(write_part(folder.root(), header, blocks), path);
  EXPECT_EQ(read_file(path), bytes);
  EXPECT_EQ(parts_in(folder.root()).size(), 1U);
  // As a worker that takes its time would write it.
  std::filesystem::remove(path);
  {
    PartWriter slow(folder.root(), header);
    for (const PartBlock& block : blocks) slow.append(block);
    slow.finish();
  }
  EXPECT_EQ(read_file(path), bytes);
}

TEST(WritePart, RefusesOtherItemsThanItsHeaderSays) {
  const QuickFolder folder;
  expect_error(ErrorKind::argument, "got items 0 to 1; expected 0 to 3", [&] {
    write_part(folder.root(), header_of({{0, 4}}), std::vector{block_of(0, 2)});
  });
  expect_error(ErrorKind::argument, "twice", [&] {
    write_part(folder.root(), header_of({{0, 2}}), std::vector{block_of(0, 2), block_of(0, 2)});
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder.root()));
}

TEST(WritePart, ReplacesADamagedPartOnlyIfForced) {
  const QuickFolder folder;
  const std::vector<PartBlock> blocks = {block_of(0, 2)};
  const std::string path = write_part(folder.root(), header_of({{0, 2}}), blocks), whole = read_file(path);
  write_file(path, whole.substr(0, whole.size() - 1), true);
  expect_error(ErrorKind::io, "damaged", [&] { write_part(folder.root(), header_of({{0, 2}}), blocks); });
  EXPECT_EQ(write_part(folder.root(), header_of({{0, 2}}), blocks, true), path);
  EXPECT_EQ(read_file(path), whole);
}

// ---- a whole work ----

TEST(WholeWork, GoesThroughTheItemsInOrder) {
  const QuickFolder folder;
  whole_part(folder.root(), 6, 10);
  const std::vector<PartBlock> mixed = {{{{0, 1}, {5, 6}}, "a"}, {{{1, 5}}, "b"}};
  write_part(folder.root(), header_of({{0, 6}}), mixed);
  const WholeWork whole(folder.root());
  std::string bodies;
  for (const auto& place : whole.places()) bodies += whole.block(place).body + fmt::format("+{};", place.before);
  EXPECT_EQ(bodies, "a+0;b+0;a+1;" + block_of(6, 8).body + "+0;" + block_of(8, 10).body + "+0;");
}

TEST(WholeWork, NamesEachFlippedByte) {
  const QuickFolder folder;
  whole_part(folder.root(), 0, 5);
  const std::string path = whole_part(folder.root(), 5, 10), whole = read_file(path);
  EXPECT_EQ(complaint_about(folder.root()), "");
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    write_file(path, flipped, true);
    ASSERT_TRUE(says(complaint_about(folder.root()), "explain-000005-000009.part")) << at;
  }
  for (size_t length = 0; length < whole.size(); ++length) {
    write_file(path, whole.substr(0, length), true);
    ASSERT_TRUE(says(complaint_about(folder.root()), "explain-000005-000009.part")) << length;
  }
  write_file(path, whole + "x", true);
  EXPECT_TRUE(says(complaint_about(folder.root()), "1 bytes follow its end"));
}

TEST(WholeWork, NamesWhatIsMissingDoubledForeignAndUnfinished) {
  const QuickFolder folder;
  whole_part(folder.root(), 0, 2);
  whole_part(folder.root(), 4, 6);
  const std::string missing = complaint_about(folder.root());
  EXPECT_TRUE(says(missing, "missing: items 2 to 3, 6 to 9 of 10 are in no part")) << missing;

  write_part(folder.root(), header_of({{1, 5}}), std::vector{block_of(1, 5)});
  const std::string doubled = complaint_about(folder.root());
  EXPECT_TRUE(says(doubled, "explain-000001-000004.part: doubled: explain-000000-000001.part has items 1 too"))
      << doubled;
  EXPECT_TRUE(says(doubled, "explain-000004-000005.part: doubled: explain-000001-000004.part has items 4 too"))
      << doubled;
  EXPECT_TRUE(says(doubled, "missing: items 6 to 9 of 10")) << doubled;
  std::filesystem::remove(folder.root() / "explain-000001-000004.part");

  PartHeader foreign = header_of({{6, 10}});
  foreign.version = "0.0.1";
  write_part(folder.root(), foreign, std::vector{block_of(6, 10)});
  const std::string other = complaint_about(folder.root());
  EXPECT_TRUE(says(other, "explain-000006-000009.part: foreign: of other work (version: 0.0.1 there")) << other;
  EXPECT_TRUE(says(other, "missing: items 2 to 3, 6 to 9")) << other;
  std::filesystem::remove(folder.root() / "explain-000006-000009.part");

  {
    PartWriter unfinished(folder.root(), header_of({{6, 10}}));
    unfinished.append(block_of(6, 8));
  }
  const std::string part = complaint_about(folder.root());
  EXPECT_TRUE(says(part, "explain-000006-000009.part.growing: unfinished: 2 of 4 items are there")) << part;
  EXPECT_TRUE(says(part, "missing: items 2 to 3 of 10")) << part;
}

TEST(WholeWork, OfAnEmptyFolderIsNone) {
  const QuickFolder folder;
  EXPECT_TRUE(says(complaint_about(folder.root()), "there are no parts"));
  expect_error(ErrorKind::io, "cannot read the folder", [&] { WholeWork(folder.root() / "not there"); });
}

// Headers that somebody made up, with the right checksums.
TEST(PartReader, RefusesHostileHeaders) {
  const QuickFolder folder;
  const auto refusal = [&](const std::function<void(Json&)>& change) {
    Json json = to_json(header_of({{0, 2}}));
    change(json);
    const std::string path = (folder.root() / "x").string();
    try {
      part_header(JsonPlace(json, path));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal([](Json&) {}), "");
  EXPECT_NE(refusal([](Json& json) { json["ascribe_part"] = 2; }), "");
  EXPECT_NE(refusal([](Json& json) { json["items"] = -1; }), "");
  EXPECT_NE(refusal([](Json& json) { json["items"] = 1e300; }), "");
  EXPECT_NE(refusal([](Json& json) { json["seed"] = "-1"; }), "");
  EXPECT_NE(refusal([](Json& json) { json["holds"] = Json::list(); }), "");
  EXPECT_NE(refusal([](Json& json) { json["holds"] = parse_json("[[2,0]]", "x"); }), "");
  EXPECT_NE(refusal([](Json& json) { json["holds"] = parse_json("[[0,11]]", "x"); }), "");
  EXPECT_NE(refusal([](Json& json) { json["holds"] = parse_json("[[0,5],[4,6]]", "x"); }), "");
  EXPECT_NE(refusal([](Json& json) { json["settings"] = 3; }), "");
  EXPECT_TRUE(says(refusal([](Json& json) { json["precision"] = "f32"; }), "settings_sha256"));
  EXPECT_NE(refusal([](Json& json) { json.erase("about"); }), "");
}

}  // namespace
}  // namespace ascribe::core::study
