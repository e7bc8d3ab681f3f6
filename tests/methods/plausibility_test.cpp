// Values at singular points: what the rules give there, and what is said where they cannot be right.
#include "methods/plausibility.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "model/model.h"
#include "support/ask.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

using Vector = std::vector<double>;

Value in(Builder& b, int64_t size) { return b.input("x", {Kind::real, {kBatch, size}}); }

bool is_warned(const Attribution& a) {
  const auto speaks = [](const std::string& note) {
    return note.find("cannot be trusted") != std::string::npos || note.find("should sum to") != std::string::npos;
  };
  return std::any_of(a.notes.begin(), a.notes.end(), speaks);
}

// ---- DeepLIFT of quotients ----

// dy = (du (v + v_b) - dv (v_b y + v y_b)) / (v^2 + v_b^2), by hand.
Vector quotient_by_hand(double u, double v, double u_b, double v_b) {
  const double y = u / v, y_b = u_b / v_b, squares = v * v + v_b * v_b;
  return {(u - u_b) * (v + v_b) / squares, -(v - v_b) * (v_b * y + v * y_b) / squares};
}

TEST(Singular, QuotientsAreSharedExactlyHoweverTheyAreSpelled) {
  const std::vector<std::function<Value(Builder&, Value, Value)>> spellings = {
      [](Builder& b, Value u, Value v) { return b.div(u, v); },
      [](Builder& b, Value u, Value v) { return b.mul(u, b.op("reciprocal", {v})); },
      [](Builder& b, Value u, Value v) {
        return b.mul(b.op("pow", {v, b.scalar(-1)}), u);
      },
  };
  const std::vector<std::array<double, 4>> points = {{2, 3, -1, 0.5}, {2, 3, 0, 1e-6}, {2, 1e-6, 0, 3},
                                                     {1, 2, 3, 2},    {1, 2, 3, -2},   {1, 4, 1, -0.5}};
  for (const auto& spell : spellings) {
    Graph graph;
    Builder b(graph);
    const Value x = in(b, 2);
    b.output("y", spell(b, b.slice(x, 1, 0, 1), b.slice(x, 1, 1, 1)));
    for (const auto& [u, v, u_b, v_b] : points) {
      const Question question = ask_about(Tensor::of<double>({1, 2}, {u, v}), Tensor::of<double>({1, 2}, {u_b, v_b}));
      const Attribution a = ask("deeplift_rescale", graph, question);
      const double size = 1 + std::abs(a.output) + std::abs(a.baseline_output);
      SCOPED_TRACE(fmt::format("{} / {} against {} / {}", u, v, u_b, v_b));
      expect_values(a.values, quotient_by_hand(u, v, u_b, v_b), 1e-9 * size);
      EXPECT_NEAR(a.residual, 0, 1e-9 * size);
    }
  }
}

// ---- a normalisation without contrast at the baseline ----

Graph normalised(int64_t size, const std::function<Value(Builder&, Value)>& norm) {
  Graph graph;
  Builder b(graph);
  const Value x = in(b, size);
  Vector w(static_cast<size_t>(size));
  for (size_t i = 0; i < w.size(); ++i) w[i] = std::cos(1.0 + static_cast<double>(i));
  b.output("y", b.matmul(norm(b, x), b.constant(Tensor::of<double>({size, 1}, w))));
  return graph;
}

Value layer_norm(Builder& b, Value x) {
  return b.op("normalize", {x}, {{"axes", ints({1})}, {"epsilon", reals({1e-6})}});
}

// With y_b = 0 and v_b = sqrt(epsilon): a_i = sum over d of w_d (1[d = i] - 1 / n) x_i (v + v_b) / (v^2 + v_b^2), less
// what the deviation takes, which is of the order of v_b: dv = dvar / (v + v_b), var by x_i c_i / n.
TEST(Singular, ANormWithoutContrastAtTheBaselineTakesTheDeviationAtX) {
  const Graph graph = normalised(4, layer_norm);
  const Vector x = {1, -2, 0.5, 3};
  const Attribution a = ask("deeplift_rescale", graph, ask_about(Tensor::of<double>({1, 4}, x)));
  double mean = 0, variance = 0, f = 0, w_mean = 0;
  for (const double entry : x) mean += entry / 4;
  for (const double entry : x) variance += (entry - mean) * (entry - mean) / 4;
  const double v = std::sqrt(variance + 1e-6), v_b = 1e-3, squares = v * v + v_b * v_b;
  for (size_t i = 0; i < 4; ++i) f += std::cos(1.0 + static_cast<double>(i)) * (x[i] - mean) / v;
  for (size_t i = 0; i < 4; ++i) w_mean += std::cos(1.0 + static_cast<double>(i)) / 4;
  Vector expected;
  for (size_t i = 0; i < 4; ++i) {
    const double direct = (std::cos(1.0 + static_cast<double>(i)) - w_mean) * x[i] * (v + v_b) / squares;
    const double of_variance = -v_b * f / squares / (v + v_b);
    expected.push_back(direct + of_variance * (x[i] - mean) * x[i] / 4);
  }
  expect_values(a.values, expected, 1e-12);
  EXPECT_TRUE(a.exact);
  EXPECT_NEAR(a.residual, 0, 1e-12);
}

