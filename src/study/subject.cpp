#include "study/subject.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"

namespace ascribe::core::study {

struct Subject::State {
  State(Model loaded, std::string called) : model(std::move(loaded)), path(std::move(called)) {}

  Model model;
  std::string path;
  bool is_file = false;
  std::string hash;
  std::map<std::string, Shape> shapes;
  // By output, probability, input, precision and readout.
  std::map<std::tuple<std::string, bool, std::string, DType, std::string>, std::unique_ptr<ExplainedModel>> explained;
};

namespace {

// The shape without a name belongs to the only input.
std::map<std::string, Shape> named_shapes(const ModelSource& source) {
  std::map<std::string, Shape> shapes = source.shapes;
  if (shapes.empty()) return shapes;
  const ModelInfo info = source.bytes ? describe_model_bytes(*source.bytes, source.path) : describe_model(source.path);
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

Subject Subject::open(const ModelSource& source) {
  LoadOptions options;
  options.precision = source.precision;
  options.memory = source.memory;
  options.shapes = named_shapes(source);
  auto state = std::make_shared<State>(
      source.bytes ? Model::load_bytes(*source.bytes, source.path, options) : Model::load(source.path, options),
      source.path);
  if (source.bytes) state->hash = sha256(*source.bytes);
  state->is_file = !source.bytes;
  state->shapes = source.shapes;
  return Subject(std::move(state));
}

Subject Subject::of(Model model, std::string name) {
  return Subject(std::make_shared<State>(std::move(model), std::move(name)));
}

Model& Subject::model() const { return state_->model; }
const std::string& Subject::path() const { return state_->path; }
std::string Subject::name() const { return std::filesystem::path(state_->path).filename().string(); }

const std::map<std::string, Shape>& Subject::shapes() const { return state_->shapes; }

std::string Subject::hash() const {
  if (state_->is_file && state_->hash.empty()) state_->hash = sha256(read_file(state_->path));
  return state_->hash;
}

ExplainedModel& Subject::explained(const ExplainOptions& options) const {
  const DType real = options.real.value_or(state_->model.precision());
  std::unique_ptr<ExplainedModel>& known = state_->explained[{options.output, options.probability, options.input, real,
                                                              options.readout ? options.readout->key : std::string()}];
  if (!known) known = std::make_unique<ExplainedModel>(state_->model, options);
  return *known;
}

}  // namespace ascribe::core::study
