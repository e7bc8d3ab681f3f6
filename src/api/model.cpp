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


namespace ascribe {

namespace {

core::LoadOptions load_options(const ModelOptions& options) {
  core::LoadOptions load;
  if (options.precision == Precision::float32) load.precision = core::DType::f32;
  if (options.precision == Precision::float64) load.precision = core::DType::f64;
  load.memory = options.memory;
  for (const auto& [name, shape] : options.shapes) load.shapes[name] = core::Shape(shape.begin(), shape.end());
  return load;
}

core::Shape with_rows(const core::Shape& row, int64_t rows) {
  core::Shape shape = row;
  shape.insert(shape.begin(), rows);
  return shape;
}

// The numbers of a user as what an input takes for one row.
core::Tensor row_for(const core::Graph& graph, size_t input, const std::vector<double>& values, core::DType real) {
  const core::Type& type = graph[graph.inputs[input].value].type;
  const core::Shape shape = at(type.shape, 1);
  if (std::ssize(values) != core::element_count(shape)) {
    core::fail(core::ErrorKind::shape, graph.inputs[input].name, "got {} numbers; expected {} for {}", values.size(),
               core::element_count(shape), core::to_string(shape));
  }
  return core::Tensor::of<double>(shape, values).cast(core::storage(type.kind, real));
}

core::Players own_players(const std::vector<int32_t>& owners, const core::Shape& row) {
  if (std::ssize(owners) != core::element_count(row)) {
    core::fail(core::ErrorKind::shape, "owners", "got {} numbers; expected {}, one per element", owners.size(),
               core::element_count(row));
  }
  core::Players players;
  players.owner = owners;
  players.description = "owners";
  players.image = core::sized_image(core::image_shape(row, {}));
  const auto [least, most] = std::minmax_element(owners.begin(), owners.end());
  if (*least < -1 || *most >= std::ssize(owners)) {
    core::fail(core::ErrorKind::argument, "owners", "got {}; expected players counted from 0, or -1",
               *least < -1 ? *least : *most);
  }
  for (int32_t p = 0; p <= *most; ++p) players.names.push_back(fmt::format("player {}", p));
  return players;
}

std::vector<double> doubles_of(const core::Tensor& tensor) {
  const core::Tensor wide = tensor.cast(core::DType::f64);
  const auto data = wide.data<double>();
  return {data.begin(), data.end()};
}

Attribution seen(core::Attribution a, const core::Question& question) {
  Attribution answer;
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

struct Model::State {
  State(const core::Model& model, const ModelOptions& options)
      : explained(model, {options.output, options.probability, options.input}),
        notes(model.notes()) {
    notes.insert(notes.end(), explained.notes().begin(), explained.notes().end());
  }

  std::vector<core::Tensor> point(const Question& question) const {
    std::vector<core::Tensor> tensors;
    const core::Graph& graph = explained.graph();
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const std::string& name = graph.inputs[i].name;
      const auto found = question.other_inputs.find(name);
      if (i != explained.input() && found == question.other_inputs.end()) {
        core::fail(core::ErrorKind::argument, name, "nothing is given for this input in other_inputs");
      }
      tensors.push_back(row_for(graph, i, i == explained.input() ? question.input : found->second, explained.real()));
    }
    return tensors;
  }

  core::Tensor baselines(const Question& question) const {
    const int64_t size = core::element_count(explained.row());
    if (question.baselines.empty()) return {core::DType::f64, with_rows(explained.row(), 1)};
    const int64_t rows = std::ssize(question.baselines) / size;
    if (rows * size != std::ssize(question.baselines)) {
      core::fail(core::ErrorKind::shape, "baselines", "got {} numbers; expected rows of {}", question.baselines.size(),
                 size);
    }
    return core::Tensor::of<double>(with_rows(explained.row(), rows), question.baselines);
  }

  int64_t target(const Question& question, const std::vector<core::Tensor>& row) {
    if (question.target) {
      if (*question.target >= 0 && *question.target < explained.targets()) return *question.target;
      core::fail(core::ErrorKind::argument, "target", "there is no number {} in the output; expected 0 to {}",
                 *question.target, explained.targets() - 1);
    }
    const std::vector<double> outputs = doubles_of(explained.outputs(row));
    for (const double value : outputs) {
      if (!std::isfinite(value)) core::fail(core::ErrorKind::numeric, "output", "the model's output is {}", value);
    }
    return std::max_element(outputs.begin(), outputs.end()) - outputs.begin();
  }

  core::Question prepared(const Question& question) {
    core::Question ready;
    ready.point = point(question);
    ready.target = target(question, ready.point);
    ready.baselines = baselines(question);
    const core::Shape& row = explained.row();
    ready.players = question.owners.empty()
                        ? core::make_players(
                              {question.players, row, core::image_shape(row, {}), {}, &ready.point[explained.input()]})
                        : own_players(question.owners, row);
    return ready;
  }

  core::ExplainedModel explained;
  std::vector<std::string> notes;
  std::vector<int64_t> row_shape;
};

double Attribution::sum() const { return std::accumulate(values.begin(), values.end(), 0.0); }

std::vector<std::size_t> Attribution::strongest(std::size_t count) const {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return std::abs(values[i]) > std::abs(values[j]); });
  order.resize(std::min(order.size(), count));
  return order;
}

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::load(const std::string& path, const ModelOptions& options) {
  return translated([&] {
    core::set_thread_count(options.threads);
    core::Model model = core::Model::load(path, load_options(options));
    model.check_rows();
    auto state = std::make_unique<State>(model, options);
    state->row_shape.assign(state->explained.row().begin(), state->explained.row().end());
    return Model(std::move(state));
  });
}

