// Where the library works: without the interpreter's lock, and in a process made by fork on a thread of its own.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

namespace ascribe_python {

namespace nb = nanobind;

// The work without the interpreter's lock, on a thread that can start others. A process made by fork has lost the
// threads that the library's loops had; there the work is done on a new thread, while this one waits to run Python for
// it.
void without_lock(const std::function<void()>& work);

// Python code that the library calls, with the interpreter's lock, on the thread that asked. Throws an error of kind
// cancelled if there is no interpreter any more.
void with_lock(const std::function<void()>& python);

// The same, with a result.
template <class F>
auto in_python(F&& python) -> decltype(python()) {
  std::optional<decltype(python())> result;
  with_lock([&] { result.emplace(python()); });
  return std::move(*result);
}

// The interpreter is about to end: work on other threads is stopped, and its threads stay where they are, because they
// must not come back to Python.
void end_work();
bool ending();

// Releases the interpreter's lock while it lives.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace ascribe_python
