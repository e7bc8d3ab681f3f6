#include "base/file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(ErrorKind::io, name, "cannot write; {}", std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

// Files are read more than once: to look, to compute and to put their checksum on record.
[[noreturn]] void refuse_stream(const std::string& name) {
  fail(ErrorKind::io, name,
       "not a regular file: pipes, devices and the standard input are not read; expected the name of a file");
}

}  // namespace

std::string read_file(const std::filesystem::path& path, size_t limit) {
  const std::string name = path.string();
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && name == "-") refuse_stream(name);
  if (file.get() < 0) fail(ErrorKind::io, name, "cannot open the file; {}", std::strerror(errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail(ErrorKind::io, name, "cannot read the file; {}", std::strerror(errno));
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || S_ISCHR(info.st_mode)) refuse_stream(name);
  if (!S_ISREG(info.st_mode)) fail(ErrorKind::io, name, "not a regular file; expected a file that can be read whole");
  const auto size = static_cast<size_t>(info.st_size);
  if (size > limit) fail(ErrorKind::io, name, "the file is too large; got {} bytes; expected at most {}", size, limit);
  std::string bytes(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(file.get(), bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(ErrorKind::io, name, "cannot read the file; {}", std::strerror(errno));
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes, bool overwrite) {
  const std::string name = path.string();
  std::error_code error;
  if (!overwrite && std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    fail(ErrorKind::io, name, "the file exists already; `force` replaces it");
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string temporary = fmt::format("{}.{}.part", name, ::getpid());
  // O_TMPFILE has no name until it is whole, so even a killed process leaves nothing behind.
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644));
  if (file.get() >= 0) {
    write_all(file.get(), bytes, name);
    const std::string link = fmt::format("/proc/self/fd/{}", file.get());
    if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      fail(ErrorKind::io, name, "cannot write; {}", std::strerror(errno));
    }
  } else {
    const Descriptor plain(::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644));
    if (plain.get() < 0) fail(ErrorKind::io, name, "cannot write; {}", std::strerror(errno));
    try {
      write_all(plain.get(), bytes, name);
    } catch (...) {
      ::unlink(temporary.c_str());
      throw;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    fail(ErrorKind::io, name, "cannot write; {}", std::strerror(reason));
  }
}

bool make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const bool made = std::filesystem::create_directory(folder, error);
  if (error) fail(ErrorKind::io, folder.string(), "cannot make the folder; {}", error.message());
  return made;
}

void check_folder(const std::filesystem::path& folder, const std::vector<std::string>& names, bool overwrite) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) {
    const fs::path parent = fs::absolute(folder / "..").lexically_normal();
    std::error_code error;
    if (!fs::is_directory(parent, error)) {
      const bool missing = !error || error == std::errc::no_such_file_or_directory;
      fail(ErrorKind::io, folder.string(), "the folder above it {}",
           missing ? "does not exist" : fmt::format("cannot be used; {}", error.message()));
    }
    return;
  }
  if (!fs::is_directory(folder, ignored)) {
    fail(ErrorKind::io, folder.string(), "this is not a folder; expected one, or FILE.npz");
  }
  for (const std::string& name : names) {
    if (!overwrite && fs::exists(fs::symlink_status(folder / name, ignored))) {
      fail(ErrorKind::io, (folder / name).string(), "the file exists already; pass `force` to replace it");
    }
  }
}

void write_folder(const std::filesystem::path& folder, const std::vector<NamedBytes>& files, bool overwrite) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> written;
  written.reserve(files.size());  // what was written is remembered without asking for memory
  const bool made = make_folder(folder);
  try {
    for (const NamedBytes& file : files) {
      fs::path path = folder / file.name;
      const bool fresh = !fs::exists(path, error);
      write_file(path, file.bytes, overwrite);
      if (fresh) written.push_back(std::move(path));
    }
  } catch (...) {
    for (const fs::path& path : written) fs::remove(path, error);
    if (made) fs::remove(folder, error);
    throw;
  }
}

}  // namespace ascribe::core
