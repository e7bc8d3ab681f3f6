// Targets of outputs with several axes: closed forms in double, and what is refused.
#include "study/target.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "study/audit.h"
#include "study/compile.h"
#include "study/decompose.h"
#include "study/explain.h"
#include "study/predict.h"
#include "study/report.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/ops.h"
#include "tensor/npy.h"

namespace ascribe::core::study {
namespace {

// A number that looks random and is known: the i-th of a list.
double number(int64_t i) { return std::sin(1.7 * static_cast<double>(i) + 0.3); }

std::vector<double> numbers(int64_t count, int64_t first = 0) {
  std::vector<double> list;
  for (int64_t i = 0; i < count; ++i) list.push_back(number(first + i));
  return list;
}

Tensor tensor(const Shape& shape, int64_t first = 0) {
  return Tensor::of<double>(shape, numbers(element_count(shape), first));
}

Subject subject_of(Graph graph) {
  return Subject::of(Model::of(std::move(graph), {.precision = DType::f64}), "model.onnx");
}

constexpr int64_t kFeatures = 4, kClasses = 3, kHeight = 2, kWidth = 5, kPlaces = kHeight * kWidth;

// y = W x, or W tanh(x), in the shape of a map of three classes.
Graph map_graph(bool bent = false) {
  Graph graph;
  Builder b(graph);
  Value x = b.input("x", real({kBatch, kFeatures}));
  if (bent) x = b.op("tanh", {x});
  const Value flat = b.matmul(x, b.constant(tensor({kFeatures, kClasses * kPlaces}, 100)));
  b.output("y", b.reshape(flat, {kBatch, kClasses, kHeight, kWidth}));
  return graph;
}

double weight(int64_t feature, int64_t element) { return number(100 + feature * kClasses * kPlaces + element); }

ExplainRequest asking(const std::string& target, const Tensor& x,
                      std::vector<MethodWish> methods = {"gradient_x_input"}) {
  ExplainRequest request;
  request.question.rows.arrays = {{"x", x}};
  request.question.players = "elements";
  request.question.target = target;
  request.methods = std::move(methods);
  return request;
}

ExplainResult explained(const Graph& graph, const std::string& target, const Tensor& x,
                        std::vector<MethodWish> methods = {"gradient_x_input"}) {
  return explain(subject_of(graph), asking(target, x, std::move(methods)));
}

const Tensor kX = tensor({1, kFeatures}, 7);

// x_i times the sum over elements of w_e W_ie.
void expect_linear(const ExplainResult& result, const std::vector<double>& weights) {
  double output = 0;
  for (int64_t i = 0; i < kFeatures; ++i) {
    double expected = 0;
    for (size_t e = 0; e < weights.size(); ++e) expected += weights[e] * weight(i, static_cast<int64_t>(e)) * kX.at(i);
    output += expected;
    EXPECT_NEAR(result.methods[0].attributions[0].values[static_cast<size_t>(i)], expected, 1e-12) << "feature " << i;
  }
  EXPECT_NEAR(result.values[0].output, output, 1e-12);
}

std::vector<double> ones_of_class(int64_t wanted, double value = 1) {
  std::vector<double> weights(kClasses * kPlaces, 0);
  for (int64_t p = 0; p < kPlaces; ++p) weights[static_cast<size_t>(wanted * kPlaces + p)] = value;
  return weights;
}

TEST(Target, OfAClassOnAMapIsTheSumOrMeanOverItsPlaces) {
  expect_linear(explained(map_graph(), "class=2,sum", kX), ones_of_class(2));
  expect_linear(explained(map_graph(), "class=1,mean", kX), ones_of_class(1, 1.0 / kPlaces));
}

TEST(Target, OfABoxTakesColumnsAndRowsUpToItsEnd) {
  std::vector<double> weights(kClasses * kPlaces, 0);
  for (const int64_t column : {1, 2, 3}) weights[static_cast<size_t>(kPlaces + kWidth + column)] = 1;  // row 1
  expect_linear(explained(map_graph(), "class=1,box=1:1:4:2", kX), weights);
}

TEST(Target, OfAMaskTakesWhatIsNotZero) {
  TemporaryFolder folder;
  const std::string mask =
      folder.write("mask.npy", format_npy(Tensor::of<int64_t>({kHeight, kWidth}, {0, 7, 0, 0, 0, 0, 0, 0, 0, -1})));
  std::vector<double> weights(kClasses * kPlaces, 0);
  weights[1] = weights[9] = 1;
  expect_linear(explained(map_graph(), "class=0,mask=" + mask, kX), weights);
  weights[1] = weights[9] = 0.5;
  expect_linear(explained(map_graph(), "class=0,mean,mask=" + mask, kX), weights);
}

TEST(Target, ByWeightsIsAnyLinearFunctional) {
  TemporaryFolder folder;
  const Tensor weights = tensor({kClasses, kHeight, kWidth}, 500);
  const std::string file = folder.write("w.npy", format_npy(weights));
  const auto result = explained(map_graph(), "weights=" + file, kX);
  expect_linear(result, numbers(kClasses * kPlaces, 500));
  EXPECT_EQ(result.rows[0].explains, "weighted sum");
  const std::string ones =
      folder.write("ones.npy", format_npy(Tensor::of<double>({kClasses, kHeight, kWidth}, ones_of_class(2))));
  expect_linear(explained(map_graph(), "weights=" + ones, kX), ones_of_class(2));
}

TEST(Target, WithANumberOfEveryAxisIsOneElement) {
  std::vector<double> weights(kClasses * kPlaces, 0);
  weights[2 * kPlaces + 1 * kWidth + 3] = 1;
  const auto result = explained(map_graph(), "2,1,3", kX);
  expect_linear(result, weights);
  EXPECT_EQ(result.rows[0].target, 28);
  EXPECT_FALSE(result.rows[0].readout);
  EXPECT_EQ(result.rows[0].target_text(), "channel 2 at row 1, column 3");
}

// Whatever is linear in the output gives the sum over single numbers; relevance too, because the sum is no layer.
TEST(Target, SummedOverPlacesIsTheSumOfItsNumbersForLinearMethods) {
  const Graph graph = map_graph(true);
  const std::vector<MethodWish> methods = {"gradient",  "gradient_x_input", "integrated_gradients",
                                           "occlusion", "lrp_epsilon",      "deeplift_rescale",
                                           "shapley"};
  const ExplainResult all = explained(graph, "class=1,sum", kX, methods);
  std::vector<ExplainResult> single;
  for (int64_t p = 0; p < kPlaces; ++p) {
    single.push_back(explained(graph, fmt::format("1,{},{}", p / kWidth, p % kWidth), kX, methods));
  }
  for (size_t m = 0; m < methods.size(); ++m) {
    for (size_t i = 0; i < kFeatures; ++i) {
      double sum = 0;
      for (const ExplainResult& one : single) sum += one.methods[m].attributions[0].values[i];
      // Path integrals stop at a tolerance of their own.
      EXPECT_NEAR(all.methods[m].attributions[0].values[i], sum, 1e-5) << all.methods[m].name() << " " << i;
    }
  }
}

// A flat rule for pools is about pools of the network.
TEST(Target, SumIsNotAPoolToWhichAFlatRuleApplies) {
  ExplainRequest request = asking("class=1,sum", kX, {"lrp_epsilon"});
  request.settings = {"rules=pool:flat"};
  const ExplainResult flat = explain(subject_of(map_graph(true)), request);
  const ExplainResult usual = explained(map_graph(true), "class=1,sum", kX, {"lrp_epsilon"});
  for (size_t i = 0; i < kFeatures; ++i) {
    EXPECT_NEAR(flat.methods[0].attributions[0].values[i], usual.methods[0].attributions[0].values[i], 1e-12);
  }
}

TEST(Target, TopOfAMapIsTheClassOfMostPlacesAddedUpOverThem) {
  const Tensor x = tensor({2, kFeatures}, 7);
  const auto result = explained(map_graph(), "top", x);
  for (int64_t r = 0; r < 2; ++r) {
    std::array<int64_t, kClasses> counts{};
    std::array<double, kClasses> sums{};
    for (int64_t p = 0; p < kPlaces; ++p) {
      std::array<double, kClasses> y{};
      for (int64_t c = 0; c < kClasses; ++c) {
        for (int64_t i = 0; i < kFeatures; ++i) y[c] += weight(i, c * kPlaces + p) * x.at(r * kFeatures + i);
      }
      const auto top = static_cast<size_t>(std::max_element(y.begin(), y.end()) - y.begin());
      ++counts[top];
      sums[top] += y[top];
    }
    const auto most = static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    EXPECT_NEAR(result.values[static_cast<size_t>(r)].output, sums[most], 1e-12);
  }
  ASSERT_EQ(result.notes.size(), 2U);
  EXPECT_NE(result.notes[0].find("places where it is the largest"), std::string::npos) << result.notes[0];
}

// ---- the other verbs ----

TEST(Target, OfManyNumbersGoesThroughEveryVerb) {
  const Subject subject = subject_of(map_graph(true));
  const ExplainRequest asked = asking("class=2,sum", kX);
  double output = 0;
  for (int64_t i = 0; i < kFeatures; ++i) {
    for (int64_t p = 0; p < kPlaces; ++p) output += weight(i, 2 * kPlaces + p) * std::tanh(kX.at(i));
  }
  DecomposeRequest decomposed;
  decomposed.question = asked.question;
  const DecomposeResult effects = decompose(subject, decomposed);
  double sum = 0;
  for (const double effect : effects.exact->values) sum += effect;
  EXPECT_NEAR(sum, output, 1e-12);

  ReportRequest reported;
  reported.question = asked.question;
  reported.methods = {"gradient_x_input", "shapley"};
  const document::Document page = report(subject, reported);
  EXPECT_NEAR(*page.rows[0].output, output, 1e-6);
  EXPECT_FALSE(page.rows[0].target.index);
  EXPECT_EQ(*page.rows[0].target.description, "class 2, summed over all 10 places");
  const document::Document again = document::document_from(to_json(page), "page");
  EXPECT_EQ(to_json(again), to_json(page));

  AuditRequest audited;
  audited.question = asked.question;
  audited.methods = {"shapley"};
  EXPECT_NEAR(to_json(audit(subject, audited))["output"].number(), output, 1e-9);
}

TEST(Target, OfManyNumbersIsFrozenIntoACompiledFile) {
  const Subject subject = subject_of(map_graph());
  CompileRequest request;
  request.method = "gradient";
  request.target = "class=2,sum";
  const CompileResult result = compile(subject, request);
  EXPECT_EQ(result.metadata.at("ascribe.target"), "class 2, summed over all 10 places");
  EXPECT_EQ(result.metadata.at("ascribe.explains"), "logit");
  ModelSource source;
  source.path = "explanation.onnx";
  source.bytes = result.bytes;
  source.precision = DType::f64;
  const Subject again = Subject::open(source);
  const Tensor attribution = again.model().run(std::vector{kX})[1];
  for (int64_t i = 0; i < kFeatures; ++i) {
    double expected = 0;
    for (int64_t p = 0; p < kPlaces; ++p) expected += weight(i, 2 * kPlaces + p);
    EXPECT_NEAR(attribution.at(i), expected, 1e-12);
  }
  request.target = "top";
  expect_error(ErrorKind::argument, "depends on what the model says", [&] { compile(subject, request); });
}

// ---- sequences ----

constexpr int64_t kLength = 3, kWide = 2, kTokens = 4;

// logits = x W at every position, with a companion that says what is padding.
Graph sequence_graph(bool masked = false) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, kLength, kWide}));
  if (masked) b.input("attention_mask", {Kind::integer, {kBatch, kLength}}, "int64");
  b.output("y", b.matmul(x, b.constant(tensor({kWide, kTokens}, 40))));
  return graph;
}

