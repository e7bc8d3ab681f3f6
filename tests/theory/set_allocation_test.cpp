#include "theory/set_allocation.h"

#include <gtest/gtest.h>

#include <bit>

#include "support/errors.h"
#include "support/small_networks.h"
#include "support/study_room.h"
#include "theory/allocation.h"

namespace ascribe::core {
namespace {

Question image_question(const std::string& players, uint64_t seed = 5, int64_t baselines = 1) {
  const Tensor x = random_tensor({1, 1, 4, 4}, seed);
  return {{x},
          1,
          random_tensor({baselines, 1, 4, 4}, seed + 1, 0.5),
          make_players({players, {1, 4, 4}, ImageShape{PixelLayout::chw, 1, 4, 4}, {}, &x})};
}

SetAllocation allocated(const std::string& name, ExplainedModel& model, const Question& question) {
  const Method& method = method_named(name);
  return allocation_per_set(method, model, question, Parameters(name, method.parameters));
}

std::vector<double> attributed(const std::string& name, ExplainedModel& model, const Question& question) {
  const Method& method = method_named(name);
  return attribute(method, model, std::span(&question, 1), Parameters(name, method.parameters))[0].values;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

struct Network {
  std::string name;
  Graph graph;
};

std::vector<Network> networks() { return {{"mlp", small_mlp()}, {"cnn", small_cnn()}, {"resnet", small_resnet()}}; }

// Masked with nobody's player absent, x is x: only the rounding of 2^4 sums is left.
TEST(AllocationPerSet, RowsSumToTheAttributionForEveryMethodOnEveryNetwork) {
  for (Network& network : networks()) {
    ExplainedModel model = in_double(network.graph);
    const Question question = image_question("grid:2x2");
    int tried = 0;
    for (const std::string& name : method_names()) {
      SCOPED_TRACE(network.name + " " + name);
      std::vector<double> expected;
      try {
        expected = attributed(name, model, question);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
        continue;
      }
      const std::vector<double> sums = allocated(name, model, question).attribution();
      ASSERT_EQ(sums.size(), expected.size());
      for (size_t p = 0; p < sums.size(); ++p) {
        EXPECT_NEAR(sums[p], expected[p], 1e-10 * std::max(1.0, largest(expected)));
      }
      ++tried;
    }
    EXPECT_GE(tried, network.name == "mlp" ? 13 : 14);
  }
}

// The definition, a set and a subset at a time.
TEST(AllocationPerSet, IsTheAlternatingSumOverMaskedInputs) {
  ExplainedModel model = in_double(small_mlp("tanh"));
  const Question question = image_question("grid:1x3");
  const SetAllocation found = allocated("gradient_x_input", model, question);
  for (uint64_t set = 0; set < 8; ++set) {
    std::vector<double> sums(3, 0.0);
    double effect = 0;
    for (uint64_t part = 0; part < 8; ++part) {
      if ((part & ~set) != 0) continue;
      const double sign = std::popcount(set ^ part) % 2 == 0 ? 1 : -1;
      const Question masked = masked_question(model, question, 0, part);
      const std::vector<double> values = attributed("gradient_x_input", model, masked);
      for (size_t p = 0; p < 3; ++p) sums[p] += sign * values[p];
      effect += sign * model.values(masked.point, std::array{int64_t{1}})[0];
    }
    for (int p = 0; p < 3; ++p) EXPECT_NEAR(found(p, set), sums[static_cast<size_t>(p)], 1e-12);
    EXPECT_NEAR(found.effects[set], effect, 1e-12);
  }
}

TEST(AllocationPerSet, OfMethodsWithWeightsForSetsIsTheWeightTimesTheEffect) {
  for (Network& network : networks()) {
    ExplainedModel model = in_double(network.graph);
    const Question question = image_question("grid:2x2");
    for (const std::string name : {"occlusion", "shapley", "prediction_difference"}) {
      SCOPED_TRACE(network.name + " " + name);
      const SetAllocation found = allocated(name, model, question);
      for (uint64_t set = 1; set < found.sets(); ++set) {
        std::vector<int> degree;
        for (int p = 0; p < 4; ++p) degree.push_back(static_cast<int>(set >> p & 1));
        const std::vector<double> w = weights(allocation_rule(name), {}, degree);
        for (int p = 0; p < 4; ++p) {
          EXPECT_NEAR(found(p, set), w[static_cast<size_t>(p)] * found.effects[set], 1e-11) << "set " << set;
        }
      }
    }
  }
}

// Products of different inputs: the only kappa of a set has degree 1 in each, so Integrated Gradients shares equally.
TEST(AllocationPerSet, OfIntegratedGradientsOnProductsIsAnEqualShare) {
  ExplainedModel model = in_double(study_room());
  const SetAllocation found = allocated("integrated_gradients", model, study_room_question());
  EXPECT_NEAR(found.effects[0b001], 3, 1e-12);
  EXPECT_NEAR(found.effects[0b111], 2, 1e-12);
  EXPECT_NEAR(found(kBook, 0b001), 3, 1e-9);
  for (const int p : {kBook, kDesk, kLamp}) EXPECT_NEAR(found(p, 0b111), 2.0 / 3, 1e-9);
  EXPECT_NEAR(found(kDesk, 0b001), 0, 1e-12);
}

// A method that shares out an effect among its own players gives nothing to others, kinks or not.
TEST(AllocationPerSet, OfIntegratedGradientsNeverReachesAPlayerOutsideOfTheSet) {
  ExplainedModel model = in_double(small_cnn());
  const SetAllocation found = allocated("integrated_gradients", model, image_question("grid:2x2"));
  for (uint64_t set = 0; set < found.sets(); ++set) {
    for (int p = 0; p < 4; ++p) {
      if ((set >> p & 1) != 0) continue;
      EXPECT_NEAR(found(p, set), 0, 1e-11) << p << " of " << set;
    }
  }
}

TEST(AllocationPerSet, IsTheMeanOverBaselines) {
  ExplainedModel model = in_double(small_mlp());
  const Question both = image_question("grid:2x2", 5, 2);
  const SetAllocation mean = allocated("shapley", model, both);
  std::vector<SetAllocation> single;
  for (int64_t b = 0; b < 2; ++b)
    single.push_back(allocated("shapley", model, masked_question(model, both, b, 0b1111)));
  EXPECT_EQ(mean.attributions, 32);
  for (uint64_t set = 0; set < mean.sets(); ++set) {
    EXPECT_NEAR(mean.effects[set], (single[0].effects[set] + single[1].effects[set]) / 2, 1e-12);
    for (int p = 0; p < 4; ++p) EXPECT_NEAR(mean(p, set), (single[0](p, set) + single[1](p, set)) / 2, 1e-12);
  }
}

TEST(AllocationPerSet, OfACallbackIsThatOfTheMethodItCalls) {
  ExplainedModel model = in_double(small_mlp());
  const Question question = image_question("grid:2x2");
  const Explainer explainer = [&](std::span<const Question> questions) {
    std::vector<std::vector<double>> values;
    for (const Question& one : questions) values.push_back(attributed("occlusion", model, one));
    return values;
  };
  const SetAllocation called = allocation_per_set(explainer, model, question);
  const SetAllocation run = allocated("occlusion", model, question);
  for (size_t k = 0; k < run.values.size(); ++k) EXPECT_NEAR(called.values[k], run.values[k], 1e-12);
  for (size_t k = 0; k < run.effects.size(); ++k) EXPECT_NEAR(called.effects[k], run.effects[k], 1e-12);
}

TEST(AllocationPerSet, RefusesManyPlayersAndStatesTheCost) {
  ExplainedModel model = in_double(small_mlp());
  const Question question = image_question("pixels");
  expect_error(ErrorKind::argument, "2^16 = 6.55e+04 times", [&] { allocated("occlusion", model, question); });
}

TEST(AllocationPerSet, RefusesACallbackWithTheWrongNumberOfValues) {
  ExplainedModel model = in_double(study_room());
  const Explainer explainer = [](std::span<const Question> questions) {
    return std::vector<std::vector<double>>(questions.size(), {1, 2});
  };
  expect_error(ErrorKind::argument, "gave 2 values",
               [&] { allocation_per_set(explainer, model, study_room_question()); });
}

TEST(AllocationPerSet, LeavesElementsOfNobodyAtX) {
  ExplainedModel model = in_double(study_room());
  Question question = study_room_question();
  question.players.owner = {0, 1, -1};  // the lamp is always on
  question.players.names = {"book", "desk"};
  const SetAllocation found = allocated("shapley", model, question);
  EXPECT_NEAR(found.effects[0b01], 3, 1e-12);
  EXPECT_NEAR(found.effects[0b11], 2, 1e-12);
}

}  // namespace
}  // namespace ascribe::core
