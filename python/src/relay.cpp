#include "relay.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include <ascribe/ascribe.h>

namespace ascribe_python {

namespace {

std::atomic<bool> is_ending = false;
pthread_t ends;             // the thread that ends the interpreter
std::atomic<int> away = 0;  // threads that will want the interpreter's lock back

// How often this process was made by fork, counted from the one that loaded the extension.
int forks = 0;
const int watches_forks = pthread_atfork(nullptr, nullptr, [] {
  ++forks;
  away = 0;
});

// Two threads of which one works and the other waits: either can have a task done by the other, which may in turn have
// one done here.
class Relay {
 public:
  enum Side { asker, worker };

  bool of_this_process() const { return made_after_ == forks; }

  // Has the work done on the other side. What it throws is thrown here.
  void hand_over(Side here, const std::function<void()>& work) {
    Task task{work, {}, false};
    std::unique_lock lock(mutex_);
    waiting_[1 - here] = &task;
    changed_.notify_all();
    serve(here, lock, [&] { return task.done; });
    if (task.failure) std::rethrow_exception(task.failure);
  }

  // What the thread of the worker does until it is to end.
  void work_until_end() {
    std::unique_lock lock(mutex_);
    serve(worker, lock, [&] { return ended_; });
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  struct Task {
    const std::function<void()>& work;
    std::exception_ptr failure;
    bool done;
  };

  template <class F>
  void serve(Side here, std::unique_lock<std::mutex>& lock, F&& enough) {
    for (;;) {
      changed_.wait(lock, [&] { return enough() || waiting_[here] != nullptr; });
      if (waiting_[here] == nullptr) return;
      Task& task = *std::exchange(waiting_[here], nullptr);
      lock.unlock();
      try {
        task.work();
      } catch (...) {
        task.failure = std::current_exception();
      }
      lock.lock();
      task.done = true;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Task*, 2> waiting_ = {};
  bool ended_ = false;
  int made_after_ = forks;
};

thread_local Relay* relay = nullptr;  // that this thread is a side of
thread_local Relay::Side side = Relay::asker;

void on_new_thread(const std::function<void()>& work) {
  Relay own;
  Relay* const outer = std::exchange(relay, &own);
  std::thread thread([&own] {
    relay = &own;
    side = Relay::worker;
    own.work_until_end();
  });
  std::exception_ptr failure;
  try {
    own.hand_over(Relay::asker, work);
  } catch (...) {
    failure = std::current_exception();
  }
  own.end();
  thread.join();
  relay = outer;
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void without_lock(const std::function<void()>& work) {
  static_cast<void>(watches_forks);
  const Unlocked unlocked;
  if (forks == 0) work();
  else if (relay != nullptr && relay->of_this_process()) relay->hand_over(side, work);
  else on_new_thread(work);
}

void with_lock(const std::function<void()>& python) {
  const std::function<void()> locked = [&] {
    const nb::gil_scoped_acquire lock;
    if (!lock.is_valid()) throw ascribe::Error(ascribe::ErrorKind::cancelled, "the interpreter has ended");
    python();
  };
  if (relay != nullptr && side == Relay::worker) relay->hand_over(side, locked);
  else locked();
}

bool ending() { return is_ending && pthread_equal(ends, pthread_self()) == 0; }

void end_work() {
  ends = pthread_self();
  is_ending = true;
  PyThreadState* const state = PyEval_SaveThread();
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (away > 0 && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  PyEval_RestoreThread(state);
}

Unlocked::Unlocked() : state_(PyEval_SaveThread()) { ++away; }

Unlocked::~Unlocked() {
  if (ending()) {
    --away;
    for (;;) ::pause();
  }
  PyEval_RestoreThread(state_);
  --away;
}

}  // namespace ascribe_python
