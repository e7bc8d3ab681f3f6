#include "methods/shared_work.h"

#include <algorithm>
#include <bit>

#include "methods/path_integral.h"

namespace ascribe::core {

namespace {

constexpr size_t kMostOutputs = size_t{1} << 20;  // that are remembered
constexpr size_t kMostBytes = size_t{256} << 20;  // of integrals, at most this part of the memory:
constexpr size_t kPartOfMemory = 16;

// The finaliser of splitmix64.
uint64_t mixed(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// What a row has at each player's places, and what it gets from x there instead of a baseline.
struct MaskedKeys {
  RowKey none, all;               // of all players
  std::vector<RowKey> by_player;  // what the player changes
};

MaskedKeys keys_against(const Players& players, std::span<const double> x, const double* baseline) {
  MaskedKeys keys;
  keys.by_player.resize(static_cast<size_t>(players.count()));
  for (size_t i = 0; i < x.size(); ++i) {
    const RowKey own = element_key(i, x[i]);
    keys.all += own;
    const int32_t owner = players.owner[i];
    const RowKey masked = owner < 0 ? own : element_key(i, baseline[i]);
    keys.none += masked;
    if (owner < 0) continue;
    RowKey& player = keys.by_player[static_cast<size_t>(owner)];
    player += own;
    player -= masked;
  }
  return keys;
}

// By the fewer of those who are there and those who are not.
RowKey key_of(const MaskedKeys& keys, std::span<const uint64_t> words) {
  int64_t present = 0;
  for (const uint64_t word : words) present += std::popcount(word);
  const auto players = std::ssize(keys.by_player);
  const bool add = 2 * present <= players;
  RowKey key = add ? keys.none : keys.all;
  for (size_t w = 0; w < words.size(); ++w) {
    const int64_t left = players - static_cast<int64_t>(w) * 64;
    uint64_t bits = add ? words[w] : ~words[w] & (left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1);
    for (; bits != 0; bits &= bits - 1) {
      const RowKey& player = keys.by_player[w * 64 + static_cast<size_t>(std::countr_zero(bits))];
      if (add) key += player;
      else key -= player;
    }
  }
  return key;
}

// Numbers as the model gets them.
std::vector<double> as_computed(const Tensor& values, DType real) {
  const Tensor wide = values.cast(real).cast(DType::f64);
  return {wide.data<double>().begin(), wide.data<double>().end()};
}

// Everything that all masked inputs of a question have in common.
RowKey key_of_rest(const ExplainedModel& model, const Question& question) {
  RowKey key;
  key.mix(static_cast<uint64_t>(question.target));
  for (size_t input = 0; input < question.point.size(); ++input) {
    if (input == model.input()) continue;
    const Tensor& other = question.point[input];
    RowKey row;
    for (int64_t i = 0; i < other.size(); ++i) row += element_key(static_cast<uint64_t>(i), other.at(i));
    key.mix(row.first);
    key.mix(row.second);
  }
  return key;
}

struct QuestionKeys {
  RowKey rest;
  std::vector<MaskedKeys> baselines;

  RowKey of(std::span<const uint64_t> words) const {
    RowKey key = rest;
    for (const MaskedKeys& keys : baselines) {
      const RowKey row = key_of(keys, words);
      key.mix(row.first);
      key.mix(row.second);
    }
    return key;
  }
};

QuestionKeys keys_of(const ExplainedModel& model, const Question& question) {
  QuestionKeys keys{key_of_rest(model, question), {}};
  const std::vector<double> x = as_computed(question.point[model.input()], model.real());
  const std::vector<double> baselines = as_computed(question.baselines, model.real());
  for (size_t from = 0; from < baselines.size(); from += x.size()) {
    keys.baselines.push_back(keys_against(question.players, x, baselines.data() + from));
  }
  return keys;
}

}  // namespace

RowKey& RowKey::operator+=(const RowKey& other) {
  first += other.first;
  second += other.second;
  return *this;
}

RowKey& RowKey::operator-=(const RowKey& other) {
  first -= other.first;
  second -= other.second;
  return *this;
}

void RowKey::mix(uint64_t number) {
  first = mixed(first * 3 + mixed(number + 0x9e3779b97f4a7c15));
  second = mixed(second * 5 + mixed(number + 0xd1b54a32d192ed03));
}

RowKey element_key(uint64_t place, double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  return {mixed(bits + mixed(place + 0x9e3779b97f4a7c15)),
          mixed((bits ^ 0x632be59bd9b4e019) + mixed(place + 0xd1b54a32d192ed03))};
}

// Where the model finds it.
struct SharedWork::Place {
  SharedWork* work = nullptr;
};

SharedWork::SharedWork(ExplainedModel& model)
    : place_(model.kept<Place>("shared work", [] { return std::make_shared<Place>(); })),
      bytes_left_(std::min(kMostBytes, model.memory() / kPartOfMemory)) {
  if (place_->work != nullptr) place_ = nullptr;  // somebody shares already
  else place_->work = this;
}

SharedWork::~SharedWork() {
  if (place_) place_->work = nullptr;
}

SharedWork* SharedWork::of(ExplainedModel& model) {
  return model.kept<Place>("shared work", [] { return std::make_shared<Place>(); })->work;
}

void SharedWork::values(std::span<const RowKey> keys, const Coalitions& sets, std::span<double> out,
                        const std::function<std::vector<double>(const Coalitions& fresh)>& compute) {
  Coalitions fresh(sets.players());
  std::unordered_map<RowKey, int64_t, Hash> places;  // of fresh ones
  std::vector<int64_t> place_of(keys.size(), -1);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (const auto known = outputs_.find(keys[i]); known != outputs_.end()) {
      out[i] = known->second;
      continue;
    }
    const auto [place, is_new] = places.try_emplace(keys[i], fresh.size());
    if (is_new) fresh.add(sets.words(static_cast<int64_t>(i)));
    place_of[i] = place->second;
  }
  asked_ += std::ssize(keys);
  if (fresh.size() == 0) return;
  const std::vector<double> computed = compute(fresh);
  computed_ += fresh.size();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (place_of[i] < 0) continue;
    out[i] = computed[static_cast<size_t>(place_of[i])];
    if (outputs_.size() < kMostOutputs) outputs_.try_emplace(keys[i], out[i]);
  }
}

