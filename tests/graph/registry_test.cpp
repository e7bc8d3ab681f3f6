// Walks every core operation: what each must have, and that none has vanished.
#include <gtest/gtest.h>

#include <cctype>

#include "base/registry.h"
#include "support/errors.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

const std::vector<std::pair<OpClass, std::vector<std::string>>> kExpected = {
    {OpClass::source, {"input", "constant", "growing_constant"}},
    {OpClass::linear,
     {"add", "sub", "neg", "reshape", "transpose", "concat", "slice", "pad", "expand", "gather", "gather_elements",
      "gather_nd", "scatter_elements", "scatter_nd", "reduce_sum", "reduce_mean", "cumsum", "average_pool"}},
    {OpClass::bilinear, {"mul", "div", "matmul", "conv", "conv_transpose", "resample"}},
    {OpClass::elementwise,
     {"sigmoid", "tanh", "exp",  "log",  "erf",  "softplus", "sqrt", "reciprocal", "pow",   "sin",
      "cos",     "tan",  "asin", "acos", "atan", "sinh",     "cosh", "asinh",      "acosh", "atanh"}},
    {OpClass::selection,
     {"relu", "leaky_relu", "clip", "abs", "maximum", "minimum", "where", "max_pool", "reduce_max", "reduce_min", "mod",
      "gate", "max_pool_pick", "max_pool_scatter"}},
    {OpClass::composite,
     {"softmax", "log_softmax", "normalize", "gelu", "hard_swish", "silu", "mish", "elu", "reduce_prod",
      "reduce_log_sum_exp", "sum_of_products", "share", "secant"}},
    {OpClass::plumbing,
     {"cast", "equal", "less", "less_equal", "logical_and", "logical_or", "logical_xor", "logical_not", "floor", "ceil",
      "round", "sign", "is_nan", "is_inf", "arg_max", "arg_min", "top_k_indices", "max_pool_indices", "quantize"}},
};

TEST(OpRegistry, NoOperationHasVanishedOrChangedItsClass) {
  size_t count = 0;
  for (const auto& [op_class, names] : kExpected) {
    count += names.size();
    for (const std::string& name : names) {
      const Op* op = OpRegistry::instance().find(name);
      ASSERT_NE(op, nullptr) << name;
      EXPECT_EQ(to_string(op->op_class), to_string(op_class)) << name;
    }
  }
  EXPECT_EQ(count, 93U);
  EXPECT_GE(OpRegistry::instance().entries().size(), count);
}

TEST(OpRegistry, NamesAreSnakeCaseAndFormulasFitOnALine) {
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    EXPECT_EQ(op.name, name);
    for (const char c : name) EXPECT_TRUE(std::islower(static_cast<unsigned char>(c)) || c == '_') << name;
    EXPECT_FALSE(op.formula.empty()) << name;
    EXPECT_LE(op.formula.size(), 100U) << name;
    EXPECT_EQ(op.formula.find('\n'), std::string::npos) << name;
  }
}

TEST(OpRegistry, EveryClassBringsWhatItNeeds) {
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    const bool source = op.op_class == OpClass::source;
    EXPECT_EQ(op.infer == nullptr, source) << name;
    EXPECT_EQ(op.apply == nullptr, source) << name;
    EXPECT_GE(op.min_inputs, source ? 0 : 1) << name;
    EXPECT_GE(op.max_inputs, op.min_inputs) << name;
    EXPECT_GE(op.min_inputs, op.op_class == OpClass::bilinear ? 2 : 0) << name;
  }
}

TEST(OpRegistry, EveryClassBringsItsDerivative) {
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    const OpClass kind = op.op_class;
    const bool linear = kind == OpClass::linear || kind == OpClass::bilinear;
    const bool selection = kind == OpClass::selection, composite = kind == OpClass::composite;
    EXPECT_EQ(op.derivative != nullptr, kind == OpClass::elementwise) << name;
    EXPECT_TRUE(op.adjoint != nullptr || !linear) << name;
    EXPECT_TRUE(op.adjoint == nullptr || linear || selection || composite) << name;
    EXPECT_EQ(op.lower != nullptr, composite || (selection && op.choice < 0)) << name;
    EXPECT_TRUE(op.choice < 0 || (selection && op.adjoint != nullptr && op.choice < op.min_inputs)) << name;
    EXPECT_TRUE(op.offset.empty() || kind == OpClass::linear) << name;
    if (kind == OpClass::bilinear) {
      for (const int factor : op.factors) EXPECT_TRUE(factor >= 0 && factor < op.min_inputs) << name;
    }
  }
}

TEST(OpRegistry, AnOperationThatIsDifferentiableByHalvesIsRefused) {
  for (const OpClass op_class :
       {OpClass::linear, OpClass::bilinear, OpClass::elementwise, OpClass::selection, OpClass::composite}) {
    Op op = op_named("add");
    op.name = "halves";
    op.op_class = op_class;
    op.adjoint = nullptr;
    expect_error(ErrorKind::internal, "needs", [&] { RegisterOp{op}; });
  }
  EXPECT_EQ(OpRegistry::instance().find("halves"), nullptr);
}

TEST(OpRegistry, UnknownNamesAreOurBug) {
  expect_error(ErrorKind::internal, "no such core operation", [] { op_named("relux"); });
}

TEST(Registry, ANameIsTakenOnce) {
  Registry<int> registry;
  registry.add("one", 1);
  expect_error(ErrorKind::internal, "registered twice", [&] { registry.add("one", 2); });
  EXPECT_EQ(*registry.find("one"), 1);
  EXPECT_EQ(registry.find("two"), nullptr);
}

}  // namespace
}  // namespace ascribe::core
