#include "methods/compile.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "methods/method.h"
#include "passes/append_copy.h"
#include "passes/canonicalize.h"
#include "passes/expand_composites.h"

namespace ascribe::core {

namespace {

// A value seen as [rows, classes]; a model for one row has one, whatever its shape.
Dims row_shape(const Type& type, std::string_view where) {
  const Dim size = product(type.shape);
  if (all_fixed(type.shape)) return {1, size};
  const Dim rows = type.shape[0];
  if (rows.is_fixed() || rows.fixed != 0 || size.fixed != 0) {
    fail(ErrorKind::unsupported, where, "the output does not have the rows first; got {}; expected [N, ...]",
         to_string(type.shape));
  }
  return {kBatch, size.per_row};
}

bool gives_probabilities(std::string_view operation) {
  return operation == "softmax" || operation == "log_softmax" || operation == "sigmoid";
}

std::vector<Port> real_ports(const Graph& graph, const std::vector<Port>& ports) {
  std::vector<Port> real;
  std::copy_if(ports.begin(), ports.end(), std::back_inserter(real),
               [&](const Port& port) { return graph[port.value].type.kind == Kind::real; });
  return real;
}

// The operation before a final softmax or sigmoid, seen through what only rearranges its numbers; they are moved
// likewise.
struct Head {
  std::string name;  // softmax, log_softmax or sigmoid; empty: there is none
  Value logits;
};

Head find_head(Builder& b, Value value) {
  const Graph& graph = b.graph();
  std::vector<Node> moves;
  while (graph[value].inputs.size() == 1 && traits_of(graph[value]).rearranges) {
    moves.push_back(graph[value]);
    value = graph[value].inputs[0];
  }
  const Node last = graph[value];
  if (!gives_probabilities(last.op->name)) return {};
  Head head{last.op->name, last.inputs[0]};
  for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
    head.logits = b.op(move->op->name, {head.logits}, move->attributes);
  }
  return head;
}

Value explained_value(Builder& b, const Port& output, const ExplainOptions& options, std::vector<std::string>& notes) {
  const Head head = find_head(b, output.value);
  if (!options.probability) {
    if (head.name.empty() || (head.name == "sigmoid" && options.keep_sigmoid)) return output.value;
    notes.push_back(
        fmt::format("the final {} of '{}' is stepped over: the logit is explained; `explain` probability keeps it",
                    head.name, output.name));
    return head.logits;
  }
  if (head.name.empty()) {
    fail(ErrorKind::argument, output.name,
         "the model does not end in a softmax or sigmoid, so there is no probability to explain");
  }
  return head.name == "log_softmax" ? b.op("exp", {output.value}) : output.value;
}

// Writes what the target says as weights of the output's numbers.
class Seed {
 public:
  Seed(Builder& b, Value output, std::string name)
      : b_(b), output_(output), rows_(row_shape(b.type(output), name)), name_(std::move(name)) {}

  Value write(const CompileOptions& options) {
    const Value flat = rows(options);
    return b_.reshape(flat, b_.shape(output_));
  }

 private:
  Value rows(const CompileOptions& options) {
    switch (options.target) {
      case TargetKind::index: return scattered(b_.input(name_, {Kind::integer, {rows_[0]}}, "int64"));
      case TargetKind::one_hot: return b_.input(name_, {Kind::real, rows_});
      case TargetKind::top:
        return scattered(b_.op("arg_max", {b_.reshape(output_, rows_)},
                               {{"axis", ints({1})}, {"keepdims", ints({1})}, {"select_last", ints({0})}}));
      case TargetKind::fixed: break;
    }
    const int64_t classes = rows_[1].fixed;
    if (options.index < 0 || options.index >= classes) {
      fail(ErrorKind::argument, "target", "there is no target {}; expected 0 to {}", options.index, classes - 1);
    }
    Tensor one_hot(DType::f64, {1, classes});
    one_hot.mutable_data<double>()[options.index] = 1;
    return b_.expand(b_.constant(one_hot), rows_);
  }

