#include "base/json.h"

#include <cmath>

#include "base/json_place.h"
#include "support/errors.h"

namespace ascribe::core {

struct Named {
  std::string name;
  std::optional<int> age;
};

Json to_json(const Named& named) { return Json::object({{"name", named.name}, {"age", named.age}}); }

namespace {

TEST(Json, ValuesAreWrittenInTheOrderInWhichTheyWereAdded) {
  const Json json = Json::object({{"z", 1}, {"a", Json::list()}, {"flag", true}, {"none", nullptr}, {"x", 0.5}});
  EXPECT_EQ(json.dump(-1), R"({"z":1,"a":[],"flag":true,"none":null,"x":0.5})");
}

TEST(Json, TypesOfOursAndListsAndMapsOfThemAreWritten) {
  const std::vector<Named> list = {{"a", 3}, {"b", {}}};
  EXPECT_EQ(Json(list).dump(-1), R"([{"name":"a","age":3},{"name":"b","age":null}])");
  const std::map<std::string, std::vector<double>> map = {{"k", {1.0, 2.5}}};
  EXPECT_EQ(Json(map).dump(-1), R"({"k":[1.0,2.5]})");
}

TEST(Json, NumbersKeepTheirKindAndAllTheirDigits) {
  EXPECT_EQ(Json(uint64_t{18446744073709551615U}).dump(), "18446744073709551615");
  EXPECT_EQ(Json(int64_t{-9007199254740993}).dump(), "-9007199254740993");
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  EXPECT_EQ(parse_json(Json(1.0 / 3).dump(), "test").number(), 1.0 / 3);
  EXPECT_EQ(Json(NAN).dump(), "null");
  EXPECT_TRUE(parse_json("18446744073709551615", "test") == Json(uint64_t{18446744073709551615U}));
}

TEST(Json, MembersAreFoundMadeAndTakenAway) {
  Json json;
  json["a"] = 1;
  json["b"]["c"] = "deep";
  EXPECT_TRUE(json.contains("a"));
  json.erase("a");
  json.update(Json::object({{"b", 2}, {"d", 3}}));
  EXPECT_EQ(json.dump(-1), R"({"b":2,"d":3})");
  EXPECT_EQ(json.find("none"), nullptr);
}

TEST(Json, WhatIsWrittenIsReadAsTheSame) {
  const Json json =
      Json::object({{"list", std::vector{1.5, -2.0}}, {"text", "\u00e4\n\"\\"}, {"object", Json::object()}});
  EXPECT_TRUE(parse_json(json.dump(), "test") == json);
  EXPECT_TRUE(parse_json(json.dump(-1, true), "test") == json);
}

TEST(Json, TextThatIsNotUtf8IsMended) { EXPECT_EQ(Json("a\xff").dump(), "\"a\ufffd\""); }

TEST(JsonReader, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,]", "nul", "{\"a\":1} x", "'a'", "[1 2]", "\"\xff\""}) {
    expect_error(ErrorKind::io, "[f.json] this is not JSON; reading stopped at character",
                 [&] { parse_json(text, "f.json"); });
  }
}

TEST(JsonReader, RefusesWhatIsTooDeepWithoutEndingTheProgram) {
  const std::string deep(1000000, '['), objects = [] {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += "{\"a\":";
    return text;
  }();
  expect_error(ErrorKind::io, "more than 64 deep", [&] { parse_json(deep, "f.json"); });
  expect_error(ErrorKind::io, "more than 64 deep", [&] { parse_json(objects, "f.json"); });
  EXPECT_EQ(parse_json(std::string(64, '[') + std::string(64, ']'), "f.json").size(), 1);
}

TEST(JsonReader, RefusesNumbersThatADoubleCannotHold) {
  expect_error(ErrorKind::io, "a number is too large at character", [] { parse_json("[1e999]", "f.json"); });
}

TEST(JsonReader, RefusesAKeyThatIsThereTwice) {
  expect_error(ErrorKind::argument, "the key 'a' twice",
               [] { parse_json(R"({"a":1,"b":2,"a":3})", "f.json", ErrorKind::argument); });
}

TEST(JsonReader, ManyKeysTakeNoLongerThanTheyMust) {
  std::string text = "{";
  for (int i = 0; i < 100000; ++i) text += fmt::format("{}\"k{}\":0", i == 0 ? "" : ",", i);
  EXPECT_EQ(parse_json(text + "}", "f.json").size(), 100000);  // minutes where every key is looked for in a list
}

TEST(JsonReader, RefusesMoreValuesThanAllowed) {
  expect_error(ErrorKind::io, "more than 3 values",
               [] { parse_json("[1,2,3,4]", "f.json", ErrorKind::io, {.values = 3}); });
}

TEST(JsonPlace, ComplaintsSayWhere) {
  const Json json = parse_json(R"({"rows":[{"values":[1,"x"],"name":3}]})", "f.json");
  const JsonPlace place(json, "f.json");
  const JsonPlace row = place.at("rows").items()[0];
  expect_error(ErrorKind::io, "[f.json] rows[0].name is a number; expected a text", [&] { row.text("name"); });
  expect_error(ErrorKind::io, "rows[0].values[1] is a text; expected a number or null",
               [&] { row.at("values").numbers(); });
  expect_error(ErrorKind::io, "rows[0] has no 'none'", [&] { row.at("none"); });
  expect_error(ErrorKind::io, "the document is an object; expected a list", [&] { place.items(); });
  expect_error(ErrorKind::io, "rows[0].name is 3; expected a whole number from 0 to 2",
               [&] { row.at("name").whole(0, 2); });
}

TEST(JsonPlace, WhatMayBeMissing) {
  const Json json = parse_json(R"({"a":null,"b":"t","n":2})", "f.json");
  const JsonPlace place(json, "f.json");
  EXPECT_FALSE(place.has("a"));
  EXPECT_EQ(place.text_or("a", "other"), "other");
  EXPECT_EQ(place.optional_text("b"), "t");
  EXPECT_EQ(place.number("none"), std::nullopt);
  EXPECT_EQ(place.number("n"), 2.0);
}

}  // namespace
}  // namespace ascribe::core
