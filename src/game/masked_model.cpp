#include "game/masked_model.h"

#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/finite.h"
#include "base/parallel.h"

namespace ascribe::core {

namespace {

constexpr size_t kBatchBytes = size_t{64} << 20;  // of masked rows; larger batches do not run faster
constexpr int64_t kMostRows = 1 << 14;
constexpr int64_t kSetsPerChunk = 64;  // after which a row is made anew and not from the one before

// The elements of each player, one list behind the other.
class Ownership {
 public:
  explicit Ownership(const Players& players) : first_(static_cast<size_t>(players.count()) + 1) {
    for (const int32_t owner : players.owner) {
      if (owner >= 0) ++first_[static_cast<size_t>(owner) + 1];
    }
    for (size_t p = 1; p < first_.size(); ++p) first_[p] += first_[p - 1];
    elements_.resize(first_.back());
    std::vector<size_t> next = first_;
    for (size_t i = 0; i < players.owner.size(); ++i) {
      if (players.owner[i] >= 0) elements_[next[static_cast<size_t>(players.owner[i])]++] = static_cast<int32_t>(i);
    }
  }
  std::span<const int32_t> of(size_t player) const {
    return std::span(elements_).subspan(first_[player], first_[player + 1] - first_[player]);
  }

 private:
  std::vector<size_t> first_;
  std::vector<int32_t> elements_;
};

// The baselines with x where nobody owns the element.
Tensor baselines_of_nobody(const MaskedInput& input, DType real) {
  Tensor rows = input.baselines.cast(real);
  const auto size = static_cast<int64_t>(input.players.owner.size());
  visit(real, [&]<class T>(T) {
    const Tensor x = input.x.cast(real);
    const auto from = x.data<T>();
    const auto to = rows.mutable_data<T>();
    for (int64_t i = 0; i < rows.size(); ++i) {
      if (input.players.owner[static_cast<size_t>(i % size)] < 0) to[i] = from[i % size];
    }
  });
  return rows;
}

// Calls f(player, whether it comes) for the players in whom two sets differ.
template <class F>
void for_differing(std::span<const uint64_t> before, std::span<const uint64_t> after, F&& f) {
  for (size_t word = 0; word < after.size(); ++word) {
    for (uint64_t differ = before[word] ^ after[word]; differ != 0; differ &= differ - 1) {
      const int bit = std::countr_zero(differ);
      f(word * 64 + static_cast<size_t>(bit), (after[word] >> bit & 1) != 0);
    }
  }
}

int64_t count_differing(std::span<const uint64_t> before, std::span<const uint64_t> after) {
  int64_t count = 0;
  for (size_t word = 0; word < after.size(); ++word) count += std::popcount(before[word] ^ after[word]);
  return count;
}

// Puts masked rows together. Coalitions that follow each other often have most players in common, so a row is the
// one before with those players exchanged who came or went.
template <class T>
class Mixer {
 public:
  explicit Mixer(const MaskedInput& input)
      : x_(input.x.cast(dtype_of<T>())),
        baselines_(input.baselines.cast(dtype_of<T>())),
        nobody_(baselines_of_nobody(input, dtype_of<T>())),
        size_(static_cast<int64_t>(input.players.owner.size())),
        ownership_(input.players) {}

  // Row r of `out` is row first + r of the batch: coalition row / B, baseline row % B.
  void mix(const Coalitions& sets, int64_t first, int64_t rows, T* out) const {
    const int64_t baselines = baselines_.size() / size_;
    const std::vector<uint64_t> empty(static_cast<size_t>(sets.words_per_set()));
    parallel_for(rows, std::max(kSetsPerChunk * baselines, (1 << 14) / size_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t set = (first + r) / baselines, baseline = (first + r) % baselines;
        const bool follows = r - baselines >= begin;
        const T* from = follows ? out + (r - baselines) * size_ : nobody_.template data<T>().data() + baseline * size_;
        T* row = std::copy_n(from, size_, out + r * size_) - size_;
        const T *x = x_.template data<T>().data(), *b = baselines_.template data<T>().data() + baseline * size_;
        for_differing(follows ? sets.words(set - 1) : empty, sets.words(set), [&](size_t player, bool comes) {
          for (const int32_t i : ownership_.of(player)) row[i] = (comes ? x : b)[i];
        });
      }
    });
  }

