// How ONNX operators become core operations: one file per operator in onnx/lowering,
// each registering a function that reads one node and builds its values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "graph/builder.h"

namespace onnx {
class NodeProto;
class AttributeProto;
}  // namespace onnx

namespace ascribe::core {

class Importer;

// One ONNX node while it is being imported. Attribute defaults are the lowering's to state.
class NodeContext {
 public:
  NodeContext(Importer& importer, Builder& builder, const onnx::NodeProto& node, int64_t opset);

  Builder& b() const { return builder_; }
  std::string_view op_type() const;
  int64_t opset() const { return opset_; }
  const std::string& where() const { return builder_.where(); }

  size_t input_count() const;
  bool has(size_t input) const;  // given, and not left empty
  Value in(size_t input) const;  // refuses when it is missing
  // The declared ONNX element type of an operand where it is known ("int32", "float16", ...).
  std::string element_type(size_t input) const;

  size_t output_count() const;
  bool wants(size_t output) const;  // named, so somebody may read it
  void out(size_t output, Value value);
  void out(size_t output, Value value, std::string_view element_type);  // where no operand tells the type

  bool has_attribute(std::string_view name) const;
  int64_t integer(std::string_view name) const;  // required
  int64_t integer(std::string_view name, int64_t otherwise) const;
  double real(std::string_view name) const;  // required
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> otherwise) const;
  std::vector<double> reals(std::string_view name, std::vector<double> otherwise) const;
  std::vector<std::string> texts(std::string_view name, std::vector<std::string> otherwise) const;
  Tensor tensor(std::string_view name) const;           // required
  Tensor tensor_with_nan(std::string_view name) const;  // ... where NaN means something
  bool tensor_is_text(std::string_view name) const;
  std::vector<std::string> tensor_texts(std::string_view name) const;  // of such a tensor

  // An operand that must be known when the model is loaded; `what` names it in the complaint.
  Tensor constant(size_t input, std::string_view what) const;
  // The same for integers that may grow with the batch; flat.
  Dims known_integers(size_t input, std::string_view what) const;
  std::vector<int64_t> fixed_integers(size_t input, std::string_view what) const;

  // The outputs of the body that is this attribute, computed from these inputs and from what it reads around it.
  std::vector<Value> run_body(std::string_view attribute, std::span<const Value> inputs) const;

  // Texts are integers: their codes in the model's vocabulary.
  bool is_text(size_t input) const { return element_type(input) == "string"; }
  int64_t text_code(const std::string& text) const;
  // The operand is read by this table of texts; `unknown`: others are taken as well.
  void reads_texts(size_t input, const std::vector<std::string>& table, bool unknown) const;
  // The classes that the elements of a row of `scores` belong to.
  void name_classes(Value scores, std::vector<std::string> labels) const;

  // True if the file fixes the batch (to 1) and we run it for any number of rows: numbers
  // in the file that stand for the batch must be rewritten (see onnx/batch.h).
  bool batch_was_fixed() const;
  // The number of rows above 1 that the file fixes, if it is run for any number; 0: it fixes none.
  int64_t file_rows() const;

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {  // the model is wrong
    fail(ErrorKind::model, where(), "{}", fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  [[noreturn]] void unsupported(fmt::format_string<Args...> format, Args&&... args) const {  // valid, not ours
    fail(ErrorKind::unsupported, where(), "{}", fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  const onnx::AttributeProto* find(std::string_view name) const;

  Importer& importer_;
  Builder& builder_;
  const onnx::NodeProto& node_;
  int64_t opset_;
};

// The newest opset of the default domain whose operators are known; a file of a later one is refused, since any of
// its operators may mean something else by then. Raise it only with every `version` below (tests/interop compares).
inline constexpr int64_t kNewestOpset = 28;
inline constexpr std::string_view kTableDomain = "ai.onnx.ml";

// The same for other domains.
struct KnownDomain {
  std::string_view name;
  int64_t newest_opset;
};
inline constexpr KnownDomain kKnownDomains[] = {{kTableDomain, 5}, {"com.microsoft", 1}};

// An attribute that a lowering honours, or may leave out because it cannot change the result.
struct KnownAttribute {
  std::string name;
  int64_t since = 1;  // opsets of the file in which it may be set
  int64_t until = kNewestOpset;
};

// An ONNX operator as its lowering knows it. `attributes` lists names: "alpha" in any opset, "mode:11" since opset 11,
// "axis:-6" up to opset 6, "axis:4-6". A node with any other attribute is refused.
struct OnnxOperator {
  std::string name;     // "Conv", or with its domain: "com.microsoft.Gelu"
  int64_t version = 1;  // the opset of its newest definition, counted by its domain
  std::string_view attributes = {};
};

struct Lowering {
  void (*lower)(NodeContext&) = nullptr;
  std::string note;  // limits worth telling the user, for `ascribe operators`
  int64_t version = 1;
  std::vector<KnownAttribute> attributes;
};

using LoweringRegistry = Registry<Lowering>;  // by full name: "Conv", "ai.onnx.ml.Scaler"

struct RegisterLowering {
  RegisterLowering(OnnxOperator known, void (*lower)(NodeContext&), std::string note = "");
};

}  // namespace ascribe::core
