// What the page asks and is answered. The model is y = x0 x1 + x2, so every expected number is computed by hand.
#include "serve/app.h"

#include <zlib.h>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "serve/viewer.h"
#include "support/folder.h"
#include "support/ops.h"
#include "tensor/npy.h"

namespace ascribe::core::serve {
namespace {

const std::string kRow = R"("from":"data","row":0)";
const std::string kHostile = "<img src=x onerror=alert(1)>\"'</script>";

std::string masked(std::initializer_list<int> places) {
  char bits = 0;
  for (const int place : places) bits = static_cast<char>(bits | (1 << place));
  return base64(std::string(1, bits));
}

double number(const Json& json, std::string_view key) { return json[key].number(); }

TEST(ServeApp, OpensARowWithWhatTheModelSays) {
  Viewer viewer;
  const Json row = viewer.asked("open", "{" + kRow + "}");
  EXPECT_EQ(row["kind"].text(), "table");
  EXPECT_DOUBLE_EQ(number(row, "output"), 14);
  EXPECT_DOUBLE_EQ(number(row, "baseline_output"), 0);
  EXPECT_EQ(row["places"].integer(), 3);
  EXPECT_EQ(row["count"].integer(), 2);
  EXPECT_EQ(row["columns"].items()[1]["name"].text(), "height");
  EXPECT_DOUBLE_EQ(number(row["columns"].items()[1], "value"), 4);
  EXPECT_DOUBLE_EQ(number(viewer.asked("open", R"({"from":"data","row":1})"), "output"), 6);
}

TEST(ServeApp, MaskedColumnsAreAtTheBaseline) {
  Viewer viewer;
  EXPECT_DOUBLE_EQ(number(viewer.asked("predict", "{" + kRow + R"(,"masked":")" + masked({1}) + "\"}"), "output"), 2);
  EXPECT_DOUBLE_EQ(number(viewer.asked("predict", "{" + kRow + R"(,"masked":")" + masked({2}) + "\"}"), "output"), 12);
  EXPECT_DOUBLE_EQ(number(viewer.asked("predict", "{" + kRow + R"(,"masked":")" + masked({2}) + "\"}"), "change"), -2);
  EXPECT_DOUBLE_EQ(
      number(viewer.asked("predict", "{" + kRow + R"(,"baseline":"value:1","masked":")" + masked({0, 1, 2}) + "\"}"),
             "output"),
      2);
}

TEST(ServeApp, OtherValuesAreTakenAsTheyAre) {
  Viewer viewer;
  const Json json = viewer.asked("predict", "{" + kRow + R"(,"replaced":[[0,5],[2,-1]]})");
  EXPECT_DOUBLE_EQ(number(json, "output"), 19);
}

// Of several baselines the mean, as in every game: (x0 at 0 and at 2, x1 = 4, x2 = 2).
TEST(ServeApp, SeveralBaselinesAreAveraged) {
  Settings settings = product_settings();
  settings.question.baselines = Tensor::of<double>({2, 3}, {0, 0, 0, 2, 1, 4});
  Viewer viewer(std::move(settings));
  EXPECT_DOUBLE_EQ(number(viewer.asked("predict", "{" + kRow + R"(,"masked":")" + masked({0}) + "\"}"), "output"),
                   (2.0 + 10.0) / 2);
}

TEST(ServeApp, ListsRowsWithWhatTheModelSays) {
  Viewer viewer;
  const Json list = viewer.asked("rows", R"({"from":"data","first":0,"count":20})");
  ASSERT_EQ(list["rows"].size(), 2U);
  EXPECT_EQ(list["rows"].items()[1]["said"].text(), "6");
  EXPECT_NE(list["rows"].items()[1]["name"].text().find("rows.csv"), std::string::npos);
}

// Shapley values by hand: x0 x1 is shared equally, x2 is x2's.
TEST(ServeApp, ExplainsWithTheComponentsOfTheReport) {
  Viewer viewer;
  const Json json = viewer.asked("explain", "{" + kRow + R"(,"methods":["shapley","gradient_x_input"]})");
  const std::string& html = json["html"].text();
  EXPECT_NE(html.find("class=\"barcharts\""), std::string::npos);
  const Json& shapley = json["data"]["methods"].items()[0];
  std::vector<double> values(3);
  for (size_t i = 0; i < 3; ++i) {
    values[static_cast<size_t>(json["data"]["players"].items()[i].integer())] = shapley["values"].items()[i].number();
  }
  EXPECT_NEAR(values[0], 6, 1e-5);
  EXPECT_NEAR(values[1], 6, 1e-5);
  EXPECT_NEAR(values[2], 2, 1e-5);
}

