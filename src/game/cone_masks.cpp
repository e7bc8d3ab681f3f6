#include "game/cone_masks.h"

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/finite.h"

namespace ascribe::core {

namespace {

constexpr double kWorthIt = 0.8;    // the share of a whole row's work that the cone may take at most
constexpr double kFollowing = 0.7;  // following another coalition keeps its values, so it must save more
constexpr int64_t kMostChains = 64;

constexpr size_t kMostPlaces = 4;  // axes of places

// Corners instead of sizes, as boxes grow.
struct Bounds {
  std::array<int64_t, kMostPlaces> begin{}, end{};  // end 0: there is nothing in them
  bool empty() const { return end[0] == 0; }
};

void include(Bounds& bounds, const Bounds& other) {
  if (other.empty()) return;
  if (bounds.empty()) {
    bounds = other;
    return;
  }
  for (size_t i = 0; i < kMostPlaces; ++i) {
    bounds.begin[i] = std::min(bounds.begin[i], other.begin[i]);
    bounds.end[i] = std::max(bounds.end[i], other.end[i]);
  }
}

enum class Way { same, near_x, near_nobody, follows, plain };

struct Choice {
  Way way = Way::plain;
  ConeBox box;       // of the change
  double share = 1;  // of the work of a whole row
};

// A row: a coalition and a baseline.
struct Asked {
  int64_t set, baseline;
};

class ConeGame {
 public:
  ConeGame(const MaskedInput& input, ConeQuestion question, std::shared_ptr<Game> plain, ConeCount count)
      : input_(input),
        question_(std::move(question)),
        plain_(std::move(plain)),
        count_(std::move(count)),
        cone_(question_.runner->cone()),
        places_(cone_.kept_places(cone_.input_value())),
        x_(input.x.cast(input.real)),
        baselines_(input.baselines.cast(input.real)) {
    rows_ = input.baselines.size() / std::ssize(input.players.owner);
    find_bounds();
  }

  void operator()(const Coalitions& sets, std::span<double> out, const Progress& progress) {
    std::vector<Choice> choices = choose(sets);
    if (!pays(choices)) {
      const std::vector<double> values = plain_->values(sets, progress);
      std::copy(values.begin(), values.end(), out.begin());
      return;
    }
    std::vector<double> values(choices.size());  // of rows
    answer_near(sets, choices, values, progress);
    answer_following(sets, choices, values, progress);
    for (int64_t s = 0; s < sets.size(); ++s) {
      double sum = 0;
      for (int64_t b = 0; b < rows_; ++b) sum += values[static_cast<size_t>(s * rows_ + b)];
      out[static_cast<size_t>(s)] = sum / static_cast<double>(rows_);
    }
    answer_plain(sets, choices, out, progress);
    for (const double value : out) {
      if (!std::isfinite(value)) {
        fail(ErrorKind::numeric, "game", "the model's output is {} for a masked input", number_in_words(value));
      }
    }
  }

 private:
  ConeRunner& runner() const { return *question_.runner; }
  int64_t element_count_of_row() const { return std::ssize(input_.players.owner); }

  // Where masking a player changes the row; elements that are the same at the baseline do not count.
  void find_bounds() {
    const Shape& row = input_.row;
    bounds_.assign(static_cast<size_t>(rows_), std::vector<Bounds>(static_cast<size_t>(input_.players.count())));
    visit(input_.real, [&]<class T>(T) {
      const auto x = x_.data<T>(), b = baselines_.data<T>();
      Shape position(row.size());
      for (size_t e = 0; e < input_.players.owner.size(); ++e) {
        const int32_t owner = input_.players.owner[e];
        if (owner >= 0) {
          Bounds here;
          for (size_t i = 0; i < places_.size(); ++i) {
            here.begin[i] = position[places_[i]];
            here.end[i] = here.begin[i] + 1;
          }
          for (size_t k = 0; k < bounds_.size(); ++k) {
            const bool same = x[e] == b[k * input_.players.owner.size() + e];
            if (!same) include(bounds_[k][static_cast<size_t>(owner)], here);
          }
        }
        for (size_t axis = row.size(); axis-- > 0;) {
          if (++position[axis] < row[axis]) break;
          position[axis] = 0;
        }
      }
    });
  }