const std::vector<int64_t>& Model::row_shape() const { return state_->row_shape; }
int64_t Model::targets() const { return state_->explained.targets(); }
const std::vector<std::string>& Model::notes() const { return state_->notes; }

std::vector<double> Model::read_row(const std::string& path, const std::string& how) {
  return translated([&] {
    const core::ExplainedModel& model = state_->explained;
    const core::Port& port = model.graph().inputs[model.input()];
    core::InputSlot slot;
    slot.name = port.name;
    slot.row = model.row();
    slot.dtype = core::DType::f64;
    slot.shape_text = to_string(model.graph()[port.value].type.shape);
    core::DataOptions options;
    if (!how.empty()) options.preprocess = core::parse_preprocess(how);
    std::vector<std::string> notes;
    const core::Batch batch = core::fit(core::read_source(path), 0, slot, options, notes);
    if (batch.sources.size() != 1) {
      core::fail(core::ErrorKind::shape, path, "the file holds {} rows; expected one", batch.sources.size());
    }
    return doubles_of(batch.values);
  });
}

std::vector<double> Model::outputs(const Question& question) {
  return translated([&] { return doubles_of(state_->explained.outputs(state_->point(question))); });
}

Attribution Model::explain(const Question& question, std::string_view method, const Settings& settings, uint64_t seed) {
  return std::move(explain(std::span(&question, 1), method, settings, seed)[0]);
}

std::vector<Attribution> Model::explain(std::span<const Question> questions, std::string_view method,
                                        const Settings& settings, uint64_t seed) {
  return translated([&] {
    const core::Method& chosen = core::method_named(method);
    const core::Parameters parameters(chosen.name, chosen.parameters, settings);
    std::vector<core::Question> ready;
    for (const Question& question : questions) ready.push_back(state_->prepared(question));
    std::vector<Attribution> answers;
    if (ready.empty()) return answers;
    std::vector<core::Attribution> found = core::attribute(chosen, state_->explained, ready, parameters, seed);
    for (size_t i = 0; i < found.size(); ++i) answers.push_back(seen(std::move(found[i]), ready[i]));
    return answers;
  });
}

Decomposition Model::decompose(const Question& question) {
  return translated([&] {
    const core::Question ready = state_->prepared(question);
    core::Game game = core::question_game(state_->explained, ready);
    core::Dividends dividends = core::exact_dividends(game, state_->explained.memory());
    return Decomposition{ready.players.names, std::move(dividends.values), ready.target};
  });
}

}  // namespace ascribe
