// Questions about token ids: they enter behind their embedding, and every position is a player.
#include "study/tokens.h"

#include <cmath>

#include <gtest/gtest.h>

#include "study/cut_entrance.h"
#include "study/decompose.h"
#include "study/explain.h"
#include "study/predict.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/ops.h"

namespace ascribe::core::study {
namespace {

constexpr int64_t kTokens = 7, kWidth = 3, kLength = 4, kHidden = 5;

// f = sum over k of v_k tanh(sum over t, d of w_tdk mask_t e_td): the integral along a straight line has a closed form.
struct Text {
  Tensor table = random_tensor({kTokens, kWidth}, 1), weights = random_tensor({kLength * kWidth, kHidden}, 2, 0.3),
         ends = random_tensor({kHidden, 1}, 3);
  bool linear = false;

  Graph graph() const {
    Graph graph;
    Builder b(graph);
    const Value ids = b.input("input_ids", {Kind::integer, {kBatch, kLength}}, "int64");
    const Value mask = b.input("attention_mask", {Kind::integer, {kBatch, kLength}}, "int64");
    b.set_name("embedding");
    const Value words = b.op("gather", {b.constant(table), ids}, {{"axis", ints({0})}});
    const Value masked = b.mul(words, b.reshape(b.cast(mask, Kind::real), {kBatch, kLength, 1}));
    b.set_name("hidden");
    Value hidden = b.matmul(b.reshape(masked, {kBatch, kLength * kWidth}), b.constant(weights));
    if (!linear) hidden = b.op("tanh", {hidden});
    b.set_name("end");
    b.output("score", b.matmul(hidden, b.constant(ends)));
    return graph;
  }
  Subject subject() const { return Subject::of(Model::of(graph(), {.precision = DType::f64}), "text.onnx"); }

