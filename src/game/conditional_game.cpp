#include "game/conditional_game.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/finite.h"
#include "base/parallel.h"
#include "tensor/symmetric_matrix.h"

namespace ascribe::core {

namespace {

constexpr size_t kConditionalBatch = size_t{64} << 20;
constexpr int64_t kMostBatchRows = 1 << 14;
constexpr double kRidge = 1e-8;        // of each variance: columns that others determine would make the matrix singular
constexpr double kLeastWeight = 1e-9;  // of the largest: rows that count less are not run
constexpr double kEqual = 1e-12;       // two distances that differ by less are the same
constexpr int64_t kLeastRows = 10, kRowsPerElement = 2;  // for a covariance

struct Weighted {
  int64_t baseline = 0;
  double weight = 0;
};

class Conditional {
 public:
  Conditional(const MaskedInput& input, const Absence& absence, RowFunction f, std::shared_ptr<ConditionalUse> use)
      : absence_(absence),
        f_(std::move(f)),
        use_(std::move(use)),
        owner_(input.players.owner),
        players_(input.players.count()),
        size_(std::ssize(owner_)),
        rows_(input.baselines.size() / std::max<int64_t>(size_, 1)),
        row_(input.row),
        real_(input.real),
        memory_(input.memory) {
    check(input);
    const Tensor x = input.x.cast(DType::f64), b = input.baselines.cast(DType::f64);
    x_.assign(x.data<double>().begin(), x.data<double>().end());
    b_.assign(b.data<double>().begin(), b.data<double>().end());
    measure();
    if (absence_.kind == Absence::Kind::gaussian) fit();
    else compare();
    if (use_) use_->same = 0;
    for (int64_t r = 0; use_ && r < rows_; ++r) {
      if (std::equal(x_.begin(), x_.end(), b_.begin() + r * size_)) ++use_->same;
    }
  }

  void operator()(const Coalitions& sets, std::span<double> out, const Progress& progress) {
    for (int64_t first = 0; first < sets.size();) {
      std::vector<std::vector<Weighted>> used;
      int64_t rows = 0, last = first;
      for (; last < sets.size(); ++last) {
        std::vector<Weighted> one = weights(sets, last);
        if (rows > 0 && rows + std::ssize(one) > batch_rows()) break;
        rows += std::ssize(one);
        used.push_back(std::move(one));
      }
      const std::vector<double> values = f_(masked(sets, first, used, rows), {});
      size_t at = 0;
      for (size_t s = 0; s < used.size(); ++s) {
        double sum = 0;
        for (const Weighted& one : used[s]) sum += one.weight * values[at++];
        if (!std::isfinite(sum))
          fail(ErrorKind::numeric, "game", "the model's output is {} for a masked input", number_in_words(sum));
        out[first + static_cast<int64_t>(s)] = sum;
      }
      first = last;
      report(progress, "masked inputs", first, sets.size());
    }
  }

 private:
  void check(const MaskedInput& input) const {
    if (size_ == 0 || input.x.size() != size_ || input.baselines.size() % size_ != 0) {
      fail(ErrorKind::shape, "game", "the input has {} elements, the players own {} and the baselines have {}",
           input.x.size(), size_, input.baselines.size());
    }
    if (rows_ < kLeastRows) {
      fail(ErrorKind::argument, "absence",
           "what absent players could be is learned from background rows; got {}; expected at least {}, as `baseline` "
           "data:FILE reads them",
           rows_, kLeastRows);
    }
    if (absence_.kind != Absence::Kind::gaussian) return;
    if (size_ > kMostConditionalElements || rows_ < kRowsPerElement * size_) {
      fail(ErrorKind::argument, "absence",
           "a Gaussian of {} numbers needs at least {} background rows, and there may be {} numbers; got {} rows; "
           "conditional:kernel needs fewer",
           size_, kRowsPerElement * size_, kMostConditionalElements, rows_);
    }
  }

