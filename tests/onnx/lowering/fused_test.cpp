// Operators that ONNX Runtime fuses, against their formulas in plain loops.
#include <cmath>

#include "onnx/lowering/node_case.h"

namespace ascribe::core {
namespace {

using onnx::TensorProto;

double normal_share(double x) { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }

TEST(FusedGelu, IsThatOfTheErrorFunctionOrTanhOrTheLogisticFunction) {
  const std::vector<double> x = {-1.5, 0.25, 2};
  const auto case_of = [&](const std::string& name, bool biased) {
    NodeCase node("com.microsoft." + name, 17);
    node.input(reals_of({1, 3}, x));
    if (biased) node.constant(reals_of({3}, {1, -1, 0.5}));
    return node.run()[0];
  };
  const std::vector<double> bias = {1, -1, 0.5};
  const Tensor plain = case_of("Gelu", false), with_bias = case_of("BiasGelu", true), fast = case_of("FastGelu", true),
               quick = case_of("QuickGelu", false);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const double z = x[i] + bias[i];
    EXPECT_NEAR(plain.at(at), x[i] * normal_share(x[i]), 1e-12);
    EXPECT_NEAR(with_bias.at(at), z * normal_share(z), 1e-12);
    EXPECT_NEAR(fast.at(at), 0.5 * z * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z))), 1e-9);
    EXPECT_NEAR(quick.at(at), x[i] / (1 + std::exp(-1.702 * x[i])), 1e-6);  // the attribute is a float
  }
}

TEST(FusedMatMul, TransposesAndScales) {
  NodeCase node("com.microsoft.FusedMatMul", 17), batches("com.microsoft.FusedMatMul", 17);
  node.input(reals_of({1, 2}, {1, 2})).constant(reals_of({2, 2}, {1, 2, 3, 4})).set("transB", 1).set("alpha", 0.5);
  expect_values(node.run()[0], {1, 2}, {2.5, 5.5});
  batches.input(reals_of({1, 2}, {1, 2})).constant(reals_of({2, 2}, {1, 2, 3, 4})).set("transBatchA", 1);
  EXPECT_NE(batches.refusal().find("transposed batches"), std::string::npos);
}

TEST(FusedConv, AddsAndActivates) {
  NodeCase node("com.microsoft.FusedConv", 17), unknown("com.microsoft.FusedConv", 17);
  node.input(reals_of({1, 1, 3}, {1, 2, 3})).constant(reals_of({1, 1, 1}, {2})).constant(reals_of({1}, {-1}));
  node.input(reals_of({1, 1, 3}, {-9, 0, 1}))
      .set("activation", "LeakyRelu")
      .set("activation_params", std::vector<double>{0.5});
  expect_values(node.run()[0], {1, 1, 3}, {-4, 3, 6});  // 1 - 9 halved, 3, 5 + 1
  unknown.input(reals_of({1, 1, 1}, {1})).constant(reals_of({1, 1, 1}, {2})).set("activation", "Frob");
  EXPECT_NE(unknown.refusal().find("Frob"), std::string::npos);
}

TEST(FusedGemm, Activates) {
  NodeCase node("com.microsoft.FusedGemm", 17);
  node.input(reals_of({1, 2}, {1, 2})).constant(reals_of({2, 2}, {1, -1, 1, -1})).constant(reals_of({2}, {1, 1}));
  node.set("activation", "Relu").set("alpha", 2.0).set("beta", 3.0);
  expect_values(node.run()[0], {1, 2}, {9, 0});
}

TEST(SkipLayerNormalization, NormalisesTheSumAndGivesItToo) {
  NodeCase node("com.microsoft.SkipLayerNormalization", 17);
  node.input(reals_of({1, 1, 2}, {1, 4})).input(reals_of({1, 1, 2}, {0, 1})).constant(reals_of({2}, {2, 3}));
  node.constant(reals_of({2}, {0, 1})).constant(reals_of({2}, {1, 1})).set("epsilon", 0.0);
  // The sum is (2, 6), normalised (-1, 1).
  node.import(1);
  expect_values(node.run(1)[0], {1, 1, 2}, {-2, 4});
}

TEST(SimplifiedLayerNormalization, DividesByTheRootMeanSquare) {
  NodeCase node("SimplifiedLayerNormalization", 17), skip("com.microsoft.SkipSimplifiedLayerNormalization", 17);
  node.input(reals_of({1, 2}, {1, 7})).constant(reals_of({2}, {1, 2})).set("epsilon", 0.0);
  expect_values(node.run()[0], {1, 2}, {0.2, 2.8});  // the root of 25
  skip.input(reals_of({1, 2}, {1, 3}))
      .input(reals_of({1, 2}, {0, 4}))
      .constant(reals_of({2}, {1, 2}))
      .set("epsilon", 0.0);
  expect_values(skip.run()[0], {1, 2}, {0.2, 2.8});
}

