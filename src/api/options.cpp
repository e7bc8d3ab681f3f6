#include "api/state.h"

#include <fmt/ranges.h>

namespace ascribe {

Options::Options() : state_(std::make_unique<State>()) {}
Options::Options(const Options& other) : state_(std::make_unique<State>(*other.state_)) {}
Options::Options(Options&&) noexcept = default;
Options& Options::operator=(const Options& other) {
  state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Options& Options::operator=(Options&&) noexcept = default;
Options::~Options() = default;

void Options::State::check(const char* verb, const std::set<std::string>& known) const {
  for (const std::string& name : given) {
    if (known.contains(name)) continue;
    core::fail(core::ErrorKind::argument, name, "{} does not have this option; it has {}", verb,
               known.empty() ? std::string("none of its own") : fmt::format("{}", fmt::join(known, ", ")));
  }
}

Options& Options::seed(uint64_t seed) {
  state_->run.seed = seed;
  return *this;
}

Options& Options::threads(int count) {
  state_->run.threads = count;
  return *this;
}

core::Progress stoppable(Progress told) {
  return [told = std::move(told)](std::string_view task, int64_t done, int64_t total) {
    if (!told(task, done, total)) core::cancel();
  };
}

Options& Options::progress(Progress told) {
  state_->run.progress = stoppable(std::move(told));
  return *this;
}

Options& Options::note(std::function<void(const std::string&)> told) {
  state_->run.note = [told = std::move(told)](const std::string& text) { calling_back([&] { told(text); }); };
  return *this;
}

Options& Options::record(bool wanted) {
  state_->record = wanted;
  state_->given.insert("record");
  return *this;
}

Options& Options::set(const std::string& parameter, const std::string& value) {
  state_->settings.push_back(parameter + "=" + value);
  state_->given.insert("set");
  return *this;
}

Options& Options::set_metric(const std::string& parameter, const std::string& value) {
  state_->metric_settings.push_back(parameter + "=" + value);
  state_->given.insert("set_metric");
  return *this;
}

Options& Options::budget(const std::string& time) {
  state_->budget = time;
  state_->given.insert("budget");
  return *this;
}

Options& Options::allocations(bool wanted) {
  state_->allocations = wanted;
  state_->given.insert("allocations");
  return *this;
}

Options& Options::trace(bool wanted) {
  state_->trace = wanted;
  state_->given.insert("trace");
  return *this;
}

Options& Options::order(int players) {
  state_->order = players;
  state_->given.insert("order");
  return *this;
}

Options& Options::index(const std::string& name) {
  state_->index = name;
  state_->given.insert("index");
  return *this;
}

Options& Options::samples(int64_t evaluations) {
  state_->samples = evaluations;
  state_->given.insert("samples");
  return *this;
}

Options& Options::absence(const std::string& what) {
  state_->absence = what;
  state_->given.insert("absence");
  return *this;
}

Options& Options::influence(const std::string& what) {
  state_->influence = what;
  state_->given.insert("influence");
  return *this;
}

Options& Options::estimate(const std::string& how) {
  state_->estimate = how;
  state_->given.insert("estimate");
  return *this;
}

Options& Options::evaluations(int64_t count) {
  state_->evaluations = count;
  state_->given.insert("evaluations");
  return *this;
}

Options& Options::estimator(const std::string& name) {
  state_->estimator = name;
  state_->given.insert("estimator");
  return *this;
}

Options& Options::aim(double unexplained) {
  state_->aim = unexplained;
  state_->given.insert("aim");
  return *this;
}

Options& Options::taylor(int degree) {
  state_->taylor = degree;
  state_->given.insert("taylor");
  return *this;
}

Options& Options::top(int64_t count) {
  state_->top = count;
  state_->given.insert("top");
  return *this;
}

Options& Options::at_any_cost(bool wanted) {
  state_->at_any_cost = wanted;
  state_->given.insert("at_any_cost");
  return *this;
}

Options& Options::and_or(bool wanted) {
  state_->and_or = wanted;
  state_->given.insert("and_or");
  return *this;
}

Options& Options::orders(std::vector<int> orders) {
  state_->orders = std::move(orders);
  state_->given.insert("orders");
  return *this;
}

Options& Options::sigmas(std::vector<double> sigmas) {
  state_->sigmas = std::move(sigmas);
  state_->given.insert("sigmas");
  return *this;
}

Options& Options::draws(int64_t baselines) {
  state_->draws = baselines;
  state_->given.insert("draws");
  return *this;
}

Options& Options::inputs(int64_t rows) {
  state_->inputs = rows;
  state_->given.insert("inputs");
  return *this;
}

Options& Options::smooth(std::vector<double> temperatures) {
  state_->smooth = std::move(temperatures);
  state_->given.insert("smooth");
  return *this;
}

Options& Options::title(const std::string& text) {
  state_->title = text;
  state_->given.insert("title");
  return *this;
}

Options& Options::parts(const std::string& players) {
  state_->parts = players;
  state_->given.insert("parts");
  return *this;
}

Options& Options::most_rows(int64_t count) {
  state_->most_rows = count;
  state_->given.insert("most_rows");
  return *this;
}

Options& Options::dataset_rows(int64_t count) {
  state_->dataset_rows = count;
  state_->given.insert("dataset_rows");
  return *this;
}

Options& Options::row_pages(int64_t count) {
  state_->row_pages = count;
  state_->given.insert("row_pages");
  return *this;
}

Options& Options::metrics(std::vector<std::string> names) {
  state_->metrics = std::move(names);
  state_->given.insert("metrics");
  return *this;
}

Options& Options::skip(int64_t samples) {
  state_->skip = samples;
  state_->given.insert("skip");
  return *this;
}

Options& Options::batch(int64_t samples) {
  state_->batch = samples;
  state_->given.insert("batch");
  return *this;
}

Options& Options::shuffle(bool wanted) {
  state_->shuffle = wanted;
  state_->given.insert("shuffle");
  return *this;
}

Options& Options::only_correct(bool wanted) {
  state_->only_correct = wanted;
  state_->given.insert("only_correct");
  return *this;
}

Options& Options::most_box(double share) {
  state_->most_box = share;
  state_->given.insert("most_box");
  return *this;
}

Options& Options::format(const std::string& name) {
  state_->format = name;
  state_->given.insert("format");
  return *this;
}

Options& Options::part(const std::string& name) {
  state_->part = name;
  state_->given.insert("part");
  return *this;
}

Options& Options::label_from(const std::string& where) {
  state_->label_from = where;
  state_->given.insert("label_from");
  return *this;
}

Options& Options::boxes(const std::string& file) {
  state_->boxes = file;
  state_->given.insert("boxes");
  return *this;
}

Options& Options::annotations(const std::string& folder) {
  state_->annotations = folder;
  state_->given.insert("annotations");
  return *this;
}

Options& Options::classes(std::vector<int64_t> classes) {
  state_->facts.classes = std::move(classes);
  state_->given.insert("classes");
  return *this;
}

Options& Options::object_boxes(const Array& boxes) {
  translated([&] { state_->facts.boxes = borrowed(boxes); });
  state_->given.insert("object_boxes");
  return *this;
}

Options& Options::journal(const std::string& path) {
  state_->journal = path;
  state_->given.insert("journal");
  return *this;
}

Options& Options::shard(const std::string& which) {
  state_->shard = which;
  state_->given.insert("shard");
  return *this;
}

Options& Options::items(int64_t count) {
  state_->items = count;
  state_->given.insert("items");
  return *this;
}

Options& Options::force(bool wanted) {
  state_->force = wanted;
  state_->given.insert("force");
  return *this;
}

}  // namespace ascribe