// As the contrast of the baseline goes to 0, the values go to those at 0.
TEST(Singular, ValuesAreContinuousInTheContrastOfTheBaseline) {
  const Graph graph = normalised(4, layer_norm);
  const Tensor x = Tensor::of<double>({1, 4}, {1, -2, 0.5, 3});
  for (const char* method : {"deeplift_rescale", "deeplift_reveal_cancel", "deep_shap"}) {
    const Vector limit = ask(method, graph, ask_about(x)).values;
    for (const double contrast : {1e-5, 1e-7, 1e-9}) {
      const Tensor b = Tensor::of<double>({1, 4}, {contrast, 0, -contrast, 0});
      // y_b changes by contrast / 1e-3.
      expect_values(ask(method, graph, ask_about(x, b)).values, limit, 3e3 * contrast);
    }
  }
}

// Twelve norms behind each other; each used to multiply values by 500, which cancelled.
Graph deep_norms(const std::function<Value(Builder&, Value)>& norm) {
  Graph graph;
  SmallNetwork net(graph);
  Value x = net.b.reshape(net.image(), {kBatch, 16});
  for (int layer = 0; layer < 12; ++layer) {
    const Value inner = net.b.matmul(norm(net.b, x), net.weight({16, 16}, 0.3));
    x = net.b.add(x, net.b.op("gelu", {inner}, {{"approximate", std::string("none")}}));
  }
  net.b.output("y", net.b.matmul(norm(net.b, x), net.weight({16, 3}, 0.3)));
  return graph;
}

TEST(Singular, ManyNormsOverAZeroBaselineStayOfTheSizeOfTheChange) {
  const auto rms = [](Builder& b, Value x) {
    const Value size = b.add(b.reduce("reduce_mean", b.mul(x, x), {1}, true), 1e-6);
    return b.mul(x, b.div(b.scalar(1), b.op("sqrt", {size})));
  };
  for (const Graph& graph : {deep_norms(layer_norm), deep_norms(rms)}) {
    for (const DType real : {DType::f32, DType::f64}) {
      ExplainedModel model(graph, {.real = real});
      const Question question = ask_about(random_tensor({1, 1, 4, 4}, 4).cast(real), {}, 1);
      const Method& method = method_named("deeplift_rescale");
      const Attribution a =
          attribute(method, model, std::span(&question, 1), Parameters(method.name, method.parameters))[0];
      double magnitude = 0;
      for (const double value : a.values) magnitude += std::abs(value);
      EXPECT_LT(magnitude, 100 * std::abs(a.output - a.baseline_output));
      EXPECT_TRUE(a.exact) << (a.notes.empty() ? "" : a.notes[0]);
      EXPECT_NEAR(a.residual, 0, complete_within(real) * std::abs(a.output));
    }
  }
}

// ---- what is said ----

Graph weighted_sum(const Vector& weights) {
  Graph graph;
  Builder b(graph);
  const auto size = std::ssize(weights);
  b.output("y", b.matmul(in(b, size), b.constant(Tensor::of<double>({size, 1}, weights))));
  return graph;
}

// A method that says what it is told to.
Method saying(Vector values, bool complete) {
  Method method;
  method.name = "told";
  method.baselines = true;
  method.complete = complete;
  method.attribute = [values](ExplainedModel& model, std::span<const Question> questions, const MethodRun&) {
    std::vector<Attribution> answers;
    for (const Question& question : questions) {
      const double output = model.values(question.point, std::array{question.target})[0];
      answers.push_back(attribution_of_players(question, values, output, model.baseline_output(question)));
    }
    return answers;
  };
  return method;
}

Attribution told(const Vector& values, bool complete, const Graph& graph, const Tensor& x) {
  ExplainedModel model = double_model(graph);
  const Question question = ask_about(x);
  return attribute(saying(values, complete), model, std::span(&question, 1), Parameters("told", {}))[0];
}