 private:
  Tensor x_, baselines_, nobody_;
  int64_t size_;
  Ownership ownership_;
};

// The same behind an affine layer: who comes or goes adds or takes away what it contributes. A row is made from the
// nearest of three: the one before, nobody's and everybody's.
template <class T>
class LayerMixer {
 public:
  LayerMixer(const MaskedInput& input, const AffineLayer& layer)
      : inner_(layer.inner()),
        players_(input.players.count()),
        baselines_(input.baselines.size() / std::ssize(input.players.owner)) {
    const auto size = std::ssize(input.players.owner);
    const Tensor x = input.x.cast(DType::f64), nobody = baselines_of_nobody(input, DType::f64);
    const Ownership ownership(input.players);
    const auto at = x.data<double>(), absent = nobody.data<double>();
    for (int64_t b = 0; b < baselines_; ++b) {
      nobody_.push_back(apply(layer, absent.subspan(static_cast<size_t>(b * size), static_cast<size_t>(size))));
    }
    everybody_ = apply(layer, at);
    contributions_.resize(static_cast<size_t>(baselines_ * players_ * inner_));
    parallel_for(baselines_ * players_, 16, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        double* sum = contributions_.data() + k * inner_;
        for (const int32_t i : ownership.of(static_cast<size_t>(k % players_))) {
          add(sum, at[i] - absent[k / players_ * size + i], layer.slopes.data<double>().data() + i * inner_);
        }
      }
    });
  }

  void mix(const Coalitions& sets, int64_t first, int64_t rows, T* out) const {
    const std::vector<uint64_t> empty(static_cast<size_t>(sets.words_per_set()));
    std::vector<uint64_t> full = empty;
    for (int64_t p = 0; p < players_; ++p) full[static_cast<size_t>(p / 64)] |= uint64_t{1} << (p % 64);
    parallel_for(rows, kSetsPerChunk * baselines_, [&](int64_t begin, int64_t end) {
      std::vector<double> sums(static_cast<size_t>(baselines_ * inner_));
      for (int64_t r = begin; r < end; ++r) {
        const int64_t set = (first + r) / baselines_, baseline = (first + r) % baselines_;
        double* sum = sums.data() + baseline * inner_;
        std::span<const uint64_t> before = r - baselines_ >= begin ? sets.words(set - 1) : empty;
        const int64_t steps = r - baselines_ >= begin ? count_differing(before, sets.words(set)) : players_ + 1;
        const int64_t members = count_differing(empty, sets.words(set));
        if (std::min(members, players_ - members) <= steps) {
          const bool from_empty = members <= players_ - members;
          before = from_empty ? empty : full;
          const auto& start = from_empty ? nobody_[static_cast<size_t>(baseline)] : everybody_;
          std::copy(start.begin(), start.end(), sum);
        }
        const double* contributions = contributions_.data() + baseline * players_ * inner_;
        for_differing(before, sets.words(set), [&](size_t player, bool comes) {
          add(sum, comes ? 1 : -1, contributions + static_cast<int64_t>(player) * inner_);
        });
        std::copy_n(sum, inner_, out + r * inner_);
      }
    });
  }

 private:
  void add(double* sum, double factor, const double* terms) const {
#pragma omp simd
    for (int64_t k = 0; k < inner_; ++k) sum[k] += factor * terms[k];
  }
  std::vector<double> apply(const AffineLayer& layer, std::span<const double> row) const {
    const auto offset = layer.offset.data<double>();
    std::vector<double> sum(offset.begin(), offset.end());
    const double* slopes = layer.slopes.data<double>().data();
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i] != 0) add(sum.data(), row[i], slopes + static_cast<int64_t>(i) * inner_);
    }
    return sum;
  }

  int64_t inner_, players_, baselines_;
  std::vector<std::vector<double>> nobody_;  // L(b) of each baseline
  std::vector<double> everybody_;            // L(x)
  std::vector<double> contributions_;        // [baselines, players, inner]
};