const Tensor kWords = tensor({1, kLength, kWide}, 60);

std::array<double, kTokens> logits_at(int64_t position) {
  std::array<double, kTokens> y{};
  for (int64_t t = 0; t < kTokens; ++t) {
    for (int64_t i = 0; i < kWide; ++i) y[t] += kWords.at(position * kWide + i) * number(40 + i * kTokens + t);
  }
  return y;
}

std::array<double, kTokens> probabilities_at(int64_t position) {
  std::array<double, kTokens> p = logits_at(position);
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value);
  for (double& value : p) value /= sum;
  return p;
}

// d log p_t / dx_i = W_it - sum over v of p_v W_iv
TEST(Target, OfSeveralTokensIsTheSumOfTheirLogProbabilities) {
  for (const auto& [target, first] : {std::pair("tokens=1,3", 1), std::pair("tokens=1,3,position=0", 0)}) {
    const ExplainResult result = explained(sequence_graph(), target, kWords, {"gradient"});
    const std::array<int64_t, 2> tokens = {1, 3};
    double sum = 0;
    std::vector<double> slopes(kLength * kWide, 0);
    for (int64_t k = 0; k < 2; ++k) {
      const auto p = probabilities_at(first + k);
      sum += std::log(p[tokens[k]]);
      for (int64_t i = 0; i < kWide; ++i) {
        double slope = number(40 + i * kTokens + tokens[k]);
        for (int64_t v = 0; v < kTokens; ++v) slope -= p[v] * number(40 + i * kTokens + v);
        slopes[static_cast<size_t>((first + k) * kWide + i)] = slope;
      }
    }
    EXPECT_NEAR(result.values[0].output, sum, 1e-12) << target;
    for (size_t i = 0; i < slopes.size(); ++i) {
      EXPECT_NEAR(result.methods[0].attributions[0].values[i], slopes[i], 1e-12) << target << " " << i;
    }
    EXPECT_EQ(result.rows[0].explains, "log-probability");
  }
}