  // Standard deviations; what never changes has none, and tells nothing.
  void measure() {
    mean_.assign(static_cast<size_t>(size_), 0);
    deviation_ = mean_;
    for (int64_t r = 0; r < rows_; ++r) {
      for (int64_t i = 0; i < size_; ++i) mean_[i] += b_[r * size_ + i] / static_cast<double>(rows_);
    }
    for (int64_t i = 0; i < size_; ++i) {
      double sum = 0;
      for (int64_t r = 0; r < rows_; ++r) sum += std::pow(b_[r * size_ + i] - mean_[i], 2);
      deviation_[i] = std::sqrt(sum / static_cast<double>(rows_ - 1));
      if (deviation_[i] <= 1e-12 * std::abs(mean_[i])) deviation_[i] = 0;
    }
  }

  // Of the elements that change, in units of their deviations.
  void fit() {
    correlation_.assign(static_cast<size_t>(size_ * size_), 0);
    parallel_for(size_, 8, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          double sum = 0;
          for (int64_t r = 0; r < rows_ && deviation_[i] > 0 && deviation_[j] > 0; ++r) {
            sum += standard(b_[r * size_ + i], i) * standard(b_[r * size_ + j], j);
          }
          correlation_[i * size_ + j] = sum / static_cast<double>(rows_ - 1);
        }
      }
    });
    for (int64_t i = 0; i < size_; ++i) {
      for (int64_t j = i + 1; j < size_; ++j) correlation_[i * size_ + j] = correlation_[j * size_ + i];
    }
  }
  double standard(double value, int64_t i) const { return (value - mean_[i]) / deviation_[i]; }

  // How far each row is from x in each player.
  void compare() {
    distance_.assign(static_cast<size_t>(rows_ * players_), 0);
    elements_.assign(static_cast<size_t>(players_), 0);
    for (int64_t i = 0; i < size_; ++i) {
      if (owner_[i] < 0 || deviation_[i] == 0) continue;
      ++elements_[owner_[i]];
      for (int64_t r = 0; r < rows_; ++r) {
        distance_[r * players_ + owner_[i]] += std::pow((x_[i] - b_[r * size_ + i]) / deviation_[i], 2);
      }
    }
  }

  int64_t batch_rows() const {
    const size_t bytes = std::max<size_t>(static_cast<size_t>(size_) * size_of(real_), 1);
    return std::clamp<int64_t>(static_cast<int64_t>(std::min(kConditionalBatch, memory_ / 8) / bytes), 1,
                               kMostBatchRows);
  }

  // The rows that count for a coalition; their weights add up to 1.
  std::vector<Weighted> weights(const Coalitions& sets, int64_t set) {
    std::vector<Weighted> all;
    if (absence_.kind == Absence::Kind::gaussian) {
      for (int64_t r = 0; r < rows_; ++r) all.push_back({r, 1 / static_cast<double>(rows_)});
      return all;
    }
    std::vector<double> distance(static_cast<size_t>(rows_), 0.0);
    int64_t elements = 0, members = 0;
    for (int64_t p = 0; p < players_; ++p) {
      if (!sets.has(set, p)) continue;
      ++members;
      elements += elements_[p];
      for (int64_t r = 0; r < rows_; ++r) distance[r] += distance_[r * players_ + p];
    }
    const double nearest = *std::min_element(distance.begin(), distance.end());
    const double scale = std::max<int64_t>(elements, 1);
    double sum = 0, squares = 0;
    for (int64_t r = 0; r < rows_; ++r) {
      const double beyond = (distance[r] - nearest) / scale;
      const double weight = absence_.width > 0 ? std::exp(-beyond / (2 * absence_.width * absence_.width))
                                               : (beyond <= kEqual ? 1.0 : 0.0);
      if (weight < kLeastWeight) continue;
      all.push_back({r, weight});
      sum += weight;
      squares += weight * weight;
    }
    for (Weighted& one : all) one.weight /= sum;
    if (use_ && members > 0 && members < players_) {
      ++use_->coalitions;
      use_->least = std::min(use_->least, sum * sum / squares);
      use_->sum += sum * sum / squares;
    }
    return all;
  }

  Tensor masked(const Coalitions& sets, int64_t first, const std::vector<std::vector<Weighted>>& used,
                int64_t rows) const {
    std::vector<int64_t> begins;
    int64_t next = 0;
    for (const auto& one : used) {
      begins.push_back(next);
      next += std::ssize(one);
    }
    std::vector<double> values(static_cast<size_t>(rows * size_));
    parallel_for(std::ssize(used), 1, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) fill(sets, first + s, used[s], values.data() + begins[s] * size_);
    });
    Shape shape = row_;
    shape.insert(shape.begin(), rows);
    return Tensor::of<double>(shape, values).cast(real_);
  }

  void fill(const Coalitions& sets, int64_t set, const std::vector<Weighted>& used, double* out) const {
    std::vector<int64_t> there, absent;
    for (int64_t i = 0; i < size_; ++i) {
      if (owner_[i] < 0) continue;
      (sets.has(set, owner_[i]) ? there : absent).push_back(i);
    }
    const std::vector<double> gains =
        absence_.kind == Absence::Kind::gaussian ? gains_of(there, absent) : std::vector<double>();
    for (const Weighted& one : used) {
      const double* b = b_.data() + one.baseline * size_;
      double* row = std::copy_n(x_.begin(), size_, out) - size_;
      for (const int64_t i : absent) row[i] = b[i];
      const double* gain = gains.data();
      for (size_t a = 0; a < absent.size() && !gains.empty(); ++a) {
        for (const int64_t j : there) row[absent[a]] += *gain++ * (x_[j] - b[j]);
      }
      out += size_;
    }
  }

  // C_RS C_SS^-1: [absent, there]; empty if nobody or everybody is there.
  std::vector<double> gains_of(const std::vector<int64_t>& there, const std::vector<int64_t>& absent) const {
    const auto count = std::ssize(there);
    if (count == 0 || absent.empty()) return {};
    SymmetricMatrix known(count);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j <= i; ++j) known.row(i)[j] = correlation_[there[i] * size_ + there[j]];
      known.row(i)[i] = 1 + kRidge;
    }
    known.mirror();
    const auto inverse = known.inverse();
    if (!inverse) fail(ErrorKind::numeric, "absence", "no Gaussian can be fitted to the background rows");
    std::vector<double> gains, cross(there.size());
    gains.reserve(absent.size() * there.size());
    for (const int64_t i : absent) {
      for (size_t j = 0; j < there.size(); ++j) cross[j] = correlation_[i * size_ + there[j]];
      const std::vector<double> one = inverse->times(cross);
      for (size_t j = 0; j < there.size(); ++j) {
        const double from = deviation_[there[j]];
        gains.push_back(from > 0 ? one[j] * deviation_[i] / from : 0);
      }
    }
    return gains;
  }

  Absence absence_;
  RowFunction f_;
  std::shared_ptr<ConditionalUse> use_;
  std::vector<int32_t> owner_;
  int64_t players_, size_, rows_;
  Shape row_;
  DType real_;
  size_t memory_;
  std::vector<double> x_, b_, mean_, deviation_;
  std::vector<double> correlation_;  // gaussian: [elements, elements]
  std::vector<double> distance_;     // kernel: [rows, players]
  std::vector<int64_t> elements_;    // kernel: of each player, those that change
};

}  // namespace

Game conditional_game(const MaskedInput& input, const Absence& absence, RowFunction f,
                      std::shared_ptr<ConditionalUse> use) {
  require(absence.conditional(), "game", "absent players are as given");
  const auto game = std::make_shared<Conditional>(input, absence, std::move(f), std::move(use));
  return {input.players.count(), [game](const Coalitions& sets, std::span<double> out, const Progress& progress) {
            (*game)(sets, out, progress);
          }};
}

std::string to_words(const ConditionalUse& use, int64_t rows) {
  if (use.coalitions == 0) return "";
  const double mean = use.sum / static_cast<double>(use.coalitions);
  std::string words = fmt::format(
      "absent players are like {} background rows; for a coalition {:.3g} of them count on average, and {:.3g} at "
      "least{}",
      rows, mean, use.least, use.least < 5 ? ": what so few say is rough" : "");
  if (use.same > 0)
    words += fmt::format("; {} of the rows {} the input itself", use.same, use.same == 1 ? "is" : "are");
  return words;
}

}  // namespace ascribe::core
