#include "study/records/content_hash.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/sha256.h"
#include "base/watch.h"
#include "onnx/external_files.h"
#include "study/evaluate.h"
#include "study/records/named_files.h"
#include "study/sample_questions.h"

namespace ascribe::core::study {

namespace {

namespace fs = std::filesystem;

constexpr size_t kPiece = size_t{1} << 20;
constexpr time_t kSettled = 2;  // seconds: a file that was written just now may change again within a tick of its clock
constexpr size_t kMostFiles = 10'000'000;

// What tells a file's content from an earlier one without reading it.
using FileState = std::tuple<dev_t, ino_t, off_t, time_t, long, time_t, long>;

FileState state_of(const struct stat& info) {
  return {info.st_dev,          info.st_ino,         info.st_size,        info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

std::mutex known_lock;
std::map<FileState, std::string> known_hashes;

std::string hash_of_descriptor(int file, const std::string& name) {
  struct stat info {};
  if (::fstat(file, &info) != 0) fail(ErrorKind::io, name, "cannot read the file; {}", std::strerror(errno));
  if (!S_ISREG(info.st_mode)) fail(ErrorKind::io, name, "not a regular file");
  const FileState state = state_of(info);
  {
    const std::lock_guard lock(known_lock);
    if (const auto found = known_hashes.find(state); found != known_hashes.end()) return found->second;
  }
  const time_t begun = ::time(nullptr);
  Sha256 hash;
  std::string piece(kPiece, '\0');
  for (off_t at = 0;;) {
    poll();
    const ssize_t count = ::pread(file, piece.data(), piece.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(ErrorKind::io, name, "cannot read the file; {}", std::strerror(errno));
    if (count == 0) break;
    hash.add(std::string_view(piece).substr(0, static_cast<size_t>(count)));
    at += count;
  }
  const std::string digits = hash.digits();
  struct stat after {};
  const bool same = ::fstat(file, &after) == 0 && state_of(after) == state;
  if (same && std::max(info.st_mtim.tv_sec, info.st_ctim.tv_sec) + kSettled < begun) {
    const std::lock_guard lock(known_lock);
    known_hashes[state] = digits;
  }
  return digits;
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) fail(ErrorKind::io, path, "cannot open the file; {}", std::strerror(errno));
  }
  ~OpenFile() { ::close(file_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

int64_t size_of_file(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) fail(ErrorKind::io, path, "cannot read the file; {}", error.message());
  return static_cast<int64_t>(size);
}

// Several files under names.
class Listing {
 public:
  void add(const std::string& name, const std::string& sha256, int64_t bytes) {
    lines_.emplace_back(name, fmt::format("{} {} {}\n", sha256, bytes, name));
    bytes_ += bytes;
  }

  Content content(const std::string& role, const std::string& name) {
    std::sort(lines_.begin(), lines_.end());
    Sha256 hash;
    for (const auto& [file, line] : lines_) hash.add(line);
    return {role, name, false, hash.digits(), bytes_, std::ssize(lines_)};
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
  int64_t bytes_ = 0;
};

std::vector<std::string> files_beneath(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file()) paths.push_back(at->path().string());
    if (paths.size() > kMostFiles) fail(ErrorKind::io, folder, "the folder has more than {} files", kMostFiles);
  }
  if (error) fail(ErrorKind::io, folder, "cannot read the folder; {}", error.message());
  return paths;
}

// "a/b.png" of "data/a/b.png" beneath "data"; of what lies elsewhere, the file's name.
std::string name_beneath(const std::string& path, const std::string& root) {
  const fs::path relative = fs::path(path).lexically_normal().lexically_relative(fs::path(root).lexically_normal());
  const bool beneath = !relative.empty() && *relative.begin() != ".." && relative != ".";
  return beneath ? relative.generic_string() : fs::path(path).filename().string();
}

}  // namespace

Json to_json(const Content& content) {
  Json json = Json::object({{"role", content.role},
                            {content.in_memory ? "name" : "path", content.name},
                            {"sha256", content.sha256},
                            {"bytes", content.bytes}});
  if (content.files != 1) json["files"] = content.files;
  return json;
}

std::string hash_of_file(const std::string& path) { return hash_of_descriptor(OpenFile(path).get(), path); }

Content content_at(const std::string& role, const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    Listing listing;
    for (const std::string& file : files_beneath(path)) {
      listing.add(name_beneath(file, path), hash_of_file(file), size_of_file(file));
    }
    return listing.content(role, path);
  }
  return {role, path, false, hash_of_file(path), size_of_file(path), 1};
}

Content content_of_files(const std::string& role, const std::string& root, std::vector<std::string> paths) {
  if (paths.size() == 1) {
    Content one = content_at(role, paths[0]);
    one.name = root;
    return one;
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  Listing listing;
  for (const std::string& path : paths) listing.add(name_beneath(path, root), hash_of_file(path), size_of_file(path));
  return listing.content(role, root);
}

Content content_of_bytes(const std::string& role, const std::string& name, std::string_view bytes) {
  return {role, name, true, sha256(bytes), std::ssize(bytes), 1};
}

std::string hash_of(const Tensor& values) {
  Sha256 hash;
  hash.add(fmt::format("{} {}\n", to_string(values.dtype()), to_string(values.shape())));
  hash.add({static_cast<const char*>(values.memory()), values.bytes()});
  return hash.digits();
}

Content content_of_array(const std::string& role, const std::string& name, const Tensor& values) {
  return {role, name, true, hash_of(values), static_cast<int64_t>(values.bytes()), 1};
}

Content content_of_model(const std::string& path) {
  const std::vector<ExternalFile> external = external_files(path);
  if (external.empty()) return content_at("model", path);
  Listing listing;
  // A name that no location has, so that the file may be renamed.
  listing.add("", hash_of_file(path), size_of_file(path));
  for (const ExternalFile& one : external) {
    listing.add(one.location, hash_of_descriptor(one.source.descriptor(), one.location), one.source.size());
  }
  return listing.content("model", path);
}

Content content_of_data(const std::string& name, Dataset& data) {
  if (!data.files.empty()) return content_of_files("data", name, data.files);
  Sha256 hash;
  int64_t bytes = 0;
  for (int64_t i = 0; i < data.size(); ++i) {
    poll();
    const std::string sample = bytes_of(data.read(i));
    hash.add(fmt::format("{}\n", sample.size()));
    hash.add(sample);
    bytes += std::ssize(sample);
  }
  return {"data", name, true, hash.digits(), bytes, 1};
}

// ---- everything that a request names ----

std::vector<Content> contents_of(const Subject& subject, const QuestionRequest& request) {
  std::vector<Content> contents;
  const RowSource& rows = request.rows;
  for (const NamedFile& file : files_named(subject, request)) {
    const FileBytes* known = rows.find_in_memory(file.path);
    contents.push_back(known != nullptr ? content_of_bytes(file.role, file.path, known->bytes)
                                        : content_at(file.role, file.path));
  }
  for (const FileBytes& file : rows.contents) contents.push_back(content_of_bytes("input", file.name, file.bytes));
  for (const GivenArray& array : rows.arrays) contents.push_back(content_of_array("input", array.input, array.values));
  if (!request.baselines.empty()) contents.push_back(content_of_array("baseline", "", request.baselines));
  if (!request.target_weights.empty()) contents.push_back(content_of_array("target", "", request.target_weights));
  return contents;
}

std::vector<Content> contents_of(const Subject& subject, const EvaluateRequest& request, Dataset& data) {
  QuestionRequest question = request.question;
  question.rows.files.clear();  // they are the data
  question.rows.contents.clear();
  question.rows.arrays.clear();
  std::vector<Content> contents = {content_of_data(request.data.empty() ? "data" : request.data, data)};
  for (Content& content : contents_of(subject, question)) contents.push_back(std::move(content));
  for (const auto& [name, rows] : request.method_baselines) {
    contents.push_back(content_of_array("baselines of " + name, "", rows));
  }
  for (const auto& [name, rows] : request.method_noise) {
    contents.push_back(content_of_array("noise of " + name, "", rows));
  }
  return contents;
}

Json hashes_by_role(const std::vector<Content>& contents) {
  std::map<std::string, std::vector<std::string>> found;
  for (const Content& content : contents) found[content.role].push_back(content.sha256);
  Json json = Json::object();
  for (const auto& [role, hashes] : found) {
    std::string together;
    for (const std::string& hash : hashes) together += hash + "\n";
    json[role] = hashes.size() == 1 ? hashes[0] : sha256(together);
  }
  return json;
}

}  // namespace ascribe::core::study
