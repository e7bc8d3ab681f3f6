// Attribution methods that are graphs. A file per method registers itself; what it writes can be run,
// exported, and differentiated again like any graph.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "graph/builder.h"

namespace ascribe {

// What is explained, f = sum over each row of seed * output, and to whom it is attributed.
struct AttributionRequest {
  Builder& b;
  Value output;                   // real, rows first
  Value seed;                     // of the same shape; one-hot at the target
  std::span<const Value> inputs;  // the model's real inputs x
  std::vector<std::string>& notes;
};

struct Method {
  std::string name;
  std::string formula;  // one line, with f and x as above
  std::string source;   // who described it
  // Appends the attribution to each input, of its shape.
  std::vector<Value> (*graph)(const AttributionRequest&) = nullptr;
};

using MethodRegistry = Registry<Method>;

std::vector<std::string> method_names();
const Method& method_named(std::string_view name);  // throws unsupported, and says which there are

struct RegisterMethod {
  explicit RegisterMethod(Method method);
};

}  // namespace ascribe
