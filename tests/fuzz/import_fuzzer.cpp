// libFuzzer: any bytes must be imported or refused with ascribe::core::Error, quickly and in little
// memory; what is imported must also export.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "onnx/exporter.h"
#include "onnx/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ascribe::core::ImportOptions options;
  options.limits = {.nodes = 1 << 14, .fold_bytes = 1 << 22, .fold_work = 1 << 24};
  try {
    const auto model =
        ascribe::core::import_model_bytes(std::string(reinterpret_cast<const char*>(data), size), "fuzz", {}, options);
    ascribe::core::export_model(model.graph);
  } catch (const ascribe::core::Error&) {  // refused, as it should be
  }
  return 0;
}
