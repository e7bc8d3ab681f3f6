#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "cli/study_room_file.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

class Compare : public testing::Test {
 protected:
  std::string model() { return study_room_file(folder_); }
  std::string row() { return study_room_row(folder_); }
  TemporaryFolder folder_;
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Compare, FindsTheEffectThatIsSharedDifferently) {
  const Said said = run_ascribe({"compare", model(), row(), "occlusion", "shapley", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  EXPECT_EQ(json["sets"][0]["support"], Json({0, 1, 2}));
  EXPECT_NEAR(json["sets"][0]["share"], 1, 1e-9);
  EXPECT_NEAR(json["sets"][0]["effect"], 2, 1e-9);
  EXPECT_FALSE(json["same"]);
}

TEST_F(Compare, SpeaksInSentences) {
  const Said said = run_ascribe({"compare", model(), row(), "occlusion", "shapley"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.out, "The two agree on what every player does alone")) << said.out;
  EXPECT_TRUE(says(said.out, "book, desk and lamp")) << said.out;
  EXPECT_TRUE(says(said.out, "effects of 3 players 100.0 %")) << said.out;
}

TEST_F(Compare, RefusesTheSameMethodTwice) {
  const Said said = run_ascribe({"compare", model(), row(), "shapley", "shapley"});
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(says(said.err, "shapley twice")) << said.err;
}

}  // namespace
}  // namespace ascribe::core
