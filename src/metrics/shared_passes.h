// What metrics of one evaluation can have in common: the first one that needs it computes it, the others read it.
// The name under which it is kept says everything that it depends on, except the model, seed and attributions of the
// evaluation that the object belongs to.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <typeinfo>

#include <fmt/format.h>

#include "base/error.h"
#include "metrics/metric.h"

namespace ascribe::core {

class SharedPasses {
 public:
  template <class Result, class Make>
  const Result& once(const std::string& name, Make make) {
    auto found = kept_.find(name);
    if (found == kept_.end()) {
      found = kept_.emplace(name, Kept{std::make_shared<const Result>(make()), &typeid(Result)}).first;
    }
    require(*found->second.type == typeid(Result), name, "is kept as something else");
    return *static_cast<const Result*>(found->second.value.get());
  }
  size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    std::shared_ptr<const void> value;
    const std::type_info* type;
  };
  std::map<std::string, Kept> kept_;
};

// A method's name and settings, and the metric's settings, as part of such a name.
inline std::string shared_name(const MethodExplanations& one) {
  return fmt::format("{} ({})", one.method.name, one.parameters.key());
}

}  // namespace ascribe::core
