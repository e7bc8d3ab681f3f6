#include "study/cut_entrance.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "game/baseline.h"
#include "study/companions.h"
#include "tensor/rows.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kNodesNamed = 12;
constexpr std::string_view kTokenBaselines = "token:ID, pad, zero, value:V, gaussian:SIGMA, file:F or data:F";

bool is_integer(const Graph& graph, size_t input) {
  return graph[graph.inputs[input].value].type.kind == Kind::integer;
}

// The input that takes tokens: the one that the question names, or the one that others only go with. Nothing: there is
// a real input to explain, or there is none of either.
std::optional<size_t> token_input(const Graph& graph, const std::string& name) {
  std::optional<size_t> found;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& own = graph.inputs[i].name;
    if (!name.empty()) {
      if (own == name) return is_integer(graph, i) ? std::optional(i) : std::nullopt;
      continue;
    }
    if (is_companion(own)) continue;
    if (graph[graph.inputs[i].value].type.kind == Kind::real) return std::nullopt;
    if (!found && !embeddings_of(graph, i).empty()) found = i;
  }
  if (found || !name.empty()) return found;
  // A model whose ids are called after one of their companions.
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (graph[graph.inputs[i].value].type.kind == Kind::real) return std::nullopt;
    if (!embeddings_of(graph, i).empty()) return i;
  }
  return found;
}

Value node_asked_for(const Graph& graph, const std::string& name) {
  const std::vector<std::string> names = enterable_nodes(graph);
  if (std::find(names.begin(), names.end(), name) != names.end()) return *node_named(graph, name);
  if (node_named(graph, name)) {
    fail(ErrorKind::argument, "at", "the node '{}' does not give real numbers for every row", name);
  }
  std::vector<std::string> alike;
  for (const std::string& one : names) {
    if (one.find(name) != std::string::npos) alike.push_back(one);
  }
  const std::vector<std::string>& listed = alike.empty() ? names : alike;
  const std::span<const std::string> some = std::span(listed).first(std::min(listed.size(), kNodesNamed));
  const std::string words =
      fmt::format("a name like {}{}", fmt::join(some, ", "),
                  listed.size() > some.size() ? fmt::format(" ({} in all)", listed.size()) : std::string());
  fail(ErrorKind::argument, "at", "there is no node '{}'; {}", name, expected(words, name, names));
}

bool has_real_input(const Graph& graph) {
  return std::any_of(graph.inputs.begin(), graph.inputs.end(),
                     [&](const Port& port) { return graph[port.value].type.kind == Kind::real; });
}

// The input before a node that a question names: the real one, or of whole numbers the one that is named or comes
// first.
size_t input_before(const Graph& graph, const std::string& name) {
  if (has_real_input(graph)) return explained_input(graph, name);
  size_t input = 0;
  while (input < graph.inputs.size() && !name.empty() && graph.inputs[input].name != name) ++input;
  if (input < graph.inputs.size()) return input;
  fail(ErrorKind::argument, "input", "the model has no input '{}'", name);
}

std::string others_text(const std::vector<Embedding>& all) {
  std::vector<std::string> names;
  for (size_t i = 1; i < all.size(); ++i) names.push_back(fmt::format("'{}'", all[i].table));
  return names.empty() ? "" : fmt::format("; they also look up {}, at which nothing is cut", fmt::join(names, ", "));
}

void note_beside(const Graph& graph, const Cut& cut, size_t input, std::vector<std::string>& notes) {
  if (std::find(cut.kept.begin(), cut.kept.end(), input) == cut.kept.end()) return;
  notes.push_back(
      fmt::format("the model also reads '{}' beside that node; what it reads there stays as it is when players are "
                  "absent",
                  graph.inputs[input].name));
}

std::vector<int64_t> ids_of_row(const Tensor& ids, int64_t row, int64_t length) {
  const auto values = ids.data<int64_t>().subspan(static_cast<size_t>(row * length), static_cast<size_t>(length));
  return {values.begin(), values.end()};
}

}  // namespace

CutEntrance::CutEntrance(Model outer, Cut cut, size_t input, int64_t entries,
                         std::shared_ptr<const Vocabulary> vocabulary)
    : outer_(outer),
      before_(outer.variant(cut.before)),
      cut_(std::move(cut)),
      input_(input),
      entries_(entries),
      tokens_(false),
      vocabulary_(std::move(vocabulary)) {
  const Shape shape = row();
  tokens_ = entries_ > 0 && shape.size() >= 2 && shape[0] == positions();
}

Shape CutEntrance::row() const { return rows_in(cut_.behind[cut_.behind.inputs[0].value].type.shape).row; }

int64_t CutEntrance::positions() const {
  return element_count(rows_in(outer_.graph()[outer_.graph().inputs[input_].value].type.shape).row);
}

TokenRow CutEntrance::nameless_row() const {
  TokenRow row;
  row.ids.resize(static_cast<size_t>(positions()));
  row.tokens.resize(row.ids.size());
  return row;
}

