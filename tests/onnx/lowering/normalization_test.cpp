// Softmax of early opsets, LRN, GroupNormalization, BatchNormalization, Attention.
#include <cmath>

#include "onnx/lowering/node_case.h"

namespace ascribe::core {
namespace {

TEST(Softmax, BeforeOpset13ItRunsOverAllAxesBehind) {
  NodeCase node("Softmax", 11);
  node.input(reals_of({1, 2, 2}, {0, 0, std::log(2.0), 0}));
  expect_values(node.run()[0], {1, 2, 2}, {0.2, 0.2, 0.4, 0.2});
}

TEST(Softmax, SinceOpset13ItRunsOverTheLastAxis) {
  NodeCase node("Softmax", 13);
  node.input(reals_of({1, 2, 2}, {0, 0, std::log(3.0), 0}));
  expect_values(node.run()[0], {1, 2, 2}, {0.5, 0.5, 0.75, 0.25});
}

TEST(LRN, AnEvenWindowReachesFurtherUp) {
  // size 2: the window of channel c is c, c + 1.
  NodeCase node("LRN", 13);
  node.input(reals_of({1, 3, 1}, {1, 2, 3})).set("size", 2).set("alpha", 2.0).set("beta", 1.0).set("bias", 1.0);
  expect_values(node.run()[0], {1, 3, 1}, {1.0 / (1 + 5), 2.0 / (1 + 13), 3.0 / (1 + 9)});
}

TEST(LRN, AWindowBeyondAllChannelsStillDividesByItsSize) {
  NodeCase node("LRN", 13);
  node.input(reals_of({1, 2, 1}, {1, 2}))
      .set("size", int64_t{1000000})
      .set("alpha", 1e6)
      .set("beta", 1.0)
      .set("bias", 0.0);
  expect_values(node.run()[0], {1, 2, 1}, {1.0 / 5, 2.0 / 5});
}

TEST(GroupNormalization, ScaleIsPerGroupInOpset18AndPerChannelSince21) {
  const Tensor x = reals_of({1, 4, 1}, {-1, 1, -3, 3});
  NodeCase groups("GroupNormalization", 18), channels("GroupNormalization", 21);
  groups.input(x).constant(reals_of({2}, {2, 3})).constant(reals_of({2}, {0, 1}));
  channels.input(x).constant(reals_of({4}, {1, 2, 3, 4})).constant(reals_of({4}, {0, 0, 0, 1}));
  for (NodeCase* node : {&groups, &channels}) node->set("num_groups", 2).set("epsilon", 0.0);
  expect_values(groups.run()[0], {1, 4, 1}, {-2, 2, -2, 4});
  expect_values(channels.run()[0], {1, 4, 1}, {-1, 2, -3, 5});
}

TEST(LayerNormalization, GivesMeanAndInverseDeviation) {
  NodeCase node("LayerNormalization", 17);
  node.input(reals_of({1, 2}, {1, 5})).constant(reals_of({2}, {1, 1})).set("epsilon", 0.0);
  const auto outputs = node.run(3);
  expect_values(outputs[0], {1, 2}, {-1, 1});
  expect_values(outputs[1], {1, 1}, {3});
  expect_values(outputs[2], {1, 1}, {0.5});
}

TEST(BatchNormalization, TrainingIsRefused) {
  NodeCase node("BatchNormalization", 15);
  node.input(counting({1, 2, 2}));
  for (int i = 0; i < 4; ++i) node.constant(reals_of({2}, {1, 1}));
  node.set("training_mode", 1);
  EXPECT_NE(node.refusal().find("training"), std::string::npos);
}

TEST(Attention, CausalQueriesSeeNoLaterKeys) {
  // One head of size 1, scores all 0: plain averages of the values seen.
  NodeCase node("Attention", 23);
  node.input(reals_of({1, 1, 3, 1}, {0, 0, 0}))
      .input(reals_of({1, 1, 3, 1}, {1, 1, 1}))
      .input(reals_of({1, 1, 3, 1}, {3, 5, 10}))
      .set("is_causal", 1);
  expect_values(node.run()[0], {1, 1, 3, 1}, {3, 4, 6});
}

TEST(Attention, HeadsOfKeysAreSharedInGroups) {
  // 3-D: 2 query heads, 1 key head; scale 1. Head 0 asks for key 0, head 1 for none in particular.
  NodeCase node("Attention", 23);
  node.input(reals_of({1, 1, 2}, {100, 0}))
      .input(reals_of({1, 2, 1}, {1, 0}))
      .input(reals_of({1, 2, 1}, {7, 9}))
      .set("q_num_heads", 2)
      .set("kv_num_heads", 1)
      .set("scale", 1.0);
  expect_values(node.run()[0], {1, 1, 2}, {7, 8});
}

TEST(Attention, SoftcapLeavesMaskedPlacesMasked) {
  NodeCase node("Attention", 23);
  node.input(reals_of({1, 1, 1, 1}, {1}))
      .input(reals_of({1, 1, 2, 1}, {1, 1}))
      .input(reals_of({1, 1, 2, 1}, {2, 100}))
      .constant(Tensor::of<uint8_t>({1, 2}, {1, 0}))
      .set("softcap", 1.0);
  expect_values(node.run()[0], {1, 1, 1, 1}, {2});
}

}  // namespace
}  // namespace ascribe::core
