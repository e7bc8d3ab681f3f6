// One call of a verb: its options, who is told of its progress, and what stopped it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>

#include <ascribe/ascribe.h>

namespace ascribe_python {

namespace nb = nanobind;

// Something of Python's in the library's hands, which copies and drops it without the interpreter's lock.
inline std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) {
            const nb::gil_scoped_acquire lock;
            delete held;
          }};
}

// What Python code raised while the library was at work: the work is stopped, and then this is raised.
struct Raised {
  std::optional<nb::python_error> error;
};

struct Call {
  Call();

  ascribe::Options options;
  nb::object told;                    // (task, done, total), or None
  std::vector<nb::object> kept = {};  // arrays that the options look at
  std::shared_ptr<Raised> raised = std::make_shared<Raised>();
};

// The work without the interpreter's lock, on a thread that can start others: a process made by fork has lost those of
// its main thread's pool, so there it is a new one.
void without_lock(Raised& raised, const std::function<void()>& work);

// Does the work of a verb. What was raised meanwhile is raised here; `partial`, if the work had a result all the same,
// goes with it as its attribute of that name.
template <class F>
auto run(Call& call, F&& work) -> decltype(work()) {
  std::optional<decltype(work())> result;
  try {
    without_lock(*call.raised, [&] { result.emplace(work()); });
  } catch (const ascribe::Error&) {
    if (!call.raised->error) throw;
  }
  if (!call.raised->error) return std::move(*result);
  nb::python_error error = std::move(*call.raised->error);
  call.raised->error.reset();
  if (result) error.value().attr("partial") = nb::cast(std::move(*result));
  throw error;
}

}  // namespace ascribe_python
