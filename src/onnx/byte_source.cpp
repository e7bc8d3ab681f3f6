#include "onnx/byte_source.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace ascribe::core {

struct ByteSource::File {
  explicit File(int fd) : descriptor(fd) {}
  ~File() { ::close(descriptor); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor;
};

namespace {

constexpr int64_t kSmallestMapped = int64_t{32} << 20;

std::vector<std::string> components(const std::string& location, std::string_view where) {
  const auto refuse = [&](std::string_view why) {
    fail(ErrorKind::model, where, "external data must lie beneath the folder of the model: {}; got '{}'", why,
         location);
  };
  if (location.empty()) refuse("the location is empty");
  if (location.find('\0') != std::string::npos) refuse("the location holds a zero byte");
  if (location.front() == '/') refuse("the location is an absolute path");
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= location.size()) {
    const size_t end = std::min(location.find('/', begin), location.size());
    const std::string part = location.substr(begin, end - begin);
    if (part == "..") refuse("the location leaves it by '..'");
    if (!part.empty() && part != ".") parts.push_back(part);
    begin = end + 1;
  }
  if (parts.empty()) refuse("the location names no file");
  return parts;
}

}  // namespace

ByteSource ByteSource::of_descriptor(int descriptor, std::string name, bool refuse_hard_links) {
  ByteSource source;
  source.name_ = std::move(name);
  source.file_ = std::make_shared<const File>(descriptor);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) {
    fail(ErrorKind::io, source.name_, "cannot read the file; {}", std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode))
    fail(ErrorKind::io, source.name_, "not a regular file: pipes, devices and the standard input are not read");
  if (refuse_hard_links && info.st_nlink > 1) {
    fail(ErrorKind::model, source.name_,
         "external data must lie beneath the folder of the model: the file is a hard link; got {} names",
         info.st_nlink);
  }
  source.size_ = info.st_size;
  if (source.size_ >= kSmallestMapped) {
    source.mapping_ = MappedFile::map(descriptor, static_cast<size_t>(source.size_), source.name_);
  }
  return source;
}

ByteSource ByteSource::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(ErrorKind::io, path.string(), "cannot open the file; {}", std::strerror(errno));
  return of_descriptor(descriptor, path.string(), false);
}

ByteSource ByteSource::of(std::string bytes, std::string name) {
  ByteSource source;
  source.name_ = std::move(name);
  source.size_ = static_cast<int64_t>(bytes.size());
  source.memory_ = std::make_shared<const std::string>(std::move(bytes));
  return source;
}

ByteSource ByteSource::open_beneath(const std::filesystem::path& folder, const std::string& location,
                                    std::string_view where) {
  const auto parts = components(location, where);
  if (folder.empty()) {
    fail(ErrorKind::model, where, "the model keeps weights in another file, but has no folder; got '{}'", location);
  }
  int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (size_t i = 0; i < parts.size() && descriptor >= 0; ++i) {
    const int kind = i + 1 < parts.size() ? O_DIRECTORY : 0;
    const int next = ::openat(descriptor, parts[i].c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | kind);
    const int reason = errno;
    ::close(descriptor);
    descriptor = next;
    errno = reason;
  }
  if (descriptor < 0 && (errno == ELOOP || errno == EMLINK)) {
    fail(ErrorKind::model, where,
         "external data must lie beneath the folder of the model: a symbolic link is on the way; got '{}'", location);
  }
  if (descriptor < 0) {
    fail(ErrorKind::model, where, "cannot open the external data '{}'; {}", location, std::strerror(errno));
  }
  return of_descriptor(descriptor, location, true);
}

int ByteSource::descriptor() const { return file_ == nullptr ? -1 : file_->descriptor; }

void ByteSource::read(int64_t offset, std::span<char> out) const {
  const auto count = static_cast<int64_t>(out.size());
  if (offset < 0 || offset > size_ || count > size_ - offset) {
    fail(ErrorKind::model, name_, "data lies outside the file; got offset {} and length {}; expected at most {} bytes",
         offset, count, size_);
  }
  if (memory_ != nullptr) {
    std::memcpy(out.data(), memory_->data() + offset, out.size());
    return;
  }
  while (!out.empty()) {
    const ssize_t got = ::pread(file_->descriptor, out.data(), out.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::io, name_, "cannot read the file; {}", std::strerror(errno));
    if (got == 0) fail(ErrorKind::io, name_, "the file became shorter while it was read");
    out = out.subspan(got);
    offset += got;
  }
}

}  // namespace ascribe::core
