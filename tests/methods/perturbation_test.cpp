// Occlusion, Shapley values and their like: closed forms, slow references, equalities, honest standard errors.
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "derivatives/networks.h"
#include "game/coalition_plan.h"
#include "game/interaction_index.h"
#include "methods/compile.h"
#include "methods/method.h"
#include "methods/question_game.h"
#include "support/errors.h"
#include "support/slow_games.h"

namespace ascribe::core {
namespace {

using Given = std::map<std::string, std::string>;

constexpr double kRounding = 1e-12;  // double, values of the order of 1, sums in another order

ExplainedModel explained(const Graph& graph) {
  ExplainOptions options;
  options.real = DType::f64;
  return ExplainedModel(graph, options);
}

std::vector<Attribution> answers(const std::string& method, const Graph& graph, std::span<const Question> questions,
                                 const Given& given = {}, uint64_t seed = 0) {
  ExplainedModel model = explained(graph);
  const Method& m = method_named(method);
  return attribute(m, model, questions, Parameters(method, m.parameters, given), seed);
}

Attribution answer(const std::string& method, const Graph& graph, const Question& question, const Given& given = {},
                   uint64_t seed = 0) {
  return answers(method, graph, std::span(&question, 1), given, seed)[0];
}

void expect_values(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "player " << i;
}

Players players_by(const std::vector<int32_t>& owner) {
  Players players;
  players.owner = owner;
  const int32_t count = 1 + *std::max_element(owner.begin(), owner.end());
  for (int32_t p = 0; p < count; ++p) players.names.push_back(fmt::format("p{}", p));
  return players;
}

Players each_of(int64_t elements) {
  std::vector<int32_t> owner(static_cast<size_t>(elements));
  std::iota(owner.begin(), owner.end(), 0);
  return players_by(owner);
}

Question question_of(int64_t elements, int64_t baselines = 1, uint64_t seed = 1) {
  return {{random_tensor({1, elements}, seed)}, 0, random_tensor({baselines, elements}, seed + 50), each_of(elements)};
}

// y = x0 x1 + 3 x2 + x0 x1 x2.
Graph polynomial() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3}});
  const auto column = [&](int64_t i) { return b.slice(x, 1, i, 1); };
  const Value pair = b.mul(column(0), column(1));
  b.output("y", b.add(b.add(pair, b.mul(column(2), 3)), b.mul(pair, column(2))));
  return graph;
}

Question at_two_three_five() {
  return {{Tensor::of<double>({1, 3}, {2, 3, 5})}, 0, Tensor(DType::f64, {1, 3}), each_of(3)};
}

// A convolution, tanh and a dense layer: [N, 2, 5, 6] -> [N, 3].
Graph small_cnn() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2, 5, 6}});
  const Value h = b.op("tanh", {b.op("conv", {x, b.constant(random_tensor({3, 2, 3, 3}, 11))},
                                     {{"strides", ints({1, 1})},
                                      {"pads", ints({1, 1, 1, 1})},
                                      {"dilations", ints({1, 1})},
                                      {"group", ints({1})}})});
  b.output("y", b.matmul(b.reshape(h, {kBatch, 90}), b.constant(random_tensor({90, 3}, 12, 0.3))));
  return graph;
}

Question image_question(const std::string& players, int64_t baselines = 2) {
  Question q{{random_tensor({1, 2, 5, 6}, 21)}, 1, random_tensor({baselines, 2, 5, 6}, 22), {}};
  q.players = make_players({players, {2, 5, 6}, ImageShape{PixelLayout::chw, 2, 5, 6}, {}, nullptr});
  return q;
}

// ---- closed forms ----

