// The parameters of a method: named numbers and words, declared next to the method and checked before the work.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ascribe::core {

// A value of a text parameter that has a name.
struct NamedValue {
  std::string name;
  std::string meaning;
};

struct Parameter {
  enum class Kind { integer, real, text };
  std::string name;
  Kind kind = Kind::real;
  std::string fallback;  // its value if it is not given
  std::string meaning;   // one line
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  // of a text; empty: any
  std::vector<NamedValue> named = {};     // texts that stand for longer ones
};
std::string_view to_string(Parameter::Kind kind);
// What may be given: "0 to 1000", "above...", or the choices.
std::string range_of(const Parameter& parameter);

// Short forms for the tables of parameters in the methods' files.
Parameter integer_parameter(std::string name, int64_t fallback, int64_t least, int64_t most, std::string meaning);
Parameter real_parameter(std::string name, double fallback, double least, double most, std::string meaning);
Parameter text_parameter(std::string name, std::string fallback, std::string meaning,
                         std::vector<std::string> choices = {});

// Values for all declared parameters of one method.
class Parameters {
 public:
  // Refuses, kind argument, names that are not declared (and lists those that are) and values out of range.
  // `where` is named in complaints.
  Parameters(std::string_view where, std::span<const Parameter> declared,
             const std::map<std::string, std::string>& given = {});

  int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }
  // One line that tells these values from others: "epsilon=1e-6 rules=".
  std::string key() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace ascribe::core
