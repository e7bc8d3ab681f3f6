// Operators of ai.onnx.ml, by closed forms in double.
#include <cmath>
#include <limits>

#include "onnx/lowering/node_case.h"
#include "onnx/model_maker.h"

namespace ascribe::core {
namespace {

// A node of ai.onnx.ml between one input x [N, C] and its outputs.
class TableCase {
 public:
  explicit TableCase(const std::string& op, int64_t opset = 3, int outputs = 1) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(17);
    auto* tables = model_.add_opset_import();
    tables->set_domain("ai.onnx.ml");
    tables->set_version(opset);
    node_ = model_.mutable_graph()->add_node();
    node_->set_domain("ai.onnx.ml");
    node_->set_op_type(op);
    node_->set_name("node");
    for (int i = 0; i < outputs; ++i) {
      node_->add_output("y" + std::to_string(i));
      model_.mutable_graph()->add_output()->set_name("y" + std::to_string(i));
    }
  }

  TableCase& input(const std::string& name, int32_t type, std::vector<int64_t> row) {
    auto* info = model_.mutable_graph()->add_input();
    info->set_name(name);
    auto* tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape()->add_dim()->set_dim_param("N");
    for (const int64_t extent : row) tensor->mutable_shape()->add_dim()->set_dim_value(extent);
    node_->add_input(name);
    return *this;
  }
  TableCase& reals(int64_t features) { return input("x", onnx::TensorProto::FLOAT, {features}); }
  TableCase& set(const std::string& name, const std::vector<float>& values) {
    auto& attribute = add(name, onnx::AttributeProto::FLOATS);
    for (const float value : values) attribute.add_floats(value);
    return *this;
  }
  TableCase& integers(const std::string& name, const std::vector<int64_t>& values) {
    auto& attribute = add(name, onnx::AttributeProto::INTS);
    for (const int64_t value : values) attribute.add_ints(value);
    return *this;
  }
  TableCase& texts(const std::string& name, const std::vector<std::string>& values) {
    auto& attribute = add(name, onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) attribute.add_strings(value);
    return *this;
  }
  TableCase& word(const std::string& name, const std::string& value) {
    add(name, onnx::AttributeProto::STRING).set_s(value);
    return *this;
  }
  TableCase& number(const std::string& name, double value) {
    add(name, onnx::AttributeProto::FLOAT).set_f(static_cast<float>(value));
    return *this;
  }
  TableCase& integer(const std::string& name, int64_t value) {
    add(name, onnx::AttributeProto::INT).set_i(value);
    return *this;
  }

  ImportedModel import() const { return import_model_bytes(model_.SerializeAsString(), "tables.onnx", {}); }

  // The numbers of one output.
  std::vector<double> run(const Tensor& x, size_t output = 0) const {
    const ImportedModel model = import();
    const Tensor y = interpret(model.graph, {{model.graph.inputs[0].name, x}}, x.shape()[0]).at(output);
    std::vector<double> values;
    for (int64_t i = 0; i < y.size(); ++i) values.push_back(y.at(i));
    return values;
  }

