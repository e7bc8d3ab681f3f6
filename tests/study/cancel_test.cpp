// Work of study that is stopped at drawn moments: by how often it was told, and by another thread's clock.
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "base/random.h"
#include "study/evaluate.h"
#include "study/explain.h"
#include "support/folder.h"

namespace ascribe::core::study {
namespace {

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";

EvaluateRequest rating(const TemporaryFolder& folder, const std::string& name) {
  EvaluateRequest request;
  request.data = kModels + "tabular_sample.csv";
  request.methods = {"occlusion", "shapley", "gradient_x_input"};
  request.metrics = {"completeness", "deletion"};
  request.batch = 2;
  request.journal = folder.path(name + ".journal");
  return request;
}

// True: it came to its end.
template <class Work>
bool ends(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled) << error.what();
    return false;
  }
}

TEST(CancelStudy, StoppedByAClockAtAnyMomentARatingGoesOn) {
  using std::chrono::microseconds;
  using Clock = std::chrono::steady_clock;
  const TemporaryFolder folder;
  const Subject subject = Subject::open({.path = kModels + "tabular_mlp.onnx"});
  const auto begin = Clock::now();
  const std::string whole = scores_csv(evaluate(subject, rating(folder, "whole")));
  const auto needed = std::chrono::duration_cast<microseconds>(Clock::now() - begin).count() + 1;
  constexpr int kSeeds = 12;
  int stopped = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::string csv;
    for (uint64_t attempt = 0; csv.empty(); ++attempt) {
      ASSERT_LT(attempt, 500U);
      std::atomic<bool> enough = false;
      // Every attempt has more time, so that slow machines come to an end as well.
      const microseconds moment{Random(seed, 2).below(attempt, static_cast<uint64_t>(needed) * (attempt + 1))};
      std::thread other([&] {
        std::this_thread::sleep_for(moment);
        enough = true;
      });
      EvaluateRequest request = rating(folder, std::to_string(seed));
      request.run.progress = [&enough, attempt](std::string_view, int64_t, int64_t) {
        // The first attempt lets the clock catch up: a quick machine is through before most clocks ring.
        while (attempt == 0 && !enough) std::this_thread::yield();
        if (enough) cancel();
      };
      stopped += ends([&] { csv = scores_csv(evaluate(subject, request)); }) ? 0 : 1;
      other.join();
    }
    EXPECT_EQ(csv, whole) << seed;
  }
  EXPECT_GE(stopped, kSeeds);
}

TEST(CancelStudy, StoppedAtAnyStepTheNextExplanationIsTheSame) {
  const Subject subject = Subject::open({.path = kModels + "tabular_mlp.onnx"});
  ExplainRequest request;
  request.question.rows.files = {kModels + "tabular_sample.csv"};
  request.methods = {"shapley", "integrated_gradients"};
  const auto values = [&] {
    std::vector<std::vector<double>> all;
    for (const MethodAnswer& answer : explain(subject, request).methods) {
      for (const Attribution& attribution : answer.attributions) all.push_back(attribution.values);
    }
    return all;
  };
  const auto whole = values();
  for (uint64_t seed = 0; seed < 25; ++seed) {
    auto left = 1 + static_cast<int64_t>(Random(seed, 4).below(0, 200));
    request.run.progress = [&left](std::string_view, int64_t, int64_t) {
      if (--left == 0) cancel();
    };
    ends([&] { explain(subject, request); });
    request.run.progress = {};
    EXPECT_EQ(values(), whole) << seed;
  }
}

}  // namespace
}  // namespace ascribe::core::study