TEST(EmbedLayerNormalization, SumsRowsOfThreeTables) {
  NodeCase node("com.microsoft.EmbedLayerNormalization", 17);
  node.input(Tensor::of<int64_t>({1, 2}, {2, 0})).input(Tensor::of<int64_t>({1, 2}, {1, 0}));
  node.constant(reals_of({3, 2}, {0, 1, 9, 9, 2, 3})).constant(reals_of({4, 2}, {10, 10, 20, 21, 7, 7, 7, 7}));
  node.constant(reals_of({2, 2}, {0, 1, 5, 8})).constant(reals_of({2}, {1, 2})).constant(reals_of({2}, {0, 1}));
  node.input(Tensor::of<int64_t>({1, 2}, {1, 0})).set("epsilon", 0.0);
  // Sums (2 + 10 + 5, 3 + 10 + 8) = (17, 21) and (0 + 20 + 0, 1 + 21 + 1) = (20, 23).
  const auto y = node.run(3);
  expect_values(y[0], {1, 2, 2}, {-1, 3, -1, 3});
  expect_values(y[1], {1}, {1});
  expect_values(y[2], {1, 2, 2}, {17, 21, 20, 23});
}

// softmax(q k^T / sqrt(D) + bias) v for one head.
std::vector<double> attended(const std::vector<std::vector<double>>& q, const std::vector<std::vector<double>>& k,
                             const std::vector<std::vector<double>>& v, const std::vector<std::vector<double>>& bias) {
  std::vector<double> result;
  for (size_t i = 0; i < q.size(); ++i) {
    std::vector<double> weights;
    double sum = 0;
    for (size_t j = 0; j < k.size(); ++j) {
      double score = 0;
      for (size_t d = 0; d < q[i].size(); ++d) score += q[i][d] * k[j][d];
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(q[i].size())) + bias[i][j]));
      sum += weights.back();
    }
    for (size_t d = 0; d < v[0].size(); ++d) {
      double mixed = 0;
      for (size_t j = 0; j < k.size(); ++j) mixed += weights[j] / sum * v[j][d];
      result.push_back(mixed);
    }
  }
  return result;
}

// Weights that copy the input into queries, keys and values.
Tensor copies(int64_t width) {
  Tensor weights(DType::f64, {width, 3 * width});
  for (int64_t i = 0; i < width; ++i) {
    for (int64_t part = 0; part < 3; ++part) weights.mutable_data<double>()[i * 3 * width + part * width + i] = 1;
  }
  return weights;
}

TEST(FusedAttention, MasksKeysAndTheFuture) {
  const std::vector<std::vector<double>> x = {{1, 0.5}, {-1, 2}, {0.3, 0.7}};
  const Tensor input = reals_of({1, 3, 2}, {1, 0.5, -1, 2, 0.3, 0.7});
  const double low = -1e4;
  const auto run = [&](const std::vector<int32_t>& mask, const std::vector<int64_t>& shape, int unidirectional) {
    NodeCase node("com.microsoft.Attention", 17);
    node.input(input).constant(copies(2)).constant(reals_of({6}, std::vector<double>(6, 0)));
    if (!mask.empty()) node.constant_as(TensorProto::INT32, shape, mask);
    node.set("num_heads", 1).set("unidirectional", unidirectional);
    return node.run()[0];
  };
  expect_values(run({}, {}, 0), {1, 3, 2}, attended(x, x, x, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}));
  expect_values(run({1, 0, 1}, {1, 3}, 0), {1, 3, 2}, attended(x, x, x, {{0, low, 0}, {0, low, 0}, {0, low, 0}}));
  expect_values(run({2}, {1}, 0), {1, 3, 2}, attended(x, x, x, {{0, 0, low}, {0, 0, low}, {0, 0, low}}));
  expect_values(run({}, {}, 1), {1, 3, 2}, attended(x, x, x, {{0, low, low}, {0, 0, low}, {0, 0, 0}}));
}

TEST(FusedAttention, HeadsAreApart) {
  NodeCase node("com.microsoft.Attention", 17);
  node.input(reals_of({1, 2, 2}, {1, 3, -1, 2})).constant(copies(2)).constant(reals_of({6}, {0, 0, 0, 0, 1, 0}));
  node.set("num_heads", 2);
  const auto left = attended({{1}, {-1}}, {{1}, {-1}}, {{2}, {0}}, {{0, 0}, {0, 0}});
  const auto right = attended({{3}, {2}}, {{3}, {2}}, {{3}, {2}}, {{0, 0}, {0, 0}});
  expect_values(node.run()[0], {1, 2, 2}, {left[0], right[0], left[1], right[1]});
}

