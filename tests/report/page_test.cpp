// The page of a report: what is in it, what it refuses, and that no text of a report becomes markup.
#include "report/page.h"

#include <gtest/gtest.h>

#include "data/png.h"
#include "report/page/html.h"
#include "draw/svg.h"
#include "support/errors.h"
#include "support/text.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::ordered_json;

std::string map_data(size_t pixels) {
  std::string bytes;
  for (size_t i = 0; i < pixels; ++i) bytes += {static_cast<char>(i * 37 % 251), static_cast<char>(i * 11 % 64)};
  return base64(bytes);
}

Json verdict(bool holds) { return {{"figure", holds ? 0.0 : 0.5}, {"tolerance", 0.01}, {"holds", holds}}; }

Json method(const std::string& name, const std::string& title, size_t players, size_t pixels) {
  Json values = Json::array();
  for (size_t i = 0; i < players; ++i) values.push_back(1.5 - static_cast<double>(i));
  return {{"name", name},
          {"title", title},
          {"kind", "contribution"},
          {"formula", "a"},
          {"cost", "b"},
          {"parameters", {{"steps", "64"}}},
          {"values", values},
          {"map", pixels > 0 ? Json({{"scale", 1e-4}, {"data", map_data(pixels)}}) : Json()},
          {"sum", 2.0},
          {"explains", 8.0},
          {"residual", 6.0},
          {"exact", true},
          {"evaluations", 10},
          {"seconds", 0.5},
          {"notes", {"a note"}}};
}

Json comparisons(const Json& players) {
  return {
      {"agreement",
       {{"methods", {"occlusion", "shapley"}},
        {"rank_correlation", {{1, 0.25}, {0.25, 1}}},
        {"top_overlap", {{1, 0.5}, {0.5, 1}}},
        {"k", 2}}},
      {"effects",
       {{"players", players},
        {"output", 9.0},
        {"baseline_output", 1.0},
        {"remainder", 0.0},
        {"orders", {{{"order", 1}, {"effects", 4}, {"sum", 4.0}, {"strength", 6.0}, {"share", 0.75}}}},
        {"independent", {1.0, 2.0, 3.0, 4.0}},
        {"strongest", {{{"players", {0}}, {"value", 3.0}}}},
        {"pairs", {{{"players", {0, 3}}, {"value", -3.0}}}},
        {"triples", {{{"players", {0, 1, 3}}, {"value", 1.0}}}}}},
      {"principles",
       {{"players", players},
        {"change", 8.0},
        {"methods",
         {{{"name", "occlusion"},
           {"low_error", verdict(true)},
           {"no_unrelated", verdict(true)},
           {"complete", verdict(false)},
           {"held", 2},
           {"sentence", "counted twice"}},
          {{"name", "shapley"},
           {"low_error", verdict(true)},
           {"no_unrelated", verdict(true)},
           {"complete", verdict(true)},
           {"held", 3},
           {"sentence", "all is well"}}}},
        {"left_out", Json::array()}}},
      {"differences",
       {{{"first", "occlusion"}, {"second", "shapley"}, {"cosine", 0.9}, {"difference", 1.0}, {"sentence", "why"}}}},
      {"metrics",
       {{{"name", "infidelity"},
         {"title", "Infidelity"},
         {"better", "lower"},
         {"about", "An error"},
         {"parameters", Json::object()},
         {"scores",
          {{{"method", "occlusion"}, {"value", 0.5}, {"positions", {0, 1}}, {"curve", {9, 1}}},
           {{"method", "shapley"}, {"value", nullptr}, {"undefined", "for a reason"}}}}}}}};
}

Json players_json(size_t pixels) {
  Json owner = Json::array();
  for (size_t i = 0; i < pixels; ++i) owner.push_back(4 * i / pixels);
  return {{"description", "four"},
          {"names", {"a", "b", "c", "d"}},
          {"values", pixels > 0 ? Json() : Json({"one", "two", "three", "four"})},
          {"owner", pixels > 0 ? owner : Json()}};
}

