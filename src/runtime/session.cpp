#include "runtime/session.h"

#include <algorithm>

#include "runtime/fuse_activations.h"
#include "runtime/fuse_moves.h"
#include "runtime/row_program.h"

namespace ascribe::core {

namespace {

// Beyond this a larger batch no longer runs faster, it only leaves the caches.
constexpr size_t kUsefulArena = size_t{256} << 20;
constexpr int64_t kMostRows = 4096;
constexpr size_t kMostPlans = 8;

size_t in_kib(size_t bytes) { return (bytes + 1023) >> 10; }

bool grows(const Dims& shape) { return !all_fixed(shape); }

// Rows must be the leading axis, or a batch could not be cut.
void require_rows_first(const Graph& graph, const Port& port) {
  const Dims& shape = graph[port.value].type.shape;
  if (!grows(shape)) return;
  const Dims rest(shape.begin() + 1, shape.end());
  if (shape[0].fixed != 0 || !all_fixed(rest)) {
    fail(ErrorKind::unsupported, port.name, "rows are not the leading axis; got shape {}", to_string(shape));
  }
}

size_t constant_bytes(const Graph& graph, DType real) {
  size_t bytes = 0;
  for (const Node& node : graph.nodes) {
    if (node.op->name == "constant") {
      bytes += static_cast<size_t>(node.constant.size()) * size_of(storage(node.type.kind, real));
    }
  }
  return bytes;
}

SessionOptions with_workspace(SessionOptions options) {
  if (!options.workspace) options.workspace = std::make_shared<Workspace>(options.memory);
  return options;
}

// Values without elements, such as rows of width 0: what is made of them is the references' to say.
bool has_empty_values(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    if (node.type.kind != Kind::real || node.op->name == "constant") return false;
    return element_count(at(node.type.shape, 1)) == 0 || element_count(at(node.type.shape, 2)) == 0;
  });
}

// As plans are made from it.
Graph prepared(Graph graph, DType real) {
  if (real != DType::f32 || has_empty_values(graph)) return graph;
  const bool one_way = rounds_one_way(graph);
  if (!one_way) fuse_activations(graph);
  fold_transposes(graph);
  fuse_moves(graph);
  if (!one_way) fuse_rows(graph);
  return graph;
}

}  // namespace

Session::Session(Graph graph, SessionOptions options)
    : graph_(prepared(std::move(graph), options.real)),
      options_(with_workspace(std::move(options))),
      weight_bytes_(constant_bytes(graph_, options_.real)),
      constants_(graph_, options_.real, *options_.workspace) {
  for (const Port& port : graph_.inputs) require_rows_first(graph_, port);
  for (const Port& port : graph_.outputs) require_rows_first(graph_, port);
}

Plan& Session::plan(int64_t rows, bool careful) {
  Plans& plans = careful ? careful_plans_ : plans_;
  if (auto it = plans.find(rows); it != plans.end()) return *it->second.plan;
  if (plans.size() >= kMostPlans) {
    plans.clear();
    bound_ = nullptr;
  }
  auto made = std::make_unique<Plan>(graph_, constants_, rows, options_.real, careful);
  constants_.release_originals();
  Made& kept = plans[rows];
  kept.plan = std::move(made);
  kept.counted = options_.workspace->count_plan(kept.plan->own_bytes());
  return *kept.plan;
}

int64_t Session::rows_of(std::span<const Tensor> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Dims& shape = graph_[graph_.inputs[i].value].type.shape;
    if (!grows(shape)) continue;
    const Tensor& input = inputs[i];
    if (input.rank() == 0 || input.shape()[0] % shape[0].per_row != 0) {
      fail(ErrorKind::shape, graph_.inputs[i].name, "got shape {}; expected {}", to_string(input.shape()),
           to_string(shape));
    }
    return input.shape()[0] / shape[0].per_row;
  }
  return 1;
}

void Session::check_input(size_t index, const Tensor& input, int64_t rows) const {
  const Port& port = graph_.inputs[index];
  const Type& type = graph_[port.value].type;
  if (input.shape() != at(type.shape, rows)) {
    fail(ErrorKind::shape, port.name, "the input does not fit; got shape {}; expected {}", to_string(input.shape()),
         to_string(type.shape));
  }
}

