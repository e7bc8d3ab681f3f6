// With J the dividends, an OR of T is the AND of every R inside T with the sign (-1)^(|R| + 1), so
//   I_and(R) = J(R) - (-1)^(|R| + 1) * sum over T that contain R of I_or(T),
// and the least strength is a linear problem without constraints in the I_or of two players or more. It is solved by
// the simplex method for sums of absolute values (Barrodale, Roberts 1973): of all effects those that are not in the
// basis are 0; one of them is moved until the sum no longer falls, where another becomes 0 and takes its place. The
// start is AND alone, which is left only where that makes the sum smaller.
#include "game/and_or.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "game/moebius.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

constexpr double kPerturbation = 1e-10;  // of the right-hand side, so that no two effects vanish at once
constexpr double kSlopeTolerance = 1e-9;
constexpr double kPivotTolerance = 1e-9;
constexpr double kRounding = 1e-12;  // of the strength: nothing that this small is told
constexpr int64_t kColumnsAtATime = 256;
constexpr int64_t kWorthThreads = int64_t{1} << 22;  // entries of the table

double sign_of_and(size_t set) { return std::popcount(set) % 2 == 1 ? 1.0 : -1.0; }

double strength_of(const std::vector<double>& effects) {
  double sum = 0;
  for (size_t set = 1; set < effects.size(); ++set) sum += std::abs(effects[set]);
  return sum;
}

// values[R] becomes the sum over all T that contain R.
void superset_sums(std::vector<double>& values) {
  for (size_t bit = 1; bit < values.size(); bit *= 2) {
    for (size_t set = 0; set < values.size(); ++set) {
      if ((set & bit) == 0) values[set] += values[set | bit];
    }
  }
}

// basic = right - table * others, all others 0. Variables are numbered: sets of I_and, then sets of I_or.
class LeastStrength {
 public:
  explicit LeastStrength(const std::vector<double>& dividends) : sets_(dividends.size()), given_(dividends) {
    for (size_t set = 1; set < sets_; ++set) {
      basic_.push_back(set);
      if (std::popcount(set) > 1) others_.push_back(sets_ + set);
    }
    double scale = 0;
    for (size_t set = 1; set < sets_; ++set) scale = std::max(scale, std::abs(dividends[set]));
    if (scale == 0) scale = 1;
    table_.assign(basic_.size() * others_.size(), 0.0);
    for (size_t i = 0; i < basic_.size(); ++i) {
      const size_t set = basic_[i];
      given_[set] *= sign_of_and(set);
      right_.push_back(given_[set]);
      const double draw = Random(0, 0).uniform(set);
      moved_.push_back(right_.back() + kPerturbation * scale * (draw < 0.5 ? draw - 1 : draw));
      for (size_t j = 0; j < others_.size(); ++j) {
        if (((others_[j] - sets_) & set) == set) row(i)[j] = 1;
      }
    }
    slopes_.resize(others_.size());
    lengths_.resize(others_.size());
    walk(std::vector<double>(basic_.size(), 0.0), slopes_);
  }

  // Whether the sum became smaller. Of the directions in which it falls, the steepest one is taken.
  bool step() {
    size_t entering = 0;
    double steepest = 0;
    for (size_t j = 0; j < slopes_.size(); ++j) {
      const double falls = std::abs(slopes_[j]) - 1;
      if (falls <= kSlopeTolerance || falls * falls <= steepest * lengths_[j]) continue;
      steepest = falls * falls / lengths_[j];
      entering = j;
    }
    if (steepest == 0) return false;
    pivot(leaving(entering, slopes_[entering]), entering);
    return true;
  }

  // I_or by set.
  std::vector<double> or_effects() const {
    std::vector<double> effects(sets_, 0.0);
    for (size_t i = 0; i < basic_.size(); ++i) {
      if (basic_[i] >= sets_) effects[basic_[i] - sets_] = right_[i];
    }
    return effects;
  }

  // By duality, and checked without the table: if |p(R)| <= 1 for all R, and the sums of p over all R inside T are at
  // most 1 for all T of two players or more, no split has less strength than the sum of p(R) right(R).
  double bound() const {
    std::vector<double> p(sets_, 0.0);
    for (size_t i = 0; i < basic_.size(); ++i) {
      if (basic_[i] < sets_) p[basic_[i]] = std::copysign(1.0, moved_[i]);
    }
    for (size_t j = 0; j < others_.size(); ++j) {
      if (others_[j] < sets_) p[others_[j]] = slopes_[j];
    }
    double sum = 0, largest = 1;
    for (size_t set = 1; set < sets_; ++set) {
      sum += p[set] * given_[set];
      largest = std::max(largest, std::abs(p[set]));
    }
    zeta_transform(p);
    for (size_t set = 1; set < sets_; ++set) {
      if (std::popcount(set) > 1) largest = std::max(largest, std::abs(p[set]));
    }
    return sum / largest;
  }