  std::string refusal() const {
    try {
      import();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  onnx::AttributeProto& add(const std::string& name, onnx::AttributeProto::AttributeType type) {
    auto& attribute = *node_->add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }

  onnx::ModelProto model_;
  onnx::NodeProto* node_;
};

Tensor rows(const Shape& shape, const std::vector<double>& values) { return Tensor::of<double>(shape, values); }

void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance = 1e-6) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << i;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Scaler, TakesTheOffsetAwayAndScales) {
  TableCase scaler("Scaler");
  scaler.reals(2).set("offset", {1, -2}).set("scale", {2, 0.5F});
  expect_near(scaler.run(rows({2, 2}, {3, 4, 1, -2})), {4, 3, 0, 0});
  EXPECT_NE(TableCase("Scaler").reals(2).set("offset", {1}).set("scale", {2, 3}).refusal(), "");
  EXPECT_NE(TableCase("Scaler").reals(2).set("offset", {1, 2, 3}).set("scale", {1, 2, 3}).refusal(), "");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(TableCase("Scaler").reals(1).set("offset", {nan}).set("scale", {1}).refusal(), "");
}

TEST(Normalizer, DividesByTheNormAndLeavesZerosAlone) {
  const Tensor x = rows({3, 2}, {3, -4, 0, 0, -1, -2});
  expect_near(TableCase("Normalizer").reals(2).word("norm", "L1").run(x), {3. / 7, -4. / 7, 0, 0, -1. / 3, -2. / 3});
  expect_near(TableCase("Normalizer").reals(2).word("norm", "L2").run(x),
              {0.6, -0.8, 0, 0, -1 / std::sqrt(5), -2 / std::sqrt(5)});
  // The largest element, not the largest size.
  expect_near(TableCase("Normalizer").reals(2).word("norm", "MAX").run(x), {1, -4. / 3, 0, 0, 1, 2});
  EXPECT_NE(TableCase("Normalizer").reals(2).word("norm", "L3").refusal().find("L3"), std::string::npos);
}

TEST(Imputer, ReplacesOneNumber) {
  TableCase imputer("Imputer");
  imputer.reals(2).set("imputed_value_floats", {7, 8}).number("replaced_value_float", -1);
  expect_near(imputer.run(rows({2, 2}, {-1, -1, 2, 3})), {7, 8, 2, 3});
}

TEST(Imputer, ReplacesWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TableCase imputer("Imputer");
  imputer.reals(2).set("imputed_value_floats", {7}).number("replaced_value_float", nan);
  expect_near(imputer.run(rows({1, 2}, {nan, 3})), {7, 3});
  EXPECT_NE(TableCase("Imputer").reals(2).refusal(), "");
  EXPECT_NE(TableCase("Imputer").reals(3).set("imputed_value_floats", {1, 2}).refusal(), "");
}

TEST(Binarizer, IsOneAboveTheThreshold) {
  expect_near(TableCase("Binarizer").reals(3).number("threshold", 1).run(rows({1, 3}, {0.5, 1, 1.5})), {0, 0, 1});
}

TEST(FeatureVectorizer, CutsAndFills) {
  TableCase vectorizer("FeatureVectorizer");
  vectorizer.reals(2).integers("inputdimensions", {3});
  expect_near(vectorizer.run(rows({2, 2}, {1, 2, 3, 4})), {1, 2, 0, 3, 4, 0});
  expect_near(TableCase("FeatureVectorizer").reals(2).integers("inputdimensions", {1}).run(rows({1, 2}, {1, 2})), {1});
  EXPECT_NE(TableCase("FeatureVectorizer").reals(2).integers("inputdimensions", {1, 2}).refusal(), "");
  EXPECT_NE(TableCase("FeatureVectorizer").reals(2).integers("inputdimensions", {int64_t{1} << 60}).refusal(), "");
}

TableCase linear(const std::string& transform) {
  TableCase classifier("LinearClassifier", 1, 2);
  classifier.reals(2).set("coefficients", {1, 2, -1, 0.5F}).set("intercepts", {0.5F, -1});
  classifier.integers("classlabels_ints", {7, 3}).word("post_transform", transform);
  return classifier;
}

TEST(LinearClassifier, GivesScoresLabelsAndNames) {
  const Tensor x = rows({2, 2}, {1, 1, -3, 0});
  expect_near(linear("NONE").run(x, 1), {3.5, -1.5, -2.5, 2});
  expect_near(linear("NONE").run(x, 0), {7, 3});
  expect_near(linear("LOGISTIC").run(x, 1), {sigmoid(3.5), sigmoid(-1.5), sigmoid(-2.5), sigmoid(2)});
  expect_near(linear("SOFTMAX").run(x, 1), {sigmoid(5), sigmoid(-5), sigmoid(-4.5), sigmoid(4.5)});
  EXPECT_EQ(linear("SOFTMAX").import().info.labels.at("y1"), (std::vector<std::string>{"7", "3"}));
  EXPECT_NE(linear("CUBE").refusal().find("CUBE"), std::string::npos);
}

TEST(LinearClassifier, ScoresThatAreZeroStayZero) {
  const Tensor x = rows({1, 2}, {0.5, -0.5});  // scores 0 and -1.75
  expect_near(linear("SOFTMAX_ZERO").run(x, 1), {0, std::exp(-1.75) / std::exp(-1.75)});
}

TEST(LinearClassifier, OneScoreIsThatOfTheSecondClass) {
  const auto make = [](const std::string& transform) {
    TableCase classifier("LinearClassifier", 1, 2);
    classifier.reals(1).set("coefficients", {2}).set("intercepts", {0.25F}).texts("classlabels_strings", {"no", "yes"});
    return classifier.word("post_transform", transform);
  };
  const Tensor x = rows({2, 1}, {1, -1});
  // The labels are texts: they are left out, and the scores are the only output.
  EXPECT_EQ(make("NONE").import().graph.outputs.size(), 1U);
  expect_near(make("NONE").run(x), {1 - 2.25, 2.25, 1 + 1.75, -1.75});
  expect_near(make("LOGISTIC").run(x), {sigmoid(-2.25), sigmoid(2.25), sigmoid(1.75), sigmoid(-1.75)});
  EXPECT_EQ(make("NONE").import().info.labels.at("y1"), (std::vector<std::string>{"no", "yes"}));
  EXPECT_NE(make("PROBIT").refusal(), "");
}

TEST(LinearClassifier, RefusesWhatDoesNotFit) {
  TableCase two("LinearClassifier", 1, 2);
  two.reals(2).set("coefficients", {1, 2, 3}).integers("classlabels_ints", {0, 1});
  EXPECT_NE(two.refusal().find("multiple"), std::string::npos);
  TableCase none("LinearClassifier", 1, 2);
  EXPECT_NE(none.reals(2).set("coefficients", {1, 2, 3, 4}).refusal().find("classes"), std::string::npos);
  TableCase three("LinearClassifier", 1, 2);
  three.reals(2).set("coefficients", {1, 2}).integers("classlabels_ints", {0, 1, 2});
  EXPECT_NE(three.refusal().find("3 classes"), std::string::npos);
  EXPECT_NE(linear("NONE").integer("surprise", 1).refusal().find("surprise"), std::string::npos);
}

TEST(LinearRegressor, OfSeveralTargets) {
  TableCase regressor("LinearRegressor", 1);
  regressor.reals(2).set("coefficients", {1, 2, 3, 4}).set("intercepts", {0, 10}).integer("targets", 2);
  expect_near(regressor.run(rows({1, 2}, {1, -1})), {-1, 9});
  EXPECT_NE(TableCase("LinearRegressor").reals(2).set("coefficients", {1}).refusal(), "");
  EXPECT_NE(
      TableCase("LinearRegressor").reals(2).set("coefficients", {1}).integer("targets", int64_t{1} << 62).refusal(),
      "");
}

TEST(LinearRegressor, ProbitIsTheInverseOfTheNormalDistribution) {
  TableCase regressor("LinearRegressor", 1);
  regressor.reals(1).set("coefficients", {1}).word("post_transform", "PROBIT");
  // Winitzki's formula is right to some thousandths.
  expect_near(regressor.run(rows({3, 1}, {0.5, 0.975, 0.158655})), {0, 1.959964, -1}, 5e-3);
}

TableCase support(const std::string& kernel) {
  TableCase regressor("SVMRegressor", 1);
  regressor.reals(2).set("coefficients", {1, -2}).set("support_vectors", {1, 0, 0.5F, 2}).set("rho", {0.25F});
  regressor.set("kernel_params", {0.5F, 1, 3}).integer("n_supports", 2).word("kernel_type", kernel);
  return regressor;
}

TEST(SVMRegressor, OfEveryKernel) {
  const Tensor x = rows({1, 2}, {2, -1});
  const double first = 2, second = -1;  // products with the support vectors
  const auto of = [](double a, double b) { return std::vector<double>{a - 2 * b + 0.25}; };
  expect_near(support("LINEAR").run(x), of(first, second));
  expect_near(support("POLY").run(x), of(std::pow(0.5 * first + 1, 3), std::pow(0.5 * second + 1, 3)));
  expect_near(support("SIGMOID").run(x), of(std::tanh(0.5 * first + 1), std::tanh(0.5 * second + 1)));
  expect_near(support("RBF").run(x), of(std::exp(-0.5 * 2), std::exp(-0.5 * (1.5 * 1.5 + 9))));
  EXPECT_NE(support("CUBIC").refusal().find("CUBIC"), std::string::npos);
  TableCase many = support("RBF");
  EXPECT_NE(many.integer("one_class", 1).run(x)[0], 0.0);
}

TEST(SVMRegressor, FarFromTheOriginDistancesKeepTheirDigits) {
  TableCase regressor("SVMRegressor", 1);
  regressor.reals(1).set("coefficients", {1}).set("support_vectors", {4096}).set("rho", {0});
  regressor.set("kernel_params", {1, 0, 0}).integer("n_supports", 1).word("kernel_type", "RBF");
  expect_near(regressor.run(rows({1, 1}, {4096.5})), {std::exp(-0.25)}, 1e-12);
}

TEST(SVMRegressor, RefusesCountsThatDoNotFit) {
  for (const int64_t count : {int64_t{-1}, int64_t{3}, int64_t{1} << 62}) {
    TableCase regressor("SVMRegressor", 1);
    regressor.reals(2).set("coefficients", {1, -2}).set("support_vectors", {1, 0, 0.5F, 2}).set("rho", {0});
    regressor.set("kernel_params", {0.5F, 1, 3}).integer("n_supports", count).word("kernel_type", "RBF");
    EXPECT_NE(regressor.refusal(), "") << count;
  }
}

// Three classes with a support vector each.
TableCase machine(bool probabilities) {
  TableCase classifier("SVMClassifier", 1, 2);
  classifier.reals(1)
      .set("coefficients", {1, -2, 3, 4, 5, -6})
      .set("support_vectors", {1, 2, 3})
      .set("rho", {0.1F, 0.2F, 0.3F});
  classifier.integers("vectors_per_class", {1, 1, 1}).integers("classlabels_ints", {0, 1, 2});
  classifier.set("kernel_params", {1, 0, 0}).word("kernel_type", "LINEAR");
  if (probabilities) classifier.set("prob_a", {-1, -0.5F, -2}).set("prob_b", {0, 0.1F, -0.1F});
  return classifier;
}

TEST(SVMClassifier, HasADecisionForEveryTwoClasses) {
  const double x = 0.5;
  // Classes i < j: row j - 1 of the coefficients at the vectors of i, row i at those of j.
  const std::vector<double> decisions = {x * 1 * 1 + x * 2 * -2 + 0.1, x * 1 * 4 + x * 3 * 3 + 0.2,
                                         x * 2 * 5 + x * 3 * -6 + 0.3};
  expect_near(machine(false).run(rows({1, 1}, {x}), 1), decisions);
  // Class 2 wins against 1, class 1 against 0, class 0 against 2: a draw, and the first counts.
  expect_near(machine(false).run(rows({1, 1}, {x}), 0), {0});
}

// The coupling by the text book, in double.
std::vector<double> coupled(const std::vector<std::vector<double>>& r) {
  const size_t k = r.size();
  std::vector<double> p(k, 1.0 / static_cast<double>(k)), qp(k);
  std::vector<std::vector<double>> q(k, std::vector<double>(k, 0.0));
  for (size_t i = 0; i < k; ++i) {
    for (size_t j = 0; j < k; ++j) {
      if (j == i) continue;
      q[i][i] += r[j][i] * r[j][i];
      q[i][j] = -r[j][i] * r[i][j];
    }
  }
  for (int round = 0; round < 100; ++round) {
    double pqp = 0, worst = 0;
    for (size_t i = 0; i < k; ++i) {
      qp[i] = 0;
      for (size_t j = 0; j < k; ++j) qp[i] += q[i][j] * p[j];
      pqp += p[i] * qp[i];
    }
    for (size_t i = 0; i < k; ++i) worst = std::max(worst, std::abs(qp[i] - pqp));
    if (worst < 0.005 / static_cast<double>(k)) break;
    for (size_t i = 0; i < k; ++i) {
      const double step = (pqp - qp[i]) / q[i][i];
      p[i] += step;
      pqp = (pqp + step * (step * q[i][i] + 2 * qp[i])) / (1 + step) / (1 + step);
      for (size_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + step * q[i][j]) / (1 + step);
        p[j] /= 1 + step;
      }
    }
  }
  return p;
}