  // By scattering, so that an index out of range is an error and not a row of zeros.
  Value scattered(Value index) {
    const Dims column = {rows_[0], 1};
    return b_.op("scatter_elements",
                 {b_.expand(b_.scalar(0), rows_), b_.reshape(index, column), b_.expand(b_.scalar(1), column)},
                 {{"axis", ints({1})}, {"reduction", std::string("none")}});
  }

  Builder& b_;
  Value output_;
  Dims rows_;
  std::string name_;
};

std::string target_text(const CompileOptions& options, const std::string& name, int64_t classes) {
  if (!options.target_name.empty()) return options.target_name;
  const std::string range = classes == 1 ? "always 0" : fmt::format("0 to {}", classes - 1);
  switch (options.target) {
    case TargetKind::index: return fmt::format("input '{}': index in the output, {}, per row", name, range);
    case TargetKind::one_hot: return fmt::format("input '{}': weights of the {} numbers, per row", name, classes);
    case TargetKind::top: return "the largest number of the output, per row";
    case TargetKind::fixed: break;
  }
  return fmt::format("number {} of the output", options.index);
}

// "logit" only where a softmax or sigmoid says so, unless the caller knows better.
std::string explained_noun(const Graph& model, const Port& output, const CompileOptions& options) {
  if (!options.explains.empty()) return options.explains;
  if (options.probability) return "probability";
  return final_head(model, output) != nullptr ? "logit" : "value";
}

void note_target(const CompileOptions& options, const std::string& name, const Type& output, int64_t classes,
                 std::vector<std::string>& notes) {
  if (output.shape.size() > 2 && classes > 1) {
    notes.push_back(fmt::format("the output has shape {}; a target counts the {} numbers of a row",
                                to_string(output.shape), classes));
  }
  if (classes == 1 && options.target != TargetKind::fixed) {
    notes.push_back(fmt::format("the output is one number per row; `target` 0 makes the input '{}' unnecessary", name));
  }
}

}  // namespace

const Port& explained_output(const Graph& model, std::string_view name) {
  std::vector<std::string> names;
  for (const Port& port : model.outputs) {
    const bool real = model[port.value].type.kind == Kind::real;
    if (name.empty() ? real : real && port.name == name) return port;
    if (real) names.push_back(port.name);
  }
  if (names.empty()) fail(ErrorKind::unsupported, "outputs", "the model has no real output to explain");
  fail(ErrorKind::argument, "output", "the model has no real output '{}'; {}", name, expected_one_of(name, names));
}

int64_t target_count(const Graph& model, const Port& output) {
  return row_shape(model[output.value].type, output.name)[1].fixed;
}

const Node* final_head(const Graph& model, const Port& output) {
  Value value = output.value;
  while (model[value].inputs.size() == 1 && traits_of(model[value]).rearranges) value = model[value].inputs[0];
  return gives_probabilities(model[value].op->name) ? &model[value] : nullptr;
}

Graph with_explained(const Graph& model, const ExplainOptions& options, std::vector<std::string>& notes) {
  Graph graph = model;
  const Port output = explained_output(model, options.output);
  Builder b(graph);
  b.set_where(output.name);
  Value explained = explained_value(b, output, options, notes);
  if (options.readout) explained = append_readout(b, explained, *options.readout);
  graph.outputs = {output, {"explained", explained, output.element_type}};
  graph.drop_unread();
  return graph;
}

namespace {

// A method written behind a model. `graph` holds the model, and grows.
class Frame {
 public:
  // `explained`: a graph with two outputs, what the model says and what is explained of it.
  Frame(const Graph& explained, const Method& method)
      : graph_(method.keeps != nullptr ? expand_composites(explained, method.keeps).graph
                                       : expand_composites(explained, true).graph) {
    prediction_ = graph_.outputs[0].value;
    graph_.outputs.erase(graph_.outputs.begin());
    model_ = graph_;
    graph_.outputs.clear();
  }

  Graph& graph() { return graph_; }
  Value prediction() const { return prediction_; }
  Value explained() const { return model_.outputs[0].value; }

