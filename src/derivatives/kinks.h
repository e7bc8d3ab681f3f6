// Whether kinks of a network lie between a point and other rows: some choice there is not the point's
// (passes/choices.h). Rows on the same side may still have a kink on the way to them, which a row in between shows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/session.h"

namespace ascribe::core {

class Kinks {
 public:
  // `input`: the one that moves.
  Kinks(const Graph& graph, size_t input, SessionOptions options = {.real = DType::f64});

  bool any() const { return session_ != nullptr; }  // in the whole network
  // How many rows to bring together: their choices may be many more numbers than they are.
  int64_t rows_at_once() const { return rows_at_once_; }
  // `point`: a tensor per input, of one row. `rows`: of the input that moves, [rows, ...].
  bool between(std::span<const Tensor> point, const Tensor& rows);

 private:
  std::vector<Tensor> choices(std::span<const Tensor> point, const Tensor& rows, int64_t count);

  size_t input_;
  int64_t rows_at_once_ = 1;
  std::unique_ptr<Session> session_;
};

}  // namespace ascribe::core
