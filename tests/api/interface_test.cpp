// The interface beside the library's own parts, which it must agree with. The examples are compiled as users do it.
#include <ascribe/ascribe.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "api/two_numbers_model.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/many_players_model.h"
#include "methods/method.h"
#include "onnx/model_maker.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe {
namespace {

class Interface : public testing::Test {
 protected:
  // y = (x0 x1 + x2, x2), in double.
  static Model product() {
    return Model::load_bytes(two_numbers_bytes(), "product.onnx", LoadOptions().precision(Precision::float64));
  }
  // The same as a function.
  static Model product_function() {
    return Model::function(
        [](const Array& rows) {
          std::vector<double> y;
          for (int64_t r = 0; r < rows.shape()[0]; ++r) {
            y.push_back(rows[3 * r] * rows[3 * r + 1] + rows[3 * r + 2]);
            y.push_back(rows[3 * r + 2]);
          }
          return y;
        },
        {3}, 2);
  }
  Question question() const { return Question(Array(x_)); }
  static std::vector<double> values(Model& model, const Question& question, const Method& method,
                                    const Options& options = {}) {
    return model.explain(question, {method}, options).attribution(0).values();
  }
  template <class F>
  static void expect_error(ErrorKind kind, F&& work, const std::string& part = "") {
    try {
      work();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

  const std::vector<double> x_ = {3, 4, 2};
  core::TemporaryFolder folder_;
};

// f(x) less f(x with one player at the baseline).
std::vector<double> leave_one_out(const Asked& asked) {
  const Array x = asked.x(), b = asked.baselines();
  std::vector<double> values;
  const double whole = asked.values(x)[0];
  for (int64_t p = 0; p < asked.player_count(); ++p) {
    std::vector<double> row;
    for (int64_t i = 0; i < x.size(); ++i) row.push_back(asked.owners()[static_cast<size_t>(i)] == p ? b[i] : x[i]);
    values.push_back(whole - asked.values(row)[0]);
  }
  return values;
}

TEST_F(Interface, ExplainsTheLargestOutputUnlessTold) {
  Model model = product();
  EXPECT_EQ(model.row_shape(), (std::vector<int64_t>{3}));
  EXPECT_EQ(model.targets(), 2);
  const Prediction said = model.predict(question());
  EXPECT_EQ(said.values()[0], 14);
  EXPECT_EQ(said.values()[1], 2);
  const Explanation both = model.explain(question(), {"gradient_x_input", "occlusion"});
  ASSERT_EQ(both.methods(), 2U);
  const Attribution top = both.attribution("gradient_x_input");
  EXPECT_EQ(top.target(), 0);
  EXPECT_EQ(top.values(), (std::vector<double>{12, 12, 2}));
  EXPECT_EQ(top.output(), 14);
  EXPECT_EQ(top.sum(), 26);
  EXPECT_EQ(top.residual(), -12);
  EXPECT_EQ(top.strongest(2), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(values(model, question().target(1), "gradient_x_input"), (std::vector<double>{0, 0, 2}));
}

TEST_F(Interface, ExplainsAnyWeightedSumOfTheOutputs) {
  Model model = product();
  const core::Tensor weights = core::Tensor::of<double>({2}, {1, -1});
  const std::string file = folder_.write("weights.npy", core::format_npy(weights));
  const Attribution difference =
      model.explain(question().target("weights=" + file), {"gradient_x_input"}).attribution("gradient_x_input");
  EXPECT_EQ(difference.values(), (std::vector<double>{12, 12, 0}));
  EXPECT_EQ(difference.output(), 12);
  EXPECT_EQ(difference.target(), -1);
}

TEST_F(Interface, TakesWeightsOfTheOutputsAsNumbers) {
  Model model = product();
  const std::vector<double> weights = {1, -1}, rows = {3, 4, 2, 1, 1, 1}, own = {1, -1, 0, 2};
  const Attribution one = model.explain(question().target_weights(Array(weights)), {"gradient_x_input"}).attribution(0);
  EXPECT_EQ(one.values(), (std::vector<double>{12, 12, 0}));
  EXPECT_EQ(one.output(), 12);
  EXPECT_EQ(one.target(), -1);
  EXPECT_EQ(one.explains(), "weighted sum");
  Question two(Array(rows.data(), {2, 3}));
  const Explanation same = model.explain(two.target_weights(Array(weights)), {"gradient_x_input"});
  EXPECT_EQ(same.attribution(0, 1).values(), (std::vector<double>{1, 1, 0}));
  // One functional of each row: y0 - y1 of the first, 2 y1 of the second.
  const Explanation each = model.explain(two.target_weights(Array(own.data(), {2, 2})), {"gradient_x_input"});
  EXPECT_EQ(each.attribution(0, 0).values(), (std::vector<double>{12, 12, 0}));
  EXPECT_EQ(each.attribution(0, 1).values(), (std::vector<double>{0, 0, 2}));
  EXPECT_EQ(each.attribution(0, 1).output(), 2);
}

TEST_F(Interface, EveryVerbTakesWeights) {
  Model model = product();
  const std::vector<double> weights = {1, -1};
  const Question asked = question().target_weights(Array(weights));
  EXPECT_EQ(model.decompose(asked).dividends(), (std::vector<double>{0, 0, 0, 12, 0, 0, 0, 0}));
  EXPECT_EQ(model.audit(asked, {"shapley"}).held(0), 3);
  const std::vector<double> halves = {6, 6, 0};
  EXPECT_TRUE(model.audit(asked, Array(halves)).possible());
  EXPECT_EQ(model.compare(asked, "shapley", "occlusion").first(), halves);
  const core::Json row = core::parse_json(model.report(asked, {"shapley"}).json(), "report")["rows"].items()[0];
  EXPECT_EQ(row["methods"].items()[0]["values"].items()[0].number(), 6);
  core::write_file(folder_.path("rows.csv"), "a,b,c\n3,4,2\n1,1,1\n", false);
  const Evaluation e = model.evaluate(folder_.path("rows.csv"), {"occlusion"}, {"completeness"},
                                      Question().target_weights(Array(weights)));
  EXPECT_NEAR(e.scores("occlusion", "completeness")[0], 1, 1e-12);  // 24 of 12
  const Compiled compiled = model.compile("gradient_x_input", "index", Question().target_weights(Array(weights)));
  Model explained = Model::load_bytes(compiled.bytes(), "e.onnx");
  const Prediction said = explained.predict(question());
  ASSERT_EQ(said.values(1).size(), 3);
  EXPECT_EQ(said.values(1)[0], 12);
  EXPECT_EQ(said.values(1)[2], 0);
}

TEST_F(Interface, WeightsThatCannotBeAreRefused) {
  Model model = product();
  const std::vector<double> three = {1, 2, 3}, none = {0, 0}, bad = {1, NAN}, own = {1, 0, 0, 1};
  const auto with = [&](const Array& weights) { values(model, question().target_weights(weights), "occlusion"); };
  expect_error(
      ErrorKind::shape, [&] { with(Array(three)); }, "do not fit the output 'y'");
  expect_error(
      ErrorKind::argument, [&] { with(Array(none)); }, "all weights are 0");
  expect_error(
      ErrorKind::numeric, [&] { with(Array(bad)); }, "not finite");
  expect_error(
      ErrorKind::argument,
      [&] {
        with(Array(own.data(), {2, 2}));
      },
      "got 2 targets for 1 rows");
  expect_error(
      ErrorKind::argument,
      [&] {
        model.compile("gradient_x_input", "0", Question().target_weights(Array(own.data(), {2, 2})));
      },
      "got weights for 2 rows");
}

TEST_F(Interface, EveryRowMayHaveATargetOfItsOwn) {
  Model model = product();
  const std::vector<double> rows = {3, 4, 2, 1, 1, 1};
  Question two(Array(rows.data(), {2, 3}));
  two.labels(std::vector<std::string>{"product", "rest"});
  const Explanation each = model.explain(two.targets({"1", "product"}), {"gradient_x_input"});
  EXPECT_EQ(each.attribution(0, 0).values(), (std::vector<double>{0, 0, 2}));
  EXPECT_EQ(each.attribution(0, 0).label(), "rest");
  EXPECT_EQ(each.attribution(0, 1).values(), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(each.attribution(0, 1).target(), 0);
  const std::string file = folder_.write("w.npy", core::format_npy(core::Tensor::of<double>({2}, {1, -1})));
  const Explanation mixed = model.explain(two.targets({"weights=" + file, "top"}), {"gradient_x_input"});
  EXPECT_EQ(mixed.attribution(0, 0).values(), (std::vector<double>{12, 12, 0}));
  EXPECT_EQ(mixed.attribution(0, 1).values(), (std::vector<double>{1, 1, 1}));
  expect_error(
      ErrorKind::argument, [&] { model.explain(two.targets({"1"}), {"gradient"}); }, "got 1 targets for 2 rows");
  // The last one that was said counts.
  EXPECT_EQ(model.explain(two.target(1), {"gradient"}).attribution(0, 1).target(), 1);
  expect_error(
      ErrorKind::argument, [&] { model.compile("gradient", "0", Question().targets({"1"})); }, "expected one target");
}

TEST_F(Interface, AnAttributionTellsWhatWasAsked) {
  Model model = product();
  const std::vector<double> baselines = {1, 1, 1, 0, 0, 0};
  Question asked =
      question().baselines(Array(baselines.data(), {2, 3})).labels(std::vector<std::string>{"product", "rest"});
  const Explanation e = model.explain(asked.owners({0, -1, 1}), {"occlusion", "gradient"});
  const Attribution a = e.attribution("occlusion");
  EXPECT_EQ(a.x().shape(), (std::vector<int64_t>{3}));
  EXPECT_EQ(a.x()[1], 4);
  EXPECT_EQ(a.baselines().shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(a.baselines()[2], 1);
  EXPECT_EQ(a.owners(), (std::vector<int32_t>{0, -1, 1}));
  EXPECT_EQ(a.label(), "product");
  EXPECT_EQ(a.about(), "product (class 0)");
  EXPECT_EQ(a.output_name(), "y");
  EXPECT_EQ(a.explains(), "logit");
  EXPECT_TRUE(a.contribution());
  EXPECT_EQ(a.explained(), a.output() - a.baseline_output());
  EXPECT_EQ(a.residual(), a.explained() - a.sum());
  EXPECT_FALSE(e.attribution("gradient").contribution());
  EXPECT_TRUE(a.token_ids().empty());
}

TEST_F(Interface, CompilesBaselinesAndPlayersThatAreGiven) {
  Model model = product();
  const std::vector<double> baseline = {1, 1, 1};
  const Question how = Question().baselines(Array(baseline)).owners({0, 0, 1});
  Model explained = Model::load_bytes(model.compile("occlusion", "0", how).bytes(), "e.onnx");
  const Prediction said = explained.predict(question());
  const std::vector<double> expected =
      values(model, question().target(0).baselines(Array(baseline)).owners({0, 0, 1}), "occlusion");
  EXPECT_EQ(expected, (std::vector<double>{11, 1}));
  ASSERT_EQ(said.values(1).size(), 3);
  EXPECT_EQ(said.values(1)[0], 11);  // every element has what its player has
  EXPECT_EQ(said.values(1)[2], 1);
  expect_error(
      ErrorKind::argument, [&] { model.compile("gradient", "0", Question().baselines(Array(baseline))); },
      "does not use baselines");
}

TEST_F(Interface, ModelsHaveTheHashOfTheirFile) {
  const std::string path = folder_.write("product.onnx", two_numbers_bytes());
  EXPECT_EQ(Model::load(path).sha256(), product().sha256());
  EXPECT_EQ(product().sha256().size(), 64U);
  EXPECT_EQ(product_function().sha256(), "");
}

TEST_F(Interface, VerifiesMethodsAgainstTheirRules) {
  Model model = product();
  const Verification v = model.verify(question(), {"gradient_x_input", "shapley"},
                                      Options().orders({1, 2, 3}).sigmas({0.1}).draws(2).inputs(1));
  EXPECT_EQ(v.methods(), (std::vector<std::string>{"gradient_x_input", "shapley"}));
  EXPECT_EQ(v.orders(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(v.sigmas(), (std::vector<double>{0.1}));
  const std::vector<OrderError> errors = v.errors();
  ASSERT_EQ(errors.size(), 6U);
  // A product of two has no effects beyond order 2.
  for (const OrderError& error : errors) {
    EXPECT_EQ(error.inputs, 1);
    if (error.method != "shapley") continue;
    EXPECT_EQ(error.mean < 1e-9, error.order >= 2) << error.mean;
  }
  EXPECT_EQ(core::parse_json(v.json(), "verify")["errors"].size(), 6U);
  expect_error(
      ErrorKind::argument, [&] { model.verify(Question(), {"shapley"}); }, "needs inputs");
  expect_error(
      ErrorKind::argument, [&] { model.verify(question(), {}, Options().orders({0})); }, "got 0");
  expect_error(
      ErrorKind::argument, [&] { model.verify(question(), {}, Options().draws(0)); }, "draws");
  expect_error(
      ErrorKind::argument, [&] { v.save(folder_.path("v")); }, "smooth");
}

TEST_F(Interface, VerifiesWithKinksSmoothed) {
  core::ModelMaker maker;
  maker.input("x", {"N", 2}).output("y");
  maker.floats("w", {2, 1}, {1, -0.5});
  maker.node("MatMul", {"x", "w"}, {"a"});
  maker.node("Relu", {"a"}, {"y"});
  Model model = Model::load_bytes(maker.bytes());
  const std::vector<double> x = {1, 0.5};
  const Verification v =
      model.verify(Question(Array(x)), {"shapley"}, Options().smooth({1, 2}).orders({2}).sigmas({0.1}));
  ASSERT_EQ(v.errors().size(), 2U);
  EXPECT_EQ(v.errors()[0].temperature, 1);
  EXPECT_EQ(v.errors()[1].temperature, 2);
  v.save(folder_.path("smoothed"));
  EXPECT_FALSE(core::read_file(folder_.path("smoothed") + "/verify.json").empty());
  expect_error(
      ErrorKind::argument, [&] { product().verify(question(), {}, Options().smooth({1})); }, "no kinks");
}

TEST_F(Interface, TakesFilesBytesAndArraysOfBothTypes) {
  Model model = product();
  const std::string csv = "a,b,c\n3,4,2\n";
  const std::vector<double> expected = values(model, question(), "occlusion");
  EXPECT_EQ(values(model, Question(folder_.write("row.csv", csv)), "occlusion"), expected);
  Question bytes;
  bytes.bytes("row.csv", csv);
  EXPECT_EQ(values(model, bytes, "occlusion"), expected);
  const std::vector<float> floats = {3, 4, 2};
  EXPECT_EQ(values(model, Question(Array(floats)), "occlusion"), expected);
  EXPECT_EQ(model.explain(bytes, {"occlusion"}).attribution(0).players(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(Interface, SeveralRowsAreAskedTogetherAndCalledAsTheCallerCallsThem) {
  Model model = product();
  const std::vector<double> rows = {3, 4, 2, 1, 1, 1};
  Question two(Array(rows.data(), {2, 3}));
  two.row_names({"first", "second"}).feature_names({"u", "v", "w"});
  const Explanation both = model.explain(two, {"occlusion"});
  ASSERT_EQ(both.rows(), 2U);
  EXPECT_EQ(both.attribution(0, 1).row_name(), "second");
  EXPECT_EQ(both.attribution(0, 1).values(), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(both.attribution(0, 1).players(), (std::vector<std::string>{"u", "v", "w"}));
}

TEST_F(Interface, TakesBaselinesAndSettings) {
  Model model = product();
  EXPECT_NEAR(values(model, question(), "integrated_gradients", Options().set("steps", "2"))[0], 6, 1e-12);
  const std::vector<double> baselines = {1, 1, 1, 0, 0, 0};  // two rows
  const Explanation e = model.explain(question().baselines(Array(baselines.data(), {2, 3})), {"integrated_gradients"},
                                      Options().set("integrated_gradients.steps", "2"));
  EXPECT_NEAR(e.attribution(0).values()[0], (2 * 2.5 + 6) / 2, 1e-12);
  EXPECT_NEAR(e.attribution(0).baseline_output(), 1, 1e-12);
}

TEST_F(Interface, TracesTheWayBackOnDemand) {
  Model model = product();
  EXPECT_EQ(model.explain(question(), {"lrp_epsilon"}).json().find("\"trace\""), std::string::npos);
  const std::string json = model.explain(question(), {"lrp_epsilon"}, Options().trace()).json();
  EXPECT_NE(json.find("\"trace\""), std::string::npos);
  expect_error(
      ErrorKind::argument, [&] { model.explain(question(), {"occlusion"}, Options().trace()); },
      "none of the methods goes back");
}

TEST_F(Interface, PlayersMayBeAnyGroups) {
  Model model = product();
  const Explanation e = model.explain(question().owners({0, 0, -1}, {"both"}), {"gradient_x_input"});
  EXPECT_EQ(e.attribution(0).values(), (std::vector<double>{24}));
  EXPECT_EQ(e.attribution(0).baseline_output(), 2);  // what nobody owns stays
  EXPECT_EQ(e.attribution(0).elements().size(), 3);
  EXPECT_EQ(e.attribution(0).players(), (std::vector<std::string>{"both"}));
}

TEST_F(Interface, DecomposesIntoAllSetsByOrderAndIndex) {
  Model model = product();
  const Decomposition all = model.decompose(question());
  EXPECT_EQ(all.dividends(), (std::vector<double>{0, 0, 0, 12, 2, 0, 0, 0}));
  EXPECT_EQ(all.strongest()[0].players, (std::vector<int>{0, 1}));
  const Decomposition singles = model.decompose(question(), Options().order(1));
  EXPECT_TRUE(singles.dividends().empty());
  EXPECT_EQ(singles.remainder(), 12);
  const Decomposition index = model.decompose(question(), Options().index("sii"));
  double pair = 0;
  for (const Effect& effect : index.index_values()) {
    if (effect.players == std::vector<int>{0, 1}) pair = effect.value;
  }
  EXPECT_EQ(pair, 12);
}

TEST_F(Interface, DecomposesIntoAndAndOrEffects) {
  // 12 x0 x1 + 2 x2 has no OR; the largest of two ones has nothing else.
  const Decomposition product_parts = product().decompose(question(), Options().and_or());
  ASSERT_EQ(product_parts.and_effects().size(), 2U);
  EXPECT_EQ(product_parts.and_effects()[0].players, (std::vector<int>{0, 1}));
  EXPECT_NEAR(product_parts.and_effects()[0].value, 12, 1e-9);
  EXPECT_TRUE(product_parts.or_effects().empty());
  EXPECT_NEAR(product_parts.strength(), 14, 1e-9);
  EXPECT_NEAR(product_parts.least_strength(), 14, 1e-6);
  EXPECT_TRUE(product().decompose(question()).and_effects().empty());

  Model largest = Model::function(
      [](const Array& rows) {
        std::vector<double> answers;
        for (int64_t i = 0; i < rows.size(); i += 2) answers.push_back(std::max(rows[i], rows[i + 1]));
        return answers;
      },
      {2}, 1);
  const std::vector<double> ones = {1, 1};
  const Decomposition parts = largest.decompose(Question(Array(ones.data(), {1, 2})), Options().and_or());
  ASSERT_EQ(parts.or_effects().size(), 1U);
  EXPECT_EQ(parts.or_effects()[0].players, (std::vector<int>{0, 1}));
  EXPECT_NEAR(parts.strength(), 1, 1e-9);
  EXPECT_NEAR(parts.strength_of_and(), 3, 1e-9);
}

TEST_F(Interface, AFunctionStandsWhereNoGradientIsNeeded) {
  Model function = product_function(), network = product();
  for (const char* method : {"occlusion", "shapley", "kernel_shap", "feature_ablation"}) {
    const std::vector<double> a = values(function, question(), method), b = values(network, question(), method);
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << method;
  }
  EXPECT_EQ(function.decompose(question()).dividends(), network.decompose(question()).dividends());
  EXPECT_EQ(function.audit(question(), {"shapley"}).held(0), 3);
  EXPECT_EQ(function.compare(question(), "shapley", "occlusion").difference(),
            network.compare(question(), "shapley", "occlusion").difference());
  expect_error(
      ErrorKind::unsupported, [&] { values(function, question(), "integrated_gradients"); }, "no derivative");
  expect_error(
      ErrorKind::unsupported, [&] { function.compile("occlusion", "0"); },
      "only the values of this function are known");
  // Of all methods, those that need gradients are left out with the reason.
  const Explanation all = function.explain(question(), {"all"});
  EXPECT_GE(all.methods(), 4U);
  EXPECT_GE(all.left_out().size(), 8U);
}

TEST_F(Interface, AFunctionThatGivesTooFewNumbersIsNamed) {
  Model wrong = Model::function([](const Array&) { return std::vector<double>{1}; }, {3}, 2, "mine");
  expect_error(
      ErrorKind::shape, [&] { wrong.predict(question()); }, "expected 2 for each");
}

TEST_F(Interface, AMethodOfOnesOwnStandsWhereOursCan) {
  Model model = product();
  const Method mine("mine", leave_one_out);
  EXPECT_EQ(values(model, question(), mine), values(model, question(), "occlusion"));
  const Audit both = model.audit(question(), {mine, "occlusion"});
  for (const Principle principle : {Principle::low_error, Principle::no_unrelated, Principle::complete}) {
    EXPECT_NEAR(both.verdict(0, principle).figure, both.verdict(1, principle).figure, 1e-12);
  }
  EXPECT_EQ(both.held(0), 2);
  EXPECT_FALSE(both.sentences(0).empty());
  EXPECT_TRUE(model.compare(question(), mine, "occlusion").same());
  EXPECT_FALSE(model.compare(question(), mine, "shapley").same());
}

TEST_F(Interface, NumbersThatExistCanBeExplainedWithAndAudited) {
  Model model = product();
  const std::vector<double> shapley = {6, 6, 2}, wrong = {12, 12, 2};
  EXPECT_EQ(values(model, question(), Method("theirs", Array(shapley))), shapley);
  EXPECT_TRUE(model.audit(question(), Array(shapley)).possible());
  const Audit audit = model.audit(question(), Array(wrong));
  EXPECT_FALSE(audit.possible());
  EXPECT_NEAR(audit.distance(), 12, 1e-9);
  // 20 and -8 of an effect of 12: only shares of both signs give that.
  const std::vector<double> both_signs = {20, -8, 2};
  EXPECT_TRUE(model.audit(question(), Array(both_signs)).possible());
  EXPECT_FALSE(model.audit(question(), Array(both_signs)).possible_without_negative_shares());
  EXPECT_TRUE(model.audit(question(), Array(shapley)).possible_without_negative_shares());
  // They say nothing of masked inputs.
  expect_error(
      ErrorKind::unsupported, [&] { model.audit(question(), {Method("theirs", Array(shapley))}); }, "other inputs");
  const std::vector<double> few = {1, 2};
  expect_error(ErrorKind::shape, [&] { values(model, question(), Method("theirs", Array(few))); });
}

TEST_F(Interface, NumbersAreComparedPlayerByPlayer) {
  Model model = product();
  const std::vector<double> theirs = {7, 6, 2};
  const Comparison c = model.compare(question(), "shapley", Method("theirs", Array(theirs)));
  EXPECT_NEAR(c.first()[0], 6, 1e-12);
  EXPECT_EQ(c.second(), theirs);
  EXPECT_NEAR(c.difference(), 1, 1e-12);
  EXPECT_FALSE(c.same());
  EXPECT_NE(c.sentence().find("most of all in x0 (+6 and +7)"), std::string::npos) << c.sentence();
  EXPECT_NE(c.notes().back().find("numbers that were given"), std::string::npos);
  EXPECT_EQ(core::parse_json(c.json(), "compare")["change"].number(), 14);
  EXPECT_TRUE(model.compare(question(), Method("a", Array(theirs)), Method("b", Array(theirs))).same());
  expect_error(
      ErrorKind::argument, [&] { model.compare(question(), "gradient", Method("theirs", Array(theirs))); }, "slopes");
}

TEST_F(Interface, AnAuditSaysWhatIsLeftOpenAndWhy) {
  Model model = product();
  const Method nothing("nothing", [](const Asked& asked) {
    return std::vector<double>(static_cast<size_t>(asked.player_count()), 0.0);
  });
  const Audit audit = model.audit(question(), {nothing, "shapley"});
  EXPECT_FALSE(audit.verdict(0, Principle::low_error).holds);
  EXPECT_FALSE(audit.verdict(0, Principle::low_error).open);
  EXPECT_TRUE(audit.verdict(0, Principle::complete).open);
  EXPECT_NE(audit.reason(0, Principle::complete).find("nothing was given"), std::string::npos);
  EXPECT_EQ(audit.left_open(0), 2);
  EXPECT_EQ(audit.held(1), 3);
  EXPECT_EQ(audit.left_open(1), 0);
  EXPECT_EQ(audit.reason(1, Principle::complete), "");
}

TEST_F(Interface, CompilesAndWritesFiles) {
  Model model = product();
  const Compiled compiled = model.compile("gradient_x_input", "0");
  compiled.write(folder_.path("e.onnx"));
  EXPECT_EQ(core::read_file(folder_.path("e.onnx")), compiled.bytes());
  Model explained = Model::load_bytes(compiled.bytes(), "e.onnx");
  EXPECT_EQ(explained.predict(question()).outputs(), 2U);
  expect_error(
      ErrorKind::io, [&] { compiled.write(folder_.path("e.onnx")); }, "exists already");
  model.explain(question(), {"occlusion"}).save(folder_.path("saved"));
  EXPECT_FALSE(core::read_file(folder_.path("saved") + "/sheet.svg").empty());
}

TEST_F(Interface, ReportsWithMethodsOfOnesOwn) {
  Model model = product();
  const Report report = model.report(question(), {"shapley", "gradient_x_input", Method("mine", leave_one_out)},
                                     Options().title("Three numbers").metrics({"infidelity"}));
  const core::Json data = core::parse_json(report.json(), "report");
  const core::Json& row = data["rows"].items()[0];
  ASSERT_EQ(row["methods"].size(), 3U);
  EXPECT_EQ(row["methods"].items()[0]["values"].items()[0].number(), 6);
  EXPECT_EQ(row["methods"].items()[2]["name"].text(), "mine");
  EXPECT_EQ(row["methods"].items()[2]["values"].items()[0].number(), 12);
  EXPECT_NE(report.html().find("Three numbers"), std::string::npos);
  report.write(folder_.path("page.html"));
  EXPECT_EQ(core::read_file(folder_.path("page.html")), report.html());
  EXPECT_EQ(core::parse_json(core::read_file(folder_.path("page.json")), "page.json").dump(), report.json());
  expect_error(
      ErrorKind::io, [&] { report.write(folder_.path("page.html")); }, "exists already");
  report.write(folder_.path("page.html"), true);
  expect_error(ErrorKind::argument, [&] { report.write(folder_.path("page.json"), true); });
}

TEST_F(Interface, ReportsOnAFunctionByItsValuesAlone) {
  Model model = product_function();
  const core::Json row = core::parse_json(model.report(question()).json(), "report")["rows"].items()[0];
  EXPECT_GE(row["methods"].size(), 3U);
  EXPECT_GE(row["left_out"].size(), 3U);  // whatever needs gradients
}

TEST_F(Interface, EvaluatesOnRowsOfAFile) {
  core::write_file(folder_.path("rows.csv"), "a,b,c\n3,4,2\n1,1,1\n2,5,0.5\n", false);
  Model model = product();
  const Evaluation e =
      model.evaluate(folder_.path("rows.csv"), {"shapley", "gradient_x_input", Method("mine", leave_one_out)},
                     {"completeness", "infidelity"}, Question().target(0));
  EXPECT_EQ(e.methods(), (std::vector<std::string>{"shapley", "gradient_x_input", "mine"}));
  const std::vector<double> complete = e.scores("shapley", "completeness"), slopes = e.scores("mine", "completeness");
  ASSERT_EQ(complete.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(complete[i], 0, 1e-9);
  EXPECT_GT(slopes[0], 0.1);  // both factors are given the product
  EXPECT_EQ(e.summary("mine", "completeness").samples, 3);
  EXPECT_EQ(e.scores("mine", "infidelity"), e.scores("gradient_x_input", "infidelity"));  // the same here
  EXPECT_NE(e.csv().find("mine"), std::string::npos);
  expect_error(ErrorKind::argument, [&] { e.scores("occlusion", "completeness"); });
}

TEST_F(Interface, NotesAreReturnedAndToldNeverDropped) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/";
  Model model = Model::load(models + "relu_vgg.onnx");
  std::vector<std::string> told;
  const Explanation e = model.explain(Question(models + "images/ankle_boot.png").labels(models + "labels_fashion.txt"),
                                      {"gradient"}, Options().note([&](const std::string& n) { told.push_back(n); }));
  ASSERT_FALSE(e.notes().empty());
  EXPECT_NE(e.notes()[0].find("preprocessing: unit"), std::string::npos);
  EXPECT_EQ(e.notes(), told);
  const Attribution a = e.attribution(0);
  EXPECT_EQ(a.target(), 9);
  EXPECT_NEAR(a.output(), 9.12976, 1e-4);  // what the command line says, in float32
  EXPECT_EQ(a.players()[29], "r1c1");
  EXPECT_FALSE(model.predict(Question(models + "images/bag.png")).notes().empty());
}

TEST_F(Interface, ErrorsTellWhoseFaultItIs) {
  Model model = product();
  expect_error(ErrorKind::io, [] { Model::load("/nowhere/model.onnx"); });
  expect_error(ErrorKind::model, [] { Model::load_bytes("no model at all"); });
  expect_error(ErrorKind::unsupported, [&] { values(model, question(), "guesswork"); });
  expect_error(ErrorKind::argument, [&] { values(model, question(), "gradient", Options().set("steps", "3")); });
  expect_error(
      ErrorKind::argument, [&] { values(model, question(), "gradient", Options().order(2)); },
      "explain does not have this option");
  expect_error(ErrorKind::argument, [&] { model.explain(Question(), {"gradient"}); });
  const std::vector<double> four = {1, 2, 3, 4}, two = {1, 2}, bad = {NAN, 1, 2};
  expect_error(ErrorKind::shape, [&] { values(model, Question(Array(four)), "gradient"); });
  expect_error(ErrorKind::shape, [&] { values(model, question().baselines(Array(two)), "gradient"); });
  expect_error(ErrorKind::argument, [&] { values(model, question().target(2), "gradient"); });
  expect_error(ErrorKind::argument, [&] { values(model, question().owners({0, 1, 7}), "gradient"); });
  expect_error(ErrorKind::numeric, [&] { values(model, Question(Array(bad)), "gradient"); });
  expect_error(ErrorKind::argument, [&] { model.explain(question(), {"gradient"}).attribution("none"); });
}

TEST_F(Interface, AModelOfSeveralInputsTakesThemByName) {
  core::ModelMaker maker;
  maker.input("x", {"N", 2}).input("scale", {"N", 2}).output("y");
  maker.node("Mul", {"x", "scale"}, {"y"});
  Model model = Model::load_bytes(maker.bytes());
  const std::vector<float> x = {1, 2}, scale = {5, 7};
  Question question;
  question.array(Array(x), "x");
  expect_error(ErrorKind::shape, [&] { values(model, question, "gradient"); });
  question.array(Array(scale), "scale");
  EXPECT_EQ(values(model, question, "gradient"), (std::vector<double>{0, 7, 0, 2}));
  EXPECT_EQ(values(model, question.input("scale,x"), "gradient"), (std::vector<double>{0, 2, 0, 7}));
  EXPECT_EQ(values(model, question.input("x"), "gradient"), (std::vector<double>{0, 7}));
}

TEST_F(Interface, TokensAndNodesAreAskedFor) {
  core::ModelMaker maker;
  maker.input("input_ids", {"N", 2}, onnx::TensorProto::INT64).output("y");
  maker.floats("table", {4, 2}, {1, 0, 10, 0, 100, 0, 1000, 0});
  maker.floats("weights", {4, 1}, {1, 0, 2, 0});
  maker.node("Gather", {"table", "input_ids"}, {"embedded"}, "embed");
  maker.node("Flatten", {"embedded"}, {"flat"}, "flat");
  maker.node("MatMul", {"flat", "weights"}, {"y"}, "end");
  Model model = Model::load_bytes(maker.bytes(), "text.onnx", LoadOptions().precision(Precision::float64));
  const std::vector<double> ids = {2, 1}, other = {0, 3};
  Question question{Array(ids)};
  question.tokens(folder_.write("vocab.txt", "[PAD]\nbad\nnot\nso\n"));
  const auto explanation = model.explain(question, {"occlusion"});
  EXPECT_EQ(explanation.attribution(0).players(), (std::vector<std::string>{"0 not", "1 bad"}));
  EXPECT_EQ(explanation.attribution(0).values(), (std::vector<double>{99, 18}));
  question.baselines(Array(other));  // rows of ids
  EXPECT_EQ(values(model, question, "occlusion"), (std::vector<double>{99, -1980}));
  EXPECT_EQ(values(model, Question(Array(ids)).at("flat").baseline("token:0"), "occlusion"),
            (std::vector<double>{99, 0, 18, 0}));
}

TEST_F(Interface, WorkIsStoppedWithinASecondAndWhatIsFinishedIsKept) {
  using Clock = std::chrono::steady_clock;
  // A function that takes its time, so that the work would last minutes.
  Model slow = Model::function(
      [](const Array& rows) {
        std::this_thread::sleep_for(std::chrono::milliseconds(rows.shape()[0] / 4 + 1));
        return std::vector<double>(static_cast<size_t>(rows.shape()[0]), 1.0);
      },
      {16}, 1);
  const std::vector<double> x(16, 1.0);
  Clock::time_point since;
  const auto stop_at = [&](const std::string& part) {
    return Options().progress([&since, part](std::string_view task, int64_t, int64_t) {
      if (task.find(part) == task.npos) return true;
      if (since == Clock::time_point()) since = Clock::now();
      return false;
    });
  };
  const Explanation partial =
      slow.explain(Question(Array(x)), {"occlusion", "shapley"}, stop_at("shapley").set("shapley.samples", "4000"));
  EXPECT_LT(Clock::now() - since, std::chrono::seconds(1));
  EXPECT_TRUE(partial.stopped());
  ASSERT_EQ(partial.methods(), 1U);
  EXPECT_EQ(partial.method_name(0), "occlusion");
  EXPECT_EQ(partial.left_out()[0].method, "shapley");
  since = {};
  expect_error(ErrorKind::cancelled, [&] { slow.decompose(Question(Array(x)), stop_at("")); });
  EXPECT_LT(Clock::now() - since, std::chrono::seconds(1));
  // The model is as good as before.
  EXPECT_EQ(slow.explain(Question(Array(x)), {"occlusion"}).attribution(0).values()[0], 0);
}

TEST_F(Interface, ThreadsAreThoseOfTheCall) {
  Model model = product();
  const std::vector<double> one = values(model, question(), "shapley", Options().threads(1));
  EXPECT_EQ(values(model, question(), "shapley", Options().threads(3)), one);
}

TEST_F(Interface, ModelsAreUsedFromSeveralThreads) {
  Model shared = product();
  const std::vector<double> expected = values(shared, question(), "shapley");
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Model own = product();
      for (int i = 0; i < 20; ++i) {
        if (values(t % 2 == 0 ? own : shared, question(), "shapley") != expected) ++wrong;
        if (values(own, question(), Method("mine", leave_one_out)).size() != 3) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Interface, AskingInsideAFunctionOfOnesOwnIsAllowed) {
  Model model = product();
  const Method recursive("recursive", [&](const Asked&) { return values(model, question(), "shapley"); });
  EXPECT_EQ(values(model, question(), recursive), values(model, question(), "shapley"));
}

TEST_F(Interface, WhatThereIsComesFromTheRegistries) {
  EXPECT_EQ(method_names(), core::method_names());
  EXPECT_EQ(core::parse_json(methods_json(), "methods").size(), method_names().size());
  EXPECT_EQ(core::parse_json(metrics_json(), "metrics").size(), metric_names().size());
  EXPECT_EQ(core::parse_json(indices_json(), "indices").size(), index_names().size());
  EXPECT_EQ(core::parse_json(product().json(), "model")["parameters"].integer(), 18);
}

// y = sum of 0.1 i x_i + 4 x0 x1 + 3 x2 x3 x4, at ones: what every set is alone and on average beside others is known.
TEST_F(Interface, EstimatedEffectsAreHeldAgainstTheModel) {
  Model model = Model::load_bytes(core::many_players_bytes(), "many.onnx", LoadOptions().precision(Precision::float64));
  const Question question = Question().bytes("row.csv", core::many_players_row());
  const Decomposition found = model.decompose(question, Options().estimate("sparse").evaluations(8000));
  const std::vector<Effect> strongest = found.strongest();
  const std::vector<VerifiedEffect> verified = found.verified();
  ASSERT_EQ(verified.size(), strongest.size());
  ASSERT_GE(verified.size(), 3U);
  for (size_t i = 0; i < verified.size(); ++i) {
    EXPECT_EQ(verified[i].players, strongest[i].players);
    EXPECT_EQ(verified[i].fit, strongest[i].value);
  }
  const std::vector<std::vector<int>> sets = {{0, 1}, {2, 3, 4}};
  const double values[] = {4, 3};
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(verified[i].players, sets[i]);
    EXPECT_NEAR(verified[i].alone, values[i], 1e-6);
    EXPECT_EQ(verified[i].alone_interval, 0) << "computed exactly";
    EXPECT_NEAR(verified[i].in_company, values[i], 1e-6) << "nothing else holds these players";
    EXPECT_LT(verified[i].in_company_interval, 1e-6);
  }
  EXPECT_TRUE(model.decompose(question, Options().order(1)).verified().empty());
  // Pairs of the triple bend the function on the way to x and do nothing alone; the pair is in the fit.
  const std::vector<Effect> beside = found.beside_the_fit();
  ASSERT_FALSE(beside.empty());
  for (const Effect& pair : beside) {
    EXPECT_EQ(pair.players.size(), 2U);
    EXPECT_NE(pair.players, sets[0]);
    EXPECT_NEAR(pair.value, 0, 1e-9);
  }
  EXPECT_TRUE(model.decompose(question, Options().order(1)).beside_the_fit().empty());
}

}  // namespace
}  // namespace ascribe
