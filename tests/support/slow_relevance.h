// Back-propagation methods on networks of dense layers, as plain loops over z_ij = w_ij x_i in double.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "graph/builder.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {

struct SlowLayer {
  std::vector<std::vector<double>> w;  // [output][input]
  std::vector<double> bias;
  std::function<double(double)> activation;
};

using Vector = std::vector<double>;

// What enters each layer; the last entry is the output.
inline std::vector<Vector> slow_values(const std::vector<SlowLayer>& layers, Vector x) {
  std::vector<Vector> values = {x};
  for (const SlowLayer& layer : layers) {
    Vector y;
    for (size_t j = 0; j < layer.w.size(); ++j) {
      double z = layer.bias[j];
      for (size_t i = 0; i < x.size(); ++i) z += layer.w[j][i] * x[i];
      y.push_back(layer.activation(z));
    }
    values.push_back(y);
    x = y;
  }
  return values;
}

// One neuron of a rule: its inputs, weights and bias, and its relevance; gives the share of each input.
using SlowRule = std::function<Vector(const Vector& x, const Vector& w, double bias, double relevance)>;

inline Vector slow_relevance(const std::vector<SlowLayer>& layers, const Vector& x, size_t target,
                             const std::function<SlowRule(size_t layer)>& rule) {
  const auto values = slow_values(layers, x);
  Vector relevance(values.back().size(), 0);
  relevance[target] = values.back()[target];
  for (size_t l = layers.size(); l-- > 0;) {
    Vector below(values[l].size(), 0);
    for (size_t j = 0; j < relevance.size(); ++j) {
      const Vector share = rule(l)(values[l], layers[l].w[j], layers[l].bias[j], relevance[j]);
      for (size_t i = 0; i < below.size(); ++i) below[i] += share[i];
    }
    relevance = below;
  }
  return relevance;
}

// dy / dz, or the derivative at z (relu's and the like by a difference) where there is no change.
inline double slow_slope(const SlowLayer& layer, double dy, double dz, double z) {
  constexpr double kStep = 1e-6;
  return dz != 0 ? dy / dz : (layer.activation(z + kStep) - layer.activation(z - kStep)) / (2 * kStep);
}

// One neuron of a DeepLIFT rule: dz_i and z at the reference; gives the multiplier of each dz_i.
using SlowModule = std::function<Vector(const Vector& dz, double z_b, const SlowLayer& layer)>;

inline Vector slow_contributions(const std::vector<SlowLayer>& layers, const Vector& x, const Vector& b, size_t target,
                                 const SlowModule& module) {
  const auto at_x = slow_values(layers, x), at_b = slow_values(layers, b);
  Vector m(at_x.back().size(), 0);
  m[target] = 1;
  for (size_t l = layers.size(); l-- > 0;) {
    Vector below(at_x[l].size(), 0);
    for (size_t j = 0; j < m.size(); ++j) {
      Vector dz;
      double z_b = layers[l].bias[j];
      for (size_t i = 0; i < below.size(); ++i) {
        dz.push_back(layers[l].w[j][i] * (at_x[l][i] - at_b[l][i]));
        z_b += layers[l].w[j][i] * at_b[l][i];
      }
      const Vector slopes = module(dz, z_b, layers[l]);
      for (size_t i = 0; i < below.size(); ++i) below[i] += m[j] * layers[l].w[j][i] * slopes[i];
    }
    m = below;
  }
  for (size_t i = 0; i < m.size(); ++i) m[i] *= x[i] - b[i];
  return m;
}

// A linear operation without bias as a matrix, column by column through unit vectors.
inline std::vector<Vector> matrix_of(const Graph& graph, const std::string& input, const Shape& shape) {
  const int64_t size = element_count(shape);
  std::vector<Vector> rows;
  for (int64_t i = 0; i < size; ++i) {
    Tensor unit(DType::f64, shape);
    unit.mutable_data<double>()[i] = 1;
    const Vector column = values_of(interpret(graph, {{input, unit}}, 1)[0]);
    rows.resize(column.size());
    for (size_t j = 0; j < column.size(); ++j) rows[j].push_back(column[j]);
  }
  return rows;
}

}  // namespace ascribe::core
