// If, Loop and Scan: what is known when the model is loaded becomes part of the graph, the rest is refused.
#include "onnx/lowering/node_case.h"
#include "onnx/model_maker.h"

namespace ascribe::core {
namespace {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::TensorProto;

// One row, as the file says.
ImportOptions single() {
  ImportOptions options;
  options.batched = false;
  return options;
}

void add_node(GraphProto& body, const std::string& op, const std::vector<std::string>& inputs,
              const std::string& output) {
  auto& node = *body.add_node();
  node.set_op_type(op);
  for (const auto& input : inputs) node.add_input(input);
  node.add_output(output);
}

GraphProto& add_body(onnx::NodeProto& node, const std::string& name) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::GRAPH);
  return *attribute.mutable_g();
}

void add_truth(ModelMaker& m, const std::string& name, bool value) {
  m.raw<uint8_t>(name, {}, TensorProto::BOOL, {static_cast<uint8_t>(value)});
}

Tensor run(const ModelMaker& m, double x) { return interpret(m.import().graph, {{"x", reals_of({1, 1}, {x})}}, 1)[0]; }

// y = x + x if the condition holds, else x * x.
ModelMaker choice(const std::string& condition) {
  ModelMaker m(17);
  m.input("x", {"N", 1}).output("y");
  auto& node = m.node("If", {condition}, {"y"}, "choose");
  GraphProto& then = add_body(node, "then_branch");
  add_node(then, "Add", {"x", "x"}, "t");
  then.add_output()->set_name("t");
  GraphProto& otherwise = add_body(node, "else_branch");
  add_node(otherwise, "Mul", {"x", "x"}, "e");
  otherwise.add_output()->set_name("e");
  return m;
}

TEST(If, TakesTheBranchOfAKnownCondition) {
  for (const bool holds : {true, false}) {
    ModelMaker m = choice("c");
    add_truth(m, "c", holds);
    expect_values(run(m, 5), {1, 1}, {holds ? 10.0 : 25.0});
  }
}

TEST(If, RefusesAConditionThatDependsOnTheInput) {
  ModelMaker m = choice("c");
  m.floats("zero", {}, {0});
  m.node("ReduceSum", {"x"}, {"s"});
  m.node("Less", {"zero", "s"}, {"c"});
  expect_refusal(ErrorKind::unsupported, {"condition must be known"}, [&] { m.import(); });
}

TEST(If, AnUnknownOperatorCountsOnlyInTheBranchThatIsTaken) {
  for (const bool holds : {true, false}) {
    ModelMaker m = choice("c");
    add_truth(m, "c", holds);
    m.graph().mutable_node(0)->mutable_attribute(1)->mutable_g()->mutable_node(0)->set_op_type("Frobnicate");
    if (holds) expect_values(run(m, 5), {1, 1}, {10});
    else expect_refusal(ErrorKind::unsupported, {"Frobnicate"}, [&] { m.import(); });
  }
}

// v <- v * x + turn, and the values of all turns.
ModelMaker looped(int64_t turns) {
  ModelMaker m(17);
  m.input("x", {1, 1}).output("last").output("all");
  m.raw<int64_t>("turns", {}, TensorProto::INT64, {turns});
  m.floats("start", {1, 1}, {1});
  auto& node = m.node("Loop", {"turns", "", "start"}, {"last", "all"}, "loop");
  GraphProto& body = add_body(node, "body");
  for (const char* name : {"turn", "goes_on", "v"}) body.add_input()->set_name(name);
  add_node(body, "Identity", {"goes_on"}, "still");
  add_node(body, "Mul", {"v", "x"}, "product");
  add_node(body, "CastLike", {"turn", "product"}, "number");
  add_node(body, "Add", {"product", "number"}, "next");
  add_node(body, "Identity", {"next"}, "kept");
  for (const char* name : {"still", "next", "kept"}) body.add_output()->set_name(name);
  return m;
}

TEST(Loop, IsUnrolled) {
  const auto outputs = interpret(looped(3).import(single()).graph, {{"x", reals_of({1, 1}, {2})}}, 1);
  // 1 * 2 + 0 = 2, 2 * 2 + 1 = 5, 5 * 2 + 2 = 12
  expect_values(outputs[0], {1, 1}, {12});
  expect_values(outputs[1], {3, 1, 1}, {2, 5, 12});
}

