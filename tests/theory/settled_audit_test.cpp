#include "theory/settled_audit.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "methods/foreign.h"
#include "support/small_networks.h"
#include "support/study_room.h"

namespace ascribe::core {
namespace {

// A policy network: 4 numbers, two layers of 24 ReLUs with biases, one output.
Graph policy_network() {
  Graph graph;
  SmallNetwork net(graph, 40);
  const Value x = net.b.input("x", {Kind::real, {kBatch, 4}});
  const Value first = net.relu(net.dense(x, 4, 24));
  net.b.output("y", net.dense(net.relu(net.dense(first, 24, 24)), 24, 1));
  return graph;
}

Question four_numbers() {
  return {{Tensor::of<double>({1, 4}, {1.5, -1, 0.8, 2})},
          0,
          Tensor::of<double>({1, 4}, {-1, 0.5, -2, 0.3}),
          make_players({"elements", {4}, std::nullopt, {}, nullptr})};
}

using Given = std::map<std::string, std::string>;

SettledAudit settled(const std::string& name, const Given& given = {}, const Effort& effort = {}) {
  ExplainedModel model = in_double(policy_network());
  return settled_audit(method_named(name), model, four_numbers(), given, 0, effort);
}

TEST(SettledAudit, SpendsNodesUntilIntegralsOfAReluNetworkAreNotBlamed) {
  for (const char* name : {"integrated_gradients", "expected_gradients"}) {
    const SettledAudit found = settled(name);
    EXPECT_EQ(found.audit.verdicts.held(), 3) << name;
    EXPECT_GT(found.parameters.integer("most"), 64) << name;  // with 64 nodes nothing could be told
  }
}

TEST(SettledAudit, LeavesOpenWhatTheBudgetDoesNotDecide) {
  const SettledAudit found = settled("integrated_gradients", {}, {.most_evaluations = 1});
  const Verdict& complete = found.audit.verdicts[Principle::complete];
  EXPECT_GT(complete.figure, complete.tolerance);
  EXPECT_EQ(complete.holds, std::nullopt);
  EXPECT_NE(complete.reason.find("integrals"), std::string::npos);
}

TEST(SettledAudit, LeavesNodesThatTheCallerSetAndSaysThatItIsOpen) {
  const SettledAudit found = settled("integrated_gradients", {{"steps", "32"}});
  EXPECT_EQ(found.parameters.integer("steps"), 32);
  EXPECT_EQ(found.audit.verdicts[Principle::complete].holds, std::nullopt);
}

TEST(SettledAudit, StillBlamesAMethodForWhatIsItsOwn) {
  EXPECT_EQ(settled("gradient_x_input").audit.verdicts[Principle::low_error].holds, false);
  EXPECT_EQ(settled("occlusion").audit.verdicts[Principle::complete].holds, false);
}

// Both draw baselines around x; masking with others would leak and miss.
TEST(SettledAudit, JudgesAMethodOnTheBaselinesThatItDrew) {
  const Given gaussian = {{"distribution", "gaussian"}, {"samples", "4"}};
  const SettledAudit found = settled("expected_gradients", gaussian);
  EXPECT_EQ(found.audit.verdicts.held(), 3);
  EXPECT_EQ(found.allocation.attributions, 4 * 16);
  EXPECT_NE(found.allocation.baselines, "");
  const SettledAudit difference = settled("prediction_difference", gaussian);
  EXPECT_EQ(difference.audit.verdicts[Principle::low_error].holds, true);
  EXPECT_EQ(difference.audit.verdicts[Principle::no_unrelated].holds, true);
  EXPECT_EQ(difference.audit.verdicts[Principle::complete].holds, false);
}

// The same draws: what is given of all effects together is the attribution itself.
TEST(SettledAudit, OfDrawnBaselinesAddsUpToTheAttribution) {
  ExplainedModel model = in_double(policy_network());
  const Question question = four_numbers();
  for (const char* name : {"expected_gradients", "prediction_difference"}) {
    const Method& method = method_named(name);
    const Parameters parameters(name, method.parameters, {{"distribution", "gaussian"}, {"samples", "4"}});
    const std::vector<double> values = attribute(method, model, std::span(&question, 1), parameters, 3)[0].values;
    const std::vector<double> sums = allocation_per_set(method, model, question, parameters, 3).attribution();
    for (size_t p = 0; p < values.size(); ++p) EXPECT_NEAR(sums[p], values[p], 1e-12) << name;
  }
}

TEST(SettledAudit, OfAMethodThatChangesItsMindIsLeftOpen) {
  ExplainedModel model = in_double(policy_network());
  uint64_t calls = 0;
  const auto fickle = own_method("fickle", [&](ExplainedModel&, const Question& question) {
    std::vector<double> values(static_cast<size_t>(question.players.count()));
    for (double& value : values) value = Random(9).normal(++calls);
    return values;
  });
  const SettledAudit found = settled_audit(*fickle, model, four_numbers(), {});
  EXPECT_EQ(found.audit.verdicts.open(), 3);
  EXPECT_NE(found.audit.verdicts.all[0].reason.find("asked the same again"), std::string::npos);
}

// Draws that are the same for every masked input conserve every effect: their errors do not enter the figures.
TEST(SettledAudit, OfSampledShapleyValuesHoldsThePrinciples) {
  const SettledAudit found = settled("shapley", {{"exact", "1"}, {"samples", "4"}});
  EXPECT_FALSE(found.allocation.exact);
  EXPECT_EQ(found.audit.verdicts.held(), 3);
}

}  // namespace
}  // namespace ascribe::core
