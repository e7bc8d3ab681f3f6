// Models: any bytes are imported or refused, quickly and in little memory; what is imported can be exported.
#include "fuzz/target.h"
#include "onnx/exporter.h"
#include "onnx/importer.h"

namespace ascribe::core::fuzz::target_import {
namespace {

void feed(Bytes bytes) {
  ImportOptions options;
  options.limits = {.nodes = 1 << 14, .fold_bytes = 1 << 22, .fold_work = 1 << 24};
  export_model(import_model_bytes(text_of(bytes), "fuzz", {}, options).graph);
}

const RegisterTarget registered({"import", "ONNX models, to a graph and back", Form::model, 65536, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_import
