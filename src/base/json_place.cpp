#include "base/json_place.h"

#include <cmath>

namespace ascribe::core {

void JsonPlace::complain(std::string_view expected) const {
  refuse(fmt::format("is {}; expected {}", json_->type_name(), expected));
}

void JsonPlace::refuse(std::string_view what) const {
  fail(kind_, where_, "{} {}", path_.empty() ? "the document" : path_, what);
}

bool JsonPlace::has(std::string_view key) const {
  members();
  const Json* found = json_->find(key);
  return found != nullptr && !found->is_null();
}

JsonPlace JsonPlace::at(std::string_view key) const {
  members();
  const Json* found = json_->find(key);
  if (found == nullptr) refuse(fmt::format("has no '{}'", key));
  return {*found, where_, kind_, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

JsonPlace JsonPlace::item(size_t i) const {
  return {json_->items()[i], where_, kind_, fmt::format("{}[{}]", path_, i)};
}

std::vector<JsonPlace> JsonPlace::items() const {
  std::vector<JsonPlace> list;
  for (size_t i = 0; i < length(); ++i) list.push_back(item(i));
  return list;
}

size_t JsonPlace::length() const {
  if (!json_->is_list()) complain("a list");
  return json_->size();
}

const Json::Members& JsonPlace::members() const {
  if (!json_->is_object()) complain("an object");
  return json_->members();
}

std::string JsonPlace::text() const {
  if (!json_->is_text()) complain("a text");
  return json_->text();
}

std::string JsonPlace::text_or(std::string_view key, std::string_view otherwise) const {
  return has(key) ? text(key) : std::string(otherwise);
}

std::optional<std::string> JsonPlace::optional_text(std::string_view key) const {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

std::vector<std::string> JsonPlace::texts() const {
  std::vector<std::string> values;
  for (const JsonPlace& one : items()) values.push_back(one.text());
  return values;
}

std::string JsonPlace::any_text() const { return json_->is_text() ? text() : json_->dump(-1); }

std::optional<double> JsonPlace::number() const {
  if (json_->is_null()) return std::nullopt;
  if (!json_->is_number()) complain("a number or null");
  const double value = json_->number();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> JsonPlace::number(std::string_view key) const {
  return has(key) ? at(key).number() : std::nullopt;
}

std::vector<std::optional<double>> JsonPlace::numbers() const {
  const size_t count = length();
  std::vector<std::optional<double>> values;
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const Json& one = json_->items()[i];
    values.push_back(one.is_null() || one.is_number() ? JsonPlace(one, where_, kind_).number() : item(i).number());
  }
  return values;
}

double JsonPlace::finite() const {
  if (!json_->is_number() || !std::isfinite(json_->number())) complain("a number");
  return json_->number();
}

int64_t JsonPlace::whole(int64_t least, int64_t most) const {
  const double value = finite();
  if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most)) {
    refuse(fmt::format("is {}; expected a whole number from {} to {}", json_->dump(-1), least, most));
  }
  return static_cast<int64_t>(value);
}

bool JsonPlace::truth() const {
  if (!json_->is_bool()) complain("true or false");
  return json_->boolean();
}

}  // namespace ascribe::core
