// A transformer of one block and its relevance by AttnLRP or CP-LRP, as plain loops in double, and the same as a graph.
// x = tokens, n = norm(x), attention(n) + x, a gated MLP behind another norm, the mean over tokens, a head.
#pragma once

#include <cmath>
#include <vector>

#include "support/small_networks.h"

namespace ascribe::core {

using Matrix = std::vector<std::vector<double>>;  // [rows][columns]

inline Matrix matrix_from(const Tensor& tensor, size_t rows, size_t columns) {
  Matrix m(rows, std::vector<double>(columns));
  for (size_t i = 0; i < rows * columns; ++i) m[i / columns][i % columns] = tensor.at(static_cast<int64_t>(i));
  return m;
}

inline Matrix zero_matrix(const Matrix& like) { return Matrix(like.size(), std::vector<double>(like[0].size(), 0)); }

struct SlowDense {
  Matrix w;  // [in][out]
  std::vector<double> bias;
};

class SlowTransformer {
 public:
  static constexpr size_t kTokens = 4, kWidth = 6, kHidden = 8, kClasses = 3;
  static constexpr double kNormEpsilon = 1e-5;

  explicit SlowTransformer(bool biased, uint64_t seed = 3) {
    const auto draw = [&](size_t in, size_t out) {
      const double size = 1.2 / std::sqrt(static_cast<double>(in));
      const Tensor w = random_tensor({static_cast<int64_t>(in), static_cast<int64_t>(out)}, ++seed, size);
      const Tensor b = random_tensor({1, static_cast<int64_t>(out)}, ++seed, biased ? 0.3 : 0);
      return SlowDense{matrix_from(w, in, out), matrix_from(b, 1, out)[0]};
    };
    query = draw(kWidth, kWidth), key = draw(kWidth, kWidth), value = draw(kWidth, kWidth);
    mix = draw(kWidth, kWidth), gate = draw(kWidth, kHidden), up = draw(kWidth, kHidden), down = draw(kHidden, kWidth);
    head = draw(kWidth, kClasses);
    const SlowDense scales = draw(2, kWidth), shifts = draw(2, kWidth);
    for (size_t i = 0; i < 2; ++i) {
      scale[i] = scales.w[i];
      shift[i] = biased ? shifts.w[i] : std::vector<double>(kWidth, 0);
    }
  }

  // In the spelling of exporters: the norm as mean, difference, power, root and quotient; SiLU as z * sigmoid(z).
  Graph graph() const {
    Graph graph;
    Builder b(graph);
    const auto dense = [&](Value x, const SlowDense& layer) {
      std::vector<double> flat;
      for (const auto& row : layer.w) flat.insert(flat.end(), row.begin(), row.end());
      const Shape shape = {std::ssize(layer.w), std::ssize(layer.bias)};
      const Value product = b.matmul(x, b.constant(Tensor::of<double>(shape, flat)));
      return b.add(product, b.constant(Tensor::of<double>({std::ssize(layer.bias)}, layer.bias)));
    };
    const auto norm = [&](Value x, size_t which) {
      const Value centred = b.sub(x, b.reduce("reduce_mean", x, {2}, true));
      const Value variance = b.reduce("reduce_mean", b.op("pow", {centred, b.scalar(2)}), {2}, true);
      const Value y = b.div(centred, b.op("sqrt", {b.add(variance, kNormEpsilon)}));
      const auto constant = [&](const std::vector<double>& v) {
        return b.constant(Tensor::of<double>({std::ssize(v)}, v));
      };
      return b.add(b.mul(y, constant(scale[which])), constant(shift[which]));
    };
    const Value x = b.input("x", {Kind::real, {kBatch, kTokens, kWidth}});
    const Value n = norm(x, 0);
    const Value scores = b.mul(b.matmul(dense(n, query), dense(n, key), false, true), 1 / std::sqrt(double{kWidth}));
    const Value weights = b.op("softmax", {scores}, {{"axis", ints({2})}});
    const Value h = b.add(x, dense(b.matmul(weights, dense(n, value)), mix));
    const Value z = norm(h, 1), g = dense(z, gate);
    const Value inner = b.mul(b.mul(g, b.op("sigmoid", {g})), dense(z, up));
    const Value out = b.add(h, dense(inner, down));
    b.output("y", dense(b.reduce("reduce_mean", out, {1}, false), head));
    return graph;
  }

