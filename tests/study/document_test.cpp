// The document of a report: nothing is lost on the way to its file and back, and hostile files are refused.
#include "study/document.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "data/png.h"
#include "report/page.h"
#include "support/errors.h"
#include "support/sample_documents.h"

namespace ascribe::core {
namespace {

using document::Document, document::document_from;

// "/rows/0/kind"
Json& at(Json& json, std::string_view path) {
  Json* place = &json;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view key = path.substr(0, path.find('/'));
    place = place->is_list() ? &place->items()[std::stoul(std::string(key))] : &(*place)[key];
    path.remove_prefix(key.size());
  }
  return *place;
}

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> names;
  for (const JsonMember& member : json.members()) names.push_back(member.key);
  return names;
}

// ---- there and back ----

TEST(Document, IsTheSameAfterAJourneyThroughItsFile) {
  for (const Document& document : all_kinds_of_documents()) {
    const Json json = to_json(document);
    EXPECT_TRUE(to_json(document_from(json, "report")) == json);
    const Document again = document_from(parse_json(json.dump(1), "report"), "report");
    EXPECT_TRUE(to_json(again) == json);
    EXPECT_TRUE(report_page(again) == report_page(document));
  }
}

TEST(Document, KeepsWhatItDoesNotKnow) {
  Document document = image_document();
  document::Row& row = document.rows[0];
  row.output.reset();
  row.target.label.reset();
  row.methods[0].values[2].reset();
  row.methods[1].standard_errors.clear();
  row.principles->methods[1].complete.holds.reset();
  row.effects.reset();
  row.agreement.reset();
  const Document again = document_from(parse_json(to_json(document).dump(), "report"), "report");
  EXPECT_FALSE(again.rows[0].output || again.rows[0].target.label || again.rows[0].methods[0].values[2]);
  EXPECT_FALSE(again.rows[0].effects || again.rows[0].agreement || again.rows[0].principles->methods[1].complete.holds);
  EXPECT_TRUE(report_page(again) == report_page(document));
}

TEST(Document, FactsKeepTheirOrderAndNumbersStayNumbers) {
  const Json json = to_json(document_from(to_json(image_document()), "report"));
  EXPECT_EQ(keys(json["model"]), (std::vector<std::string>{"file", "sha256", "parameters"}));
  EXPECT_TRUE(json["model"]["parameters"].is_integer());
  EXPECT_TRUE(json["settings"]["seed"].is_integer());
  EXPECT_EQ(image_document().model_file(), "net.onnx");
  EXPECT_EQ(image_document().command(), "ascribe report net.onnx");
}

TEST(Document, TextsThatAreNotUtf8GiveTheSamePage) {
  Document document = sample_document({sample_row(document::RowKind::image, 4), sample_row(document::RowKind::table)});
  for (document::Row& row : document.rows) {
    row.source = "caf\xe9.png";
    row.players.names[1] = "\xf0\x9f\x98 cut \xed\xa0\x80 \xc0\xaf";
    row.effects->players.names[0] = "\xff\xc3";
    row.methods[0].title = "\x80\xc3\xa9";
  }
  const Document again = document_from(parse_json(to_json(document).dump(), "report"), "report");
  EXPECT_TRUE(report_page(again) == report_page(document));
  EXPECT_NE(report_page(document).find("caf\uFFFD.png"), std::string::npos);
}

TEST(Document, TheFileIsWhatItAlwaysWas) {
  const Json json = to_json(image_document());
  EXPECT_EQ(keys(json), (std::vector<std::string>{"format", "version", "title", "program", "model", "settings",
                                                  "seconds", "notes", "rows"}));
  const Json& row = json["rows"].items()[0];
  EXPECT_EQ(keys(row),
            (std::vector<std::string>{"source", "kind", "target", "output_name", "explains", "output",
                                      "baseline_output", "change", "baseline", "top", "image", "players", "methods",
                                      "left_out", "agreement", "metrics", "effects", "principles", "differences"}));
  EXPECT_EQ(keys(row["methods"].items()[0]),
            (std::vector<std::string>{"name", "title", "number", "kind", "formula", "cost", "parameters", "values",
                                      "standard_errors", "map", "sum", "explains", "residual", "exact",
                                      "standard_error", "interval", "evaluations", "seconds", "notes"}));
  EXPECT_EQ(row["target"].dump(-1), R"({"index":1,"label":"boot"})");
  EXPECT_EQ(row["principles"]["methods"].items()[0]["complete"].dump(-1),
            R"({"figure":0.5,"tolerance":0.01,"holds":false})");
  EXPECT_EQ(row["metrics"].items()[0]["scores"].items()[1].dump(-1),
            R"({"method":"shapley","value":null,"undefined":"for a reason","positions":null,"curve":null})");
  EXPECT_EQ(row["methods"].items()[1]["map"].dump(-1), "null");
}

