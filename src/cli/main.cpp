#include <csignal>

#include <malloc.h>

#include "base/waiting.h"
#include "cli/out_of_memory.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  ascribe::core::wait_briefly(argv);
#ifdef M_MMAP_THRESHOLD
  // Large blocks go back to the system when they are freed. Left alone, the allocator raises its threshold with every
  // one that it sees and keeps them, which a budget of memory knows nothing about.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, which says so
  ascribe::core::cli::expect_lack_of_memory();
  const int code = ascribe::core::cli::run_program(argc, argv);
  ascribe::core::cli::end_of_work(code);
  return code;
}