TEST(Perturbation, OfAPolynomialByHand) {
  const Graph f = polynomial();
  const Question q = at_two_three_five();
  expect_values(answer("occlusion", f, q).values, {6 + 30, 6 + 30, 15 + 30}, kRounding);
  expect_values(answer("prediction_difference", f, q).values, {36, 36, 45}, kRounding);
  expect_values(answer("feature_ablation", f, q).values, {36, 36, 45}, kRounding);
  expect_values(answer("feature_ablation", f, q, {{"mode", "insert"}}).values, {0, 0, 15}, kRounding);
  expect_values(answer("feature_ablation", f, q, {{"mode", "mean"}}).values, {18, 18, 30}, kRounding);
  expect_values(answer("shapley", f, q).values, {3 + 10, 3 + 10, 15 + 10}, kRounding);
  expect_values(answer("kernel_shap", f, q).values, {13, 13, 25}, 1e-10);
  const Attribution a = answer("shapley", f, q);
  EXPECT_TRUE(a.exact);
  EXPECT_TRUE(a.standard_errors.empty());
  EXPECT_EQ(a.output, 51);
  EXPECT_EQ(a.baseline_output, 0);
  EXPECT_NEAR(a.residual, 0, kRounding);
  EXPECT_EQ(a.evaluations, 8);
  EXPECT_NEAR(answer("occlusion", f, q).residual, 51 - 117, kRounding);
}

// E (x0 + s n)(...) : the Gaussian moves the products nowhere, so all that is lost is what has an even power.
TEST(Perturbation, PredictionDifferenceUnderKnownMoments) {
  Graph f;
  Builder b(f);
  const Value x = b.input("x", {Kind::real, {kBatch, 2}});
  b.output("y", b.reduce("reduce_sum", b.mul(b.mul(x, x), b.constant(Tensor::of<double>({2}, {1, 3}))), {1}, true));
  Question q = question_of(2);
  const double first = q.point[0].at(0), second = q.point[0].at(1);
  const Given gaussian = {{"distribution", "gaussian"}, {"sigma", "0.5"}, {"samples", "4000"}};
  const Attribution normal = answer("prediction_difference", f, q, gaussian);
  const Given flat = {{"distribution", "uniform"}, {"low", "-1"}, {"high", "2"}, {"samples", "4000"}};
  const Attribution uniform = answer("prediction_difference", f, q, flat);
  EXPECT_FALSE(normal.exact);
  const std::vector<double> expect_normal = {-0.25, -0.75},
                            expect_uniform = {first * first - 1, 3 * second * second - 3};
  for (size_t p = 0; p < 2; ++p) {
    EXPECT_NEAR(normal.values[p], expect_normal[p], 4 * normal.standard_errors[p]);
    EXPECT_NEAR(uniform.values[p], expect_uniform[p], 4 * uniform.standard_errors[p]);
  }
  // Variance of (x + s n)^2: 4 x^2 s^2 + 2 s^4.
  const double deviation = std::sqrt((4 * first * first * 0.25 + 2 * 0.0625) / 4000);
  EXPECT_NEAR(normal.standard_errors[0] / deviation, 1, 0.1);  // known to about 1 / sqrt(2 * 4000), four times
}

