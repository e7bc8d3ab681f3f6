#include "methods/shared_work.h"

#include <set>

#include <gtest/gtest.h>

#include "derivatives/networks.h"
#include "methods/method.h"
#include "methods/path_integral.h"
#include "methods/question_game.h"
#include "support/ask.h"
#include "support/small_networks.h"
#include "theory/set_allocation.h"

namespace ascribe::core {
namespace {

Question image_question(uint64_t seed, const std::string& players = "grid:2x2") {
  Question question = ask_about(random_tensor({1, 1, 4, 4}, seed), random_tensor({1, 1, 4, 4}, seed + 100), int64_t{1});
  const ImageShape shape{.layout = PixelLayout::chw, .channels = 1, .height = 4, .width = 4};
  question.players = make_players({players, {1, 4, 4}, shape, {}, nullptr});
  return question;
}

std::vector<double> all_values(ExplainedModel& model, const Question& question) {
  return question_game(model, question).all_values();
}

TEST(SharedWork, KeysTellRowsApartAndKnowThemAgain) {
  std::set<std::pair<uint64_t, uint64_t>> keys;
  for (uint64_t place = 0; place < 100; ++place) {
    for (const double value : {0.0, -0.0, 1.0, 1.0 + 0x1p-52, -1.0}) {
      const RowKey key = element_key(place, value);
      EXPECT_EQ(key, element_key(place, value));
      keys.insert({key.first, key.second});
    }
  }
  EXPECT_EQ(keys.size(), 500U);
  RowKey exchanged = element_key(0, 1), same = element_key(0, 2);
  exchanged += element_key(1, 2);
  same += element_key(1, 1);
  EXPECT_FALSE(exchanged == same) << "the same numbers at other places";
  RowKey back = exchanged;
  back -= element_key(1, 2);
  EXPECT_EQ(back, element_key(0, 1));
}

TEST(SharedWork, GivesTheValuesThatWereComputed) {
  ExplainedModel model = double_model(small_cnn());
  const Question question = image_question(1);
  const std::vector<double> alone = all_values(model, question);
  const SharedWork shared(model);
  EXPECT_EQ(all_values(model, question), alone);
  EXPECT_EQ(shared.computed(), 16);
  EXPECT_EQ(all_values(model, question), alone);
  EXPECT_EQ(shared.asked(), 32);
  EXPECT_EQ(shared.computed(), 16) << "nothing is new";
}

// x and b are sets of any players; a masked input is one of the same players.
TEST(SharedWork, KnowsRowsUnderOtherNames) {
  ExplainedModel model = double_model(small_cnn());
  const Question question = image_question(2);
  const SharedWork shared(model);
  const std::vector<double> whole = all_values(model, question);
  all_values(model, image_question(2, "grid:1x2"));
  EXPECT_EQ(shared.computed(), 16) << "halves are two quarters each";
  for (uint64_t present = 0; present < 16; ++present) {
    const std::vector<double> values = all_values(model, masked_question(model, question, 0, present));
    for (uint64_t set = 0; set < 16; ++set) EXPECT_EQ(values[set], whole[set & present]) << present << " " << set;
  }
  EXPECT_EQ(shared.computed(), 16);
}

TEST(SharedWork, TellsTargetsBaselinesAndRowsApart) {
  ExplainedModel model = double_model(small_cnn());
  Question question = image_question(3);
  const SharedWork shared(model);
  const std::vector<double> first = all_values(model, question);
  question.target = 0;
  EXPECT_NE(all_values(model, question), first);
  question.target = 1;
  question.baselines = random_tensor({1, 1, 4, 4}, 77);
  EXPECT_NE(all_values(model, question), first);
  EXPECT_EQ(shared.computed(), 16 + 16 + 15) << "x itself was known";
  question.baselines = random_tensor({3, 1, 4, 4}, 78);  // averaged
  const std::vector<double> several = all_values(model, question);
  ExplainedModel other = double_model(small_cnn());
  EXPECT_EQ(several, all_values(other, question));
}

TEST(SharedWork, EndsWithItsOwner) {
  ExplainedModel model = double_model(small_cnn());
  EXPECT_EQ(SharedWork::of(model), nullptr);
  {
    const SharedWork shared(model);
    const SharedWork inner(model);  // the first one counts
    EXPECT_EQ(SharedWork::of(model), &shared);
  }
  EXPECT_EQ(SharedWork::of(model), nullptr);
}

TEST(SharedWork, ManyPlayersAreAddedOrTakenAway) {
  ExplainedModel model = double_model(sigmoid_network(100, 7));
  Question question = ask_about(random_tensor({1, 100}, 5), random_tensor({1, 100}, 6));
  const std::vector<int64_t> few = {0, 63, 64, 99};
  std::vector<int64_t> most;
  for (int64_t p = 0; p < 100; ++p) {
    if (p != 7 && p != 70) most.push_back(p);
  }
  const auto asked = [&](std::span<const int64_t> members) { return question_game(model, question).at(members); };
  const double by_few = asked(few), by_most = asked(most);
  const SharedWork shared(model);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(asked(few), by_few);
    EXPECT_EQ(asked(most), by_most);
  }
  EXPECT_EQ(shared.computed(), 2);
}

// ---- paths ----

std::vector<double> integrated(ExplainedModel& model, const std::string& method, const Question& question,
                               const std::map<std::string, std::string>& given) {
  const Method& one = method_named(method);
  return attribute(one, model, std::span(&question, 1), Parameters(one.name, one.parameters, given))[0].values;
}

TEST(SharedWork, PathsOfTheSameRuleAreWalkedOnce) {
  ExplainedModel model = double_model(small_cnn());
  const Question question = image_question(4);
  const std::map<std::string, std::string> rule = {{"most", "64"}};
  const std::vector<double> alone = integrated(model, "integrated_gradients", question, rule);
  const SharedWork shared(model);
  EXPECT_EQ(integrated(model, "integrated_gradients", question, rule), alone);
  // Another rule must not be answered with this one: with one node it is another sum.
  EXPECT_NE(integrated(model, "expected_gradients", question, {{"steps", "1"}}), alone);
  EXPECT_EQ(integrated(model, "expected_gradients", question, rule), alone);
}

}  // namespace
}  // namespace ascribe::core
