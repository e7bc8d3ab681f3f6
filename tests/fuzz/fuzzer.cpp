// libFuzzer's end of all targets: one program, which feeds the target that ASCRIBE_FUZZ_TARGET names.
#include <cstdio>
#include <cstdlib>

#include "fuzz/mutators/mutators.h"
#include "fuzz/target.h"

namespace {

using ascribe::core::fuzz::Target;

const Target* target = nullptr;

void list_targets() {
  for (const Target* one : ascribe::core::fuzz::all_targets()) {
    std::printf("%s\t%zu\t%s\n", one->name.c_str(), one->longest, one->reads.c_str());
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("ASCRIBE_FUZZ_TARGET");
  target = name == nullptr ? nullptr : ascribe::core::fuzz::find_target(name);
  if (target != nullptr) return 0;
  // Without a target it tells which there are, one per line: name, longest input, what it reads.
  list_targets();
  std::exit(name == nullptr ? EXIT_SUCCESS : EXIT_FAILURE);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ascribe::core::fuzz::feed(*target, {data, size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t longest, unsigned int seed) {
  return ascribe::core::fuzz::mutate(target->form, {data, size, longest, seed});
}