  struct Answer {
    double output = 0;
    Matrix relevance;
  };

  // `held`: CP-LRP, otherwise AttnLRP. Layers by epsilon.
  Answer explain(const Matrix& x, size_t target, double epsilon, bool held) const {
    // Forwards, every value kept.
    const Norm first = norm(x, 0);
    const Matrix q = apply(first.y, query), k = apply(first.y, key), v = apply(first.y, value);
    Matrix scores(kTokens, std::vector<double>(kTokens)), s = scores, mixed = zero_matrix(v);
    for (size_t i = 0; i < kTokens; ++i) {
      double total = 0;
      for (size_t j = 0; j < kTokens; ++j) {
        scores[i][j] = dot(q[i], k[j]) / std::sqrt(double{kWidth});
        total += std::exp(scores[i][j]);
      }
      for (size_t j = 0; j < kTokens; ++j) s[i][j] = std::exp(scores[i][j]) / total;
      for (size_t j = 0; j < kTokens; ++j) {
        for (size_t d = 0; d < kWidth; ++d) mixed[i][d] += s[i][j] * v[j][d];
      }
    }
    const Matrix attended = apply(mixed, mix), h = sum(x, attended);
    const Norm second = norm(h, 1);
    const Matrix g = apply(second.y, gate), u = apply(second.y, up);
    Matrix inner = zero_matrix(g);
    for (size_t i = 0; i < kTokens; ++i) {
      for (size_t d = 0; d < kHidden; ++d) inner[i][d] = g[i][d] / (1 + std::exp(-g[i][d])) * u[i][d];
    }
    const Matrix fed = apply(inner, down), out = sum(h, fed);
    Matrix mean(1, std::vector<double>(kWidth, 0));
    for (size_t i = 0; i < kTokens; ++i) {
      for (size_t d = 0; d < kWidth; ++d) mean[0][d] += out[i][d] / kTokens;
    }
    const Matrix logits = apply(mean, head);

    // Backwards.
    Answer answer{logits[0][target], {}};
    Matrix r_logits = zero_matrix(logits);
    r_logits[0][target] = answer.output;
    const Matrix r_mean = by_epsilon(mean, head, logits, r_logits, epsilon);
    Matrix r_out = zero_matrix(out);
    for (size_t i = 0; i < kTokens; ++i) {
      for (size_t d = 0; d < kWidth; ++d) r_out[i][d] = out[i][d] / kTokens / mean[0][d] * r_mean[0][d];
    }
    auto [r_h, r_fed] = split(h, fed, r_out);
    const Matrix r_inner = by_epsilon(inner, down, fed, r_fed, epsilon);
    const Matrix r_half = times(r_inner, 0.5);  // to the gate, through SiLU unchanged, and to the other factor
    const Matrix r_z =
        sum(by_epsilon(second.y, gate, g, r_half, epsilon), by_epsilon(second.y, up, u, r_half, epsilon));
    r_h = sum(r_h, through_norm(h, second, 1, r_z));
    const auto [r_skip, r_attended] = split(x, attended, r_h);
    const Matrix r_mixed = by_epsilon(mixed, mix, attended, r_attended, epsilon);
    const double part = held ? 1 : 0.5;
    Matrix r_v = zero_matrix(v), r_s = zero_matrix(s), r_q = zero_matrix(q), r_k = zero_matrix(k);
    for (size_t i = 0; i < kTokens; ++i) {
      for (size_t j = 0; j < kTokens; ++j) {
        for (size_t d = 0; d < kWidth; ++d) {
          const double share = part * s[i][j] * v[j][d] / mixed[i][d] * r_mixed[i][d];
          r_v[j][d] += share;
          if (!held) r_s[i][j] += share;
        }
      }
    }
    for (size_t i = 0; i < kTokens; ++i) {
      double all = 0;
      for (size_t j = 0; j < kTokens; ++j) all += r_s[i][j];
      for (size_t j = 0; j < kTokens; ++j) {
        const double r_score = scores[i][j] * (r_s[i][j] - s[i][j] * all);
        for (size_t d = 0; d < kWidth; ++d) {
          const double share = q[i][d] * k[j][d] / dot(q[i], k[j]) * r_score / 2;
          r_q[i][d] += share;
          r_k[j][d] += share;
        }
      }
    }
    Matrix r_n = by_epsilon(first.y, value, v, r_v, epsilon);
    r_n = sum(r_n, by_epsilon(first.y, query, q, r_q, epsilon));
    r_n = sum(r_n, by_epsilon(first.y, key, k, r_k, epsilon));
    answer.relevance = sum(r_skip, through_norm(x, first, 0, r_n));
    return answer;
  }