TEST(Target, OfAPositionCountsBackFromTheEnd) {
  EXPECT_EQ(explained(sequence_graph(), "position=-1,token=2", kWords).rows[0].target, 2 * kTokens + 2);
  EXPECT_EQ(explained(sequence_graph(), "position=1,token=2", kWords).rows[0].target, 1 * kTokens + 2);
  EXPECT_EQ(explained(sequence_graph(), "1,2", kWords).rows[0].target, 1 * kTokens + 2);
  EXPECT_EQ(explained(sequence_graph(), "position=-1,token=2", kWords).rows[0].target_text(), "token 2 at position 2");
}

TEST(Target, TopOfASequenceIsTheTopTokenOfTheLastPositionThatIsNotPadding) {
  const auto top_at = [](int64_t position) {
    const auto y = logits_at(position);
    return position * kTokens + (std::max_element(y.begin(), y.end()) - y.begin());
  };
  EXPECT_EQ(explained(sequence_graph(), "top", kWords).rows[0].target, top_at(2));
  ExplainRequest request = asking("top", kWords);
  request.question.rows.arrays.push_back({"attention_mask", Tensor::of<int64_t>({1, kLength}, {1, 1, 0})});
  EXPECT_EQ(explain(subject_of(sequence_graph(true)), request).rows[0].target, top_at(1));
  request.question.target = "tokens=1,3";  // at positions 0 and 1
  EXPECT_NEAR(explain(subject_of(sequence_graph(true)), request).values[0].output,
              std::log(probabilities_at(0)[1]) + std::log(probabilities_at(1)[3]), 1e-12);
}

