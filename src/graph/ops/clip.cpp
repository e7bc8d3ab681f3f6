// min(max(x, min), max): where the bounds cross, max wins. Infinite bounds do not clip; NaN stays NaN.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

Type infer(const Signature& s) {
  if (std::isnan(s.attributes.real("min")) || std::isnan(s.attributes.real("max"))) s.refuse("a bound is not a number");
  return infer_same_number(s);
}

void apply(const Evaluation& e) {
  visit_number(e.output.dtype, [&]<class T>(T) {
    const T low = convert_element<T>(e.attributes.real("min"));
    const T high = convert_element<T>(e.attributes.real("max"));
    apply_unary<T, T>(e, [&](T x) {
      const T raised = x < low ? low : x;
      return raised > high ? high : raised;
    });
  });
}

const RegisterOp clip({.name = "clip",
                       .op_class = OpClass::selection,
                       .formula = "min(max(x, min), max)",
                       .infer = infer,
                       .apply = apply});

}  // namespace
}  // namespace ascribe