TEST(ServeApp, AMethodThatTheModelDoesNotSuitSaysWhy) {
  Viewer viewer;
  const Json json = viewer.asked("explain", "{" + kRow + R"(,"methods":["grad_cam"]})");
  ASSERT_EQ(json["unsuited"].size(), 1U);
  EXPECT_FALSE(json["unsuited"].items()[0]["reason"].text().empty());
  EXPECT_NE(json["html"].text().find("None of these methods"), std::string::npos);
}

// Gradient x input gives x0 x1 to both: (12, 12, 2) against (6, 6, 2).
TEST(ServeApp, ComparesTwoMethodsWithTheirDifference) {
  Viewer viewer;
  const Json json = viewer.asked("compare", "{" + kRow + R"(,"methods":["gradient_x_input","shapley"]})");
  ASSERT_EQ(json["data"]["methods"].size(), 3U);
  const Json& difference = json["data"]["methods"].items()[2];
  for (size_t i = 0; i < 3; ++i) {
    const int64_t player = json["data"]["players"].items()[i].integer();
    EXPECT_NEAR(difference["values"].items()[i].number(), player == 2 ? 0 : 6, 1e-5);
  }
  const std::string why =
      viewer.asked("why", "{" + kRow + R"(,"methods":["gradient_x_input","shapley"]})")["sentence"].text();
  EXPECT_NE(why.find("age"), std::string::npos) << why;
  EXPECT_NE(viewer.problem("compare", "{" + kRow + R"(,"methods":["shapley","shapley"]})").find("expected two"),
            std::string::npos);
}

TEST(ServeApp, SavesTheReportOfTheRow) {
  Settings settings = product_settings();
  settings.report.methods = {"shapley"};
  settings.report.metrics = {};
  Viewer viewer(std::move(settings));
  const Answer answer = viewer.ask("report", R"({"from":"data","row":1})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body.starts_with("<!doctype html>"));
  EXPECT_NE(answer.body.find("rows.csv row 1"), std::string::npos);
  ASSERT_FALSE(answer.headers.empty());
  EXPECT_EQ(answer.headers[0].second, "attachment; filename=\"report-rows-csv-row-1.html\"");
}

TEST(ServeApp, TakesAFileThatIsDropped) {
  Viewer viewer;
  const std::string file = format_npy(Tensor::of<float>({1, 3}, {2, 3, 4}));
  const Answer answer = viewer.app.answer(knock("file"), "mine.npy", file);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_DOUBLE_EQ(number(viewer.asked("open", R"({"from":"file","row":0})"), "output"), 10);
  // Another one takes its place, and nothing of the old one is shown for it.
  viewer.app.answer(knock("file"), "mine.npy", format_npy(Tensor::of<float>({1, 3}, {1, 1, 1})));
  EXPECT_DOUBLE_EQ(number(viewer.asked("open", R"({"from":"file","row":0})"), "output"), 2);
}

TEST(ServeApp, NamesOfFilesAreTextAndNotPaths) {
  EXPECT_EQ(harmless_name("../../etc/passwd"), "passwd");
  EXPECT_EQ(harmless_name("C:\\x\\y.png"), "y.png");
  EXPECT_EQ(harmless_name("x=secret.png"), "xsecret.png");
  EXPECT_EQ(harmless_name("a\nb\x1b[2J.png"), "ab[2J.png");
  EXPECT_EQ(harmless_name(""), "file");
  EXPECT_EQ(harmless_name("dir/"), "file");
  EXPECT_EQ(harmless_name(std::string(500, 'x') + ".npy").size(), 120U);
  Viewer viewer;
  const std::string name = "dir/" + kHostile + ".npy";
  EXPECT_EQ(viewer.app.answer(knock("file"), name, format_npy(Tensor::of<float>({1, 3}, {2, 3, 4}))).status, 200);
  const Json drawn = viewer.asked("explain", R"({"from":"file","row":0,"methods":["shapley"]})");
  EXPECT_EQ(drawn["html"].text().find("<img src=x"), std::string::npos);
}

// f = the sum of a number for each token, so that hiding a word replaces its number by that of the padding.
TEST(ServeApp, ATypedTextIsReadWithTheVocabulary) {
  Graph graph;
  Builder b(graph);
  const Value ids = b.input("input_ids", {Kind::integer, {kBatch, 3}}, "int64");
  const Tensor table = Tensor::of<double>({7, 1}, {0.5, 1, 10, 100, 1000, 10000, 100000});
  const Value words = b.op("gather", {b.constant(table), ids}, {{"axis", ints({0})}});
  b.output("score", b.matmul(b.reshape(words, {kBatch, 3}), b.constant(Tensor::of<double>({3, 1}, {1, 1, 1}))));
  const TemporaryFolder folder;
  Settings settings;
  settings.question.tokens = folder.write("vocab.txt", "[PAD]\n##ly\nquick\nslow\n[MASK]\ngood\nfox\n");
  Viewer viewer(std::move(settings), study::Subject::of(Model::of(graph, {.precision = DType::f64}), "text.onnx"));
  EXPECT_EQ(viewer.problem("text", R"({"text":"Quick foxly"})"), "");
  const Json row = viewer.asked("open", R"({"from":"file","row":0})");
  ASSERT_EQ(row["kind"].text(), "text") << row.dump();
  EXPECT_EQ(row["text"].items()[1]["text"].text(), "fox");
  EXPECT_DOUBLE_EQ(number(row, "output"), 100011);
  const Json hidden = viewer.asked("predict", R"({"from":"file","row":0,"masked":")" + masked({1}) + "\"}");
  EXPECT_DOUBLE_EQ(number(hidden, "output"), 11.5);
  EXPECT_NE(viewer.problem("text", R"({"text":"quick cat"})").find("'cat' is not in the vocabulary"),
            std::string::npos);
}