Json row(const std::string& kind, int64_t side) {
  const auto pixels = static_cast<size_t>(side * side);
  Json json = {{"source", "boot.png"},
               {"kind", kind},
               {"target", {{"index", 1}, {"label", "boot"}}},
               {"explains", "logit"},
               {"output", 9.0},
               {"baseline_output", 1.0},
               {"change", 8.0},
               {"baseline", "zero"},
               {"top", {{{"index", 1}, {"label", "boot"}, {"value", 9.0}, {"probability", 0.97}}}},
               {"image", nullptr},
               {"players", players_json(pixels)},
               {"methods", {method("occlusion", "Occlusion-1", 4, pixels), method("shapley", "Shapley value", 4, 0)}},
               {"left_out", {{{"method", "grad_cam"}, {"reason", "no layer"}}}}};
  if (side > 0) {
    const Image image{side, side, 1, std::vector<float>(pixels, 100.0F), false};
    json["image"] = {{"width", side}, {"height", side}, {"png", base64(encode_png(image))}};
  }
  json.update(comparisons(json["players"]));
  return json;
}

Json report(const std::vector<Json>& rows) {
  return {{"format", "ascribe report"},
          {"version", 1},
          {"title", "A boot"},
          {"program", {{"name", "ascribe"}, {"version", "0.1.0"}}},
          {"model", {{"file", "net.onnx"}, {"sha256", "abc"}, {"parameters", 10}}},
          {"settings", {{"command", "ascribe report net.onnx"}, {"seed", 3}}},
          {"seconds", 1.0},
          {"notes", {"guessed"}},
          {"rows", rows}};
}

Json image_report() { return report({row("image", 4)}); }

bool has(const std::string& page, const std::string& part) { return page.find(part) != std::string::npos; }

// ---- what is on it ----

