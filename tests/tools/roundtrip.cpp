// Reads an ONNX file, makes its graph canonical and writes it back, in the precision the file
// computes in. tests/interop asks ONNX Runtime whether both files say the same.
// Usage: ascribe_roundtrip [--double] IN.onnx OUT.onnx
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "onnx/exporter.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"

namespace ascribe::core {
namespace {

void round_trip(const std::string& from, const std::string& to, bool in_double) {
  const ImportedModel model = import_model(from);
  ExportOptions options;
  if (in_double || model.double_precision) options.real = DType::f64;
  write_file(to, export_model(canonicalize(model.graph), options), true);
}

}  // namespace
}  // namespace ascribe::core

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool in_double = std::erase(arguments, "--double") > 0;
  if (arguments.size() != 2) {
    fmt::print(stderr, "usage: ascribe_roundtrip [--double] IN.onnx OUT.onnx\n");
    return 2;
  }
  try {
    ascribe::core::round_trip(arguments[0], arguments[1], in_double);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
