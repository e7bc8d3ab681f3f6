#include "study/subject.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include <fmt/ranges.h>

#include "base/sha256.h"
#include "study/entrance.h"
#include "study/records/content_hash.h"

namespace ascribe::core::study {

struct Subject::State {
  std::optional<Model> model;  // nothing: not loaded yet
  ModelSource source;          // of which it is loaded
  std::string path;
  bool is_file = false;
  std::string hash;
  std::map<std::string, Shape> shapes;
  std::vector<DeclaredValue> declared, open;
  std::shared_ptr<const Entrance> entrance;
  std::optional<Model> outer;  // if there is an entrance
  // By output, probability, input, precision and readout.
  std::map<std::tuple<std::string, bool, std::string, DType, std::string>, std::unique_ptr<ExplainedModel>> explained;
  std::map<std::string, std::shared_ptr<State>> derived;  // by shapes or entrances
};

namespace {

ModelInfo info_of(const ModelSource& source) {
  return source.bytes ? describe_model_bytes(*source.bytes, source.path) : describe_model(source.path);
}

// Rows are counted on the first axis, whatever the file says of it.
std::vector<DeclaredValue> open_inputs_of(const ModelInfo& info, const std::map<std::string, Shape>& shapes) {
  std::vector<DeclaredValue> declared, open;
  for (const DeclaredValue& input : info.inputs) {
    const bool sized =
        input.shape.size() < 2 || std::find(input.shape.begin() + 1, input.shape.end(), -1) == input.shape.end();
    if (!sized && !shapes.contains(input.name)) open.push_back(input);
  }
  return open;
}

// The shape without a name belongs to the only input.
std::map<std::string, Shape> named_shapes(const ModelSource& source, const ModelInfo& info) {
  std::map<std::string, Shape> shapes = source.shapes;
  if (shapes.empty()) return shapes;
  std::vector<std::string> names;
  for (const DeclaredValue& input : info.inputs) names.push_back(input.name);
  if (const auto unnamed = shapes.find(""); unnamed != shapes.end()) {
    if (names.size() != 1) {
      fail(ErrorKind::argument, "shape", "the model has {} inputs; expected NAME=1x3x224x224", names.size());
    }
    shapes[names[0]] = unnamed->second;
    shapes.erase("");
  }
  for (const auto& [name, shape] : shapes) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail(ErrorKind::argument, "shape", "the model has no input '{}'; got {}", name, fmt::join(names, ", "));
    }
  }
  return shapes;
}

}  // namespace

namespace {

Model load(const ModelSource& source, bool one_row = false) {
  LoadOptions options;
  options.one_row = one_row;
  options.precision = source.precision;
  options.memory = source.memory;
  options.shapes = source.shapes;
  return source.bytes ? Model::load_bytes(*source.bytes, source.path, options) : Model::load(source.path, options);
}

}  // namespace

Subject Subject::open(const ModelSource& source) {
  const ModelInfo info = info_of(source);
  auto state = std::make_shared<State>();
  state->source = source;
  state->source.shapes = named_shapes(source, info);
  state->path = source.path;
  if (source.bytes) state->hash = sha256(*source.bytes);
  state->is_file = !source.bytes;
  state->shapes = source.shapes;
  state->declared = info.inputs;
  state->open = open_inputs_of(info, state->source.shapes);
  if (state->open.empty()) state->model = load(state->source);
  return Subject(std::move(state));
}

Subject Subject::of(Model model, std::string name) {
  auto state = std::make_shared<State>();
  state->model = std::move(model);
  state->path = std::move(name);
  return Subject(std::move(state));
}

Subject Subject::with_shapes(const std::map<std::string, Shape>& shapes) const {
  std::string key = "shapes";
  for (const auto& [name, shape] : shapes) key += fmt::format(" '{}' {}", name, to_string(shape));
  std::shared_ptr<State>& known = state_->derived[key];
  if (!known) {
    auto state = std::make_shared<State>();
    state->source = state_->source;
    for (const auto& [name, shape] : shapes) state->source.shapes[name] = shape;
    state->path = state_->path;
    state->is_file = state_->is_file;
    state->hash = state_->hash;
    state->shapes = state->source.shapes;
    state->declared = state_->declared;
    state->model = load(state->source);
    known = std::move(state);
  }
  return Subject(known);
}

bool Subject::has_file() const { return !state_->source.path.empty() || state_->source.bytes.has_value(); }

Subject Subject::row_by_row() const {
  if (!has_file()) return *this;
  std::shared_ptr<State>& known = state_->derived["one row"];
  if (!known) {
    auto state = std::make_shared<State>();
    state->source = state_->source;
    state->path = state_->path;
    state->is_file = state_->is_file;
    state->hash = state_->hash;
    state->shapes = state_->shapes;
    state->declared = state_->declared;
    state->model = load(state->source, true);
    known = std::move(state);
  }
  return Subject(known);
}

Subject Subject::entered(const std::string& key, const std::function<Graph()>& make,
                         const std::function<std::shared_ptr<const Entrance>()>& entrance) const {
  std::shared_ptr<State>& known = state_->derived["entrance " + key];
  if (!known) {
    auto state = std::make_shared<State>();
    state->path = state_->path;
    state->is_file = state_->is_file;
    state->hash = state_->hash;
    state->shapes = state_->shapes;
    state->outer = outer();
    state->entrance = entrance();
    state->model = model().variant(make());
    known = std::move(state);
  }
  return Subject(known);
}

const Entrance* Subject::entrance() const { return state_->entrance.get(); }
Model& Subject::outer() const { return state_->outer ? *state_->outer : model(); }
std::vector<DeclaredValue> Subject::open_inputs() const { return state_->open; }
const std::vector<DeclaredValue>& Subject::declared_inputs() const { return state_->declared; }

Model& Subject::model() const {
  if (!state_->model) state_->model = load(state_->source);
  return *state_->model;
}

const std::string& Subject::path() const { return state_->path; }
std::string Subject::name() const { return std::filesystem::path(state_->path).filename().string(); }

const std::map<std::string, Shape>& Subject::shapes() const { return state_->shapes; }

std::string Subject::hash() const {
  if (state_->is_file && state_->hash.empty()) state_->hash = content_of_model(state_->path).sha256;
  return state_->hash;
}

ExplainedModel& Subject::explained(const ExplainOptions& options) const {
  const DType real = options.real.value_or(model().precision());
  std::unique_ptr<ExplainedModel>& known = state_->explained[{options.output, options.probability, options.input, real,
                                                              options.readout ? options.readout->key : std::string()}];
  if (!known) known = std::make_unique<ExplainedModel>(model(), options);
  return *known;
}

}  // namespace ascribe::core::study
