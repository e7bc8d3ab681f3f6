// The import of one model in one way of treating the batch: what NodeContext reads and writes.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "onnx/flat_model.h"
#include "onnx/lowering.h"
#include "onnx/text_columns.h"

namespace ascribe::core {

// How the first axis of the inputs is treated.
enum class BatchMode {
  none,   // one row, or as many as the file says
  open,   // N rows; the file leaves the batch open
  fixed,  // N rows; the file says 1, and what hard-codes it is rewritten
};

class Importer {
 public:
  // `file_rows`: a number of rows above 1 that the file fixes and that is to become N; 0: none.
  Importer(ModelFile& file, const FlatModel& model, const ImportOptions& options, BatchMode mode,
           int64_t file_rows = 0);

  // Builds the whole graph. Refuses if, with N rows, an output does not have N rows.
  Graph run();

  bool batch_was_fixed() const { return mode_ == BatchMode::fixed; }
  int64_t file_rows() const { return file_rows_; }
  Value value(const std::string& name, std::string_view where);
  void define(const std::string& name, Value value);
  std::string element_type(const std::string& name) const;
  // The outputs of a body (of If, Loop, Scan) for these inputs; its names are forgotten afterwards.
  std::vector<Value> run_body(const onnx::GraphProto& body, std::span<const Value> inputs, int64_t opset,
                              const std::string& where);
  void declare(const std::string& name, std::string_view element_type) { element_types_[name] = element_type; }
  TextCodes& vocabulary() { return file_.vocabulary(); }
  TextColumns& texts() { return texts_; }
  void name_classes(Value scores, std::vector<std::string> labels) { labels_[scores] = std::move(labels); }
  // Of what was imported, for the user.
  const std::map<std::string, std::vector<TextColumn>>& text_columns() const { return text_columns_; }
  const std::map<std::string, std::vector<std::string>>& labels() const { return output_labels_; }
  const std::vector<std::string>& notes() const { return notes_; }
  Tensor tensor(const onnx::TensorProto& proto, std::string_view where, NanPolicy nan = NanPolicy::refuse) {
    return file_.tensor(proto, where, nan);
  }

 private:
  void add_inputs();
  void add_input(const onnx::ValueInfoProto& info);
  Dims input_shape(const onnx::ValueInfoProto& info, Kind kind) const;
  void lower(const FlatNode& node);
  void check_texts(const FlatNode& node) const;
  void derive_element_types(const FlatNode& node);
  Value as_declared(const onnx::ValueInfoProto& info, Value value);
  void add_outputs();
  bool leaves_out(const std::string& output, Value value);
  std::vector<std::string> labels_of(Value scores) const;

  ModelFile& file_;
  const FlatModel& model_;
  const ImportOptions& options_;
  BatchMode mode_;
  int64_t file_rows_;
  std::string batch_name_;  // the dim_param that stands for the batch, if the file has one
  bool has_real_input_ = false;
  Graph graph_;
  Builder builder_;
  std::unordered_map<std::string, Value> values_;
  std::unordered_map<std::string, std::string> element_types_;
  // What the names that a body defines stood for before it.
  using Shadowed = std::vector<std::pair<std::string, std::optional<Value>>>;
  Shadowed* shadowed_ = nullptr;
  int depth_ = 0;  // of bodies
  TextColumns texts_;
  std::map<Value, std::vector<std::string>> labels_;
  std::map<std::string, std::vector<TextColumn>> text_columns_;
  std::map<std::string, std::vector<std::string>> output_labels_;
  std::vector<std::string> notes_;
  int64_t bodies_run_ = 0;
  std::map<const onnx::GraphProto*, std::vector<FlatNode>> bodies_;
  std::map<const void*, Value> stored_;  // initializers and constants of bodies
};

}  // namespace ascribe::core