// ---- boxes ----

// Numbers of 7 boxes as they are given, in a picture's place.
Graph boxes_graph(bool boxes_first) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 1, 7, 6}));
  const Value boxes = b.reshape(x, {kBatch, 7, 6});
  b.output("y", boxes_first ? boxes : b.transpose(boxes, {0, 2, 1}));
  return graph;
}

Tensor seven_boxes() {
  std::vector<double> values;
  for (int64_t box = 0; box < 7; ++box) {
    values.insert(values.end(), {1, 2, 3, 4, 0.1 * static_cast<double>(box + 1), 0.9 - 0.1 * static_cast<double>(box)});
  }
  return Tensor::of<double>({1, 1, 7, 6}, values);
}

TEST(Target, OfABoxIsObjectnessTimesClassWhereThereIsObjectness) {
  // Scores 0.1 * 0.9, 0.2 * 0.8, ...: boxes 4 (0.5 * 0.5) and then 3 and 5 (0.24 each).
  const auto first = explained(boxes_graph(true), "rank=0,class=0", seven_boxes());
  EXPECT_NEAR(first.values[0].output, 0.25, 1e-12);
  EXPECT_EQ(first.rows[0].explains, "score");
  EXPECT_NE(first.rows[0].target_text().find("box 4"), std::string::npos) << first.rows[0].target_text();
  EXPECT_NEAR(explained(boxes_graph(true), "box=1,class=0", seven_boxes()).values[0].output, 0.16, 1e-12);
  EXPECT_NEAR(explained(boxes_graph(true), "top", seven_boxes()).values[0].output, 0.25, 1e-12);
  EXPECT_NEAR(explained(boxes_graph(true), "box=1,class=1,objectness=no", seven_boxes()).values[0].output, 0.8, 1e-12);
}

