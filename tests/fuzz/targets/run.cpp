// Models as they are run: lowered, made canonical, planned and run in both precisions, beside the slow and obvious way
// (support/interpret.h). Numbers that a tiny change of the input, or another precision, would change much are not
// compared.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/random.h"
#include "fuzz/target.h"
#include "graph/work.h"
#include "model/model.h"
#include "support/interpret.h"

namespace ascribe::core::fuzz::target_run {
namespace {

constexpr int64_t kMostWork = int64_t{1} << 21;   // scalar operations of one way to run it
constexpr double kLargest = 1e30;                 // beyond, the order of a sum decides whether it overflows
constexpr double kNudge = 1e-5, kSettled = 1e-2;  // of inputs; what changes more is not compared
constexpr double kFloat = 1e-3, kDouble = 1e-7;   // how near the runtime has to be, of the largest number

int64_t work_of(const Graph& graph, int64_t batch) {
  int64_t work = 0;
  // Also of inputs that nothing reads: they are made.
  for (const Port& port : graph.inputs) {
    work += std::min(kMostWork, element_count(at(graph[port.value].type.shape, batch)));
    if (work > kMostWork) return work;
  }
  for (const Node& node : graph.nodes) {
    std::vector<Shape> shapes;
    for (const Value input : node.inputs) shapes.push_back(at(graph[input].type.shape, batch));
    const int64_t each = work_per_element(*node.op, shapes, node.attributes.resolved(batch));
    work +=
        std::min(kMostWork, saturating_multiply(element_count(at(node.type.shape, batch)), std::max<int64_t>(each, 1)));
    if (work > kMostWork) break;
  }
  return work;
}

// Real numbers between -2 and 2, whole ones of 0 to 3.
std::vector<Tensor> inputs_of(const Graph& graph, int64_t batch, double nudge) {
  std::vector<Tensor> inputs;
  for (const Port& port : graph.inputs) {
    const Type& type = graph[port.value].type;
    const Shape shape = at(type.shape, batch);
    const Random random(7, inputs.size());
    Tensor values(DType::f64, shape);
    auto numbers = values.mutable_data<double>();
    for (size_t i = 0; i < numbers.size(); ++i) {
      // As float has them, so that all ways begin with the same.
      const double number = static_cast<float>(4 * random.uniform(i) - 2);
      numbers[i] = type.kind == Kind::real ? number * (1 + (i % 2 == 0 ? nudge : -nudge)) : std::floor(number + 2);
    }
    if (type.kind == Kind::integer) inputs.push_back(values.cast(DType::i64));
    else inputs.push_back(type.kind == Kind::real ? values : values.cast(DType::boolean));
  }
  return inputs;
}

std::vector<Tensor> slowly(const Graph& graph, const std::vector<Tensor>& inputs, int64_t batch, DType real) {
  std::map<std::string, Tensor> named;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    named[graph.inputs[i].name] = kind_of(input.dtype()) == Kind::real ? input.cast(real) : input;
  }
  return interpret(graph, named, batch, real);
}

// What is known of a number by the slow way.
struct Known {
  std::vector<Tensor> in_double, in_float, nudged;
};

double largest(const Tensor& values) {
  double most = 1;
  for (int64_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values.at(i))) most = std::max(most, std::abs(values.at(i)));
  }
  return most;
}

void compare(const Tensor& found, const Known& known, size_t output, double tolerance) {
  const Tensor &a = known.in_double[output], &b = known.in_float[output], &c = known.nudged[output];
  hold(found.shape() == a.shape(), "an output has the shape of the graph");
  const double scale = std::max(largest(a), largest(b));
  if (scale > kLargest) return;
  for (int64_t i = 0; i < found.size(); ++i) {
    const double expected = a.at(i), spread = std::max(std::abs(expected - b.at(i)), std::abs(expected - c.at(i)));
    if (std::isnan(expected) && std::isnan(b.at(i)) && std::isnan(c.at(i))) {
      hold(std::isnan(found.at(i)), "what is not a number stays none");
    } else if (std::isfinite(spread) && spread <= kSettled * scale) {
      hold(std::abs(found.at(i) - expected) <= tolerance * scale + 50 * spread,
           "the runtime gives what the graph says");
    }
  }
}

void run_in(DType real, const ImportedModel& imported, const std::vector<Tensor>& inputs, const Known& known) {
  Model model = Model::from(imported, {.precision = real, .memory = size_t{1} << 28});
  const std::vector<Tensor> outputs = model.run(inputs), again = model.run(inputs);
  hold(outputs.size() == known.in_double.size(), "all outputs are there");
  for (size_t i = 0; i < outputs.size(); ++i) {
    compare(outputs[i], known, i, real == DType::f32 ? kFloat : kDouble);
    hold(std::memcmp(outputs[i].memory(), again[i].memory(), outputs[i].bytes()) == 0, "the same twice");
  }
}

void feed(Bytes bytes) {
  ImportOptions options;
  options.limits = {.nodes = 1 << 12, .fold_bytes = 1 << 22, .fold_work = 1 << 22};
  const ImportedModel imported = import_model_bytes(text_of(bytes), "fuzz", {}, options);
  const int64_t batch = imported.batched ? 2 : 1;
  if (work_of(imported.graph, batch) > kMostWork) return;
  const std::vector<Tensor> inputs = inputs_of(imported.graph, batch, 0);
  const Known known{slowly(imported.graph, inputs, batch, DType::f64),
                    slowly(imported.graph, inputs, batch, DType::f32),
                    slowly(imported.graph, inputs_of(imported.graph, batch, kNudge), batch, DType::f64)};
  run_in(DType::f32, imported, inputs, known);
  run_in(DType::f64, imported, inputs, known);
}

const RegisterTarget registered({"run", "ONNX models, run beside the interpreter", Form::model, 16384, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_run
