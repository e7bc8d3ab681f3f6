#include "model/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <list>

#include "base/mapped_file.h"
#include "base/random.h"
#include "passes/canonicalize.h"
#include "passes/needed_places.h"
#include "passes/rows_apart.h"
#include "tensor/rows.h"

namespace ascribe::core {

namespace {

int64_t macs_of(const Graph& graph, const Node& node) {
  if (node.op->name != "conv" && node.op->name != "conv_transpose" && node.op->name != "matmul") return 0;
  const auto shape = [&](Value value) { return at(graph[value].type.shape, 1); };
  const int64_t out = element_count(at(node.type.shape, 1));
  if (node.op->name == "matmul") {
    const Shape a = shape(node.inputs[0]);
    const bool transposed = node.attributes.flag("transpose_a") && a.size() > 1;
    return out * a[a.size() - (transposed ? 2 : 1)];
  }
  const Shape weight = shape(node.inputs[1]);
  const int64_t per_channel = element_count(weight) / std::max<int64_t>(weight[0], 1);
  return node.op->name == "conv" ? out * per_channel : element_count(shape(node.inputs[0])) * per_channel;
}

// These rows of every input that has rows; the others as they are.
std::vector<Tensor> rows_of(const Graph& graph, std::span<const Tensor> inputs, std::span<const int64_t> rows) {
  std::vector<Tensor> taken;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Dims& dims = graph[graph.inputs[i].value].type.shape;
    taken.push_back(all_fixed(dims) ? inputs[i] : take_rows(inputs[i], rows, dims[0].per_row));
  }
  return taken;
}

// Makes the second of two rows differ from the first in every real number.
void disturb_second_row(std::vector<Tensor>& pair) {
  const Random random(20240, 1);
  for (Tensor& tensor : pair) {
    if (kind_of(tensor.dtype()) != Kind::real || tensor.size() < 2) continue;
    tensor = tensor.cast(DType::f64);
    auto values = tensor.mutable_data<double>();
    for (size_t i = values.size() / 2; i < values.size(); ++i) {
      values[i] = values[i] * (0.5 + random.uniform(i)) + 0.1 * random.normal(i);
    }
  }
}

// The largest difference between row `row` of `batch` and the same row alone, relative to the largest value.
double row_difference(const Tensor& batch, const Tensor& alone, int64_t row) {
  double difference = 0, scale = 1e-30;
  for (int64_t i = 0; i < alone.size(); ++i) {
    const double a = batch.at(row * alone.size() + i), b = alone.at(i);
    if (std::isfinite(b)) scale = std::max(scale, std::abs(b));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    difference = std::max(difference, std::abs(a - b));
  }
  return difference / scale;
}

}  // namespace

Cost cost_of(const Graph& graph) {
  Cost cost;
  for (const Node& node : graph.nodes) {
    if (node.op->name == "constant" && node.type.kind == Kind::real) cost.parameters += product(node.type.shape).fixed;
    cost.macs_per_row += macs_of(graph, node);
  }
  return cost;
}

