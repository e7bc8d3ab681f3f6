#include "cli/out_of_memory.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include <execinfo.h>
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

void end_of_work() { at_work = false; }

}  // namespace ascribe::core::cli
