// The paper's study room as a model file, with a clock that does nothing.
#pragma once

#include <string>

#include "onnx/model_maker.h"
#include "support/folder.h"

namespace ascribe::core {

// y = 3 book + 2 book desk lamp + 0 clock.
inline std::string study_room_file(TemporaryFolder& folder) {
  ModelMaker maker;
  maker.input("x", {"N", 4}).output("y");
  for (int i = 0; i < 3; ++i) {
    const std::string name = "w" + std::to_string(i);
    maker.floats(name, {4, 1}, {i == 0 ? 1.F : 0.F, i == 1 ? 1.F : 0.F, i == 2 ? 1.F : 0.F, 0.F});
    maker.node("MatMul", {"x", name}, {"x" + std::to_string(i)});
  }
  maker.floats("three", {1}, {3});
  maker.floats("two", {1}, {2});
  maker.node("Mul", {"x0", "x1"}, {"a"});
  maker.node("Mul", {"a", "x2"}, {"b"});
  maker.node("Mul", {"b", "two"}, {"c"});
  maker.node("Mul", {"x0", "three"}, {"d"});
  maker.node("Add", {"c", "d"}, {"y"});
  return folder.write("room.onnx", maker.bytes());
}

inline std::string study_room_row(TemporaryFolder& folder) {
  return folder.write("row.csv", "book,desk,lamp,clock\n1,1,1,1\n");
}

}  // namespace ascribe::core
