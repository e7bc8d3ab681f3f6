// Results that carry a record: it is asked for, and a replay of it gives the same bits.
#include <ascribe/ascribe.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "api/two_numbers_model.h"
#include "base/file.h"
#include "base/json.h"
#include "onnx/model_maker.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe {
namespace {

namespace fs = std::filesystem;

class Records : public testing::Test {
 protected:
  Records() {
    folder_.write("bent.onnx", two_numbers_bytes(true));
    folder_.write("rows.csv", kTable);
  }

  Model model() const { return Model::load(folder_.path("bent.onnx"), LoadOptions().precision(Precision::float64)); }
  static Model function() {
    return Model::function(
        [](const Array& rows) {
          std::vector<double> y;
          for (int64_t r = 0; r < rows.shape()[0]; ++r) y.push_back(rows[3 * r] * rows[3 * r + 1] + rows[3 * r + 2]);
          return y;
        },
        {3}, 1);
  }
  Question question() const { return Question(folder_.path("rows.csv")).rows({"1"}); }
  std::string rows_npy() const {
    return folder_.write("rows.npy", core::format_npy(core::Tensor::of<double>({4, 3}, x_)));
  }
  Array rows() const { return {x_.data(), {4, 3}}; }
  static Options asked() { return Options().seed(5).threads(1).record(); }

  // The replay of what a result carries, which must be the record of this verb.
  template <class Result>
  static Replay again(const Result& result, const std::string& verb, const std::vector<std::string>& files = {}) {
    EXPECT_EQ(core::parse_json(result.record_json(), "record")["verb"], core::Json(verb));
    return replay_record(result.record_json(), files, Options().threads(1));
  }
  template <class Result>
  static void expect_same(const Result& result, const std::string& verb, const std::vector<std::string>& files = {}) {
    const Replay replayed = again(result, verb, files);
    EXPECT_EQ(replayed.answer(), ReplayAnswer::same) << replayed.json();
  }

