// The interface beside the library's own parts, which it must agree with. The example is compiled as users do it.
#define ASCRIBE_IMPLEMENTATION
#include <ascribe/ascribe.h>

#include <cmath>

#include <gtest/gtest.h>

#include "base/file.h"
#include "methods/method.h"
#include "onnx/model_maker.h"
#include "support/folder.h"

namespace ascribe {
namespace {

class Interface : public testing::Test {
 protected:
  // y = (x0 x1 + x2, x2), in double.
  Model product(ModelOptions options = {}) {
    core::ModelMaker maker;
    maker.input("x", {"N", 3}).output("y");
    maker.floats("left", {3, 2}, {1, 0, 0, 0, 0, 0});
    maker.floats("right", {3, 2}, {0, 0, 1, 0, 0, 0});
    maker.floats("rest", {3, 2}, {0, 0, 0, 0, 1, 1});
    maker.node("MatMul", {"x", "left"}, {"a"});
    maker.node("MatMul", {"x", "right"}, {"b"});
    maker.node("MatMul", {"x", "rest"}, {"c"});
    maker.node("Mul", {"a", "b"}, {"ab"});
    maker.node("Add", {"ab", "c"}, {"y"});
    options.precision = Precision::float64;
    return Model::load(folder_.write("product.onnx", maker.bytes()), options);
  }
  static Question question() {
    Question question;
    question.input = {3, 4, 2};
    return question;
  }
  template <class F>
  static void expect_error(ErrorKind kind, F&& work) {
    try {
      work();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
    }
  }

  core::TemporaryFolder folder_;
};

TEST_F(Interface, ExplainsTheLargestOutputUnlessTold) {
  Model model = product();
  EXPECT_EQ(model.row_shape(), (std::vector<int64_t>{3}));
  EXPECT_EQ(model.targets(), 2);
  EXPECT_EQ(model.outputs(question()), (std::vector<double>{14, 2}));
  const Attribution top = model.explain(question(), "gradient_x_input");
  EXPECT_EQ(top.target, 0);
  EXPECT_EQ(top.values, (std::vector<double>{12, 12, 2}));
  EXPECT_EQ(top.output, 14);
  EXPECT_EQ(top.sum(), 26);
  EXPECT_EQ(top.residual, -12);
  EXPECT_EQ(top.strongest(2), (std::vector<size_t>{0, 1}));
  Question second = question();
  second.target = 1;
  EXPECT_EQ(model.explain(second, "gradient_x_input").values, (std::vector<double>{0, 0, 2}));
}

TEST_F(Interface, TakesBaselinesSettingsAndSeveralQuestions) {
  Model model = product();
  std::vector<Question> questions = {question(), question()};
  questions[1].baselines = {1, 1, 1, 0, 0, 0};  // two rows
  const auto answers = model.explain(questions, "integrated_gradients", {{"steps", "2"}});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_NEAR(answers[0].values[0], 6, 1e-12);
  EXPECT_NEAR(answers[1].values[0], (2 * 2.5 + 6) / 2, 1e-12);
  EXPECT_NEAR(answers[1].baseline_output, 1, 1e-12);
}

TEST_F(Interface, PlayersMayBeAnyGroups) {
  Model model = product();
  Question grouped = question();
  grouped.owners = {0, 0, -1};
  const Attribution a = model.explain(grouped, "gradient_x_input");
  EXPECT_EQ(a.values, (std::vector<double>{24}));
  EXPECT_EQ(a.baseline_output, 2);  // what nobody owns stays
  EXPECT_EQ(a.elements.size(), 3U);
}

TEST_F(Interface, DecomposesIntoAllSets) {
  const Decomposition d = product().decompose(question());
  EXPECT_EQ(d.effects, (std::vector<double>{0, 0, 0, 12, 2, 0, 0, 0}));
}

TEST_F(Interface, AgreesWithTheRegistry) {
  const std::vector<MethodInfo> list = methods();
  const std::vector<std::string> names = core::method_names();
  ASSERT_EQ(list.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(list[i].name, names[i]);
    EXPECT_EQ(list[i].complete, core::method_named(names[i]).complete);
    EXPECT_EQ(list[i].parameters.size(), core::method_named(names[i]).parameters.size());
  }
}

TEST_F(Interface, ReadsPicturesAsTheCommandLineDoes) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/";
  Model model = Model::load(models + "relu_vgg.onnx");
  Question boot;
  boot.input = model.read_row(models + "images/ankle_boot.png");
  EXPECT_EQ(boot.input.size(), 784U);
  const Attribution a = model.explain(boot, "gradient");
  EXPECT_EQ(a.target, 9);
  EXPECT_NEAR(a.output, 9.12976, 1e-4);  // what the command line says, in float32
  EXPECT_EQ(a.players[29], "r1c1");
}

TEST_F(Interface, ErrorsTellWhoseFaultItIs) {
  Model model = product();
  expect_error(ErrorKind::io, [] { Model::load("/nowhere/model.onnx"); });
  expect_error(ErrorKind::model, [&] { Model::load(folder_.write("broken.onnx", "no model at all")); });
  expect_error(ErrorKind::unsupported, [&] { model.explain(question(), "guesswork"); });
  expect_error(ErrorKind::argument, [&] { model.explain(question(), "gradient", {{"steps", "3"}}); });
  Question wrong = question();
  wrong.input.push_back(1);
  expect_error(ErrorKind::shape, [&] { model.explain(wrong, "gradient"); });
  wrong = question();
  wrong.baselines = {1, 2};
  expect_error(ErrorKind::shape, [&] { model.explain(wrong, "gradient"); });
  wrong = question();
  wrong.target = 2;
  expect_error(ErrorKind::argument, [&] { model.explain(wrong, "gradient"); });
  wrong = question();
  wrong.owners = {0, 1, 7};
  expect_error(ErrorKind::argument, [&] { model.explain(wrong, "gradient"); });
  wrong = question();
  wrong.input[0] = NAN;
  expect_error(ErrorKind::numeric, [&] { model.explain(wrong, "gradient"); });
}

TEST_F(Interface, AModelOfSeveralInputsTakesThemByName) {
  core::ModelMaker maker;
  maker.input("x", {"N", 2}).input("scale", {"N", 2}).output("y");
  maker.node("Mul", {"x", "scale"}, {"y"});
  Model model = Model::load(folder_.write("scaled.onnx", maker.bytes()));
  Question question;
  question.input = {1, 2};
  expect_error(ErrorKind::argument, [&] { model.explain(question, "gradient"); });
  question.other_inputs["scale"] = {5, 7};
  EXPECT_EQ(model.explain(question, "gradient").values, (std::vector<double>{0, 7}));
}

}  // namespace
}  // namespace ascribe
