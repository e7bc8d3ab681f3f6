#include "serve/data_rows.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/utf8.h"
#include "data/image.h"
#include "study/asked.h"

namespace ascribe::core::serve {

namespace {

constexpr int64_t kMostRows = 10'000'000;
constexpr size_t kMostPictures = 100'000;  // of a folder
constexpr size_t kLongestName = 120;
constexpr size_t kMagic = 16;  // bytes that tell what a file is

bool looks_like_picture(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(kMagic, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  return is_image(begin);
}

std::vector<std::string> pictures_in(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (found.size() >= kMostPictures) break;
    if (at->is_regular_file(error) && looks_like_picture(at->path())) found.push_back(at->path().string());
  }
  if (error) fail(ErrorKind::io, folder.string(), "cannot be read: {}", error.message());
  if (found.empty()) fail(ErrorKind::io, folder.string(), "the folder holds no .png or .jpg files");
  std::sort(found.begin(), found.end());
  return found;
}

// The same reading of other files.
study::RowSource reading(const study::RowSource& source) {
  study::RowSource empty = source;
  empty.files.clear();
  empty.contents.clear();
  return empty;
}

}  // namespace

std::string harmless_name(std::string_view name) {
  const size_t slash = name.find_last_of("/\\");
  if (slash != name.npos) name.remove_prefix(slash + 1);
  std::string kept;
  for (const char c : mended_utf8(name)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '=') continue;
    kept += c;
  }
  if (kept.size() > kLongestName) {  // the end says what kind of file it is
    size_t from = kept.size() - kLongestName;
    while (from < kept.size() && (static_cast<unsigned char>(kept[from]) & 0xC0U) == 0x80U) ++from;
    kept = kept.substr(from);
  }
  return kept.empty() ? "file" : kept;
}

DataRows::DataRows(const study::Subject& subject, study::RowSource source) {
  std::vector<std::string> inputs;
  for (const DeclaredValue& input : subject.declared_inputs()) inputs.push_back(input.name);
  const bool named = std::any_of(source.files.begin(), source.files.end(), [&](const std::string& file) {
    return !study::named_path(file, inputs).input.empty();
  });
  if (named || !source.contents.empty()) {
    add_part(subject, std::move(source));
    return;
  }
  for (const std::string& file : source.files) {
    study::RowSource part = reading(source);
    part.files = {file};
    if (!std::filesystem::is_directory(file)) {
      add_part(subject, std::move(part));
      continue;
    }
    for (std::string& picture : pictures_in(file)) {
      part.files = {picture};
      parts_.push_back(part);
      entries_.push_back({parts_.size() - 1, -1, std::filesystem::path(picture).lexically_relative(file).string()});
    }
  }
}

void DataRows::add_part(const study::Subject& subject, study::RowSource part) {
  parts_.push_back(std::move(part));
  const study::RowSource& source = parts_.back();
  if (source.files.size() == 1 && looks_like_picture(source.files[0])) {
    entries_.push_back({parts_.size() - 1, -1, std::filesystem::path(source.files[0]).filename().string()});
    return;
  }
  std::vector<std::string> notes;
  const study::Subject sized = study::sized(subject, source, notes);
  const study::ModelInputs inputs = study::read_inputs(sized.outer(), source, sized.model().precision(), notes);
  const auto rows = std::ssize(inputs.sources);
  if (rows + count() > kMostRows) {
    fail(ErrorKind::shape, source.where(), "got {} rows; expected at most {}", rows, kMostRows);
  }
  for (int64_t row = 0; row < rows; ++row) {
    entries_.push_back({parts_.size() - 1, rows == 1 ? -1 : row, inputs.sources[static_cast<size_t>(row)]});
  }
}

void DataRows::check(int64_t row) const {
  if (row >= 0 && row < count()) return;
  if (count() == 0) fail(ErrorKind::argument, "row", "got row {}; there are no data yet", row);
  fail(ErrorKind::argument, "row", "got row {}; expected one of 0 to {}", row, count() - 1);
}

const std::string& DataRows::name(int64_t row) const {
  check(row);
  return entries_[static_cast<size_t>(row)].name;
}

study::RowSource DataRows::row(int64_t number) const { return rows(number, 1); }

int64_t DataRows::together(int64_t first, int64_t most) const {
  check(first);
  const Entry& begin = entries_[static_cast<size_t>(first)];
  int64_t found = 1;
  while (begin.row >= 0 && found < most && first + found < count() &&
         entries_[static_cast<size_t>(first + found)].part == begin.part) {
    ++found;
  }
  return found;
}

study::RowSource DataRows::rows(int64_t first, int64_t number) const {
  check(first);
  check(first + number - 1);
  const Entry& entry = entries_[static_cast<size_t>(first)];
  study::RowSource source = parts_[entry.part];
  if (entry.row >= 0) source.rows = {fmt::format("{}:{}", entry.row, entry.row + number)};
  return source;
}

}  // namespace ascribe::core::serve
