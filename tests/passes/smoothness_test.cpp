#include <gtest/gtest.h>

#include "passes/choices.h"
#include "support/ask.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

TEST(HasKinks, TellsSmoothNetworksFromOthers) {
  EXPECT_FALSE(has_kinks(small_mlp("sigmoid")));
  EXPECT_FALSE(has_kinks(small_cnn(true)));
  EXPECT_FALSE(has_kinks(small_vit()));  // with gelu
  EXPECT_TRUE(has_kinks(small_mlp("relu")));
  EXPECT_TRUE(has_kinks(small_cnn()));
  EXPECT_TRUE(has_kinks(small_resnet()));
}

TEST(HasKinks, AMaskThatIsKnownBendsNothing) {
  for (const bool moving : {false, true}) {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", {Kind::real, {kBatch, 2}});
    const Value other = moving ? x : b.constant(Tensor::of<double>({2}, {1.0, -1.0}));
    b.output("y", b.op("where", {b.op("less", {other, b.scalar(0)}), x, b.scalar(0)}));
    EXPECT_EQ(has_kinks(graph), moving);
  }
}

// The note of an integral that missed its tolerance gives a reason only where it is one.
TEST(HasKinks, IntegralsNameKinksOnlyWhereThereAreSome) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 3, 20));
  for (const char* activation : {"relu", "tanh"}) {
    const Attribution a = ask("integrated_gradients", small_mlp(activation), question, {{"steps", "2"}});
    ASSERT_EQ(a.notes.size(), 1U) << activation;
    EXPECT_EQ(a.notes[0].find("kinks") != std::string::npos, std::string(activation) == "relu") << a.notes[0];
  }
}

}  // namespace
}  // namespace ascribe::core