  // Baselines of one input for each of its rows, `times` of them.
  Value frozen_baselines(Builder& b, Value input, const Tensor& rows) {
    Dims shape = b.shape(input);
    if (rows.empty()) return b.expand(b.scalar(0), shape);
    const int64_t times = rows.shape()[0];
    if (times == 1) return b.expand(b.constant(rows), shape);
    Shape apart = rows.shape();
    apart.insert(apart.begin(), 1);
    Dims wide = shape, joined = shape;
    wide.insert(wide.begin() + 1, times);
    joined[0] = shape[0] * Dim(times);
    return b.reshape(b.expand(b.constant(rows.reshaped(apart)), wide), joined);
  }

  struct Written {
    std::vector<Value> attributions;
    Value baseline_output, layer_map;
    std::vector<std::string> layers;
    bool sampled = false;
    DrawGroups groups;
  };

  // `baselines` have `times` rows for each of x.
  Written write(Builder& b, const Method& method, Value seed, const std::vector<Value>& sources,
                const std::vector<Value>& baselines, int64_t times, const Parameters& parameters,
                const Players* players, uint64_t random_seed, std::vector<std::string>& notes, size_t group_memory = 0,
                std::vector<SweepStep>* trace = nullptr) {
    Placed placed = placed_here(model_);
    std::vector<Value> inputs = sources;
    if (times > 1) {
      std::vector<Value> all;
      for (const Port& port : model_.inputs) {
        const bool grows = !all_fixed(model_[port.value].type.shape);
        all.push_back(grows ? repeat_rows(b, port.value, times) : port.value);
      }
      placed = append_copy(b, model_, all, std::array{explained()}, times);
      for (Value& input : inputs) input = placed(input);
      seed = repeat_rows(b, seed, times);
    }
    Written written;
    written.attributions = method.graph({b,
                                         model_,
                                         placed,
                                         seed,
                                         inputs,
                                         {baselines, method.name},
                                         times,
                                         parameters,
                                         players,
                                         random_seed,
                                         notes,
                                         written.baseline_output,
                                         written.layer_map,
                                         written.layers,
                                         written.sampled,
                                         written.groups,
                                         group_memory,
                                         trace});
    if (written.attributions.size() != inputs.size()) {
      fail(ErrorKind::internal, method.name, "the method gave attributions to {} inputs; expected {}",
           written.attributions.size(), inputs.size());
    }
    for (const Value attribution : written.attributions) {
      require(attribution.valid(), method.name, "the method gave an attribution that is no value");
    }
    for (Value& attribution : written.attributions) attribution = mean_of_rows(b, attribution, times);
    return written;
  }

 private:
  Graph graph_, model_;  // model_: the beginning of graph_
  Value prediction_;
};

const Method& compilable(const std::string& name) {
  const Method& method = method_named(name);
  if (method.graph != nullptr) return method;
  fail(ErrorKind::unsupported, name, "this method cannot be compiled; it can only be run");
}

// Baselines and players are of one input; several would need one of each.
void require_one_input(const Method& method, size_t inputs, const CompileOptions& options) {
  if (inputs == 1 || (!method.players && options.baselines.empty())) return;
  fail(ErrorKind::unsupported, method.name, "the method needs a model with one real input; got {}", inputs);
}

std::vector<Value> values_of(const std::vector<Port>& ports) {
  std::vector<Value> values;
  for (const Port& port : ports) values.push_back(port.value);
  return values;
}

}  // namespace

