// What is promised of threads: different models at the same time, one model from several, and work that is stopped at
// any moment, on real networks. ./dev test --threads runs them under ThreadSanitizer.
#include <ascribe/ascribe.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ascribe {
namespace {

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";

std::vector<double> some_row(size_t size) {
  const core::Random random(11, 0);
  std::vector<double> row;
  for (uint64_t i = 0; i < size; ++i) row.push_back(random.uniform(i));
  return row;
}

// A network, a question about it and methods to ask.
struct Case {
  std::string model;
  std::vector<int64_t> shape;
  std::string players;
  std::vector<Method> methods;
  std::vector<double> row;
};

const Case kTable = {"tabular_mlp.onnx", {8}, "columns", {"shapley", "integrated_gradients"}, some_row(8)};
const Case kPicture = {
    "relu_vgg.onnx", {1, 28, 28}, "grid:3x3", {"gradient_x_input", "shapley", "lrp_epsilon"}, some_row(28 * 28)};

Model load(const Case& one) { return Model::load(kModels + one.model); }

Question question_of(const Case& one) { return Question(Array(one.row.data(), one.shape)).players(one.players); }

std::vector<std::vector<double>> answers(Model& model, const Case& one, const Options& options = Options()) {
  const Explanation explanation = model.explain(question_of(one), one.methods, options);
  const Prediction prediction = model.predict(question_of(one));
  std::vector<std::vector<double>> values(1);
  for (int64_t i = 0; i < prediction.values().size(); ++i) values[0].push_back(prediction.values()[i]);
  for (size_t i = 0; i < explanation.methods(); ++i) values.push_back(explanation.attribution(i).values());
  return values;
}

TEST(Threads, TwoModelsAreAskedAtTheSameTime) {
  Model table = load(kTable), picture = load(kPicture);
  const auto of_table = answers(table, kTable), of_picture = answers(picture, kPicture);
  std::atomic<int> wrong = 0;
  const auto ask = [&wrong](const Case& one, const std::vector<std::vector<double>>& expected) {
    for (int round = 0; round < 3; ++round) {
      Model own = load(one);
      if (answers(own, one) != expected) ++wrong;
      if (answers(own, one, Options().threads(2)) != expected) ++wrong;
    }
  };
  std::thread first([&] { ask(kTable, of_table); }), second([&] { ask(kPicture, of_picture); });
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, OneModelIsAskedBySeveral) {
  Model shared = load(kPicture);
  const auto expected = answers(shared, kPicture);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        if (answers(shared, kPicture) != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, StoppedByAnotherThreadAtAnyMomentAModelIsAsGoodAsBefore) {
  Model model = load(kPicture);
  const auto expected = answers(model, kPicture);
  int stopped = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::atomic<bool> enough = false;
    const auto moment = std::chrono::microseconds(core::Random(seed, 1).below(0, 60'000));
    std::thread other([&] {
      std::this_thread::sleep_for(moment);
      enough = true;
    });
    const auto go_on = [&enough](std::string_view, int64_t, int64_t) { return !enough; };
    const Question question = question_of(kPicture).players("grid:4x4");
    try {
      stopped += model.explain(question, {"shapley"}, Options().progress(go_on)).stopped() ? 1 : 0;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cancelled) << error.what();
      ++stopped;
    }
    other.join();
  }
  EXPECT_GT(stopped, 0);
  EXPECT_EQ(answers(model, kPicture), expected);
}

}  // namespace
}  // namespace ascribe
