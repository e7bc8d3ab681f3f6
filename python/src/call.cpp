#include "call.h"

#include <chrono>
#include <exception>
#include <future>
#include <thread>

#include <pthread.h>

namespace ascribe_python {

namespace {

bool forked = false;

const int watches_forks = pthread_atfork(nullptr, nullptr, [] { forked = true; });

// With the interpreter's lock: whether the work is to go on.
bool go_on(Raised& raised, const nb::object& told, std::string_view task, int64_t done, int64_t total) {
  if (raised.error) return false;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!told.is_none()) told(nb::str(task.data(), task.size()), done, total);
  } catch (nb::python_error& error) {
    raised.error.emplace(std::move(error));
    return false;
  }
  return true;
}

}  // namespace

Call::Call() : told(nb::none()) {
  // Not `this`: options are copied by the library.
  options.progress([raised = raised, told = &told](std::string_view task, int64_t done, int64_t total) {
    const nb::gil_scoped_acquire lock;
    return go_on(*raised, *told, task, done, total);
  });
}

void without_lock(Raised& raised, const std::function<void()>& work) {
  const nb::gil_scoped_release free;
  static_cast<void>(watches_forks);
  if (!forked) return work();
  std::packaged_task<void()> task(work);
  std::future<void> done = task.get_future();
  std::thread worker(std::move(task));
  // Signals are for the main thread, which waits here.
  while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    const nb::gil_scoped_acquire lock;
    if (!raised.error && PyErr_CheckSignals() != 0) raised.error.emplace();
  }
  worker.join();
  done.get();
}

}  // namespace ascribe_python
