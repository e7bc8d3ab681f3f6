// Another program, run to its end: without a shell, with a limit of time, and with nothing left of it afterwards.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace ascribe::core {

struct Child {
  std::vector<std::string> arguments;                            // the program's path first
  std::vector<std::pair<std::string, std::string>> environment;  // beside that of this process
  std::string output;                                            // a file for all that it prints
};

class RunningChild {
 public:
  explicit RunningChild(const Child& child);  // an error of kind io if it cannot be started
  ~RunningChild() { end(); }
  RunningChild(const RunningChild&) = delete;
  RunningChild& operator=(const RunningChild&) = delete;

  // Waits a moment, but no longer; true: it has ended.
  bool wait(std::chrono::milliseconds moment);
  // Ends it and whatever it has started in turn, if they still run. Nothing is left to be waited for.
  void end();
  // Of a child that has ended; -1: by a signal, or nobody knows because the host collects children itself.
  int exit_code() const { return exit_code_; }

 private:
  bool ended() const;

  int pid_ = -1;
  int exit_code_ = -1;
};

}  // namespace ascribe::core