  ConeBox box_of(const Bounds& bounds) const {
    ConeBox box{Shape(places_.size()), Shape(places_.size())};
    for (size_t i = 0; i < places_.size(); ++i) {
      box.begin[i] = bounds.begin[i];
      box.size[i] = bounds.end[i] - bounds.begin[i];
    }
    return box;
  }

  // Of the players whose bits are set in f(word).
  template <class F>
  Bounds bounds_of(int64_t baseline, size_t words, F&& f) const {
    Bounds bounds;
    const auto& own = bounds_[static_cast<size_t>(baseline)];
    for (size_t word = 0; word < words; ++word) {
      for (uint64_t rest = f(word); rest != 0; rest &= rest - 1) {
        const size_t player = word * 64 + static_cast<size_t>(std::countr_zero(rest));
        if (player >= own.size()) break;
        include(bounds, own[player]);
      }
      if (too_large(bounds)) return bounds;
    }
    return bounds;
  }

  // Nothing is saved then.
  bool too_large(const Bounds& bounds) const {
    int64_t size = 2;
    for (size_t i = 0; i < places_.size(); ++i) size *= bounds.end[i] - bounds.begin[i];
    return size > element_count(cone_.segments()[0].extents);
  }

  double share_of(const Bounds& bounds) {
    if (too_large(bounds)) return 1;
    const ConeBox box = box_of(bounds);
    const auto [place, is_new] = shares_.try_emplace({box.begin, box.size}, 1.0);
    if (is_new) place->second = runner().share(box);
    return place->second;
  }

  Choice choose(const Coalitions& sets, int64_t s, int64_t baseline) {
    const auto words = sets.words(s);
    Choice best;
    const auto consider = [&](Way way, const Bounds& bounds, double factor) {
      if (bounds.empty()) {
        // Nothing differs from x, or from nobody.
        if (way != Way::follows) best = {way, {}, 0};
        return;
      }
      const double share = share_of(bounds);
      if (share < kWorthIt && share < factor * best.share) best = {way, box_of(bounds), share};
    };
    // Few players are absent, or few are present; hardly ever both.
    int64_t present = 0;
    for (const uint64_t word : words) present += std::popcount(word);
    const bool few_absent = 2 * present >= sets.players();
    for (const bool absent : {few_absent, !few_absent}) {
      if (best.way != Way::plain) break;
      const auto bits = [&](size_t w) { return absent ? ~words[w] : words[w]; };
      consider(absent ? Way::near_x : Way::near_nobody, bounds_of(baseline, words.size(), bits), 1);
    }
    if (s > 0 && best.share > 0 && cone_.work() >= question_.least_to_follow) {
      const auto before = sets.words(s - 1);
      consider(Way::follows, bounds_of(baseline, words.size(), [&](size_t w) { return words[w] ^ before[w]; }),
               kFollowing);
    }
    return best;
  }

  // For every row. A coalition goes the plain way with all its baselines.
  std::vector<Choice> choose(const Coalitions& sets) {
    std::vector<Choice> choices;
    for (int64_t s = 0; s < sets.size(); ++s) {
      bool plain = false;
      for (int64_t b = 0; b < rows_; ++b) {
        choices.push_back(choose(sets, s, b));
        plain = plain || choices.back().way == Way::plain;
      }
      if (!plain) continue;
      for (int64_t b = 0; b < rows_; ++b) choices[static_cast<size_t>(s * rows_ + b)] = {};
    }
    return choices;
  }