  static constexpr const char* kTable = "a,b,c\n0.5,0.25,1\n0.75,0.5,2\n0.125,1,0.5\n1,0.375,0.25\n";
  const std::vector<double> x_ = {0.5, 0.25, 1, 0.75, 0.5, 2, 0.125, 1, 0.5, 1, 0.375, 0.25};
  core::TemporaryFolder folder_;
};

std::vector<double> nothing(const Asked& asked) {
  return std::vector<double>(static_cast<size_t>(asked.player_count()), 0.0);
}

TEST_F(Records, AreCarriedByEveryResultThatIsAskedAndReplayToTheSameBits) {
  Model on = model();
  expect_same(on.predict(question(), asked()), "predict");
  expect_same(on.explain(question(), {"shapley", "integrated_gradients"}, asked()), "explain");
  expect_same(on.decompose(question(), asked()), "decompose");
  expect_same(on.audit(question(), {"shapley", "occlusion"}, asked().budget("none")), "audit");
  expect_same(on.audit(question(), Array(std::vector<double>{1, 1, 1}), asked()), "audit");
  expect_same(on.compare(question(), "shapley", "occlusion", asked()), "compare");
  expect_same(on.verify(question(), {"shapley"}, asked().orders({2}).draws(4)), "verify");
  expect_same(on.evaluate(folder_.path("rows.csv"), {"shapley", "occlusion"}, {"infidelity"}, {}, asked()), "evaluate");
  expect_same(on.compile("gradient_x_input", "top", {}, asked()), "compile");
  expect_same(on.report(question(), {"shapley"}, asked().budget("none")), "report");
}

TEST_F(Records, AreNotMadeUnlessTheyAreAskedFor) {
  Model on = model();
  EXPECT_EQ(on.predict(question()).record_json(), "");
  EXPECT_EQ(on.explain(question(), {"shapley"}).record_json(), "");
  EXPECT_EQ(on.explain(question(), {"shapley"}, Options().record(false)).record_json(), "");
  EXPECT_EQ(on.decompose(question()).record_json(), "");
  EXPECT_EQ(on.audit(question(), {"shapley"}).record_json(), "");
  EXPECT_EQ(on.compare(question(), "shapley", "occlusion").record_json(), "");
  EXPECT_EQ(on.verify(question(), {"shapley"}, Options().orders({2}).draws(4)).record_json(), "");
  EXPECT_EQ(on.evaluate(folder_.path("rows.csv"), {"shapley"}, {"completeness"}).record_json(), "");
  EXPECT_EQ(on.compile("gradient_x_input").record_json(), "");
  EXPECT_NE(on.report(question(), {"shapley"}).record_json(), "");  // which always has one
}

TEST_F(Records, SayWhatMadeTheResult) {
  const std::string text = model().explain(question(), {"shapley"}, asked().set("samples", "32")).record_json();
  const core::Json record = core::parse_json(text, "record");
  EXPECT_EQ(record["format"], core::Json("ascribe record"));
  EXPECT_EQ(record["seed"], core::Json(5));
  EXPECT_EQ(record["threads"], core::Json(1));
  EXPECT_EQ(record["precision"], core::Json("double"));
  EXPECT_FALSE(record["created"].text().empty());
  EXPECT_EQ(record["parameters"]["methods"]["shapley"]["samples"], core::Json("32"));
  ASSERT_EQ(record["contents"].items().size(), 2u);
  for (const core::Json& content : record["contents"].items()) EXPECT_EQ(content["sha256"].text().size(), 64u);
}

TEST_F(Records, OfRowsInMemoryNeedTheRowsAgain) {
  const Explanation made = model().explain(Question(rows()), {"shapley"}, asked());
  const Replay without = again(made, "explain");
  EXPECT_EQ(without.answer(), ReplayAnswer::not_possible) << without.json();
  EXPECT_EQ(without.changed(), std::vector<std::string>{"input"});
  expect_same(made, "explain", {"input=" + rows_npy()});
  std::vector<double> other = x_;
  other[4] += 1;
  const std::string changed = folder_.write("other.npy", core::format_npy(core::Tensor::of<double>({4, 3}, other)));
  const Replay with_other = again(made, "explain", {"input=" + changed});
  EXPECT_EQ(with_other.answer(), ReplayAnswer::not_possible);
  EXPECT_EQ(with_other.changed(), std::vector<std::string>{changed});
}

TEST_F(Records, OfSamplesInMemoryNeedTheSamplesAgain) {
  Options options = asked();
  options.classes({0, 1, 0, 0});
  Model on = model();
  const Evaluation made = on.evaluate(Question(rows()), {"shapley"}, {"infidelity"}, options);
  EXPECT_EQ(again(made, "evaluate").answer(), ReplayAnswer::not_possible);
  const std::string file = rows_npy();
  expect_same(made, "evaluate", {"data=" + file});
  expect_same(made, "evaluate", {"input=" + file});
  const std::string changed =
      folder_.write("other.npy", core::format_npy(core::Tensor::of<double>({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(again(made, "evaluate", {"data=" + changed}).changed(), std::vector<std::string>{changed});
}

TEST_F(Records, OfImagesInFilesThatWereSamplesFindThem) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/", picture = folder_.path("boot.png");
  fs::copy_file(models + "images/ankle_boot.png", picture);
  Model vgg = Model::load(models + "relu_vgg.onnx");
  const Evaluation made = vgg.evaluate(Question(picture).players("grid:2x2"), {"occlusion"}, {"completeness"}, asked());
  expect_same(made, "evaluate");
  fs::copy_file(models + "images/bag.png", picture, fs::copy_options::overwrite_existing);
  EXPECT_EQ(again(made, "evaluate").answer(), ReplayAnswer::not_possible);
}

// What is random follows from the numbers of the rows.
TEST_F(Records, KnowTheNumbersOfRows) {
  Model on = model();
  Question some(rows());
  some.row_numbers({70, 71, 72, 73});
  const std::string metric = "infidelity_gaussian";
  const Evaluation made = on.evaluate(some, {"occlusion"}, {metric}, asked());
  const Evaluation first = on.evaluate(Question(rows()), {"occlusion"}, {metric}, asked());
  ASSERT_NE(made.scores("occlusion", metric), first.scores("occlusion", metric));
  expect_same(made, "evaluate", {"data=" + rows_npy()});
}

TEST_F(Records, OfFunctionsAndMethodsOfTheCallersCannotBeReplayed) {
  const Replay of_function = again(function().explain(Question(rows()), {"shapley"}, asked()), "explain");
  EXPECT_EQ(of_function.answer(), ReplayAnswer::not_possible);
  EXPECT_NE(of_function.json().find("it was a function"), std::string::npos);
  EXPECT_EQ(again(function().evaluate(Question(rows()), {"occlusion"}, {"completeness"}, asked()), "evaluate").answer(),
            ReplayAnswer::not_possible);
  EXPECT_EQ(again(function().decompose(Question(rows()).rows({"0"}), asked()), "decompose").answer(),
            ReplayAnswer::not_possible);

  Model on = model();
  const Method own("mine", nothing);
  for (const Replay& replayed :
       {again(on.explain(question(), {own, "shapley"}, asked()), "explain"),
        again(on.audit(question(), {own}, asked()), "audit"),
        again(on.compare(question(), own, "shapley", asked()), "compare"),
        again(on.evaluate(folder_.path("rows.csv"), {own}, {"completeness"}, {}, asked()), "evaluate")}) {
    EXPECT_EQ(replayed.answer(), ReplayAnswer::not_possible);
    EXPECT_EQ(replayed.changed(), std::vector<std::string>{"mine"}) << replayed.json();
  }
}

TEST_F(Records, OfAModelFromBytesNeedItsFile) {
  const std::string path = folder_.path("bent.onnx");
  const Explanation made =
      Model::load_bytes(core::read_file(path), "elsewhere.onnx").explain(question(), {"shapley"}, asked());
  EXPECT_EQ(again(made, "explain").answer(), ReplayAnswer::not_possible);
  expect_same(made, "explain", {"model=" + path});
}

TEST_F(Records, AreWrittenWithTheResultAndReplayFromThere) {
  Model on = model();
  const auto expect_file = [&](const std::string& path) {
    const Replay replayed = replay(path, {}, Options().threads(1));
    EXPECT_EQ(replayed.answer(), ReplayAnswer::same) << path << replayed.json();
  };
  on.explain(question(), {"shapley"}, asked()).save(folder_.path("explained"));
  expect_file(folder_.path("explained/record.json"));
  on.decompose(question(), asked()).save(folder_.path("effects"));
  expect_file(folder_.path("effects/record.json"));
  core::ModelMaker kinked;
  kinked.input("x", {"N", 3}).output("y").node("Relu", {"x"}, {"y"});
  folder_.write("kinked.onnx", kinked.bytes());
  Model::load(folder_.path("kinked.onnx"))
      .verify(question(), {"shapley"}, asked().orders({2}).draws(4).smooth({0.5}))
      .save(folder_.path("smooth"));
  expect_file(folder_.path("smooth/record.json"));
  on.evaluate(folder_.path("rows.csv"), {"shapley"}, {"completeness"}, {}, asked()).save(folder_.path("scores"));
  expect_file(folder_.path("scores/record.json"));

  on.explain(question(), {"shapley"}).save(folder_.path("plain"));
  EXPECT_FALSE(fs::exists(folder_.path("plain/record.json")));
}

TEST_F(Records, OfCompiledFilesLieBesideThem) {
  Model on = model();
  const std::string file = folder_.path("explained.onnx"), beside = file + ".record.json";
  const Compiled compiled = on.compile("gradient_x_input", "top", {}, asked());
  folder_.write("explained.onnx.record.json", "mine");
  EXPECT_THROW(compiled.write(file), Error);
  EXPECT_FALSE(fs::exists(file));  // both or none
  EXPECT_EQ(core::read_file(beside), "mine");
  compiled.write(file, true);
  EXPECT_EQ(replay(beside).answer(), ReplayAnswer::same);
  on.compile("gradient_x_input").write(folder_.path("plain.onnx"));
  EXPECT_FALSE(fs::exists(folder_.path("plain.onnx.record.json")));
}

TEST_F(Records, NameAFileThatHasChanged) {
  const Explanation made = model().explain(question(), {"shapley"}, asked());
  const std::string path = folder_.write("rows.csv", std::string(kTable) + "1,1,1\n");
  const Replay replayed = again(made, "explain");
  EXPECT_EQ(replayed.answer(), ReplayAnswer::not_possible);
  EXPECT_EQ(replayed.changed(), std::vector<std::string>{path});
}

TEST_F(Records, AreNotMadeOfWhatWasStopped) {
  bool go_on = true;
  Options options = asked();
  options.progress([&](std::string_view task, int64_t, int64_t) {
    go_on = go_on && task.find("occlusion") == task.npos;
    return go_on;
  });
  const Explanation made = model().explain(Question(rows()), {"shapley", "occlusion"}, options);
  ASSERT_TRUE(made.stopped());
  EXPECT_EQ(made.record_json(), "");
}

TEST_F(Records, KeepTheJournalUntilTheyAreMade) {
  const std::string journal = folder_.path("work.journal");
  Options options = asked();
  options.journal(journal).progress([](std::string_view task, int64_t, int64_t) { return task != "record"; });
  Model on = model();
  const auto evaluate = [&](const Options& how) {
    return on.evaluate(folder_.path("rows.csv"), {"shapley"}, {"infidelity"}, {}, how);
  };
  EXPECT_THROW(evaluate(options), Error);
  EXPECT_TRUE(fs::exists(journal));
  expect_same(evaluate(asked().journal(journal)), "evaluate");
  EXPECT_FALSE(fs::exists(journal));
}

TEST_F(Records, ArePartsOfNoParts) {
  EXPECT_THROW(model().explain_part(Question(folder_.path("rows.csv")), {"shapley"}, folder_.path("parts"),
                                    asked().shard("1/1")),
               Error);
}

TEST_F(Records, ThatAreNoneAreRefusedByName) {
  EXPECT_THROW(replay_record("{}"), Error);
  EXPECT_THROW(replay_record("not JSON"), Error);
  EXPECT_THROW(replay_record(model().predict(question(), asked()).record_json(), {"no role"}), Error);
}

}  // namespace
}  // namespace ascribe
