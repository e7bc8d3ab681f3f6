// A model of 20 columns with a pair and a triple: y = sum of 0.1 i x_i + 4 x0 x1 + 3 x2 x3 x4, and a row of ones.
#pragma once

#include <string>

#include "onnx/model_maker.h"

namespace ascribe::core {

inline std::string many_players_bytes() {
  ModelMaker maker;
  maker.input("x", {"N", 20}).output("y");
  std::vector<float> slopes;
  for (int i = 0; i < 20; ++i) slopes.push_back(0.1F * static_cast<float>(i));
  maker.floats("w", {20, 1}, slopes);
  maker.node("MatMul", {"x", "w"}, {"linear"});
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i);
    std::vector<float> one(20, 0.0F);
    one[static_cast<size_t>(i)] = i == 0 ? 4.0F : i == 2 ? 3.0F : 1.0F;
    maker.floats("u" + number, {20, 1}, one);
    maker.node("MatMul", {"x", "u" + number}, {"x" + number});
  }
  maker.node("Mul", {"x0", "x1"}, {"pair"});
  maker.node("Mul", {"x2", "x3"}, {"two"});
  maker.node("Mul", {"two", "x4"}, {"triple"});
  maker.node("Add", {"linear", "pair"}, {"some"});
  maker.node("Add", {"some", "triple"}, {"y"});
  return maker.bytes();
}

inline std::string many_players_row() {
  std::string names, values;
  for (int i = 0; i < 20; ++i) {
    names += (i == 0 ? "c" : ",c") + std::to_string(i);
    values += i == 0 ? "1" : ",1";
  }
  return names + "\n" + values + "\n";
}

}  // namespace ascribe::core