// Two pixels with a known covariance: b0 given x1 has the mean m0 + c (x1 - m1) / v1.
TEST(Perturbation, TheConditionalGaussianFollowsTheNeighbour) {
  Graph f;
  Builder b(f);
  const Value x = b.input("x", {Kind::real, {kBatch, 1, 1, 2}});
  const Value sum = b.reduce("reduce_sum", b.mul(x, b.constant(Tensor::of<double>({2}, {2, -1}))), {1, 2, 3}, true);
  b.output("y", b.reshape(sum, {kBatch, 1}));
  const int64_t rows = 40;
  Tensor background(DType::f64, {rows, 1, 1, 2});
  for (int64_t r = 0; r < rows; ++r) {
    const double shared = Random(5).normal(r);
    background.mutable_data<double>()[2 * r] = 1 + shared + 0.3 * Random(6).normal(r);
    background.mutable_data<double>()[2 * r + 1] = -2 + 2 * shared + 0.3 * Random(7).normal(r);
  }
  Question q{{Tensor::of<double>({1, 1, 1, 2}, {3, 1})}, 0, background, {}};
  q.players = make_players({"pixels", {1, 1, 2}, ImageShape{PixelLayout::chw, 1, 1, 2}, {}, nullptr});
  std::vector<double> mean(2), covariance(3);
  for (int64_t i = 0; i < 2 * rows; ++i) mean[i % 2] += background.at(i) / rows;
  for (int64_t r = 0; r < rows; ++r) {
    const double u = background.at(2 * r) - mean[0], w = background.at(2 * r + 1) - mean[1];
    covariance[0] += u * u / (rows - 1), covariance[1] += u * w / (rows - 1), covariance[2] += w * w / (rows - 1);
  }
  const double shrunk = 0.8 * covariance[1];
  const double expected = mean[0] + shrunk / covariance[2] * (1 - mean[1]);
  const double variance = covariance[0] - shrunk * shrunk / covariance[2];
  const Given given = {{"distribution", "conditional"}, {"samples", "3000"}, {"shrinkage", "0.2"}};
  const Attribution a = answer("prediction_difference", f, q, given);
  EXPECT_NEAR(a.values[0], 2 * (3 - expected), 4 * a.standard_errors[0]);
  EXPECT_NEAR(a.standard_errors[0] / (2 * std::sqrt(variance / 3000)), 1, 0.1);
  const Attribution marginal = answer("prediction_difference", f, q);
  EXPECT_NEAR(marginal.values[0], 2 * (3 - mean[0]), kRounding);
  EXPECT_GT(std::abs(marginal.values[0] - a.values[0]), 1) << "the neighbour tells something";
}

// ---- slow references ----

TEST(Perturbation, AgreesWithOneMaskedRowAfterTheOther) {
  const Graph f = sigmoid_network(7, 5);
  Question q = question_of(7, 3);
  q.target = 2;
  q.players = players_by({0, 1, 1, -1, 2, 3, 0});
  expect_values(answer("occlusion", f, q).values, slow_occlusion(f, q), kRounding);
  expect_values(answer("prediction_difference", f, q).values, slow_occlusion(f, q), kRounding);
  expect_values(answer("shapley", f, q).values, slow_shapley(f, q), kRounding);
  const Attribution a = answer("occlusion", f, q);
  EXPECT_NEAR(a.baseline_output, slow_value(f, q, {}), kRounding);
  EXPECT_EQ(a.evaluations, 3 * 5);
  EXPECT_EQ(a.elements.at(3), 0) << "nobody's";
  EXPECT_EQ(a.elements.at(1), a.values[1]);
  EXPECT_EQ(a.elements.at(2), a.values[1]) << "a player's value is shown at each of its elements";
}

TEST(Perturbation, WindowsAgreeWithOneMaskedImageAfterTheOther) {
  const Graph f = small_cnn();
  for (const auto& [size, stride] : {std::pair{3, 2}, {2, 2}, {4, 1}, {9, 9}}) {
    const Question q = image_question("pixels");
    const Attribution a =
        answer("occlusion_patch", f, q, {{"size", std::to_string(size)}, {"stride", std::to_string(stride)}});
    const std::vector<double> slow = slow_windows(f, q, size, stride);
    for (int64_t i = 0; i < 60; ++i) EXPECT_NEAR(a.elements.at(i), slow[i], kRounding) << size << ' ' << stride;
    for (int64_t p = 0; p < 30; ++p) EXPECT_NEAR(a.values[p], slow[p], kRounding) << "once, not for each channel";
  }
}

