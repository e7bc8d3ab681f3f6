#include "onnx/lowering/node_case.h"

namespace ascribe::core {
namespace {

NodeCase einsum(const char* equation) {
  NodeCase node("Einsum", 12);
  node.set("equation", equation);
  return node;
}

TEST(Einsum, MatrixProductWithABatchInTheMiddle) {
  // y[j, b, k] = sum_i a[i, b, j] c[b, k, i]
  const Tensor a = counting({2, 3, 2}), c = counting({3, 2, 2});
  std::vector<double> expected;
  for (int64_t j = 0; j < 2; ++j) {
    for (int64_t b = 0; b < 3; ++b) {
      for (int64_t k = 0; k < 2; ++k) {
        double sum = 0;
        for (int64_t i = 0; i < 2; ++i) sum += a.at((i * 3 + b) * 2 + j) * c.at((b * 2 + k) * 2 + i);
        expected.push_back(sum);
      }
    }
  }
  expect_values(einsum("ibj,bki->jbk").input(a).input(c).run()[0], {2, 3, 2}, expected);
}

TEST(Einsum, RepeatedLabelsTakeTheDiagonal) {
  expect_values(einsum("ii->i").input(counting({3, 3})).run()[0], {3}, {0, 4, 8});
  expect_values(einsum("...ii->...").input(counting({2, 2, 2})).run()[0], {2}, {3, 11});
}

TEST(Einsum, WithoutArrowTheLabelsSeenOnceRemainInAlphabeticalOrder) {
  expect_values(einsum("ba").input(counting({2, 3})).run()[0], {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values(einsum("i,i").input(reals_of({2}, {1, 2})).input(reals_of({2}, {3, 4})).run()[0], {}, {11});
}

TEST(Einsum, EllipsesOfDifferentLengthBroadcast) {
  // [2, 1, 2] x [3, 2] over the last axis -> [2, 3]
  const Tensor a = reals_of({2, 1, 2}, {1, 2, 3, 4}), b = reals_of({3, 2}, {1, 0, 0, 1, 1, 1});
  expect_values(einsum("...i,...i->...").input(a).input(b).run()[0], {2, 3}, {1, 2, 3, 3, 4, 7});
}

TEST(Einsum, ThreeOperandsAndAnOuterProduct) {
  const Tensor a = reals_of({2}, {1, 2}), b = reals_of({2}, {3, 4}), c = reals_of({2}, {5, 6});
  expect_values(einsum("i,j,j->ij").input(a).input(b).input(c).run()[0], {2, 2}, {15, 24, 30, 48});
}

TEST(Einsum, EquationsThatDoNotFitAreRefused) {
  EXPECT_NE(einsum("ij->i").input(counting({2})).refusal(), "");
  EXPECT_NE(einsum("i->j").input(counting({2})).refusal(), "");
  EXPECT_NE(einsum("i,i->i").input(counting({2})).refusal(), "");
  EXPECT_NE(einsum("i->ii").input(counting({2})).refusal(), "");
  EXPECT_NE(einsum("..i->i").input(counting({2})).refusal(), "");
}

}  // namespace
}  // namespace ascribe::core
