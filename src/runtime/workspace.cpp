#include "runtime/workspace.h"

#include <algorithm>
#include <tuple>

#include "base/mapped_file.h"

namespace ascribe::core {

namespace {

// Weights may stay in their file: the system takes such memory back when it needs it.
bool stays_in_file(const Tensor& tensor) { return MappedFile::holding(tensor.memory()) != nullptr; }

}  // namespace

Weight::Weight(Tensor original, DType real, std::shared_ptr<HeldBytes> held, bool counted)
    : original_(std::move(original)),
      counted_elsewhere_(counted ? original_.memory() : nullptr),
      real_(real),
      held_(std::move(held)) {
  count();
}

Weight::~Weight() {
  held_->plain -= bytes_.plain;
  held_->packed -= bytes_.packed;
}

void Weight::count() {
  // In a file they count if they are read there in every run, and not if they were only packed.
  const bool elsewhere = original_.memory() == counted_elsewhere_ || (!read_plain_ && stays_in_file(original_));
  const size_t plain = elsewhere ? 0 : original_.bytes();
  held_->plain += plain - bytes_.plain;
  bytes_.plain = plain;
}

Tensor Weight::original() const {
  if (!original_.empty()) return original_;
  require(!packed_.empty(), "constants", "a constant was released while it was needed");
  const auto& [packed, unpack] = packed_.begin()->second;
  return unpack(packed);
}

Tensor Weight::plain() {
  Tensor tensor = original();
  if (kind_of(tensor.dtype()) == Kind::real) tensor = tensor.cast(real_);
  original_ = tensor;
  read_plain_ = true;
  count();
  return tensor;
}

Weight::Packed Weight::packed(const std::string& key, size_t bytes, const Pack& pack, const Unpack& unpack) {
  if (const auto found = packed_.find(key); found != packed_.end()) return found->second.first;
  Packed result = pack(original().cast(real_));
  packed_[key] = {result, unpack};
  if (!read_plain_) forget_mapped(original_.memory(), original_.bytes());
  // Nobody else has it: it goes at once, so that while a plan is made no weight is in memory twice.
  if (original_.storage().use_count() == 1) release_original();
  bytes_.packed += bytes;
  held_->packed += bytes;
  return result;
}

void Weight::release_original() {
  if (packed_.empty() || read_plain_) return;
  original_ = {};
  count();
}

// A little more is packed, so that the refusal of a row can say all that is needed.
constexpr size_t kPackedBeyond = size_t{64} << 20;
constexpr size_t kPlansAnyway = size_t{16} << 20;  // fewer would be made again and again

Workspace::Workspace(size_t memory) : memory_(memory) {}

bool Workspace::Identity::operator<(const Identity& other) const {
  if (storage.owner_before(other.storage)) return true;
  if (other.storage.owner_before(storage)) return false;
  return std::tie(memory, shape, real) < std::tie(other.memory, other.shape, other.real);
}

void Workspace::own(const Graph& graph) {
  const size_t before = owned_bytes_;
  for (const Node& node : graph.nodes) {
    if (node.op->name != "constant" || node.constant.empty() || stays_in_file(node.constant)) continue;
    if (owned_.emplace(node.constant.storage(), true).second) owned_bytes_ += node.constant.bytes();
  }
  held_->plain += owned_bytes_ - before;
}

std::shared_ptr<Weight> Workspace::weight(const Tensor& constant, DType real) {
  std::weak_ptr<Weight>& known = weights_[{constant.storage(), constant.memory(), constant.shape(), real}];
  if (std::shared_ptr<Weight> weight = known.lock()) return weight;
  auto weight = std::make_shared<Weight>(constant, real, held_, owned_.contains(constant.storage()));
  known = weight;
  // Storage that is gone is never asked for again.
  if (weights_.size() % 1024 == 0) std::erase_if(weights_, [](const auto& one) { return one.second.expired(); });
  return weight;
}

std::shared_ptr<const void> Workspace::count_plan(size_t bytes) {
  held_->plans += bytes;
  std::shared_ptr<const void> counted(nullptr, [held = held_, bytes](const void*) { held->plans -= bytes; });
  while (held_->plans > std::max(memory_ / 4, kPlansAnyway) && make_room && make_room()) {
  }
  return counted;
}

void Workspace::check_packed(size_t bytes) {
  const auto needed = [&] { return owned_bytes_ + held_->packed + bytes; };
  while (needed() > memory_ && make_room && make_room()) {
  }
  if (needed() > memory_ + kPackedBeyond) {
    fail(ErrorKind::argument, "memory", "the weights do not fit; they need {} KiB or more; got a budget of {} KiB",
         needed() >> 10, memory_ >> 10);
  }
}

std::byte* Workspace::arena(size_t bytes) {
  // Weights that were packed since may have taken of what it has.
  if (arena_.size() > std::max(bytes, left())) arena_ = {};
  return arena_.reserve(bytes);
}

}  // namespace ascribe::core
