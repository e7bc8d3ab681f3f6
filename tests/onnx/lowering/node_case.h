// A model of one ONNX node, for tests of single lowerings: operands in order, attributes by
// name, run by the slow interpreter in double.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "onnx/importer.h"
#include "support/interpret.h"

namespace ascribe::core {

class NodeCase {
 public:
  NodeCase(const std::string& op_type, int64_t opset) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(opset);
    model_.mutable_graph()->set_name("case");
    node_ = model_.mutable_graph()->add_node();
    const size_t dot = op_type.rfind('.');  // "com.microsoft.Gelu"
    if (dot != std::string::npos) node_->set_domain(op_type.substr(0, dot));
    node_->set_op_type(dot == std::string::npos ? op_type : op_type.substr(dot + 1));
    node_->set_name("node");
  }

  // An input of the model; `grows`: its first axis is the batch.
  NodeCase& input(const Tensor& tensor, bool grows = false) {
    const std::string name = next_name();
    auto* type = model_.mutable_graph()->add_input();
    type->set_name(name);
    auto* tensor_type = type->mutable_type()->mutable_tensor_type();
    tensor_type->set_elem_type(element_type(tensor));
    auto* shape = tensor_type->mutable_shape();
    for (const int64_t size : tensor.shape()) shape->add_dim()->set_dim_value(size);
    if (grows) {
      shape->mutable_dim(0)->set_dim_param("N");
      batch_ = tensor.shape()[0];
    }
    inputs_[name] = tensor;
    return *this;
  }

  // An operand known when the model is loaded.
  NodeCase& constant(const Tensor& tensor) {
    auto* proto = model_.mutable_graph()->add_initializer();
    proto->set_name(next_name());
    fill(*proto, tensor);
    return *this;
  }

  // Whole numbers of a small type: a TensorProto.DataType.
  NodeCase& constant_as(int32_t type, const std::vector<int64_t>& dims, const std::vector<int32_t>& values) {
    auto* proto = model_.mutable_graph()->add_initializer();
    proto->set_name(next_name());
    proto->set_data_type(type);
    for (const int64_t size : dims) proto->add_dims(size);
    for (const int32_t value : values) proto->add_int32_data(value);
    return *this;
  }

  NodeCase& skip() {
    node_->add_input("");
    return *this;
  }

  NodeCase& set(const std::string& name, int64_t value) {
    auto* attribute = add_attribute(name, onnx::AttributeProto::INT);
    attribute->set_i(value);
    return *this;
  }
  NodeCase& set(const std::string& name, int value) { return set(name, static_cast<int64_t>(value)); }
  NodeCase& set(const std::string& name, double value) {
    add_attribute(name, onnx::AttributeProto::FLOAT)->set_f(static_cast<float>(value));
    return *this;
  }
  NodeCase& set(const std::string& name, const char* value) {
    add_attribute(name, onnx::AttributeProto::STRING)->set_s(value);
    return *this;
  }
  NodeCase& set(const std::string& name, const std::vector<int64_t>& values) {
    auto* attribute = add_attribute(name, onnx::AttributeProto::INTS);
    for (const int64_t value : values) attribute->add_ints(value);
    return *this;
  }
  NodeCase& set(const std::string& name, const std::vector<double>& values) {
    auto* attribute = add_attribute(name, onnx::AttributeProto::FLOATS);
    for (const double value : values) attribute->add_floats(static_cast<float>(value));
    return *this;
  }
  NodeCase& set(const std::string& name, const std::vector<std::string>& values) {
    auto* attribute = add_attribute(name, onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) attribute->add_strings(value);
    return *this;
  }

  std::vector<Tensor> run(int outputs = 1) { return interpret(import(outputs).graph, inputs_, batch_); }

  // The complaint; empty if the model is accepted.
  std::string refusal() {
    try {
      import(1);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  ImportedModel import(int outputs) {
    for (int i = node_->output_size(); i < outputs; ++i) {
      const std::string name = "y" + std::to_string(i);
      node_->add_output(name);
      auto* output = model_.mutable_graph()->add_output();
      output->set_name(name);
      output->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::DOUBLE);
    }
    ImportOptions options;
    options.batched = batch_ > 0;
    return import_model_bytes(model_.SerializeAsString(), "case", {}, options);
  }

 private:
  std::string next_name() {
    const std::string name = "x" + std::to_string(node_->input_size());
    node_->add_input(name);
    return name;
  }

  onnx::AttributeProto* add_attribute(const std::string& name, onnx::AttributeProto::AttributeType type) {
    auto* attribute = node_->add_attribute();
    attribute->set_name(name);
    attribute->set_type(type);
    return attribute;
  }

  static int element_type(const Tensor& tensor) {
    switch (tensor.dtype()) {
      case DType::f32: return onnx::TensorProto::FLOAT;
      case DType::f64: return onnx::TensorProto::DOUBLE;
      case DType::i64: return onnx::TensorProto::INT64;
      default: return onnx::TensorProto::BOOL;
    }
  }

  static void fill(onnx::TensorProto& proto, const Tensor& tensor) {
    proto.set_data_type(element_type(tensor));
    for (const int64_t size : tensor.shape()) proto.add_dims(size);
    proto.set_raw_data(tensor.memory(), tensor.bytes());
  }

  onnx::ModelProto model_;
  onnx::NodeProto* node_ = nullptr;
  std::map<std::string, Tensor> inputs_;
  int64_t batch_ = 0;
};

inline Tensor reals_of(Shape shape, const std::vector<double>& values) {
  return Tensor::of<double>(std::move(shape), values);
}
inline Tensor integers_of(const std::vector<int64_t>& values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}
// 0, 1, 2, ...
inline Tensor counting(const Shape& shape) {
  std::vector<double> values(element_count(shape));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return Tensor::of<double>(shape, values);
}

inline void expect_values(const Tensor& actual, const Shape& shape, const std::vector<double>& expected,
                          double tolerance = 1e-6) {
  ASSERT_EQ(actual.shape(), shape);
  ASSERT_EQ(actual.size(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual.at(i), expected[i], tolerance) << "element " << i;
}

}  // namespace ascribe::core
