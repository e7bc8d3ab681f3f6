#include "base/one_thread.h"

#include <gtest/gtest.h>

#include "base/parallel.h"

namespace ascribe {
namespace {

TEST(OneThread, LastsAsLongAsItsScope) {
  set_thread_count(3);
  {
    const OneThread guard;
    EXPECT_EQ(thread_count(), 1);
  }
  EXPECT_EQ(thread_count(), 3);
  {
    const OneThread guard(false);
    EXPECT_EQ(thread_count(), 3);
  }
  EXPECT_EQ(thread_count(), 3);
  set_thread_count(0);
}

}  // namespace
}  // namespace ascribe
