#include "base/json.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace ascribe::core {

namespace {

using Foreign = nlohmann::ordered_json;

// Lists and objects are written here, single values by the library: a tree of its own would take the memory twice, and
// asks for more of it where it is destroyed, which nobody can refuse.
class JsonWriter {
 public:
  JsonWriter(int indent, bool ascii)
      : step_(indent),
        ascii_(ascii),
        values_(nlohmann::detail::output_adapter<char, std::string>(text_), ' ', Foreign::error_handler_t::replace) {}

  std::string text(const Json& json) && {
    write(json, 0);
    return std::move(text_);
  }

 private:
  void write(const Json& json, size_t depth) {
    if (json.is_list()) {
      group('[', ']', json.items(), depth, [&](const Json& item) { write(item, depth + 1); });
    } else if (json.is_object()) {
      group('{', '}', json.members(), depth, [&](const JsonMember& member) {
        write_value(Foreign(member.key));
        text_ += step_ < 0 ? ":" : ": ";
        write(member.value, depth + 1);
      });
    } else {
      write_value(single(json));
    }
  }

  void group(char open, char close, const auto& parts, size_t depth, const auto& write_part) {
    text_ += open;
    for (const auto& part : parts) {
      if (&part != &parts.front()) text_ += ',';
      new_line(depth + 1);
      write_part(part);
    }
    if (!parts.empty()) new_line(depth);
    text_ += close;
  }

  void new_line(size_t depth) {
    if (step_ >= 0) text_.append(1, '\n').append(depth * static_cast<size_t>(step_), ' ');
  }

  static Foreign single(const Json& json) {
    if (json.is_null()) return nullptr;
    if (json.is_bool()) return json.boolean();
    if (json.is_text()) return json.text();
    if (!json.is_integer()) return json.number();
    const int64_t value = json.integer();
    return json.number() < 0 ? Foreign(value) : Foreign(static_cast<uint64_t>(value));
  }

  void write_value(const Foreign& value) { values_.dump(value, false, ascii_, 0); }

  std::string text_;
  int step_;
  bool ascii_;
  nlohmann::detail::serializer<Foreign> values_;
};

// Builds values as the parser of the library, which does not recurse, comes upon them.
class Maker {
 public:
  Maker(std::string_view where, ErrorKind kind, const JsonLimits& limits)
      : where_(where), kind_(kind), limits_(limits) {}

  bool null() { return add({}); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& text) { return add(std::move(text)); }
  bool binary(Foreign::binary_t&) { return false; }
  bool start_array(size_t) { return open(Json::list()); }
  bool start_object(size_t) { return open(Json::object()); }
  bool key(std::string& name) {
    keys_.back() = std::move(name);
    return true;
  }
  bool end_array() { return close(); }
  bool end_object() {
    check_keys(open_.back());
    return close();
  }
  bool parse_error(size_t position, const std::string&, const Foreign::exception& error) {
    const bool number = dynamic_cast<const Foreign::out_of_range*>(&error) != nullptr;
    fail(kind_, where_, "{} at character {}", number ? "a number is too large" : "this is not JSON; reading stopped",
         position);
  }

  Json take() { return std::move(root_); }

 private:
  bool add(Json value) {
    if (++count_ > limits_.values) fail(kind_, where_, "the document has more than {} values", limits_.values);
    if (open_.empty()) root_ = std::move(value);
    else place(open_.back(), std::move(value));
    return true;
  }
  void place(Json& in, Json value) {
    if (in.is_list()) in.push(std::move(value));
    else in.members().push_back({std::move(keys_.back()), std::move(value)});
  }
  bool open(Json empty) {
    if (open_.size() == limits_.depth)
      fail(kind_, where_, "lists and objects are nested more than {} deep", limits_.depth);
    open_.push_back(std::move(empty));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
  }
  void check_keys(const Json& object) const {
    std::vector<std::string_view> keys;
    for (const JsonMember& member : object.members()) keys.push_back(member.key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) fail(kind_, where_, "an object has the key '{}' twice", *twice);
  }

