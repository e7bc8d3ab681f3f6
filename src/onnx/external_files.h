// The files beside a model that hold weights of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "onnx/byte_source.h"

namespace ascribe::core {

struct ExternalFile {
  std::string location;  // as the model names it, from its folder
  ByteSource source;     // open; as refused as the import refuses it
};

// In the order of their names, each once; also those that only unused tensors name. None: the model is one file.
std::vector<ExternalFile> external_files(const std::filesystem::path& model);

}  // namespace ascribe::core
