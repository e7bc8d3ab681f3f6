#include "base/one_thread.h"

#include "base/parallel.h"

namespace ascribe {

OneThread::OneThread(bool wanted) {
  if (!wanted) return;
  before_ = thread_count();
  set_thread_count(1);
}

OneThread::~OneThread() {
  if (before_ > 0) set_thread_count(before_);
}

}  // namespace ascribe