TEST(SVMClassifier, CouplesProbabilities) {
  for (const double x : {-2.0, -0.3, 0.0, 0.5, 1.7}) {
    const std::vector<double> d = {x * 1 + x * -4 + 0.1, x * 4 + x * 9 + 0.2, x * 10 - x * 18 + 0.3};
    const std::vector<double> a = {-1, -0.5, -2}, b = {0, 0.1, -0.1};
    std::vector<std::vector<double>> r(3, std::vector<double>(3, 0.0));
    size_t pair = 0;
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = i + 1; j < 3; ++j, ++pair) {
        r[i][j] = std::clamp(1 / (1 + std::exp(a[pair] * d[pair] + b[pair])), 1e-7, 1 - 1e-7);
        r[j][i] = 1 - r[i][j];
      }
    }
    expect_near(machine(true).run(rows({1, 1}, {x}), 1), coupled(r), 1e-5);
  }
}

TEST(SVMClassifier, RefusesWhatDoesNotFit) {
  TableCase counts("SVMClassifier", 1, 2);
  counts.reals(1).set("coefficients", {1, 2}).set("support_vectors", {1, 2}).set("rho", {0});
  counts.integers("vectors_per_class", {1, -1}).integers("classlabels_ints", {0, 1});
  EXPECT_NE(counts.refusal(), "");
  TableCase classes("SVMClassifier", 1, 2);
  classes.reals(1).set("coefficients", {1, 2}).set("support_vectors", {1, 2}).set("rho", {0});
  classes.integers("vectors_per_class", {1, 1}).integers("classlabels_ints", {0, 1, 2});
  EXPECT_NE(classes.refusal(), "");
}

