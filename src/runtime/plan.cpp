#include "runtime/plan.h"

#include <chrono>
#include <cstring>

#include "base/invalid_operations.h"
#include "base/parallel.h"
#include "base/watch.h"
#include "graph/builder.h"
#include "graph/work.h"
#include "runtime/kernels/openmp_calls.h"
#include "runtime/kernels/views.h"

namespace ascribe::core {

namespace {

constexpr size_t kLongestChain = 3;
constexpr int64_t kSmallWork = 1 << 20;                           // some tens of microseconds on one thread
constexpr int64_t kSmallProduct = 1 << 15, kSmallStep = 1 << 12;  // of a single step

std::vector<bool> live_nodes(const Graph& graph) {
  std::vector<bool> live(graph.nodes.size(), false);
  for (const Port& port : graph.outputs) live[port.value.index] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    if (!live[i]) continue;
    for (const Value input : graph.nodes[i].inputs) live[input.index] = true;
  }
  return live;
}

// Scalar operations, roughly.
int64_t work_of(const Graph& graph, const Node& node, int64_t batch) {
  std::vector<Shape> operands;
  for (const Value input : node.inputs) operands.push_back(at(graph[input].type.shape, batch));
  const int64_t elements = element_count(at(node.type.shape, batch));
  return saturating_multiply(elements, work_per_element(*node.op, operands, node.attributes));
}

// Whether the whole graph is less work than waking other threads is worth.
bool is_small(const Graph& graph, const std::vector<bool>& live, int64_t batch) {
  int64_t work = 0;
  for (size_t i = 0; i < graph.nodes.size() && work <= kSmallWork; ++i) {
    const Node& node = graph.nodes[i];
    if (live[i] && node.op->op_class != OpClass::source) work += std::min(work_of(graph, node, batch), kSmallWork + 1);
  }
  return work <= kSmallWork;
}

template <class T>
bool any_nan(std::span<const T> values) {
  int any = 0;
#pragma omp simd reduction(| : any)
  for (size_t i = 0; i < values.size(); ++i) any |= values[i] != values[i] ? 1 : 0;
  return any != 0;
}

bool holds_nan(const TensorRef& tensor) {
  if (tensor.dtype == DType::f32) return any_nan<float>(tensor.data<const float>());
  return tensor.dtype == DType::f64 && any_nan<double>(tensor.data<const double>());
}

// A step that is over before another thread would have woken up.
class OneThreadKernel : public Kernel {
 public:
  explicit OneThreadKernel(std::unique_ptr<Kernel> inner) : Kernel(*inner), inner_(std::move(inner)) {}
  void bind(std::span<void* const> inputs, void* output, void* scratch) override {
    inner_->bind(inputs, output, scratch);
  }
  void run() override {
    const ThreadCount one(1);
    inner_->run();
  }

 private:
  std::unique_ptr<Kernel> inner_;
};

// Some microseconds. Products of few rows take as long as their weights take to be read, so theirs is not much larger.
bool is_small_step(const Graph& graph, const Node& node, int64_t batch) {
  const bool product = node.op->traits.layer != LayerKind::none || node.op->name == "conv_transpose";
  int64_t work = work_of(graph, node, batch);
  for (const Value input : node.inputs) {
    if (!product) work = std::max(work, element_count(at(graph[input].type.shape, batch)));
  }
  return work <= (product ? kSmallProduct : kSmallStep);
}

}  // namespace

Plan::Plan(const Graph& graph, ConstantStore& constants, int64_t batch, DType real, bool careful)
    : graph_(graph), constants_(constants), batch_(batch), real_(real), careful_(careful) {
  const size_t count = graph.nodes.size();
  const auto live = live_nodes(graph);
  alone_ = is_small(graph, live, batch);
  one_way_ = rounds_one_way(graph);
  const ThreadCount guard(alone_ ? 1 : 0);
  readers_.assign(count, 0);
  sole_reader_.assign(count, {});
  done_.assign(count, false);
  for (size_t i = 0; i < count; ++i) {
    if (!live[i]) continue;
    for (const Value input : graph.nodes[i].inputs) {
      sole_reader_[input.index] = ++readers_[input.index] == 1 ? Value{static_cast<int32_t>(i)} : Value{};
    }
  }
  for (const Port& port : graph.outputs) {
    ++readers_[port.value.index];
    sole_reader_[port.value.index] = {};
  }
  add_inputs();
  for (size_t i = 0; i < count; ++i) {
    if (live[i] && !done_[i]) add_node({static_cast<int32_t>(i)});
  }
  add_outputs();
  arena_bytes_ = place_buffers(buffers_);
  places_.clear();
  copies_.clear();
}