TEST(Loop, ThatNeverEndsOrTakesTooLongIsRefused) {
  expect_refusal(ErrorKind::unsupported, {"4096 turns"}, [] { looped(100000).import(); });
  ModelMaker endless = looped(1);
  add_truth(endless, "yes", true);
  auto& node = *endless.graph().mutable_node(0);
  node.set_input(0, "");
  node.set_input(1, "yes");
  expect_refusal(ErrorKind::unsupported, {"4096 turns"}, [&] { endless.import(); });
}

TEST(Loop, EndsWithItsCondition) {
  ModelMaker m = looped(50);
  GraphProto& body = *m.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
  auto& two = *body.add_initializer();
  two.set_name("two");
  two.set_data_type(TensorProto::INT64);
  two.add_int64_data(2);
  body.mutable_node(0)->set_op_type("Less");
  body.mutable_node(0)->set_input(0, "turn");
  body.mutable_node(0)->add_input("two");
  const auto outputs = interpret(m.import(single()).graph, {{"x", reals_of({1, 1}, {2})}}, 1);
  expect_values(outputs[1], {3, 1, 1}, {2, 5, 12});
}

TEST(Loop, ABodyWithTheWrongNumberOfInputsIsRefused) {
  ModelMaker m = looped(2);
  m.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->add_input()->set_name("more");
  expect_refusal(ErrorKind::model, {"inputs"}, [&] { m.import(); });
}

// A loop within a loop within a loop, of bodies that do nothing.
TEST(Loop, NestedLoopsDoNotMultiplyWithoutBound) {
  ModelMaker m(17);
  m.input("x", {1, 1}).output("y");
  m.raw<int64_t>("turns", {}, TensorProto::INT64, {4000});
  const auto fill = [](GraphProto& body, const std::string& prefix) {
    for (const char* name : {"turn", "goes_on", "v"}) body.add_input()->set_name(prefix + name);
    for (const char* name : {"goes_on", "v"}) body.add_output()->set_name(prefix + name);
  };
  GraphProto* body = &add_body(m.node("Loop", {"turns", "", "x"}, {"y"}, "loop"), "body");
  for (int depth = 0; depth < 3; ++depth) {
    const std::string prefix = fmt::format("b{}", depth);
    fill(*body, prefix);
    auto& inner = *body->add_node();
    inner.set_op_type("Loop");
    for (const auto& input : {std::string("turns"), std::string(), prefix + "v"}) inner.add_input(input);
    inner.add_output(prefix + "w");
    body->mutable_output(1)->set_name(prefix + "w");
    body = &add_body(inner, "body");
  }
  fill(*body, "last");
  expect_refusal(ErrorKind::unsupported, {"too many turns"}, [&] { m.import(single()); });
}

TEST(Scan, StepsAlongAnAxisInBothDirections) {
  for (const bool backwards : {false, true}) {
    ModelMaker m(17);
    m.input("x", {1, 3}).output("sum").output("sums");
    m.floats("start", {1}, {0});
    auto& node = m.node("Scan", {"start", "x"}, {"sum", "sums"}, "scan");
    set_integer(node, "num_scan_inputs", 1);
    set_integers(node, "scan_input_axes", {1});
    set_integers(node, "scan_input_directions", {backwards ? 1 : 0});
    set_integers(node, "scan_output_axes", {1});
    GraphProto& body = add_body(node, "body");
    for (const char* name : {"s", "v"}) body.add_input()->set_name(name);
    add_node(body, "Add", {"s", "v"}, "next");
    add_node(body, "Identity", {"next"}, "kept");
    for (const char* name : {"next", "kept"}) body.add_output()->set_name(name);
    const auto outputs = interpret(m.import(single()).graph, {{"x", reals_of({1, 3}, {1, 2, 4})}}, 1);
    expect_values(outputs[0], {1}, {7});
    expect_values(outputs[1], {1, 3}, backwards ? std::vector<double>{4, 6, 7} : std::vector<double>{1, 3, 7});
  }
}

TEST(ControlFlow, WithinAFunctionOfTheModelIsRefused) {
  ModelMaker m(17);
  m.input("x", {"N", 1}).output("y");
  m.node("Chosen", {"x"}, {"y"}, "call").set_domain("own");
  auto& import = *m.model.add_opset_import();
  import.set_domain("own");
  import.set_version(1);
  auto& function = *m.model.add_functions();
  function.set_name("Chosen");
  function.set_domain("own");
  function.add_input("x");
  function.add_output("y");
  auto& node = *function.add_node();
  node.set_op_type("If");
  node.add_input("x");
  node.add_output("y");
  add_body(node, "then_branch");
  expect_refusal(ErrorKind::unsupported, {"If within a function"}, [&] { m.import(); });
}

}  // namespace
}  // namespace ascribe::core