 private:
  double* row(size_t i) { return table_.data() + i * others_.size(); }

  // What vanishes where the sum is smallest along the entering variable: it falls by |slope| - 1 at first, and by
  // 2 |table| less behind every variable that has passed 0.
  size_t leaving(size_t entering, double slope) {
    std::vector<std::pair<double, size_t>> crossings;
    for (size_t i = 0; i < basic_.size(); ++i) {
      const double rate = row(i)[entering] * std::copysign(1.0, slope);
      if (std::abs(rate) > kPivotTolerance && moved_[i] / rate > 0) crossings.emplace_back(moved_[i] / rate, i);
    }
    require(!crossings.empty(), "and-or", "a sum of magnitudes falls forever");
    std::sort(crossings.begin(), crossings.end());
    double falls = std::abs(slope) - 1;
    for (const auto& [at, i] : crossings) {
      falls -= 2 * std::abs(row(i)[entering]);
      if (falls <= 0) return i;
    }
    return crossings.back().second;
  }

  void pivot(size_t leaves, size_t enters) {
    const std::vector<double> old(row(leaves), row(leaves) + others_.size());
    const double inverse = 1 / old[enters];
    std::vector<double> factors(basic_.size());
    for (size_t i = 0; i < basic_.size(); ++i) factors[i] = row(i)[enters] * inverse;
    factors[leaves] = 0;
    for (size_t i = 0; i < basic_.size(); ++i) {
      right_[i] -= factors[i] * right_[leaves];
      moved_[i] -= factors[i] * moved_[leaves];
      row(i)[enters] = 0;  // so that what follows makes it -factor
    }
    for (size_t j = 0; j < others_.size(); ++j) row(leaves)[j] = old[j] * inverse;
    right_[leaves] *= inverse;
    moved_[leaves] *= inverse;
    row(leaves)[enters] = inverse;
    std::swap(basic_[leaves], others_[enters]);
    std::vector<double> subtracted = old;
    subtracted[enters] = 1;
    walk(factors, subtracted);
  }

  // table -= factors * subtracted, and then, while it is in the cache, for every column j
  //   slopes[j] = sum over i of sign(basic i) table[i][j], how fast the basic magnitudes fall as j grows,
  //   lengths[j] = 1 + sum over i of table[i][j]^2, how far everything moves with it.
  void walk(const std::vector<double>& factors, const std::vector<double>& subtracted) {
    const auto columns = static_cast<int64_t>(others_.size());
    const auto some = [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        walk_columns(static_cast<size_t>(block * kColumnsAtATime),
                     static_cast<size_t>(std::min((block + 1) * kColumnsAtATime, columns)), factors, subtracted);
      }
    };
    const int64_t blocks = (columns + kColumnsAtATime - 1) / kColumnsAtATime;
    if (std::ssize(table_) < kWorthThreads) some(0, blocks);
    else parallel_for(blocks, 1, some);
  }

  void walk_columns(size_t from, size_t to, const std::vector<double>& factors, const std::vector<double>& subtracted) {
    for (size_t j = from; j < to; ++j) slopes_[j] = 0, lengths_[j] = 1;
    for (size_t i = 0; i < basic_.size(); ++i) {
      double* mine = row(i);
      if (factors[i] != 0) {
        for (size_t j = from; j < to; ++j) mine[j] -= factors[i] * subtracted[j];
      }
      const double sign = std::copysign(1.0, moved_[i]);
      for (size_t j = from; j < to; ++j) {
        slopes_[j] += sign * mine[j];
        lengths_[j] += mine[j] * mine[j];
      }
    }
  }

  size_t sets_;
  std::vector<double> given_;  // by set: dividends with the sign that an OR has there
  std::vector<size_t> basic_, others_;
  std::vector<double> table_;          // row by row
  std::vector<double> right_, moved_;  // as given; and moved a little, which decides about the steps
  std::vector<double> slopes_, lengths_;
};

AndOr with_or(const Dividends& dividends, std::vector<double> or_effects) {
  AndOr split;
  split.players = dividends.players;
  std::vector<double> shared = or_effects;
  superset_sums(shared);
  split.and_effects = dividends.values;
  for (size_t set = 1; set < shared.size(); ++set) split.and_effects[set] -= sign_of_and(set) * shared[set];
  split.or_effects = std::move(or_effects);
  split.strength = strength_of(split.and_effects) + strength_of(split.or_effects);
  return split;
}

