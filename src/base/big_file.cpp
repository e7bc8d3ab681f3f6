#include "base/big_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace ascribe::core {

namespace fs = std::filesystem;

BigFile::BigFile(fs::path path, uint64_t size, bool overwrite) : path_(std::move(path)), overwrite_(overwrite) {
  if (!overwrite && fs::exists(fs::symlink_status(path_))) {
    fail(ErrorKind::io, path_.string(), "the file exists already; `force` replaces it");
  }
  std::error_code error;
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  if (const fs::space_info space = fs::space(folder, error); !error && space.available < size) {
    fail(ErrorKind::io, path_.string(), "the file takes {} bytes; got {} free", size, space.available);
  }
  temporary_ = fmt::format("{}.{}.growing", path_.string(), ::getpid());
  file_ = ::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (file_ < 0) cannot(errno);
}

BigFile::~BigFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void BigFile::cannot(int reason) const {
  fail(ErrorKind::io, path_.string(), "cannot write; {}", std::strerror(reason));
}

void BigFile::write(uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot(errno);
    at += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void BigFile::finish() {
  if (::fsync(file_) != 0) cannot(errno);
  if (!overwrite_ && fs::exists(fs::symlink_status(path_))) {
    fail(ErrorKind::io, path_.string(), "the file exists already; `force` replaces it");
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) cannot(errno);
  ::close(std::exchange(file_, -1));
}

}  // namespace ascribe::core
