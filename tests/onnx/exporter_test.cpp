// Every core operation survives export and import with the same values.
#include "onnx/exporter.h"

#include <set>

#include <gtest/gtest.h>

#include "onnx/export/writer.h"
#include "onnx/importer.h"
#include "onnx/model_maker.h"
#include "support/interpret.h"
#include "support/op_samples.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

const Dim N = kBatch;

// Exports in double, imports again, and compares what both compute: for three rows, or
// for one where the importer cannot tell rows apart.
void expect_round_trip(const OpSample& sample) {
  SCOPED_TRACE(sample.op);
  const Graph graph = sample_graph(sample);
  ImportOptions options;
  options.batched = grows(sample);
  const auto one_row = sample_inputs(sample, 1);
  for (size_t i = 0; i < sample.operands.size(); ++i) {
    // What must be known when a model is loaded is bound; and so is what has no rows beside what has.
    const std::string name = fmt::format("x{}", i);
    const bool steers = sample.operands[i].kind != Kind::real && sample.operands.size() > 1;
    const bool rowless = grows(sample) && all_fixed(sample.operands[i].shape);
    if (steers || rowless) options.bound[name] = one_row.at(name);
  }
  const ImportedModel again = import_model_bytes(export_model(graph, {DType::f64, {}}), sample.op, {}, options);
  const int64_t rows = again.batched ? 3 : 1;
  const auto inputs = sample_inputs(sample, rows);
  expect_near(interpret(again.graph, inputs, rows)[0], interpret(graph, inputs, rows)[0], 1e-12);
  EXPECT_EQ(again.graph[again.graph.outputs[0].value].type.kind, graph[graph.outputs[0].value].type.kind);
}

TEST(Exporter, EveryOperationSurvivesARoundTrip) {
  for (const OpSample& sample : op_samples()) EXPECT_NO_THROW(expect_round_trip(sample)) << sample.op;
}

TEST(Exporter, EveryOperationHasASample) {
  std::set<std::string> sampled;
  for (const OpSample& sample : op_samples()) sampled.insert(sample.op);
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    if (op.op_class == OpClass::source || op.op_class == OpClass::opaque) continue;
    EXPECT_TRUE(sampled.contains(name)) << name << " has no sample here";
  }
}

Graph network() {  // of everything that depends on the number of rows
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({N, 4, 6}));
  const Value merged = b.reshape(x, {Dim(0, 4), 6});
  const Value split = b.reshape(merged, {N, 4, 6});
  const Value shift = b.cast(b.integers({Dim(1, 2), 5}, {2, 1}), Kind::real);  // [[2N + 1], [5]]
  const Value ones = b.expand(b.scalar(1), {N, 1, 1});
  const Value flipped = b.slice(b.reshape(b.concat({b.reshape(shift, {1, 2}), b.reshape(shift, {1, 2})}, 0), {1, 4, 1}),
                                1, Dim(3), Dim(4), -1);
  b.output("y", b.add(b.mul(split, ones), flipped));
  return graph;
}

TEST(Exporter, ShapesAndConstantsThatDependOnTheBatchAreComputedAtRunTime) {
  const Graph graph = network();
  const ImportedModel again = import_model_bytes(export_model(graph, {DType::f64, {}}), "network", {});
  ASSERT_TRUE(again.batched) << again.why_not_batched;
  for (const int64_t rows : {1, 2, 5}) {
    const std::map<std::string, Tensor> inputs = {{"x", random_tensor({rows, 4, 6}, 7)}};
    expect_near(interpret(again.graph, inputs, rows)[0], interpret(graph, inputs, rows)[0], 1e-12);
  }
}

TEST(Exporter, WritesTheBatchAsASymbolAndTheMetadata) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(export_model(network(), {DType::f32, {{"method", "gradient"}}})));
  EXPECT_EQ(model.ir_version(), 8);
  EXPECT_EQ(model.opset_import(0).version(), 17);
  EXPECT_EQ(model.producer_name(), "ascribe");
  EXPECT_EQ(model.metadata_props(0).key(), "method");
  const auto& input = model.graph().input(0).type().tensor_type();
  EXPECT_EQ(input.elem_type(), onnx::TensorProto::FLOAT);
  EXPECT_EQ(input.shape().dim(0).dim_param(), "N");
  EXPECT_EQ(input.shape().dim(1).dim_value(), 4);
  EXPECT_EQ(model.graph().output(0).name(), "y");
}

TEST(Exporter, PortsMayHaveAnyNameAndOutputsMayBeInputs) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("v0", real({N, 2}));
  b.output("v1", b.op("relu", {x}));
  b.output("same", x);
  const ImportedModel again = import_model_bytes(export_model(graph), "names", {});
  ASSERT_EQ(again.graph.outputs.size(), 2U);
  EXPECT_EQ(again.graph.outputs[0].name, "v1");
  EXPECT_EQ(again.graph.outputs[1].name, "same");
  EXPECT_EQ(again.graph.inputs[0].name, "v0");
}

TEST(Exporter, PaddingThatWouldFillTheMemoryIsRefused) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {N, 2}});
  b.output(
      "y",
      b.op(
          "pad", {x},
          {{"before", ints({0, 0})}, {"after", ints({0, int64_t{1} << 30})}, {"mode", "edge"}, {"value", reals({0})}}));
  EXPECT_THROW(export_model(graph), Error);
}

}  // namespace
}  // namespace ascribe::core