  double e(int64_t id, int64_t d) const { return table.at(id * kWidth + d); }
  // What changing position t from token `from` to token `to` adds to hidden neuron k.
  double step(int64_t t, int64_t k, int64_t from, int64_t to) const {
    double sum = 0;
    for (int64_t d = 0; d < kWidth; ++d) sum += weights.at((t * kWidth + d) * kHidden + k) * (e(to, d) - e(from, d));
    return sum;
  }
  double hidden(const std::vector<int64_t>& ids, int64_t k) const {
    double sum = 0;
    for (int64_t t = 0; t < kLength; ++t) {
      for (int64_t d = 0; d < kWidth; ++d) {
        sum += weights.at((t * kWidth + d) * kHidden + k) * e(ids[static_cast<size_t>(t)], d);
      }
    }
    return sum;
  }
  double f(const std::vector<int64_t>& ids) const {
    double sum = 0;
    for (int64_t k = 0; k < kHidden; ++k) sum += ends.at(k) * (linear ? hidden(ids, k) : std::tanh(hidden(ids, k)));
    return sum;
  }
};

const std::vector<int64_t> kIds = {5, 2, 6, 1};

ExplainRequest request_of(const std::vector<std::string>& methods, const std::string& baseline) {
  ExplainRequest request;
  request.question.rows.arrays = {{"input_ids", Tensor::of<int64_t>({1, kLength}, kIds)}};
  request.question.baseline = baseline;
  request.methods = {methods.begin(), methods.end()};
  return request;
}

bool noted(const std::vector<std::string>& notes, const std::string& part) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(Tokens, OfALinearModelGetWhatTheirEmbeddingDoes) {
  Text text;
  text.linear = true;
  const ExplainResult result =
      explain(text.subject(), request_of({"gradient_x_input", "occlusion", "integrated_gradients"}, "token:3"));
  ASSERT_EQ(result.methods.size(), 3U);
  EXPECT_EQ(result.rows[0].players.description, "positions");
  for (int64_t t = 0; t < kLength; ++t) {
    double input = 0, change = 0;
    for (int64_t k = 0; k < kHidden; ++k) {
      const int64_t id = kIds[static_cast<size_t>(t)];
      change += text.ends.at(k) * text.step(t, k, 3, id);
      for (int64_t d = 0; d < kWidth; ++d) {
        input += text.ends.at(k) * text.weights.at((t * kWidth + d) * kHidden + k) * text.e(id, d);
      }
    }
    const auto at = static_cast<size_t>(t);
    EXPECT_NEAR(result.methods[0].attributions[0].values[at], input, 1e-12);  // rounding of 60 products
    EXPECT_NEAR(result.methods[1].attributions[0].values[at], change, 1e-12);
    EXPECT_NEAR(result.methods[2].attributions[0].values[at], change, 1e-12);
  }
}

TEST(Tokens, IntegratedGradientsAreTheClosedFormPerPosition) {
  const Text text;
  ExplainRequest request = request_of({"integrated_gradients"}, "token:3");
  request.settings = {"tolerance=1e-9"};
  const ExplainResult result = explain(text.subject(), request);
  const std::vector<int64_t> baseline(kLength, 3);
  for (int64_t t = 0; t < kLength; ++t) {
    double expected = 0;
    for (int64_t k = 0; k < kHidden; ++k) {
      const double from = text.hidden(baseline, k), to = text.hidden(kIds, k);
      const double slope = (std::tanh(to) - std::tanh(from)) / (to - from);
      expected += text.ends.at(k) * slope * text.step(t, k, 3, kIds[static_cast<size_t>(t)]);
    }
    EXPECT_NEAR(result.methods[0].attributions[0].values[static_cast<size_t>(t)], expected, 1e-8);  // its tolerance
  }
}

TEST(Tokens, MaskingReplacesIds) {
  const Text text;
  const ExplainResult result = explain(text.subject(), request_of({"occlusion", "shapley"}, "token:3"));
  for (size_t t = 0; t < kIds.size(); ++t) {
    std::vector<int64_t> without = kIds;
    without[t] = 3;
    EXPECT_NEAR(result.methods[0].attributions[0].values[t], text.f(kIds) - text.f(without), 1e-12);
  }
  // Shapley values by every order of the positions.
  std::vector<double> expected(kLength, 0.0);
  for (uint32_t set = 0; set < 1U << kLength; ++set) {
    std::vector<int64_t> ids(kLength, 3);
    int size = 0;
    for (size_t t = 0; t < kIds.size(); ++t) {
      if (set >> t & 1U) ids[t] = kIds[t], ++size;
    }
    const double weight[] = {1.0 / 4, 1.0 / 12, 1.0 / 12, 1.0 / 4};
    for (size_t t = 0; t < kIds.size(); ++t) {
      if (set >> t & 1U) continue;
      std::vector<int64_t> more = ids;
      more[t] = kIds[t];
      expected[t] += weight[size] * (text.f(more) - text.f(ids));
    }
  }
  for (size_t t = 0; t < kIds.size(); ++t) {
    EXPECT_NEAR(result.methods[1].attributions[0].values[t], expected[t], 1e-12);
  }
}

// A masked row is bit for bit the row of the replaced ids.
TEST(Tokens, MaskedEmbeddingsAreThoseOfTheIds) {
  const Text text;
  const Subject given = text.subject();
  QuestionRequest request;
  std::vector<std::string> notes;
  const Subject subject = entered_at(given, request, notes);
  ASSERT_NE(subject.entrance(), nullptr);
  EXPECT_TRUE(noted(notes, "embedding"));
  const auto enter = [&](const std::vector<int64_t>& ids) {
    ModelInputs rows{{Tensor::of<int64_t>({1, kLength}, ids), Tensor::of<int64_t>({1, kLength}, {1, 1, 1, 1})},
                     {"row"},
                     {},
                     {{}, {}}};
    return subject.entrance()->enter(rows, notes).tensors[0].cast(DType::f64);
  };
  const Tensor b =
      subject.entrance()->baselines({"token:3", nullptr, request.rows, 0, {}}, notes).reshaped({1, kLength, kWidth});
  for (size_t t = 0; t < kIds.size(); ++t) {
    std::vector<int64_t> ids = kIds;
    ids[t] = 3;
    Tensor masked = enter(kIds);
    for (size_t d = 0; d < kWidth; ++d) {
      masked.mutable_data<double>()[t * kWidth + d] = b.data<double>()[t * kWidth + d];
    }
    EXPECT_EQ(values_of(masked), values_of(enter(ids)));
  }
}

TEST(Tokens, CompanionsFollowAndCountWhenTheyAreGiven) {
  const Text text;
  ExplainRequest request = request_of({"occlusion"}, "token:3");
  const ExplainResult usual = explain(text.subject(), request);
  EXPECT_TRUE(noted(usual.notes, "'attention_mask' is not given: it is 1 everywhere"));
  EXPECT_NEAR(usual.values[0].output, text.f(kIds), 1e-12);
  request.question.rows.arrays.push_back({"attention_mask", Tensor::of<int64_t>({1, kLength}, {1, 1, 0, 1})});
  const ExplainResult masked = explain(text.subject(), request);
  EXPECT_FALSE(noted(masked.notes, "is not given"));
  EXPECT_EQ(masked.methods[0].attributions[0].values[2], 0);  // nobody looks at it
  PredictRequest predicted;
  predicted.rows = request_of({}, "").question.rows;
  EXPECT_NEAR(predict(text.subject(), predicted).predictions[0].at(0, 0), text.f(kIds), 1e-12);
}

TEST(Tokens, DataWithoutANameAreTheIds) {
  const TemporaryFolder folder;
  ExplainRequest request = request_of({"occlusion"}, "token:3");
  request.question.rows = {};
  request.question.rows.files = {folder.write("ids.txt", "5 2 6 1\n1 1 1 1\n")};
  const ExplainResult result = explain(Text().subject(), request);
  ASSERT_EQ(result.rows.size(), 2U);
  EXPECT_NEAR(result.values[0].output, Text().f(kIds), 1e-12);
  EXPECT_NEAR(result.values[1].output, Text().f({1, 1, 1, 1}), 1e-12);
  request.question.rows.files = {folder.write("uneven.txt", "5 2 6 1\n1 1\n")};
  expect_error(ErrorKind::io, "line 2 has 2 numbers", [&] { explain(Text().subject(), request); });
  request.question.rows.files = {folder.write("words.ids", "5 two 6 1\n")};
  expect_error(ErrorKind::io, "'two'", [&] { explain(Text().subject(), request); });
}

TEST(Tokens, TheVocabularyNamesPlayersAndBaselines) {
  const TemporaryFolder folder;
  ExplainRequest request = request_of({"occlusion"}, "");
  request.question.tokens = folder.write("vocab.txt", "[PAD]\n##ly\nquick\nslow\n[MASK]\n[CLS]\nfox\n");
  const ExplainResult result = explain(Text().subject(), request);
  EXPECT_EQ(result.rows[0].players.names, (std::vector<std::string>{"0 [CLS]", "1 quick", "2 fox", "3 ly"}));
  EXPECT_EQ(result.rows[0].baseline, "pad");
  EXPECT_TRUE(noted(result.notes, "[PAD] (id 0)"));
  const Json json = to_json(result);
  EXPECT_EQ(json["tokens"].dump(-1), R"(["[CLS]","quick","fox","ly"])");
  EXPECT_EQ(json["ids"].dump(-1), "[5,2,6,1]");
  request.question.baseline = "token:[MASK]";
  const ExplainResult mask = explain(Text().subject(), request);
  EXPECT_NEAR(mask.values[0].baseline_output, Text().f({4, 4, 4, 4}), 1e-12);
  request.question.players = "words";
  const ExplainResult words = explain(Text().subject(), request);
  EXPECT_EQ(words.rows[0].players.names, (std::vector<std::string>{"0 [CLS]", "1 quick", "2-3 foxly"}));
  EXPECT_NEAR(words.methods[0].attributions[0].values[2], Text().f(kIds) - Text().f({5, 2, 4, 4}), 1e-12);
}

TEST(Tokens, SpansAndGroupsArePlayersToo) {
  const TemporaryFolder folder;
  ExplainRequest request = request_of({"occlusion"}, "token:3");
  request.question.players = "spans:3";
  EXPECT_EQ(explain(Text().subject(), request).rows[0].players.names,
            (std::vector<std::string>{"0-2 #5 #2 #6", "3 #1"}));
  request.question.players = "groups:" + folder.write("groups.json", R"({"ends": [0, 3], "second": ["1:2"]})");
  const ExplainResult result = explain(Text().subject(), request);
  EXPECT_EQ(result.rows[0].players.names, (std::vector<std::string>{"ends", "second"}));
  EXPECT_NEAR(result.methods[0].attributions[0].values[0], Text().f(kIds) - Text().f({3, 2, 6, 3}), 1e-12);
}

TEST(Tokens, BaselinesAreTokensFilesOrZeros) {
  const TemporaryFolder folder;
  const auto base = [&](const std::string& text) {
    return explain(Text().subject(), request_of({"occlusion"}, text)).values[0].baseline_output;
  };
  EXPECT_NEAR(base("pad"), Text().f({0, 0, 0, 0}), 1e-12);
  EXPECT_NEAR(base("file:" + folder.write("b.ids", "1 2 3 4\n")), Text().f({1, 2, 3, 4}), 1e-12);
  EXPECT_NEAR(base("data:" + folder.write("d.ids", "1 2 3 4\n0 0 0 0\n")),
              (Text().f({1, 2, 3, 4}) + Text().f({0, 0, 0, 0})) / 2, 1e-12);
  EXPECT_EQ(base("zero"), 0);  // no token has this embedding
  EXPECT_EQ(base(""), 0);
  ExplainRequest given = request_of({"occlusion"}, "");
  given.question.baselines = Tensor::of<int64_t>({1, kLength}, {1, 2, 3, 4});
  EXPECT_NEAR(explain(Text().subject(), given).values[0].baseline_output, Text().f({1, 2, 3, 4}), 1e-12);
}

TEST(Tokens, AreRefusedWithAReason) {
  const TemporaryFolder folder;
  const auto refused = [&](ErrorKind kind, const std::string& part, const auto& change) {
    ExplainRequest request = request_of({"occlusion"}, "token:3");
    change(request.question);
    expect_error(kind, part, [&] { explain(Text().subject(), request); });
  };
  refused(ErrorKind::argument, "there is no token 7; expected ids from 0 to 6",
          [](QuestionRequest& q) { q.baseline = "token:7"; });
  refused(ErrorKind::argument, "there is no token -1", [](QuestionRequest& q) { q.baseline = "token:-1"; });
  refused(ErrorKind::argument, "there is no token '[MASK]'", [](QuestionRequest& q) { q.baseline = "token:[MASK]"; });
  refused(ErrorKind::argument, "expected token:ID", [](QuestionRequest& q) { q.baseline = "mean"; });
  refused(ErrorKind::argument, "words are known with a vocabulary", [](QuestionRequest& q) { q.players = "words"; });
  refused(ErrorKind::argument, "spans:K with K from 1 to 4", [](QuestionRequest& q) { q.players = "spans:5"; });
  refused(ErrorKind::argument, "expected positions", [](QuestionRequest& q) { q.players = "grid:2x2"; });
  refused(ErrorKind::argument, "there is no node 'hid'; expected a name like hidden",
          [](QuestionRequest& q) { q.at = "hid"; });
  // A negative id would count from the end of the table.
  refused(ErrorKind::shape, "there is no token -1", [](QuestionRequest& q) {
    q.rows.arrays[0].values = Tensor::of<int64_t>({1, kLength}, {1, -1, 0, 0});
  });
  refused(ErrorKind::shape, "there is no token 7", [](QuestionRequest& q) {
    q.rows.arrays[0].values = Tensor::of<int64_t>({1, kLength}, {1, 7, 0, 0});
  });
  refused(ErrorKind::shape, "there is no token 9",
          [&](QuestionRequest& q) { q.baseline = "file:" + folder.write("b.ids", "1 9 0 0\n"); });
}

TEST(Tokens, ACacheOfEarlierStepsIsRefused) {
  Graph graph = Text().graph();
  Builder b(graph);
  const Value past = b.input("past_key_values.0.key", {Kind::real, {kBatch, 2, 4}});
  b.output("present", b.add(past, 1.0));
  ExplainRequest request = request_of({"occlusion"}, "token:3");
  request.question.input = "input_ids";
  expect_error(ErrorKind::unsupported, "use_cache=False",
               [&] { explain(Subject::of(Model::of(graph, {.precision = DType::f64}), "text.onnx"), request); });
}

// At an inner node of any model: x and baseline are what the node gives for them.
TEST(Tokens, AnyNodeCanHaveThePlayers) {
  const Text text;
  ExplainRequest request = request_of({"gradient_x_input", "occlusion"}, "token:3");
  request.question.at = "hidden";  // the tanh: behind it all is linear
  const ExplainResult result = explain(text.subject(), request);
  ASSERT_EQ(result.rows[0].players.count(), kHidden);
  const std::vector<int64_t> baseline(kLength, 3);
  for (int64_t k = 0; k < kHidden; ++k) {
    const double x = std::tanh(text.hidden(kIds, k)), b = std::tanh(text.hidden(baseline, k));
    EXPECT_NEAR(result.methods[0].attributions[0].values[static_cast<size_t>(k)], text.ends.at(k) * x, 1e-12);
    EXPECT_NEAR(result.methods[1].attributions[0].values[static_cast<size_t>(k)], text.ends.at(k) * (x - b), 1e-12);
  }
}

TEST(Tokens, ANodeOfARealModelToo) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2}});
  b.set_name("square");
  const Value square = b.mul(x, x);
  b.set_name("sum");
  b.output("y", b.reduce("reduce_sum", b.mul(square, b.constant(Tensor::of<double>({2}, {3, 5}))), {1}, true));
  ExplainRequest request;
  request.question.rows.arrays = {{"x", Tensor::of<double>({1, 2}, {2, 1})}};
  request.question.at = "square";
  request.question.baseline = "value:0.5";
  request.methods = {"occlusion"};
  const ExplainResult result = explain(Subject::of(Model::of(graph, {.precision = DType::f64}), "square"), request);
  EXPECT_NEAR(result.methods[0].attributions[0].values[0], 3 * (4 - 0.25), 1e-12);
  EXPECT_NEAR(result.methods[0].attributions[0].values[1], 5 * (1 - 0.25), 1e-12);
}

