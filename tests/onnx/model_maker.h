// Makes small ONNX files for tests, good and bad ones.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "base/error.h"
#include "onnx/importer.h"

namespace ascribe::core {

using DeclaredDim = std::variant<int, std::string>;  // a number or a symbol

class ModelMaker {
 public:
  explicit ModelMaker(int64_t opset = 17) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
    model.mutable_graph()->set_name("test");
  }

  onnx::ModelProto model;
  onnx::GraphProto& graph() { return *model.mutable_graph(); }

  ModelMaker& input(const std::string& name, const std::vector<DeclaredDim>& dims,
                    int32_t type = onnx::TensorProto::FLOAT) {
    declare(*graph().add_input(), name, dims, type);
    return *this;
  }
  ModelMaker& output(const std::string& name, const std::vector<DeclaredDim>& dims = {},
                     int32_t type = onnx::TensorProto::FLOAT) {
    declare(*graph().add_output(), name, dims, type);
    if (dims.empty()) graph().mutable_output()->rbegin()->mutable_type()->mutable_tensor_type()->clear_shape();
    return *this;
  }

  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& name = "") {
    onnx::NodeProto& node = *graph().add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const auto& input : inputs) node.add_input(input);
    for (const auto& output : outputs) node.add_output(output);
    return node;
  }

  // Initializers with raw_data.
  template <class T>
  onnx::TensorProto& raw(const std::string& name, const std::vector<int64_t>& dims, int32_t type,
                         const std::vector<T>& values) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const int64_t dim : dims) tensor.add_dims(dim);
    tensor.set_raw_data(values.data(), values.size() * sizeof(T));
    return tensor;
  }
  onnx::TensorProto& floats(const std::string& name, const std::vector<int64_t>& dims,
                            const std::vector<float>& values) {
    return raw(name, dims, onnx::TensorProto::FLOAT, values);
  }
  onnx::TensorProto& integers(const std::string& name, const std::vector<int64_t>& values) {
    return raw(name, {static_cast<int64_t>(values.size())}, onnx::TensorProto::INT64, values);
  }

  std::string bytes() const { return model.SerializeAsString(); }
  ImportedModel import(const ImportOptions& options = {}) const {
    return import_model_bytes(bytes(), "test.onnx", {}, options);
  }

 private:
  static void declare(onnx::ValueInfoProto& info, const std::string& name, const std::vector<DeclaredDim>& dims,
                      int32_t type) {
    info.set_name(name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (const auto& dim : dims) {
      auto& out = *tensor.mutable_shape()->add_dim();
      if (const int* extent = std::get_if<int>(&dim)) out.set_dim_value(*extent);
      else out.set_dim_param(std::get<std::string>(dim));
    }
  }
};

inline void set_integer(onnx::NodeProto& node, const std::string& name, int64_t value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

inline void set_integers(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
}

// Expects `action` to throw an Error of this kind whose message holds all of `words`.
template <class F>
void expect_refusal(ErrorKind kind, const std::vector<std::string>& words, F action) {
  try {
    action();
    ADD_FAILURE() << "no error; expected one with " << (words.empty() ? "any text" : words[0]);
  } catch (const Error& error) {
    EXPECT_EQ(to_string(error.kind()), to_string(kind)) << error.what();
    for (const auto& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what() << "\nlacks: " << word;
    }
  }
}

}  // namespace ascribe::core
