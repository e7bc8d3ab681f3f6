#include <algorithm>

#include "api/recorded.h"
#include "methods/compile.h"
#include "study/inspect.h"

namespace ascribe {

namespace study = core::study;

LoadOptions::LoadOptions() : state_(std::make_unique<State>()) {}
LoadOptions::LoadOptions(const LoadOptions& other) : state_(std::make_unique<State>(*other.state_)) {}
LoadOptions::LoadOptions(LoadOptions&&) noexcept = default;
LoadOptions& LoadOptions::operator=(const LoadOptions& other) {
  state_ = std::make_unique<State>(*other.state_);
  return *this;
}
LoadOptions& LoadOptions::operator=(LoadOptions&&) noexcept = default;
LoadOptions::~LoadOptions() = default;

LoadOptions& LoadOptions::precision(Precision precision) {
  auto& chosen = state_->source.precision;
  chosen.reset();
  if (precision != Precision::as_file) {
    chosen = precision == Precision::float64 ? core::DType::f64 : core::DType::f32;
  }
  return *this;
}

LoadOptions& LoadOptions::memory(std::size_t bytes) {
  state_->source.memory = bytes;
  return *this;
}

LoadOptions& LoadOptions::shape(std::vector<int64_t> shape, const std::string& input) {
  state_->source.shapes[input] = core::Shape(shape.begin(), shape.end());
  return *this;
}

LoadOptions& LoadOptions::progress(Progress told) {
  state_->progress = told ? stoppable(std::move(told)) : core::Progress();
  return *this;
}

namespace {

// The real input, or of a model that takes token ids the first one.
size_t taken_input(const core::Graph& graph) {
  const bool only_whole =
      !graph.inputs.empty() && std::none_of(graph.inputs.begin(), graph.inputs.end(), [&](const core::Port& port) {
        return graph[port.value].type.kind == core::Kind::real;
      });
  return only_whole ? 0 : core::explained_input(graph, "");
}

}  // namespace

Model::State::State(study::Subject studied) : subject(std::move(studied)) {
  const core::Graph& graph = subject.model().graph();
  const core::Port& input = graph.inputs[taken_input(graph)];
  const core::Shape row = core::rows_in(graph[input.value].type.shape).row;
  row_shape.assign(row.begin(), row.end());
  targets = core::target_count(graph, core::explained_output(graph, ""));
}

Model Model::load(const std::string& path, const LoadOptions& options) {
  return translated([&] {
    study::ModelSource source = options.state().source;
    source.path = path;
    const core::Watch watch(options.state().progress);
    return Model(std::make_shared<State>(study::Subject::open(source)));
  });
}

Model Model::load_bytes(std::string bytes, const std::string& name, const LoadOptions& options) {
  return translated([&] {
    study::ModelSource source = options.state().source;
    source.path = name;
    source.bytes = std::move(bytes);
    const core::Watch watch(options.state().progress);
    return Model(std::make_shared<State>(study::Subject::open(source)));
  });
}

Model Model::function(RowFunction function, std::vector<int64_t> row_shape, int64_t outputs, const std::string& name,
                      const LoadOptions& options) {
  return translated([&] {
    if (!function) core::fail(core::ErrorKind::argument, name, "there is no function to call");
    if (outputs < 1) core::fail(core::ErrorKind::argument, name, "got {} outputs; expected one or more", outputs);
    core::FunctionModel made;
    made.row = core::Shape(row_shape.begin(), row_shape.end());
    made.outputs = {outputs};
    made.function.name = name;
    made.function.call = [function = std::move(function), outputs](const core::Tensor& rows) {
      const std::vector<double> answers = calling_back([&] { return function(seen(rows)); });
      if (std::ssize(answers) != rows.shape()[0] * outputs) {
        core::fail(core::ErrorKind::shape, "function", "it gave {} numbers for {} rows; expected {} for each",
                   answers.size(), rows.shape()[0], outputs);
      }
      return core::Tensor::of<double>({rows.shape()[0], outputs}, answers);
    };
    core::LoadOptions load;
    // Nothing says that a function computes in float.
    load.precision = options.state().source.precision.value_or(core::DType::f64);
    load.memory = options.state().source.memory;
    return Model(std::make_shared<State>(study::Subject::of(core::Model::function(std::move(made), load), name)));
  });
}

const std::vector<int64_t>& Model::row_shape() const { return state_->row_shape; }
int64_t Model::targets() const { return state_->targets; }
const std::vector<std::string>& Model::notes() const { return state_->subject.model().notes(); }

std::string Model::json(const Options& options) const {
  return verb(state_, options, [&] { return to_json(study::inspect(state_->subject)).dump(); });
}

std::string Model::layers_json(const Options& options) const {
  return verb(state_, options, [&] { return core::Json(study::layers_of(state_->subject.model().graph())).dump(); });
}

std::string Model::sha256(const Options& options) const {
  return verb(state_, options, [&] { return state_->subject.hash(); });
}

Prediction Model::predict(const Question& question, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("predict", {"record"});
    const study::QuestionRequest& asked = question.state().request;
    const study::PredictRequest request{asked.rows, asked.labels, asked.label_names, how.run};
    return Prediction(
        recorded<Prediction::State>(how, state_->subject, request, study::predict(state_->subject, request)));
  });
}