TEST(MultiHeadAttention, TakesOperandsApartWithABiasAndAMask) {
  NodeCase node("com.microsoft.MultiHeadAttention", 17);
  node.input(reals_of({1, 1, 2}, {1, 2}))
      .input(reals_of({1, 2, 2}, {0, 1, 1, 0}))
      .input(reals_of({1, 2, 2}, {5, 6, 7, 9}));
  node.constant(reals_of({6}, {1, 0, 0, 1, 0, 2})).constant_as(TensorProto::INT32, {1, 2}, {1, 1});
  node.input(reals_of({1, 1, 1, 2}, {0.5, -0.5})).set("num_heads", 1).set("scale", 0.0);
  expect_values(node.run()[0], {1, 1, 2}, attended({{2, 2}}, {{0, 2}, {1, 1}}, {{5, 8}, {7, 11}}, {{0.5, -0.5}}));
}

TEST(FusedAttention, RefusesWhatItDoesNotKnow) {
  NodeCase rotary("com.microsoft.Attention", 17), sizes("com.microsoft.Attention", 17),
      packed("com.microsoft.MultiHeadAttention", 17);
  rotary.input(reals_of({1, 1, 2}, {1, 1})).constant(copies(2)).set("num_heads", 1).set("do_rotary", 1);
  EXPECT_NE(rotary.refusal().find("do_rotary"), std::string::npos);
  sizes.input(reals_of({1, 1, 2}, {1, 1})).constant(copies(2)).set("num_heads", 1);
  sizes.set("qkv_hidden_sizes", std::vector<int64_t>{2, 2, 99});
  EXPECT_NE(sizes.refusal().find("99"), std::string::npos);
  packed.input(reals_of({1, 1, 1, 3, 2}, {1, 1, 1, 1, 1, 1})).set("num_heads", 1);
  EXPECT_NE(packed.refusal().find("packed"), std::string::npos);
}

TEST(RotaryEmbedding, TurnsHalvesOrNeighbours) {
  // Position 1 is turned by a quarter, position 0 not at all; two heads of size 2... and one of size 4 interleaved.
  const Tensor cosine = reals_of({2, 1}, {1, 0}), sine = reals_of({2, 1}, {0, 1});
  NodeCase own("com.microsoft.RotaryEmbedding", 17), standard("RotaryEmbedding", 23);
  own.input(reals_of({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})).input(Tensor::of<int64_t>({1, 2}, {0, 1}));
  own.constant(cosine).constant(sine);
  expect_values(own.run()[0], {1, 2, 4}, {1, 2, 3, 4, -6, 5, -8, 7});
  const Tensor two = reals_of({2, 2}, {1, 1, 0, 0}), other = reals_of({2, 2}, {0, 0, 1, 1});
  standard.input(reals_of({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})).constant(two).constant(other);
  standard.input(Tensor::of<int64_t>({1, 2}, {0, 1})).set("interleaved", 1);
  expect_values(standard.run()[0], {1, 1, 2, 4}, {1, 2, 3, 4, -6, 5, -8, 7});
  NodeCase halves("RotaryEmbedding", 23);
  halves.input(reals_of({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})).constant(two).constant(other);
  halves.input(Tensor::of<int64_t>({1, 2}, {0, 1}));
  expect_values(halves.run()[0], {1, 1, 2, 4}, {1, 2, 3, 4, -7, -8, 5, 6});
}

TEST(RotaryEmbedding, TurnsOnlyTheFirstNumbersIfAsked) {
  NodeCase node("RotaryEmbedding", 23), odd("RotaryEmbedding", 23);
  node.input(reals_of({1, 1, 1, 4}, {1, 2, 3, 4}))
      .constant(reals_of({1, 1, 1}, {0}))
      .constant(reals_of({1, 1, 1}, {1}));
  node.set("rotary_embedding_dim", 2);
  expect_values(node.run()[0], {1, 1, 1, 4}, {-2, 1, 3, 4});
  odd.input(reals_of({1, 1, 1, 4}, {1, 2, 3, 4})).constant(reals_of({1, 1, 1}, {0})).constant(reals_of({1, 1, 1}, {1}));
  odd.set("rotary_embedding_dim", 3);
  EXPECT_NE(odd.refusal(), "");
}

}  // namespace
}  // namespace ascribe::core