TEST(OneHotEncoder, OfNumbersLosesFractions) {
  TableCase encoder("OneHotEncoder", 1);
  encoder.reals(1).integers("cats_int64s", {2, 1, 2});
  expect_near(encoder.run(rows({3, 1}, {1.9, 2, 5})), {0, 1, 0, 0, 0, 1, 0, 0, 0});
}

TableCase encoder_of_texts(int64_t zeros) {
  TableCase encoder("OneHotEncoder", 1);
  encoder.input("x", onnx::TensorProto::STRING, {1}).texts("cats_strings", {"red", "green"}).integer("zeros", zeros);
  return encoder;
}

TEST(OneHotEncoder, OfTextsReadsCodesOfItsOwnTable) {
  const TableCase encoder = encoder_of_texts(1);
  const ImportedModel model = encoder.import();
  const std::vector<TextColumn>& columns = model.info.texts.at("x");
  ASSERT_EQ(columns.size(), 1U);
  EXPECT_EQ(columns[0].categories, (std::vector<std::string>{"red", "green"}));
  EXPECT_TRUE(columns[0].unknown);
  EXPECT_FALSE(encoder_of_texts(0).import().info.texts.at("x")[0].unknown);
  expect_near(encoder.run(Tensor::of<int64_t>({3, 1}, std::vector<int64_t>{0, 1, -1})), {1, 0, 0, 1, 0, 0});
}

