// JSON as a value: results are turned into it, settings and documents are read from it. Members keep their order.
//
// A function `Json to_json(const T&)` next to a type of ours gives the type a form in JSON; lists, maps and optional
// values of it then have one too: Json::object({{"methods", result.methods}}).
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
#include <vector>

#include "base/error.h"
#include "base/variant.h"

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

  Json();  // null
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();
  Json(std::nullptr_t) : Json() {}
  Json(std::same_as<bool> auto value) : Json(Boolean{value}) {}
  Json(std::signed_integral auto value) : Json(Whole{static_cast<int64_t>(value)}) {}
  Json(std::unsigned_integral auto value) requires(!std::same_as<decltype(value), bool>)
      : Json(Count{static_cast<uint64_t>(value)}) {}
  Json(double value);  // written as null if it is not finite
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  Json(List list);
  Json(Members members);
  template <HasJson T>
  Json(const T& value) : Json(to_json(value)) {}
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  template <class T>
  Json(const std::vector<T>& values) : Json(std::span<const T>(values)) {}
  template <class T>
  Json(std::span<const T> values);
  template <class T, class Less>
  Json(const std::map<std::string, T, Less>& values);

  static Json list();
  static Json object(std::initializer_list<JsonMember> members = {});

  bool is_null() const;
  bool is_bool() const;
  bool is_integer() const;
  bool is_number() const;
  bool is_text() const;
  bool is_list() const;
  bool is_object() const;
  std::string_view type_name() const;  // "null", "a number", "a list"

  // What it holds. Asking for another type is a bug; base/json_place.h is for files.
  bool boolean() const;
  int64_t integer() const;
  double number() const;
  const std::string& text() const;
  const List& items() const;
  List& items();
  const Members& members() const;
  Members& members();

  size_t size() const;  // of a list or an object; otherwise 0
  void push(Json item);
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
  // So that numbers of all types come to one of three constructors that are compiled once.
  struct Boolean {
    bool value;
  };
  struct Whole {
    int64_t value;
  };
  struct Count {
    uint64_t value;
  };
  explicit Json(Boolean value);
  explicit Json(Whole value);
  explicit Json(Count value);
  template <class T>
  const T& get() const;

  Variant<std::monostate, bool, int64_t, uint64_t, double, std::string, List, Members> value_;
};

struct JsonMember {
  std::string key;
  Json value;
  friend bool operator==(const JsonMember&, const JsonMember&) = default;
};

template <class T>
Json::Json(std::span<const T> values) : Json(List()) {
  items().reserve(values.size());
  for (const auto& value : values) push(Json(static_cast<const T&>(value)));
}

template <class T, class Less>
Json::Json(const std::map<std::string, T, Less>& values) : Json(Members()) {
  for (const auto& [key, value] : values) members().push_back({key, Json(value)});
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
