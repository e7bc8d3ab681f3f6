// What lowerings declare to know, held against the standard's own schemas as far as the installed ONNX has them
// (tests/interop holds it against a newer one), and files that go beyond it.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <onnx/defs/schema.h>

#include "onnx/known_operators.h"
#include "onnx/lowering.h"
#include "onnx/lowering/node_case.h"
#include "onnx/model_maker.h"
#include "onnx/unread_operators.h"

namespace ascribe::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Versions = std::map<int, onnx::OpSchema>;

std::map<std::string, Versions> standard() {
  std::map<std::string, Versions> operators;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    const std::string prefix = is_default_domain(schema.domain()) ? "" : schema.domain() + ".";
    operators[prefix + schema.Name()].emplace(schema.SinceVersion(), schema);
  }
  return operators;
}

std::string domain_of(const std::string& full_name) {
  const size_t dot = full_name.rfind('.');
  return dot == std::string::npos ? "" : full_name.substr(0, dot);
}

bool knows(const Lowering& lowering, const std::string& attribute, int opset) {
  return std::any_of(lowering.attributes.begin(), lowering.attributes.end(), [&](const KnownAttribute& known) {
    return known.name == attribute && known.since <= opset && opset <= known.until;
  });
}

// Of definitions before opset 7, which are read by what they became; a file that sets them is refused.
const std::set<std::pair<std::string, std::string>> kRefused = {
    {"Pad", "paddings"}, {"Upsample", "height_scale"}, {"Upsample", "width_scale"}};

TEST(KnownOperators, EveryAttributeOfTheStandardIsDeclared) {
  const auto operators = standard();
  ASSERT_GT(operators.size(), 150U);
  for (const auto& [name, lowering] : LoweringRegistry::instance().entries()) {
    const auto found = operators.find(name);
    if (found == operators.end()) continue;  // newer than the installed standard
    for (const auto& [version, schema] : found->second) {
      for (const auto& [attribute, unused] : schema.attributes()) {
        if (!kRefused.contains({name, attribute})) {
          EXPECT_TRUE(knows(lowering, attribute, version)) << name << " " << version << ": " << attribute;
        }
      }
    }
    EXPECT_GE(lowering.version, found->second.rbegin()->first) << name << " has a newer definition";
    EXPECT_LE(lowering.version, newest_opset(domain_of(name))) << name;
  }
}

TEST(KnownOperators, NoAttributeIsDeclaredBeforeTheStandardHasIt) {
  const auto operators = standard();
  for (const auto& [name, lowering] : LoweringRegistry::instance().entries()) {
    const auto found = operators.find(name);
    if (found == operators.end()) continue;
    for (const KnownAttribute& known : lowering.attributes) {
      if (known.since > found->second.rbegin()->first)
        continue;  // of a definition that is newer than the installed one
      const bool has = std::any_of(found->second.begin(), found->second.end(),
                                   [&](const auto& of) { return of.second.attributes().contains(known.name); });
      EXPECT_TRUE(has) << name << ": " << known.name;
      for (const auto& [version, schema] : found->second) {
        if (schema.attributes().contains(known.name)) {
          EXPECT_LE(known.since, version) << name << ": " << known.name;
        }
      }
    }
  }
}

void expect_refused(const std::vector<std::string>& parts, const ModelMaker& m,
                    ErrorKind kind = ErrorKind::unsupported) {
  expect_refusal(kind, parts, [&] { m.import(); });
}

