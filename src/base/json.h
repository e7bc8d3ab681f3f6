// JSON as a value: results are written as it, settings and documents are read from it. Members keep their order.
//
// A type of ours gets a form in JSON by a function `Json to_json(const T&)` beside it; lists, maps and optional values
// of such types then have one too: Json::object({{"methods", result.methods}}).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace ascribe::core {

class Json;
struct JsonMember;

template <class T>
concept HasJson = requires(const T& value) {
  { to_json(value) } -> std::same_as<Json>;
};

class Json {
 public:
  using List = std::vector<Json>;
  using Members = std::vector<JsonMember>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(std::same_as<bool> auto value) : value_(value) {}
  Json(std::signed_integral auto value) : value_(static_cast<int64_t>(value)) {}
  Json(std::unsigned_integral auto value) requires(!std::same_as<decltype(value), bool>)
      : value_(static_cast<uint64_t>(value)) {}
  Json(double value) : value_(value) {}  // written as null if it is not finite
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(List list) : value_(std::move(list)) {}
  template <HasJson T>
  Json(const T& value) : Json(to_json(value)) {}
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  template <class T>
  Json(const std::vector<T>& values) : Json(std::span<const T>(values)) {}
  template <class T>
  Json(std::span<const T> values);
  template <class T>
  Json(const std::map<std::string, T>& values);

  static Json list() { return Json(List()); }
  static Json object(std::initializer_list<JsonMember> members = {});

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const;
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_object() const { return std::holds_alternative<Members>(value_); }
  std::string_view type_name() const;  // "null", "a number", "a list"

  // What it holds. Asking for another type is a bug; base/json_place.h is for files.
  bool boolean() const { return get<bool>(); }
  int64_t integer() const;
  double number() const;
  const std::string& text() const { return get<std::string>(); }
  const List& items() const { return get<List>(); }
  List& items() { return get<List>(); }
  const Members& members() const { return get<Members>(); }
  Members& members() { return get<Members>(); }

  size_t size() const;  // of a list or an object; otherwise 0
  void push(Json item) { items().push_back(std::move(item)); }
  const Json* find(std::string_view key) const;  // null: an object without it, or none
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  const Json& operator[](std::string_view key) const;
  Json& operator[](std::string_view key);  // is made if it is not there; null becomes an object
  void erase(std::string_view key);
  void update(const Json& object);  // its members, in place of those of the same name

  // Text that is not UTF-8 is mended. `indent` < 0: all in one line. `ascii`: everything else as \uXXXX.
  std::string dump(int indent = 2, bool ascii = false) const;

  friend bool operator==(const Json& a, const Json& b);  // numbers by value

 private:
  template <class T>
  const T& get() const {
    const T* held = std::get_if<T>(&value_);
    require(held != nullptr, "JSON", "a value of another type");
    return *held;
  }
  template <class T>
  T& get() {
    return const_cast<T&>(std::as_const(*this).get<T>());
  }

  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, List, Members> value_;
};

struct JsonMember {
  std::string key;
  Json value;
  friend bool operator==(const JsonMember&, const JsonMember&) = default;
};

template <class T>
Json::Json(std::span<const T> values) {
  List list;
  list.reserve(values.size());
  for (const auto& value : values) list.push_back(Json(static_cast<const T&>(value)));
  value_ = std::move(list);
}

template <class T>
Json::Json(const std::map<std::string, T>& values) {
  Members members;
  for (const auto& [key, value] : values) members.push_back({key, Json(value)});
  value_ = std::move(members);
}

// What a hostile file may not do to us.
struct JsonLimits {
  size_t depth = 64;                // of lists and objects in one another
  size_t values = size_t{1} << 27;  // in all
};

// The one reader. Complains, naming `where` and the character, of what is not JSON, of numbers that a double cannot
// hold, of a key that an object has twice and of what is beyond the limits.
Json parse_json(std::string_view text, std::string_view where, ErrorKind kind = ErrorKind::io,
                const JsonLimits& limits = {});

}  // namespace ascribe::core
