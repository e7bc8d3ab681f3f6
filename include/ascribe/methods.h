// The methods, metrics and interaction indices there are, and methods of one's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ascribe/array.h>
#include <ascribe/export.h>

namespace ascribe {
inline namespace v1 {

// What a method of the caller's own is asked: one row, against these baselines. It lives as long as the call.
class ASCRIBE_API Asked {
 public:
  Array x() const;          // the explained input, in the shape of a row
  Array baselines() const;  // [baselines, row...]
  int64_t target() const;   // which number of the output
  int64_t player_count() const;
  const std::vector<int32_t>& owners() const;  // the player of each element; -1: nobody's
  // The explained number of rows like x: the network itself.
  std::vector<double> values(const Array& rows) const;

  struct State;
  explicit Asked(const State& state) : state_(state) {}

 private:
  const State& state_;
};

// A number for each element of the row, or for each player.
using AttributionFunction = std::function<std::vector<double>(const Asked& asked)>;

// A method by name ("all": the paper's fourteen), a function, or numbers that exist already: whatever stands where a
// method is wanted.
class ASCRIBE_API Method {
 public:
  Method(const char* name);
  Method(const std::string& name);
  Method(const std::string& name, AttributionFunction function);
  // An attribution that somebody computed: a number per element or player, of one row or of several behind one another.
  Method(const std::string& name, const Array& values, int64_t rows = 1);
  Method(const Method&);
  Method(Method&&) noexcept;
  Method& operator=(const Method&);
  Method& operator=(Method&&) noexcept;
  ~Method();

  const std::string& name() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

// What there is, as JSON: names, titles, parameters with their ranges and meanings, formulas, sources, properties.
ASCRIBE_API std::string methods_json();
ASCRIBE_API std::string metrics_json();
ASCRIBE_API std::string indices_json();
// The names: of the paper's fourteen in its order, then the others.
ASCRIBE_API std::vector<std::string> method_names();
ASCRIBE_API std::vector<std::string> metric_names();
ASCRIBE_API std::vector<std::string> index_names();

ASCRIBE_API std::string version();  // of the library, "0.2.0"

}  // namespace v1
}  // namespace ascribe