// Whole numbers that are no ids: only a node that is named can be explained.
// One token more than the table has rows: the file cannot be this model's.
TEST(Tokens, AVocabularyThatIsLargerThanTheTableIsDoubted) {
  const TemporaryFolder folder;
  ExplainRequest request = request_of({"occlusion"}, "token:3");
  std::string words;
  for (int64_t i = 0; i < kTokens; ++i) words += fmt::format("word{}\n", i);
  const auto doubted = [&](const std::string& vocabulary) {
    request.question.tokens = folder.write("vocab.txt", vocabulary);
    return noted(explain(Text().subject(), request).notes, "another model");
  };
  EXPECT_FALSE(doubted(words));
  EXPECT_TRUE(doubted(words + "more\n"));
}

TEST(Tokens, WholeNumbersThatChooseAreNoTokens) {
  Graph graph;
  Builder b(graph);
  const Value kinds = b.input("kinds", {Kind::integer, {kBatch, 2}}, "int64");
  const Value first = b.op("equal", {kinds, b.constant(Tensor::of<int64_t>({2}, {1, 2}))});
  b.output("y", b.reduce("reduce_sum", b.cast(first, Kind::real), {1}, true));
  const Subject subject = Subject::of(Model::of(graph, {.precision = DType::f64}), "kinds");
  ExplainRequest request;
  request.question.rows.arrays = {{"kinds", Tensor::of<int64_t>({1, 2}, {2, 1})}};
  request.methods = {"occlusion"};
  expect_error(ErrorKind::unsupported, "not looked up in a table", [&] { explain(subject, request); });
}

