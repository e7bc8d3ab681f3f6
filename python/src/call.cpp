#include "call.h"

#include <chrono>
#include <string>
#include <utility>

namespace ascribe_python {

namespace {

thread_local Raised* innermost_raised = nullptr;

// The interpreter's lock may have to be waited for, so it is asked for no more often than somebody would notice.
class Watcher {
 public:
  explicit Watcher(std::shared_ptr<nb::object> told) : told_(std::move(told)) {}

  bool operator()(std::string_view task, int64_t done, int64_t total) {
    if (ending()) return false;
    const Clock::time_point now = Clock::now();
    const bool news = told_ && !told_->is_none() && (task != task_ || done >= total);
    if (now - last_ < kBetween && !news) return true;
    last_ = now;
    task_ = task;
    return ask(done, total);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetween{30};

  bool ask(int64_t done, int64_t total) {
    return in_python([&] {
      Raised* const raised = Raised::innermost();
      if (raised != nullptr && raised->any()) return false;
      try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        if (told_ && !told_->is_none() && !task_.empty()) (*told_)(nb::str(task_.data(), task_.size()), done, total);
      } catch (nb::python_error& error) {
        if (raised == nullptr) throw;
        raised->keep(std::move(error));
        return false;
      }
      return true;
    });
  }

  std::shared_ptr<nb::object> told_;
  std::string task_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

Raised::Raised() : outer_(std::exchange(innermost_raised, this)) {}

Raised::~Raised() { innermost_raised = outer_; }

Raised* Raised::innermost() { return innermost_raised; }

void Raised::raise(nb::object partial) {
  nb::python_error error = std::move(*error_);
  if (partial.is_valid()) {
    nb::object value = nb::borrow(error.value());
    if (PyObject_SetAttrString(value.ptr(), "partial", partial.ptr()) != 0) PyErr_Clear();  // it takes no attributes
  }
  throw error;
}

ascribe::Progress watched_by(std::shared_ptr<nb::object> told) {
  // Copies of the function are one watcher.
  const auto watcher = std::make_shared<Watcher>(std::move(told));
  return [watcher](std::string_view task, int64_t done, int64_t total) { return (*watcher)(task, done, total); };
}

Call::Call() : told(shared(nb::none())) { options.progress(watched_by(told)); }

}  // namespace ascribe_python
