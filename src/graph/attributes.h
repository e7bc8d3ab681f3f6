// An operation's parameters by name. Integers are dimensions, because a reshape
// target or a slice may grow with the batch; `resolved` fixes them for one batch.
// Core operations always carry all their attributes: a missing one is our bug.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/variant.h"
#include "graph/dim.h"

namespace ascribe::core {

struct OpaqueFunction;

class Attributes {
 public:
  using Function = std::shared_ptr<const OpaqueFunction>;
  using Value = Variant<Dims, std::vector<double>, std::string, Function>;

  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, Value>> values) : values_(values) {}

  void set(std::string name, Value value) { values_.insert_or_assign(std::move(name), std::move(value)); }
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }

  const Dims& dims(std::string_view name) const;
  std::vector<int64_t> integers(std::string_view name) const;  // all must be fixed
  int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const { return integer(name) != 0; }
  const std::vector<double>& reals(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const Function& function(std::string_view name) const;

  Attributes resolved(int64_t batch) const;
  const std::map<std::string, Value, std::less<>>& values() const { return values_; }
  friend bool operator==(const Attributes&, const Attributes&) = default;

 private:
  const Value& get(std::string_view name) const;
  std::map<std::string, Value, std::less<>> values_;
};

// For initializer lists: {{"axis", ints({1})}, {"alpha", reals({0.01})}}.
inline Attributes::Value ints(const std::vector<int64_t>& values) { return Dims(values.begin(), values.end()); }
inline Attributes::Value reals(std::vector<double> values) { return values; }

}  // namespace ascribe::core
