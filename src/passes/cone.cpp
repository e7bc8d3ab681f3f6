#include "passes/cone.h"

#include <algorithm>

#include "graph/work.h"

namespace ascribe::core {

namespace {

Shape cone_row(const Graph& graph, Value value) {
  Shape shape = at(graph[value].type.shape, 1);
  shape.erase(shape.begin());
  return shape;
}

double cone_node_work(const Graph& graph, Value value) {
  const Node& node = graph[value];
  if (node.op->op_class == OpClass::source) return 0;
  std::vector<Shape> operands;
  for (const Value input : node.inputs) operands.push_back(at(graph[input].type.shape, 1));
  return static_cast<double>(element_count(at(node.type.shape, 1))) *
         static_cast<double>(work_per_element(*node.op, operands, node.attributes));
}

int64_t cone_divide_down(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0
int64_t cone_divide_up(int64_t a, int64_t b) { return -cone_divide_down(-a, b); }

// The windows that see some of [begin, begin + size); at least one.
std::pair<int64_t, int64_t> windows_reached(const WindowAxis& axis, int64_t begin, int64_t size) {
  const int64_t last = axis.output - 1;
  const int64_t low = std::clamp<int64_t>(cone_divide_up(begin + axis.before - axis.reach() + 1, axis.stride), 0, last);
  const int64_t high = std::clamp<int64_t>(cone_divide_down(begin + size - 1 + axis.before, axis.stride), 0, last);
  return {std::min(low, high), std::abs(high - low) + 1};
}

ConeBox united_boxes(const ConeBox& a, const ConeBox& b) {
  ConeBox box = a;
  for (size_t i = 0; i < a.begin.size(); ++i) {
    box.begin[i] = std::min(a.begin[i], b.begin[i]);
    box.size[i] = std::max(a.begin[i] + a.size[i], b.begin[i] + b.size[i]) - box.begin[i];
  }
  return box;
}

bool window_slides(const Window& window) {
  return std::any_of(window.begin(), window.end(), [](const WindowAxis& axis) {
    return axis.reach() > 1 || axis.stride > 1 || axis.before > 0 || axis.after > 0;
  });
}

// Whether padding with zeros gives what the operation gives at the border. A mean that does not count its padding, or
// that reaches beyond it, divides by less there.
bool zeros_stand_for_padding(const Node& node, const Window& window) {
  if (node.op->traits.layer == LayerKind::conv) return true;
  const bool counts = !node.attributes.has("count_include_pad") || node.attributes.flag("count_include_pad");
  return std::all_of(window.begin(), window.end(), [&](const WindowAxis& axis) {
    const int64_t low = counts ? -axis.before : 0, high = axis.input + (counts ? axis.after : 0);
    return axis.start(0) >= low && axis.start(axis.output - 1) + axis.reach() <= high;
  });
}

}  // namespace

Shape row_with(const Shape& row, const std::vector<size_t>& places, const Shape& size) {
  Shape shape = row;
  for (size_t i = 0; i < places.size(); ++i) shape[places[i]] = size[i];
  return shape;
}

std::optional<Cone> Cone::of(const Graph& graph, size_t input) {
  const Dims& shape = graph[graph.inputs[input].value].type.shape;
  const Dims row(shape.begin() + (shape.empty() ? 0 : 1), shape.end());
  const bool rows_first = !shape.empty() && shape[0] == kBatch && all_fixed(row);
  constexpr size_t kMostAxes = 5;
  if (!rows_first || row.size() < 2 || row.size() > kMostAxes ||
      graph[graph.inputs[input].value].type.kind != Kind::real)
    return std::nullopt;
  // Channels come first, or last.
  std::optional<Cone> best;
  for (const bool last : {false, true}) {
    std::vector<size_t> places;
    for (size_t axis = last ? 0 : 1; axis < row.size() - (last ? 1 : 0); ++axis) places.push_back(axis);
    Cone cone(graph, input, places);
    if (cone.segments_.size() > (best ? best->segments_.size() : 1)) best = std::move(cone);
  }
  return best;
}

Cone::Cone(const Graph& graph, size_t input, std::vector<size_t> places)
    : graph_(graph),
      input_(input),
      segment_(graph.nodes.size(), -1),
      places_(graph.nodes.size()),
      depends_(graph.nodes.size()) {
  const Value x = input_value();
  ConeSegment first;
  first.extents = extents_of(x, places);
  segments_.push_back(std::move(first));
  segment_[static_cast<size_t>(x.index)] = 0;
  places_[static_cast<size_t>(x.index)] = std::move(places);
  depends_[static_cast<size_t>(x.index)] = true;
  for (int32_t i = 0; i < std::ssize(graph_.nodes); ++i) {
    const Value value{i};
    const Node& node = graph_[value];
    work_ += cone_node_work(graph_, value);
    for (const Value operand : node.inputs) {
      if (depends_[static_cast<size_t>(operand.index)]) depends_[static_cast<size_t>(i)] = true;
    }
    if (value != x && depends_[static_cast<size_t>(i)] && add(value)) {
      segments_[segment_of(value)].work += cone_node_work(graph_, value);
    }
  }
  find_outputs();
}

size_t Cone::segment_of(Value value) const { return static_cast<size_t>(segment_[static_cast<size_t>(value.index)]); }

Shape Cone::extents_of(Value value, const std::vector<size_t>& places) const {
  const Shape row = cone_row(graph_, value);
  Shape extents;
  for (const size_t axis : places) extents.push_back(row[axis]);
  return extents;
}

// Whether the node acts on places as this pass understands.
bool Cone::add(Value value) {
  const Node& node = graph_[value];
  const Dims& shape = node.type.shape;
  if (node.type.kind != Kind::real || shape.empty() || shape[0] != kBatch) return false;
  std::vector<Value> moving;
  for (const Value operand : node.inputs) {
    if (moves(operand)) moving.push_back(operand);
    else if (!graph_.is(operand, "constant")) return false;
  }
  if (moving.empty()) return false;
  const Traits traits = traits_of(node);
  if (traits.pointwise) return join_pointwise(value, moving);
  if (traits.windowed) return join_window(value, moving);
  if (node.op->name == "transpose") return join_transpose(value);
  if (node.op->name == "concat") return join_concat(value, moving);
  return false;
}

bool Cone::join_pointwise(Value value, const std::vector<Value>& moving) {
  const size_t rank = graph_[value].type.shape.size();
  const std::vector<size_t>& axes = places(moving[0]);
  const Shape extents = extents_of(moving[0], axes);
  for (const Value operand : moving) {
    const bool same = graph_[operand].type.shape.size() == rank && places(operand) == axes;
    if (!same || extents_of(operand, axes) != extents) return false;
  }
  if (extents_of(value, axes) != extents) return false;
  // Constants are the same at all places.
  for (const Value operand : graph_[value].inputs) {
    if (moves(operand)) continue;
    const Dims& shape = graph_[operand].type.shape;
    for (const size_t axis : axes) {
      const size_t from_end = rank - (axis + 1);
      if (shape.size() >= from_end && shape[shape.size() - from_end] != Dim(1)) return false;
    }
  }
  join(value, moving, axes);
  return true;
}

bool Cone::join_transpose(Value value) {
  const Value operand = graph_[value].inputs[0];
  const auto perm = graph_[value].attributes.integers("perm");
  if (perm[0] != 0) return false;
  std::vector<size_t> axes;
  for (const size_t axis : places(operand)) {
    const auto at = std::find(perm.begin(), perm.end(), static_cast<int64_t>(axis) + 1) - perm.begin();
    axes.push_back(static_cast<size_t>(at) - 1);
  }
  join(value, {operand}, axes);
  return true;
}

bool Cone::join_concat(Value value, const std::vector<Value>& moving) {
  const Node& node = graph_[value];
  const std::vector<size_t>& axes = places(moving[0]);
  const auto axis = static_cast<size_t>(node.attributes.integer("axis"));
  const bool along_places = axis == 0 || std::find(axes.begin(), axes.end(), axis - 1) != axes.end();
  if (moving.size() != node.inputs.size() || along_places) return false;
  for (const Value operand : moving) {
    if (places(operand) != axes) return false;
  }
  join(value, moving, axes);
  return true;
}

bool Cone::join_window(Value value, const std::vector<Value>& moving) {
  const Node& node = graph_[value];
  const Value operand = node.inputs[0];
  const std::vector<size_t>& axes = places(operand);
  const Shape input = at(graph_[operand].type.shape, 1);
  // Weights that move, and other operands that slide as well, are not understood.
  if (moving.size() != 1 || !moves(operand) || axes.size() != input.size() - 2 || axes[0] != 1) return false;
  if (!std::is_sorted(axes.begin(), axes.end())) return false;
  Window window;
  if (node.op->traits.layer == LayerKind::conv) {
    const Shape kernel = at(graph_[node.inputs[1]].type.shape, 1);
    window = make_window(node.attributes, std::span(input).subspan(2), std::span(kernel).subspan(2), describe(node));
  } else {
    if (node.inputs.size() != 1) return false;
    window = pool_window(node.attributes, input, describe(node));
  }
  const bool selects = node.op->op_class == OpClass::selection;
  if (!selects && !zeros_stand_for_padding(node, window)) return false;
  if (!window_slides(window)) {
    join(value, moving, axes);
    return true;
  }
  ConeSegment segment;
  segment.nodes = {value};
  segment.head = value;
  segment.window = window;
  segment.padded_low = selects;
  segment.extents = output_extents(window);
  segment_[static_cast<size_t>(value.index)] = static_cast<int>(segments_.size());
  places_[static_cast<size_t>(value.index)] = axes;
  segments_.push_back(std::move(segment));
  return true;
}

// Into the last segment that it reads; what it reads of earlier ones is pasted there.
void Cone::join(Value value, const std::vector<Value>& moving, const std::vector<size_t>& places) {
  size_t last = 0;
  for (const Value operand : moving) last = std::max(last, segment_of(operand));
  for (const Value operand : moving) {
    auto& beside = segments_[last].beside;
    const bool known = std::find(beside.begin(), beside.end(), operand) != beside.end();
    if (segment_of(operand) != last && !known) beside.push_back(operand);
  }
  segments_[last].nodes.push_back(value);
  segment_[static_cast<size_t>(value.index)] = static_cast<int>(last);
  places_[static_cast<size_t>(value.index)] = places;
}

void Cone::find_outputs() {
  std::vector<bool> outside(graph_.nodes.size());
  for (const Port& port : graph_.outputs) outside[static_cast<size_t>(port.value.index)] = true;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    for (const Value operand : graph_.nodes[i].inputs) {
      const bool own = moves(operand) && segment_[static_cast<size_t>(operand.index)] == segment_[i];
      const bool windowed =
          moves(operand) && own && segments_[segment_of(operand)].head == Value{static_cast<int32_t>(i)};
      if (!own || windowed) outside[static_cast<size_t>(operand.index)] = true;
    }
  }
  for (int32_t i = 0; i < std::ssize(graph_.nodes); ++i) {
    const Value value{i};
    if (moves(value) && outside[static_cast<size_t>(i)]) segments_[segment_of(value)].outputs.push_back(value);
  }
}

std::vector<Value> Cone::read_from(size_t segment) const {
  const ConeSegment& s = segments_[segment];
  std::vector<Value> values = s.beside;
  if (s.head.valid() && std::find(values.begin(), values.end(), graph_[s.head].inputs[0]) == values.end()) {
    values.push_back(graph_[s.head].inputs[0]);
  }
  return values;
}

std::vector<ConeBox> Cone::boxes(const ConeBox& changed, size_t count) const {
  std::vector<ConeBox> boxes{changed};
  for (size_t i = 1; i < count; ++i) {
    const ConeSegment& segment = segments_[i];
    const ConeBox& before = boxes[segment_of(graph_[segment.head].inputs[0])];
    ConeBox box = before;
    for (size_t axis = 0; axis < segment.window.size(); ++axis) {
      std::tie(box.begin[axis], box.size[axis]) =
          windows_reached(segment.window[axis], before.begin[axis], before.size[axis]);
    }
    for (const Value value : segment.beside) box = united_boxes(box, boxes[segment_of(value)]);
    boxes.push_back(std::move(box));
  }
  return boxes;
}

ConeBox Cone::seen(size_t segment, const ConeBox& box) const {
  ConeBox seen = box;
  const Window& window = segments_[segment].window;
  for (size_t axis = 0; axis < window.size(); ++axis) {
    seen.begin[axis] = window[axis].start(box.begin[axis]);
    seen.size[axis] = (box.size[axis] - 1) * window[axis].stride + window[axis].reach();
  }
  return seen;
}

double Cone::work(size_t segment, const Shape& size) const {
  const ConeSegment& s = segments_[segment];
  return s.work * static_cast<double>(element_count(size)) / static_cast<double>(element_count(s.extents));
}

// Channels come first, places behind them: the other way round when it is kept.
bool Cone::is_turned(Value value) const {
  const std::vector<size_t>& axes = places(value);
  const bool first = axes.size() + 2 == graph_[value].type.shape.size() && axes[0] == 1 && std::ranges::is_sorted(axes);
  return channels_last_ && value != input_value() && first;
}

Shape Cone::kept_row(Value value) const {
  Shape row = cone_row(graph_, value);
  if (is_turned(value)) std::rotate(row.begin(), row.begin() + 1, row.end());
  return row;
}

std::vector<size_t> Cone::kept_places(Value value) const {
  std::vector<size_t> axes = places(value);
  if (is_turned(value)) {
    for (size_t& axis : axes) --axis;
  }
  return axes;
}

Value Cone::kept_input(Builder& b, const std::string& name, Value value, const Shape& size) const {
  Dims dims = to_dims(row_with(kept_row(value), kept_places(value), size));
  dims.insert(dims.begin(), kBatch);
  const Value made = b.input(name, {graph_[value].type.kind, dims});
  if (!is_turned(value)) return made;
  std::vector<int64_t> perm{0, std::ssize(dims) - 1};
  for (int64_t axis = 1; axis + 1 < std::ssize(dims); ++axis) perm.push_back(axis);
  return b.transpose(made, perm);
}

Value Cone::kept_output(Builder& b, Value value, Value made) const {
  if (!is_turned(value)) return made;
  std::vector<int64_t> perm{0};
  for (int64_t axis = 2; axis < b.rank(made); ++axis) perm.push_back(axis);
  perm.push_back(1);
  return b.transpose(made, perm);
}

Graph Cone::segment_graph(size_t segment, const Shape& size) const {
  const ConeSegment& s = segments_[segment];
  Graph graph;
  Builder b(graph);
  std::vector<Value> made(graph_.nodes.size());
  Value window;
  if (s.head.valid()) {
    const Shape seen_size = seen(segment, {Shape(size.size()), size}).size;
    window = kept_input(b, "window", graph_[s.head].inputs[0], seen_size);
  } else {
    made[static_cast<size_t>(input_value().index)] = kept_input(b, "changed", input_value(), size);
  }
  for (size_t i = 0; i < s.beside.size(); ++i) {
    made[static_cast<size_t>(s.beside[i].index)] = kept_input(b, fmt::format("beside{}", i), s.beside[i], size);
  }
  for (const Value value : s.nodes) {
    const Node& node = graph_[value];
    b.set_name(node.name);
    b.set_where(describe(node));
    std::vector<Value> operands;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      Value& known = made[static_cast<size_t>(node.inputs[i].index)];
      const bool through_window = value == s.head && i == 0;
      if (!through_window && !known.valid()) known = b.constant(graph_[node.inputs[i]].constant);
      operands.push_back(through_window ? window : known);
    }
    Attributes attributes = node.attributes;
    if (value == s.head) {
      attributes.set("pads", ints(std::vector<int64_t>(2 * size.size())));
      if (attributes.has("ceil_mode")) attributes.set("ceil_mode", ints({0}));
    }
    made[static_cast<size_t>(value.index)] = b.op(node.op->name, std::move(operands), std::move(attributes));
  }
  for (size_t i = 0; i < s.outputs.size(); ++i) {
    const Value value = s.outputs[i];
    b.output(fmt::format("value{}", i), kept_output(b, value, made[static_cast<size_t>(value.index)]));
  }
  return graph;
}