void set_attribute(onnx::NodeProto& node, const std::string& name, int64_t value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

TEST(KnownOperators, UnknownAttributesAreListedWithUnknownOperatorsAtOnce) {
  ModelMaker m(13);
  m.input("x", {1, 4, 4, 4}).output("y");
  set_attribute(m.node("Relu", {"x"}, {"a"}, "first"), "slope", 1);
  set_attribute(m.node("Relu", {"a"}, {"b"}, "second"), "slope", 2);
  m.node("Frobnicate", {"b"}, {"c"}, "frob");
  auto& node = m.node("SpaceToDepth", {"c"}, {"y"}, "depth");
  set_attribute(node, "blocksize", 2);
  auto* mode = node.add_attribute();
  mode->set_name("mode");
  mode->set_type(onnx::AttributeProto::STRING);
  mode->set_s("CRD");
  expect_refused({"Frobnicate x1 (first: node 'frob')", "'slope' of Relu (not an attribute of the operator) x2",
                  "'mode' of SpaceToDepth (part of the operator since opset 28, not in 13) x1 (first: node 'depth')"},
                 m);
}

TEST(KnownOperators, OpsetsThatAreTooNewAreRefused) {
  for (const int64_t opset : {kNewestOpset + 1, int64_t{99}}) {
    ModelMaker m(opset);
    m.input("x", {1, 2}).output("y");
    m.node("Relu", {"x"}, {"y"});
    expect_refused({fmt::format("opset {}", opset), fmt::format("up to opset {}", kNewestOpset)}, m);
  }
  ModelMaker newest(kNewestOpset);
  newest.input("x", {1, 2}).output("y");
  newest.node("Relu", {"x"}, {"y"});
  EXPECT_NO_THROW(newest.import());
}

TEST(KnownOperators, OpsetsOfDomainsThatNoNodeUsesDoNotMatter) {
  ModelMaker m(17);
  auto* other = m.model.add_opset_import();
  other->set_domain("com.microsoft");
  other->set_version(99);
  m.input("x", {1, 2}).output("y");
  m.node("Relu", {"x"}, {"y"});
  EXPECT_NO_THROW(m.import());
}

TEST(KnownOperators, TwoOpsetsOfOneDomainContradictEachOther) {
  ModelMaker m(17);
  auto* again = m.model.add_opset_import();
  again->set_domain("ai.onnx");
  again->set_version(9);
  m.input("x", {1, 2}).output("y");
  m.node("Relu", {"x"}, {"y"});
  expect_refused({"opset of the domain 'ai.onnx'", "17 and 9"}, m, ErrorKind::model);
}

TEST(KnownOperators, AttributesThatChangeNothingAreLeftOut) {
  ModelMaker m(17);
  m.input("x", {1, 2}).output("y");
  auto& node = m.node("Relu", {"x"}, {"y"});
  set_attribute(node, "consumed_inputs", 0);  // of opset 1, which old exporters went on writing
  set_attribute(node, "__origin", 7);         // a tool's own, which the standard's checker passes over
  EXPECT_NO_THROW(m.import());
  set_attribute(node, "_origin", 7);
  expect_refused({"'_origin' of Relu"}, m);
}

TEST(KnownOperators, AttributesThatLostTheirMeaningAreRefused) {
  EXPECT_EQ(NodeCase("Clip", 6).input(reals_of({2}, {-3, 3})).set("max", 1.0).refusal(), "");
  EXPECT_NE(NodeCase("Clip", 11).input(reals_of({2}, {-3, 3})).set("max", 1.0).refusal().find("up to opset 10"),
            std::string::npos);
}

TEST(KnownOperators, AttributesGivenTwiceOrByReferenceAreErrorsOfTheFile) {
  ModelMaker twice;
  twice.input("x", {1, 2}).output("y");
  auto& node = twice.node("Softmax", {"x"}, {"y"}, "soft");
  set_attribute(node, "axis", 0);
  set_attribute(node, "axis", 1);
  expect_refused({"node 'soft'", "given twice", "axis"}, twice, ErrorKind::model);

  ModelMaker reference;
  reference.input("x", {1, 2}).output("y");
  auto* attribute = reference.node("Softmax", {"x"}, {"y"}, "soft").add_attribute();
  attribute->set_name("axis");
  attribute->set_ref_attr_name("which");
  expect_refused({"node 'soft'", "'which'", "not inside one"}, reference, ErrorKind::model);
}

// A function brings its own opset, or has that of the model; attributes by reference are those of the call.
TEST(KnownOperators, FunctionsAreHeldToTheirOwnOpset) {
  const auto with_function = [](std::optional<int64_t> opset) {
    ModelMaker m(17);
    auto* domain = m.model.add_opset_import();
    domain->set_domain("own");
    domain->set_version(1);
    m.input("x", {1, 2}).output("y");
    auto& call = m.node("Soft", {"x"}, {"y"}, "call");
    call.set_domain("own");
    set_attribute(call, "which", 1);
    auto* function = m.model.add_functions();
    function->set_name("Soft");
    function->set_domain("own");
    function->add_input("a");
    function->add_output("b");
    function->add_attribute("which");
    if (opset) function->add_opset_import()->set_version(*opset);
    auto* node = function->add_node();
    node->set_op_type("Softmax");
    node->add_input("a");
    node->add_output("b");
    auto* attribute = node->add_attribute();
    attribute->set_name("axis");
    attribute->set_ref_attr_name("which");
    return m;
  };
  EXPECT_NO_THROW(with_function(17).import());
  EXPECT_NO_THROW(with_function(std::nullopt).import());
  expect_refused({"opset 99"}, with_function(99));
}

// ---- what the newest definitions say ----

TEST(SpaceToDepth, ModeOfOpset28DecidesTheOrderOfChannels) {
  // Two channels of 2 x 2: channel c at (i, j) holds 4 c + 2 i + j.
  const Tensor x = counting({1, 2, 2, 2});
  expect_values(NodeCase("SpaceToDepth", 28).input(x).set("blocksize", 2).run()[0], {1, 8, 1, 1},
                {0, 4, 1, 5, 2, 6, 3, 7});
  expect_values(NodeCase("SpaceToDepth", 28).input(x).set("blocksize", 2).set("mode", "CRD").run()[0], {1, 8, 1, 1},
                {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(Mod, OfRealsIsFlooredSinceOpset28) {
  const Tensor a = reals_of({5}, {5.5, -5.5, 5.5, -5.5, -1}), b = reals_of({5}, {2, 2, -2, -2, kInfinity});
  EXPECT_NE(NodeCase("Mod", 13).input(a).input(b).refusal().find("before opset 28"), std::string::npos);
  const Tensor y = NodeCase("Mod", 28).input(a).input(b).run()[0];
  const std::vector<double> expected = {1.5, 0.5, -0.5, -1.5, kInfinity};  // a - floor(a / b) b, the sign of b
  for (int64_t i = 0; i < y.size(); ++i) EXPECT_EQ(y.at(i), expected[static_cast<size_t>(i)]) << i;
}

TEST(Reductions, OfNoElementsAreTheBoundsOfTheType) {
  const Tensor none(DType::f64, {2, 0});
  EXPECT_EQ(NodeCase("ReduceMax", 20).input(none).constant(integers_of({1})).run()[0].at(1), -kInfinity);
  EXPECT_EQ(NodeCase("ReduceMin", 20).input(none).constant(integers_of({1})).run()[0].at(1), kInfinity);
  const Tensor whole(DType::i64, {0, 3});
  const Tensor least = NodeCase("ReduceMax", 20).input(whole).constant(integers_of({0})).set("keepdims", 0).run()[0];
  EXPECT_EQ(least.shape(), (Shape{3}));
  EXPECT_EQ(least.data<int64_t>()[0], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(NodeCase("ReduceMin", 20).input(whole).run()[0].data<int64_t>()[0], std::numeric_limits<int64_t>::max());
}

TEST(ReduceMax, OfNoSmallIntegersIsTheLeastOfTheirType) {
  for (const auto& [type, least] : {std::pair{onnx::TensorProto::INT8, int64_t{-128}}, {onnx::TensorProto::UINT8, 0}}) {
    ModelMaker m(20);
    m.input("x", {2, 0}, type).output("y", {}, type);
    m.node("ReduceMax", {"x"}, {"y"});
    ImportOptions options;
    options.batched = false;
    const Graph graph = m.import(options).graph;
    EXPECT_EQ(interpret(graph, {{"x", Tensor(DType::i64, {2, 0})}}, 0)[0].data<int64_t>()[0], least);
  }
}

// Q and K of zeros see all keys alike, so that a result is the mean of the values that a query sees.
Tensor attended(NodeCase& node, int64_t queries, const std::vector<double>& values) {
  const auto keys = static_cast<int64_t>(values.size());
  return node.input(reals_of({1, 1, queries, 1}, std::vector<double>(static_cast<size_t>(queries), 0.0)))
      .input(reals_of({1, 1, keys, 1}, std::vector<double>(values.size(), 0.0)))
      .input(reals_of({1, 1, keys, 1}, values))
      .run()[0];
}

TEST(Attention, WindowsBoundWhatAQuerySees) {
  NodeCase both("Attention", 25);
  both.set("left_window_size", 2).set("right_window_size", 1);
  // The standard's picture: {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {1, 2, 3, 4}
  expect_values(attended(both, 4, {1, 2, 4, 8, 16, 32}), {1, 1, 4, 1}, {1.5, 7.0 / 3, 15.0 / 4, 30.0 / 4});
  NodeCase causal("Attention", 25);
  causal.set("left_window_size", 1).set("right_window_size", 3).set("is_causal", 1);
  expect_values(attended(causal, 3, {1, 2, 4}), {1, 1, 3, 1}, {1, 1.5, 3});
  EXPECT_NE(NodeCase("Attention", 25).input(reals_of({1, 1, 1, 1}, {0})).set("left_window_size", -2).refusal(), "");
}

TEST(Attention, QueriesThatSeeNothingGetZero) {
  NodeCase window("Attention", 25);  // the third query would begin at key 2 of 2
  window.set("left_window_size", 0);
  expect_values(attended(window, 3, {1, 2}), {1, 1, 3, 1}, {1.5, 2, 0});
  for (const bool known : {true, false}) {
    NodeCase masked("Attention", 23);
    masked.input(reals_of({1, 1, 2, 1}, {0, 0})).input(reals_of({1, 1, 2, 1}, {0, 0}));
    masked.input(reals_of({1, 1, 2, 1}, {3, 5}));
    const Tensor mask = reals_of({2, 2}, {-kInfinity, -kInfinity, 0, -kInfinity});
    if (known) masked.constant(mask);
    else masked.input(mask);
    expect_values(masked.run()[0], {1, 1, 2, 1}, {0, 3});
  }
}

TEST(Broadcasting, OfOldComparisonsFollowsTheirAxis) {
  const Tensor a = reals_of({2, 2}, {1, 2, 3, 4}), b = reals_of({2}, {2, 3});
  const Tensor along = NodeCase("Less", 6).input(a).input(b).set("broadcast", 1).set("axis", 0).run()[0];
  EXPECT_EQ((std::vector<double>{along.at(0), along.at(1), along.at(2), along.at(3)}),
            (std::vector<double>{1, 0, 0, 0}));
  expect_values(NodeCase("Pow", 6).input(a).input(b).set("broadcast", 1).set("axis", 0).run()[0], {2, 2},
                {1, 4, 27, 64});
}

TEST(KnownOperators, AnOperatorWithAnUnknownAttributeIsNotRead) {
  ModelMaker m(17);
  m.input("x", {1, 2}).output("y");
  m.node("Relu", {"x"}, {"a"});
  set_attribute(m.node("Tanh", {"a"}, {"b"}), "slope", 1);
  m.node("Frobnicate", {"b"}, {"c"});
  auto& gelu = m.node("Gelu", {"c"}, {"y"});
  gelu.set_domain("com.microsoft");
  set_attribute(gelu, "approximate", 1);
  EXPECT_EQ(operators_beyond_lowerings_of_bytes(m.bytes(), "test"),
            (std::set<std::string>{"Tanh", "com.microsoft.Gelu"}));
  ModelMaker newer(kNewestOpset + 1);
  newer.input("x", {1, 2}).output("y");
  newer.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(operators_beyond_lowerings_of_bytes(newer.bytes(), "test"), (std::set<std::string>{"Relu"}));
}

TEST(KnownOperators, AnOpsetOfAnotherDomainThatIsTooNewIsRefused) {
  ModelMaker m(17);
  auto* other = m.model.add_opset_import();
  other->set_domain("com.microsoft");
  other->set_version(99);
  m.input("x", {1, 2}).output("y");
  m.node("Gelu", {"x"}, {"y"}).set_domain("com.microsoft");
  expect_refused({"opset 99 of com.microsoft", "up to opset 1"}, m);
}

}  // namespace
}  // namespace ascribe::core