TEST(Tokens, WholeNumbersThatAreOnlyCountedAreNumbers) {
  Graph graph;
  Builder b(graph);
  const Value counts = b.input("counts", {Kind::integer, {kBatch, 2}}, "int64");
  b.set_name("real");
  const Value real = b.cast(counts, Kind::real);
  b.set_name("sum");
  b.output("y", b.reduce("reduce_sum", b.mul(real, b.constant(Tensor::of<double>({2}, {3, 5}))), {1}, true));
  const Subject subject = Subject::of(Model::of(graph, {.precision = DType::f64}), "counts");
  ExplainRequest request;
  request.question.rows.arrays = {{"counts", Tensor::of<int64_t>({1, 2}, {2, 1})}};
  request.methods = {"occlusion"};
  EXPECT_EQ(explain(subject, request).methods[0].attributions[0].values, (std::vector<double>{6, 5}));
  request.question.at = "real";
  const ExplainResult result = explain(subject, request);
  EXPECT_EQ(result.methods[0].attributions[0].values, (std::vector<double>{6, 5}));
  EXPECT_EQ(result.rows[0].players.names, (std::vector<std::string>{"x0", "x1"}));
}

TEST(Tokens, AreTakenApart) {
  DecomposeRequest request;
  request.question = request_of({}, "token:3").question;
  const DecomposeResult result = decompose(Text().subject(), request);
  EXPECT_EQ(result.question.players.names[0], "0 #5");
  EXPECT_NEAR(result.summary.output - result.summary.baseline_output, Text().f(kIds) - Text().f({3, 3, 3, 3}), 1e-12);
}

TEST(Tokens, LongTextsAreCutIntoFewPlayers) {
  const TokenRow row = token_row(std::vector<int64_t>(100, 1), nullptr);
  const std::vector<std::string> texts = coarser_players(row, 10);
  EXPECT_EQ(texts[0], "positions");
  EXPECT_EQ(texts[1], "spans:10");
  EXPECT_EQ(texts.back(), "spans:50");
  EXPECT_EQ(token_players("spans:50", row, {100, 8}).count(), 2);
}

}  // namespace
}  // namespace ascribe::core::study
