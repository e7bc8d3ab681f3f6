#include "study/parts/explained_rows.h"

#include <bit>
#include <cstring>

#include "base/json_place.h"

namespace ascribe::core::study {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers of parts are little-endian");

constexpr int64_t kMostNumber = int64_t{1} << 53, kMostPlayers = int64_t{1} << 31;

template <class T>
void put_numbers(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}
void put_number(std::string& bytes, double value) { put_numbers(bytes, std::span<const double>(&value, 1)); }

// Numbers that lie one behind the other, and no more than there are.
class Numbers {
 public:
  Numbers(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  template <class T>
  std::vector<T> take(int64_t count) {
    if (count < 0 || static_cast<uint64_t>(count) > bytes_.size() / sizeof(T)) damaged();
    std::vector<T> values(static_cast<size_t>(count));
    if (count > 0) std::memcpy(values.data(), bytes_.data(), values.size() * sizeof(T));
    bytes_.remove_prefix(values.size() * sizeof(T));
    return values;
  }
  double one() { return take<double>(1)[0]; }
  void end() const {
    if (!bytes_.empty()) damaged();
  }

 private:
  [[noreturn]] void damaged() const {
    fail(ErrorKind::io, where_, "the part is damaged: the numbers of a block are not as many as it says");
  }

  std::string_view bytes_;
  const std::string& where_;
};

Json layout_json(const PartLayout& layout) {
  return Json::object(
      {{"description", layout.description}, {"row", layout.row}, {"players", layout.players}, {"names", layout.names}});
}

Json answer_json(const PartAnswer& answer) {
  if (!answer.error.empty()) return Json::object({{"error", answer.error}});
  Json json = Json::object();
  if (!answer.standard_errors.empty()) json["standard_errors"] = true;
  if (!answer.notes.empty()) json["notes"] = answer.notes;
  return json;
}

Json row_json(const PartRow& row) {
  Json json = Json::object({{"number", row.number}, {"name", row.name}});
  if (!row.error.empty()) {
    json["error"] = row.error;
    return json;
  }
  json["layout"] = row.layout;
  json["target"] = row.target;
  json["about"] = row.about;
  json["answers"] = Json::list();
  for (const PartAnswer& answer : row.answers) json["answers"].push(answer_json(answer));
  return json;
}

PartLayout layout_from(const JsonPlace& place, Numbers& numbers) {
  PartLayout layout{place.text("description"), {}, place.at("players").whole(0, kMostPlayers), {}, {}};
  int64_t elements = 1;
  for (const JsonPlace& size : place.at("row").items()) {
    layout.row.push_back(size.whole(0, kMostPlayers));
    elements = elements > 0 && layout.row.back() > kMostPlayers / elements ? -1 : elements * layout.row.back();
    if (elements < 0) place.at("row").refuse("is larger than any row");
  }
  layout.names = place.at("names").texts();
  if (!layout.names.empty() && std::ssize(layout.names) != layout.players) {
    place.at("names").refuse("are not as many as the players");
  }
  layout.owner = numbers.take<int32_t>(elements);
  return layout;
}

PartAnswer answer_from(const JsonPlace& place, int64_t players, Numbers& numbers) {
  PartAnswer answer;
  if (place.has("error")) {
    answer.error = place.text("error");
    return answer;
  }
  answer.residual = numbers.one();
  answer.baseline_output = numbers.one();
  answer.degrees_of_freedom = numbers.one();
  answer.evaluations = static_cast<int64_t>(numbers.one());
  answer.exact = numbers.one() != 0;
  answer.values = numbers.take<double>(players);
  if (place.has("standard_errors")) answer.standard_errors = numbers.take<double>(players);
  if (place.has("notes")) answer.notes = place.at("notes").texts();
  return answer;
}

PartRow row_from(const JsonPlace& place, const std::vector<PartLayout>& layouts, size_t methods, Numbers& numbers) {
  PartRow row;
  row.number = place.at("number").whole(0, kMostNumber);
  row.name = place.text("name");
  if (place.has("error")) {
    row.error = place.text("error");
    return row;
  }
  row.layout = static_cast<size_t>(place.at("layout").whole(0, std::ssize(layouts) - 1));
  row.target = place.at("target").whole(-1, kMostNumber);
  row.about = place.text("about");
  row.output = numbers.one();
  row.baseline_output = numbers.one();
  const JsonPlace answers = place.at("answers");
  if (answers.length() != methods) answers.refuse(fmt::format("has {} items; expected {}", answers.length(), methods));
  for (const JsonPlace& answer : answers.items()) {
    row.answers.push_back(answer_from(answer, layouts[row.layout].players, numbers));
  }
  return row;
}

}  // namespace

std::string body_of(const ExplainedRows& block) {
  Json layouts = Json::list(), rows = Json::list();
  std::string numbers;
  for (const PartLayout& layout : block.layouts) {
    layouts.push(layout_json(layout));
    put_numbers(numbers, std::span<const int32_t>(layout.owner));
  }
  for (const PartRow& row : block.rows) {
    rows.push(row_json(row));
    if (!row.error.empty()) continue;
    put_number(numbers, row.output);
    put_number(numbers, row.baseline_output);
    for (const PartAnswer& answer : row.answers) {
      if (!answer.error.empty()) continue;
      for (const double value : {answer.residual, answer.baseline_output, answer.degrees_of_freedom,
                                 static_cast<double>(answer.evaluations), answer.exact ? 1.0 : 0.0}) {
        put_number(numbers, value);
      }
      put_numbers(numbers, std::span<const double>(answer.values));
      put_numbers(numbers, std::span<const double>(answer.standard_errors));
    }
  }
  const std::string text =
      Json::object({{"layouts", std::move(layouts)}, {"rows", std::move(rows)}, {"notes", block.notes}}).dump(-1);
  const auto length = static_cast<uint64_t>(text.size());
  std::string body;
  put_numbers(body, std::span<const uint64_t>(&length, 1));
  return body + text + numbers;
}

ExplainedRows explained_rows(const std::string& body, size_t methods, const std::string& where) {
  uint64_t length = 0;
  if (body.size() >= sizeof(length)) std::memcpy(&length, body.data(), sizeof(length));
  if (body.size() < sizeof(length) || length > body.size() - sizeof(length)) {
    fail(ErrorKind::io, where, "the part is damaged: a block is shorter than it says");
  }
  const std::string_view text = std::string_view(body).substr(sizeof(length), length);
  const Json json = parse_json(text, where);
  const JsonPlace place(json, where);
  Numbers numbers(std::string_view(body).substr(sizeof(length) + length), where);
  ExplainedRows block;
  for (const JsonPlace& one : place.at("layouts").items()) block.layouts.push_back(layout_from(one, numbers));
  for (const JsonPlace& one : place.at("rows").items()) {
    block.rows.push_back(row_from(one, block.layouts, methods, numbers));
  }
  block.notes = place.at("notes").texts();
  numbers.end();
  return block;
}

}  // namespace ascribe::core::study
