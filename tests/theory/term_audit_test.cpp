#include "theory/term_audit.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/small_networks.h"
#include "support/study_room.h"
#include "theory/allocation.h"

namespace ascribe::core {
namespace {

using Columns = std::function<Value(Builder&, Value x1, Value x2)>;

Graph of_two(const Columns& f) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2}});
  b.output("y", f(b, b.slice(x, 1, 0, 1), b.slice(x, 1, 1, 1)));
  return graph;
}

// 10 x1^2 x2 - 9.9 x1 x2^2
Graph two_terms() {
  return of_two(
      [](Builder& b, Value x1, Value x2) { return b.mul(b.mul(x1, x2), b.sub(b.mul(x1, 10), b.mul(x2, 9.9))); });
}

Graph smooth_network() {
  Graph graph;
  SmallNetwork net(graph, 3);
  const Value x = net.b.input("x", {Kind::real, {kBatch, 2}});
  net.b.output("y", net.dense(net.b.op("sigmoid", {net.dense(x, 2, 6)}), 6, 1));
  return graph;
}

Question at_ones() {
  return {{Tensor::of<double>({1, 2}, {1, 1})},
          0,
          Tensor(DType::f64, {1, 2}),
          make_players({"elements", {2}, std::nullopt, {}, nullptr})};
}

TermAudit terms_of(const std::string& name, const Graph& graph) {
  ExplainedModel model = in_double(graph);
  return audit_terms(method_named(name), model, at_ones(), {});
}

const Term& term_of(const TermAudit& audit, const std::vector<int>& degrees) {
  for (const Term& term : audit.terms) {
    if (term.degrees == degrees) return term;
  }
  throw std::runtime_error("no such term");
}

TEST(TermAudit, FindsTheTermsOfAPolynomial) {
  const TermAudit audit = terms_of("integrated_gradients", two_terms());
  ASSERT_EQ(audit.left_out, "");
  EXPECT_NEAR(term_of(audit, {2, 1}).effect.value, 10, 1e-9);
  EXPECT_NEAR(term_of(audit, {1, 2}).effect.value, -9.9, 1e-6);  // 9.9 is a float in the graph
  EXPECT_NEAR(term_of(audit, {2, 1}).effect.given[0], 20.0 / 3, 1e-9);
  EXPECT_NEAR(term_of(audit, {2, 1}).effect.given[1], 10.0 / 3, 1e-9);
  EXPECT_EQ(audit.verdicts.held(), 3);
}

// Per set the errors of the two terms cancel nearly: 0.2 of 0.1. Per term every term is given three times.
TEST(TermAudit, IsSharperThanPerSet) {
  const TermAudit audit = terms_of("gradient_x_input", two_terms());
  EXPECT_EQ(audit.verdicts[Principle::complete].holds, false);
  EXPECT_NEAR(audit.figures.complete, 2, 1e-6);
}

// What was measured is w(i, kappa) I(kappa) of the method's rule. Interpolation is good to about 1e-8 here.
TEST(TermAudit, AgreesWithTheRulesOfMethodsWithFixedWeights) {
  for (const char* name : {"occlusion", "integrated_gradients", "shapley", "prediction_difference"}) {
    const TermAudit audit = terms_of(name, smooth_network());
    ASSERT_EQ(audit.left_out, "") << name;
    int compared = 0;
    for (const Term& term : audit.terms) {
      if (term.effect.support == 0) continue;
      const std::vector<double> weight = weights(allocation_rule(name), {}, term.degrees);
      for (size_t p = 0; p < 2; ++p) {
        EXPECT_NEAR(term.effect.given[p], weight[p] * term.effect.value, 1e-6) << name;
      }
      compared += std::abs(term.effect.value) > 1e-4 ? 1 : 0;
    }
    EXPECT_GE(compared, 8) << name;
  }
}

TEST(TermAudit, IsLeftOutWithTheReasonWhereThereIsNoSeries) {
  const auto reason = [](const Graph& graph) { return terms_of("occlusion", graph).left_out; };
  const auto with = [](const char* op, double factor) {
    return of_two([=](Builder& b, Value x1, Value x2) { return b.add(b.op(op, {b.mul(x1, factor)}), x2); });
  };
  EXPECT_NE(reason(with("relu", 1)).find("kinks"), std::string::npos);
  EXPECT_NE(reason(with("tanh", 1000)).find("too steep"), std::string::npos) << reason(with("tanh", 1000));
  EXPECT_NE(reason(with("tanh", 4)).find("grow"), std::string::npos) << reason(with("tanh", 4));
  EXPECT_EQ(reason(with("tanh", 0.5)), "");
}

}  // namespace
}  // namespace ascribe::core
