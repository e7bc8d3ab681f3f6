#include "passes/append_copy.h"

#include <numeric>

namespace ascribe::core {

namespace {

Dims grown(const Dims& dims, int64_t factor) {
  Dims more;
  for (const Dim dim : dims) more.emplace_back(dim.fixed, dim.per_row * factor);
  return more;
}

Attributes grown(const Attributes& attributes, int64_t factor) {
  Attributes more = attributes;
  for (const auto& [name, value] : attributes.values()) {
    if (const auto* dims = std::get_if<Dims>(&value)) more.set(name, grown(*dims, factor));
  }
  return more;
}

std::vector<bool> needed_for(const Graph& model, std::span<const Value> outputs) {
  std::vector<bool> needed(model.nodes.size(), false);
  for (const Value output : outputs) needed[static_cast<size_t>(output.index)] = true;
  for (size_t i = needed.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const Value input : model.nodes[i].inputs) needed[static_cast<size_t>(input.index)] = true;
  }
  return needed;
}

Value copied(Builder& b, const Node& node, Value in_model, const Placed& placed, int64_t factor) {
  if (node.op->name == "constant") return in_model;
  if (node.op->name == "growing_constant") {
    return b.integers(grown(node.attributes.dims("values"), factor), node.attributes.integers("shape"));
  }
  std::vector<Value> inputs;
  for (const Value input : node.inputs) inputs.push_back(placed(input));
  b.set_name(node.name);
  b.set_where(describe(node));
  return b.op(node.op->name, std::move(inputs), grown(node.attributes, factor));
}

}  // namespace

Placed placed_here(const Graph& model) {
  Placed placed;
  for (size_t i = 0; i < model.nodes.size(); ++i) placed.values.push_back({static_cast<int32_t>(i)});
  return placed;
}

Placed append_copy(Builder& builder, const Graph& model, std::span<const Value> inputs, std::span<const Value> outputs,
                   int64_t rows_factor) {
  require(inputs.size() == model.inputs.size(), "copy", "expected a value for each input of the model");
  const std::vector<bool> needed = needed_for(model, outputs);
  Placed placed{std::vector<Value>(model.nodes.size())};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value port = model.inputs[i].value;
    const Dims expected = grown(model[port].type.shape, rows_factor);
    require(builder.shape(inputs[i]) == expected, model.inputs[i].name, "the copy's input has another shape");
    placed.values[static_cast<size_t>(port.index)] = inputs[i];
  }
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    if (!needed[i] || placed.values[i].valid()) continue;
    placed.values[i] = copied(builder, model.nodes[i], {static_cast<int32_t>(i)}, placed, rows_factor);
  }
  return placed;
}

Value repeat_rows(Builder& builder, Value x, int64_t times) {
  if (times == 1) return x;
  const Dims shape = builder.shape(x);
  Dims apart = shape, wide = shape, joined = shape;
  apart.insert(apart.begin() + 1, 1);
  wide.insert(wide.begin() + 1, times);
  joined[0] = shape[0] * Dim(times);
  return builder.reshape(builder.expand(builder.reshape(x, apart), wide), joined);
}

Value mean_of_rows(Builder& builder, Value x, int64_t times) {
  if (times == 1) return x;
  Dims apart = builder.shape(x);
  apart[0] = divide(apart[0], times, builder.where());
  apart.insert(apart.begin() + 1, times);
  return builder.reduce("reduce_mean", builder.reshape(x, apart), {1}, false);
}

}  // namespace ascribe::core