TEST(ServeApp, TextNeedsAVocabulary) {
  Viewer viewer;
  EXPECT_NE(viewer.problem("text", R"({"text":"a good film"})").find("vocabulary"), std::string::npos);
}

TEST(ServeApp, RefusesBrokenFiles) {
  Viewer viewer;
  for (const std::string& bytes : {std::string(), std::string("\x89PNG\r\n\x1a\n junk"), std::string(100, '\xff'),
                                   std::string("\x93NUMPY\x01\x00 broken"), std::string("a,b\n1,nan\n")}) {
    const Answer answer = viewer.app.answer(knock("file"), "x.csv", bytes);
    EXPECT_EQ(answer.status, 400);
    EXPECT_NE(answer.body.find("error"), std::string::npos);
  }
  EXPECT_DOUBLE_EQ(number(viewer.asked("open", "{" + kRow + "}"), "output"), 14);  // and goes on
}

// 300 MB of zeros in 300 kB.
TEST(ServeApp, RefusesFilesThatUnpackToFarMore) {
  Viewer viewer;
  std::string packed(size_t{1} << 20, '\0');
  z_stream stream{};
  ASSERT_EQ(::deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string zeros(size_t{1} << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  for (int i = 0; i < 300; ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(zeros.data());
    stream.avail_in = static_cast<uInt>(zeros.size());
    ::deflate(&stream, i == 299 ? Z_FINISH : Z_NO_FLUSH);
  }
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  const Answer answer = viewer.app.answer(knock("file"), "x.csv.gz", packed);
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(answer.body.find("too large"), std::string::npos) << answer.body;
}

TEST(ServeApp, RefusesWhatItCannotRead) {
  Viewer viewer;
  EXPECT_NE(viewer.problem("open", "").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("open", "{").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("open", "[1,2]").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("open", std::string(10000, '[')).find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("open", "{" + kRow + R"(,"row":1})").find("400"), std::string::npos);  // twice
  std::string many = "{" + kRow + R"(,"x":[0)";
  for (int i = 0; i < 300000; ++i) many += ",0";
  EXPECT_NE(viewer.problem("open", many + "]}").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("open", std::string((size_t{16} << 20) + 1, ' ')).find("expected at most"),
            std::string::npos);
  EXPECT_EQ(viewer.ask("nowhere", "{}").status, 404);
  EXPECT_EQ(viewer.app.answer(knock("nowhere", "GET"), "", "").status, 404);
}

TEST(ServeApp, RefusesRowsAndPlacesThatThereAreNot) {
  Viewer viewer;
  EXPECT_NE(viewer.problem("open", R"({"from":"data","row":2})").find("expected one of 0 to 1"), std::string::npos);
  EXPECT_NE(viewer.problem("open", R"({"from":"data","row":-1})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("open", R"({"from":"data","row":0.5})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("open", R"({"from":"file","row":0})").find("no data"), std::string::npos);
  EXPECT_NE(viewer.problem("open", R"({"from":"/etc","row":0})").find("expected data or file"), std::string::npos);
  EXPECT_NE(viewer.problem("predict", "{" + kRow + R"(,"masked":"AAAA"})").find("expected 1"), std::string::npos);
  EXPECT_NE(viewer.problem("predict", "{" + kRow + R"(,"masked":"?"})").find("base64"), std::string::npos);
  EXPECT_NE(viewer.problem("predict", "{" + kRow + R"(,"replaced":[[3,1]]})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("predict", "{" + kRow + R"(,"replaced":[[0,null]]})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("predict", "{" + kRow + R"(,"replaced":[[0,1e999]]})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("predict", "{" + kRow + R"(,"replaced":[[0,NaN]]})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("predict", "{" + kRow + R"(,"replaced":[[0]]})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("explain", "{" + kRow + R"(,"methods":[]})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("explain", "{" + kRow + R"(,"methods":["all"]})").find("400"), std::string::npos);
  EXPECT_NE(viewer.problem("open", R"({"from":"data","row":0,"target":7})").find("400"), std::string::npos);
}

// Whatever the page sends, no file is read that the program was not started with.
TEST(ServeApp, NothingThatIsSentIsAPath) {
  Viewer viewer;
  for (const char* baseline :
       {"file:/etc/passwd", "data:/etc/passwd", "gaussian:1", "blur:x", "value:nan", "token:1", ""}) {
    EXPECT_NE(viewer.problem("open", "{" + kRow + R"(,"baseline":")" + baseline + "\"}").find("expected zero"),
              std::string::npos)
        << baseline;
  }
  for (const char* target : {R"("mask=/etc/passwd")", R"("weights=/etc/passwd")", R"("9")", "-1", "1.5"}) {
    EXPECT_NE(viewer.problem("open", "{" + kRow + R"(,"target":)" + target + "}").find("400"), std::string::npos)
        << target;
  }
  for (const char* regions : {R"("groups:/etc/passwd")", "[1]", "[0,1]", "[65,1]", "[1,1,1]"}) {
    EXPECT_NE(viewer.problem("open", "{" + kRow + R"(,"regions":)" + regions + "}").find("400"), std::string::npos)
        << regions;
  }
}

TEST(ServeApp, ErrorsAreSpelledAsTheFrontEndSpellsThem) {
  Settings settings = product_settings();
  settings.error_text = [](const Error& error) { return "SPELLED " + error.message(); };
  Viewer viewer(std::move(settings));
  EXPECT_TRUE(viewer.problem("open", R"({"from":"data","row":2})").starts_with("400 SPELLED"));
}

TEST(ServeApp, ThePageRunsNoScriptButItsOwnAndFetchesFromItselfOnly) {
  Viewer viewer;
  const Answer page = viewer.app.answer(knock("", "GET"), "", "");
  EXPECT_EQ(page.status, 200);
  ASSERT_EQ(page.headers.size(), 1U);
  const std::string& policy = page.headers[0].second;
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(policy.find("connect-src 'self'"), std::string::npos);
  EXPECT_NE(policy.find("script-src 'sha256-"), std::string::npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(page.body.find(kToken), std::string::npos);  // the address is enough
  for (const auto& [name, value] : App::usual_headers()) EXPECT_NE(name, "Access-Control-Allow-Origin");
}

TEST(ServeApp, WorksWithoutData) {
  Settings settings;
  Viewer viewer(std::move(settings));
  EXPECT_EQ(viewer.app.answer(knock("", "GET"), "", "").status, 200);
  EXPECT_NE(viewer.problem("open", "{" + kRow + "}").find("no data"), std::string::npos);
}

}  // namespace
}  // namespace ascribe::core::serve