TEST(Target, OfABoxIsOneNumberWhereThereIsNoObjectness) {
  const auto result = explained(boxes_graph(false), "rank=0,class=1", seven_boxes());
  EXPECT_NEAR(result.values[0].output, 0.9, 1e-12);
  EXPECT_FALSE(result.rows[0].readout);
  EXPECT_EQ(result.rows[0].target, 5 * 7 + 0);
  EXPECT_NEAR(explained(boxes_graph(false), "rank=2,class=1", seven_boxes()).values[0].output, 0.7, 1e-12);
}

TEST(Target, OfScoresBesideBoxesTakesTheirAnchor) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 18}));
  b.output("scores", b.reshape(b.slice(x, 1, 0, 6), {kBatch, 3, 2}));
  b.output("boxes", b.reshape(b.slice(x, 1, 6, 12), {kBatch, 3, 4}));
  const Tensor row = Tensor::of<double>({1, 18}, {5, 1, 4, 2, 3, 9, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  EXPECT_EQ(explained(graph, "rank=0,class=1", row).rows[0].target, 5);
  EXPECT_EQ(explained(graph, "rank=1,class=1", row).rows[0].target, 3);
  EXPECT_EQ(explained(graph, "rank=0", row).rows[0].target, 5);
  PredictRequest request;
  request.rows.arrays = {{"x", row}};
  const PredictResult said = predict(subject_of(graph), request);
  const auto best = best_boxes(said, said.predictions[0], 0, 1);
  EXPECT_EQ(best[0].box.box, 2);
  EXPECT_EQ(best[0].corners, (std::vector<double>{2, 2, 2, 2}));
}

// ---- words ----

Graph line_graph(const std::string& name, const std::string& head = "", int64_t outputs = 2) {
  Graph graph;
  Builder b(graph);
  const Value y = b.matmul(b.input("x", real({kBatch, kFeatures})), b.constant(tensor({kFeatures, outputs}, 20)));
  b.output(name, head.empty() ? y : head == "sigmoid" ? b.op("sigmoid", {y}) : b.op(head, {y}, {{"axis", ints({1})}}));
  return graph;
}

std::string title(const Graph& graph, const std::string& explain = "", std::vector<std::string> labels = {}) {
  ExplainRequest request = asking("1", kX);
  request.question.explain = explain;
  request.question.label_names = std::move(labels);
  return core::study::explain(subject_of(graph), request).rows[0].title("m");
}

TEST(Words, AreOfClassesOnlyWhereSomethingSaysSo) {
  EXPECT_EQ(title(line_graph("y")), "m: value 1 of y for row 0");
  EXPECT_EQ(title(line_graph("logits")), "m: logit of class 1 for row 0");
  EXPECT_EQ(title(line_graph("y"), "logit"), "m: logit of class 1 for row 0");
  EXPECT_EQ(title(line_graph("y"), "", {"cat", "dog"}), "m: logit of dog (class 1) for row 0");
  EXPECT_EQ(title(line_graph("y", "softmax")), "m: logit of class 1 for row 0");
  EXPECT_EQ(title(line_graph("y", "sigmoid"), "probability"), "m: probability of class 1 for row 0");
  ExplainRequest one = asking("top", kX);
  EXPECT_EQ(explain(subject_of(line_graph("price", "", 1)), one).rows[0].title("m"), "m: price for row 0");
  EXPECT_EQ(explain(subject_of(line_graph("p", "sigmoid", 1)), one).rows[0].title("m"), "m: logit of p for row 0");
}

TEST(Words, AFinalSigmoidIsSteppedOverOrKept) {
  double logit = 0;
  for (int64_t i = 0; i < kFeatures; ++i) logit += kX.at(i) * number(20 + 2 * i + 1);
  ExplainRequest request = asking("1", kX);
  const Subject subject = subject_of(line_graph("y", "sigmoid"));
  const ExplainResult before = explain(subject, request);
  EXPECT_NEAR(before.values[0].output, logit, 1e-12);
  EXPECT_NE(before.notes.at(0).find("final sigmoid of 'y' is stepped over"), std::string::npos);
  request.question.explain = "probability";
  EXPECT_NEAR(explain(subject, request).values[0].output, 1 / (1 + std::exp(-logit)), 1e-12);
  expect_error(ErrorKind::argument, "does not end in a softmax or sigmoid",
               [&] { explain(subject_of(line_graph("y")), request); });
}

TEST(Words, ValuesHaveNoProbabilities) {
  PredictRequest request;
  request.rows.arrays = {{"x", kX}};
  const auto entry = [&](const Graph& graph) {
    const Json json = to_json(predict(subject_of(graph), request), 1);
    return json["predictions"].items()[0]["outputs"].items()[0]["top"].items()[0];
  };
  EXPECT_TRUE(entry(line_graph("y")).contains("value"));
  EXPECT_FALSE(entry(line_graph("y")).contains("probability"));
  EXPECT_TRUE(entry(line_graph("logits")).contains("probability"));
  EXPECT_TRUE(entry(line_graph("y", "sigmoid")).contains("probability"));
}

TEST(Predict, OfAMapGivesEveryClassItsShare) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.op("relu", {b.input("x", real({kBatch, 2, 2, 2}))}));
  PredictRequest request;
  request.rows.arrays = {{"x", Tensor::of<double>({1, 2, 2, 2}, {1, 5, 1, 1, 2, 2, 2, 2})}};
  const PredictResult said = predict(subject_of(graph), request);
  const auto classes = class_summaries(said.predictions[0], 0);
  EXPECT_EQ(classes[0].index, 1);
  EXPECT_EQ(*classes[0].share, 0.75);
  EXPECT_EQ(classes[1].mean, 2);
  EXPECT_EQ(classes[1].most, 5);
  EXPECT_EQ(to_json(said, 1)["predictions"].items()[0]["outputs"].items()[0]["classes"].size(), 1U);
}

