// The interface of include/ascribe/model.h over the layers below it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "api/translate.h"
#include "base/parallel.h"
#include "data/inputs.h"
#include "game/effects.h"
#include "methods/method.h"
#include "methods/question_game.h"
#include "model/try_rows.h"

namespace ascribe {

namespace {

LoadOptions load_options(const v1::ModelOptions& options) {
  LoadOptions load;
  if (options.precision == v1::Precision::float32) load.precision = DType::f32;
  if (options.precision == v1::Precision::float64) load.precision = DType::f64;
  load.memory = options.memory;
  for (const auto& [name, shape] : options.shapes) load.shapes[name] = Shape(shape.begin(), shape.end());
  return load;
}

Shape with_rows(const Shape& row, int64_t rows) {
  Shape shape = row;
  shape.insert(shape.begin(), rows);
  return shape;
}

// The numbers of a user as what an input takes for one row.
Tensor row_for(const Graph& graph, size_t input, const std::vector<double>& values, DType real) {
  const Type& type = graph[graph.inputs[input].value].type;
  const Shape shape = at(type.shape, 1);
  if (std::ssize(values) != element_count(shape)) {
    fail(ErrorKind::shape, graph.inputs[input].name, "got {} numbers; expected {} for {}", values.size(),
         element_count(shape), to_string(shape));
  }
  return Tensor::of<double>(shape, values).cast(storage(type.kind, real));
}

Players own_players(const std::vector<int32_t>& owners, const Shape& row) {
  if (std::ssize(owners) != element_count(row)) {
    fail(ErrorKind::shape, "owners", "got {} numbers; expected {}, one per element", owners.size(), element_count(row));
  }
  Players players;
  players.owner = owners;
  players.description = "owners";
  players.image = sized_image(image_shape(row, {}));
  const auto [least, most] = std::minmax_element(owners.begin(), owners.end());
  if (*least < -1 || *most >= std::ssize(owners)) {
    fail(ErrorKind::argument, "owners", "got {}; expected players counted from 0, or -1", *least < -1 ? *least : *most);
  }
  for (int32_t p = 0; p <= *most; ++p) players.names.push_back(fmt::format("player {}", p));
  return players;
}

std::vector<double> doubles_of(const Tensor& tensor) {
  const Tensor wide = tensor.cast(DType::f64);
  const auto data = wide.data<double>();
  return {data.begin(), data.end()};
}

v1::Attribution seen(Attribution a, const Question& question) {
  v1::Attribution answer;
  answer.players = question.players.names;
  answer.elements = doubles_of(a.elements);
  answer.values = std::move(a.values);
  answer.standard_errors = std::move(a.standard_errors);
  answer.target = question.target;
  answer.output = a.output;
  answer.baseline_output = a.baseline_output;
  answer.residual = a.residual;
  answer.exact = a.exact;
  answer.evaluations = a.evaluations;
  answer.notes = std::move(a.notes);
  return answer;
}

}  // namespace

struct v1::Model::State {
  State(const ascribe::Model& model, const ModelOptions& options)
      : explained(model.graph(),
                  {options.output, options.probability, options.input, {model.precision(), options.memory, 0}}),
        notes(model.notes()) {
    notes.insert(notes.end(), explained.notes().begin(), explained.notes().end());
  }

  std::vector<Tensor> point(const Question& question) const {
    std::vector<Tensor> tensors;
    const Graph& graph = explained.graph();
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const std::string& name = graph.inputs[i].name;
      const auto found = question.other_inputs.find(name);
      if (i != explained.input() && found == question.other_inputs.end()) {
        fail(ascribe::ErrorKind::argument, name, "nothing is given for this input in other_inputs");
      }
      tensors.push_back(row_for(graph, i, i == explained.input() ? question.input : found->second, explained.real()));
    }
    return tensors;
  }

  Tensor baselines(const Question& question) const {
    const int64_t size = element_count(explained.row());
    if (question.baselines.empty()) return {DType::f64, with_rows(explained.row(), 1)};
    const int64_t rows = std::ssize(question.baselines) / size;
    if (rows * size != std::ssize(question.baselines)) {
      fail(ascribe::ErrorKind::shape, "baselines", "got {} numbers; expected rows of {}", question.baselines.size(),
           size);
    }
    return Tensor::of<double>(with_rows(explained.row(), rows), question.baselines);
  }