  SlowDense query, key, value, mix, gate, up, down, head;
  std::vector<double> scale[2], shift[2];

 private:
  struct Norm {
    Matrix y;                       // with scale and shift
    std::vector<double> deviation;  // of every token
  };

  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double total = 0;
    for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
    return total;
  }
  static Matrix sum(Matrix a, const Matrix& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = 0; j < a[i].size(); ++j) a[i][j] += b[i][j];
    }
    return a;
  }
  static Matrix times(Matrix a, double factor) {
    for (auto& row : a) {
      for (double& entry : row) entry *= factor;
    }
    return a;
  }
  static Matrix apply(const Matrix& x, const SlowDense& layer) {
    Matrix z;
    for (const auto& row : x) {
      z.push_back(layer.bias);
      for (size_t i = 0; i < row.size(); ++i) {
        for (size_t j = 0; j < layer.bias.size(); ++j) z.back()[j] += row[i] * layer.w[i][j];
      }
    }
    return z;
  }
  Norm norm(const Matrix& x, size_t which) const {
    Norm n{x, {}};
    for (auto& row : n.y) {
      double mean = 0, variance = 0;
      for (const double entry : row) mean += entry / double{kWidth};
      for (const double entry : row) variance += (entry - mean) * (entry - mean) / double{kWidth};
      n.deviation.push_back(std::sqrt(variance + kNormEpsilon));
      for (size_t d = 0; d < row.size(); ++d) {
        row[d] = scale[which][d] * (row[d] - mean) / n.deviation.back() + shift[which][d];
      }
    }
    return n;
  }
  static Matrix by_epsilon(const Matrix& x, const SlowDense& layer, const Matrix& z, const Matrix& r, double epsilon) {
    Matrix shares = zero_matrix(x);
    for (size_t t = 0; t < x.size(); ++t) {
      for (size_t j = 0; j < z[t].size(); ++j) {
        const double below = z[t][j] < 0 ? z[t][j] - epsilon : z[t][j] + epsilon;
        for (size_t i = 0; i < x[t].size(); ++i) shares[t][i] += x[t][i] * layer.w[i][j] / below * r[t][j];
      }
    }
    return shares;
  }
  static std::pair<Matrix, Matrix> split(const Matrix& a, const Matrix& b, const Matrix& r) {
    Matrix r_a = zero_matrix(a), r_b = zero_matrix(b);
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = 0; j < a[i].size(); ++j) {
        r_a[i][j] = a[i][j] / (a[i][j] + b[i][j]) * r[i][j];
        r_b[i][j] = b[i][j] / (a[i][j] + b[i][j]) * r[i][j];
      }
    }
    return {r_a, r_b};
  }
  // y_d = scale_d / deviation * sum over e of (1[d = e] - 1 / width) x_e + shift_d, by contribution.
  Matrix through_norm(const Matrix& x, const Norm& n, size_t which, const Matrix& r) const {
    Matrix shares = zero_matrix(x);
    for (size_t t = 0; t < x.size(); ++t) {
      for (size_t d = 0; d < kWidth; ++d) {
        for (size_t e = 0; e < kWidth; ++e) {
          const double weight = scale[which][d] / n.deviation[t] * ((d == e ? 1.0 : 0.0) - 1.0 / kWidth);
          shares[t][e] += weight * x[t][e] / n.y[t][d] * r[t][d];
        }
      }
    }
    return shares;
  }
};

}  // namespace ascribe::core
