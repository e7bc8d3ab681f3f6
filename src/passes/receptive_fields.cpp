#include "passes/receptive_fields.h"

#include <algorithm>

#include "graph/window.h"

namespace ascribe::core {

namespace {

struct Fields {
  std::vector<Field> rows, columns;
};

std::vector<Field> through(const WindowAxis& axis, const std::vector<Field>& fields) {
  std::vector<Field> result;
  for (int64_t o = 0; o < axis.output; ++o) {
    const auto [begin, end] = axis.taps(o);
    Field field;  // empty where a window sees padding only
    for (int64_t k = begin; k < end; ++k) {
      const Field& part = fields[static_cast<size_t>(axis.start(o) + k * axis.dilation)];
      if (part.begin == part.end) continue;
      field = field.begin == field.end ? part : Field{std::min(field.begin, part.begin), std::max(field.end, part.end)};
    }
    result.push_back(field);
  }
  return result;
}

void unite(std::vector<Field>& fields, const std::vector<Field>& others) {
  for (size_t i = 0; i < fields.size(); ++i) {
    fields[i] = {std::min(fields[i].begin, others[i].begin), std::max(fields[i].end, others[i].end)};
  }
}

class Analysis {
 public:
  Analysis(const Graph& graph, Value input) : graph_(graph), fields_(graph.nodes.size()) {
    const Dims& shape = graph[input].type.shape;
    if (shape.size() != 4 || !shape[2].is_fixed() || !shape[3].is_fixed()) return;
    Fields own;
    for (int64_t y = 0; y < shape[2].fixed; ++y) own.rows.push_back({y, y + 1});
    for (int64_t x = 0; x < shape[3].fixed; ++x) own.columns.push_back({x, x + 1});
    fields_[static_cast<size_t>(input.index)] = own;
    for (size_t i = static_cast<size_t>(input.index) + 1; i < graph.nodes.size(); ++i) {
      fields_[i] = of(graph.nodes[i]);
      if (fields_[i] && graph.nodes[i].type.kind == Kind::real) last_ = {static_cast<int32_t>(i)};
    }
  }

  Value last() const { return last_; }  // invalid: none but the input
  const Fields& at(Value value) const { return *fields_[static_cast<size_t>(value.index)]; }

 private:
  std::optional<Fields> of(const Node& node) const {
    if (node.inputs.empty() || node.type.shape.size() != 4) return std::nullopt;
    std::optional<Fields> fields;
    for (const Value operand : node.inputs) {
      const auto& known = fields_[static_cast<size_t>(operand.index)];
      const bool constant = graph_[operand].op->op_class == OpClass::source && !graph_.is(operand, "input");
      if (!known && !constant) return std::nullopt;
      if (!known) continue;
      if (fields && (fields->rows.size() != known->rows.size() || fields->columns.size() != known->columns.size())) {
        return std::nullopt;
      }
      if (!fields) fields = known;
      else unite(fields->rows, known->rows), unite(fields->columns, known->columns);
    }
    if (!fields) return std::nullopt;
    const Traits& traits = node.op->traits;
    if (traits.pointwise) return fits(node, *fields) ? fields : std::nullopt;
    if (!traits.windowed || !fields_[static_cast<size_t>(node.inputs[0].index)]) return std::nullopt;
    const Window window = window_of(node);
    return Fields{through(window[0], fields->rows), through(window[1], fields->columns)};
  }

  bool fits(const Node& node, const Fields& fields) const {
    return node.type.shape[2] == Dim(std::ssize(fields.rows)) && node.type.shape[3] == Dim(std::ssize(fields.columns));
  }

  Window window_of(const Node& node) const {
    const Shape input = ascribe::core::at(graph_[node.inputs[0]].type.shape, 1);
    if (node.op->traits.layer == LayerKind::none) return pool_window(node.attributes, input, describe(node));
    const Shape kernel = ascribe::core::at(graph_[node.inputs[1]].type.shape, 1);
    return make_window(node.attributes, std::span(input).subspan(2), std::span(kernel).subspan(2), describe(node));
  }

  const Graph& graph_;
  std::vector<std::optional<Fields>> fields_;
  Value last_;
};

int64_t widest(const std::vector<Field>& fields) {
  int64_t width = 0;
  for (const Field& field : fields) width = std::max(width, field.end - field.begin);
  return width;
}

}  // namespace

std::optional<LocalPart> split_local_part(const Graph& graph, size_t input) {
  const Port& port = graph.inputs[input];
  const Analysis analysis(graph, port.value);
  const Value cut = analysis.last();
  if (!cut.valid()) return std::nullopt;
  const Shape image = at(graph[port.value].type.shape, 1);
  LocalPart part{graph, graph, at(graph[cut].type.shape, 1), analysis.at(cut).rows, analysis.at(cut).columns};
  part.shape.erase(part.shape.begin());
  if (4 * widest(part.rows) * widest(part.columns) > image[2] * image[3]) return std::nullopt;
  part.prefix.inputs = {port};
  part.prefix.outputs = {{"h", cut, port.element_type}};
  part.prefix.drop_unread();
  part.suffix[cut] = Node{&op_named("input"), {}, {}, graph[cut].type, port.name, {}};
  part.suffix.inputs[input] = {port.name, cut, port.element_type};
  Graph& suffix = part.suffix;
  // Nothing but h may still depend on the input, which is no input any more.
  std::vector<bool> read(suffix.nodes.size());
  for (const Port& output : suffix.outputs) read[static_cast<size_t>(output.value.index)] = true;
  for (size_t i = read.size(); i-- > 0;) {
    for (const Value operand : read[i] ? suffix.nodes[i].inputs : std::vector<Value>()) {
      read[static_cast<size_t>(operand.index)] = true;
    }
  }
  if (read[static_cast<size_t>(port.value.index)]) return std::nullopt;
  suffix.drop_unread();
  return part;
}

}  // namespace ascribe::core
