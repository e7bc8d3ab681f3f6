// sum over j of weights[j] a_j b_j with broadcasting; operands a_0, b_0, a_1, b_1, ... One coefficient of
// a product of power series in one walk over memory.
#include <limits>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_sum_of_products {
namespace {

constexpr int64_t kTile = 512;  // sums kept at a time

Type infer(const Signature& s) {
  const size_t pairs = s.attributes.reals("weights").size();
  if (pairs == 0 || s.inputs.size() != 2 * pairs) {
    s.refuse("expected two operands per weight; got {} and {} weights", s.inputs.size(), pairs);
  }
  return infer_broadcast_real(s);
}

// How an operand is read along the flat output: element by element, always the same one, over and over
// again (it lacks leading axes), or by any other pattern of broadcasting.
struct Reader {
  enum Pattern { whole, scalar, cyclic, strided } pattern = whole;
  int64_t period = 1;
  std::vector<int64_t> strides;
};

Reader reader_of(const TensorRef& operand, const TensorRef& output) {
  if (operand.size() == output.size()) return {};
  if (operand.size() == 1) return {Reader::scalar, 1, {}};
  // Trailing axes equal, all others 1 or absent.
  const Shape &own = operand.shape, &out = output.shape;
  size_t same = 0;
  while (same < own.size() && own[own.size() - 1 - same] == out[out.size() - 1 - same]) ++same;
  const int64_t trailing = element_count(std::span(own).last(same));
  if (trailing == operand.size()) return {Reader::cyclic, trailing, {}};
  return {Reader::strided, 1, broadcast_strides(own, out)};
}

template <class T>
void read(const Reader& reader, std::span<const T> from, std::span<const int64_t> shape, int64_t begin, int64_t count,
          T* to) {
  switch (reader.pattern) {
    case Reader::whole: std::copy_n(from.data() + begin, count, to); return;
    case Reader::scalar: std::fill_n(to, count, from[0]); return;
    case Reader::cyclic:
      for (int64_t i = 0, at = begin % reader.period; i < count; ++i) {
        to[i] = from[at];
        if (++at == reader.period) at = 0;
      }
      return;
    case Reader::strided: {
      const std::array strides = {reader.strides};
      for_each_broadcast(shape, strides, begin, begin + count,
                         [&](int64_t i, int64_t source) { to[i - begin] = from[source]; });
    }
  }
}

void apply(const Evaluation& e) {
  const auto& weights = e.attributes.reals("weights");
  std::vector<Reader> readers;
  for (const TensorRef& input : e.inputs) readers.push_back(reader_of(input, e.output));
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain / std::ssize(weights), [&](int64_t begin, int64_t end) {
      std::array<T, kTile> a_tile, b_tile, sums;
      const auto tile = [&](size_t input, int64_t at, int64_t count, std::array<T, kTile>& copy) -> const T* {
        const auto from = e.inputs[input].data<const T>();
        if (readers[input].pattern == Reader::whole) return from.data() + at;
        read(readers[input], from, e.output.shape, at, count, copy.data());
        return copy.data();
      };
      for (int64_t at = begin; at < end; at += kTile) {
        const int64_t count = std::min(kTile, end - at);
        std::fill_n(sums.data(), count, T{0});
        for (size_t j = 0; j < weights.size(); ++j) {
          const T weight = static_cast<T>(weights[j]);
          const T* a = tile(2 * j, at, count, a_tile);
          const T* b = tile(2 * j + 1, at, count, b_tile);
          for (int64_t i = 0; i < count; ++i) sums[i] += weight * a[i] * b[i];
        }
        std::copy_n(sums.data(), count, out.data() + at);
      }
    });
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  const auto& weights = attributes.reals("weights");
  Value sum;
  for (size_t j = 0; j < weights.size(); ++j) {
    Value term = b.mul(in[2 * j], in[2 * j + 1]);
    if (weights[j] != 1) term = b.mul(term, weights[j]);
    sum = sum.valid() ? b.add(sum, term) : term;
  }
  return sum;
}

void more_traits(Traits& traits, const Attributes& attributes) {
  const auto& weights = attributes.reals("weights");
  if (std::ranges::all_of(weights, [](double weight) { return weight >= 0; })) traits.sign = Sign::kept;
}

const RegisterOp sum_of_products({.name = "sum_of_products",
                                  .op_class = OpClass::composite,
                                  .traits = {.pointwise = true},
                                  .formula = "sum over j of weights[j] a_j b_j",
                                  .min_inputs = 2,
                                  .max_inputs = std::numeric_limits<int>::max(),
                                  .infer = infer,
                                  .apply = apply,
                                  .lower = lower,
                                  .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_sum_of_products