struct Model::State {
  // A workspace of its own if none is given.
  State(size_t memory, std::shared_ptr<Workspace> given) : workspace(std::move(given)) {
    if (workspace) return;
    workspace = std::make_shared<Workspace>(memory);
    owns_workspace = true;
    // A session that is being run stays with whoever runs it.
    workspace->make_room = [this] {
      if (sessions.size() < 2) return false;
      sessions.pop_back();
      return true;
    };
  }
  ~State() {
    if (owns_workspace) workspace->make_room = nullptr;  // sessions may live on elsewhere
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Graph graph;
  std::vector<std::shared_ptr<const MappedFile>> files;  // that hold weights of it
  ModelInfo info;
  Cost cost;
  DType precision = DType::f32;
  bool owns_workspace = false, chose_precision = false, batched = false, rows_checked = false;
  std::string why_not_batched;
  std::vector<std::string> notes;
  int64_t rows_per_batch = 0;
  std::shared_ptr<Workspace> workspace;
  struct Kept {
    std::string key;
    std::shared_ptr<Session> session;
  };
  std::list<Kept> sessions;  // used last comes first
};

namespace {

void check_files(const auto& state) {
  for (const auto& file : state.files) file->check();
}

// The files that hold weights of a graph.
std::vector<std::shared_ptr<const MappedFile>> files_of(const Graph& graph) {
  std::vector<std::shared_ptr<const MappedFile>> files;
  for (const Node& node : graph.nodes) {
    if (node.constant.empty()) continue;
    auto file = MappedFile::holding(node.constant.memory());
    if (file && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
  }
  return files;
}

ImportOptions import_options(const LoadOptions& options) {
  ImportOptions import;
  import.shapes = options.shapes;
  import.bound = options.bound;
  import.batched = !options.one_row;
  return import;
}

// What the model is when no file says it.
ModelInfo info_of(const Graph& graph) {
  ModelInfo info;
  const auto declared = [&](const Port& port) {
    DeclaredValue value{port.name, port.element_type, {}};
    for (const Dim& dim : graph[port.value].type.shape) value.shape.push_back(dim.is_fixed() ? dim.fixed : -1);
    return value;
  };
  for (const Port& port : graph.inputs) info.inputs.push_back(declared(port));
  for (const Port& port : graph.outputs) info.outputs.push_back(declared(port));
  return info;
}

}  // namespace

Model Model::load(const std::filesystem::path& path, const LoadOptions& options) {
  return from(import_model(path, import_options(options)), options);
}

Model Model::load_bytes(std::string bytes, const std::string& name, const LoadOptions& options) {
  return from(import_model_bytes(std::move(bytes), name, {}, import_options(options)), options);
}

Model Model::from(ImportedModel imported, const LoadOptions& options) {
  const Cost cost = cost_of(imported.graph);  // as the file has it
  imported.graph = canonicalize(imported.graph);
  return made(std::move(imported), cost, options);
}

Model Model::made(ImportedModel imported, const Cost& cost, const LoadOptions& options,
                  std::shared_ptr<Workspace> workspace) {
  const auto state = std::make_shared<State>(options.memory, std::move(workspace));
  state->info = std::move(imported.info);
  state->batched = imported.batched;
  state->why_not_batched = std::move(imported.why_not_batched);
  state->notes = std::move(imported.notes);
  state->precision = options.precision.value_or(imported.double_precision ? DType::f64 : DType::f32);
  state->chose_precision = options.precision.has_value();
  state->rows_per_batch = options.rows_per_batch;
  state->cost = cost;
  state->graph = std::move(imported.graph);
  state->files = files_of(state->graph);
  Model model(state);
  if (options.keep_graph) {
    if (state->owns_workspace) state->workspace->own(state->graph);
  } else {
    model.session();
    for (Node& node : state->graph.nodes) node.constant = {};
  }
  return model;
}

Model Model::of(Graph graph, const LoadOptions& options) {
  ImportedModel imported;
  imported.info = info_of(graph);
  imported.batched = std::any_of(graph.inputs.begin(), graph.inputs.end(),
                                 [&](const Port& port) { return !all_fixed(graph[port.value].type.shape); });
  imported.graph = std::move(graph);
  const Cost cost = cost_of(imported.graph);
  return made(std::move(imported), cost, options);
}

Model Model::variant(Graph graph) const {
  ImportedModel imported;
  imported.graph = std::move(graph);
  imported.info = state_->info;
  imported.batched = state_->batched;
  imported.why_not_batched = state_->why_not_batched;
  imported.notes = state_->notes;
  LoadOptions options;
  options.precision = state_->precision;
  options.rows_per_batch = state_->rows_per_batch;
  Model made_of = made(std::move(imported), state_->cost, options, state_->workspace);
  made_of.state_->chose_precision = state_->chose_precision;
  return made_of;
}

Model Model::function(FunctionModel made, const LoadOptions& options) {
  if (!made.function.call) fail(ErrorKind::argument, made.function.name, "there is no function to call");
  if (made.outputs.empty()) made.outputs = {1};
  Graph graph;
  Builder b(graph);
  b.set_name(made.function.name);
  Dims rows = to_dims(made.row);
  rows.insert(rows.begin(), kBatch);
  const Value x = b.input(made.input, {Kind::real, rows});
  const auto function = std::make_shared<const OpaqueFunction>(std::move(made.function));
  b.output(made.output, b.op("opaque", {x}, {{"row", to_dims(made.outputs)}, {"function", function}}));
  return of(std::move(graph), options);
}

const Graph& Model::graph() const { return state_->graph; }
const ModelInfo& Model::info() const { return state_->info; }
const Cost& Model::cost() const { return state_->cost; }
DType Model::precision() const { return state_->precision; }
bool Model::chose_precision() const { return state_->chose_precision; }
bool Model::batched() const { return state_->batched; }
const std::string& Model::why_not_batched() const { return state_->why_not_batched; }
const std::vector<std::string>& Model::notes() const { return state_->notes; }
size_t Model::memory() const { return state_->workspace->memory(); }
Workspace& Model::workspace() const { return *state_->workspace; }

SessionOptions Model::session_options(DType real) const {
  return {real, memory(), state_->rows_per_batch, state_->workspace};
}

Session& Model::session() {
  return *session("model", state_->precision, [&] { return only_needed_places(state_->graph); });
}

std::shared_ptr<Session> Model::session(const std::string& key, DType real, const std::function<Graph()>& make) {
  const std::string full = fmt::format("{} {}", to_string(real), key);
  std::list<State::Kept>& sessions = state_->sessions;
  const auto found =
      std::find_if(sessions.begin(), sessions.end(), [&](const State::Kept& kept) { return kept.key == full; });
  if (found != sessions.end()) {
    check_files(*state_);
    sessions.splice(sessions.begin(), sessions, found);
    return found->session;
  }
  auto made = std::make_shared<Session>(make(), session_options(real));
  check_files(*state_);  // what was folded into its graph was read from them
  sessions.push_front({full, made});
  Workspace& workspace = *state_->workspace;
  while (workspace.held() > workspace.memory() / 2 && workspace.make_room && workspace.make_room()) {
  }
  return made;
}

std::vector<Tensor> Model::run(std::span<const Tensor> inputs, const Progress& progress) {
  if (inputs.size() == graph().inputs.size() && batched() && !state_->rows_checked) check_rows(inputs);
  if (!batched() && inputs.size() == graph().inputs.size()) {
    int64_t count = 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Shape one = at(graph()[graph().inputs[i].value].type.shape, 1);
      const bool several = !one.empty() && one[0] == 1 && inputs[i].rank() == std::ssize(one);
      if (several && inputs[i].shape()[0] > 1) count = inputs[i].shape()[0];
    }
    if (count > 1) {
      std::vector<Tensor> outputs = run(session(), inputs, count, progress);
      for (size_t k = 0; k < outputs.size(); ++k) {
        Shape one = at(graph()[graph().outputs[k].value].type.shape, 1);
        if (!one.empty() && one[0] == 1) continue;
        one.insert(one.begin(), count);  // what a row gives has no axis of rows
        outputs[k] = outputs[k].reshaped(one);
      }
      return outputs;
    }
  }
  std::vector<Tensor> outputs = session().run(inputs, progress);
  check_files(*state_);  // or it may have changed while it ran
  return outputs;
}

std::vector<Tensor> Model::run(Session& session, std::span<const Tensor> rows, int64_t count,
                               const Progress& progress) {
  const Graph& made = session.graph();
  require(rows.size() == made.inputs.size(), "rows", "expected a tensor for each input");
  const auto shape_of = [&](size_t i) -> const Dims& { return made[made.inputs[i].value].type.shape; };
  if (batched()) {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool repeat = count > 1 && !all_fixed(shape_of(i)) && rows[i].shape()[0] == at(shape_of(i), 1)[0];
      inputs.push_back(repeat ? repeated_row(rows[i], count) : rows[i]);
    }
    std::vector<Tensor> answer = session.run(inputs, progress);
    check_files(*state_);
    return answer;
  }
  std::vector<std::vector<Tensor>> outputs(made.outputs.size());
  for (int64_t r = 0; r < count; ++r) {
    std::vector<Tensor> one;
    for (size_t i = 0; i < rows.size(); ++i) {
      const Shape shape = at(shape_of(i), 1);
      const bool several = rows[i].size() == element_count(shape) * count;
      one.push_back(row_at(rows[i], several ? r : 0, shape));
    }
    const std::vector<Tensor> answer = session.run(one);
    for (size_t k = 0; k < answer.size(); ++k) {
      outputs[k].push_back(answer[k].rank() == 0 ? answer[k].reshaped({1}) : answer[k]);
    }
    report(progress, "rows", r + 1, count);
  }
  std::vector<Tensor> joined;
  for (const auto& parts : outputs) joined.push_back(stacked_rows(parts));
  return joined;
}

