// How a verb is run: with which seed, on how many threads, and watched by whom.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cpu_quota.h"
#include "base/parallel.h"
#include "base/watch.h"

namespace ascribe::core::study {

struct Run {
  uint64_t seed = 0;  // of everything random
  int threads = 0;    // 0: what OMP_NUM_THREADS says, or as many as the machine has and the quota allows
  // Told how far the work is; it throws (base/watch.h) to stop the work, within a second. What was finished by then is
  // in the result where a result can be partial, or in the journal.
  Progress progress = {};
  // Told every note at once; the result has them too.
  std::function<void(const std::string&)> note = {};
  // Told how many rows there are, when everything is decided and before the work begins; may refuse by throwing.
  std::function<void(int64_t rows)> begin = {};
};

// A verb at work: its threads, its watch, its notes.
class Running {
 public:
  explicit Running(const Run& run)
      : run_(run), threads_(run.threads > 0 ? run.threads : usual_thread_count()), watch_(run.progress) {}

  uint64_t seed() const { return run_.seed; }
  const Progress& progress() const { return watch_.progress(); }
  Progress progress_of(const std::string& part) const;  // "occlusion: rows"
  void begin(int64_t rows) const {
    if (run_.begin) run_.begin(rows);
  }

  void note(std::string text);
  void note(const std::vector<std::string>& texts);
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  const Run& run_;
  ThreadCount threads_;
  Watch watch_;
  std::vector<std::string> notes_;
};

}  // namespace ascribe::core::study