  // Whether the work that is saved is more than that of the known rows.
  bool pays(const std::vector<Choice>& choices) const {
    double saved = 0;
    bool x = false, nobody = false;
    for (const Choice& choice : choices) {
      saved += 1 - choice.share;
      x = x || choice.way == Way::near_x;
      nobody = nobody || choice.way == Way::near_nobody;
    }
    // A small network spends more on boxes of many sizes than it saves, unless most rows are near a known one.
    if (cone_.work() < question_.least_to_follow && 2 * saved < static_cast<double>(choices.size())) return false;
    const double known = (x ? 1 : 0) + (nobody ? static_cast<double>(rows_) : 0);
    return saved > 1.5 * known + 1;
  }

  // The input of a row in a box, row-major.
  template <class T>
  void fill(const Coalitions& sets, const Asked& row, const ConeBox& box, T* to) const {
    const auto words = sets.words(row.set);
    const T* x = x_.data<T>().data();
    const T* b = baselines_.data<T>().data() + row.baseline * element_count_of_row();
    const Shape shape = row_with(input_.row, places_, box.size), strides = strides_of(input_.row);
    int64_t first = 0;
    for (size_t i = 0; i < places_.size(); ++i) first += box.begin[i] * strides[places_[i]];
    const int64_t line = shape.back(), lines = element_count(shape) / line;
    for (int64_t l = 0; l < lines; ++l) {
      int64_t from = first, rest = l;
      for (size_t axis = shape.size() - 1; axis-- > 0; rest /= shape[axis]) from += rest % shape[axis] * strides[axis];
      for (int64_t i = 0; i < line; ++i, ++from, ++to) {
        const int32_t owner = input_.players.owner[static_cast<size_t>(from)];
        const bool there = owner < 0 || (words[static_cast<size_t>(owner / 64)] >> (owner % 64) & 1) != 0;
        *to = there ? x[from] : b[from];
      }
    }
  }

  ConeRunner::Fill filler(const Coalitions& sets, const std::vector<Asked>& asked) const {
    return [this, &sets, &asked](int64_t row, const ConeBox& box, void* to) {
      visit(input_.real, [&]<class T>(T) { fill(sets, asked[static_cast<size_t>(row)], box, static_cast<T*>(to)); });
    };
  }

  // The model's inputs with a row of the explained one.
  std::vector<Tensor> point_with(const Tensor& row) const {
    std::vector<Tensor> point = question_.point;
    point[cone_.input()] = row.reshaped(point[cone_.input()].shape());
    return point;
  }

  // The whole row of a coalition and a baseline.
  Tensor masked(const Coalitions& sets, const Asked& row) const {
    Tensor whole(input_.real, input_.row);
    const ConeBox all{Shape(places_.size()), cone_.segments()[0].extents};
    visit(input_.real, [&]<class T>(T) { fill(sets, row, all, whole.mutable_data<T>().data()); });
    return whole;
  }

  double answer_of(const Tensor& answers, int64_t row, int64_t rows) const {
    return answers.at(row * (answers.size() / rows) + question_.target);
  }

  // What is known of x (-1) or of a baseline with what nobody owns at x.
  ConeRunner::Known& known(int64_t which, const ConeRunner::Schedule& schedule) {
    if (known_segments_ != schedule.segments) known_.clear();
    known_segments_ = schedule.segments;
    const auto found = known_.find(which);
    if (found != known_.end()) return found->second;
    Coalitions set(input_.players.count());
    if (which < 0) {
      const std::vector<uint64_t> all(static_cast<size_t>(set.words_per_set()), ~uint64_t{0});
      set.add(std::span<const uint64_t>(all));
    } else {
      set.add(std::span<const int64_t>());
    }
    const Tensor row = masked(set, {0, std::max<int64_t>(which, 0)});
    return known_[which] = runner().know(schedule, point_with(row));
  }