// ---- refusals ----

void expect_refused(const Graph& graph, const Tensor& x, const std::string& target, const std::string& part,
                    ErrorKind kind = ErrorKind::argument) {
  expect_error(kind, part, [&] { explained(graph, target, x); });
}

TEST(Target, ThatIsAmbiguousIsRefusedWithTheAxes) {
  expect_refused(map_graph(), kX, "2", "has the axes channel (3), row (2), column (5)");
  expect_refused(map_graph(), kX, "class=2", "has the axes class (3)");
  expect_refused(map_graph(), kX, "sum", "does not say which class");
  expect_refused(sequence_graph(), kWords, "3", "has the axes position (3)");
  Graph other;
  Builder b(other);
  b.output("y", b.reshape(b.input("x", real({kBatch, 4})), {kBatch, 2, 2}));
  expect_refused(other, kX, "top", "axis 0 (2), axis 1 (2)");
}

TEST(Target, OutsideTheOutputIsRefused) {
  expect_refused(map_graph(), kX, "2,0", "got 2 numbers");
  expect_refused(map_graph(), kX, "2,2,0", "there is no row 2; expected 0 to 1");
  expect_refused(map_graph(), kX, "2,0,-1", "there is no column -1");
  expect_refused(map_graph(), kX, "class=3,sum", "there is no class 3");
  expect_refused(map_graph(), kX, "class=0,box=3:0:2:1", "empty or outside");
  expect_refused(map_graph(), kX, "class=0,box=0:0:6:1", "empty or outside");
  expect_refused(map_graph(), kX, "rank=0,class=1", "does not look like scores of boxes");
  expect_refused(map_graph(), kX, "position=0,token=1", "no positions");
  expect_refused(sequence_graph(), kWords, "tokens=1,2,3,0", "not all there");
  expect_refused(sequence_graph(), kWords, "tokens=4", "there is no token 4");
  expect_refused(sequence_graph(), kWords, "position=3,token=0", "there is no position 3");
  expect_refused(boxes_graph(true), seven_boxes(), "rank=7,class=0", "there is no rank 7");
  expect_refused(boxes_graph(true), seven_boxes(), "box=9223372036854775807,class=0", "there is no box");
  expect_refused(line_graph("y"), kX, "2", "there is no value 2; expected 0 to 1");
  ExplainRequest request = asking("tokens=1", kWords);
  request.question.explain = "probability";
  expect_error(ErrorKind::argument, "log-probability", [&] { explain(subject_of(sequence_graph()), request); });
}