// x1 - x2 at (1, 1): the change is 0 and the values are 1 and -1, or a million each, and all is well.
TEST(Plausible, InputsThatTrulyCancelGetNoWarning) {
  for (const double weight : {1.0, 1e6}) {
    const Graph graph = weighted_sum({weight, -weight});
    const Tensor x = Tensor::of<double>({1, 2}, {1, 1});
    for (const std::string& name : method_names()) {
      const Method& method = method_named(name);
      ExplainedModel model = double_model(graph);
      const Question question = ask_about(x);
      std::vector<Attribution> answers;
      try {
        answers = attribute(method, model, std::span(&question, 1), Parameters(name, method.parameters));
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unsupported) << name;
        continue;
      }
      EXPECT_FALSE(is_warned(answers[0])) << name << ": " << answers[0].notes.back();
    }
    EXPECT_TRUE(told({weight, -weight}, true, graph, x).exact);
  }
}

TEST(Plausible, ValuesThatNoPlayerCanHaveAreNotTrusted) {
  const Graph graph = weighted_sum({1, 1});
  const Tensor x = Tensor::of<double>({1, 2}, {1, 1});
  const Attribution a = told({1.5e9, 2 - 1.5e9}, false, graph, x);
  EXPECT_FALSE(a.exact);
  ASSERT_EQ(a.notes.size(), 1U);
  EXPECT_NE(a.notes[0].find("magnitudes sum to 3e+09 where 2 is explained, and '0' got 1.5e+09 although it changes f "
                            "by no more than 1"),
            std::string::npos)
      << a.notes[0];
  EXPECT_NE(a.notes[0].find("another `baseline`"), std::string::npos);
  EXPECT_EQ(a.evaluations, 2);
  // Just within the factor.
  EXPECT_TRUE(told({900, -898}, false, graph, x).exact);
  // What is too large may be negative.
  EXPECT_FALSE(told({-1.5e9, 1.5e9 - 2}, false, weighted_sum({-1, -1}), x).exact);
}

TEST(Plausible, ACompleteMethodMustBeComplete) {
  const Graph graph = weighted_sum({1, 1});
  const Tensor x = Tensor::of<double>({1, 2}, {1, 1});
  EXPECT_TRUE(told({1.5, 0.5}, true, graph, x).exact);
  EXPECT_TRUE(told({1.5, 0.4}, false, graph, x).exact);
  const Attribution a = told({1.5, 0.4}, true, graph, x);
  EXPECT_FALSE(a.exact);
  ASSERT_TRUE(is_warned(a));
  EXPECT_NE(a.notes[0].find("should sum to 2 and miss it by 0.1"), std::string::npos) << a.notes[0];
}

// sigmoid keeps half of its relevance at z = 0, and the epsilon rule divides it by z.
TEST(Plausible, LrpAtANeuronNearZeroIsNotTrusted) {
  Graph graph;
  Builder b(graph);
  const Value z = b.matmul(in(b, 2), b.constant(Tensor::of<double>({2, 1}, {1, -1})));
  b.output("y", b.matmul(b.op("sigmoid", {z}), b.constant(Tensor::of<double>({1, 1}, {2}))));
  const auto at = [&](double off) {
    return ask("lrp_epsilon", graph, ask_about(Tensor::of<double>({1, 2}, {1, 1 - off})), {{"epsilon", "1e-12"}});
  };
  EXPECT_TRUE(at(0.5).exact);
  const Attribution a = at(1e-9);
  EXPECT_FALSE(a.exact);
  ASSERT_TRUE(is_warned(a));
  EXPECT_NE(a.notes.back().find("a trace shows at which node"), std::string::npos);
}

// ---- the models that come with the program ----

TEST(Plausible, NoMethodIsWarnedOfOnTheBundledModels) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/";
  for (const std::string file :
       {"relu_vgg", "resnet", "sigmoid_cnn", "sigmoid_mlp", "mnist_polynomial", "tabular_mlp"}) {
    ExplainedModel model(Model::load(models + file + ".onnx"));
    const Shape row = with_rows(model.row(), 1);
    const Tensor x = random_tensor(row, 1, 0.5).cast(model.real());
    Question question{{x}, 1 % model.targets(), Tensor(DType::f64, row), element_players(x.size())};
    // Eight players, so that all methods are quick.
    for (size_t i = 0; i < question.players.owner.size(); ++i) question.players.owner[i] = static_cast<int32_t>(i % 8);
    question.players.names.resize(std::min<size_t>(8, question.players.names.size()));
    for (const std::string& name : method_names()) {
      const Method& method = method_named(name);
      // It divides relevance that sigmoid keeps at 0 by pre-activations near 0: the warning would be right.
      if (name == "lrp_epsilon" && file.starts_with("sigmoid")) continue;
      try {
        const auto answers = attribute(method, model, std::span(&question, 1), Parameters(name, method.parameters));
        EXPECT_FALSE(is_warned(answers[0])) << file << " " << name << ": " << answers[0].notes.back();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unsupported) << file << " " << name << " " << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace ascribe::core
