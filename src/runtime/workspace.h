// What all sessions of a model share: weights, packed once for every graph that is made from it; the arena of temporary
// values, as only one session runs at a time; and one budget of memory that covers both.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "graph/graph.h"
#include "runtime/arena.h"

namespace ascribe::core {

// Bytes of weights, as they came or are read plain, and packed; and of the kernels of plans.
struct HeldBytes {
  size_t plain = 0, packed = 0, plans = 0;
};

// A constant in the forms in which kernels read it.
class Weight {
 public:
  using Packed = std::shared_ptr<void>;
  // Makes the packed form from the plain one.
  using Pack = std::function<Packed(const Tensor& plain)>;
  // Gives the plain form back from a packed one.
  using Unpack = std::function<Tensor(const Packed& packed)>;

  // `held`: where its bytes are counted. `counted`: the original is there anyway, and is counted elsewhere.
  Weight(Tensor original, DType real, std::shared_ptr<HeldBytes> held, bool counted);
  ~Weight();
  Weight(const Weight&) = delete;
  Weight& operator=(const Weight&) = delete;

  // In the session's precision, row-major. Keeps the original alive.
  Tensor plain();
  // The packed copy under `key`, made on first use; it takes `bytes`.
  Packed packed(const std::string& key, size_t bytes, const Pack& pack, const Unpack& unpack);
  bool is_packed(const std::string& key) const { return packed_.contains(key); }
  // Drops the original if nobody reads it plain and a packed copy stands for it.
  void release_original();

 private:
  Tensor original() const;
  void count();

  Tensor original_;
  const void* counted_elsewhere_;
  DType real_;
  std::shared_ptr<HeldBytes> held_;
  HeldBytes bytes_;
  bool read_plain_ = false;
  std::map<std::string, std::pair<Packed, Unpack>> packed_;
};

class Workspace {
 public:
  explicit Workspace(size_t memory);

  size_t memory() const { return memory_; }                     // the budget, in bytes
  size_t held() const { return held_->plain + held_->packed; }  // by weights in all their forms
  size_t left() const { return held() < memory_ ? memory_ - held() : 0; }

  // Counts the constants of a graph that lives as long as the workspace; sessions count what they add to it.
  void own(const Graph& graph);
  // Complains if that many bytes more of packed weights are far too many together with what must stay. Originals of
  // sessions need not: they go as soon as they are packed.
  void check_packed(size_t bytes);

  // The constant as all sessions of this precision share it; it lives as long as one of them does.
  std::shared_ptr<Weight> weight(const Tensor& constant, DType real);

  // Counts a plan that was just made for as long as the result lives. Plans may take a quarter of the budget beside it;
  // if they take more, sessions make room. What is counted changes no batch, and so no result.
  std::shared_ptr<const void> count_plan(size_t bytes);
  size_t plan_bytes() const { return held_->plans; }

  // Temporary memory for the session that runs now. What lay there before is gone.
  std::byte* arena(size_t bytes);

  // Batches that came upon NaN, or seemed to, and were run again: see Session.
  int64_t run_again = 0;

  // Asked when a session needs more than is left: frees something and returns true, or false if nothing is left to
  // free.
  std::function<bool()> make_room;

 private:
  struct Identity {
    std::weak_ptr<const void> storage;  // outlives the address, which may be given to another tensor
    const void* memory = nullptr;
    Shape shape;
    DType real = DType::f32;
    bool operator<(const Identity& other) const;
  };

  size_t memory_;
  std::shared_ptr<HeldBytes> held_ = std::make_shared<HeldBytes>();
  size_t owned_bytes_ = 0;
  std::map<std::weak_ptr<const void>, bool, std::owner_less<std::weak_ptr<const void>>> owned_;
  std::map<Identity, std::weak_ptr<Weight>> weights_;
  Arena arena_;
};

}  // namespace ascribe::core