TEST(LabelEncoder, MapsNumbersAndKeepsADefault) {
  TableCase encoder("LabelEncoder", 2);
  encoder.input("x", onnx::TensorProto::INT64, {1})
      .integers("keys_int64s", {5, 7, 5})
      .set("values_floats", {0.5F, 2, 9});
  encoder.number("default_float", -3);
  expect_near(encoder.run(Tensor::of<int64_t>({3, 1}, std::vector<int64_t>{5, 7, 6})), {0.5, 2, -3});
}

TEST(LabelEncoder, MapsTexts) {
  TableCase encoder("LabelEncoder", 2);
  encoder.input("x", onnx::TensorProto::STRING, {1})
      .texts("keys_strings", {"b", "a"})
      .integers("values_int64s", {10, 20});
  expect_near(encoder.run(Tensor::of<int64_t>({3, 1}, std::vector<int64_t>{0, 1, -1})), {10, 20, -1});
  EXPECT_EQ(encoder.import().info.texts.at("x")[0].categories, (std::vector<std::string>{"b", "a"}));
  TableCase lengths("LabelEncoder", 2);
  lengths.input("x", onnx::TensorProto::STRING, {1}).texts("keys_strings", {"b"}).integers("values_int64s", {10, 20});
  EXPECT_NE(lengths.refusal().find("1 keys and 2 values"), std::string::npos);
}