TEST(Page, has_every_section_and_its_figures) {
  const std::string page = report_page(image_report());
  for (const char* id :
       {"summary", "prediction", "maps", "players", "completeness", "effects", "principles", "agreement", "metrics"}) {
    EXPECT_TRUE(has(page, fmt::format("<section id=\"row0-{}\"", id))) << id;
    EXPECT_TRUE(has(page, fmt::format("href=\"#row0-{}\"", id))) << id;
  }
  for (const char* part : {"“boot” (97.0 %)", "counted twice", "50 % (up to 1 %)", "for a reason", "no layer",
                           "ascribe report net.onnx", "guessed", "<th scope=\"row\">sha256</th>"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  EXPECT_EQ(occurrences(page, "class=\"heat\""), 2U);
}

TEST(Page, the_summary_names_those_that_hold_all_three_principles) {
  const std::string page = report_page(image_report());
  EXPECT_TRUE(has(page, "All three principles hold here for 1 of 2 methods: Shapley value."));
  Json none = image_report();
  none["rows"][0]["principles"]["methods"].erase(1);
  EXPECT_TRUE(has(report_page(none),
                  "none of 1 method holds all three principles on this question; two of them hold for "
                  "Occlusion-1. Occlusion-1 has the lowest infidelity (0.5; place 1 of all 1)"));
}

TEST(Page, a_table_has_a_waterfall_that_says_what_is_missing) {
  const std::string page = report_page(report({row("table", 0)}));
  EXPECT_TRUE(has(page, "f(b), the baseline"));
  EXPECT_TRUE(has(page, "a = one"));
  EXPECT_TRUE(has(page, "not accounted for"));  // 1.5 + 0.5 - 0.5 - 1.5 is not 8
  EXPECT_FALSE(has(page, "class=\"frame"));
}

TEST(Page, a_sequence_has_strips) { EXPECT_TRUE(has(report_page(report({row("sequence", 0)})), "frame strip")); }

TEST(Page, several_rows_have_an_index) {
  const std::string page = report_page(report({row("image", 4), row("table", 0)}));
  EXPECT_TRUE(has(page, "2 inputs"));
  EXPECT_TRUE(has(page, "href=\"#row1\""));
  EXPECT_TRUE(has(page, "<article id=\"row1\""));
}

TEST(Page, what_was_not_computed_is_left_out) {
  Json json = image_report();
  for (const char* part : {"agreement", "effects", "principles"}) json["rows"][0][part] = nullptr;
  json["rows"][0]["differences"] = Json::array();
  json["rows"][0]["metrics"] = Json::array();
  const std::string page = report_page(json);
  for (const char* part : {"row0-effects", "row0-principles", "row0-agreement", "row0-metrics"})
    EXPECT_FALSE(has(page, part)) << part;
}

TEST(Page, a_principle_may_be_left_open) {
  Json json = image_report();
  json["rows"][0]["principles"]["methods"][0]["complete"]["holds"] = nullptr;
  EXPECT_EQ(occurrences(report_page(json), "? left open"), 1U);
  EXPECT_EQ(occurrences(report_page(image_report()), "? left open"), 0U);
}

TEST(Page, numbers_that_are_not_known_are_dashes) {
  Json json = image_report();
  json["rows"][0]["output"] = nullptr;
  json["rows"][0]["methods"][0]["values"][2] = nullptr;
  EXPECT_TRUE(has(report_page(json), "–"));
}

TEST(Page, is_a_pure_function) { EXPECT_EQ(report_page(image_report()), report_page(image_report())); }

TEST(Page, fourteen_maps_of_a_photograph_are_below_5_megabytes) {
  constexpr int64_t kSide = 224;
  Json photograph = row("image", kSide);
  Image image{kSide, kSide, 3, {}, false};
  for (int64_t i = 0; i < 3 * kSide * kSide; ++i) image.pixels.push_back(static_cast<float>(i * 7919 % 256));
  photograph["image"]["png"] = base64(encode_png(image));
  Json methods = Json::array();
  for (int i = 0; i < 14; ++i)
    methods.push_back(method("occlusion", "Occlusion-1", 4, static_cast<size_t>(kSide * kSide)));
  photograph["methods"] = methods;
  EXPECT_LT(report_page(report({photograph})).size(), 5'000'000U);
}

// ---- nothing can be injected ----

constexpr const char* kHostile = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&\u2028";

Json with_hostile_texts(const Json& json, const std::string& key) {
  if (json.is_string() && key != "format" && key != "kind" && key != "png" && key != "data" && key != "better") {
    return json.get<std::string>() + kHostile;
  }
  if (!json.is_structured()) return json;
  Json changed = json.is_array() ? Json::array() : Json::object();
  for (const auto& [name, value] : json.items()) {
    if (json.is_array()) {
      changed.push_back(with_hostile_texts(value, key));
    } else {
      changed[key == "settings" || key == "parameters" ? name + kHostile : name] = with_hostile_texts(value, name);
    }
  }
  return changed;
}

// Names of elements, in order.
std::string skeleton(const std::string& page) {
  std::string names;
  for (size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    names += page.substr(at, page.find_first_of(" >\n", at) - at) + "\n";
  }
  return names;
}

TEST(Page, hostile_texts_everywhere_add_no_element) {
  for (const char* kind : {"image", "table", "sequence"}) {
    Json plain = report({row(kind, std::string(kind) == "image" ? 4 : 0)});
    plain["settings"].erase("command");  // its key is hostile too in the other
    const std::string calm = report_page(plain), hostile = report_page(with_hostile_texts(plain, ""));
    EXPECT_TRUE(skeleton(calm) == skeleton(hostile)) << kind;
    EXPECT_EQ(occurrences(hostile, "<img src=x"), 0U);
    EXPECT_EQ(occurrences(hostile, "alert(1)</script>"), 0U);
  }
}

TEST(Page, its_policy_allows_no_other_script_and_no_request) {
  const std::string page = report_page(image_report());
  EXPECT_TRUE(has(page, "default-src &#39;none&#39;; img-src data:;"));
  EXPECT_TRUE(has(page, "script-src &#39;sha256-"));
  EXPECT_EQ(occurrences(page, "http://"), 0U);
  EXPECT_EQ(occurrences(page, "https://"), 0U);
}

TEST(Html, escapes_text_attributes_and_data) {
  page::Html html;
  html.in("p", {{"title", "\"'<>&"}}, "a<b>\x01&\u202e");
  EXPECT_EQ(html.str(), "<p title=\"&quot;&#39;&lt;&gt;&amp;\">a&lt;b&gt; &amp;</p>\n");
  page::Html data;
  data.data("d", "</script>&\u2028\u2029");
  EXPECT_EQ(data.str(),
            "<script type=\"application/json\" id=\"d\">\"\\u003c/script\\u003e\\u0026\\u2028\\u2029\"</script>\n");
}

// ---- what it refuses ----

struct Broken {
  const char* pointer;
  Json value;
  const char* said;
};

TEST(Page, says_where_a_report_is_wrong) {
  const Broken cases[] = {
      {"/format", "something", "format is 'something'; expected 'ascribe report'"},
      {"/version", 2, "version is 2; this program reads version 1"},
      {"/title", 5, "title is number; expected a text"},
      {"/rows", Json::array(), "rows is empty"},
      {"/rows/0", 7, "rows[0] is number; expected an object"},
      {"/rows/0/kind", "film", "rows[0].kind is 'film'; expected image, table or sequence"},
      {"/rows/0/top/0/index", -1, "rows[0].top[0].index is -1; expected a whole number"},
      {"/rows/0/image/png", "?", "rows[0].image.png is no base64 text"},
      {"/rows/0/image/png", "AAAA", "report"},
      {"/rows/0/image/width", 5, "rows[0].image.png is a picture of 4 x 4; expected 5 x 4"},
      {"/rows/0/image", nullptr, "rows[0] is an image without 'image'"},
      {"/rows/0/players/names", Json::array(), "rows[0].players.names is empty"},
      {"/rows/0/players/owner/3", 4, "rows[0].players.owner[3] is 4; expected a whole number from -1 to 3"},
      {"/rows/0/players/owner", {0, 1}, "rows[0].players.owner has 2 items; expected 16, one for each pixel"},
      {"/rows/0/methods/1/values", {1}, "rows[0].methods[1].values has 1 items; expected 4, one for each player"},
      {"/rows/0/methods/1/values/2", "x", "rows[0].methods[1].values[2] is string; expected a number or null"},
      {"/rows/0/methods/0/map/data", "AAAA", "rows[0].methods[0].map.data has 1 items; expected 16"},
      {"/rows/0/agreement/rank_correlation/1", {1}, "rows[0].agreement.rank_correlation[1] has 1 items; expected 2"},
      {"/rows/0/effects/pairs/0/players", {0, 9}, "rows[0].effects.pairs[0].players[1] is 9"},
      {"/rows/0/effects/pairs/0/players", {0}, "rows[0].effects.pairs has a set that is not of 2 players"},
      {"/rows/0/effects/strongest/0/value", nullptr, "rows[0].effects.strongest[0].value is null; expected a number"},
      {"/rows/0/principles/methods/0/complete/holds", 1, "complete.holds is number; expected true or false"},
      {"/rows/0/principles/methods/0/held", 4, "rows[0].principles.methods[0].held is 4"},
      {"/rows/0/metrics/0/scores/0/positions", {0}, "rows[0].metrics[0].scores[0].positions has 1 items; expected 2"},
  };
  for (const Broken& broken : cases) {
    Json json = image_report();
    json[Json::json_pointer(broken.pointer)] = broken.value;
    expect_error(ErrorKind::io, broken.said, [&] { report_page(json); });
  }
  expect_error(ErrorKind::io, "the document is array; expected an object", [] { report_page(Json::array()); });
  Json missing = image_report();
  missing["rows"][0].erase("players");
  expect_error(ErrorKind::io, "rows[0] has no 'players'", [&] { report_page(missing); });
}

// Every value in turn is replaced by every kind of JSON: a page or an error of kind io, never anything else.
void try_all(const Json& whole, const Json& part, const Json::json_pointer& at, int& tried) {
  for (const Json& other : {Json(), Json(true), Json(-1), Json(1e300), Json("<b>"), Json::array(), Json::object()}) {
    Json changed = whole;
    changed[at] = other;
    const auto error = error_of([&] { report_page(changed); });
    if (error) {
      EXPECT_EQ(to_string(error->kind()), to_string(ErrorKind::io)) << at.to_string() << ": " << error->what();
    }
    ++tried;
  }
  if (!part.is_structured()) return;
  for (const auto& [key, value] : part.items()) {
    if (!part.is_array()) try_all(whole, value, at / key, tried);
    if (part.is_array() && key == "0") try_all(whole, value, at / size_t{0}, tried);
  }
}

TEST(Page, any_change_of_a_report_is_a_page_or_an_error_of_kind_io) {
  const Json json = image_report();
  int tried = 0;
  for (const auto& [key, value] : json.items()) try_all(json, value, Json::json_pointer("/" + key), tried);
  EXPECT_GT(tried, 500);
}

}  // namespace
}  // namespace ascribe::core
