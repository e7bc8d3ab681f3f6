// The one thread that computes. Only the newest question counts: a new one stops whatever is being computed or waits,
// and so does nobody being there any more.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/progress.h"

namespace ascribe::core::serve {

class Worker {
 public:
  // `patience`: how long work goes on without a sign of the page.
  explicit Worker(std::chrono::milliseconds patience = std::chrono::seconds(90));
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Does the work and waits for its end. Its errors come back; if it was stopped, one of kind cancelled.
  void run(const std::function<void(const Progress&)>& work);
  void stop();     // what is being computed, or waits
  void seen();     // the page is still there
  void end_now();  // for good: from now on nothing runs

  struct State {
    bool busy = false;
    std::string task = {};
    int64_t done = 0, total = 0;
  };
  State state() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Job;

  void loop();
  void give_up(Job& job);
  void tell(Job& job, std::string_view task, int64_t done, int64_t total);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Job> waiting_, current_;
  State state_;
  bool ending_ = false;
  std::chrono::milliseconds patience_;
  std::atomic<Clock::rep> seen_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace ascribe::core::serve
