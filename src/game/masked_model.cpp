#include "game/masked_model.h"

#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"

namespace ascribe {

namespace {

constexpr size_t kBatchBytes = size_t{64} << 20;  // of masked rows; larger batches do not run faster
constexpr int64_t kMostRows = 1 << 14;

// Puts masked rows together. Coalitions that follow each other often have most players in common, so a row is the
// one before with those players exchanged who came or went.
template <class T>
class Mixer {
 public:
  Mixer(const MaskedModel& question, DType real)
      : x_(question.point[question.input].cast(real)),
        baselines_(question.baselines.cast(real)),
        nobody_(baselines_),
        size_(static_cast<int64_t>(question.players.owner.size())),
        elements_(static_cast<size_t>(question.players.count())) {
    for (int64_t i = 0; i < size_; ++i) {
      const int32_t owner = question.players.owner[static_cast<size_t>(i)];
      if (owner >= 0) elements_[static_cast<size_t>(owner)].push_back(static_cast<int32_t>(i));
      for (int64_t b = 0; owner < 0 && b < baselines(); ++b) {
        nobody_.template mutable_data<T>()[b * size_ + i] = x_.template data<T>()[i];
      }
    }
  }

  // Row r of `out` is row first + r of the batch: coalition row / B, baseline row % B.
  void mix(const Coalitions& sets, int64_t first, int64_t rows, T* out) const {
    const int64_t baselines = this->baselines();
    const std::vector<uint64_t> empty(static_cast<size_t>(sets.words_per_set()));
    parallel_for(rows, std::max<int64_t>(64 * baselines, (1 << 14) / size_), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t set = (first + r) / baselines, baseline = (first + r) % baselines;
        const bool follows = r - baselines >= begin;
        const T* from = follows ? out + (r - baselines) * size_ : nobody_.template data<T>().data() + baseline * size_;
        std::copy_n(from, size_, out + r * size_);
        exchange(follows ? sets.words(set - 1) : empty, sets.words(set), baseline, out + r * size_);
      }
    });
  }

  int64_t baselines() const { return baselines_.size() / size_; }

 private:
  void exchange(std::span<const uint64_t> before, std::span<const uint64_t> after, int64_t baseline, T* row) const {
    const T *x = x_.template data<T>().data(), *b = baselines_.template data<T>().data() + baseline * size_;
    for (size_t word = 0; word < after.size(); ++word) {
      for (uint64_t differ = before[word] ^ after[word]; differ != 0; differ &= differ - 1) {
        const int bit = std::countr_zero(differ);
        const T* from = (after[word] >> bit & 1) != 0 ? x : b;
        for (const int32_t i : elements_[word * 64 + static_cast<size_t>(bit)]) row[i] = from[i];
      }
    }
  }

  Tensor x_, baselines_, nobody_;  // nobody_: the baselines, with x where nobody owns the element
  int64_t size_;
  std::vector<std::vector<int32_t>> elements_;  // of each player
};

class Evaluator {
 public:
  explicit Evaluator(MaskedModel question)
      : question_(std::move(question)),
        real_(question_.options.real),
        grows_(!all_fixed(question_.graph[question_.graph.inputs[question_.input].value].type.shape)),
        single_(question_, DType::f32),
        precise_(question_, DType::f64),
        session_(question_.graph, question_.options) {
    question_.graph = {};
  }

  void operator()(const Coalitions& sets, std::span<double> out, const Progress& progress) {
    const int64_t baselines = single_.baselines(), rows = sets.size();
    const int64_t batch = sets_per_batch();
    for (int64_t first = 0; first < rows; first += batch) {
      const int64_t count = std::min(batch, rows - first);
      const std::vector<double> values = run(sets, first * baselines, count * baselines, [&](int64_t done) {
        report(progress, "masked inputs", first + done / baselines, rows);
      });
      report(progress, "masked inputs", first + count, rows);
      for (int64_t i = 0; i < count; ++i) {
        double sum = 0;
        for (int64_t b = 0; b < baselines; ++b) sum += values[i * baselines + b];
        out[first + i] = sum / static_cast<double>(baselines);
        if (!std::isfinite(out[first + i])) {
          fail(ErrorKind::numeric, "game", "the model's output is {} for a masked input", out[first + i]);
        }
      }
    }
  }

 private:
  int64_t sets_per_batch() const {
    if (!grows_) return 1;
    const size_t row_bytes = question_.players.owner.size() * size_of(real_);
    const size_t budget = std::min(kBatchBytes, question_.options.memory / 8);
    const auto rows = static_cast<int64_t>(budget / std::max<size_t>(row_bytes, 1));
    return std::max<int64_t>(1, std::min(rows, kMostRows) / single_.baselines());
  }

  template <class Report>
  std::vector<double> run(const Coalitions& sets, int64_t first, int64_t rows, Report&& finished) {
    std::vector<double> values;
    const int64_t at_once = grows_ ? rows : 1;  // a model without rows takes one at a time
    for (int64_t done = 0; done < rows; done += at_once) {
      Shape batch = question_.point[question_.input].shape();
      if (grows_) batch[0] *= at_once;
      if (masked_.shape() != batch) masked_ = Tensor(real_, batch);
      fill(sets, first + done, at_once, masked_);
      std::vector<Tensor> inputs;
      for (size_t i = 0; i < question_.point.size(); ++i) {
        inputs.push_back(i == question_.input ? masked_ : repeated(question_.point[i], at_once));
      }
      const Progress within = [&](std::string_view, int64_t some, int64_t) { finished(done + (grows_ ? some : 0)); };
      const Tensor answer = session_.run(inputs, within)[0].cast(DType::f64);
      values.insert(values.end(), answer.data<double>().begin(), answer.data<double>().end());
    }
    return values;
  }

  void fill(const Coalitions& sets, int64_t first, int64_t rows, Tensor& masked) const {
    if (real_ == DType::f32) single_.mix(sets, first, rows, masked.mutable_data<float>().data());
    else precise_.mix(sets, first, rows, masked.mutable_data<double>().data());
  }

  // The other inputs, once per row.
  Tensor repeated(const Tensor& row, int64_t rows) const {
    if (!grows_ || rows == 1) return row;
    Shape shape = row.shape();
    shape[0] *= rows;
    Tensor all(row.dtype(), shape);
    auto* to = static_cast<std::byte*>(all.mutable_memory());
    const auto* from = static_cast<const std::byte*>(row.memory());
    for (int64_t i = 0; i < rows; ++i) std::copy_n(from, row.bytes(), to + static_cast<size_t>(i) * row.bytes());
    return all;
  }

  MaskedModel question_;
  DType real_;
  bool grows_;
  Mixer<float> single_;
  Mixer<double> precise_;
  Session session_;
  Tensor masked_;  // kept from batch to batch
};

void check(const MaskedModel& question) {
  const size_t size = question.players.owner.size();
  const auto fits = [&](const Tensor& tensor) { return tensor.size() > 0 && tensor.size() % size == 0; };
  if (size == 0 || question.point[question.input].size() != static_cast<int64_t>(size) || !fits(question.baselines)) {
    fail(ErrorKind::shape, "game", "the input has {} elements, the players own {} and the baselines have {}",
         question.point[question.input].size(), size, question.baselines.size());
  }
}

}  // namespace

Game masked_model_game(MaskedModel question) {
  check(question);
  const int64_t players = question.players.count();
  const auto evaluator = std::make_shared<Evaluator>(std::move(question));
  return {players, [evaluator](const Coalitions& sets, std::span<double> out, const Progress& progress) {
            (*evaluator)(sets, out, progress);
          }};
}

}  // namespace ascribe
