// The numbers of largest magnitude among many, and where they stand. Of equal ones those that come first are kept, so
// the choice does not depend on the order in which they are offered.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <vector>

namespace ascribe::core {

class Strongest {
 public:
  struct Entry {
    int64_t index;
    double value;
  };

  explicit Strongest(int64_t most) : most_(static_cast<size_t>(most)) {}

  // Whether an offer of this magnitude can be refused without a look at its place.
  bool too_weak(double magnitude) const {
    return most_ == 0 || (queue_.size() == most_ && magnitude < std::abs(queue_.top().value));
  }
  void offer(double value, int64_t index) {
    const Entry entry{index, value};
    if (queue_.size() == most_ && (most_ == 0 || !Stronger()(entry, queue_.top()))) return;
    queue_.push(entry);
    if (queue_.size() > most_) queue_.pop();
  }
  std::vector<Entry> sorted() const {  // the strongest first
    std::vector<Entry> result;
    for (auto rest = queue_; !rest.empty(); rest.pop()) result.push_back(rest.top());
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  struct Stronger {
    bool operator()(const Entry& a, const Entry& b) const {
      const double x = std::abs(a.value), y = std::abs(b.value);
      return x != y ? x > y : a.index < b.index;
    }
  };

  size_t most_;
  std::priority_queue<Entry, std::vector<Entry>, Stronger> queue_;  // the weakest on top
};

}  // namespace ascribe::core
