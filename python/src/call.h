// One call of a verb: its options, who is told of its progress, and what stopped it.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <ascribe/ascribe.h>

#include "relay.h"

namespace ascribe_python {

namespace nb = nanobind;

// Something of Python's in the library's hands, which copies and drops it without the interpreter's lock.
inline std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) {
            const nb::detail::cleanup_guard lock;
            if (lock) delete held;  // otherwise it goes with the interpreter
          }};
}

// What Python code raised while the library was at work: the work is stopped, and then this is raised. While it lives,
// it is that of the work that this thread has begun last.
class Raised {
 public:
  Raised();
  ~Raised();
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

  // Of the work that this thread has begun last; null: none.
  static Raised* innermost();

  // Of what was raised first.
  void keep(nb::python_error error) {
    if (!error_) error_.emplace(std::move(error));
  }
  bool any() const { return error_.has_value(); }

  // Raises it; `partial`, if there is something, goes with it as its attribute of that name.
  [[noreturn]] void raise(nb::object partial);

 private:
  std::optional<nb::python_error> error_;
  Raised* outer_;
};

// A function of the caller's, called by the library. What it raises stops the work.
template <class F>
auto call_back(F&& python) -> decltype(python()) {
  return in_python([&] {
    try {
      return python();
    } catch (nb::python_error& error) {
      Raised* const raised = Raised::innermost();
      if (raised == nullptr) throw;
      raised->keep(std::move(error));
      throw ascribe::Error(ascribe::ErrorKind::cancelled, "a function of the caller's raised an exception");
    }
  });
}

// Does work of the library's; what Python code raised meanwhile is raised here.
template <class F>
auto run(F&& work) -> decltype(work()) {
  using Result = decltype(work());
  Raised raised;
  std::optional<Result> result;
  try {
    without_lock([&] { result.emplace(work()); });
  } catch (const ascribe::Error&) {
    if (!raised.any()) throw;
  }
  if (!raised.any()) return std::move(*result);
  raised.raise(result ? nb::cast(std::move(*result)) : nb::object());
}

// Whether work is to go on, told by Python: the signals of the process, and `told` (task, done, total) unless it is
// None.
ascribe::Progress watched_by(std::shared_ptr<nb::object> told);

struct Call {
  Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  ascribe::Options options;
  std::shared_ptr<nb::object> told;   // (task, done, total), or None
  std::vector<nb::object> kept = {};  // arrays that the options look at
};

// A verb.
template <class F>
auto run(Call&, F&& work) -> decltype(work()) {
  return run(std::forward<F>(work));
}

// A function of a result that takes long.
template <class Result, class Class, class... Arguments>
auto freely(Result (Class::*function)(Arguments...) const) {
  return [function](const Class& self, Arguments... arguments) {
    if constexpr (std::is_void_v<Result>) {
      run([&] {
        (self.*function)(arguments...);
        return true;
      });
    } else {
      return run([&] { return (self.*function)(arguments...); });
    }
  };
}

}  // namespace ascribe_python
