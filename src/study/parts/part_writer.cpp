#include "study/parts/part_writer.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/watch.h"
#include "study/parts/part_folder.h"

namespace ascribe::core::study {

namespace {

namespace fs = std::filesystem;

constexpr double kBetweenSyncs = 1;  // seconds: what a failing machine may lose; a killed process loses nothing

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

[[noreturn]] void cannot(const fs::path& path, std::string_view what) {
  fail(ErrorKind::io, path.string(), "cannot {} the part; {}", what, std::strerror(errno));
}

void write_all(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot(path, "write");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void sync_folder(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);  // some file systems cannot, and then need not
  ::close(file);
}

bool same_file(int file, const fs::path& path) {
  struct stat opened {
  }, there{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &there) == 0 && opened.st_ino == there.st_ino &&
         opened.st_dev == there.st_dev;
}

// Whether a finished part is there that need not be written: all of it is checked.
bool is_finished(const fs::path& path, const PartHeader& header, bool force) {
  if (!fs::exists(fs::symlink_status(path))) return false;
  try {
    PartReader part(path);
    if (const std::string other = differences(part.header(), header); !other.empty()) {
      fail(ErrorKind::io, path.string(),
           "a part of other work is here ({}); `force` replaces it, or choose another folder", other);
    }
    if (part.header().holds != header.holds) {
      fail(ErrorKind::io, path.string(), "the part holds items {}; expected {}", items_text(part.header().holds),
           items_text(header.holds));
    }
    while (part.next()) poll();
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io || !force) throw;
    return false;
  }
}

// Nothing: not even the header is whole.
std::optional<PartReader> beginning_of(const fs::path& growing) {
  try {
    return PartReader(growing, true);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    return std::nullopt;
  }
}

}  // namespace

PartWriter::PartWriter(const fs::path& folder, PartHeader header, bool force)
    : folder_(folder), path_(folder / header.file_name()), header_(std::move(header)) {
  growing_ = folder_ / (path_.stem().string() + std::string(kGrowingSuffix));
  make_folder(folder_);
  if (!force) check_neighbours(folder_, header_);
  finished_ = is_finished(path_, header_, force);
  if (finished_) {
    done_ = header_.holds;
    return;
  }
  open_growing();
  try {
    // Another run may have finished it while this one waited for nothing.
    finished_ = is_finished(path_, header_, force);
    if (finished_) ::unlink(growing_.c_str());
    else go_on(force);
  } catch (...) {
    ::close(file_);
    throw;
  }
  if (finished_) done_ = header_.holds;
}

PartWriter::~PartWriter() {
  if (file_ >= 0) ::close(file_);
}

void PartWriter::open_growing() {
  while (true) {
    file_ = ::open(growing_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file_ < 0) cannot(growing_, "open");
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(file_);
      fail(ErrorKind::io, growing_.string(), "another run is writing this part; wait until it ends");
    }
    if (same_file(file_, growing_)) return;
    ::close(file_);  // it was finished and renamed between the two
  }
}

void PartWriter::go_on(bool force) {
  std::optional<PartReader> part = beginning_of(growing_);
  const std::string other = part ? differences(part->header(), header_) : "";
  if (!other.empty() && !force) {
    fail(ErrorKind::io, growing_.string(),
         "unfinished work with other settings is here ({}); `force` discards it, or choose another folder", other);
  }
  int64_t whole = 0;
  if (part && other.empty() && part->header().holds == header_.holds) {
    while (part->next()) poll();
    whole = part->position();
    done_ = part->items();
    blocks_ = part->blocks();
    sum_ = part->sha256_so_far();
  }
  if (::ftruncate(file_, static_cast<off_t>(whole)) != 0) cannot(growing_, "write");
  if (whole == 0) write(part_beginning(header_));
}

bool PartWriter::knows(const Items& items) const {
  return std::all_of(items.begin(), items.end(), [&](const ItemRange& range) { return has_items(done_, range); });
}

void PartWriter::write(std::string_view bytes) {
  const off_t before = ::lseek(file_, 0, SEEK_END);
  try {
    write_all(file_, bytes, growing_);
  } catch (...) {
    if (::ftruncate(file_, before) != 0) blocks_ = -1;  // nothing may follow what is torn
    throw;
  }
  sum_.add(bytes);
  if (now() - synced_ < kBetweenSyncs) return;
  if (::fdatasync(file_) != 0) cannot(growing_, "write");
  synced_ = now();
}

void PartWriter::append(const PartBlock& block) {
  require(file_ >= 0 && !finished_ && blocks_ >= 0, path_.string(), "a part that is being written");
  Items together = done_;
  for (const ItemRange& range : block.items) {
    require(add_items(together, range), path_.string(), "items are written once");
  }
  write(part_frame(block));
  done_ = std::move(together);
  ++blocks_;
}

void PartWriter::finish() {
  if (finished_) return;
  require(done_ == header_.holds, path_.string(), "a part is finished when all its items are there");
  write(part_end(blocks_, count_of(done_), sum_.digits()));
  if (::fsync(file_) != 0) cannot(growing_, "write");
  if (::rename(growing_.c_str(), path_.c_str()) != 0) cannot(path_, "finish");
  sync_folder(folder_);
  finished_ = true;
}

namespace {

// Gives whether it is there now; false: something was there before.
bool link_whole(const fs::path& folder, const fs::path& path, std::string_view bytes, bool replace) {
  const fs::path temporary = fmt::format("{}.{}-{}.tmp", path.string(), ::getpid(), now());
  int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
  const bool nameless = file >= 0;
  if (!nameless) file = ::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) cannot(path, "write");
  bool there = true;
  try {
    write_all(file, bytes, path);
    if (::fsync(file) != 0) cannot(path, "write");
    const std::string source = nameless ? fmt::format("/proc/self/fd/{}", file) : temporary.string();
    const int follow = nameless ? AT_SYMLINK_FOLLOW : 0;
    if (replace) {
      if (nameless && ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, temporary.c_str(), follow) != 0) {
        cannot(path, "write");
      }
      if (::rename(temporary.c_str(), path.c_str()) != 0) cannot(path, "write");
    } else if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), follow) != 0) {
      if (errno != EEXIST) cannot(path, "write");
      there = false;
    }
  } catch (...) {
    ::close(file);
    ::unlink(temporary.c_str());
    throw;
  }
  ::close(file);
  if (!nameless) ::unlink(temporary.c_str());
  sync_folder(folder);
  return there;
}

}  // namespace

std::string write_part(const fs::path& folder, const PartHeader& header, std::span<const PartBlock> blocks,
                       bool force) {
  const fs::path path = folder / header.file_name();
  Items items;
  std::string bytes = part_beginning(header);
  for (const PartBlock& block : blocks) {
    for (const ItemRange& range : block.items) {
      if (!add_items(items, range)) {
        fail(ErrorKind::argument, "part", "items {} are there twice; expected each once", items_text({range}));
      }
    }
    bytes += part_frame(block);
  }
  if (items != header.holds) {
    fail(ErrorKind::argument, "part", "got items {}; expected {}", items_text(items), items_text(header.holds));
  }
  bytes += part_end(std::ssize(blocks), count_of(items), sha256(bytes));
  make_folder(folder);
  bool replace = false;
  while (true) {
    if (link_whole(folder, path, bytes, replace)) return path.string();
    if (is_finished(path, header, force)) return path.string();
    replace = true;  // forced, or it is gone again
  }
}

}  // namespace ascribe::core::study
