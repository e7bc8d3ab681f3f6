// A value of a JSON file together with its place in the file, so that every error can name it: "[report.json]
// rows[0].methods[1].values is a text; expected a list". Everything that is read from a file goes through it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace ascribe::core {

class JsonPlace {
 public:
  JsonPlace(const Json& json, std::string_view where, ErrorKind kind = ErrorKind::io)
      : JsonPlace(json, where, kind, "") {}

  const Json& json() const { return *json_; }
  std::string_view where() const { return where_; }  // the file
  const std::string& path() const { return path_; }
  [[noreturn]] void complain(std::string_view expected) const;  // "... is a text; expected a list"
  [[noreturn]] void refuse(std::string_view what) const;        // "... has no 'names'"

  bool has(std::string_view key) const;  // and not null
  JsonPlace at(std::string_view key) const;
  JsonPlace item(size_t i) const;
  std::vector<JsonPlace> items() const;
  size_t length() const;  // of a list
  const Json::Members& members() const;

  std::string text() const;
  std::string text(std::string_view key) const { return at(key).text(); }
  std::string text_or(std::string_view key, std::string_view otherwise) const;
  std::optional<std::string> optional_text(std::string_view key) const;
  std::vector<std::string> texts() const;
  std::string any_text() const;  // also of numbers and switches, as they stand in the file

  std::optional<double> number() const;                      // null: nothing
  std::optional<double> number(std::string_view key) const;  // nor if it is not there
  std::vector<std::optional<double>> numbers() const;
  double finite() const;
  int64_t whole(int64_t least, int64_t most) const;
  bool truth() const;

 private:
  JsonPlace(const Json& json, std::string_view where, ErrorKind kind, std::string path)
      : json_(&json), where_(where), kind_(kind), path_(std::move(path)) {}

  const Json* json_;
  std::string_view where_;  // the file
  ErrorKind kind_;
  std::string path_;
};

}  // namespace ascribe::core
