// x as another kind. Real to integer truncates and saturates; to boolean: x != 0.
#include "graph/op_support.h"

namespace ascribe::core::op_cast {
namespace {

Type infer(const Signature& s) {
  const std::string& to = s.attributes.text("to");
  for (const Kind kind : {Kind::real, Kind::integer, Kind::boolean}) {
    if (to == to_string(kind)) return {kind, s.shape(0)};
  }
  s.refuse("there is no such kind; got '{}'; expected real, integer or boolean", to);
}

void apply(const Evaluation& e) {
  visit(e.inputs[0].dtype, [&]<class From>(From) {
    visit(e.output.dtype,
          [&]<class To>(To) { apply_unary<From, To>(e, [](From x) { return convert_element<To>(x); }); });
  });
}

void more_traits(Traits& traits, const Attributes& attributes) {
  traits.moves = traits.rearranges = traits.rises = attributes.text("to") == to_string(Kind::real);
}

const RegisterOp cast({.name = "cast",
                       .op_class = OpClass::plumbing,
                       .traits = {.pointwise = true, .sign = Sign::kept},
                       .formula = "x as a real, an integer or a boolean",
                       .infer = infer,
                       .apply = apply,
                       .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_cast
