// Trees in files: what ONNX Runtime computes of classifiers (tests/interop compares with it), round trips, and files
// that are not trees.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "graph/tree_ensemble.h"
#include "onnx/exporter.h"
#include "onnx/model_maker.h"
#include "support/interpret.h"
#include "support/random_trees.h"

namespace ascribe::core {
namespace {

void set_reals(onnx::NodeProto& node, const std::string& name, const std::vector<float>& values) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
}

void set_texts(onnx::NodeProto& node, const std::string& name, const std::vector<std::string>& values) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRINGS);
  for (const std::string& value : values) attribute.add_strings(value);
}

void set_text(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
}

// A stump x_0 <= 0 with node ids 0, 1, 2.
struct Stump {
  std::vector<int64_t> tree = {0, 0, 0}, number = {0, 1, 2}, column = {0, 0, 0}, yes = {1, 0, 0}, no = {2, 0, 0};
  std::vector<float> values = {0, 0, 0};
  std::vector<std::string> modes = {"BRANCH_LEQ", "LEAF", "LEAF"};
  std::vector<int64_t> weight_tree = {0, 0}, weight_node = {1, 2}, ids = {0, 0};
  std::vector<float> weights = {2, 5};
};

onnx::NodeProto& add_stump(ModelMaker& m, const std::string& op, const std::string& prefix, const Stump& stump,
                           const std::vector<std::string>& outputs) {
  auto& ml = *m.model.add_opset_import();
  ml.set_domain("ai.onnx.ml");
  ml.set_version(3);
  m.input("x", {"N", 2});
  onnx::NodeProto& node = m.node(op, {"x"}, outputs, "forest");
  node.set_domain("ai.onnx.ml");
  set_integers(node, "nodes_treeids", stump.tree);
  set_integers(node, "nodes_nodeids", stump.number);
  set_integers(node, "nodes_featureids", stump.column);
  set_integers(node, "nodes_truenodeids", stump.yes);
  set_integers(node, "nodes_falsenodeids", stump.no);
  set_reals(node, "nodes_values", stump.values);
  set_texts(node, "nodes_modes", stump.modes);
  set_integers(node, prefix + "_treeids", stump.weight_tree);
  set_integers(node, prefix + "_nodeids", stump.weight_node);
  set_integers(node, prefix + "_ids", stump.ids);
  set_reals(node, prefix + "_weights", stump.weights);
  return node;
}

ModelMaker regressor(const Stump& stump, int64_t targets = 1) {
  ModelMaker m;
  set_integer(add_stump(m, "TreeEnsembleRegressor", "target", stump, {"y"}), "n_targets", targets);
  m.output("y");
  return m;
}

ModelMaker classifier(const Stump& stump, const std::vector<int64_t>& labels, const std::vector<float>& base,
                      const std::string& transform) {
  ModelMaker m;
  onnx::NodeProto& node = add_stump(m, "TreeEnsembleClassifier", "class", stump, {"label", "y"});
  set_integers(node, "classlabels_int64s", labels);
  set_text(node, "post_transform", transform);
  if (!base.empty()) set_reals(node, "base_values", base);
  m.output("label", {}, onnx::TensorProto::INT64);
  m.output("y");
  return m;
}

const Tensor kRows = Tensor::of<double>({2, 2}, {-1, 0, 1, 0});

std::vector<double> scores(const ModelMaker& m) {
  const Tensor y = interpret(m.import().graph, {{"x", kRows}}, 2)[1];
  std::vector<double> values;
  for (int64_t i = 0; i < y.size(); ++i) values.push_back(y.at(i));
  return values;
}

