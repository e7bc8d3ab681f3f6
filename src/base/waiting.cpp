#include "base/waiting.h"

#include <climits>
#include <cstdlib>

#include <unistd.h>

namespace ascribe::core {

namespace {

// Turns, of 10 to 40 ns each: longer than the gap between two operations of a network, shorter than a thread is kept
// from its processor by another program.
constexpr const char* kTurns = "5000";

}  // namespace

void wait_briefly(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
  if (length <= 0) return;
  program[length] = '\0';
  setenv("GOMP_SPINCOUNT", kTurns, 1);
  execv(program, arguments);  // returns only if it fails; then we go on as we are
}

}  // namespace ascribe::core
