// What several parts of one piece of work ask of a model again: outputs of masked inputs, and path integrals. They are
// known by what is in the rows, whoever masks them: Shapley values, occlusion, curves and the principles of masked
// inputs ask for the same rows under other names. While one lives, games (methods/question_game.h) and path integrals
// (methods/path_integral.h) of its model remember.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "game/game.h"
#include "methods/explained_model.h"
#include "methods/question.h"

namespace ascribe::core {

// Of numbers at their places, so well mixed that two of them are the same by accident never.
struct RowKey {
  uint64_t first = 0, second = 0;

  bool operator==(const RowKey&) const = default;
  RowKey& operator+=(const RowKey& other);
  RowKey& operator-=(const RowKey& other);
  void mix(uint64_t number);  // the order counts
};

// Keys of rows are sums over their elements, so that players can be exchanged.
RowKey element_key(uint64_t place, double value);

struct PathIntegral;

class SharedWork {
 public:
  explicit SharedWork(ExplainedModel& model);
  ~SharedWork();
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;

  static SharedWork* of(ExplainedModel& model);  // null: nothing is shared

  int64_t asked() const { return asked_; }        // masked inputs that parts asked for
  int64_t computed() const { return computed_; }  // of them: that were not known yet

  // Values of a batch: only those that are new are computed.
  void values(std::span<const RowKey> keys, const Coalitions& sets, std::span<double> out,
              const std::function<std::vector<double>(const Coalitions& fresh)>& compute);

  const PathIntegral* integral(const RowKey& path) const;  // null: it is not known
  void keep(const RowKey& path, const PathIntegral& integral);

 private:
  struct Hash {
    size_t operator()(const RowKey& key) const { return key.first; }
  };
  struct Place;

  std::shared_ptr<Place> place_;
  std::unordered_map<RowKey, double, Hash> outputs_;
  std::unordered_map<RowKey, std::unique_ptr<PathIntegral>, Hash> integrals_;
  size_t bytes_left_;  // for integrals
  int64_t asked_ = 0, computed_ = 0;
};

// The game of a question, made only if something has to be computed; if nothing is shared, as it is made.
using MadeGame = Game (*)(ExplainedModel& model, const Question& question);
Game shared_game(ExplainedModel& model, const Question& question, MadeGame make);

}  // namespace ascribe::core