void CutEntrance::check_ids(const Tensor& ids, std::string_view where) const {
  for (const int64_t id : ids.data<int64_t>()) {
    if (id < 0 || id >= entries_) {
      fail(ErrorKind::shape, where, "there is no token {}; expected ids from 0 to {}", id, entries_ - 1);
    }
  }
}

// What the node gives for rows of the model's inputs.
Tensor CutEntrance::at_node(std::vector<Tensor> rows, int64_t count) const {
  Model before = before_;
  return before.run(before.session(), rows, count)[0];
}

ModelInputs CutEntrance::enter(ModelInputs rows, std::vector<std::string>& notes) const {
  const auto count = std::ssize(rows.sources);
  const Tensor& ids = rows.tensors[input_];
  if (entries_ > 0) check_ids(ids, rows.sources.empty() ? "input" : rows.sources[0]);
  ModelInputs inside;
  inside.sources = std::move(rows.sources);
  inside.tensors = {at_node(rows.tensors, count)};
  for (const size_t kept : cut_.kept) inside.tensors.push_back(rows.tensors[kept]);
  inside.pictures.resize(inside.tensors.size());
  if (tokens_) {
    int64_t unknown = 0;
    for (int64_t r = 0; r < count; ++r) {
      inside.tokens.push_back(token_row(ids_of_row(ids, r, positions()), vocabulary_.get()));
      for (const int64_t id : inside.tokens.back().ids) unknown += vocabulary_ && vocabulary_->piece(id) == nullptr;
    }
    if (unknown > 0) {
      notes.push_back(fmt::format("{} of the tokens are not in the vocabulary of {}; it may belong to another model",
                                  unknown, vocabulary_->size()));
    }
    if (vocabulary_ && vocabulary_->size() > entries_) {
      notes.push_back(fmt::format("the vocabulary has {} tokens, the model's table {}; it may belong to another model",
                                  vocabulary_->size(), entries_));
    }
  }
  inside.entered = std::move(rows.tensors);
  return inside;
}

std::string CutEntrance::usual_baseline(std::vector<std::string>& notes) const {
  if (entries_ == 0) return "zero";
  if (vocabulary_) {
    const bool padded = vocabulary_->pad().has_value();
    if (const auto id = padded ? vocabulary_->pad() : vocabulary_->mask()) {
      notes.push_back(fmt::format("baseline: the token {} (id {}) at every position; `baseline` chooses another",
                                  *vocabulary_->piece(*id), *id));
      return padded ? "pad" : fmt::format("token:{}", *vocabulary_->piece(*id));
    }
  }
  notes.push_back(
      fmt::format("baseline: an embedding of zeros at every position, which is no token{}; `baseline` "
                  "token:ID replaces tokens instead",
                  vocabulary_ ? ", because the vocabulary has neither a padding nor a mask token" : ""));
  return "zero";
}

int64_t CutEntrance::token_id(const std::string& text, std::vector<std::string>& notes) const {
  int64_t id = 0;
  const std::string wanted = text == "pad" ? "" : text.substr(std::string_view("token:").size());
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), id);
  const bool number = error == std::errc() && end == wanted.data() + wanted.size();
  if (!number) {
    const auto known = vocabulary_ ? (text == "pad" ? vocabulary_->pad() : vocabulary_->find(wanted)) : std::nullopt;
    if (!known && text != "pad") {
      fail(ErrorKind::argument, "baseline", "there is no token '{}'; expected the number of one{}", wanted,
           vocabulary_ ? ", or its text as the vocabulary has it" : ", or its text with a vocabulary (`tokens`)");
    }
    if (!known) {
      notes.push_back(fmt::format("baseline: the padding token is taken to be 0, because {}",
                                  vocabulary_ ? "the vocabulary has none" : "there is no vocabulary (`tokens`)"));
    }
    id = known.value_or(0);
  }
  if (id < 0 || id >= entries_) {
    fail(ErrorKind::argument, "baseline", "there is no token {}; expected ids from 0 to {}", id, entries_ - 1);
  }
  return id;
}

// At the node, with these rows in the place of the input and everything else as it is in the row that is explained.
Tensor CutEntrance::with_input(const Tensor& rows, const BaselineWish& wish) const {
  const Graph& graph = outer_.graph();
  const int64_t count = rows.shape()[0];
  std::vector<Tensor> all;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Type& type = graph[graph.inputs[i].value].type;
    if (i == input_) all.push_back(rows.cast(storage(type.kind, outer_.precision())).reshaped(at(type.shape, count)));
    else if (!wish.row.empty()) all.push_back(wish.row[i]);
    else all.emplace_back(storage(type.kind, outer_.precision()), at(type.shape, 1));
  }
  return at_node(std::move(all), count).cast(DType::f64).reshaped(with_rows(row(), count));
}