std::vector<Value> Cone::frontier(size_t count) const {
  std::vector<bool> read(graph_.nodes.size());
  for (const Port& port : graph_.outputs) read[static_cast<size_t>(port.value.index)] = true;
  std::vector<Value> values;
  for (int32_t i = static_cast<int32_t>(graph_.nodes.size()); i-- > 0;) {
    const Value value{i};
    if (!read[static_cast<size_t>(i)]) continue;
    if (moves(value) && segment_of(value) < count) {
      values.push_back(value);
      continue;
    }
    for (const Value operand : graph_[value].inputs) read[static_cast<size_t>(operand.index)] = true;
  }
  std::reverse(values.begin(), values.end());
  return values;
}

Graph Cone::rest(size_t count, std::vector<size_t>& kept) const {
  const std::vector<Value> values = frontier(count);
  Graph graph;
  Builder b(graph);
  std::vector<Value> made(graph_.nodes.size());
  std::vector<bool> read(graph_.nodes.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Shape& extents = segments_[segment_of(values[i])].extents;
    made[static_cast<size_t>(values[i].index)] = kept_input(b, fmt::format("value{}", i), values[i], extents);
  }
  for (const Port& port : graph_.outputs) read[static_cast<size_t>(port.value.index)] = true;
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    if (!read[i] || made[i].valid()) continue;
    for (const Value operand : graph_.nodes[i].inputs) read[static_cast<size_t>(operand.index)] = true;
  }
  kept.clear();
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const Port& port = graph_.inputs[i];
    const auto index = static_cast<size_t>(port.value.index);
    if (!read[index] || made[index].valid()) continue;
    kept.push_back(i);
    made[index] = b.input(graph.free_name(port.name), graph_[port.value].type, port.element_type);
  }
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (!read[i] || made[i].valid()) continue;
    Node node = graph_.nodes[i];
    for (Value& operand : node.inputs) operand = made[static_cast<size_t>(operand.index)];
    made[i] = Value{static_cast<int32_t>(graph.nodes.size())};
    graph.nodes.push_back(std::move(node));
  }
  for (const Port& port : graph_.outputs) {
    graph.outputs.push_back({port.name, made[static_cast<size_t>(port.value.index)], port.element_type});
  }
  return graph;
}

std::vector<Value> Cone::known_values(size_t count) const {
  std::vector<Value> values = frontier(count);
  for (size_t i = 1; i < count; ++i) {
    for (const Value value : read_from(i)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Graph Cone::reference(size_t count) const {
  Graph graph = graph_;
  const Port answer = graph.outputs[0];
  graph.outputs.clear();
  Builder b(graph);
  for (const Value value : known_values(count)) {
    b.output(fmt::format("known{}", graph.outputs.size()), kept_output(b, value, value), answer.element_type);
  }
  graph.outputs.push_back(answer);
  graph.drop_unread();
  return graph;
}

}  // namespace ascribe::core