Explanation Model::explain(const Question& question, const std::vector<Method>& methods, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("explain", {"set", "allocations", "trace", "absence", "record"});
    const study::ExplainRequest request{.question = question.state().request,
                                        .methods = wishes(methods),
                                        .settings = how.settings,
                                        .allocations = how.allocations,
                                        .run = how.run,
                                        .trace = how.trace,
                                        .absence = how.absence};
    return Explanation(
        recorded<Attribution::State>(how, state_->subject, request, study::explain(state_->subject, request)));
  });
}

Decomposition Model::decompose(const Question& question, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("decompose", {"order", "index", "influence", "absence", "samples", "estimate", "evaluations", "estimator",
                            "aim", "taylor", "top", "at_any_cost", "and_or", "record"});
    const study::DecomposeRequest request{.question = question.state().request,
                                          .index = how.index,
                                          .influence = how.influence,
                                          .absence = how.absence,
                                          .samples = how.samples,
                                          .taylor = how.taylor,
                                          .order = how.order,
                                          .top = how.top,
                                          .at_any_cost = how.at_any_cost,
                                          .estimate = how.estimate,
                                          .wish = {how.estimator, how.evaluations, how.aim},
                                          .and_or = how.and_or,
                                          .run = how.run};
    return Decomposition(
        recorded<Decomposition::State>(how, state_->subject, request, study::decompose(state_->subject, request)));
  });
}

namespace {

Audit audited(const study::Subject& subject, study::AuditRequest request, const Options::State& how) {
  request.time = time_of(how);
  const auto state = recorded<Audit::State>(how, &subject, request, study::audit(subject, request));
  for (const auto& one : state->result.methods) state->values.push_back(one.allocation.attribution());
  return Audit(state);
}

}  // namespace

Audit Model::audit(const Question& question, const std::vector<Method>& methods, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("audit", {"set", "budget", "record"});
    study::AuditRequest request{question.state().request, wishes(methods), how.settings, {}, {}, how.run};
    if (how.given.contains("budget")) request.budget = how.budget;
    return audited(state_->subject, std::move(request), how);
  });
}

Audit Model::audit(const Question& question, const Array& attribution, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("audit of numbers", {"record"});
    std::vector<double> values;
    for (int64_t i = 0; i < attribution.size(); ++i) values.push_back(attribution[i]);
    return audited(state_->subject, {question.state().request, {}, {}, {}, std::move(values), how.run}, how);
  });
}

Comparison Model::compare(const Question& question, const Method& first, const Method& second, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("compare", {"set", "budget", "record"});
    const auto both = wishes({first, second});
    study::CompareRequest request{question.state().request, both[0], both[1], how.settings, how.run};
    if (how.given.contains("budget")) request.budget = how.budget;
    request.time = time_of(how);
    return Comparison(
        recorded<Comparison::State>(how, state_->subject, request, study::compare(state_->subject, request)));
  });
}

Compiled Model::compile(const std::string& method, const std::string& target, const Question& question,
                        const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("compile", {"set", "record"});
    const study::CompileRequest request{method, how.settings, target, question.state().request, how.run};
    return Compiled(recorded<Compiled::State>(how, state_->subject, request, study::compile(state_->subject, request)));
  });
}

}  // namespace ascribe
