#include "study/smoothing_files.h"

#include <cmath>

#include <gtest/gtest.h>

namespace ascribe::core::study {
namespace {

// One input whose series converges everywhere, and a mean over none.
VerifyResult without_bounds() {
  FittingError error;
  error.method = "shapley";
  error.orders.push_back({2, {}, {}});
  error.orders[0].all.mean = NAN;
  SigmaResult sigma;
  sigma.sigma = 0.5;
  sigma.inputs.push_back({INFINITY, Series::converges});
  sigma.methods.push_back(error);
  SmoothedModel model;
  model.temperature = 5;
  model.verified.model = "net.onnx";
  model.verified.result.sigmas.push_back(sigma);
  VerifyResult result;
  result.smoothed.push_back(model);
  return result;
}

TEST(SmoothingFiles, HaveEmptyCellsForWhatIsNoNumber) {
  for (const NamedBytes& file : smoothing_files(without_bounds(), Json::object())) {
    if (file.name != "smoothing.csv") continue;
    EXPECT_NE(file.bytes.find("\n5,0.5,shapley,2,,,0,0,"), std::string::npos) << file.bytes;
    EXPECT_EQ(file.bytes.find("inf,"), std::string::npos) << file.bytes;
    EXPECT_EQ(file.bytes.find("nan"), std::string::npos) << file.bytes;
    return;
  }
  FAIL() << "there is no smoothing.csv";
}

}  // namespace
}  // namespace ascribe::core::study
