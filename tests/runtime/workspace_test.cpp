#include "runtime/workspace.h"

#include <array>

#include "graph/builder.h"
#include "model/model.h"
#include "support/errors.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// x [N, 64] times a matrix [64, 64], twice: 32 KiB of weights in float.
Graph two_layers() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 64}});
  Tensor first(DType::f32, {64, 64}), second(DType::f32, {64, 64});
  for (int64_t i = 0; i < 64; ++i) first.mutable_data<float>()[65 * i] = 2, second.mutable_data<float>()[65 * i] = 3;
  b.output("y", b.matmul(b.op("relu", {b.matmul(x, b.constant(first))}), b.constant(second)));
  return graph;
}

constexpr size_t kMatrix = 64 * 64 * sizeof(float);

Tensor ones(int64_t rows) {
  Tensor x(DType::f32, {rows, 64});
  for (float& value : x.mutable_data<float>()) value = 1;
  return x;
}

TEST(Workspace, GraphsMadeFromOneModelShareItsWeights) {
  Model model = Model::of(two_layers());
  const size_t originals = model.workspace().held();
  EXPECT_EQ(originals, 2 * kMatrix);
  EXPECT_EQ(model.run(std::array{ones(1)})[0].at(0), 6);
  const size_t one = model.workspace().held();
  for (const char* key : {"a", "b", "c"}) {
    const auto session = model.session(key, DType::f32, [&] { return model.graph(); });
    EXPECT_EQ(model.run(*session, std::array{ones(3)}, 3)[0].at(5), 6);
  }
  EXPECT_EQ(model.workspace().held(), one) << "weights were packed again";
  // In double they are others, once.
  const auto wide = model.session("d", DType::f64, [&] { return model.graph(); });
  EXPECT_EQ(model.run(*wide, std::array{ones(1)}, 1)[0].at(0), 6);
  const size_t both = model.workspace().held();
  EXPECT_GT(both, one);
  model.run(*model.session("e", DType::f64, [&] { return model.graph(); }), std::array{ones(1)}, 1);
  EXPECT_EQ(model.workspace().held(), both);
}

TEST(Workspace, WhatSessionsAddIsGivenBackWithThem) {
  const auto workspace = std::make_shared<Workspace>(size_t{1} << 30);
  {
    Session session(two_layers(), {.workspace = workspace});
    session.run(std::array{ones(2)});
    EXPECT_GE(workspace->held(), 2 * kMatrix);
  }
  EXPECT_EQ(workspace->held(), 0U);
}

TEST(Workspace, TensorsThatAreGoneAreNotTakenForNewOnes) {
  Workspace workspace(size_t{1} << 30);
  for (int i = 1; i < 50; ++i) {  // the allocator gives the same place again and again
    const Tensor weight = Tensor::of<float>({1000}, std::vector<float>(1000, static_cast<float>(i)));
    const auto shared = workspace.weight(weight, DType::f32);
    EXPECT_EQ(shared->plain().at(7), i);
  }
}

TEST(Workspace, SessionsOfOneModelRunInOneArena) {
  Model model = Model::of(two_layers());
  const auto a = model.session("a", DType::f32, [&] { return model.graph(); });
  const auto b = model.session("b", DType::f32, [&] { return model.graph(); });
  const Tensor first = a->run(std::array{ones(5)})[0];
  const std::byte* place = model.workspace().arena(1);
  b->run(std::array{ones(5)});
  EXPECT_EQ(model.workspace().arena(1), place);
  const Tensor again = a->run(std::array{ones(5)})[0];
  for (int64_t i = 0; i < first.size(); ++i) EXPECT_EQ(again.at(i), first.at(i));
}

TEST(Workspace, TheBudgetCoversAllSessionsTogether) {
  LoadOptions options;
  options.memory = 20 * kMatrix;
  Model model = Model::of(two_layers(), options);
  // Each graph brings weights of its own: more than fit together, so that those not used for longest go.
  for (int i = 0; i < 40; ++i) {
    const auto session = model.session(std::to_string(i), DType::f32, [&] { return two_layers(); });
    EXPECT_EQ(model.run(*session, std::array{ones(4)}, 4)[0].at(0), 6);
    EXPECT_LE(model.workspace().held(), options.memory);
  }
  EXPECT_EQ(model.run(std::array{ones(1)})[0].at(0), 6);
}

TEST(Workspace, PlansThatTakeMoreThanAQuarterMakeRoom) {
  Workspace workspace(size_t{128} << 20);
  std::vector<std::shared_ptr<const void>> plans;
  int asked = 0;
  workspace.make_room = [&] {
    ++asked;
    if (plans.empty()) return false;
    plans.erase(plans.begin());
    return true;
  };
  constexpr size_t kEach = size_t{10} << 20;  // three of them are less than 32 MiB
  for (int i = 0; i < 3; ++i) plans.push_back(workspace.count_plan(kEach));
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(workspace.plan_bytes(), 3 * kEach);
  EXPECT_EQ(workspace.left(), workspace.memory()) << "batches must not depend on the plans there are";
  plans.push_back(workspace.count_plan(kEach));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(workspace.plan_bytes(), 3 * kEach);
  const auto large = workspace.count_plan(10 * kEach);  // it stays, whatever it takes
  EXPECT_EQ(workspace.plan_bytes(), 10 * kEach);
}

TEST(Workspace, SessionsCountTheirPlansWhileTheyHaveThem) {
  auto workspace = std::make_shared<Workspace>(size_t{64} << 20);
  {
    Session session(two_layers(), {.workspace = workspace});
    session.run(std::array{ones(1)});
    const size_t one = workspace->plan_bytes();
    EXPECT_GT(one, 0u);
    session.run(std::array{ones(3)});
    EXPECT_GT(workspace->plan_bytes(), one);
  }
  EXPECT_EQ(workspace->plan_bytes(), 0u);
}

TEST(Workspace, ARowThatDoesNotFitIsRefusedWithWhatItNeeds) {
  LoadOptions options;
  options.memory = 2 * kMatrix + 100;
  Model model = Model::of(two_layers(), options);
  expect_error(ErrorKind::argument, "one row does not fit", [&] { model.run(std::array{ones(1)}); });
}

TEST(Workspace, WeightsThatDoNotFitAreRefusedBeforeTheyArePacked) {
  constexpr size_t kMany = size_t{1} << 30;
  Workspace workspace(kMany);
  EXPECT_NO_THROW(workspace.check_packed(kMany));
  expect_error(ErrorKind::argument, "the weights do not fit", [&] { workspace.check_packed(2 * kMany); });
  int rooms = 2;
  workspace.make_room = [&] { return rooms-- > 0; };
  expect_error(ErrorKind::argument, "the weights do not fit", [&] { workspace.check_packed(2 * kMany); });
  EXPECT_LT(rooms, 0) << "room was not asked for";
}

TEST(Workspace, AnotherNetworkOfTheModelSharesItsBudget) {
  Model model = Model::of(two_layers());
  Graph graph = model.graph();
  for (Node& node : graph.nodes) {
    if (node.op->name == "constant") {
      for (float& value : node.constant.mutable_data<float>()) value *= 2;
    }
  }
  Model other = model.variant(std::move(graph));
  EXPECT_EQ(other.run(std::array{ones(1)})[0].at(0), 24);
  EXPECT_EQ(model.run(std::array{ones(1)})[0].at(0), 6);
  EXPECT_EQ(&other.workspace(), &model.workspace());
}

}  // namespace
}  // namespace ascribe::core
