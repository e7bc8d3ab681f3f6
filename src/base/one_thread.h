// While one lives, everything runs on the calling thread: waking others costs more than small work takes.
#pragma once

namespace ascribe {

class OneThread {
 public:
  explicit OneThread(bool wanted = true);
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 0;  // 0: nothing to restore
};

}  // namespace ascribe
