// A model ready to be asked: read from a file, canonical, with a runtime behind it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "onnx/importer.h"
#include "runtime/session.h"

namespace ascribe::core {

struct LoadOptions {
  std::optional<DType> precision;       // f32 or f64; otherwise as the file computes
  std::map<std::string, Shape> shapes;  // of inputs that the file leaves open
  std::map<std::string, Tensor> bound;  // inputs fixed at load time
  size_t memory = size_t{4} << 30;      // bytes for weights and temporary values
  bool keep_graph = true;               // false: weights are held by the runtime alone
};

struct Cost {
  int64_t parameters = 0;    // real numbers stored in the model
  int64_t macs_per_row = 0;  // multiply-adds of convolutions and matrix products
};

class Model {
 public:
  static Model load(const std::filesystem::path& path, const LoadOptions& options = {});
  static Model from(ImportedModel imported, const LoadOptions& options = {});

  // Canonical. With keep_graph = false its constants are gone.
  const Graph& graph() const { return graph_; }
  const ModelInfo& info() const { return info_; }
  const Cost& cost() const { return cost_; }
  DType precision() const { return precision_; }
  bool batched() const { return batched_; }
  const std::string& why_not_batched() const { return why_not_batched_; }
  const std::vector<std::string>& notes() const { return notes_; }

  // One tensor per graph input, rows first. The first time there are several rows it
  // checks that they do not influence each other.
  std::vector<Tensor> run(std::span<const Tensor> inputs, const Progress& progress = {});
  Session& session() { return *session_; }

 private:
  void check_rows(std::span<const Tensor> inputs);

  Graph graph_;
  ModelInfo info_;
  Cost cost_;
  DType precision_ = DType::f32;
  bool batched_ = false, rows_checked_ = false;
  std::string why_not_batched_;
  std::vector<std::string> notes_;
  std::unique_ptr<Session> session_;
};

Cost cost_of(const Graph& graph);

}  // namespace ascribe::core
