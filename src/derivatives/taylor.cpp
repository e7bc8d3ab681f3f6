#include "derivatives/taylor.h"

#include <algorithm>
#include <cstring>

#include "passes/differentiable.h"
#include "passes/jets.h"

namespace ascribe::core {

namespace {

bool grows(const Graph& graph, const Port& port) { return !all_fixed(graph[port.value].type.shape); }

void copy_rows(const Tensor& from, int64_t from_row, Tensor& to, int64_t to_row, size_t row_bytes) {
  std::memcpy(static_cast<std::byte*>(to.mutable_memory()) + static_cast<size_t>(to_row) * row_bytes,
              static_cast<const std::byte*>(from.memory()) + static_cast<size_t>(from_row) * row_bytes, row_bytes);
}

// Row `row` of the directions in the shape of an input that has no rows.
Tensor one_direction(const Tensor& directions, int64_t row, const Shape& shape) {
  Tensor single(directions.dtype(), shape);
  copy_rows(directions, row, single, 0, single.bytes());
  return single;
}

// Appends one run's coefficient as row `row` of all.
void place_row(const Tensor& one, Tensor& all, int64_t row, int64_t rows) {
  if (row == 0) {
    Shape shape = one.shape();
    shape.insert(shape.begin(), rows);
    all = Tensor(one.dtype(), shape);
  }
  copy_rows(one, 0, all, row, one.bytes());
}

}  // namespace

Taylor::Taylor(Graph graph, int order, const SessionOptions& options, std::vector<std::string> moving)
    : graph_(std::move(graph)), order_(order), moving_(std::move(moving)) {
  std::vector<Port> ports = moving_inputs(graph_, moving_);
  moving_.clear();
  for (const Port& port : ports) moving_.push_back(port.name);
  batched_ = std::any_of(ports.begin(), ports.end(), [&](const Port& port) { return grows(graph_, port); });
  shared_ = can_share_point(graph_);
  for (const Port& port : graph_.outputs) outputs_ += graph_[port.value].type.kind == Kind::real ? 1 : 0;
  session_ = std::make_unique<Session>(jets(graph_, {order, moving_, shared_}), options);
  for (Node& node : graph_.nodes) node.constant = {};
}

Tensor Taylor::repeated(const Tensor& row, size_t input, int64_t rows) const {
  if (shared_ || !grows(graph_, graph_.inputs[input])) return row;
  Shape shape = row.shape();
  shape[0] *= rows;
  Tensor all(row.dtype(), shape);
  for (int64_t i = 0; i < rows; ++i) copy_rows(row, 0, all, i, row.bytes());
  return all;
}

Shape Taylor::moving_shape(size_t index) const {
  const auto port = std::find_if(graph_.inputs.begin(), graph_.inputs.end(),
                                 [&](const Port& candidate) { return candidate.name == moving_[index]; });
  return at(graph_[port->value].type.shape, 1);
}

int64_t Taylor::count_directions(std::span<const Tensor> directions) const {
  int64_t rows = -1;
  for (size_t i = 0; i < directions.size(); ++i) {
    const int64_t size = element_count(moving_shape(i));
    const int64_t own = size > 0 && directions[i].size() % size == 0 ? directions[i].size() / size : -1;
    if (own < 0 || (i > 0 && own != rows)) {
      fail(ErrorKind::shape, moving_[i], "the directions do not fit; got shape {}; expected rows of {}",
           to_string(directions[i].shape()), to_string(moving_shape(i)));
    }
    rows = own;
  }
  return rows;
}

std::vector<Tensor> Taylor::run(std::span<const Tensor> point, std::span<const Tensor> directions, int64_t rows,
                                const Progress& progress) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < point.size(); ++i) inputs.push_back(repeated(point[i], i, rows));
  inputs.insert(inputs.end(), directions.begin(), directions.end());
  return session_->run(inputs, progress);
}

std::vector<std::vector<Tensor>> Taylor::along(std::span<const Tensor> point, std::span<const Tensor> directions,
                                               const Progress& progress) {
  if (point.size() != graph_.inputs.size() || directions.size() != moving_.size()) {
    fail(ErrorKind::argument, "jets", "got {} inputs and {} directions; expected {} and {}", point.size(),
         directions.size(), graph_.inputs.size(), moving_.size());
  }
  for (size_t i = 0; i < point.size(); ++i) {
    const Port& port = graph_.inputs[i];
    const Shape expected = at(graph_[port.value].type.shape, 1);
    if (point[i].shape() != expected) {
      fail(ErrorKind::shape, port.name, "the point does not fit; got shape {}; expected {}",
           to_string(point[i].shape()), to_string(expected));
    }
  }
  const int64_t rows = count_directions(directions);
  std::vector<Tensor> flat;
  if (batched_) {
    flat = run(point, directions, rows, progress);
  } else {
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<Tensor> single;
      for (size_t i = 0; i < directions.size(); ++i)
        single.push_back(one_direction(directions[i], row, moving_shape(i)));
      const auto made = run(point, single, 1, {});
      flat.resize(made.size());
      for (size_t i = 0; i < made.size(); ++i) place_row(made[i], flat[i], row, rows);
      report(progress, "directions", row + 1, rows);
    }
  }
  std::vector<std::vector<Tensor>> result(outputs_);
  for (size_t i = 0; i < flat.size(); ++i) result[i / static_cast<size_t>(order_ + 1)].push_back(std::move(flat[i]));
  return result;
}

}  // namespace ascribe::core
