#include "tensor/symmetric_matrix.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/random.h"

namespace ascribe::core {
namespace {

// G G' with G of `rank` random columns: positive definite if there are as many columns as rows.
SymmetricMatrix product_of_random(int64_t size, int64_t rank) {
  const Random random(7, static_cast<uint64_t>(size));
  const auto g = [&](int64_t i, int64_t k) { return random.normal(static_cast<uint64_t>(i * rank + k)); };
  SymmetricMatrix matrix(size);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) {
      for (int64_t k = 0; k < rank; ++k) matrix.row(i)[j] += g(i, k) * g(j, k);
    }
  }
  return matrix;
}

double entry_of_product(const SymmetricMatrix& a, const SymmetricMatrix& b, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < a.size(); ++k) sum += a.row(i)[k] * b.row(k)[j];
  return sum;
}

TEST(SymmetricMatrix, InverseOfAMatrixByHand) {
  SymmetricMatrix matrix(2);
  matrix.row(0)[0] = 4, matrix.row(0)[1] = matrix.row(1)[0] = 2, matrix.row(1)[1] = 3;
  const auto inverse = matrix.inverse();
  ASSERT_TRUE(inverse);
  const double expected[2][2] = {{0.375, -0.25}, {-0.25, 0.5}};
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 2; ++j) EXPECT_NEAR(inverse->row(i)[j], expected[i][j], 1e-15);
  }
}

TEST(SymmetricMatrix, TimesItsInverseIsTheIdentity) {
  for (const int64_t size : {1, 5, 63, 64, 65, 150}) {
    const SymmetricMatrix matrix = product_of_random(size, 2 * size);
    const auto inverse = matrix.inverse();
    ASSERT_TRUE(inverse) << size;
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        EXPECT_NEAR(entry_of_product(matrix, *inverse, i, j), i == j ? 1 : 0, 1e-11) << size;
        EXPECT_EQ(inverse->row(i)[j], inverse->row(j)[i]);
      }
    }
  }
}

TEST(SymmetricMatrix, SingularOnesHaveNoInverse) {
  for (const int64_t size : {2, 3, 70, 150}) EXPECT_FALSE(product_of_random(size, size - 1).inverse()) << size;
  EXPECT_FALSE(SymmetricMatrix(3).inverse());
  SymmetricMatrix indefinite(2);
  indefinite.row(0)[1] = indefinite.row(1)[0] = 1;
  EXPECT_FALSE(indefinite.inverse());
}

// What only rounding tells from a singular matrix is one: the pivot counts beside its diagonal, whatever the scale.
TEST(SymmetricMatrix, AlmostSingularOnesHaveNoInverse) {
  for (const double scale : {1e-200, 1.0, 1e200}) {
    for (const double distance : {1e-12, 1e-10}) {
      SymmetricMatrix matrix(2);
      matrix.row(0)[0] = matrix.row(0)[1] = matrix.row(1)[0] = scale;
      matrix.row(1)[1] = scale * (1 + distance);
      EXPECT_EQ(matrix.inverse().has_value(), distance > 1e-11) << scale << " " << distance;
    }
  }
}

TEST(SymmetricMatrix, OfNanHasNoInverse) {
  SymmetricMatrix matrix = product_of_random(3, 6);
  matrix.row(1)[1] = NAN;
  EXPECT_FALSE(matrix.inverse());
}

TEST(SymmetricMatrix, WithoutRowsIsItsOwnInverse) {
  const auto inverse = SymmetricMatrix(0).inverse();
  ASSERT_TRUE(inverse);
  EXPECT_EQ(inverse->size(), 0);
  EXPECT_TRUE(inverse->times({}).empty());
}

TEST(SymmetricMatrix, TimesAVectorAndTheDiagonalAroundAnother) {
  for (const int64_t size : {3, 130}) {
    const SymmetricMatrix a = product_of_random(size, 2), b = product_of_random(size, 5);
    std::vector<double> ones(static_cast<size_t>(size), 1.0);
    const std::vector<double> sums = a.times(ones), diagonal = a.diagonal_around(b);
    for (int64_t i = 0; i < size; ++i) {
      double sum = 0, around = 0;
      for (int64_t j = 0; j < size; ++j) {
        sum += a.row(i)[j];
        around += entry_of_product(a, b, i, j) * a.row(j)[i];
      }
      EXPECT_NEAR(sums[static_cast<size_t>(i)], sum, 1e-10);
      EXPECT_NEAR(diagonal[static_cast<size_t>(i)], around, 1e-12 * std::abs(around) + 1e-10);
    }
  }
}

TEST(SymmetricMatrix, MirrorCopiesTheLowerHalf) {
  SymmetricMatrix matrix(3);
  matrix.row(1)[0] = 1, matrix.row(2)[0] = 2, matrix.row(2)[1] = 3, matrix.row(0)[2] = 9;
  matrix.mirror();
  EXPECT_EQ(matrix.row(0)[1], 1);
  EXPECT_EQ(matrix.row(0)[2], 2);
  EXPECT_EQ(matrix.row(1)[2], 3);
}

TEST(SymmetricMatrix, BitsDoNotDependOnTheNumberOfThreads) {
  const SymmetricMatrix matrix = product_of_random(150, 300);
  const auto with_threads = [&](int count) {
    const ThreadCount threads(count);
    return std::pair(*matrix.inverse(), matrix.diagonal_around(matrix));
  };
  const auto [one, diagonal_of_one] = with_threads(1);
  const auto [two, diagonal_of_two] = with_threads(2);
  EXPECT_EQ(diagonal_of_one, diagonal_of_two);
  for (int64_t i = 0; i < 150; ++i) {
    for (int64_t j = 0; j < 150; ++j) EXPECT_EQ(one.row(i)[j], two.row(i)[j]);
  }
}

}  // namespace
}  // namespace ascribe::core
