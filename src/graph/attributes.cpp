#include "graph/attributes.h"

#include "base/error.h"

namespace ascribe::core {

const Attributes::Value& Attributes::get(std::string_view name) const {
  auto it = values_.find(name);
  if (it == values_.end()) fail(ErrorKind::internal, name, "the attribute is missing");
  return it->second;
}

const Dims& Attributes::dims(std::string_view name) const {
  const auto* dims = std::get_if<Dims>(&get(name));
  if (dims == nullptr) fail(ErrorKind::internal, name, "the attribute is not a list of integers");
  return *dims;
}

std::vector<int64_t> Attributes::integers(std::string_view name) const {
  std::vector<int64_t> result;
  for (const Dim dim : dims(name)) {
    if (!dim.is_fixed()) fail(ErrorKind::internal, name, "the attribute depends on the batch; got {}", to_string(dim));
    result.push_back(dim.fixed);
  }
  return result;
}

int64_t Attributes::integer(std::string_view name) const {
  const Dims& list = dims(name);
  if (list.size() != 1 || !list[0].is_fixed()) fail(ErrorKind::internal, name, "the attribute is not one integer");
  return list[0].fixed;
}

const std::vector<double>& Attributes::reals(std::string_view name) const {
  const auto* values = std::get_if<std::vector<double>>(&get(name));
  if (values == nullptr) fail(ErrorKind::internal, name, "the attribute is not a list of reals");
  return *values;
}

double Attributes::real(std::string_view name) const {
  const auto& values = reals(name);
  if (values.size() != 1) fail(ErrorKind::internal, name, "the attribute is not one real");
  return values[0];
}

const std::string& Attributes::text(std::string_view name) const {
  const auto* value = std::get_if<std::string>(&get(name));
  if (value == nullptr) fail(ErrorKind::internal, name, "the attribute is not a text");
  return *value;
}

const Attributes::Function& Attributes::function(std::string_view name) const {
  const auto* value = std::get_if<Function>(&get(name));
  if (value == nullptr) fail(ErrorKind::internal, name, "the attribute is not a function");
  return *value;
}

Attributes Attributes::resolved(int64_t batch) const {
  Attributes result = *this;
  for (auto& [name, value] : result.values_) {
    if (auto* dims = std::get_if<Dims>(&value)) {
      for (Dim& dim : *dims) dim = dim.at(batch);
    }
  }
  return result;
}

}  // namespace ascribe::core
