#include "derivatives/kinks.h"

#include <algorithm>

#include "passes/choices.h"
#include "tensor/rows.h"

namespace ascribe::core {

namespace {

constexpr int64_t kNumbersAtOnce = int64_t{1} << 23;

bool all_rows_equal(const Tensor& row, const Tensor& rows) {
  const int64_t size = row.size();
  for (int64_t i = 0; i < rows.size(); ++i) {
    if (rows.at(i) != row.at(i % size)) return false;
  }
  return true;
}

}  // namespace

Kinks::Kinks(const Graph& graph, size_t input, SessionOptions options) : input_(input) {
  Graph made = choices_of(graph);
  if (made.outputs.empty()) return;
  int64_t numbers = element_count(at(made[made.inputs[input].value].type.shape, 1));
  for (const Port& port : made.outputs) numbers += element_count(at(made[port.value].type.shape, 1));
  rows_at_once_ = std::max<int64_t>(1, kNumbersAtOnce / std::max<int64_t>(1, numbers));
  session_ = std::make_unique<Session>(std::move(made), std::move(options));
}

std::vector<Tensor> Kinks::choices(std::span<const Tensor> point, const Tensor& rows, int64_t count) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < point.size(); ++i) inputs.push_back(i == input_ ? rows : repeated_row(point[i], count));
  return session_->run(inputs);
}

bool Kinks::between(std::span<const Tensor> point, const Tensor& rows) {
  if (!any() || rows.empty()) return false;
  const std::vector<Tensor> own = choices(point, point[input_], 1);
  const int64_t count = rows.size() / point[input_].size();
  const std::vector<Tensor> theirs = choices(point, rows, count);
  for (size_t c = 0; c < own.size(); ++c) {
    if (!all_rows_equal(own[c], theirs[c])) return true;
  }
  return false;
}

}  // namespace ascribe::core