TEST(Perturbation, WindowsOfARowThatIsNoImage) {
  const Graph f = sigmoid_network(5, 4);
  const Question q = question_of(5);
  const Attribution a = answer("occlusion_patch", f, q, {{"size", "2"}});
  const double full = slow_value(f, q, {0, 1, 2, 3, 4});
  const double first = full - slow_value(f, q, {2, 3, 4}), second = full - slow_value(f, q, {0, 1, 4});
  const double last = full - slow_value(f, q, {0, 1, 2, 3});
  expect_values(a.values, {first, first, second, second, last}, kRounding);
}

// At the minimum the gradient vanishes: weighted residuals times features = ridge times slope.
TEST(Perturbation, LimeSolvesItsProblem) {
  const Graph f = sigmoid_network(5, 4);
  const Question q = question_of(5);
  for (const char* distance : {"cosine", "hamming"}) {
    const Attribution a = answer("lime", f, q, {{"distance", distance}, {"width", "0.4"}, {"ridge", "0.02"}});
    EXPECT_TRUE(a.exact);
    std::vector<double> weights, values;
    double total = 0, intercept = 0;
    for (int set = 0; set < 32; ++set) {
      std::vector<int64_t> members;
      for (int p = 0; p < 5; ++p) {
        if (set >> p & 1) members.push_back(p);
      }
      const double share = static_cast<double>(members.size()) / 5;
      const double d = distance[0] == 'c' ? 1 - std::sqrt(share) : 1 - share;
      weights.push_back(std::exp(-d * d / (2 * 0.4 * 0.4)));
      values.push_back(slow_value(f, q, members));
      for (const int64_t p : members) values.back() -= a.values[p];
      total += weights.back();
      intercept += weights.back() * values.back();
    }
    intercept /= total;
    for (int p = 0; p < 5; ++p) {
      double gradient = -0.02 * a.values[p];
      for (int set = 0; set < 32; ++set) {
        if (set >> p & 1) gradient += weights[set] * (values[set] - intercept) / total;
      }
      EXPECT_NEAR(gradient, 0, 1e-11) << distance << ' ' << p;
    }
  }
}

// ---- equalities ----

TEST(Perturbation, ExactShapleyIsTheIndexOfTheDecompositionAndWhatKernelShapFinds) {
  const Graph f = sigmoid_network(9, 8);
  const Question q = question_of(9, 2);
  const Attribution a = answer("shapley", f, q);
  ExplainedModel model = explained(f);
  Game game = plain_question_game(model, q);
  const Effects index = compute_index(index_named("shapley"), exact_dividends(game, size_t{1} << 30), 1);
  for (size_t p = 0; p < 9; ++p) EXPECT_NEAR(a.values[p], index.effects[p].value, kRounding);
  expect_values(answer("kernel_shap", f, q).values, a.values, 1e-10);
}

TEST(Perturbation, OneElementWindowsAreOcclusionAndWindowsThatAreThePlayersToo) {
  const Graph f = small_cnn();
  const Question pixels = image_question("pixels"), patches = image_question("patch:2");
  expect_values(answer("occlusion_patch", f, pixels, {{"size", "1"}}).values, answer("occlusion", f, pixels).values,
                kRounding);
  expect_values(answer("occlusion_patch", f, patches, {{"size", "2"}}).values, answer("occlusion", f, patches).values,
                kRounding);
}

TEST(Perturbation, OneBackgroundRowMakesPredictionDifferenceOcclusion) {
  const Graph f = small_cnn();
  const Question q = image_question("patch:3", 1);
  EXPECT_EQ(answer("prediction_difference", f, q).values, answer("occlusion", f, q).values);
  EXPECT_EQ(answer("feature_ablation", f, q).values, answer("occlusion", f, q).values);
}

// ---- masking behind the first layer ----

