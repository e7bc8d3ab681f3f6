// Every attribute of every operator, set to numbers that overflow whatever is computed from them: the file is read or
// refused with a reason that is not a bug of ours. Under the sanitizers an overflow ends the test.
#include <algorithm>
#include <limits>

#include "onnx/lowering.h"
#include "onnx/model_maker.h"

namespace ascribe::core {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();

struct Operands {
  std::vector<DeclaredDim> x;
  std::vector<std::string> names;
};

// Pictures with a kernel, rows of numbers, and lists of whole numbers behind either.
const std::vector<Operands>& operands() {
  static const std::vector<Operands> all = {{{1, 4, 6, 6}, {"x", "kernel"}},
                                            {{1, 4, 6, 6}, {"x"}},
                                            {{2, 4}, {"x", "pair", "pair"}},
                                            {{2, 4}, {"x", "x", "x"}},
                                            {{1, 4, 6}, {"x", "one", "one"}}};
  return all;
}

ModelMaker model_of(const std::string& operation, int64_t opset, const Operands& with) {
  const size_t dot = operation.rfind('.');
  ModelMaker maker(opset);
  maker.input("x", with.x).output("y");
  maker.floats("kernel", {4, 4, 1, 1}, std::vector<float>(16, 1.0F));
  maker.integers("pair", {1, 2});
  maker.integers("one", {1});
  onnx::NodeProto& node = maker.node(operation.substr(dot == std::string::npos ? 0 : dot + 1), with.names, {"y"});
  if (dot != std::string::npos) {
    node.set_domain(operation.substr(0, dot));
    onnx::OperatorSetIdProto& domain = *maker.model.add_opset_import();
    domain.set_domain(operation.substr(0, dot));
    domain.set_version(1);
  }
  return maker;
}

void expect_no_bug(const ModelMaker& maker, const std::string& what) {
  try {
    maker.import();
  } catch (const Error& error) {
    EXPECT_NE(to_string(error.kind()), to_string(ErrorKind::internal)) << what << ": " << error.what();
  }
}

TEST(Lowering, AttributesOfExtremeNumbersAreReadOrRefused) {
  for (const auto& [name, lowering] : LoweringRegistry::instance().entries()) {
    for (const KnownAttribute& attribute : lowering.attributes) {
      const int64_t opset = std::clamp<int64_t>(17, attribute.since, attribute.until);
      for (const Operands& with : operands()) {
        for (const int64_t value : {kMost, kLeast, kMost - 1, int64_t{1} << 32, int64_t{-1}}) {
          ModelMaker single = model_of(name, opset, with), list = model_of(name, opset, with);
          set_integer(*single.graph().mutable_node(0), attribute.name, value);
          expect_no_bug(single, name + "." + attribute.name);
          set_integers(*list.graph().mutable_node(0), attribute.name, {value, value});
          expect_no_bug(list, name + "." + attribute.name);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ascribe::core
