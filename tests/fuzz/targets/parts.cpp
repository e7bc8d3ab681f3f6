// Parts of shared work and what they become together. An input is the bytes of a part, or says in JSON what parts hold,
// and gets the checksums that it should have:
//
//   {"header": {...}, "blocks": [{"items": [[0, 2]], "json": {...}, "numbers": [1.5, ...], "whole": [0, ...]}]}
//
// A body is the JSON; with numbers its length stands before, the numbers (8 bytes) and whole numbers (4 bytes) behind.
#include <filesystem>

#include "fuzz/target.h"
#include "report/merged_files.h"
#include "study/parts/part_folder.h"

namespace ascribe::core::fuzz::target_parts {
namespace {

using namespace study;

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string body_of(const JsonPlace& block) {
  std::string body;
  if (!block.has("numbers")) return block.has("json") ? block.at("json").json().dump(-1) : body;
  if (block.has("json")) {
    const std::string text = block.at("json").json().dump(-1);
    put<uint64_t>(body, text.size());
    body += text;
  }
  if (block.has("whole")) {
    for (const JsonPlace& one : block.at("whole").items()) {
      put<int32_t>(body, static_cast<int32_t>(one.whole(-2147483648, 2147483647)));
    }
  }
  for (const JsonPlace& one : block.at("numbers").items()) put<double>(body, one.finite());
  return body;
}

Items items_of_block(const JsonPlace& block) {
  Items items;
  for (const JsonPlace& range : block.at("items").items()) {
    if (range.length() != 2) range.complain("the first item and the end");
    items.push_back({range.item(0).whole(0, int64_t{1} << 62), range.item(1).whole(0, int64_t{1} << 62)});
  }
  return items;
}

// With the hash of the settings, which nobody can mutate.
PartHeader header_of(const JsonPlace& place) {
  Json json = place.json();
  if (!json.is_object()) place.complain("an object");
  PartHeader identity;
  identity.kind = place.text("kind");
  identity.model = place.text("model");
  identity.seed = std::strtoull(place.text("seed").c_str(), nullptr, 10);
  identity.version = place.text("version");
  identity.precision = place.text("precision");
  identity.items = place.at("items").whole(0, int64_t{1} << 62);
  identity.settings = place.at("settings").json();
  json["settings_sha256"] = identity.settings_hash();
  return part_header(JsonPlace(json, "header"));
}

std::string part_of(const JsonPlace& place, const PartHeader& header) {
  std::string bytes = part_beginning(header);
  int64_t blocks = 0, items = 0;
  for (const JsonPlace& one : place.at("blocks").items()) {
    const PartBlock block{items_of_block(one), body_of(one)};
    bytes += part_frame(block);
    ++blocks;
    for (const ItemRange& range : block.items) items += std::max<int64_t>(0, range.end - range.first) & 0xffffff;
  }
  return bytes + part_end(blocks, items, sha256(bytes));
}

void read_raw(const std::string& bytes) {
  const std::string path = scratch_file("raw.part", bytes);
  for (const bool growing : {true, false}) {
    PartReader reader(path, growing);
    while (reader.next()) hold(reader.position() <= std::ssize(bytes), "a part is read to its end");
  }
}

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  if (text.starts_with("ascribe part")) return read_raw(text);
  const Json json = parse_json(text, "fuzz.json");
  const JsonPlace place(json, "fuzz.json");
  const PartHeader header = header_of(place.at("header"));
  if (header.items > 1 << 12 || header.kind.find_first_of(std::string("/\0", 2)) != std::string::npos) return;
  const std::string folder = fresh_scratch_folder("parts");
  // A kind may be no name of a file.
  const std::string name = header.file_name();
  const bool usable = name.size() < 200 && name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
  scratch_file("parts/" + (usable ? name : "forged.part"), part_of(place, header));
  const WholeWork whole(folder);
  whole.check();
  MergeRequest request;
  request.force = true;
  request.memory = size_t{1} << 22;
  merge_parts(whole, folder, request);
}

const RegisterTarget registered({"parts", "parts of shared work, merged", Form::json, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_parts