  int64_t target(const Question& question, const std::vector<Tensor>& row) {
    if (question.target) {
      if (*question.target >= 0 && *question.target < explained.targets()) return *question.target;
      fail(ascribe::ErrorKind::argument, "target", "there is no number {} in the output; expected 0 to {}",
           *question.target, explained.targets() - 1);
    }
    const std::vector<double> outputs = doubles_of(explained.outputs(row));
    for (const double value : outputs) {
      if (!std::isfinite(value)) fail(ascribe::ErrorKind::numeric, "output", "the model's output is {}", value);
    }
    return std::max_element(outputs.begin(), outputs.end()) - outputs.begin();
  }

  ascribe::Question prepared(const Question& question) {
    ascribe::Question ready;
    ready.point = point(question);
    ready.target = target(question, ready.point);
    ready.baselines = baselines(question);
    const Shape& row = explained.row();
    ready.players =
        question.owners.empty()
            ? make_players({question.players, row, image_shape(row, {}), {}, &ready.point[explained.input()]})
            : own_players(question.owners, row);
    return ready;
  }

  ExplainedModel explained;
  std::vector<std::string> notes;
  std::vector<int64_t> row_shape;
};

double v1::Attribution::sum() const { return std::accumulate(values.begin(), values.end(), 0.0); }

std::vector<std::size_t> v1::Attribution::strongest(std::size_t count) const {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return std::abs(values[i]) > std::abs(values[j]); });
  order.resize(std::min(order.size(), count));
  return order;
}

v1::Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
v1::Model::Model(Model&&) noexcept = default;
v1::Model& v1::Model::operator=(Model&&) noexcept = default;
v1::Model::~Model() = default;

v1::Model v1::Model::load(const std::string& path, const ModelOptions& options) {
  return translated([&] {
    set_thread_count(options.threads);
    ascribe::Model model = ascribe::Model::load(path, load_options(options));
    try_two_rows(model);
    auto state = std::make_unique<State>(model, options);
    state->row_shape.assign(state->explained.row().begin(), state->explained.row().end());
    return Model(std::move(state));
  });
}

const std::vector<int64_t>& v1::Model::row_shape() const { return state_->row_shape; }
int64_t v1::Model::targets() const { return state_->explained.targets(); }
const std::vector<std::string>& v1::Model::notes() const { return state_->notes; }

std::vector<double> v1::Model::read_row(const std::string& path, const std::string& how) {
  return translated([&] {
    const ExplainedModel& model = state_->explained;
    const Port& port = model.graph().inputs[model.input()];
    InputSlot slot;
    slot.name = port.name;
    slot.row = model.row();
    slot.dtype = DType::f64;
    slot.shape_text = to_string(model.graph()[port.value].type.shape);
    DataOptions options;
    if (!how.empty()) options.preprocess = parse_preprocess(how);
    std::vector<std::string> notes;
    const Batch batch = fit(read_source(path), 0, slot, options, notes);
    if (batch.sources.size() != 1) {
      fail(ascribe::ErrorKind::shape, path, "the file holds {} rows; expected one", batch.sources.size());
    }
    return doubles_of(batch.values);
  });
}

std::vector<double> v1::Model::outputs(const Question& question) {
  return translated([&] { return doubles_of(state_->explained.outputs(state_->point(question))); });
}

v1::Attribution v1::Model::explain(const Question& question, std::string_view method, const Settings& settings,
                                   uint64_t seed) {
  return std::move(explain(std::span(&question, 1), method, settings, seed)[0]);
}

std::vector<v1::Attribution> v1::Model::explain(std::span<const Question> questions, std::string_view method,
                                                const Settings& settings, uint64_t seed) {
  return translated([&] {
    const Method& chosen = method_named(method);
    const Parameters parameters(chosen.name, chosen.parameters, settings);
    std::vector<ascribe::Question> ready;
    for (const Question& question : questions) ready.push_back(state_->prepared(question));
    std::vector<Attribution> answers;
    if (ready.empty()) return answers;
    std::vector<ascribe::Attribution> found = attribute(chosen, state_->explained, ready, parameters, seed);
    for (size_t i = 0; i < found.size(); ++i) answers.push_back(seen(std::move(found[i]), ready[i]));
    return answers;
  });
}

v1::Decomposition v1::Model::decompose(const Question& question) {
  return translated([&] {
    const ascribe::Question ready = state_->prepared(question);
    Game game = question_game(state_->explained, ready);
    Dividends dividends = exact_dividends(game, state_->explained.options().session.memory);
    return Decomposition{ready.players.names, std::move(dividends.values), ready.target};
  });
}

}  // namespace ascribe
