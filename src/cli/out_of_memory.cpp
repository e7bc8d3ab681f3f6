#include "cli/out_of_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <thread>

#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ascribe::core::cli {

namespace {

constexpr int kNoMemory = 8;

std::atomic<bool> at_work = false, ran_out = false;
std::terminate_handler usual_end = nullptr;

[[noreturn]] void remember_and_throw() {
  ran_out = true;
  throw std::bad_alloc();
}

// An exception met a function that must not throw; which of our libraries' it was does not matter to who reads this.
[[noreturn]] void end_in_the_middle() {
  if (ran_out) ::_exit(out_of_memory());
  if (usual_end != nullptr) usual_end();
  std::abort();
}

// OpenMP says in a line of its own that it got no memory or no thread, and calls exit(1), which means something else
// here. Nobody else calls exit while the program is at work.
void end_as_documented() {
  if (at_work) ::_exit(out_of_memory());
}

// OpenBLAS begins a thread for each further processor before main, and each asks for 128 MiB of addresses again and
// again until it gets them; exit waits for them to end. (None of them ever works for us.)
bool openblas_would_not_end() {
  constexpr size_t kOfOneThread = size_t{129} << 20;
  const size_t size = kOfOneThread * std::max(1U, std::thread::hardware_concurrency() - 1);
  void* const room = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return true;
  ::munmap(room, size);
  return false;
}

}  // namespace

int out_of_memory() {
  // Not through stderr, which needs memory for what it passes on.
  constexpr std::string_view kLine =
      "ascribe: out of memory or threads; give fewer rows at a time, a lower --memory or --threads 1\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  return kNoMemory;
}

void expect_lack_of_memory() {
  // glibc looks for the code that unwinds the stack when an exception first passes through its own functions, which
  // needs memory, and aborts if there is none; asked for a trace, it does so now.
  void* caller = nullptr;
  ::backtrace(&caller, 1);
  std::set_new_handler(remember_and_throw);
  usual_end = std::set_terminate(end_in_the_middle);
  std::atexit(end_as_documented);
  at_work = true;
}

void end_of_work(int code) {
  at_work = false;
  if (!openblas_would_not_end()) return;
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace ascribe::core::cli