int64_t Session::batch_size(int64_t rows) {
  if (options_.rows_per_batch > 0) return std::min(rows, options_.rows_per_batch);
  Workspace& workspace = *options_.workspace;
  const size_t one = plan(1).arena_bytes();
  while (one > workspace.left() && workspace.make_room && workspace.make_room()) {
  }
  const size_t budget = workspace.left();
  if (one > budget) {
    fail(ErrorKind::argument, "memory",
         "one row does not fit; it needs {} KiB and the weights {} KiB; got a budget of {} KiB", in_kib(one),
         in_kib(workspace.held()), in_kib(workspace.memory()));
  }
  const size_t useful = std::min(budget, kUsefulArena);
  int64_t count =
      std::clamp<int64_t>(static_cast<int64_t>(useful / std::max<size_t>(one, 1)), 1, std::min(rows, kMostRows));
  while (count > 1 && plan(count).arena_bytes() > budget) count = std::max<int64_t>(1, count / 2);
  // Equal batches: 10 rows by 8 become 5 + 5, one plan instead of two.
  const int64_t batches = (rows + count - 1) / count;
  return (rows + batches - 1) / batches;
}

int64_t Session::check(std::span<const Tensor> inputs) const {
  if (inputs.size() != graph_.inputs.size()) {
    fail(ErrorKind::argument, "inputs", "got {} inputs; expected {}", inputs.size(), graph_.inputs.size());
  }
  const int64_t rows = rows_of(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) check_input(i, inputs[i], rows);
  return rows;
}

std::vector<Tensor> Session::run(std::span<const Tensor> inputs, const Progress& progress) {
  const int64_t rows = check(inputs);
  std::vector<Tensor> ready;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ready.push_back(inputs[i].cast(storage(graph_[graph_.inputs[i].value].type.kind, options_.real)));
  }
  std::vector<Tensor> outputs;
  for (const Port& port : graph_.outputs) {
    const Type& type = graph_[port.value].type;
    outputs.emplace_back(storage(type.kind, options_.real), at(type.shape, rows));
  }
  if (rows == 0) return outputs;
  const int64_t batch = batch_size(rows);
  for (int64_t first = 0; first < rows; first += batch) {
    run_batch(ready, outputs, first, std::min(batch, rows - first), rows);
    report(progress, "rows", std::min(rows, first + batch), rows);
  }
  return outputs;
}

// Where NaN came up, the batch is run again by kernels that hand it on as the references do: the result is the same
// whatever ran before.
void Session::run_batch(std::span<const Tensor> inputs, std::vector<Tensor>& outputs, int64_t first, int64_t count,
                        int64_t rows) {
  if (try_batch(inputs, outputs, first, count, rows, false)) return;
  ++options_.workspace->run_again;
  // Without kernels that absorb others it takes more memory.
  int64_t part = count;
  while (part > 1 && plan(part, true).arena_bytes() > options_.workspace->left()) part = (part + 1) / 2;
  for (int64_t done = 0; done < count; done += part) {
    require(try_batch(inputs, outputs, first + done, std::min(part, count - done), rows, true), "session",
            "a careful plan loses nothing");
  }
}

bool Session::try_batch(std::span<const Tensor> inputs, std::vector<Tensor>& outputs, int64_t first, int64_t count,
                        int64_t rows, bool careful) {
  Plan& current = plan(count, careful);
  std::byte* base = options_.workspace->arena(current.arena_bytes());
  if (bound_ != &current || bound_to_ != base) {
    current.bind(base);
    bound_ = &current;
    bound_to_ = base;
  }
  const auto offset = [&](const Port& port, const Tensor& tensor) {
    return grows(graph_[port.value].type.shape)
               ? tensor.bytes() / static_cast<size_t>(rows) * static_cast<size_t>(first)
               : 0;
  };
  std::vector<const void*> in;
  std::vector<void*> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    in.push_back(static_cast<const std::byte*>(inputs[i].memory()) + offset(graph_.inputs[i], inputs[i]));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    out.push_back(static_cast<std::byte*>(outputs[i].mutable_memory()) + offset(graph_.outputs[i], outputs[i]));
  }
  return current.run(in, out);
}

}  // namespace ascribe::core
