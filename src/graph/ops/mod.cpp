// The remainder of a / b with broadcasting: with the sign of b, or with that of a if fmod is set.
// An integer remainder by 0 is refused.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe {
namespace {

int64_t remainder(int64_t a, int64_t b) {
  if (b == 0) fail(ErrorKind::model, "mod", "an integer is divided by 0; got {} mod 0", a);
  return b == -1 ? 0 : a % b;  // the smallest integer has no quotient by -1
}
float remainder(float a, float b) { return std::fmod(a, b); }
double remainder(double a, double b) { return std::fmod(a, b); }

void apply(const Evaluation& e) {
  const bool sign_of_a = e.attributes.flag("fmod");
  visit_number(e.output.dtype, [&]<class T>(T) {
    apply_binary<T, T>(e, [&](T a, T b) {
      const T rest = remainder(a, b);
      return !sign_of_a && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    });
  });
}

const RegisterOp mod({.name = "mod",
                      .op_class = OpClass::plumbing,
                      .formula = "a - b floor(a / b), or with the quotient truncated (fmod)",
                      .min_inputs = 2,
                      .max_inputs = 2,
                      .infer = infer_broadcast_number,
                      .apply = apply});

}  // namespace
}  // namespace ascribe
