#include "onnx/text_columns.h"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

namespace ascribe::core {

namespace {

constexpr int64_t kMostColumns = 4096;
constexpr int kDeepestTrace = 64;
constexpr size_t kLongestTrace = size_t{1} << 16;
constexpr int64_t kMostCodes = int64_t{1} << 24;  // of all columns together

// Code k of the vocabulary for k, and none for the last, which -1 counts as.
Tensor identity_table(int64_t size) {
  std::vector<int64_t> codes(static_cast<size_t>(size) + 1, -1);
  for (int64_t i = 0; i < size; ++i) codes[static_cast<size_t>(i)] = i;
  return Tensor::of<int64_t>({size + 1}, codes);
}

}  // namespace

Value TextColumns::add(Builder& b, const std::string& input, Value codes, const TextCodes& vocabulary) {
  const Dims& shape = b.shape(codes);
  const bool flat = shape.size() == 1;
  if ((!flat && shape.size() != 2) || (!flat && !shape[1].is_fixed())) {
    fail(ErrorKind::unsupported, b.where(), "texts are read as columns of a table; got {}; expected [N] or [N, C]",
         to_string(shape));
  }
  const int64_t count = flat ? 1 : shape[1].fixed;
  if (count < 1 || count > kMostColumns) {
    fail(ErrorKind::unsupported, b.where(), "got {} columns of texts; expected 1 to {}", count, kMostColumns);
  }
  const auto texts = std::ssize(vocabulary.texts());
  codes_ += count * (texts + 1);
  if (codes_ > kMostCodes) {
    fail(ErrorKind::unsupported, b.where(), "{} texts in as many columns are more than can be told apart", texts);
  }
  std::vector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    // What is no code is a text that nobody knows.
    const Value limited =
        b.op("maximum", {b.op("minimum", {codes, b.integer(std::ssize(vocabulary.texts()))}), b.integer(-1)});
    const Value column = count == 1 ? limited : b.slice(limited, 1, i, 1);
    const Value table = b.constant(identity_table(std::ssize(vocabulary.texts())));
    const Value gathered = b.op("gather", {table, column}, {{"axis", ints({0})}});
    place_[gathered] = columns_.size();
    columns_.push_back({input, table, gathered, {}, {}});
    parts.push_back(gathered);
  }
  return count == 1 ? parts[0] : b.concat(parts, 1);
}

std::vector<size_t> TextColumns::traced(const Graph& graph, Value value, int depth) const {
  if (const auto found = place_.find(value); found != place_.end()) return {found->second};
  const Node& node = graph[value];
  if (depth == 0 || node.inputs.empty() || node.type.shape.empty()) return {};
  std::vector<size_t> columns;
  const auto size = [](const Dims& shape) { return shape.back().is_fixed() ? shape.back().fixed : int64_t{0}; };
  const Dims& shape = node.type.shape;
  if (node.op->name == "concat") {
    if (node.attributes.integer("axis") != std::ssize(shape) - 1) return {};
    for (const Value part : node.inputs) {
      const std::vector<size_t> more = traced(graph, part, depth - 1);
      if (more.empty() || columns.size() + more.size() > kLongestTrace) return {};
      columns.insert(columns.end(), more.begin(), more.end());
    }
    return columns;
  }
  columns = traced(graph, node.inputs[0], depth - 1);
  if (columns.size() == 1) return columns;  // whatever moves within it
  if (node.op->name == "reshape" && std::ssize(columns) == size(shape)) return columns;
  if (node.op->name != "gather" || node.attributes.integer("axis") != std::ssize(shape) - 1) return {};
  const Node& places = graph[node.inputs[1]];
  if (places.op->name != "constant") return {};
  std::vector<size_t> chosen;
  for (int64_t i = 0; i < places.constant.size(); ++i) {
    const auto place = static_cast<int64_t>(places.constant.at(i));
    if (place < -std::ssize(columns) || place >= std::ssize(columns)) return {};
    chosen.push_back(columns[static_cast<size_t>(place < 0 ? place + std::ssize(columns) : place)]);
  }
  return chosen;
}

std::vector<size_t> TextColumns::reached(const Graph& graph, Value value) const {
  std::vector<size_t> columns;
  std::set<Value> seen;
  std::vector<Value> open = {value};
  while (!open.empty()) {
    const Value at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    if (const auto found = place_.find(at); found != place_.end()) columns.push_back(found->second);
    else open.insert(open.end(), graph[at].inputs.begin(), graph[at].inputs.end());
  }
  return columns;
}

void TextColumns::reads(Builder& builder, Value operand, const std::vector<std::string>& table, bool unknown) {
  if (columns_.empty()) return;
  std::vector<size_t> columns = traced(builder.graph(), operand, kDeepestTrace);
  if (columns.empty()) columns = reached(builder.graph(), operand);
  for (const size_t i : std::set<size_t>(columns.begin(), columns.end())) {
    Column& column = columns_[i];
    column.known = true;
    column.unknown &= unknown;
    for (const std::string& text : table) {
      if (column.seen.insert(text).second) column.categories.push_back(text);
    }
  }
}

std::map<std::string, std::vector<TextColumn>> TextColumns::settle(Graph& graph, const TextCodes& vocabulary) {
  std::map<std::string, std::vector<TextColumn>> result;
  std::map<std::string, int64_t> codes;
  for (size_t i = 0; i < vocabulary.texts().size(); ++i) codes[vocabulary.texts()[i]] = static_cast<int64_t>(i);
  const std::vector<int> readers = graph.reader_counts();
  for (Column& column : columns_) {
    const bool read = readers[static_cast<size_t>(column.gathered.index)] > 0;
    if (!column.known && read) {
      fail(ErrorKind::unsupported, fmt::format("input '{}'", column.input),
           "it takes texts, and no encoder of the model says which");
    }
    // The column's own categories first; beyond them nothing is known.
    Tensor& table = graph[column.table].constant;
    std::vector<int64_t> own(static_cast<size_t>(table.size()), -1);
    std::vector<std::string>& distinct = column.categories;
    for (size_t k = 0; k < distinct.size() && k + 1 < own.size(); ++k) own[k] = codes.at(distinct[k]);
    table = Tensor::of<int64_t>(table.shape(), own);
    result[column.input].push_back({std::move(distinct), column.unknown});
  }
  return result;
}

}  // namespace ascribe::core
