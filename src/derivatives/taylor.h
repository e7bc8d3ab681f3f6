// Taylor coefficients of a graph's outputs along many directions from one point.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/session.h"

namespace ascribe::core {

class Taylor {
 public:
  // `moving`: the inputs along which directions lead; empty: all real ones.
  Taylor(Graph graph, int order, const SessionOptions& options = {.real = DType::f64},
         std::vector<std::string> moving = {});

  // `point`: a tensor per input of the graph, of one row. `directions`: a tensor per moving input, of D rows
  // each. Gives for every real output the coefficients 0 .. order of output(point + t direction) =
  // sum of c_k t^k, of D rows each.
  std::vector<std::vector<Tensor>> along(std::span<const Tensor> point, std::span<const Tensor> directions,
                                         const Progress& progress = {});

  int order() const { return order_; }
  const Graph& graph() const { return graph_; }  // without its constants
  const std::vector<std::string>& moving() const { return moving_; }

 private:
  Shape moving_shape(size_t index) const;
  int64_t count_directions(std::span<const Tensor> directions) const;
  Tensor repeated(const Tensor& row, size_t input, int64_t rows) const;
  std::vector<Tensor> run(std::span<const Tensor> point, std::span<const Tensor> directions, int64_t rows,
                          const Progress& progress);

  Graph graph_;
  int order_;
  std::vector<std::string> moving_;
  bool shared_ = false;   // the session takes one row as the point of all directions
  bool batched_ = false;  // several directions at once
  size_t outputs_ = 0;
  std::unique_ptr<Session> session_;
};

}  // namespace ascribe::core
