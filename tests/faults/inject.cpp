// Loaded into the program with LD_PRELOAD: lets one call to the system fail, as SQLite's tests do.
// ASCRIBE_FAULT=KIND:N[:MODE] names the call, counted from the beginning of main, of all threads. Kinds are those of
// kKinds below. Modes: once, the N-th alone; on, that one and all after it; half, the N-th read or write does half of
// its work; interrupt, the N-th says EINTR. ASCRIBE_FAULT_REPORT=FILE gets how often each kind was called.
//
// The standard output goes through write here: glibc's own streams do not call it by its name.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

enum Kind {
  alloc,
  open_file,
  read_bytes,
  map_file,
  write_bytes,
  sync_file,
  rename_file,
  cut_file,
  folder,
  lock,
  thread
};
constexpr const char* kKinds[] = {"alloc",  "open",     "read",  "mmap", "write", "sync",
                                  "rename", "truncate", "mkdir", "lock", "thread"};
constexpr int kCount = sizeof(kKinds) / sizeof(*kKinds);
constexpr int kReasons[] = {ENOMEM, EMFILE, EIO, ENODEV, ENOSPC, EIO, EACCES, ENOSPC, ENOSPC, ENOLCK, EAGAIN};

enum class Mode { once, on, half, interrupt };
enum class Answer { go_on, half, fail };

std::atomic<bool> armed = false;  // within main
std::atomic<long> calls[kCount];
int chosen = -1;
long chosen_call = 0;
Mode mode = Mode::once;

void read_settings() {
  const char* text = std::getenv("ASCRIBE_FAULT");
  if (text == nullptr) return;
  for (int kind = 0; kind < kCount; ++kind) {
    const size_t length = std::strlen(kKinds[kind]);
    if (std::strncmp(text, kKinds[kind], length) != 0 || text[length] != ':') continue;
    char* end = nullptr;
    chosen_call = std::strtol(text + length + 1, &end, 10);
    if (std::strcmp(end, ":on") == 0) mode = Mode::on;
    if (std::strcmp(end, ":half") == 0) mode = Mode::half;
    if (std::strcmp(end, ":interrupt") == 0) mode = Mode::interrupt;
    chosen = kind;
  }
}

// oneDNN uses memory that it did not get; what is asked for within it is left alone (see the end of this file).
thread_local int within_onednn = 0;

Answer ask(Kind kind) {
  if (!armed.load(std::memory_order_relaxed) || (kind == alloc && within_onednn > 0)) return Answer::go_on;
  const long number = ++calls[kind];
  if (kind != chosen || number < chosen_call || (number > chosen_call && mode != Mode::on)) return Answer::go_on;
  // A disk that becomes full takes some bytes first.
  const bool fills = mode == Mode::on && kind == write_bytes && number == chosen_call;
  if (mode == Mode::half || fills) return Answer::half;
  errno = mode == Mode::interrupt ? EINTR : kReasons[kind];
  return Answer::fail;
}

bool fails(Kind kind) { return ask(kind) == Answer::fail; }

size_t shortened(size_t count) { return count > 1 ? count / 2 : count; }

void report_calls() {
  const char* path = std::getenv("ASCRIBE_FAULT_REPORT");
  if (path == nullptr) return;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  for (int kind = 0; kind < kCount; ++kind) {
    char line[64];
    const int length = std::snprintf(line, sizeof line, "%s %ld\n", kKinds[kind], calls[kind].load());
    syscall(SYS_write, file, line, length);
  }
  syscall(SYS_close, file);
}

ssize_t write_standard_output(void*, const char* bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    const ssize_t some = write(STDOUT_FILENO, bytes + done, count - done);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return 0;  // a cookie's way to say that it failed
    done += static_cast<size_t>(some);
  }
  return static_cast<ssize_t>(done);
}

using Main = int (*)(int, char**, char**);
Main program = nullptr;

