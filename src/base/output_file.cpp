#include "base/output_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& path) {
  fail(ErrorKind::io, path.string(), "cannot write; {}", std::strerror(errno));
}

void refuse_existing(const fs::path& path, bool overwrite) {
  if (overwrite || !fs::exists(fs::symlink_status(path))) return;
  fail(ErrorKind::io, path.string(), "the file exists already; `force` replaces it");
}

}  // namespace

OutputFile::OutputFile(fs::path path, bool overwrite, uint64_t size) : path_(std::move(path)), overwrite_(overwrite) {
  refuse_existing(path_, overwrite_);
  std::error_code error;
  const fs::space_info space = fs::space(path_.has_parent_path() ? path_.parent_path() : ".", error);
  if (!error && space.available < size) {
    fail(ErrorKind::io, path_.string(), "the file takes {} bytes; got {} free", size, space.available);
  }
  temporary_ = fmt::format("{}.{}.tmp", path_.string(), ::getpid());
  // Of an earlier process with this number, or laid there by somebody who wants us to write through it.
  ::unlink(temporary_.c_str());
  file_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (file_ < 0) cannot_write(path_);
}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void OutputFile::append(std::string_view bytes) {
  write_at(end_, bytes);
  end_ += std::ssize(bytes);
}

void OutputFile::write_at(int64_t position, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot_write(path_);
    position += count;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void OutputFile::finish() {
  if (::fsync(file_) != 0) cannot_write(path_);
  refuse_existing(path_, overwrite_);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) cannot_write(path_);
  ::close(file_);
  file_ = -1;
}

}  // namespace ascribe::core
