// ONNX model -> Graph. See lowering.h for how single operators are treated.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace ascribe::core {

struct ImportOptions {
  // Rows as a free dimension N: the first axis of every real input, where the file
  // leaves it open or fixes it to 1. Off: shapes are taken as declared.
  bool batched = true;
  // Shapes of inputs whose dimensions (other than the batch) the file leaves open.
  std::map<std::string, Shape> shapes;
  // Inputs to bind to a value at load time (integers that steer shapes).
  std::map<std::string, Tensor> bound;
  // What the file may cost beyond its own size.
  BuildLimits limits;
};

// An input or output as the file declares it.
struct DeclaredValue {
  std::string name;
  std::string element_type;            // "" if it is not a tensor
  Shape shape;                         // -1: left open
  std::vector<std::string> axes = {};  // names of the axes that are left open; "": it has none
};

// A column of texts: code k stands for category k, -1 for any other text.
struct TextColumn {
  std::vector<std::string> categories;  // as the encoder that reads it lists them
  bool unknown = false;                 // the model takes other texts as well
};

struct ModelInfo {
  std::string producer;  // name and version of the exporter
  int64_t ir_version = 0;
  int64_t opset = 0;
  std::vector<DeclaredValue> inputs;  // without those that are initializers
  std::vector<DeclaredValue> outputs;
  std::map<std::string, int> operators;  // ONNX op_type -> how often
  std::map<std::string, std::string> metadata;
  // Known once the file is imported.
  std::map<std::string, std::vector<TextColumn>> texts;    // by input: its columns
  std::map<std::string, std::vector<std::string>> labels;  // by output: the classes as the file names them
};

struct ImportedModel {
  Graph graph;
  ModelInfo info;
  bool batched = false;            // the graph takes any number of rows
  std::string why_not_batched;     // if it should have been, but could not
  bool double_precision = false;   // the file computes in float64
  std::vector<std::string> notes;  // what the user should know
};

ImportedModel import_model(const std::filesystem::path& path, const ImportOptions& options = {});
// From memory; `folder` is where external data may lie (empty: external data is refused).
ImportedModel import_model_bytes(std::string bytes, const std::string& name, const std::filesystem::path& folder,
                                 const ImportOptions& options = {});

// Properties and operators of a file, whether or not it can be imported.
ModelInfo describe_model(const std::filesystem::path& path);
ModelInfo describe_model_bytes(std::string bytes, const std::string& name);

}  // namespace ascribe::core
