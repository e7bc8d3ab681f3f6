#include "api/state.h"

namespace ascribe {

Question::Question() : state_(std::make_unique<State>()) {}
Question::Question(const std::string& path) : Question() { file(path); }
Question::Question(const Array& rows) : Question() { array(rows); }
Question::Question(const Question& other) : state_(std::make_unique<State>(*other.state_)) {}
Question::Question(Question&&) noexcept = default;
Question& Question::operator=(const Question& other) {
  state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Question& Question::operator=(Question&&) noexcept = default;
Question::~Question() = default;

Question& Question::file(const std::string& path) {
  state_->request.rows.files.push_back(path);
  return *this;
}

Question& Question::bytes(const std::string& name, std::string content) {
  state_->request.rows.contents.push_back({name, std::move(content)});
  return *this;
}

Question& Question::array(const Array& rows, const std::string& input) {
  translated([&] { state_->request.rows.arrays.push_back({input, borrowed(rows)}); });
  return *this;
}

Question& Question::row_names(std::vector<std::string> names) {
  state_->request.rows.names = std::move(names);
  return *this;
}

Question& Question::row_numbers(std::vector<int64_t> numbers) {
  state_->request.rows.numbers = std::move(numbers);
  return *this;
}

Question& Question::feature_names(std::vector<std::string> names) {
  state_->request.rows.feature_names = std::move(names);
  return *this;
}

Question& Question::rows(std::vector<std::string> which) {
  state_->request.rows.rows = std::move(which);
  return *this;
}

Question& Question::columns(std::vector<std::string> which) {
  state_->request.rows.columns = std::move(which);
  return *this;
}

Question& Question::preprocess(const std::string& how) {
  state_->request.rows.preprocess = how;
  return *this;
}

Question& Question::target(int64_t index) { return target(std::to_string(index)); }

Question& Question::target(const std::string& text) {
  state_->request.target = text;
  state_->request.targets.clear();
  state_->request.target_weights = {};
  return *this;
}

Question& Question::targets(std::vector<std::string> texts) {
  target("top");
  state_->request.targets = std::move(texts);
  return *this;
}

Question& Question::target_weights(const Array& weights) {
  target("top");
  translated([&] { state_->request.target_weights = borrowed(weights); });
  return *this;
}

Question& Question::labels(const std::string& path) {
  state_->request.labels = path;
  return *this;
}

Question& Question::labels(std::vector<std::string> names) {
  state_->request.label_names = std::move(names);
  return *this;
}

Question& Question::probability(bool wanted) {
  state_->request.explain = wanted ? "probability" : "";
  return *this;
}

Question& Question::output(const std::string& name) {
  state_->request.output = name;
  return *this;
}

Question& Question::input(const std::string& name) {
  state_->request.input = name;
  return *this;
}

Question& Question::at(const std::string& node) {
  state_->request.at = node;
  return *this;
}

Question& Question::tokens(const std::string& path) {
  state_->request.tokens = path;
  return *this;
}

Question& Question::baseline(const std::string& how) {
  state_->request.baseline = how;
  return *this;
}

Question& Question::baselines(const Array& rows) {
  translated([&] { state_->request.baselines = borrowed(rows); });
  return *this;
}

Question& Question::baselines(const std::string& name, std::string content) {
  state_->request.baseline = "data:" + name;
  state_->request.baselines = {};
  state_->request.rows.in_memory = {{name, std::move(content)}};
  return *this;
}

Question& Question::players(const std::string& how) {
  state_->request.players = how;
  return *this;
}

Question& Question::owners(std::vector<int32_t> owners, std::vector<std::string> names) {
  state_->request.owners = std::move(owners);
  state_->request.player_names = std::move(names);
  return *this;
}

}  // namespace ascribe