TEST(QuestionGame, BehindTheLinearLayerIsTheSameAsAtTheInput) {
  const Graph f = sigmoid_network(70, 20, 0.3);
  ExplainedModel model = explained(f);
  Question q = question_of(70, 3);
  q.target = 1;
  for (int32_t& owner : q.players.owner) owner = owner % 9 == 0 ? -1 : owner;
  Game fast = question_game(model, q), plain = plain_question_game(model, q);
  Coalitions sets(70);
  for (uint64_t i = 0; i < 300; ++i) {
    const std::vector<int64_t> order = Random(62).permutation(i, 70);
    sets.add(std::span(order).first(Random(63).below(i, 71)));
  }
  const std::vector<double> got = fast.values(sets), expected = plain.values(sets);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], kRounding) << "set " << i;
  EXPECT_NE(got, expected) << "the two ways are the same one";
  EXPECT_TRUE(masking_notes(model).empty());
}

// In float 1e8 + 0.5 - 1e8 is 0, and 0.5 in double: the layer's sums differ from the model's by more than rounding of a
// well-behaved one, so the model's own word counts.
TEST(QuestionGame, FallsBackWhereTheShortWayDiffersAndSaysSo) {
  Graph f;
  Builder b(f);
  const Value x = b.input("x", {Kind::real, {kBatch, 3}});
  b.output("y", b.op("tanh", {b.matmul(x, b.constant(Tensor::of<double>({3, 1}, {1e8, 0.5, -1e8})))}));
  ExplainOptions options;
  options.real = DType::f32;
  ExplainedModel model(f, options);
  Question q{{Tensor::of<float>({1, 3}, {1, 1, 1})}, 0, Tensor(DType::f64, {1, 3}), each_of(3)};
  const std::vector<double> expected = plain_question_game(model, q).all_values();
  ASSERT_EQ(expected[7], 0) << "the float sum is not what this test is about";
  EXPECT_EQ(question_game(model, q).all_values(), expected);
  EXPECT_EQ(question_game(model, q).all_values(), expected) << "ever after";
  const Method& method = method_named("occlusion");
  const Attribution a = attribute(method, model, std::span(&q, 1), Parameters(method.name, method.parameters))[0];
  ASSERT_EQ(a.notes.size(), 1U);
  EXPECT_NE(a.notes[0].find("gave other values than masking the input"), std::string::npos);
}

TEST(QuestionGame, OfALinearModelNeedsNothingBehindTheLayer) {
  Graph f;
  Builder b(f);
  const Tensor weights = random_tensor({6, 2}, 8);
  b.output("y", b.matmul(b.input("x", {Kind::real, {kBatch, 6}}), b.constant(weights)));
  Question q = question_of(6);
  q.target = 1;
  std::vector<double> expected;
  for (int64_t i = 0; i < 6; ++i) expected.push_back((q.point[0].at(i) - q.baselines.at(i)) * weights.at(2 * i + 1));
  for (const char* method : {"occlusion", "shapley", "kernel_shap"}) {
    expect_values(answer(method, f, q).values, expected, 1e-11);
  }
}

// Convolutions of 3 x 3 and 3 x 3 with stride 2, then a dense layer: [N, 2, 16, 16] -> [N, 3].
Graph local_cnn() {
  Graph graph;
  Builder b(graph);
  const auto conv = [&](Value x, int64_t in, int64_t out, int64_t stride) {
    return b.op("conv", {x, b.constant(random_tensor({out, in, 3, 3}, 31 + static_cast<uint64_t>(in), 0.4))},
                {{"strides", ints({stride, stride})},
                 {"pads", ints({1, 1, 1, 1})},
                 {"dilations", ints({1, 1})},
                 {"group", ints({1})}});
  };
  const Value x = b.input("x", {Kind::real, {kBatch, 2, 16, 16}});
  const Value h = b.op("tanh", {conv(b.op("sigmoid", {conv(x, 2, 3, 1)}), 3, 4, 2)});
  const Value dense = b.matmul(b.reshape(h, {kBatch, 256}), b.constant(random_tensor({256, 6}, 34, 0.3)));
  b.output("y", b.matmul(b.op("tanh", {dense}), b.constant(random_tensor({6, 3}, 35))));
  return graph;
}

