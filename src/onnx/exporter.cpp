#include "onnx/exporter.h"

#include "base/error.h"

namespace ascribe {

std::string export_model(const Graph&, const ExportOptions&) {
  fail(ErrorKind::unsupported, "export", "not written yet");
}

}  // namespace ascribe