Operand Plan::operand_of(Value value) const {
  const Node& node = graph_[value];
  if (auto it = places_.find(value); it != places_.end()) return it->second.operand;
  Operand operand;
  operand.value = value;
  operand.dtype = storage(node.type.kind, real_);
  operand.shape = at(node.type.shape, batch_);
  operand.constant = node.op->name == "constant";
  return operand;
}

int Plan::new_buffer(size_t bytes) {
  buffers_.push_back({std::max<size_t>(bytes, 1), current_step(), current_step()});
  pending_.push_back(0);
  return static_cast<int>(buffers_.size()) - 1;
}

void Plan::define(Value value, const Place& place) {
  places_[value] = place;
  done_[value.index] = true;
  if (place.buffer >= 0) pending_[place.buffer] += readers_[value.index];
}

void Plan::read(const Place& place) {
  if (place.buffer < 0) return;
  --pending_[place.buffer];
  buffers_[place.buffer].last = current_step();
}

void Plan::add_inputs() {
  for (const Port& port : graph_.inputs) {
    Place place;
    place.operand = operand_of(port.value);
    place.buffer = new_buffer(place.operand.plain_bytes());
    buffers_[place.buffer].first = 0;
    define(port.value, place);
    input_places_.push_back(place);
  }
}

Plan::Place Plan::place_of(Value value) {
  if (auto it = places_.find(value); it != places_.end()) return it->second;
  Place place;
  place.operand = operand_of(value);
  if (graph_.is(value, "growing_constant")) {
    batch_constants_.push_back(constant_at(graph_[value], batch_));
    place.constant = batch_constants_.back().memory();
  } else {
    require(graph_.is(value, "constant"), graph_[value].name, "a value is read before it is computed");
    place.constant = constants_.plain(value).memory();
  }
  define(value, place);
  return place;
}

Plan::Place Plan::in_layout(Value value, const LayoutPtr& layout) {
  const Place place = place_of(value);
  if (same_layout(place.operand.layout, layout)) return place;
  for (const auto& [other, copy] : copies_) {
    if (other == value && same_layout(copy.operand.layout, layout)) return copy;
  }
  Step step;
  step.kernel = make_reorder(place.operand, layout);
  step.inputs.push_back(place);
  step.output.operand = place.operand;
  step.output.operand.layout = layout;
  step.output.operand.constant = false;
  step.output.buffer = new_buffer(bytes_in(layout, place.operand.plain_bytes()));
  if (step.kernel->scratch_bytes > 0) step.scratch = new_buffer(step.kernel->scratch_bytes);
  step.name = "reorder";
  if (place.buffer >= 0) buffers_[place.buffer].last = current_step();
  // Readers of the copy are not counted, so nothing may overwrite it.
  pending_[step.output.buffer] = static_cast<int>(graph_.nodes.size()) + 1;
  copies_.emplace_back(value, step.output);
  steps_.push_back(std::move(step));
  return copies_.back().second;
}

namespace {

// Whether a transpose brings channels to the end (1), or back from there (-1); otherwise 0.
int channel_move(const Node& node) {
  if (node.op->name != "transpose" || node.type.kind != Kind::real) return 0;
  const auto perm = node.attributes.integers("perm");
  const auto rank = static_cast<int64_t>(perm.size());
  if (rank < 3 || rank > 5 || perm[0] != 0) return 0;
  bool to_end = perm[rank - 1] == 1, back = perm[1] == rank - 1;
  for (int64_t i = 1; i < rank; ++i) {
    to_end = to_end && (i == rank - 1 || perm[i] == i + 1);
    back = back && (i == 1 || perm[i] == i - 1);
  }
  return to_end ? 1 : back ? -1 : 0;
}

}  // namespace