void expect_scores(const ModelMaker& m, const std::vector<double>& expected) {
  const std::vector<double> got = scores(m);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(TreeEnsembleRegressor, ReachesItsLeaves) {
  const Tensor y = interpret(regressor({}).import().graph, {{"x", kRows}}, 2)[0];
  EXPECT_EQ(y.shape(), (Shape{2, 1}));
  EXPECT_EQ(y.at(0), 2);
  EXPECT_EQ(y.at(1), 5);
}

TEST(TreeEnsembleClassifier, OneColumnOfWeightsForTwoClasses) {
  Stump positive, negative;
  positive.weights = {0.3F, 0.8F};
  negative.weights = {-0.7F, 1.2F};
  expect_scores(classifier(positive, {0, 1}, {}, "NONE"), {0.7, 0.3, 0.2, 0.8});
  expect_scores(classifier(positive, {0, 1}, {0.1F}, "NONE"), {0.6, 0.4, 0.1, 0.9});
  expect_scores(classifier(negative, {0, 1}, {}, "NONE"), {0.7, -0.7, -1.2, 1.2});
  expect_scores(classifier(negative, {0, 1}, {0.25F}, "LOGISTIC"),
                {sigmoid(0.45), sigmoid(-0.45), sigmoid(-1.45), sigmoid(1.45)});
  expect_scores(classifier(positive, {0, 1}, {}, "LOGISTIC"),
                {sigmoid(-0.3), sigmoid(0.3), sigmoid(-0.8), sigmoid(0.8)});
}

TEST(TreeEnsembleClassifier, LabelsAreThoseOfTheFile) {
  Stump stump;
  stump.weights = {0.3F, 0.8F};
  const Tensor label = interpret(classifier(stump, {7, 3}, {}, "NONE").import().graph, {{"x", kRows}}, 2)[0];
  EXPECT_EQ(label.at(0), 7);
  EXPECT_EQ(label.at(1), 3);
}

TEST(TreeEnsembleClassifier, WhatRuntimesDisagreeAboutIsRefused) {
  Stump second;
  second.ids = {1, 1};
  expect_refusal(ErrorKind::unsupported, {"forest", "runtimes disagree"}, [&] {
    classifier(second, {0, 1}, {0.1F, 0.2F}, "NONE").import();
  });
  expect_refusal(ErrorKind::unsupported, {"one class"}, [] { classifier({}, {4}, {}, "NONE").import(); });
  Stump some;
  some.ids = {0, 1};
  expect_refusal(ErrorKind::unsupported, {"some leaves only"}, [&] { classifier(some, {0, 1}, {}, "NONE").import(); });
}

template <class F>
void expect_broken(const std::string& words, F spoil, int64_t targets = 1) {
  Stump stump;
  spoil(stump);
  expect_refusal(ErrorKind::model, {"forest", words}, [&] { regressor(stump, targets).import(); });
}

TEST(TreeEnsembleRegressor, WhatIsNoTreeIsRefused) {
  expect_broken("reached twice", [](Stump& s) { s.yes[0] = 0; });
  expect_broken("reached twice", [](Stump& s) {
    s.modes[1] = "BRANCH_LEQ";
    s.yes[1] = 0;
    s.no[1] = 2;
    s.weight_node = {2, 2};
  });
  expect_broken("has no node 9", [](Stump& s) { s.no[0] = 9; });
  expect_broken("is there twice", [](Stump& s) { s.number[2] = 1; });
  expect_broken("entries", [](Stump& s) { s.column.pop_back(); });
  expect_broken("entries", [](Stump& s) { s.weights.pop_back(); });
  expect_broken("which is not there", [](Stump& s) { s.weight_node[0] = 12; });
  expect_broken("target 4", [](Stump& s) { s.ids[1] = 4; });
  expect_broken("target -1", [](Stump& s) { s.ids[1] = -1; });
  expect_broken("mode \"BRANCH_XOR\"", [](Stump& s) { s.modes[0] = "BRANCH_XOR"; });
  expect_broken("column", [](Stump& s) { s.column[0] = int64_t{1} << 40; });
  expect_broken("column 5", [](Stump& s) { s.column[0] = 5; });
  expect_broken(
      "targets", [](Stump&) {}, int64_t{1} << 50);
  expect_broken(
      "targets", [](Stump&) {}, 0);
  expect_broken("not finite", [](Stump& s) { s.weights[0] = std::numeric_limits<float>::infinity(); });
  expect_broken("no trees", [](Stump& s) { s = {{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; });
}

TEST(TreeEnsemble, SurvivesARoundTripInBothPrecisions) {
  for (const DType real : {DType::f32, DType::f64}) {
    for (const bool sets : {false, true}) {
      TreeEnsemble trees = random_trees(5, 3, 4, 8, 2);
      for (double& weight : trees.weight) weight = static_cast<float>(weight);
      trees.single = real == DType::f32;
      if (sets) {
        trees.nodes[0].test = TreeTest::member;
        trees.nodes[0].set = 0;
        trees.sets = {{-2, 1}};
      }
      const Graph graph = tree_graph(trees, 4);
      const ImportedModel again = import_model_bytes(export_model(graph, {real, {}}), "again", {}, {});
      Tensor x(DType::f64, {60, 4});
      for (int64_t r = 0; r < 60; ++r) {
        const std::vector<double> row = random_row(4, static_cast<uint64_t>(r));
        std::copy(row.begin(), row.end(), x.mutable_data<double>().begin() + 4 * r);
      }
      const Tensor expected = interpret(graph, {{"x", x}}, 60)[0], got = interpret(again.graph, {{"x", x}}, 60)[0];
      for (int64_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(got.at(i), expected.at(i), 1e-6) << to_string(real) << (sets ? ", sets" : "");
      }
    }
  }
}

}  // namespace
}  // namespace ascribe::core
