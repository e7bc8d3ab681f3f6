#include "serve/worker.h"

#include <exception>

#include "base/error.h"
#include "base/watch.h"

namespace ascribe::core::serve {

struct Worker::Job {
  const std::function<void(const Progress&)>* work = nullptr;
  std::atomic<bool> stopped = false;
  bool done = false;
  std::exception_ptr error = {};
};

Worker::Worker(std::chrono::milliseconds patience)
    : patience_(patience), seen_(Clock::now().time_since_epoch().count()), thread_([this] { loop(); }) {}

Worker::~Worker() {
  end_now();
  thread_.join();
}

void Worker::end_now() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  if (waiting_) give_up(*waiting_);
  if (current_) current_->stopped = true;
  changed_.notify_all();
}

// With the lock held, of a job that has not begun.
void Worker::give_up(Job& job) {
  job.done = true;
  job.error = std::make_exception_ptr(Error(ErrorKind::cancelled, "", "the work was stopped"));
  waiting_.reset();
}

void Worker::stop() {
  const std::lock_guard lock(mutex_);
  if (waiting_) give_up(*waiting_);
  if (current_) current_->stopped = true;
  changed_.notify_all();
}

void Worker::seen() { seen_ = Clock::now().time_since_epoch().count(); }

Worker::State Worker::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Worker::run(const std::function<void(const Progress&)>& work) {
  const auto job = std::make_shared<Job>();
  job->work = &work;
  std::unique_lock lock(mutex_);
  if (waiting_) give_up(*waiting_);
  if (current_) current_->stopped = true;
  waiting_ = job;
  if (ending_) give_up(*job);
  changed_.notify_all();
  changed_.wait(lock, [&] { return job->done; });
  if (job->error) std::rethrow_exception(job->error);
}

void Worker::tell(Job& job, std::string_view task, int64_t done, int64_t total) {
  const Clock::time_point seen{Clock::duration(seen_.load())};
  if (job.stopped || Clock::now() - seen > patience_) cancel();
  const std::lock_guard lock(mutex_);
  state_ = {true, std::string(task), done, total};
}

void Worker::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || waiting_; });
    if (ending_) return;
    const std::shared_ptr<Job> job = std::move(waiting_);
    waiting_.reset();
    current_ = job;
    state_ = {true, "", 0, 0};
    lock.unlock();
    try {
      (*job->work)([&](std::string_view task, int64_t done, int64_t total) { tell(*job, task, done, total); });
    } catch (...) {
      job->error = std::current_exception();
    }
    lock.lock();
    job->done = true;
    current_.reset();
    state_ = {};
    changed_.notify_all();
  }
}

}  // namespace ascribe::core::serve
