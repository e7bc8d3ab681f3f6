// y = x0 x1 + x2, one number per row: a model whose effects and attributions are known by heart.
#pragma once

#include <string>

#include "onnx/model_maker.h"

namespace ascribe::core {

inline std::string product_model_bytes() {
  ModelMaker maker;
  maker.input("x", {"N", 3}).output("y");
  maker.floats("left", {3, 1}, {1, 0, 0});
  maker.floats("right", {3, 1}, {0, 1, 0});
  maker.floats("rest", {3, 1}, {0, 0, 1});
  maker.node("MatMul", {"x", "left"}, {"a"});
  maker.node("MatMul", {"x", "right"}, {"b"});
  maker.node("MatMul", {"x", "rest"}, {"c"});
  maker.node("Mul", {"a", "b"}, {"ab"});
  maker.node("Add", {"ab", "c"}, {"y"});
  return maker.bytes();
}

}  // namespace ascribe::core