// valgrind starts itself anew for the program that env becomes, and needs what it asks for.
bool is_valgrind() { return std::strncmp(program_invocation_short_name, "valgrind", 8) == 0; }

int counted_main(int argc, char** argv, char** environment) {
  if (is_valgrind()) return program(argc, argv, environment);
  read_settings();
  stdout = fopencookie(nullptr, "w", {nullptr, write_standard_output, nullptr, nullptr});
  static char buffer[1 << 14];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  armed = true;
  const int code = program(argc, argv, environment);
  armed = false;
  return code;
}

template <class Function>
Function next_of(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

template <class Allocate>
void* made_or_thrown(const Allocate& allocate) {
  for (;;) {
    if (void* made = allocate()) return made;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

__attribute__((destructor)) void at_the_end() {
  armed = false;
  report_calls();
}

}  // namespace

extern "C" {

int __libc_start_main(Main real_main, int argc, char** argv, void (*begin)(), void (*end)(), void (*loader_end)(),
                      void* stack_end) {
  program = real_main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next_of<Start>("__libc_start_main")(counted_main, argc, argv, begin, end, loader_end, stack_end);
}

// ---- memory ----

// Found by their names, because valgrind, which counts what is lost (run.py --leaks), stands before those of glibc.
void* malloc(size_t size) {
  static const auto real = next_of<void* (*)(size_t)>("malloc");
  return fails(alloc) ? nullptr : real(size);
}

void* calloc(size_t count, size_t size) {
  static const auto real = next_of<void* (*)(size_t, size_t)>("calloc");
  return fails(alloc) ? nullptr : real(count, size);
}

void* realloc(void* block, size_t size) {
  static const auto real = next_of<void* (*)(void*, size_t)>("realloc");
  return fails(alloc) ? nullptr : real(block, size);
}

void* memalign(size_t alignment, size_t size) {
  static const auto real = next_of<void* (*)(size_t, size_t)>("memalign");
  return fails(alloc) ? nullptr : real(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** block, size_t alignment, size_t size) {
  void* made = memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

}  // extern "C"

// As the C++ library's, which valgrind would take away from us.
void* operator new(size_t size) {
  return made_or_thrown([&] { return malloc(size != 0 ? size : 1); });
}

void* operator new(size_t size, std::align_val_t alignment) {
  return made_or_thrown([&] { return memalign(static_cast<size_t>(alignment), size != 0 ? size : 1); });
}

void* operator new(size_t size, const std::nothrow_t&) noexcept { return malloc(size != 0 ? size : 1); }
void* operator new[](size_t size) { return operator new(size); }
void* operator new[](size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void* operator new[](size_t size, const std::nothrow_t& no_throw) noexcept { return operator new(size, no_throw); }

extern "C" {

// ---- files ----

int openat(int folder_file, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t rights = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (fails(open_file)) return -1;
  return static_cast<int>(syscall(SYS_openat, folder_file, path, flags, rights));
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t rights = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return openat(AT_FDCWD, path, flags, rights);
}

FILE* fopen(const char* path, const char* how) {
  return fails(open_file) ? nullptr : next_of<FILE* (*)(const char*, const char*)>("fopen")(path, how);
}

ssize_t read(int file, void* to, size_t count) {
  const Answer answer = ask(read_bytes);
  if (answer == Answer::fail) return -1;
  return syscall(SYS_read, file, to, answer == Answer::half ? shortened(count) : count);
}

ssize_t pread(int file, void* to, size_t count, off_t at) {
  const Answer answer = ask(read_bytes);
  if (answer == Answer::fail) return -1;
  return syscall(SYS_pread64, file, to, answer == Answer::half ? shortened(count) : count, at);
}

void* mmap(void* address, size_t length, int protection, int flags, int file, off_t at) {
  if (file >= 0 && fails(map_file)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, file, at));
}

ssize_t write(int file, const void* from, size_t count) {
  // What is said on the standard error is what the tests look at.
  const Answer answer = file == STDERR_FILENO ? Answer::go_on : ask(write_bytes);
  if (answer == Answer::fail) return -1;
  return syscall(SYS_write, file, from, answer == Answer::half ? shortened(count) : count);
}

ssize_t pwrite(int file, const void* from, size_t count, off_t at) {
  const Answer answer = ask(write_bytes);
  if (answer == Answer::fail) return -1;
  return syscall(SYS_pwrite64, file, from, answer == Answer::half ? shortened(count) : count, at);
}

int fsync(int file) { return fails(sync_file) ? -1 : static_cast<int>(syscall(SYS_fsync, file)); }
int fdatasync(int file) { return fails(sync_file) ? -1 : static_cast<int>(syscall(SYS_fdatasync, file)); }

int rename(const char* from, const char* to) {
  return fails(rename_file) ? -1 : static_cast<int>(syscall(SYS_rename, from, to));
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (fails(rename_file)) return -1;
  return static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int ftruncate(int file, off_t size) {
  return fails(cut_file) ? -1 : static_cast<int>(syscall(SYS_ftruncate, file, size));
}

int mkdir(const char* path, mode_t rights) {
  return fails(folder) ? -1 : static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, rights));
}

int flock(int file, int how) { return fails(lock) ? -1 : static_cast<int>(syscall(SYS_flock, file, how)); }

// Large files by their other name, which 64-bit programs may use as well.
int open64(const char*, int, ...) __attribute__((alias("open")));
int openat64(int, const char*, int, ...) __attribute__((alias("openat")));
FILE* fopen64(const char*, const char*) __attribute__((alias("fopen")));
ssize_t pread64(int, void*, size_t, off_t) __attribute__((alias("pread")));
ssize_t pwrite64(int, const void*, size_t, off_t) __attribute__((alias("pwrite")));
void* mmap64(void*, size_t, int, int, int, off_t) __attribute__((alias("mmap")));
int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));

// ---- threads ----

int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  if (fails(thread)) return EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = next_of<Create>("pthread_create");
  return real(made, attributes, work, argument);
}

// ---- oneDNN ----

// Its functions that ask for memory take up to seven pointers and numbers, which are handed on as they are.
#define ASCRIBE_LEFT_ALONE(name)                                      \
  long name(long a, long b, long c, long d, long e, long f, long g) { \
    using Real = long (*)(long, long, long, long, long, long, long);  \
    ++within_onednn;                                                  \
    static const auto real = next_of<Real>(#name);                    \
    const long status = real(a, b, c, d, e, f, g);                    \
    --within_onednn;                                                  \
    return status;                                                    \
  }
ASCRIBE_LEFT_ALONE(dnnl_engine_create)
ASCRIBE_LEFT_ALONE(dnnl_stream_create)
ASCRIBE_LEFT_ALONE(dnnl_memory_create)
ASCRIBE_LEFT_ALONE(dnnl_primitive_attr_create)
ASCRIBE_LEFT_ALONE(dnnl_primitive_attr_set_post_ops)
ASCRIBE_LEFT_ALONE(dnnl_post_ops_create)
ASCRIBE_LEFT_ALONE(dnnl_post_ops_append_binary)
ASCRIBE_LEFT_ALONE(dnnl_primitive_desc_iterator_create)
ASCRIBE_LEFT_ALONE(dnnl_primitive_desc_iterator_fetch)
ASCRIBE_LEFT_ALONE(dnnl_primitive_desc_query)
ASCRIBE_LEFT_ALONE(dnnl_reorder_primitive_desc_create)
ASCRIBE_LEFT_ALONE(dnnl_concat_primitive_desc_create)
ASCRIBE_LEFT_ALONE(dnnl_primitive_create)
ASCRIBE_LEFT_ALONE(dnnl_primitive_execute)

}  // extern "C"
