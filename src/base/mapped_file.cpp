#include "base/mapped_file.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

// What the handler of signals reads: no locks there.
struct Range {
  std::atomic<uintptr_t> begin = 0, end = 0;
};
std::array<Range, 256> mapped_ranges;  // of files that are mapped now

std::mutex mapping_guard;
std::map<const char*, std::weak_ptr<const MappedFile>>& mapped_files() {
  static auto* all = new std::map<const char*, std::weak_ptr<const MappedFile>>;  // outlives whoever is mapped
  return *all;
}

struct sigaction handler_before {};
uintptr_t page_size = 4096;

bool is_mapped(uintptr_t address) {
  for (const Range& range : mapped_ranges) {
    if (address >= range.begin.load() && address < range.end.load()) return true;
  }
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (is_mapped(address)) {
    const int reason = errno;
    void* page = reinterpret_cast<void*>(address & ~(page_size - 1));
    const void* zeros = ::mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    errno = reason;
    if (zeros != MAP_FAILED) return;
  }
  if ((handler_before.sa_flags & SA_SIGINFO) != 0 && handler_before.sa_sigaction != nullptr) {
    handler_before.sa_sigaction(signal, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL);  // the instruction is tried again, and ends the process as it would have
  }
}

void handle_bus_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handler_before);
  });
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::map(int descriptor, size_t size, const std::string& name) {
  struct stat info {};
  if (size == 0 || ::fstat(descriptor, &info) != 0 || static_cast<size_t>(info.st_size) < size) return nullptr;
  handle_bus_errors();
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->name_ = name;
  file->size_ = size;
  file->written_ = info.st_mtim;
  file->descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (file->descriptor_ < 0) return nullptr;
  const std::lock_guard lock(mapping_guard);
  int slot = 0;
  while (slot < std::ssize(mapped_ranges) && mapped_ranges[slot].end.load() != 0) ++slot;
  if (slot == std::ssize(mapped_ranges)) return nullptr;
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->descriptor_, 0);
  if (data == MAP_FAILED) return nullptr;
  file->data_ = static_cast<const char*>(data);
  file->slot_ = slot;
  mapped_ranges[slot].begin = reinterpret_cast<uintptr_t>(data);
  mapped_ranges[slot].end = reinterpret_cast<uintptr_t>(data) + size;
  mapped_files()[file->data_] = file;
  return file;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    const std::lock_guard lock(mapping_guard);
    mapped_files().erase(data_);
    mapped_ranges[slot_].end = 0;
    mapped_ranges[slot_].begin = 0;
    ::munmap(const_cast<char*>(data_), size_);
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::shared_ptr<const MappedFile> MappedFile::holding(const void* address) {
  if (!is_mapped(reinterpret_cast<uintptr_t>(address))) return nullptr;
  const std::lock_guard lock(mapping_guard);
  auto found = mapped_files().upper_bound(static_cast<const char*>(address));
  if (found == mapped_files().begin()) return nullptr;
  std::shared_ptr<const MappedFile> file = (--found)->second.lock();
  return file && static_cast<const char*>(address) < file->data_ + file->size_ ? file : nullptr;
}

void MappedFile::check() const {
  struct stat info {};
  const bool same = ::fstat(descriptor_, &info) == 0 && static_cast<size_t>(info.st_size) >= size_ &&
                    info.st_mtim.tv_sec == written_.tv_sec && info.st_mtim.tv_nsec == written_.tv_nsec;
  if (!same) fail(ErrorKind::io, name_, "the file has changed since the model was loaded; load it again");
}

void forget_mapped(const void* data, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  if (bytes == 0 || !is_mapped(begin)) return;
  const uintptr_t first = (begin + page_size - 1) & ~(page_size - 1), last = (begin + bytes) & ~(page_size - 1);
  if (last > first) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace ascribe::core