TEST(Document, OlderFilesMayLackWhatIsNotNeeded) {
  Json json = to_json(image_document());
  for (const char* key : {"number", "title", "kind", "formula", "cost", "parameters", "standard_errors", "map", "sum",
                          "explains", "residual", "exact", "standard_error", "evaluations", "seconds", "notes"}) {
    at(json, "/rows/0/methods/1").erase(key);
  }
  for (const char* key : {"output_name", "explains", "output", "baseline", "left_out", "agreement", "metrics",
                          "effects", "principles", "differences"}) {
    at(json, "/rows/0").erase(key);
  }
  json.erase("seconds");
  json.erase("notes");
  const Document document = document_from(json, "report");
  EXPECT_EQ(document.rows[0].methods[1].title, "shapley");
  EXPECT_EQ(document.rows[0].explains, "value");
  EXPECT_FALSE(report_page(document).empty());
}

// ---- what it keeps ----

TEST(Document, NumbersHaveSixDigits) {
  EXPECT_EQ(document::number(1.23456789), 1.23457);
  EXPECT_EQ(document::number(-123456789.0), -123457000.0);
  EXPECT_EQ(document::number(4e-320), 4e-320);
  EXPECT_EQ(document::number(0.1), 0.1);
  EXPECT_FALSE(document::number(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(document::number(-std::numeric_limits<double>::infinity()));
}

TEST(Document, MapsHaveSixteenBits) {
  const document::Map map = document::map_of({2.0, -1.0, std::nullopt, 0.00001});
  EXPECT_EQ(map.data, (std::vector<int16_t>{32767, -16384, 0, 0}));
  EXPECT_DOUBLE_EQ(map.at(0), 2.0);
  EXPECT_EQ(document::map_of({0.0, 0.0}).data, (std::vector<int16_t>{0, 0}));
  EXPECT_EQ(document::map_of({1e-320, 0.0}).data, (std::vector<int16_t>{0, 0}));  // smaller than any step
  EXPECT_EQ(to_json(document::Map{0.5, {1, -2}})["data"].text(), base64(std::string("\x01\x00\xfe\xff", 4)));
}

TEST(Document, PicturesAreAsTheirFileHasThem) {
  const Image image{1, 5, 1, {0.4F, 0.5F, 254.6F, -3.0F, 300.0F}, true};
  const Image kept = document::picture(image);
  EXPECT_EQ(kept.pixels, (std::vector<float>{0, 1, 255, 0, 255}));
  EXPECT_EQ(decode_png(encode_png(image), "test").pixels, kept.pixels);
  EXPECT_FALSE(kept.transparent);
}

TEST(Document, EachNoteIsFound) {
  Document document = image_document();
  std::vector<std::string> found;
  each_note(document, [&](std::string& note) {
    found.push_back(note);
    note += "!";
  });
  EXPECT_EQ(found, (std::vector<std::string>{"guessed", "a note", "a note", "no layer", "why", "counted twice",
                                             "all is well", "gives slopes"}));
  EXPECT_EQ(document.notes[0], "guessed!");
  EXPECT_EQ(document.rows[0].principles->left_out[0].reason, "gives slopes!");
}

// ---- what it refuses ----

struct Broken {
  const char* path;
  Json value;
  const char* said;
};

Json list(std::initializer_list<Json> items) { return Json::List(items); }

TEST(Document, SaysWhereAFileIsWrong) {
  const Broken cases[] = {
      {"/format", "something", "[r.json] format is 'something'; expected 'ascribe report'"},
      {"/version", 2, "version is 2; this program reads version 1"},
      {"/title", 5, "title is a number; expected a text"},
      {"/model", Json::object(), "model has no 'file'"},
      {"/model/file", 5, "model.file is a number; expected a text"},
      {"/settings/command", 5, "settings.command is a number; expected a text"},
      {"/rows", Json::list(), "rows is empty"},
      {"/rows/0", 7, "rows[0] is a number; expected an object"},
      {"/rows/0/kind", "film", "rows[0].kind is 'film'; expected image, table, sequence, series or text"},
      {"/rows/0/top/0/index", -1, "rows[0].top[0].index is -1; expected a whole number"},
      {"/rows/0/image/png", "?", "rows[0].image.png is not base64 text"},
      {"/rows/0/image/png", "AAAA", "[r.json] the png file is damaged"},
      {"/rows/0/image/width", 5, "rows[0].image.png is a picture of 4 x 4; expected 5 x 4"},
      {"/rows/0/image", Json(), "rows[0] is an image without 'image'"},
      {"/rows/0/players/names", Json::list(), "rows[0].players.names is empty"},
      {"/rows/0/players/owner/3", 4, "rows[0].players.owner[3] is 4; expected a whole number from -1 to 3"},
      {"/rows/0/players/owner", list({0, 1}), "rows[0].players.owner has 2 items; expected 16, one for each pixel"},
      {"/rows/0/methods/1/values", list({1}), "rows[0].methods[1].values has 1 items; expected 4, one for each player"},
      {"/rows/0/methods/1/values/2", "x", "rows[0].methods[1].values[2] is a text; expected a number or null"},
      {"/rows/0/methods/1/standard_errors", list({1}), "rows[0].methods[1].standard_errors has 1 items; expected 4"},
      {"/rows/0/methods/0/map/data", "AAAA", "rows[0].methods[0].map.data has 1 items; expected 16"},
      {"/rows/0/agreement/rank_correlation/1", list({1}),
       "rows[0].agreement.rank_correlation[1] has 1 items; expected 2"},
      {"/rows/0/effects/pairs/0/players", list({0, 9}), "rows[0].effects.pairs[0].players[1] is 9"},
      {"/rows/0/effects/pairs/0/players", list({0}), "rows[0].effects.pairs has a set that is not of 2 players"},
      {"/rows/0/effects/strongest/0/value", Json(), "rows[0].effects.strongest[0].value is null; expected a number"},
      {"/rows/0/principles/methods/0/complete/holds", 1, "complete.holds is a number; expected true or false"},
      {"/rows/0/principles/methods/0/held", 4, "rows[0].principles.methods[0].held is 4"},
      {"/rows/0/metrics/0/scores/0/positions", list({0}),
       "rows[0].metrics[0].scores[0].positions has 1 items; expected 2"},
  };
  for (const Broken& broken : cases) {
    Json json = to_json(image_document());
    at(json, broken.path) = broken.value;
    expect_error(ErrorKind::io, broken.said, [&] { document_from(json, "r.json"); });
  }
  expect_error(ErrorKind::io, "[r.json] the document is a list; expected an object",
               [] { document_from(Json::list(), "r.json"); });
  Json missing = to_json(image_document());
  at(missing, "/rows/0").erase("players");
  expect_error(ErrorKind::io, "rows[0] has no 'players'", [&] { document_from(missing, "r.json"); });
}

TEST(Document, TextIsCheckedLikeTheRest) {
  const Document text = sample_document({sample_row(document::RowKind::text)});
  const auto refused = [&](std::string_view path, const Json& value, const std::string& part) {
    Json json = to_json(text);
    at(json, path) = value;
    expect_error(ErrorKind::io, part, [&] { document_from(json, "report"); });
  };
  refused("/rows/0/text", Json::list(), "text");
  refused("/rows/0/text/1/player", 4, "rows[0].text[1].player");
  refused("/rows/0/text/1/player", -2, "rows[0].text[1].player");
  refused("/rows/0/text/1/text", 3, "rows[0].text[1].text");
  refused("/rows/0/kind", "poem", "expected image, table, sequence, series or text");
}

}  // namespace
}  // namespace ascribe::core