  // Coalitions near x or the baseline.
  void answer_near(const Coalitions& sets, std::vector<Choice>& choices, std::vector<double>& values,
                   const Progress& progress) {
    std::vector<Asked> asked;
    std::vector<ConeBox> boxes;
    std::vector<size_t> at;
    for (size_t i = 0; i < choices.size(); ++i) {
      const Choice& choice = choices[i];
      const bool near = choice.way == Way::near_x || choice.way == Way::near_nobody;
      // The first of those that follow each other is answered with them.
      if (!near || choice.box.size.empty() || leads(choices, i)) continue;
      asked.push_back({static_cast<int64_t>(i) / rows_, static_cast<int64_t>(i) % rows_});
      boxes.push_back(choice.box);
      at.push_back(i);
    }
    const ConeRunner::Schedule schedule = boxes.empty() ? any_schedule() : runner().schedule(boxes);
    std::vector<ConeRunner::Row> rows;
    for (size_t k = 0; k < at.size(); ++k) {
      const bool near_x = choices[at[k]].way == Way::near_x;
      rows.push_back({&known(near_x ? -1 : asked[k].baseline, schedule), boxes[k]});
    }
    for (size_t i = 0; i < choices.size(); ++i) {
      if (!choices[i].box.size.empty() || (choices[i].way != Way::near_x && choices[i].way != Way::near_nobody))
        continue;
      const int64_t which = choices[i].way == Way::near_x ? -1 : static_cast<int64_t>(i) % rows_;
      values[i] = answer_of(known(which, schedule).answer, 0, 1);
    }
    if (rows.empty()) return;
    const Tensor answers = runner().run(
        schedule, rows, question_.point, filler(sets, asked), false,
        [&](std::string_view, int64_t done, int64_t) { report(progress, "masked inputs", done / rows_, sets.size()); });
    for (size_t k = 0; k < at.size(); ++k) {
      values[at[k]] = answer_of(answers, static_cast<int64_t>(k), std::ssize(at));
    }
    if (count_) *count_ += std::ssize(at);
  }

  ConeRunner::Schedule any_schedule() const {
    const ConeBox one{Shape(places_.size()), Shape(places_.size(), 1)};
    return runner().schedule(std::array{one});
  }

  bool leads(const std::vector<Choice>& choices, size_t i) const {
    const size_t next = i + static_cast<size_t>(rows_);
    return next < choices.size() && choices[next].way == Way::follows;
  }

  // Coalitions that follow each other, for one baseline.
  struct Chain {
    size_t first, length;  // of rows, each `rows_` behind the one before
  };

  std::vector<Chain> chains_in(const std::vector<Choice>& choices) const {
    std::vector<Chain> chains;
    for (size_t i = 0; i < choices.size(); ++i) {
      if (choices[i].way == Way::follows || !leads(choices, i)) continue;
      Chain chain{i, 1};
      while (leads(choices, i + (chain.length - 1) * static_cast<size_t>(rows_))) ++chain.length;
      chains.push_back(chain);
    }
    std::stable_sort(chains.begin(), chains.end(), [](const Chain& a, const Chain& b) { return a.length > b.length; });
    return chains;
  }

  void answer_following(const Coalitions& sets, std::vector<Choice>& choices, std::vector<double>& values,
                        const Progress& progress) {
    const std::vector<Chain> chains = chains_in(choices);
    if (chains.empty()) return;
    std::vector<ConeBox> boxes;
    for (const Choice& choice : choices) {
      if (choice.way == Way::follows) boxes.push_back(choice.box);
    }
    // A step has one row of each chain.
    const auto side_by_side = std::min<int64_t>(std::ssize(chains), kMostChains);
    const ConeRunner::Schedule schedule = runner().schedule(boxes, side_by_side);
    const size_t bytes = runner().known_bytes(schedule), budget = input_.memory / 4;
    const auto most = static_cast<size_t>(
        std::clamp<int64_t>(static_cast<int64_t>(budget / std::max<size_t>(bytes, 1)) - 1, 1, kMostChains));
    int64_t done = 0;
    for (size_t first = 0; first < chains.size(); first += most) {
      const std::span<const Chain> some = std::span(chains).subspan(first, std::min(most, chains.size() - first));
      walk(sets, some, schedule, choices, values);
      for (const Chain& chain : some) done += static_cast<int64_t>(chain.length);
      report(progress, "masked inputs", std::min(sets.size(), done / rows_), sets.size());
    }
  }

