#include <gtest/gtest.h>

#include "study/budget.h"
#include "support/errors.h"

namespace ascribe::core::study {
namespace {

// Some work with decisions: what is left decides how much is done, and a part is stopped where the clock says so.
struct Done {
  std::vector<double> left;
  std::vector<bool> finished;
  bool operator==(const Done&) const = default;
};

Done work(const TimeKeeping& time, double& now) {
  Spending spending(Budget::parse("10s"), time);
  Done done;
  for (const double takes : {1.0, 8.0, 0.5}) {
    done.left.push_back(spending.left());
    done.finished.push_back(spending.within(3, {"part"}, {}, [&](const Progress& progress) {
      done.left.push_back(spending.left());  // a decision within the work
      for (int i = 0; i < 10; ++i) {
        now += takes / 10;
        report(progress, "work", i, 10);
      }
    }));
    if (!done.finished.back()) done.left.pop_back();  // it came to nothing
  }
  const Pace pace = spending.told([&] { return Pace{now, 2 * now}; });
  done.left.insert(done.left.end(), {pace.forward, pace.gradient, spending.told(now)});
  return done;
}

TEST(TimeDiary, MakesASlowMachineDecideAsAFastOneDid) {
  double now = 0;
  TimeKeeping time{[&] { return now; }, {}, std::make_shared<TimeDiary>()};
  const Done then = work(time, now);
  ASSERT_EQ(then.finished, (std::vector{true, false, true})) << "the part of 8 s was stopped";
  double slow = 0;
  const auto diary = std::make_shared<TimeDiary>(time.diary->readings());
  const Done again = work({[&] { return slow += 100; }, {}, diary}, slow);
  EXPECT_EQ(again, then);
  EXPECT_TRUE(diary->followed());
}

TEST(TimeDiary, NoticesOtherDecisions) {
  TimeDiary diary({1, 2});
  EXPECT_EQ(diary.told(7), 1);
  EXPECT_FALSE(diary.followed()) << "not all of it was read";
  EXPECT_EQ(diary.told(7), 2);
  EXPECT_TRUE(diary.followed());
  EXPECT_EQ(diary.told(7), 7);
  EXPECT_FALSE(diary.followed()) << "more was asked for";
}

}  // namespace
}  // namespace ascribe::core::study