template <template <class> class M, class... Inputs>
RowMaker row_maker(DType real, const Inputs&... inputs) {
  const auto make = [&]<class T>(T) -> RowMaker {
    const auto mixer = std::make_shared<M<T>>(inputs...);
    return [mixer](const Coalitions& sets, int64_t first, int64_t rows, Tensor& out) {
      mixer->mix(sets, first, rows, out.mutable_data<T>().data());
    };
  };
  return real == DType::f32 ? make(float{}) : make(double{});
}

class Evaluator {
 public:
  Evaluator(const MaskedInput& input, Shape row, RowMaker make, RowFunction f)
      : row_(std::move(row)),
        real_(input.real),
        baselines_(input.baselines.size() / std::ssize(input.players.owner)),
        memory_(input.memory),
        make_(std::move(make)),
        f_(std::move(f)) {}

  void operator()(const Coalitions& sets, std::span<double> out, const Progress& progress) {
    const int64_t count = sets.size();
    const int64_t batch = sets_per_batch();
    for (int64_t first = 0; first < count; first += batch) {
      const int64_t some = std::min(batch, count - first);
      const std::vector<double> values = run(sets, first * baselines_, some * baselines_, [&](int64_t done) {
        report(progress, "masked inputs", first + done / baselines_, count);
      });
      report(progress, "masked inputs", first + some, count);
      for (int64_t i = 0; i < some; ++i) {
        double sum = 0;
        for (int64_t b = 0; b < baselines_; ++b) sum += values[i * baselines_ + b];
        out[first + i] = sum / static_cast<double>(baselines_);
        if (!std::isfinite(out[first + i])) {
          fail(ErrorKind::numeric, "game", "the model's output is {} for a masked input",
               number_in_words(out[first + i]));
        }
      }
    }
  }

 private:
  int64_t sets_per_batch() const {
    const size_t row_bytes = static_cast<size_t>(element_count(row_)) * size_of(real_);
    const size_t budget = std::min(kBatchBytes, memory_ / 8);
    const auto rows = static_cast<int64_t>(budget / std::max<size_t>(row_bytes, 1));
    return std::max<int64_t>(1, std::min(rows, kMostRows) / baselines_);
  }

  template <class Report>
  std::vector<double> run(const Coalitions& sets, int64_t first, int64_t rows, Report&& finished) {
    Shape batch = row_;
    batch.insert(batch.begin(), rows);
    if (masked_.shape() != batch) masked_ = Tensor(real_, batch);
    make_(sets, first, rows, masked_);
    return f_(masked_, [&](std::string_view, int64_t done, int64_t) { finished(done); });
  }

  Shape row_;
  DType real_;
  int64_t baselines_;
  size_t memory_;
  RowMaker make_;
  RowFunction f_;
  Tensor masked_;  // kept from batch to batch
};

void check(const MaskedInput& input) {
  const size_t size = input.players.owner.size();
  const auto fits = [&](const Tensor& tensor) { return tensor.size() > 0 && tensor.size() % size == 0; };
  if (size == 0 || input.x.size() != static_cast<int64_t>(size) || !fits(input.baselines)) {
    fail(ErrorKind::shape, "game", "the input has {} elements, the players own {} and the baselines have {}",
         input.x.size(), size, input.baselines.size());
  }
}

