#include "api/state.h"
#include "methods/foreign.h"
#include "study/registries.h"
#include "tensor/rows.h"

namespace ascribe {

// ---- methods of one's own ----

Array Asked::x() const { return seen(state_.question.point[state_.model.input()].reshaped(state_.model.row())); }
Array Asked::baselines() const { return seen(state_.question.baselines); }
int64_t Asked::target() const { return state_.question.target; }
int64_t Asked::player_count() const { return state_.question.players.count(); }
const std::vector<int32_t>& Asked::owners() const { return state_.question.players.owner; }

std::vector<double> Asked::values(const Array& array) const {
  return translated([&] {
    const core::ExplainedModel& model = state_.model;
    const core::Tensor rows = borrowed(array);
    const int64_t size = core::element_count(model.row()), count = size > 0 ? rows.size() / size : 0;
    if (count < 1 || count * size != rows.size()) {
      core::fail(core::ErrorKind::shape, "rows", "got {} numbers; expected rows of {}", rows.size(), size);
    }
    std::vector<core::Tensor> inputs = state_.question.point;
    inputs[model.input()] = rows.reshaped(core::with_rows(model.row(), count)).cast(model.real());
    return state_.model.values(inputs, std::span(&state_.question.target, 1));
  });
}

namespace {

core::OwnAttribution wrapped(AttributionFunction function) {
  return [function = std::move(function)](core::ExplainedModel& model, const core::Question& question) {
    return calling_back([&] { return function(Asked(Asked::State{model, question})); });
  };
}

std::vector<std::vector<double>> rows_of(const Array& values, int64_t rows) {
  if (rows < 1 || values.size() % rows != 0) {
    core::fail(core::ErrorKind::argument, "values", "got {} numbers for {} rows", values.size(), rows);
  }
  const int64_t size = values.size() / rows;
  std::vector<std::vector<double>> lists(static_cast<size_t>(rows));
  for (int64_t i = 0; i < values.size(); ++i) lists[static_cast<size_t>(i / size)].push_back(values[i]);
  return lists;
}

}  // namespace

Method::Method(const char* name) : Method(std::string(name)) {}
Method::Method(const std::string& name) : state_(std::make_shared<State>(State{name, nullptr})) {}
Method::Method(const std::string& name, AttributionFunction function)
    : state_(translated([&] {
        return std::make_shared<State>(State{name, core::own_method(name, function ? wrapped(function) : nullptr)});
      })) {}
Method::Method(const std::string& name, const Array& values, int64_t rows)
    : state_(translated([&] {
        return std::make_shared<State>(State{name, core::given_attribution(name, rows_of(values, rows))});
      })) {}
Method::Method(const Method&) = default;
Method::Method(Method&&) noexcept = default;
Method& Method::operator=(const Method&) = default;
Method& Method::operator=(Method&&) noexcept = default;
Method::~Method() = default;

const std::string& Method::name() const { return state_->name; }

std::vector<core::study::MethodWish> wishes(const std::vector<Method>& methods) {
  std::vector<core::study::MethodWish> list;
  for (const Method& method : methods) {
    const Method::State& state = method.state();
    if (state.own) list.emplace_back(state.own);
    else list.emplace_back(state.name);
  }
  return list;
}

// ---- what there is ----

inline namespace v1 {

std::vector<std::string> method_names() { return core::method_names(); }
std::vector<std::string> metric_names() { return core::metric_names(); }

std::vector<std::string> index_names() {
  std::vector<std::string> names;
  for (const auto& [name, index] : core::IndexRegistry::instance().entries()) names.push_back(name);
  return names;
}

std::string methods_json() {
  core::Json list = core::Json::list();
  for (const std::string& name : core::method_names()) list.push(to_json(core::method_named(name)));
  return list.dump();
}

std::string metrics_json() {
  core::Json list = core::Json::list();
  for (const std::string& name : core::metric_names()) list.push(to_json(core::metric_named(name)));
  return list.dump();
}

std::string indices_json() {
  core::Json list = core::Json::list();
  for (const auto& [name, index] : core::IndexRegistry::instance().entries()) list.push(to_json(index));
  return list.dump();
}

std::string version() { return ASCRIBE_VERSION; }

}  // namespace v1
}  // namespace ascribe