Explanation compile_explanation(const Graph& model, const CompileOptions& options) {
  const Method& method = compilable(options.method);
  const Parameters parameters(method.name, method.parameters, options.parameters);
  const Port& port = explained_output(model, options.output);
  const int64_t classes = options.readout ? options.readout->parts() : target_count(model, port);
  if (classes < 1) fail(ErrorKind::unsupported, port.name, "the output is empty; there is nothing to explain");
  Explanation explanation;
  const ExplainOptions explained{.output = options.output,
                                 .probability = options.probability,
                                 .readout = options.readout,
                                 .keep_sigmoid = options.keep_sigmoid};
  Frame frame(with_explained(model, explained, explanation.notes), method);
  Graph& graph = frame.graph();
  const std::vector<Port> sources = real_ports(graph, graph.inputs);
  if (sources.empty()) fail(ErrorKind::unsupported, "inputs", "the model has no real input to attribute to");
  require_one_input(method, sources.size(), options);

  Builder b(graph);
  b.set_where(method.name);
  b.set_name(method.name);
  const std::string target = model.free_name("target");
  const Value seed = Seed(b, frame.explained(), target).write(options);
  const bool several = method.baselines && !options.baselines.empty();
  std::vector<Value> baselines;
  for (const Port& source : sources) {
    if (method.baselines) baselines.push_back(frame.frozen_baselines(b, source.value, options.baselines));
  }
  const auto written =
      frame.write(b, method, seed, values_of(sources), baselines, several ? options.baselines.shape()[0] : 1,
                  parameters, &options.players, options.seed, explanation.notes);
  b.output(model.free_name("prediction"), frame.prediction(), port.element_type);
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string name = sources.size() == 1 ? "attribution" : "attribution_" + sources[i].name;
    b.output(model.free_name(name), written.attributions[i], sources[i].element_type);
  }
  note_target(options, target, graph[frame.explained()].type, classes, explanation.notes);
  graph.name = method.name;
  explanation.metadata = {{"ascribe.method", method.name},
                          {"ascribe.formula", method.formula},
                          {"ascribe.explains", explained_noun(model, port, options)},
                          {"ascribe.output", port.name},
                          {"ascribe.target", target_text(options, target, classes)}};
  for (const auto& [name, text] : parameters.all()) explanation.metadata["ascribe.parameter." + name] = text;
  if (!written.layers.empty())
    explanation.metadata["ascribe.layers"] = fmt::format("{}", fmt::join(written.layers, ","));
  explanation.graph = canonicalize(graph, SharedWeights::keep);
  return explanation;
}

namespace {

// The sums of all steps, for every row alike.
void write_trace(Builder& b, const std::vector<SweepStep>& steps, const Graph& model, Dim rows,
                 std::vector<TracedNode>& nodes) {
  std::vector<Value> sums;
  for (const SweepStep& step : steps) {
    const Node& node = model[step.node];
    nodes.push_back({node.name, node.op->name, step.rule});
    sums.push_back(b.reshape(step.received, {1}));
    sums.push_back(b.reshape(step.passed_on, {1}));
  }
  if (sums.empty()) return;
  const Value table = b.reshape(b.concat(std::move(sums), 0), {1, std::ssize(steps), 2});
  b.output("trace", b.expand(table, {rows, std::ssize(steps), 2}));
}

}  // namespace

Explanation runnable_explanation(const ExplainedModel& model, const Method& method, const Parameters& parameters,
                                 uint64_t seed, bool traced) {
  Explanation explanation;
  Frame frame(model.graph(), method);
  Graph& graph = frame.graph();
  Builder b(graph);
  b.set_where(method.name);
  b.set_name(method.name);
  const Value input = graph.inputs[model.input()].value;
  const Value weights = Seed(b, frame.explained(), graph.free_name("target")).write({});
  std::vector<Value> baselines;
  if (method.baselines) baselines.push_back(b.input(graph.free_name("baseline"), graph[input].type));
  std::vector<SweepStep> steps;
  const auto written = frame.write(b, method, weights, {input}, baselines, 1, parameters, nullptr, seed,
                                   explanation.notes, model.memory(), traced ? &steps : nullptr);
  b.output("attribution", written.attributions[0]);
  const Value product = b.mul(weights, frame.explained());
  std::vector<int64_t> axes;
  for (int64_t axis = 1; axis < b.rank(product); ++axis) axes.push_back(axis);
  const Value value = axes.empty() ? product : b.reduce("reduce_sum", product, axes, false);
  b.output("value", value);
  if (written.baseline_output.valid()) b.output("baseline_value", written.baseline_output);
  if (written.layer_map.valid()) b.output("layer_map", written.layer_map);
  if (written.groups.attributions.valid()) {
    b.output("groups", written.groups.attributions);
    explanation.group_sizes = written.groups.sizes;
  }
  write_trace(b, steps, graph, b.shape(value)[0], explanation.trace);
  explanation.sampled = written.sampled;
  explanation.layers = written.layers;
  explanation.graph = canonicalize(graph, SharedWeights::keep);
  return explanation;
}

}  // namespace ascribe::core