Tensor CutEntrance::token_baselines(const BaselineWish& wish, std::vector<std::string>& notes) const {
  const int64_t length = positions();
  if (wish.given != nullptr) {
    const Shape& shape = wish.given->shape();
    const bool rows_of_ids =
        !shape.empty() && shape.size() <= 2 && shape.back() == length && element_count(row()) != length;
    if (wish.given->dtype() != DType::i64 && !rows_of_ids) return {};  // embeddings
    if (wish.given->size() < 1 || wish.given->size() % length != 0) {
      fail(ErrorKind::shape, "baselines", "got {} ids; expected rows of {}", wish.given->size(), length);
    }
    const Tensor ids = wish.given->cast(DType::i64);
    check_ids(ids, "baselines");
    return with_input(ids.reshaped({ids.size() / length, length}), wish);
  }
  if (wish.text == "pad" || wish.text.starts_with("token:")) {
    const std::vector<int64_t> ids(static_cast<size_t>(length), token_id(wish.text, notes));
    return with_input(Tensor::of<int64_t>({1, length}, ids), wish);
  }
  if (baseline_file(wish.text)) {
    const Tensor ids = read_baselines(wish.text, outer_, input_, wish.reading, wish.seed, nullptr, {}, notes);
    check_ids(ids.cast(DType::i64), *baseline_file(wish.text));
    return with_input(ids.reshaped({ids.size() / length, length}), wish);
  }
  if (wish.text == "zero" || wish.text.starts_with("value:") || wish.text.starts_with("gaussian:")) return {};
  fail(ErrorKind::argument, "baseline", "got '{}'; {} for tokens", wish.text,
       expected(kTokenBaselines, std::string_view(wish.text).substr(0, wish.text.find(':')),
                {"token", "pad", "zero", "value", "gaussian", "file", "data"}));
}

// Of the model's own input, followed to the node.
Tensor CutEntrance::real_baselines(const BaselineWish& wish, std::vector<std::string>& notes) const {
  const Shape own = rows_in(outer_.graph()[outer_.graph().inputs[input_].value].type.shape).row;
  if (wish.given != nullptr) return with_input(given_baselines(*wish.given, own), wish);
  const Tensor x = wish.row.empty() ? Tensor(DType::f64, own) : wish.row[input_].reshaped(own);
  return with_input(
      read_baselines(wish.text, outer_, input_, wish.reading, wish.seed, &x, image_shape(own, Preprocess{}), notes),
      wish);
}

Tensor CutEntrance::baselines(const BaselineWish& wish, std::vector<std::string>& notes) const {
  return entries_ > 0 ? token_baselines(wish, notes) : real_baselines(wish, notes);
}

bool enters_inside(const Graph& model, const QuestionRequest& request) {
  if (!request.at.empty() || !request.tokens.empty()) return true;
  const std::optional<size_t> tokens = token_input(model, request.input);
  return tokens && !embeddings_of(model, *tokens).empty();
}

Subject entered_at(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes) {
  const Model& model = subject.model();
  const Graph& graph = model.graph();
  const std::optional<size_t> tokens = token_input(graph, request.input);
  if (!tokens && !request.tokens.empty()) {
    fail(ErrorKind::argument, "tokens",
         "the model takes no token ids; expected an integer input that is looked up in a "
         "table");
  }
  if (!tokens && request.at.empty()) {
    if (has_real_input(graph)) return subject;
    fail(ErrorKind::unsupported, "inputs",
         "the model has no real input to explain, and its whole numbers are not looked up in a table as token ids are; "
         "`at` names a node whose output is explained");
  }
  const size_t input = tokens ? *tokens : input_before(graph, request.input);
  const std::vector<Embedding> embeddings = embeddings_of(graph, input);
  if (request.at.empty() && embeddings.empty()) {
    fail(ErrorKind::unsupported, "inputs",
         "no table is found in which the ids of '{}' are looked up; `at` names the node whose output is explained",
         graph.inputs[input].name);
  }
  const Value value = request.at.empty() ? embeddings[0].value : node_asked_for(graph, request.at);
  const Cut cut = cut_at(graph, value, input);
  if (request.at.empty()) {
    notes.push_back(fmt::format("tokens of '{}' enter at {}, a table of {} x {}{}", graph.inputs[input].name,
                                describe(graph[value]), embeddings[0].entries, embeddings[0].width,
                                others_text(embeddings)));
  } else {
    notes.push_back(fmt::format("what {} gives is explained, {} numbers", describe(graph[value]),
                                to_string(graph[value].type.shape)));
  }
  note_beside(graph, cut, input, notes);
  const int64_t entries = embeddings.empty() ? 0 : embeddings[0].entries;
  const auto make = [&]() -> std::shared_ptr<const Entrance> {
    const auto vocabulary =
        request.tokens.empty() ? nullptr : std::make_shared<const Vocabulary>(Vocabulary::read(request.tokens));
    return std::make_shared<CutEntrance>(model, cut, input, entries, vocabulary);
  };
  return subject.entered(
      fmt::format("at '{}' of '{}' with '{}'", request.at, graph.inputs[input].name, request.tokens),
      [&] { return cut.behind; }, make);
}

}  // namespace ascribe::core::study