  static bool steps_from_known(const Choice& choice) {
    return (choice.way == Way::near_x || choice.way == Way::near_nobody) && !choice.box.size.empty();
  }

  // With memory of its own, which may be written to.
  static ConeRunner::Known own_copy(const ConeRunner::Known& known) {
    ConeRunner::Known copy = known;
    for (Tensor& value : copy.values) value.mutable_memory();
    return copy;
  }

  // Side by side, step by step.
  void walk(const Coalitions& sets, std::span<const Chain> chains, const ConeRunner::Schedule& schedule,
            const std::vector<Choice>& choices, std::vector<double>& values) {
    std::vector<ConeRunner::Known> states(chains.size());
    for (size_t c = 0; c < chains.size(); ++c) {
      const auto first = static_cast<int64_t>(chains[c].first);
      const Choice& head = choices[chains[c].first];
      if (steps_from_known(head)) {
        states[c] = own_copy(known(head.way == Way::near_x ? -1 : first % rows_, schedule));
      } else {
        states[c] = runner().know(schedule, point_with(masked(sets, {first / rows_, first % rows_})));
        values[chains[c].first] = answer_of(states[c].answer, 0, 1);
      }
    }
    for (size_t step = 0; step < chains[0].length; ++step) {
      std::vector<ConeRunner::Row> rows;
      std::vector<Asked> asked;
      std::vector<size_t> at;
      for (size_t c = 0; c < chains.size() && chains[c].length > step; ++c) {
        const size_t i = chains[c].first + step * static_cast<size_t>(rows_);
        if (step == 0 && !steps_from_known(choices[i])) continue;
        rows.push_back({&states[c], choices[i].box});
        asked.push_back({static_cast<int64_t>(i) / rows_, static_cast<int64_t>(i) % rows_});
        at.push_back(i);
      }
      if (rows.empty()) continue;
      const Tensor answers = runner().run(schedule, rows, question_.point, filler(sets, asked), true);
      for (size_t k = 0; k < at.size(); ++k) {
        values[at[k]] = answer_of(answers, static_cast<int64_t>(k), std::ssize(at));
      }
      if (count_) *count_ += std::ssize(at);
    }
  }

  void answer_plain(const Coalitions& sets, const std::vector<Choice>& choices, std::span<double> out,
                    const Progress& progress) {
    Coalitions others(sets.players());
    std::vector<int64_t> at;
    for (int64_t s = 0; s < sets.size(); ++s) {
      const auto i = static_cast<size_t>(s * rows_);
      if (choices[i].way != Way::plain || (rows_ == 1 && leads(choices, i))) continue;
      others.add(sets.words(s));
      at.push_back(s);
    }
    if (at.empty()) return;
    const std::vector<double> values = plain_->values(others, progress);
    for (size_t k = 0; k < at.size(); ++k) out[static_cast<size_t>(at[k])] = values[k];
  }

  MaskedInput input_;
  ConeQuestion question_;
  std::shared_ptr<Game> plain_;
  ConeCount count_;
  const Cone& cone_;
  std::vector<size_t> places_;
  Tensor x_, baselines_;
  int64_t rows_ = 1;                         // baselines
  std::vector<std::vector<Bounds>> bounds_;  // [baseline][player]
  std::map<std::pair<Shape, Shape>, double> shares_;
  std::map<int64_t, ConeRunner::Known> known_;
  size_t known_segments_ = 0;
};

}  // namespace

Game masked_cone_game(const MaskedInput& input, ConeQuestion question, std::shared_ptr<Game> plain, ConeCount count) {
  const auto game = std::make_shared<ConeGame>(input, std::move(question), std::move(plain), std::move(count));
  return {input.players.count(), [game](const Coalitions& sets, std::span<double> out, const Progress& progress) {
            (*game)(sets, out, progress);
          }};
}

}  // namespace ascribe::core
