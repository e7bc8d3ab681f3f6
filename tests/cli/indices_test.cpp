#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "game/interaction_index.h"

namespace ascribe::core {
namespace {

TEST(Indices, AreListedFromTheRegistry) {
  const Said said = run_ascribe({"indices"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const auto& [name, index] : IndexRegistry::instance().entries()) {
    for (const std::string& text : {name, index.title, index.formula, index.source}) {
      EXPECT_NE(said.out.find(text), std::string::npos) << text;
    }
  }
}

TEST(Indices, AreOneJsonDocument) {
  const Said said = run_ascribe({"indices", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  const auto list = nlohmann::json::parse(said.out).at("indices");
  ASSERT_EQ(list.size(), IndexRegistry::instance().entries().size());
  for (const auto& entry : list) {
    const InteractionIndex& index = index_named(entry.at("name"));
    EXPECT_EQ(entry.at("title"), index.title);
    EXPECT_EQ(entry.at("formula"), index.formula);
    EXPECT_EQ(entry.at("source"), index.source);
    EXPECT_EQ(entry.at("least_order"), index.least_order);
    EXPECT_EQ(entry.at("most_order"), index.most_order);
    EXPECT_EQ(entry.at("efficient"), index.efficient);
    EXPECT_EQ(entry.at("dummy"), index.dummy);
  }
}

}  // namespace
}  // namespace ascribe::core
