#include "study/parts/shard.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace ascribe::core::study {

namespace {

constexpr int64_t kMostShards = int64_t{1} << 40;
constexpr int64_t kElementsPerBatch = int64_t{1} << 20, kLargestBatch = 64;

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMostShards) return std::nullopt;
  return value;
}

[[noreturn]] void not_a_shard(const std::string& text) {
  fail(ErrorKind::argument, "shard", "got '{}'; expected I/N with I from 1 to N, auto, or auto/N", text);
}

Shard checked(int64_t number, int64_t count, std::string_view why) {
  if (count < 1 || number < 1 || number > count) {
    fail(ErrorKind::argument, "shard", "shard {} of {} does not exist{}; expected 1 to {}", number, count, why, count);
  }
  return {number, count};
}

class Scheduler {
 public:
  Scheduler(const Environment& environment, std::optional<int64_t> count) : environment_(environment), count_(count) {}

  Shard shard() const {
    const bool slurm = has("SLURM_ARRAY_TASK_ID"), job = has("JOB_COMPLETION_INDEX"), mpi = has("OMPI_COMM_WORLD_RANK");
    if (slurm + job + mpi > 1) {
      fail(ErrorKind::argument, "shard", "'auto' is not clear: {} are set at the same time; expected I/N",
           slurm && job ? "SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX"
           : slurm      ? "SLURM_ARRAY_TASK_ID and OMPI_COMM_WORLD_RANK"
                        : "JOB_COMPLETION_INDEX and OMPI_COMM_WORLD_RANK");
    }
    if (slurm) return of_slurm();
    if (job) {
      const int64_t count = count_ ? *count_ : number("JOB_COMPLETIONS", "; auto/N says how many shards there are");
      return checked(number("JOB_COMPLETION_INDEX") + 1, count, " (JOB_COMPLETION_INDEX counts from 0)");
    }
    if (mpi) {
      const int64_t count = count_ ? *count_ : number("OMPI_COMM_WORLD_SIZE");
      return checked(number("OMPI_COMM_WORLD_RANK") + 1, count, " (OMPI_COMM_WORLD_RANK counts from 0)");
    }
    fail(
        ErrorKind::argument, "shard",
        "'auto' finds no scheduler: none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX and OMPI_COMM_WORLD_RANK is set; "
        "expected I/N");
  }

 private:
  bool has(const char* name) const { return environment_(name) != nullptr; }

  int64_t number(const char* name, std::string_view hint = "") const {
    const char* text = environment_(name);
    if (text == nullptr) fail(ErrorKind::argument, "shard", "'auto' needs {}, which is not set{}", name, hint);
    if (const auto value = whole_number(text)) return *value;
    fail(ErrorKind::argument, "shard", "{} is '{}'; expected a whole number", name, text);
  }

  Shard of_slurm() const {
    const int64_t id = number("SLURM_ARRAY_TASK_ID");
    if (count_) return checked(id, *count_, " (with a number of shards, an array of Slurm is counted from 1)");
    const int64_t count = number("SLURM_ARRAY_TASK_COUNT"), least = number("SLURM_ARRAY_TASK_MIN");
    const int64_t step = has("SLURM_ARRAY_TASK_STEP") ? std::max<int64_t>(1, number("SLURM_ARRAY_TASK_STEP")) : 1;
    const int64_t most = has("SLURM_ARRAY_TASK_MAX") ? number("SLURM_ARRAY_TASK_MAX") : least + step * (count - 1);
    // An array of "3,7" runs some of the shards once more, and does not say of how many.
    if ((most - least) / step + 1 != count || (id - least) % step != 0) {
      fail(ErrorKind::argument, "shard",
           "the array has {} tasks from {} to {}, with gaps; auto/N says how many shards there are", count, least,
           most);
    }
    return checked((id - least) / step + 1, count, "");
  }

  const Environment& environment_;
  std::optional<int64_t> count_;
};

}  // namespace

Shard parse_shard(const std::string& text, const Environment& environment) {
  const size_t slash = text.find('/');
  const std::string first = text.substr(0, slash);
  std::optional<int64_t> count;
  if (slash != std::string::npos) {
    count = whole_number(std::string_view(text).substr(slash + 1));
    if (!count) not_a_shard(text);
  }
  if (first == "auto") return Scheduler(environment, count).shard();
  const auto number = whole_number(first);
  if (!number || !count) not_a_shard(text);
  return checked(*number, *count, "");
}

Shard parse_shard(const std::string& text) {
  return parse_shard(text, [](const char* name) -> const char* { return std::getenv(name); });
}

Items items_of(const Shard& shard, int64_t items, int64_t batch) {
  const int64_t batches = (items + batch - 1) / batch;
  // Without a product that could be too large: whole shares, and one more for the first of them.
  const int64_t share = batches / shard.count, more = batches % shard.count;
  const auto start = [&](int64_t number) { return number * share + std::min(number, more); };
  const int64_t first = start(shard.number - 1) * batch, end = std::min(items, start(shard.number) * batch);
  return first < end ? Items{{first, end}} : Items{};
}

int64_t usual_batch(int64_t elements_per_row) {
  return std::clamp<int64_t>(kElementsPerBatch / std::max<int64_t>(1, elements_per_row), 1, kLargestBatch);
}

}  // namespace ascribe::core::study