  std::string_view where_;
  ErrorKind kind_;
  JsonLimits limits_;
  Json root_;
  std::vector<Json> open_;
  std::vector<std::string> keys_;  // of what comes next, for each that is open
  size_t count_ = 0;
};

}  // namespace

Json::Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;
Json::Json(Boolean value) : value_(value.value) {}
Json::Json(Whole value) : value_(value.value) {}
Json::Json(Count value) : value_(value.value) {}
Json::Json(double value) : value_(value) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(List list) : value_(std::move(list)) {}
Json::Json(Members members) : value_(std::move(members)) {}
Json Json::list() { return List(); }
Json Json::object(std::initializer_list<JsonMember> members) { return Members(members); }

template <class T>
const T& Json::get() const {
  const T* held = std::get_if<T>(&value_);
  require(held != nullptr, "JSON", "a value of another type");
  return *held;
}

bool Json::is_null() const { return std::holds_alternative<std::monostate>(value_); }
bool Json::is_bool() const { return std::holds_alternative<bool>(value_); }
bool Json::is_integer() const {
  return std::holds_alternative<int64_t>(value_) || std::holds_alternative<uint64_t>(value_);
}
bool Json::is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
bool Json::is_text() const { return std::holds_alternative<std::string>(value_); }
bool Json::is_list() const { return std::holds_alternative<List>(value_); }
bool Json::is_object() const { return std::holds_alternative<Members>(value_); }

bool Json::boolean() const { return get<bool>(); }
const std::string& Json::text() const { return get<std::string>(); }
const Json::List& Json::items() const { return get<List>(); }
Json::List& Json::items() { return const_cast<List&>(get<List>()); }
const Json::Members& Json::members() const { return get<Members>(); }
Json::Members& Json::members() { return const_cast<Members&>(get<Members>()); }

std::string_view Json::type_name() const {
  constexpr std::string_view kNames[] = {"null",     "true or false", "a number", "a number",
                                         "a number", "a text",        "a list",   "an object"};
  return kNames[value_.index()];
}

int64_t Json::integer() const {
  if (const auto* value = std::get_if<uint64_t>(&value_)) return static_cast<int64_t>(*value);
  return get<int64_t>();
}

double Json::number() const {
  if (const auto* value = std::get_if<int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<uint64_t>(&value_)) return static_cast<double>(*value);
  return get<double>();
}

size_t Json::size() const { return is_list() ? items().size() : is_object() ? members().size() : 0; }

void Json::push(Json item) { items().push_back(std::move(item)); }

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const Members& all = members();
  const auto found = std::find_if(all.begin(), all.end(), [&](const JsonMember& member) { return member.key == key; });
  return found == all.end() ? nullptr : &found->value;
}

const Json& Json::operator[](std::string_view key) const {
  const Json* found = find(key);
  require(found != nullptr, key, "a member that is not there");
  return *found;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Members();
  if (const Json* found = find(key)) return const_cast<Json&>(*found);
  return members().emplace_back(JsonMember{std::string(key), {}}).value;
}

void Json::erase(std::string_view key) {
  std::erase_if(members(), [&](const JsonMember& member) { return member.key == key; });
}

void Json::update(const Json& object) {
  for (const JsonMember& member : object.members()) (*this)[member.key] = member.value;
}

std::string Json::dump(int indent, bool ascii) const { return JsonWriter(indent, ascii).text(*this); }

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    return a.is_integer() && b.is_integer() ? a.integer() == b.integer() : a.number() == b.number();
  }
  return a.value_ == b.value_;
}

Json parse_json(std::string_view text, std::string_view where, ErrorKind kind, const JsonLimits& limits) {
  Maker maker(where, kind, limits);
  Foreign::sax_parse(text.begin(), text.end(), &maker);
  return maker.take();
}

}  // namespace ascribe::core
