// Derivatives of a model in double, for tests/interop to compare with PyTorch's.
// Usage: ascribe_derivatives gradient|hessian MODEL.onnx X.npy TARGET OUT.npy
// X holds one row, TARGET is an element of a row of the first output.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "derivatives/derivatives.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

void differentiate(const std::vector<std::string>& arguments) {
  const bool hessian = arguments[0] == "hessian";
  Derivatives f(canonicalize(import_model(arguments[1]).graph), {0, std::stoll(arguments[3])});
  const std::vector<Tensor> point = {parse_npy(read_file(arguments[2]), arguments[2]).values.cast(DType::f64)};
  write_file(arguments[4], format_npy(hessian ? f.hessian(point) : f.gradient(point)), true);
}

}  // namespace
}  // namespace ascribe::core

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 5 || (arguments[0] != "gradient" && arguments[0] != "hessian")) {
    fmt::print(stderr, "usage: ascribe_derivatives gradient|hessian MODEL.onnx X.npy TARGET OUT.npy\n");
    return 2;
  }
  try {
    ascribe::core::differentiate(arguments);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