// All coalitions of squares that meet in fours; every pixel left out once; and coalitions that have nothing in common.
TEST(QuestionGame, BehindLocalLayersIsTheSameAsAtTheInput) {
  const Graph f = local_cnn();
  const auto expect_same = [&](const std::string& players, const Coalitions& sets, bool shared) {
    ExplainedModel model = explained(f);
    Question q{{random_tensor({1, 2, 16, 16}, 41)}, 2, random_tensor({2, 2, 16, 16}, 42), {}};
    q.players = make_players({players, {2, 16, 16}, ImageShape{PixelLayout::chw, 2, 16, 16}, {}, nullptr});
    for (size_t i = 0; i < 512; i += 37) q.players.owner[i] = -1;
    Game fast = question_game(model, q), plain = plain_question_game(model, q);
    const std::vector<double> got = fast.values(sets), expected = plain.values(sets);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], kRounding) << players << " set " << i;
    EXPECT_EQ(got != expected, shared) << players << ": whether rows are shared";
    EXPECT_TRUE(masking_notes(model).empty());
  };
  expect_same("patch:4", paired_orders(16, 12, 5).sets, true);
  expect_same("pixels", leave_one_out(256).sets, true);
  Coalitions random(256);
  for (uint64_t i = 0; i < 40; ++i) {
    const std::vector<int64_t> order = Random(9).permutation(i, 256);
    random.add(std::span(order).first(128));
  }
  expect_same("pixels", random, false);
}

// ---- graphs ----

// The compiled graph for two rows at once, with frozen players and baselines, against each question by itself.
void expect_compiled(const std::string& method, const Graph& f, std::vector<Question> questions, const Given& given) {
  CompileOptions options;
  options.method = method;
  options.parameters = given;
  options.baselines = questions[0].baselines;
  options.players = questions[0].players;
  options.seed = 3;
  const Explanation explanation = compile_explanation(f, options);
  Shape shape = questions[0].point[0].shape();
  shape[0] = 2;
  std::vector<double> rows;
  for (int64_t r = 0; r < 2; ++r) {
    for (int64_t i = 0; i < questions[r].point[0].size(); ++i) rows.push_back(questions[r].point[0].at(i));
  }
  const auto outputs = interpret(explanation.graph,
                                 {{"x", Tensor::of<double>(shape, rows)},
                                  {"target", Tensor::of<int64_t>({2}, {questions[0].target, questions[1].target})}},
                                 2);
  const std::vector<Attribution> expected = answers(method, f, questions, given, 3);
  for (int64_t r = 0; r < 2; ++r) {
    const Tensor& elements = expected[static_cast<size_t>(r)].elements;
    for (int64_t i = 0; i < elements.size(); ++i) {
      EXPECT_NEAR(outputs[1].at(r * elements.size() + i), elements.at(i), 1e-10) << method << " element " << i;
    }
  }
}

TEST(PerturbationGraph, GivesWhatTheMethodGives) {
  const Graph f = small_cnn();
  for (const std::string players : {"patch:2", "grid:2x2"}) {
    Question first = image_question(players), second = first;
    second.point = {random_tensor({1, 2, 5, 6}, 77)};
    second.target = 2;
    for (int32_t& owner : first.players.owner) owner = owner == 1 ? -1 : owner;
    second.players = first.players;
    const std::vector<Question> both = {first, second};
    expect_compiled("occlusion", f, both, {});
    expect_compiled("prediction_difference", f, both, {});
    expect_compiled("feature_ablation", f, both, {{"mode", "mean"}});
    expect_compiled("occlusion_patch", f, both, {{"size", "3"}, {"stride", "2"}});
    expect_compiled("shapley", f, both, {{"exact", "4"}, {"samples", "6"}});
    expect_compiled("kernel_shap", f, both, {{"samples", "100"}});
    expect_compiled("lime", f, both, {{"samples", "100"}});
  }
}