TEST(Target, ThatCannotBeReadIsRefused) {
  for (const std::string text :
       {"class=2,sum,foo", "class=", "1,x", "tokens=", "box=1:2:3", "sum,mean", "rank=1,rank=2", "objectness=perhaps",
        "1,,2", "class=99999999999999999999999,sum", ",", "="}) {
    EXPECT_TRUE(error_of([&] { explained(map_graph(), text, kX); })) << text;
  }
  expect_refused(map_graph(), kX, "1,class=2", "not both");
}

TEST(Target, FilesThatDoNotFitAreRefused) {
  TemporaryFolder folder;
  const auto file = [&](const std::string& name, const Tensor& values) {
    return folder.write(name, format_npy(values));
  };
  const std::string small = file("small.npy", Tensor(DType::f64, {2, 2})),
                    none = file("none.npy", Tensor(DType::f64, {2, 5}));
  const std::string nan = file("nan.npy", Tensor::of<double>({2}, {1, std::numeric_limits<double>::quiet_NaN()}));
  expect_refused(map_graph(), kX, "class=0,mask=" + small, "not resized; got [2, 2]; expected [2, 5]",
                 ErrorKind::shape);
  expect_refused(map_graph(), kX, "class=0,mask=" + none, "0 everywhere");
  expect_refused(map_graph(), kX, "weights=" + small, "got [2, 2]; expected [3, 2, 5]", ErrorKind::shape);
  expect_refused(line_graph("y"), kX, "weights=" + nan, "not finite", ErrorKind::numeric);
  expect_refused(line_graph("y"), kX, "weights=" + file("zero.npy", Tensor(DType::f64, {2})), "all weights are 0");
  expect_refused(line_graph("y"), kX, "weights=" + folder.write("text.npy", "hello"), "expected a .npy file",
                 ErrorKind::io);
  expect_refused(line_graph("y"), kX, "weights=" + folder.path("missing.npy"), "", ErrorKind::io);
}

TEST(Target, MayBeALabelWithCommas) {
  ExplainRequest request = asking("shark, great white", kX);
  request.question.label_names = {"cat", "shark, great white"};
  const ExplainResult result = explain(subject_of(line_graph("y")), request);
  EXPECT_EQ(result.rows[0].target, 1);
  EXPECT_EQ(result.rows[0].label, "shark, great white");
}

}  // namespace
}  // namespace ascribe::core::study