// Operations that only look at the same plain memory under another shape.
// A transpose between [N, C, spatial...] and [N, spatial..., C] does, too, where the former lies as the latter.
bool Plan::add_alias(Value value) {
  const Node& node = graph_[value];
  if (const int move = real_ == DType::f32 ? channel_move(node) : 0; move != 0) {
    const Operand from = operand_of(node.inputs[0]), to = operand_of(value);
    const LayoutPtr last = channels_last_layout(move > 0 ? from.shape : to.shape);
    if (!last || to.size() == 0 || (move > 0 && !from.layout)) return false;
    Place view = in_layout(node.inputs[0], move > 0 ? last : nullptr);
    read(view);
    view.operand = to;
    view.operand.layout = move > 0 ? nullptr : last;
    define(value, view);
    return true;
  }
  const bool same =
      node.op->name == "reshape" || (node.op->name == "expand" && node.type == graph_[node.inputs[0]].type);
  if (!same) return false;
  Place place = in_layout(node.inputs[0], nullptr);
  read(place);
  const Operand operand = operand_of(value);
  place.operand.shape = operand.shape;
  place.operand.value = value;
  place.operand.constant = false;
  define(value, place);
  return true;
}

std::vector<Follower> Plan::followers_of(Value value, std::vector<Value>& chain) const {
  std::vector<Follower> followers;
  if (careful_) return followers;
  Value last = value;
  while (followers.size() < kLongestChain && sole_reader_[last.index].valid()) {
    const Value next = sole_reader_[last.index];
    const Node& node = graph_[next];
    Follower follower;
    follower.op = node.op;
    follower.attributes = node.attributes.resolved(batch_);
    if (node.inputs.size() == 2) {
      const bool first = node.inputs[0] == last;
      const Value other = node.inputs[first ? 1 : 0];
      // The other operand must exist when this kernel runs.
      const bool ready = graph_.is(other, "constant") || places_.contains(other);
      if (!ready || (!first && !node.op->traits.commutes)) break;
      follower.other = operand_of(other);
    } else if (node.inputs.size() != 1) {
      break;
    }
    if (at(node.type.shape, batch_) != at(graph_[value].type.shape, batch_)) break;
    followers.push_back(std::move(follower));
    chain.push_back(next);
    last = next;
  }
  return followers;
}

void Plan::add_node(Value value) {
  const std::string& op = graph_[value].op->name;
  if (op == "constant" || op == "growing_constant" || op == "input") return;  // placed when somebody reads them
  if (!add_alias(value)) add_step(value);
}

void Plan::add_step(Value value) {
  const Node& node = graph_[value];
  std::vector<Operand> operands;
  for (const Value input : node.inputs) operands.push_back(operand_of(input));
  const Operand output = operand_of(value);
  const Attributes attributes = node.attributes.resolved(batch_);
  std::vector<Value> chain;
  const auto followers = followers_of(value, chain);

  Step step;
  const bool small = !alone_ && thread_count() > 1 && is_small_step(graph_, node, batch_);
  {
    const ThreadCount guard(small ? 1 : 0);
    step.kernel =
        make_kernel({*node.op, attributes, operands, output, followers, constants_, one_way_, careful_}, real_);
  }
  if (small) step.kernel = std::make_unique<OneThreadKernel>(std::move(step.kernel));
  Kernel& kernel = *step.kernel;
  careless_ = careless_ || kernel.careless;
  step.name = node.op->name;
  for (size_t i = 0; i < operands.size(); ++i) {
    step.inputs.push_back(kernel.held[i] ? Place{} : in_layout(node.inputs[i], kernel.input_layouts[i]));
  }
  for (size_t i = 0; i < kernel.extra_inputs.size(); ++i) {
    step.inputs.push_back(in_layout(kernel.extra_inputs[i].value, kernel.extra_layouts[i]));
  }
  for (const Place& input : step.inputs) read(input);
  Value result = value;
  for (size_t i = 0; i < kernel.absorbed; ++i) {
    done_[result.index] = true;
    result = chain[i];
    step.name += "+" + graph_[result].op->name;
  }
  step.output.operand = operand_of(result);
  step.output.operand.layout = kernel.output_layout;
  const size_t bytes = kernel.output_bytes > 0 ? kernel.output_bytes : output.plain_bytes();
  const Place* donor = kernel.in_place >= 0 ? &step.inputs[kernel.in_place] : nullptr;
  if (donor != nullptr && donor->buffer >= 0 && pending_[donor->buffer] == 0 &&
      buffers_[donor->buffer].bytes >= bytes) {
    step.output.buffer = donor->buffer;
  } else {
    step.output.buffer = new_buffer(bytes);
  }
  if (kernel.scratch_bytes > 0) step.scratch = new_buffer(kernel.scratch_bytes);
  define(result, step.output);
  steps_.push_back(std::move(step));
}