TEST(PerturbationGraph, WithoutPlayersTakesEveryElement) {
  const Graph f = polynomial();
  CompileOptions options;
  options.method = "shapley";
  options.target = TargetKind::fixed;
  const auto outputs =
      interpret(compile_explanation(f, options).graph, {{"x", Tensor::of<double>({1, 3}, {2, 3, 5})}}, 1);
  expect_values(values_of(outputs[1]), {13, 13, 25}, kRounding);
}

TEST(PerturbationGraph, RefusesMoreMasksThanAFileHolds) {
  Graph f;
  Builder b(f);
  b.output("y", b.reduce("reduce_sum", b.input("x", {Kind::real, {kBatch, 20000}}), {1}, true));
  CompileOptions options;
  options.method = "occlusion";
  expect_error(ErrorKind::unsupported, "20001 masks of 20000 elements", [&] { compile_explanation(f, options); });
  options.method = "prediction_difference";
  options.parameters = {{"distribution", "gaussian"}};
  expect_error(ErrorKind::unsupported, "only distribution=marginal can be compiled; got gaussian",
               [&] { compile_explanation(f, options); });
}

// ---- sampling ----

struct Honesty {
  double within_three = 0;  // the share of errors below three standard errors
  double square = 0;        // the mean square of error / standard error
};

Honesty honesty_of(const std::string& method, const Given& given, const std::vector<double>& truth, const Graph& f,
                   const Question& q, int seeds) {
  Honesty h;
  ExplainedModel model = explained(f);
  const Method& m = method_named(method);
  const Parameters parameters(method, m.parameters, given);
  for (int seed = 0; seed < seeds; ++seed) {
    const Attribution a = attribute(m, model, std::span(&q, 1), parameters, static_cast<uint64_t>(seed))[0];
    EXPECT_FALSE(a.exact);
    for (size_t p = 0; p < truth.size(); ++p) {
      const double z = (a.values[p] - truth[p]) / a.standard_errors[p];
      h.within_three += std::abs(z) <= 3 ? 1 : 0;
      h.square += z * z;
    }
  }
  const auto count = static_cast<double>(seeds) * static_cast<double>(truth.size());
  return {h.within_three / count, h.square / count};
}

// With twenty independent samples z follows Student's t: 0.7 % beyond three and a mean square of 1.12. The bounds leave
// room for 300 seeds.
TEST(Perturbation, StandardErrorsOfShapleyValuesAreHonest) {
  const Graph f = sigmoid_network(8, 8, 1.5);
  const Question q = question_of(8);
  const Honesty h =
      honesty_of("shapley", {{"exact", "0"}, {"samples", "40"}}, answer("shapley", f, q).values, f, q, 300);
  EXPECT_GE(h.within_three, 0.98);
  EXPECT_GE(h.square, 0.8);
  EXPECT_LE(h.square, 1.4);
}

// A regression's residual errors are known up to terms of 1 / rows.
TEST(Perturbation, StandardErrorsOfRegressionsAreHonest) {
  const Graph f = sigmoid_network(9, 8, 1.5);
  const Question q = question_of(9);
  const Honesty shap = honesty_of("kernel_shap", {{"samples", "160"}}, answer("shapley", f, q).values, f, q, 150);
  const Honesty lime =
      honesty_of("lime", {{"samples", "200"}}, answer("lime", f, q, {{"samples", "512"}}).values, f, q, 150);
  for (const Honesty& h : {shap, lime}) {
    EXPECT_GE(h.within_three, 0.97);
    EXPECT_GE(h.square, 0.6);
    EXPECT_LE(h.square, 1.5);
  }
}