// A model with a session of its own, which takes rows of one input; the others stay at the point.
class OwnSession {
 public:
  OwnSession(Graph graph, std::vector<Tensor> point, size_t input, const SessionOptions& options)
      : point_(std::move(point)), input_(input), session_(std::move(graph), options) {
    grows_ = !all_fixed(session_.graph()[session_.graph().inputs[input].value].type.shape);
  }

  std::vector<double> operator()(const Tensor& rows, const Progress& progress) {
    const int64_t count = rows.shape()[0];
    if (grows_) return answers(rows, count, progress);
    std::vector<double> values;
    const size_t bytes = rows.bytes() / static_cast<size_t>(count);
    for (int64_t r = 0; r < count; ++r) {
      Tensor row(rows.dtype(), point_[input_].shape());
      std::copy_n(static_cast<const std::byte*>(rows.memory()) + static_cast<size_t>(r) * bytes, bytes,
                  static_cast<std::byte*>(row.mutable_memory()));
      values.push_back(answers(row, 1, {})[0]);
      report(progress, "rows", r + 1, count);
    }
    return values;
  }

 private:
  std::vector<double> answers(const Tensor& rows, int64_t count, const Progress& progress) {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < point_.size(); ++i) {
      Shape shape = point_[i].shape();
      if (grows_) shape[0] *= count;
      inputs.push_back(i == input_ ? rows.reshaped(shape) : repeated(point_[i], shape, count));
    }
    const Tensor answer = session_.run(inputs, progress)[0].cast(DType::f64);
    const auto values = answer.data<double>();
    return {values.begin(), values.end()};
  }

  // The other inputs, once per row.
  static Tensor repeated(const Tensor& row, const Shape& shape, int64_t rows) {
    if (rows == 1) return row;
    Tensor all(row.dtype(), shape);
    auto* to = static_cast<std::byte*>(all.mutable_memory());
    const auto* from = static_cast<const std::byte*>(row.memory());
    for (int64_t i = 0; i < rows; ++i) to = std::copy_n(from, row.bytes(), to);
    return all;
  }

  std::vector<Tensor> point_;
  size_t input_;
  Session session_;
  bool grows_ = false;
};

}  // namespace

RowMaker masked_row_maker(const MaskedInput& input) {
  check(input);
  return row_maker<Mixer>(input.real, input);
}

Game masked_rows_game(const MaskedInput& input, const Shape& row, RowMaker make, RowFunction f) {
  const auto evaluator = std::make_shared<Evaluator>(input, row, std::move(make), std::move(f));
  return {input.players.count(), [evaluator](const Coalitions& sets, std::span<double> out, const Progress& progress) {
            (*evaluator)(sets, out, progress);
          }};
}

Game masked_input_game(const MaskedInput& input, RowFunction f) {
  return masked_rows_game(input, input.row, masked_row_maker(input), std::move(f));
}

double masked_layer_bytes(const MaskedInput& input, const AffineLayer& layer) {
  const auto baselines = static_cast<double>(input.baselines.size()) / static_cast<double>(input.players.owner.size());
  return baselines * static_cast<double>(input.players.count() + 1) * static_cast<double>(layer.inner()) * 8;
}

Game masked_layer_game(const MaskedInput& input, const AffineLayer& layer, RowFunction g) {
  check(input);
  require(layer.slopes.size() == input.x.size() * layer.inner(), "game", "the layer does not fit the input");
  return masked_rows_game(input, layer.row, row_maker<LayerMixer>(input.real, input, layer), std::move(g));
}

Game masked_model_game(MaskedModel question) {
  const Tensor& x = question.point[question.input];
  const MaskedInput input{x,         question.baselines,    question.players,
                          x.shape(), question.options.real, question.options.memory};
  check(input);
  const auto session = std::make_shared<OwnSession>(std::move(question.graph), std::move(question.point),
                                                    question.input, question.options);
  return masked_input_game(
      input, [session](const Tensor& rows, const Progress& progress) { return (*session)(rows, progress); });
}

}  // namespace ascribe::core