const PathIntegral* SharedWork::integral(const RowKey& path) const {
  const auto found = integrals_.find(path);
  return found == integrals_.end() ? nullptr : found->second.get();
}

void SharedWork::keep(const RowKey& path, const PathIntegral& integral) {
  const size_t bytes = integral.values.size() * sizeof(double);
  if (bytes > bytes_left_) return;
  if (integrals_.try_emplace(path, std::make_unique<PathIntegral>(integral)).second) bytes_left_ -= bytes;
}

namespace {

// A game that waits until it is asked.
class LaterGame {
 public:
  LaterGame(ExplainedModel& model, const Question& question, MadeGame make)
      : model_(model), question_(question), keys_(keys_of(model, question)), make_(make) {}

  void values(const Coalitions& sets, std::span<double> out, const Progress& progress) {
    SharedWork* work = SharedWork::of(model_);
    if (work == nullptr) {
      std::ranges::copy(game().values(sets, progress), out.begin());
      return;
    }
    std::vector<RowKey> wanted;
    wanted.reserve(static_cast<size_t>(sets.size()));
    for (int64_t i = 0; i < sets.size(); ++i) wanted.push_back(keys_.of(sets.words(i)));
    work->values(wanted, sets, out, [&](const Coalitions& fresh) { return game().values(fresh, progress); });
  }

 private:
  Game& game() {
    if (!game_) game_.emplace(make_(model_, question_));
    return *game_;
  }

  ExplainedModel& model_;
  Question question_;
  QuestionKeys keys_;
  MadeGame make_;
  std::optional<Game> game_;
};

}  // namespace

Game shared_game(ExplainedModel& model, const Question& question, MadeGame make) {
  // What a row is worth depends on the coalition where absent players depend on the others.
  if (SharedWork::of(model) == nullptr || question.absence.conditional()) return make(model, question);
  const auto later = std::make_shared<LaterGame>(model, question, make);
  return {question.players.count(), [later](const Coalitions& sets, std::span<double> out, const Progress& progress) {
            later->values(sets, out, progress);
          }};
}

}  // namespace ascribe::core
