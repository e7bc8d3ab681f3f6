// Small networks with known or easily checked derivatives.
#pragma once

#include <string>
#include <vector>

#include "graph/builder.h"
#include "support/ops.h"

namespace ascribe::core {

// sum over r of prod over q of (a_rq . x + c_rq): a polynomial of degree `degree`.
struct ProductOfForms {
  int64_t inputs = 0, summands = 0;
  int degree = 0;
  std::vector<Tensor> slopes, offsets;  // per q: [inputs, summands] and [summands]

  ProductOfForms(int64_t input_count, int64_t summand_count, int order)
      : inputs(input_count), summands(summand_count), degree(order) {
    for (int q = 0; q < order; ++q) {
      slopes.push_back(random_tensor({inputs, summands}, 100 + q));
      offsets.push_back(random_tensor({summands}, 200 + q));
    }
  }

  Graph graph() const {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", {Kind::real, {kBatch, inputs}});
    Value product;
    for (int q = 0; q < degree; ++q) {
      const Value form = b.add(b.matmul(x, b.constant(slopes[q])), b.constant(offsets[q]));
      product = product.valid() ? b.mul(product, form) : form;
    }
    b.output("y", b.reduce("reduce_sum", product, {1}, true));
    return graph;
  }
};

// x [N, inputs] -> sigmoid layers -> [N, 3].
inline Graph sigmoid_network(int64_t inputs, int64_t hidden, double scale = 1) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, inputs}});
  const auto layer = [&](Value from, int64_t in, int64_t out, uint64_t seed) {
    return b.add(b.matmul(from, b.constant(random_tensor({in, out}, seed, scale))),
                 b.constant(random_tensor({out}, seed + 1, 0.5)));
  };
  const Value first = b.op("sigmoid", {layer(x, inputs, hidden, 1)});
  const Value second = b.op("tanh", {layer(first, hidden, hidden, 3)});
  b.output("y", layer(second, hidden, 3, 5));
  return graph;
}

}  // namespace ascribe::core