AndOr least_strength(const Dividends& dividends, int64_t most_steps, const Progress& progress) {
  LeastStrength problem(dividends.values);
  const auto usual = std::ssize(dividends.values);  // about as many steps as that
  int64_t steps = 0;
  bool moving = true;
  while (most_steps == 0 || steps < most_steps) {
    moving = problem.step();
    if (!moving) break;
    report(progress, "AND-OR", std::min(++steps, usual), usual + 1);
  }
  AndOr split = with_or(dividends, problem.or_effects());
  split.steps = steps;
  split.optimal = !moving;
  split.bound = std::clamp(problem.bound(), 0.0, split.strength);
  return split;
}

std::vector<double> without_singles(std::vector<double> or_effects) {
  for (size_t bit = 1; bit < or_effects.size(); bit *= 2) or_effects[bit] = 0;
  return or_effects;
}

// The better of two, of which the work was done for the other.
AndOr instead(AndOr better, const AndOr& of) {
  better.steps = of.steps;
  better.optimal = of.optimal;
  better.bound = std::min(of.bound, better.strength);
  return better;
}

}  // namespace

std::vector<double> or_dividends(const Dividends& dividends) {
  // The same relation with I_and = 0, solved by the inverse of superset sums.
  std::vector<double> effects = dividends.values;
  effects[0] = 0;
  for (size_t set = 1; set < effects.size(); ++set) effects[set] *= sign_of_and(set);
  for (size_t bit = 1; bit < effects.size(); bit *= 2) {
    for (size_t set = 0; set < effects.size(); ++set) {
      if ((set & bit) == 0) effects[set] -= effects[set | bit];
    }
  }
  effects[0] = 0;
  return effects;
}

std::vector<double> values_of(const AndOr& split) {
  std::vector<double> values = split.and_effects;
  zeta_transform(values);
  // An OR is there unless all of its players are outside of S.
  std::vector<double> inside = split.or_effects;
  zeta_transform(inside);
  const size_t all = values.size() - 1;
  for (size_t set = 0; set < values.size(); ++set) values[set] += inside[all] - inside[all & ~set];
  return values;
}

AndOr and_or_effects(const Dividends& dividends, int64_t most_steps, const Progress& progress) {
  if (dividends.players > kMostAndOrPlayers) {
    fail(ErrorKind::argument, "and-or", "got {} players; expected at most {}", dividends.players, kMostAndOrPlayers);
  }
  const double and_alone = strength_of(dividends.values);
  std::vector<double> pure_or = or_dividends(dividends);
  const double or_alone = strength_of(pure_or);
  AndOr best = least_strength(dividends, most_steps, progress);
  if (or_alone < best.strength * (1 - kRounding)) best = instead(with_or(dividends, without_singles(pure_or)), best);
  best.and_alone = and_alone;
  best.or_alone = or_alone;
  return best;
}

std::vector<AndOrEffect> strongest(const AndOr& split, int64_t most) {
  std::vector<AndOrEffect> list;
  for (const bool disjunction : {false, true}) {
    const std::vector<double>& effects = disjunction ? split.or_effects : split.and_effects;
    for (size_t set = 1; set < effects.size(); ++set) {
      if (std::abs(effects[set]) > kRounding * split.strength) {
        list.push_back({{members_of(set), {}, effects[set]}, disjunction});
      }
    }
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Effect& a, const Effect& b) { return std::abs(a.value) > std::abs(b.value); });
  list.resize(std::min(list.size(), static_cast<size_t>(most)));
  return list;
}

AndOrCount count_above(const AndOr& split, const Dividends& dividends, double share) {
  double strongest = 0;
  for (size_t set = 1; set < dividends.values.size(); ++set) {
    strongest = std::max(strongest, std::abs(dividends.values[set]));
  }
  if (strongest == 0) return {share, 0, 0};
  const auto count = [&](const std::vector<double>& effects) {
    return std::count_if(effects.begin() + 1, effects.end(),
                         [&](double value) { return std::abs(value) >= share * strongest; });
  };
  return {share, count(split.and_effects) + count(split.or_effects), count(dividends.values)};
}

int64_t and_or_table_size(int64_t players) {
  const int64_t sets = (int64_t{1} << players) - 1;
  return sets * (sets - players);
}

}  // namespace ascribe::core
