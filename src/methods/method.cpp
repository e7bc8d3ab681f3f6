#include "methods/method.h"

#include <fmt/ranges.h>

namespace ascribe {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& [name, method] : MethodRegistry::instance().entries()) names.push_back(name);
  return names;
}

const Method& method_named(std::string_view name) {
  if (const Method* method = MethodRegistry::instance().find(name)) return *method;
  fail(ErrorKind::unsupported, name, "there is no such method; expected one of {}", fmt::join(method_names(), ", "));
}

RegisterMethod::RegisterMethod(Method method) {
  std::string name = method.name;
  require(method.graph != nullptr, name, "a method without a graph");
  MethodRegistry::instance().add(std::move(name), std::move(method));
}

}  // namespace ascribe
