#include "base/variant.h"

#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

// Copies run out of memory at the `left`-th.
struct Part {
  static inline int left = 0;
  int value = 0;

  explicit Part(int number) : value(number) {}
  Part(const Part& other) : value(other.value) {
    if (left-- <= 0) throw std::bad_alloc();
  }
  Part& operator=(const Part&) = default;
  friend bool operator==(const Part&, const Part&) = default;
};

using Parts = std::vector<Part>;
using Any = Variant<std::string, Parts>;

Parts three_parts() {
  Parts parts;
  parts.reserve(3);
  for (const int number : {1, 2, 3}) parts.emplace_back(number);
  return parts;
}

TEST(Variant, ACopyThatRunsOutOfMemoryLeavesNothing) {
  const Any any(three_parts());
  for (int point = 0; point < 3; ++point) {
    Part::left = point;
    EXPECT_THROW(Any{any}, std::bad_alloc) << point;
    Part::left = point;
    EXPECT_THROW((std::vector<Any>{any}), std::bad_alloc) << point;
  }
  Part::left = 3;
  const Any copy(any);
  EXPECT_EQ(copy, any);
}

TEST(Variant, AnAssignmentThatRunsOutOfMemoryChangesNothing) {
  const Any any(three_parts());
  Any other(std::string("as it was"));
  Part::left = 1;
  EXPECT_THROW(other = any, std::bad_alloc);
  EXPECT_EQ(std::get<std::string>(other), "as it was");
}

}  // namespace
}  // namespace ascribe::core
