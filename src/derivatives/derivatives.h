// Derivatives of one scalar f of a graph (an element of each row of an output) at one point: gradient,
// directional derivatives, products with the Hessian, the Hessian or some of its rows, Taylor coefficients.
// Everything is a jet of the graph or of its gradient; what is asked twice is planned once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "derivatives/taylor.h"
#include "passes/linear_prefix.h"

namespace ascribe::core {

struct ScalarTarget {
  size_t output = 0;    // which of the graph's outputs
  int64_t element = 0;  // which element of a row
};

class HessianBehind;

class Derivatives {
 public:
  // `input`: the input that moves; empty if the graph has one real input. The others stand still.
  Derivatives(const Graph& graph, ScalarTarget target, SessionOptions options = {.real = DType::f64},
              const std::string& input = {});

  // A point has a tensor per input of the graph, of one row; directions are tensors of D rows.
  double value(std::span<const Tensor> point);
  Tensor gradient(std::span<const Tensor> point);                                            // the input's shape
  std::vector<double> directional(std::span<const Tensor> point, const Tensor& directions);  // <gradient, v>
  Tensor hessian_product(std::span<const Tensor> point, const Tensor& directions);           // H v, D rows
  // Rows of the Hessian, [elements, size of the input]; no elements: all of them.
  Tensor hessian(std::span<const Tensor> point, std::span<const int64_t> elements = {}, const Progress& progress = {});
  // Coefficients c[d][k] of f(point + t v_d), k = 0 .. order.
  std::vector<std::vector<double>> taylor(std::span<const Tensor> point, const Tensor& directions, int order,
                                          const Progress& progress = {});

  const Shape& input_shape() const { return input_shape_; }  // of one row
  size_t input_index() const { return input_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Taylor& of_value(int order);
  Taylor& of_gradient();
  HessianBehind* behind_layer(int64_t rows);  // null: for so many rows it would not save work
  std::vector<Tensor> with_seed(std::span<const Tensor> point) const;

  Graph scalar_, gradient_;
  SessionOptions options_;
  std::string name_;
  size_t input_ = 0;
  Shape input_shape_;
  std::vector<std::string> notes_;
  std::map<int, std::unique_ptr<Taylor>> value_jets_;
  std::unique_ptr<Taylor> gradient_jets_;
  std::unique_ptr<Session> gradient_session_;
  std::optional<LinearPrefix> cut_;
  bool looked_for_cut_ = false;
  std::shared_ptr<HessianBehind> behind_;
};

}  // namespace ascribe::core
