#include "study/records/recorded_files.h"

#include "base/sha256.h"

namespace ascribe::core::study {

namespace fs = std::filesystem;

RecordedFiles::RecordedFiles(const std::map<std::string, std::vector<std::string>>& replaced,
                             const std::vector<std::string>& folders, const std::string& where, const JsonPlace& record)
    : replaced_(replaced), folders_(folders), folder_(fs::path(where).parent_path()) {
  for (const JsonPlace& place : record.at("contents").items()) {
    Recorded one;
    one.role = place.text("role");
    one.in_memory = !place.has("path");
    one.name = place.text(one.in_memory ? "name" : "path");
    one.sha256 = place.text("sha256");
    if (!one.sha256.empty() && !is_sha256(one.sha256)) place.at("sha256").refuse("is not a SHA-256");
    one.bytes = place.at("bytes").whole(0, int64_t{1} << 62);
    if (place.has("files")) one.files = place.at("files").whole(1, int64_t{1} << 40);
    recorded_.push_back(std::move(one));
  }
}

std::string RecordedFiles::locate(const std::string& role, const std::string& named) {
  const size_t number = counts_[role]++;
  if (const auto* given_now = given(role); given_now != nullptr && number < given_now->size()) {
    return (*given_now)[number];
  }
  const fs::path path(named), file = path.lexically_normal().filename();
  std::vector<fs::path> places = {path};
  if (path.is_relative()) places.push_back(folder_ / path);
  for (const std::string& folder : folders_) {
    if (path.is_relative()) places.push_back(fs::path(folder) / path);
    places.push_back(fs::path(folder) / file);
  }
  places.push_back(folder_ / file);
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (fs::exists(place, ignored)) return place.string();
  }
  return named;
}

const Content* RecordedFiles::next(const std::string& role, bool in_memory) {
  for (Recorded& one : recorded_) {
    if (one.used || one.role != role || one.in_memory != in_memory) continue;
    one.used = true;
    return &one;
  }
  return nullptr;
}

const std::vector<std::string>* RecordedFiles::given(const std::string& role) const {
  const auto found = replaced_.find(role);
  return found == replaced_.end() ? nullptr : &found->second;
}

std::vector<const Content*> RecordedFiles::left() const {
  std::vector<const Content*> list;
  for (const Recorded& one : recorded_) {
    if (!one.used) list.push_back(&one);
  }
  return list;
}

}  // namespace ascribe::core::study
