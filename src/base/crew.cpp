#include "base/crew.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>

namespace ascribe::core {

namespace {

// Turns of 10 to 40 ns each: longer than the gap between two operations of a network, shorter than a thread is kept
// from its processor by another program (decision 30).
constexpr int64_t kTurns = 5000;
constexpr int64_t kCrowdedTurns = 100;  // where there are more threads than processors
constexpr int64_t kEndless = int64_t{1} << 40;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

std::atomic<uint64_t> forks = 0;  // of the process and those before it

// The helpers of one thread.
class Crew {
 public:
  Crew() {
    [[maybe_unused]] static const int watched = pthread_atfork(nullptr, nullptr, [] { ++forks; });
    born_ = forks;
  }
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void run(int count, void (*part)(void*), void* data);
  void meet(int count);

 private:
  struct Helper {
    std::atomic<uint64_t> taken = 0;  // the last call whose part was begun, by the helper or in its place
    std::thread thread;
  };

  void grow(int count);
  void help(Helper& own, int number);
  uint64_t next_call(uint64_t last);
  void work(int number, int count);
  void finish_part();

  uint64_t born_ = 0;
  int64_t turns_ = 0;
  std::vector<std::unique_ptr<Helper>> helpers_;  // of the calling thread alone
  void (*part_)(void*) = nullptr;                 // these three: of the call, until its last part is done
  void* data_ = nullptr;
  std::atomic<uint64_t> call_ = 0;  // its number, and in the lowest bits how many parts it has
  std::atomic<int> bell_ = 0;       // rung with each call, for helpers that sleep
  std::atomic<int> left_ = 0;       // parts that are not done
  std::atomic<int> arrived_ = 0, meetings_ = 0;
  std::atomic<bool> invalid_ = false, over_ = false;
};

constexpr int kCountBits = 16;

int count_of(uint64_t call) { return static_cast<int>(call & ((uint64_t{1} << kCountBits) - 1)); }

// Whoever comes first has the part: calls are numbered, so one that is late finds a later number.
bool take(std::atomic<uint64_t>& taken, uint64_t call) {
  uint64_t before = taken.load();
  return before < call && taken.compare_exchange_strong(before, call);
}

// Where a thread is.
struct Place {
  bool inside = false;  // of a part
  Crew* crew = nullptr;
  int number = 0, count = 1;
};

thread_local Place place;

template <class Done>
bool turned_until(int64_t turns, const Done& done) {
  for (int64_t i = 0; i < turns; ++i) {
    if (done()) return true;
    relax();
  }
  return done();
}

int64_t turns_for(int threads) {
  static const int64_t alone = turns_of_waiting(std::getenv("GOMP_SPINCOUNT"), std::getenv("OMP_WAIT_POLICY"));
  static const int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return threads > processors ? std::min(alone, kCrowdedTurns) : alone;
}

// A process made by fork has this object, and no helper.
Crew::~Crew() {
  if (born_ != forks) {
    for (auto& helper : helpers_) static_cast<void>(helper.release());
    return;
  }
  over_ = true;
  ++bell_;
  bell_.notify_all();
  for (auto& helper : helpers_) helper->thread.join();
}

// Where the system refuses a thread, the calling one runs its parts.
void Crew::grow(int count) {
  if (born_ != forks) {
    for (auto& helper : helpers_) static_cast<void>(helper.release());
    helpers_.clear();
    born_ = forks;
  }
  while (std::ssize(helpers_) + 1 < count) {
    auto helper = std::make_unique<Helper>();
    Helper& own = *helper;
    own.taken = call_.load();  // the one that comes next is its first
    const int number = static_cast<int>(helpers_.size()) + 1;
    try {
      helper->thread = std::thread([this, &own, number] { help(own, number); });
    } catch (const std::system_error&) {
      return;
    }
    helpers_.push_back(std::move(helper));
  }
}

void Crew::run(int count, void (*part)(void*), void* data) {
  grow(count);
  turns_ = turns_for(count);
  part_ = part;
  data_ = data;
  left_ = count;
  const uint64_t call = (((call_ >> kCountBits) + 1) << kCountBits) | static_cast<uint64_t>(count);
  call_ = call;
  ++bell_;
  bell_.notify_all();
  work(0, count);
  for (int number = 1; number < count; ++number) {
    const bool nobodys = number > std::ssize(helpers_);
    if (nobodys || take(helpers_[static_cast<size_t>(number) - 1]->taken, call)) work(number, count);
  }
  if (!turned_until(turns_, [this] { return left_ == 0; })) {
    for (int left = left_; left != 0; left = left_) left_.wait(left);
  }
  if (invalid_.exchange(false)) std::feraiseexcept(FE_INVALID);
}

void Crew::work(int number, int count) {
  place = {true, this, number, count};
  part_(data_);
  place = {};
  finish_part();
}

void Crew::finish_part() {
  if (left_.fetch_sub(1) == 1) left_.notify_one();
}

void Crew::help(Helper& own, int number) {
  std::feclearexcept(FE_INVALID);
  uint64_t last = own.taken;
  while ((last = next_call(last)) != 0) {
    const int count = count_of(last);
    if (number >= count || !take(own.taken, last)) continue;
    place = {true, this, number, count};
    part_(data_);
    place = {};
    if (std::fetestexcept(FE_INVALID) != 0) {
      invalid_ = true;
      std::feclearexcept(FE_INVALID);
    }
    finish_part();
  }
}

// Waits for a call after the last one; 0: there will be none.
uint64_t Crew::next_call(uint64_t last) {
  const auto called = [&] { return call_ != last || over_; };
  // How long a helper looks around is what the last call said: its parts were as many as threads.
  if (!turned_until(turns_for(count_of(last)), called)) {
    for (int bell = bell_; !called(); bell = bell_) bell_.wait(bell);
  }
  return over_ ? 0 : call_.load();
}

void Crew::meet(int count) {
  const int meeting = meetings_;
  if (arrived_.fetch_add(1) + 1 == count) {
    arrived_ = 0;
    ++meetings_;
    meetings_.notify_all();
    return;
  }
  if (!turned_until(turns_for(count), [&] { return meetings_ != meeting; })) {
    while (meetings_ == meeting) meetings_.wait(meeting);
  }
}

}  // namespace

void run_parts(int count, void (*part)(void*), void* data) {
  if (in_part() || count == 1) {
    const Place before = place;
    place = {true, nullptr, 0, 1};
    part(data);
    place = before;
    return;
  }
  static thread_local Crew crew;
  crew.run(count, part, data);
}

bool in_part() { return place.inside; }
int part_number() { return place.number; }
int part_count() { return place.count; }

void meet_parts() {
  if (place.count > 1) place.crew->meet(place.count);
}

int64_t turns_of_waiting(const char* spin_count, const char* policy) {
  if (spin_count != nullptr) {
    char* end = nullptr;
    const long long turns = std::strtoll(spin_count, &end, 10);
    if (end != spin_count && turns >= 0) return std::min<int64_t>(turns, kEndless);
    return kEndless;  // "infinite"
  }
  if (policy == nullptr) return kTurns;
  const std::string_view word = policy;
  return word == "passive" || word == "PASSIVE" ? 0 : word == "active" || word == "ACTIVE" ? kEndless : kTurns;
}

}  // namespace ascribe::core
