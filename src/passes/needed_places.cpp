#include "passes/needed_places.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "graph/builder.h"

namespace ascribe::core {

namespace {

// Neighbouring places of one axis.
struct Places {
  int64_t axis = 0;
  Dim start, size;
  friend bool operator==(const Places&, const Places&) = default;
};

// What is needed of a value: nothing, some places, or all of it.
struct Need {
  bool any = false;
  std::optional<Places> places = {};  // nothing: all

  static Need whole() { return {true, {}}; }
  bool some() const { return places.has_value(); }
  void join(const Need& other) {
    if (!any) *this = other;
    else if (places != other.places) places.reset();
  }
};

bool is_one_of(const std::vector<int64_t>& list, int64_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool has_one_batch(const Dims& shape) {
  return std::count_if(shape.begin(), shape.end(), [](Dim dim) { return !dim.is_fixed(); }) <= 1;
}

Dim product_of(const Dims& shape, int64_t begin, int64_t end) {
  return product(Dims(shape.begin() + begin, shape.begin() + end));
}

// a / b, if it is a dimension.
std::optional<Dim> quotient(Dim a, Dim b) {
  if (b.is_fixed()) {
    if (b.fixed <= 0 || a.fixed % b.fixed != 0 || a.per_row % b.fixed != 0) return std::nullopt;
    return Dim(a.fixed / b.fixed, a.per_row / b.fixed);
  }
  if (b.fixed != 0 || a.fixed != 0 || a.per_row % b.per_row != 0) return std::nullopt;
  return Dim(a.per_row / b.per_row);
}

// The places of the operand of a reshape that hold these of its result.
std::optional<Places> before_reshape(const Dims& from, const Dims& to, const Places& places) {
  if (!has_one_batch(from) || !has_one_batch(to)) return std::nullopt;
  const Dim before = product_of(to, 0, places.axis), behind = product_of(to, places.axis + 1, std::ssize(to));
  if (!behind.is_fixed() && !(places.start.is_fixed() && places.size.is_fixed())) return std::nullopt;
  for (int64_t axis = 0; axis < std::ssize(from); ++axis) {
    if (product_of(from, 0, axis) != before) continue;
    const Dim own = product_of(from, axis + 1, std::ssize(from));
    const auto start = quotient(places.start * behind, own), size = quotient(places.size * behind, own);
    if (start && size) return Places{axis, *start, *size};
  }
  return std::nullopt;
}

class NeededPlaces {
 public:
  explicit NeededPlaces(const Graph& from) : from_(from), b_(to_), needs_(from.nodes.size()) {}

  Graph run() {
    find_needs();
    to_.name = from_.name;
    for (size_t i = 0; i < from_.nodes.size(); ++i) map_.push_back(rebuilt(i));
    for (const Port& port : from_.outputs) b_.output(port.name, map_[port.value.index], port.element_type);
    to_.drop_unread();
    return std::move(to_);
  }

 private:
  void find_needs() {
    for (const Port& port : from_.outputs) needs_[port.value.index].join(Need::whole());
    for (size_t i = from_.nodes.size(); i-- > 0;) {
      if (!needs_[i].any) continue;
      const Node& node = from_.nodes[i];
      const std::vector<Need> operands = operand_needs(node, needs_[i]);
      for (size_t k = 0; k < operands.size(); ++k) needs_[node.inputs[k].index].join(operands[k]);
    }
  }

  const Dims& shape_of(Value value) const { return from_[value].type.shape; }

  // What a node needs of its operands. Where it cannot be computed at some places only, it is computed whole.
  std::vector<Need> operand_needs(const Node& node, const Need& need) const {
    if (const auto chosen = chosen_places(node)) return with_rest(node, chosen_of(node, *chosen, need));
    if (need.some()) {
      if (auto some = operands_at(node, *need.places)) return *some;
    }
    return whole_operands(node);
  }

  static std::vector<Need> whole_operands(const Node& node) {
    return std::vector<Need>(node.inputs.size(), Need::whole());
  }

  static std::vector<Need> with_rest(const Node& node, const Places& first) {
    std::vector<Need> needs = whole_operands(node);
    needs[0] = {true, first};
    return needs;
  }

  // The places that a slice or a gather of one place takes of its first operand.
  std::optional<Places> chosen_places(const Node& node) const {
    if (node.type.kind != Kind::real) return std::nullopt;  // sizes of something
    if (node.op->name == "gather") return gathered_place(node);
    if (node.op->name != "slice") return std::nullopt;
    const Dims& shape = shape_of(node.inputs[0]);
    const Dims &starts = node.attributes.dims("starts"), &sizes = node.attributes.dims("sizes"),
               &steps = node.attributes.dims("steps");
    std::optional<Places> found;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (sizes[axis] == shape[axis] && starts[axis] == Dim(0) && steps[axis] == Dim(1)) continue;
      if (found || steps[axis] != Dim(1) || sizes[axis] == Dim(0)) return std::nullopt;
      found = Places{static_cast<int64_t>(axis), starts[axis], sizes[axis]};
    }
    return found;
  }

  std::optional<Places> gathered_place(const Node& node) const {
    const auto known = known_number(node.inputs[1]);
    const int64_t axis = node.attributes.integer("axis");
    const Dim extent = shape_of(node.inputs[0])[static_cast<size_t>(axis)];
    if (!known || extent == Dim(1)) return std::nullopt;
    const Dim place = *known >= 0 ? Dim(*known) : extent + Dim(*known);
    // An index out of range is told by the operation.
    if (!at_least(place, 0) || !at_least(extent, place + 1)) return std::nullopt;
    return Places{axis, place, 1};
  }

  // The only number of an integer constant.
  std::optional<int64_t> known_number(Value value) const {
    const Node& node = from_[value];
    if (node.op->name != "constant" || node.type.kind != Kind::integer || node.constant.size() != 1)
      return std::nullopt;
    return static_cast<int64_t>(node.constant.at(0));
  }

  // A slice of which only places of its own axis are needed takes those.
  static Places chosen_of(const Node& node, const Places& chosen, const Need& need) {
    if (!composes(node, chosen, need)) return chosen;
    return {chosen.axis, chosen.start + need.places->start, need.places->size};
  }
  static bool composes(const Node& node, const Places& chosen, const Need& need) {
    return need.some() && node.op->name == "slice" && need.places->axis == chosen.axis;
  }

  // Operands that give the result at these places; nothing: the operation does not keep places apart.
  std::optional<std::vector<Need>> operands_at(const Node& node, const Places& places) const {
    const std::string& op = node.op->name;
    const auto rank = std::ssize(node.type.shape);
    if (node.op->traits.pointwise) return broadcast_operands(node, places);
    if (op == "matmul") return product_operands(node, places);
    if (op == "normalize" && is_one_of(node.attributes.integers("axes"), places.axis)) return std::nullopt;
    if ((op == "softmax" || op == "log_softmax" || op == "concat") && node.attributes.integer("axis") == places.axis)
      return std::nullopt;
    if (op == "normalize" || op == "softmax" || op == "log_softmax" || op == "concat") {
      return std::vector<Need>(node.inputs.size(), Need{true, places});
    }
    if (op.starts_with("reduce_")) return reduced_operand(node, places, rank);
    if (op == "transpose") {
      const std::vector<int64_t> perm = node.attributes.integers("perm");
      return std::vector{Need{true, Places{perm[static_cast<size_t>(places.axis)], places.start, places.size}}};
    }
    if (op == "reshape") {
      const auto before = before_reshape(shape_of(node.inputs[0]), node.type.shape, places);
      if (before) return std::vector{Need{true, *before}};
    }
    return std::nullopt;
  }

  std::vector<Need> broadcast_operands(const Node& node, const Places& places) const {
    std::vector<Need> needs;
    for (const Value input : node.inputs) needs.push_back(broadcast_operand(node, input, places));
    return needs;
  }

  // Operands are broadcast from behind: those without the axis, or with one place on it, stay.
  Need broadcast_operand(const Node& node, Value input, const Places& places) const {
    const Dims& shape = shape_of(input);
    const int64_t own = places.axis - (std::ssize(node.type.shape) - std::ssize(shape));
    if (own < 0 || shape[static_cast<size_t>(own)] == Dim(1)) return Need::whole();
    return {true, Places{own, places.start, places.size}};
  }

  // The rows of the left matrices are those of the product; matrices of a stack are apart.
  std::optional<std::vector<Need>> product_operands(const Node& node, const Places& places) const {
    const auto rank = std::ssize(node.type.shape);
    const auto left = std::ssize(shape_of(node.inputs[0])), right = std::ssize(shape_of(node.inputs[1]));
    if (left < 2 || right < 2 || places.axis == rank - 1) return std::nullopt;
    if (places.axis < rank - 2) return broadcast_operands(node, places);
    const int64_t rows = node.attributes.flag("transpose_a") ? left - 1 : left - 2;
    return std::vector{Need{true, Places{rows, places.start, places.size}}, Need::whole()};
  }

  std::optional<std::vector<Need>> reduced_operand(const Node& node, const Places& places, int64_t rank) const {
    const std::vector<int64_t> axes = node.attributes.integers("axes");
    const auto own_rank = std::ssize(shape_of(node.inputs[0]));
    if (node.inputs.size() != 1 || rank != own_rank || is_one_of(axes, places.axis)) return std::nullopt;
    return std::vector{Need{true, places}};
  }

  // ---- the graph again ----

  // With the places that are needed of it; nothing if it is not needed at all.
  Value rebuilt(size_t index) {
    const Node& node = from_.nodes[index];
    const Need& need = needs_[index];
    b_.set_name(node.name);
    b_.set_where(describe(node));
    if (node.op->name == "input") return cut(rebuilt_input({static_cast<int32_t>(index)}), need);
    if (!need.any) return {};
    if (node.op->name == "constant") return cut(b_.constant(node.constant), need);
    if (node.op->name == "growing_constant") {
      return cut(b_.integers(node.attributes.dims("values"), node.attributes.integers("shape")), need);
    }
    if (const auto chosen = chosen_places(node)) return rebuilt_choice(node, *chosen, need);
    if (!need.some()) return again(node, whole_operands(node), node.attributes);
    const auto operands = operands_at(node, *need.places);
    if (!operands) return cut(again(node, whole_operands(node), node.attributes), need);
    Attributes attributes = node.attributes;
    if (node.op->name == "reshape") {
      Dims shape = node.type.shape;
      shape[static_cast<size_t>(need.places->axis)] = need.places->size;
      attributes.set("shape", shape);
    }
    return again(node, *operands, attributes);
  }

  Value rebuilt_choice(const Node& node, const Places& chosen, const Need& need) {
    if (!needs_[node.inputs[0].index].some() && !need.some()) return again(node, whole_operands(node), node.attributes);
    const Value taken = operand(node.inputs[0], {true, chosen_of(node, chosen, need)});
    const Value result = node.op->name == "gather" ? b_.reshape(taken, node.type.shape) : taken;
    return composes(node, chosen, need) ? result : cut(result, need);
  }

  Value again(const Node& node, const std::vector<Need>& needs, const Attributes& attributes) {
    std::vector<Value> operands;
    for (size_t k = 0; k < node.inputs.size(); ++k) operands.push_back(operand(node.inputs[k], needs[k]));
    b_.set_name(node.name);
    b_.set_where(describe(node));
    return b_.op(node.op->name, std::move(operands), attributes);
  }

  // A value as a reader needs it: it is here with these places already, or whole.
  Value operand(Value value, const Need& need) {
    const Value here = map_[value.index];
    if (needs_[value.index].some() || !need.some()) return here;
    const auto key = std::tuple(value, need.places->axis, need.places->start.fixed, need.places->start.per_row,
                                need.places->size.fixed, need.places->size.per_row);
    const auto known = slices_.find(key);
    if (known != slices_.end()) return known->second;
    return slices_[key] = cut(here, need);
  }

  Value cut(Value value, const Need& need) {
    return need.some() ? b_.slice(value, need.places->axis, need.places->start, need.places->size) : value;
  }

  Value rebuilt_input(Value value) {
    for (const Port& port : from_.inputs) {
      if (port.value == value) return b_.input(port.name, from_[value].type, port.element_type);
    }
    fail(ErrorKind::internal, from_[value].name, "an input node has no port");
  }

  const Graph& from_;
  Graph to_;
  Builder b_;
  std::vector<Need> needs_;
  std::vector<Value> map_;
  std::map<std::tuple<Value, int64_t, int64_t, int64_t, int64_t, int64_t>, Value> slices_;
};

bool chooses(const Node& node) { return node.op->name == "slice" || node.op->name == "gather"; }

}  // namespace

Graph only_needed_places(const Graph& graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), chooses)) return graph;
  return NeededPlaces(graph).run();
}

}  // namespace ascribe::core
