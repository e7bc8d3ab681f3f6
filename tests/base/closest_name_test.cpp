#include "base/closest_name.h"

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

const std::vector<std::string> kMethods = {"gradient", "grad_cam",         "integrated_gradients",   "shapley",
                                           "deletion", "deeplift_rescale", "deeplift_reveal_cancel", "lime",
                                           "occlusion"};

TEST(ClosestName, ForgivesSlipsOfTheKeyboard) {
  EXPECT_EQ(closest_name("shaply", kMethods), "shapley");       // dropped
  EXPECT_EQ(closest_name("shappley", kMethods), "shapley");     // doubled
  EXPECT_EQ(closest_name("hsapley", kMethods), "shapley");      // swapped
  EXPECT_EQ(closest_name("gradeint", kMethods), "gradient");    // swapped
  EXPECT_EQ(closest_name("ocllusion", kMethods), "occlusion");  // changed
  EXPECT_EQ(closest_name("Grad-CAM", kMethods), "grad_cam");    // spelled as people write it
  EXPECT_EQ(closest_name("gradient ", kMethods), "gradient");
}

TEST(ClosestName, TakesOpeningsAndWords) {
  EXPECT_EQ(closest_name("integrated", kMethods), "integrated_gradients");
  EXPECT_EQ(closest_name("delete", kMethods), "deletion");
  EXPECT_EQ(closest_name("rescale", kMethods), "deeplift_rescale");
  EXPECT_EQ(closest_name("cam", kMethods), "grad_cam");
  EXPECT_EQ(closest_name("deeplift", kMethods), "deeplift_rescale");  // the shortest that it begins
}

TEST(ClosestName, HasNothingToSayOfWordsThatAreFarOff) {
  EXPECT_EQ(closest_name("xyzzy", kMethods), "");
  EXPECT_EQ(closest_name("banana", kMethods), "");
  EXPECT_EQ(closest_name("ig", kMethods), "");
  EXPECT_EQ(closest_name("", kMethods), "");
  EXPECT_EQ(closest_name("lamp", kMethods), "");
  EXPECT_EQ(closest_name("shapley", {}), "");
  EXPECT_EQ(closest_name(std::string(100000, 's'), kMethods), "");
}

TEST(ClosestName, TakesAnotherNumberForAnotherThing) {
  EXPECT_EQ(closest_name("conv9", {"conv1", "conv3"}), "");
  EXPECT_EQ(closest_name("table6", {"table3", "table4"}), "");
  EXPECT_EQ(closest_name("tabel3", {"table3", "table4"}), "table3");
  EXPECT_EQ(closest_name("conv", {"conv1", "conv3"}), "conv1");  // of two equally near the first
}

TEST(ClosestName, IsPartOfTheSentence) {
  EXPECT_EQ(expected_one_of("lmie", {"lime", "shap"}), "did you mean 'lime'? Expected one of lime, shap");
  EXPECT_EQ(expected_one_of("xyzzy", {"lime", "shap"}), "expected one of lime, shap");
  EXPECT_EQ(expected("a number, or lime", "lmie", {"lime"}), "did you mean 'lime'? Expected a number, or lime");
  EXPECT_EQ(expected("value:V", "value", {"value", "zero"}), "expected value:V");  // the name is right, the rest is not
}

}  // namespace
}  // namespace ascribe::core
