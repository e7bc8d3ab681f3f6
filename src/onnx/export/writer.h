// Writes the nodes of an ONNX graph. Core operations become ONNX nodes by the functions that
// the files in onnx/export register, one per operation; a composite operation without one is
// written through its lowering.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "base/registry.h"
#include "base/variant.h"
#include "graph/builder.h"
#include "onnx/export/constants.h"
#include "onnx/exporter.h"

namespace ascribe::core {

using OnnxAttribute = Variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                              std::vector<std::string>, onnx::TensorProto>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

// A node to be written, its operands under the names they have in the file.
struct ExportNode {
  const Node& node;
  std::vector<std::string> inputs;
  std::vector<Type> input_types;

  const Attributes& attributes() const { return node.attributes; }
  const Dims& shape(size_t input) const { return input_types[input].shape; }
  int64_t rank(size_t input) const { return static_cast<int64_t>(input_types[input].shape.size()); }
  Kind kind(size_t input) const { return input_types[input].kind; }
};

class OnnxWriter {
 public:
  OnnxWriter(onnx::GraphProto& out, const ExportOptions& options, int64_t opset)
      : out_(out), options_(options), opset_(opset) {}

  int64_t opset() const { return opset_; }
  DType real() const { return options_.real; }
  int32_t element_code(Kind kind) const;

  // Declares the ports and writes all nodes.
  void write(const Graph& graph);

  // One ONNX node, of another domain if the type names it ("ai.onnx.ml.TreeEnsemble"); returns the name of its output
  // number `output`. Empty inputs are left out.
  std::string emit(std::string_view op_type, const std::vector<std::string>& inputs,
                   const OnnxAttributes& attributes = {}, int output = 0);

  // Stored once: what was written before, or follows from it, is taken from there.
  std::string constant(const Tensor& tensor);
  std::string scalar(double value);  // a real of rank 0
  std::string integer(int64_t value);
  std::string integers(const std::vector<int64_t>& values);  // rank 1
  std::string integers(const Dims& values);                  // computed from the batch where it must be
  std::string reshape(const std::string& x, const Dims& shape);
  std::string reduce(const std::string& op_type, const std::string& x, const std::vector<int64_t>& axes, bool keepdims);

 private:
  std::string fresh();
  std::string stored(const Tensor& tensor);
  std::string stored_integers(const Tensor& tensor);
  std::string derived(const DerivedConstant& constant, const Shape& shape);
  std::string rows();  // N, as a list of one integer
  void declare(onnx::ValueInfoProto& info, const std::string& name, const Type& type) const;
  std::string write_node(const ExportNode& node);
  std::string write_lowered(const ExportNode& node);
  void write_inputs(const Graph& graph, std::vector<std::string>& names);
  void write_outputs(const Graph& graph, const std::vector<std::string>& names);

  onnx::GraphProto& out_;
  const ExportOptions& options_;
  int64_t opset_;
  std::string node_name_;
  std::set<std::string> port_names_;
  StoredConstants constants_;
  std::map<std::string, std::string> small_constants_;  // by type, shape and bytes
  std::map<std::string, std::string> derived_;          // by how they are derived
  std::function<std::string()> make_rows_;
  std::string rows_;
  int64_t counter_ = 0;
  int64_t bytes_ = 0;
};

using ExportFunction = std::string (*)(OnnxWriter&, const ExportNode&);
struct Export {
  ExportFunction write = nullptr;
};
using ExportRegistry = Registry<Export>;

struct RegisterExport {
  RegisterExport(std::string op, ExportFunction write);
};

}  // namespace ascribe::core