TEST(CategoryMapper, MapsTexts) {
  TableCase mapper("CategoryMapper", 1);
  mapper.input("x", onnx::TensorProto::STRING, {1}).texts("cats_strings", {"b", "a"}).integers("cats_int64s", {4, 6});
  mapper.integer("default_int64", 9);
  expect_near(mapper.run(Tensor::of<int64_t>({3, 1}, std::vector<int64_t>{1, 0, -1})), {6, 4, 9});
}

TEST(Texts, AreRefusedWhereNothingReadsThem) {
  TableCase encoder("ZipMap", 1);
  encoder.input("x", onnx::TensorProto::STRING, {1}).integers("classlabels_int64s", {0});
  EXPECT_NE(encoder.refusal().find("texts"), std::string::npos);
  EXPECT_NE(TableCase("OneHotEncoder", 1)
                .input("x", onnx::TensorProto::STRING, {2, 2})
                .texts("cats_strings", {"a"})
                .refusal(),
            "");
}

TEST(Texts, AreNoNumbers) {
  ModelMaker m(17);
  m.input("x", {"N", 1}, onnx::TensorProto::STRING).output("y");
  m.node("Relu", {"x"}, {"y"}, "relu");
  expect_refusal(ErrorKind::unsupported, {"relu", "holds texts"}, [&] { m.import(); });
}

// Concatenated and picked apart again, columns keep their own tables.
TEST(Texts, AreFollowedThroughColumns) {
  ModelMaker m(17);
  auto* tables = m.model.add_opset_import();
  tables->set_domain("ai.onnx.ml");
  tables->set_version(1);
  m.input("a", {"N", 1}, onnx::TensorProto::STRING).input("b", {"N", 1}, onnx::TensorProto::STRING);
  auto& join = *m.node("Concat", {"a", "b"}, {"both"}).add_attribute();
  join.set_name("axis");
  join.set_type(onnx::AttributeProto::INT);
  join.set_i(1);
  for (const std::string name : {"a", "b"}) {
    m.integers("at_" + name, {name == "a" ? 0 : 1});
    m.node("ArrayFeatureExtractor", {"both", "at_" + name}, {"own_" + name}).set_domain("ai.onnx.ml");
    onnx::NodeProto& encoder = m.node("OneHotEncoder", {"own_" + name}, {"hot_" + name});
    encoder.set_domain("ai.onnx.ml");
    auto& categories = *encoder.add_attribute();
    categories.set_name("cats_strings");
    categories.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string end : {"1", "2"}) categories.add_strings(name + end);
    m.output("hot_" + name);
  }
  const ImportedModel model = m.import();
  EXPECT_EQ(model.info.texts.at("a")[0].categories, (std::vector<std::string>{"a1", "a2"}));
  EXPECT_EQ(model.info.texts.at("b")[0].categories, (std::vector<std::string>{"b1", "b2"}));
  const Tensor one = Tensor::of<int64_t>({1, 1}, std::vector<int64_t>{1}),
               zero = Tensor::of<int64_t>({1, 1}, std::vector<int64_t>{0});
  const std::vector<Tensor> hot = interpret(model.graph, {{"a", one}, {"b", zero}}, 1);
  EXPECT_EQ(hot[0].at(1), 1);
  EXPECT_EQ(hot[1].at(0), 1);
}

TEST(ZipMap, KeepsTheNumbersAndNamesTheClasses) {
  TableCase map("ZipMap", 1);
  map.reals(2).texts("classlabels_strings", {"cat", "dog"});
  expect_near(map.run(rows({1, 2}, {0.25, 0.75})), {0.25, 0.75});
  EXPECT_EQ(map.import().info.labels.at("y0"), (std::vector<std::string>{"cat", "dog"}));
  EXPECT_NE(TableCase("ZipMap", 1).reals(2).texts("classlabels_strings", {"cat"}).refusal(), "");
}

TEST(Tables, NewerOpsetsAreRefused) {
  TableCase scaler("Scaler", 6);
  scaler.reals(1).set("offset", {0}).set("scale", {1});
  EXPECT_NE(scaler.refusal().find("opset 6"), std::string::npos);
  EXPECT_NE(TableCase("DictVectorizer", 1).reals(1).refusal().find("ai.onnx.ml.DictVectorizer"), std::string::npos);
}

}  // namespace
}  // namespace ascribe::core
