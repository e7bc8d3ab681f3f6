// y = (x0 x1 + x2, x2), or bent: (tanh(x0 x1) + x2, x2).
#pragma once

#include <string>

#include "onnx/model_maker.h"

namespace ascribe {

inline std::string two_numbers_bytes(bool bent = false) {
  core::ModelMaker maker;
  maker.input("x", {"N", 3}).output("y");
  maker.floats("left", {3, 2}, {1, 0, 0, 0, 0, 0});
  maker.floats("right", {3, 2}, {0, 0, 1, 0, 0, 0});
  maker.floats("rest", {3, 2}, {0, 0, 0, 0, 1, 1});
  maker.node("MatMul", {"x", "left"}, {"a"});
  maker.node("MatMul", {"x", "right"}, {"b"});
  maker.node("MatMul", {"x", "rest"}, {"c"});
  maker.node("Mul", {"a", "b"}, {"ab"});
  if (bent) maker.node("Tanh", {"ab"}, {"t"});
  maker.node("Add", {bent ? "t" : "ab", "c"}, {"y"});
  return maker.bytes();
}

}  // namespace ascribe