void Model::check_rows(std::span<const Tensor> inputs) {
  int64_t rows = 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Dims& dims = graph()[graph().inputs[i].value].type.shape;
    if (!all_fixed(dims) && inputs[i].rank() > 0) rows = inputs[i].shape()[0] / dims[0].per_row;
  }
  if (rows < 2) return;
  // Shapes first: what does not fit is complained of as such.
  Session& runs = session();
  runs.check(inputs);
  if (const auto mixed = mixed_rows(inputs)) {
    fail(ErrorKind::unsupported, graph().outputs[0].name, "{}; give one row at a time", *mixed);
  }
}

std::optional<std::string> Model::mixed_rows(std::span<const Tensor> inputs) {
  if (!batched() || state_->rows_checked) return std::nullopt;
  if (rows_stay_apart(graph())) {
    state_->rows_checked = true;
    return std::nullopt;
  }
  Session& runs = session();
  std::vector<Tensor> pair;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Dims& dims = graph()[graph().inputs[i].value].type.shape;
    const bool one = !all_fixed(dims) && inputs[i].shape()[0] == dims[0].per_row;
    pair.push_back(one ? repeated_row(inputs[i], 2) : inputs[i]);
  }
  pair = rows_of(graph(), pair, std::array<int64_t, 2>{0, 1});
  // Codes of categories cannot be disturbed.
  const auto is_code = [](const Node& node) { return node.op->name == "codes"; };
  if (std::none_of(graph().nodes.begin(), graph().nodes.end(), is_code)) disturb_second_row(pair);
  const auto together = runs.run(pair);
  const double tolerance = precision() == DType::f64 ? 1e-9 : 1e-4;
  for (int64_t row = 0; row < 2; ++row) {
    const auto alone = runs.run(rows_of(graph(), pair, std::array<int64_t, 1>{row}));
    for (size_t i = 0; i < alone.size(); ++i) {
      const double difference = row_difference(together[i], alone[i], row);
      if (difference <= tolerance) continue;
      return fmt::format(
          "rows of a batch influence each other; row {} alone and in a batch of two differ by {:.2g} (relative) in "
          "'{}'",
          row, difference, graph().outputs[i].name);
    }
  }
  state_->rows_checked = true;
  return std::nullopt;
}

void Model::check_rows() {
  if (!batched() || state_->rows_checked) return;
  constexpr int64_t kRows = 2;
  std::vector<Tensor> inputs;
  for (const Port& port : graph().inputs) {
    const Type& type = graph()[port.value].type;
    Tensor rows(storage(type.kind, DType::f64), at(type.shape, kRows));
    if (type.kind == Kind::real) {
      const Random random(20240, inputs.size());
      auto values = rows.mutable_data<double>();
      for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
    }
    inputs.push_back(rows.cast(storage(type.kind, precision())));
  }
  run(inputs);
}

}  // namespace ascribe::core