void Plan::add_outputs() {
  for (const Port& port : graph_.outputs) {
    Place place = in_layout(port.value, nullptr);
    output_places_.push_back(place);
  }
  for (const Place& place : output_places_) {
    if (place.buffer >= 0) buffers_[place.buffer].last = current_step();
  }
}

std::byte* Plan::address(const Place& place, std::byte* arena) const {
  if (place.buffer >= 0) return arena + buffers_[place.buffer].offset;
  return static_cast<std::byte*>(const_cast<void*>(place.constant));
}

void Plan::bind(std::byte* arena) {
  arena_ = arena;
  std::vector<void*> inputs;
  for (Step& step : steps_) {
    inputs.clear();
    for (const Place& input : step.inputs) inputs.push_back(address(input, arena));
    void* scratch = step.scratch >= 0 ? arena + buffers_[step.scratch].offset : nullptr;
    step.kernel->bind(inputs, address(step.output, arena), scratch);
  }
}

bool Plan::run(std::span<const void* const> inputs, std::span<void* const> outputs) {
  const ThreadCount guard(alone_ ? 1 : 0);
  for (size_t i = 0; i < input_places_.size(); ++i) {
    const size_t bytes = input_places_[i].operand.plain_bytes();
    if (bytes > 0) std::memcpy(address(input_places_[i], arena_), inputs[i], bytes);
  }
  if (careless_ && !run_watched(inputs)) return false;
  if (!careless_) run_steps();
  for (size_t i = 0; i < output_places_.size(); ++i) {
    const size_t bytes = output_places_[i].operand.plain_bytes();
    if (bytes > 0) std::memcpy(outputs[i], address(output_places_[i], arena_), bytes);
  }
  return true;
}

// NaN of the inputs raises no flag where it is lost without a comparison, so they are looked at.
bool Plan::run_watched(std::span<const void* const> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Operand& operand = input_places_[i].operand;
    if (holds_nan({operand.dtype, operand.shape, const_cast<void*>(inputs[i])})) return false;
  }
  const InvalidOperations invalid(thread_count() > 1 && !onednn_runs_on_our_threads());
  run_steps();
  return !invalid.seen();
}

void Plan::run_steps() {
  if (!seconds_.empty()) {
    run_timed();
    return;
  }
  for (Step& step : steps_) {
    poll();
    step.kernel->run();
  }
}

void Plan::run_timed() {
  using Clock = std::chrono::steady_clock;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const auto start = Clock::now();
    steps_[i].kernel->run();
    seconds_[i] += std::chrono::duration<double>(Clock::now() - start).count();
  }
}

void Plan::time_steps() { seconds_.assign(steps_.size(), 0.0); }

size_t Plan::own_bytes() const {
  size_t bytes = 0;
  for (const Step& step : steps_) bytes += step.kernel->own_bytes;
  return bytes;
}

std::vector<std::string> Plan::step_names() const {
  std::vector<std::string> names;
  for (const Step& step : steps_) names.push_back(step.name);
  return names;
}

std::vector<Shape> Plan::step_shapes() const {
  std::vector<Shape> shapes;
  for (const Step& step : steps_) shapes.push_back(step.output.operand.shape);
  return shapes;
}

}  // namespace ascribe::core