TEST(Perturbation, PairedOrdersBeatSingleOnesAndAreExactWithoutTriples) {
  Graph quadratic = ProductOfForms(20, 3, 2).graph();
  const Question q = question_of(20);
  const Attribution few = answer("shapley", quadratic, q, {{"samples", "2"}}, 1);
  const Attribution more = answer("shapley", quadratic, q, {{"samples", "30"}}, 2);
  EXPECT_FALSE(few.exact);
  expect_values(few.values, more.values, 1e-10);
  for (const double error : few.standard_errors) EXPECT_LE(error, 1e-10);
}

TEST(Perturbation, ShapleyStopsAtTheToleranceOrSaysThatItDidNot) {
  const Graph f = sigmoid_network(16, 8, 1.5);
  const Question q = question_of(16);
  const Attribution loose = answer("shapley", f, q, {{"samples", "4000"}, {"tolerance", "0.05"}});
  const Attribution tight = answer("shapley", f, q, {{"samples", "40"}, {"tolerance", "0.0001"}});
  const auto worst = [](const Attribution& a) {
    double error = 0, value = 0;
    for (size_t p = 0; p < a.values.size(); ++p) {
      error = std::max(error, a.standard_errors[p]);
      value = std::max(value, std::abs(a.values[p]));
    }
    return error / value;
  };
  EXPECT_LE(worst(loose), 0.05);
  EXPECT_LT(loose.evaluations, 4000 * 15);
  EXPECT_TRUE(loose.notes.empty());
  EXPECT_EQ(tight.evaluations, 40 * 15 + 2);
  ASSERT_EQ(tight.notes.size(), 1U);
  EXPECT_NE(tight.notes[0].find("tolerance 0.0001 was not reached"), std::string::npos) << tight.notes[0];
  EXPECT_NEAR(tight.residual, 0, kRounding) << "complete in every order";
}

TEST(Perturbation, TheSameSeedGivesTheSameBitsAndAnotherOthers) {
  const Graph f = sigmoid_network(14, 6);
  const Question q = question_of(14), other = question_of(14, 2, 9);
  const std::map<std::string, Given> drawn = {{"shapley", {}},
                                              {"kernel_shap", {{"samples", "200"}}},
                                              {"lime", {{"samples", "200"}}},
                                              {"prediction_difference", {{"distribution", "gaussian"}}}};
  for (const auto& [method, given] : drawn) {
    const Attribution a = answer(method, f, q, given, 7);
    EXPECT_EQ(a.values, answer(method, f, q, given, 7).values) << method;
    EXPECT_NE(a.values, answer(method, f, q, given, 8).values) << method;
    const std::vector<Question> both = {other, q};
    EXPECT_EQ(answers(method, f, both, given, 7)[1].values, a.values) << method << ": alone and beside another";
  }
}

// ---- refusals ----

TEST(Perturbation, RefusesWhatCannotBeAnswered) {
  const Graph f = sigmoid_network(14, 6);
  const Question q = question_of(14);
  expect_error(ErrorKind::argument, "needs an image", [&] {
    answer("prediction_difference", f, q, {{"distribution", "conditional"}});
  });
  expect_error(ErrorKind::argument, "got 2 rows; expected at least 10", [&] {
    answer("prediction_difference", small_cnn(), image_question("pixels"), {{"distribution", "conditional"}});
  });
  expect_error(ErrorKind::argument, "low must not exceed high; got 3 and 1", [&] {
    answer("prediction_difference", f, q, {{"distribution", "uniform"}, {"low", "3"}});
  });
  expect_error(ErrorKind::argument, "the windows would leave gaps", [&] {
    answer("occlusion_patch", f, q, {{"size", "2"}, {"stride", "3"}});
  });
  expect_error(ErrorKind::argument, "do not tell 14 players apart", [&] {
    answer("kernel_shap", f, q, {{"samples", "8"}});
  });
  Question wrong = q;
  wrong.target = 3;
  expect_error(ErrorKind::argument, "there is no target 3; expected 0 to 2", [&] { answer("occlusion", f, wrong); });
}

}  // namespace
}  // namespace ascribe::core
