// The page of a report: what is in it, what it refuses, and that no text of a report becomes markup.
#include "report/page.h"

#include <gtest/gtest.h>

#include "report/page/html.h"
#include "support/errors.h"
#include "support/sample_documents.h"
#include "support/text.h"

namespace ascribe::core {
namespace {

using document::Document, document::RowKind;

bool has(const std::string& page, const std::string& part) { return page.find(part) != std::string::npos; }

// ---- what is on it ----

TEST(Page, has_every_section_and_its_figures) {
  const std::string page = report_page(image_document());
  for (const char* id :
       {"summary", "prediction", "maps", "players", "completeness", "effects", "principles", "agreement", "metrics"}) {
    EXPECT_TRUE(has(page, fmt::format("<section id=\"row0-{}\"", id))) << id;
    EXPECT_TRUE(has(page, fmt::format("href=\"#row0-{}\"", id))) << id;
  }
  for (const char* part :
       {"boot.png looks like “boot” to this model: 97.0 %", "counted twice", "50 % (up to 1 %)", "no: miscounts 50 %",
        "for a reason", "no layer", "ascribe report net.onnx", "guessed", "<th scope=\"row\">sha256</th>"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  EXPECT_EQ(occurrences(page, "class=\"heat\""), 3U);  // two methods, and the first screen
}

document::Estimated estimated_of(size_t players) {
  document::Estimated section;
  for (size_t p = 0; p < players; ++p) section.players.names.push_back(fmt::format("p{}", p));
  section.estimator = "proxy";
  section.evaluations = 500;
  section.effects = 9;
  section.r2 = 0.95;
  section.held_out = 60;
  section.in_company = true;
  section.asked = 7;
  section.asked_together = 5;
  section.strongest = {{{0}, 2.0, 0.4567}, {{1, 2}, 1.0, 0.5}};
  section.interactions = {{{1, 2}, 1.0, 0.5}};
  return section;
}

TEST(Page, of_sets_that_were_asked_about_again_it_says_how_many_stood_it) {
  Document document = image_document();
  document.rows[0].estimated = estimated_of(13);
  const std::string page = report_page(document);
  EXPECT_TRUE(has(page, "5 sets that seemed to act together were asked about again. Shown is the one that is larger"));
  EXPECT_TRUE(has(page, "± 0.46"));
  document.rows[0].estimated->orders = {{1, 2, 3.0, 3.0, 0.5}, {2, 7, 3.0, 3.0, 0.5}};
  EXPECT_TRUE(has(report_page(document), "7 sets seem to act together; there was time to ask about 5 of them again."));
  EXPECT_TRUE(has(page, "What does most, alone or together"));
}

// No colours without bars, no list that repeats the one above, no empty list without its meaning.
TEST(Page, an_estimate_without_sets_says_what_that_means) {
  Document document = image_document();
  document::Estimated section = estimated_of(13);
  section.strongest.clear();
  section.interactions.clear();
  document.rows[0].estimated = section;
  const auto estimated = [&] {
    const std::string page = report_page(document);
    const size_t start = page.find("<section id=\"row0-estimated\"");
    return page.substr(start, page.find("</section>", start) - start);
  };
  EXPECT_TRUE(has(estimated(), "5 sets that seemed to act together were asked about again, and what each"));
  EXPECT_FALSE(has(estimated(), "Red: together"));
  EXPECT_FALSE(has(estimated(), "What does most, alone or together"));
  document.rows[0].estimated->asked_together = 0;
  EXPECT_TRUE(has(estimated(), "each seems to act by itself"));
  document.rows[0].estimated->effects = 0;
  EXPECT_TRUE(has(estimated(), "No set of parts was found that does anything."));
}

TEST(Page, the_first_screen_shows_the_method_to_trust) {
  Document document = image_document();
  EXPECT_TRUE(has(report_page(document), "Take it with care."));  // 6 of 8 are missing
  document.rows[0].methods[1].residual = 0;
  const std::string page = report_page(document);
  EXPECT_TRUE(has(page, "<b>Shapley value</b> is the only one of 2 checked methods that passes all three checks."));
  EXPECT_TRUE(has(page, "Fairly well supported."));  // nobody to compare it with
  EXPECT_TRUE(has(page, "1 of 2 methods passes all three checks on this input: Shapley value."));
  Document none = image_document();
  none.rows[0].principles->methods.pop_back();
  EXPECT_TRUE(has(report_page(none), "<b>Occlusion-1.</b> No method is known to pass all three checks"));
  EXPECT_TRUE(has(report_page(none), "Take it with care."));
  EXPECT_TRUE(has(report_page(none), "None of 1 method passes all three checks on this input."));
}

TEST(Page, methods_that_are_left_open_are_named) {
  Document open = image_document();
  document::MethodPrinciples& shapley = open.rows[0].principles->methods.back();
  shapley.complete.holds.reset();
  shapley.held = 2;
  EXPECT_TRUE(has(report_page(open), "Shapley value fails none, but not all could be decided."));
  EXPECT_FALSE(has(report_page(image_document()), "not all could be decided"));
}

// What parts got by the method to trust, not by an average with others.
TEST(Page, what_mattered_is_said_by_the_method_to_trust_alone) {
  Document document = sample_document({sample_row(RowKind::table)});
  document.rows[0].methods[0].values = {0.0, 0.0, 0.0, 900.0};
  document.rows[0].methods[1].values = {0.0, 5.0, -2.0, 0.0};
  const std::string page = report_page(document);
  EXPECT_TRUE(has(page, "Raised most by b = two (+5). Lowered most by c = three (-2)."));
}

TEST(Page, the_headline_suits_what_the_model_gives) {
  Document document = sample_document({sample_row(RowKind::table)});
  EXPECT_TRUE(has(report_page(document), "This model’s answer for boot.png is “boot”: 97.0 %"));
  document.rows[0].top[0].probability.reset();
  EXPECT_TRUE(has(report_page(document), "This model gives 9 for boot.png"));
  document.rows[0].top.clear();
  document.rows[0].target = {std::nullopt, std::nullopt, "the mean of channel 1"};
  EXPECT_TRUE(has(report_page(document), "For boot.png, this model gives 9 for the mean of channel 1"));
  Document other = image_document();
  other.rows[0].target = {0, "shoe"};
  EXPECT_TRUE(has(report_page(other), "This page explains the score of “shoe”, not the first choice."));
}

TEST(Page, without_a_method_it_still_says_what_is_known) {
  Document document = image_document();
  document::Row& row = document.rows[0];
  row.methods.clear();
  row.principles.reset();
  row.agreement.reset();
  row.metrics.clear();
  row.differences.clear();
  EXPECT_TRUE(has(report_page(document), "No method was run."));
}

// ---- for everybody ----

// What a reader sees who opens nothing: without what is for experts, the glossary, scripts and styles.
std::string plain_text(std::string page) {
  const auto drop = [&](const std::string& from, const std::string& to) {
    for (size_t at = page.find(from); at != std::string::npos; at = page.find(from, at)) {
      const size_t end = page.find(to, at);
      page.erase(at, end == std::string::npos ? end : end + to.size() - at);
    }
  };
  drop("<style", "</style>");
  drop("<script", "</script>");
  const std::string expert = "<details class=\"expert";  // of which the line that opens it is seen
  for (size_t at = page.find(expert); at != std::string::npos; at = page.find(expert, at + 1)) {
    const size_t from = page.find("</summary>", at), to = page.find("</details>", at);
    page.erase(from, to - from);
  }
  drop("<section id=\"words\"", "</section>");
  std::string text;
  for (size_t at = 0; at < page.size();) {
    const size_t open = page.find('<', at), close = page.find('>', open);
    text += page.substr(at, open - at) + " ";
    if (close == std::string::npos) break;
    const std::string tag = page.substr(open, close - open);
    for (const char* spoken : {"aria-label=\"", "alt=\"", "title=\""}) {
      const size_t value = tag.find(spoken);
      if (value == std::string::npos) continue;
      const size_t begin = value + std::string(spoken).size();
      text += tag.substr(begin, tag.find('"', begin) - begin) + " ";
    }
    at = close + 1;
  }
  return text;
}

TEST(Page, plain_text_has_no_technical_words) {
  for (Document& document : all_kinds_of_documents()) {
    for (document::Row& row : document.rows) {
      if (row.image) row.players.names = row.effects->players.names = {"r0c0", "r0c1", "r1c0", "r1c1"};
      if (row.image) row.principles->players.names = row.players.names;
      row.principles->methods[0].sentence = "Leaked to players: r0c1 gets +1";
      row.methods[0].parameters = {{"most", "134217728"}};
      row.methods[0].name = "grad_cam";
      row.methods[0].residual = -441.531 * *row.methods[0].explains;
      row.principles->methods[0].name = "grad_cam";
      row.principles->methods[0].low_error.figure = 4.25e-8;
    }
    const std::string page = report_page(document), text = plain_text(page);
    EXPECT_TRUE(has(text, "What mattered most?"));
    for (const char* word : {"player",    "Player",      "hand out", "hands out", "eaked", "r0c",
                             "r1c",       "most=",       "=134",     "e-0",       "44153", "residual",
                             "coalition", "baseline",    "Baseline", "f(x)",      "f(b)",  "nfidelity",
                             "logit",     "attribution", "masked",   "takes boot"}) {
      const size_t at = text.find(word);
      EXPECT_EQ(at, std::string::npos) << word << " in: "
                                       << text.substr(at == std::string::npos ? 0 : at - std::min<size_t>(at, 60), 160);
    }
    EXPECT_FALSE(has(page, "44153"));  // nowhere: what is no share misses nothing
  }
}

TEST(Page, what_was_cut_is_said_in_plain_words) {
  Document document = image_document();
  document.time.emplace();
  document.time->budget = 60;
  document.time->cuts = {{"principles, shapley", "left out", "`budget` more"},
                         {"infidelity, occlusion", "measured with 25 squares", ""},
                         {"players", "grid:7x7 instead of grid:14x14", ""}};
  const std::string text = plain_text(report_page(document));
  EXPECT_TRUE(has(text, "Missing: the three checks of Shapley value."));
  EXPECT_TRUE(has(text, "less exact than usual: Foretelling the model and Occlusion-1 and the division into parts."));
  EXPECT_FALSE(has(text, "grid:7x7"));
}

TEST(Page, links_to_words_lead_to_the_glossary) {
  const std::string page = report_page(image_document());
  size_t links = 0;
  const std::string begin = "href=\"#word-";
  for (size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1), ++links) {
    const size_t from = at + begin.size();
    const std::string word = page.substr(from, page.find('"', from) - from);
    EXPECT_TRUE(has(page, "id=\"word-" + word + "\"")) << word;
  }
  EXPECT_GE(links, 2U);
}

TEST(Page, what_is_for_experts_is_closed_and_there) {
  const std::string page = report_page(image_document());
  EXPECT_GE(occurrences(page, "<details class=\"expert"), 8U);
  EXPECT_EQ(occurrences(page, " open>"), 0U);
  EXPECT_TRUE(has(page, "id=\"depth\" aria-pressed=\"false\" hidden"));
}

TEST(Page, a_text_is_there_once_for_every_method) {
  const std::string page = report_page(sample_document({sample_row(RowKind::text)}));
  EXPECT_EQ(occurrences(page, "class=\"tokens\""), 3U);  // two methods, and the first screen
  EXPECT_EQ(occurrences(page, "class=\"token nobody\">[CLS]<"), 3U);
  EXPECT_TRUE(has(page, "title=\"a: +1.5\">quick</span><span"));  // no space between pieces of a word
  EXPECT_TRUE(has(page, ">&lt;b&gt;</span>"));
  EXPECT_FALSE(has(page, "class=\"frame"));
}

TEST(Page, a_table_has_a_waterfall_that_says_what_is_missing) {
  const std::string page = report_page(sample_document({sample_row(RowKind::table)}));
  EXPECT_TRUE(has(page, "with everything hidden"));
  EXPECT_TRUE(has(page, "a = one"));
  EXPECT_TRUE(has(page, "not accounted for"));  // 1.5 + 0.5 - 0.5 - 1.5 is not 8
  EXPECT_FALSE(has(page, "class=\"frame"));
}

TEST(Page, its_words_are_explained_on_it) {
  const std::string page = report_page(image_document());
  EXPECT_TRUE(has(page, "<a href=\"#words\">"));
  EXPECT_TRUE(has(page, "<section id=\"words\""));
  for (const char* word : {"player", "coalition", "effect", "baseline b", "residual", "three checks", "hidden"}) {
    EXPECT_TRUE(has(page, fmt::format(">{}</dt>", word))) << word;
  }
}

TEST(Page, a_sequence_has_strips) {
  EXPECT_TRUE(has(report_page(sample_document({sample_row(RowKind::sequence)})), "frame strip"));
}

TEST(Page, several_rows_have_an_index) {
  const std::string page = report_page(sample_document({sample_row(RowKind::image, 4), sample_row(RowKind::table)}));
  EXPECT_TRUE(has(page, "2 inputs"));
  EXPECT_TRUE(has(page, "href=\"#row1\""));
  EXPECT_TRUE(has(page, "<article id=\"row1\""));
}

TEST(Page, what_was_not_computed_is_left_out) {
  Document document = image_document();
  document::Row& row = document.rows[0];
  row.agreement.reset();
  row.effects.reset();
  row.principles.reset();
  row.differences.clear();
  row.metrics.clear();
  const std::string page = report_page(document);
  for (const char* part : {"row0-effects", "row0-principles", "row0-agreement", "row0-metrics"})
    EXPECT_FALSE(has(page, part)) << part;
}

TEST(Page, a_principle_may_be_left_open) {
  Document document = image_document();
  document.rows[0].principles->methods[0].complete.holds.reset();
  EXPECT_EQ(occurrences(report_page(document), "? left open"), 1U);
  EXPECT_EQ(occurrences(report_page(image_document()), "? left open"), 0U);
}

TEST(Page, numbers_that_are_not_known_are_dashes) {
  Document document = image_document();
  document.rows[0].output.reset();
  document.rows[0].methods[0].values[2].reset();
  EXPECT_TRUE(has(report_page(document), "–"));
}

TEST(Page, is_a_pure_function) { EXPECT_EQ(report_page(image_document()), report_page(image_document())); }

TEST(Page, fourteen_maps_of_a_photograph_are_below_5_megabytes) {
  constexpr int64_t kSide = 224;
  document::Row photograph = sample_row(RowKind::image, kSide);
  photograph.image = Image{kSide, kSide, 3, {}, false};
  for (int64_t i = 0; i < 3 * kSide * kSide; ++i) {
    photograph.image->pixels.push_back(static_cast<float>(i * 7919 % 256));
  }
  photograph.methods.assign(14, sample_method("occlusion", "Occlusion-1", 4, photograph.pixels()));
  EXPECT_LT(report_page(sample_document({photograph})).size(), 5'000'000U);
}

// ---- nothing can be injected ----

constexpr const char* kHostile = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&\u2028";

Json with_hostile_texts(Json json, const std::string& key) {
  if (json.is_text() && key != "format" && key != "kind" && key != "png" && key != "data" && key != "better") {
    return json.text() + kHostile;
  }
  if (json.is_list()) {
    for (Json& item : json.items()) item = with_hostile_texts(std::move(item), key);
  }
  if (json.is_object()) {
    for (JsonMember& member : json.members()) {
      member.value = with_hostile_texts(std::move(member.value), member.key);
      if (key == "settings" || key == "parameters") member.key += kHostile;
    }
  }
  return json;
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
  for (Document& plain : all_kinds_of_documents()) {
    plain.settings.erase(plain.settings.begin());  // the command, whose key is hostile too in the other
    const Json changed = with_hostile_texts(to_json(plain), "");
    const std::string calm = report_page(plain), hostile = report_page(document::document_from(changed, "report"));
    EXPECT_TRUE(skeleton(calm) == skeleton(hostile)) << to_string(plain.rows[0].kind);
    EXPECT_GT(occurrences(hostile, "&lt;/script&gt;"), 20U);
    EXPECT_EQ(occurrences(hostile, "<img src=x"), 0U);
    EXPECT_EQ(occurrences(hostile, "alert(1)</script>"), 0U);
  }
}

TEST(Page, its_policy_allows_no_other_script_and_no_request) {
  const std::string page = report_page(image_document());
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

TEST(Html, mends_what_is_not_utf8) {
  page::Html html;
  html.in("p", "caf\xe9 \xe2\x82 \xe2\x82\xac");
  EXPECT_EQ(html.str(), "<p>caf\uFFFD \uFFFD \u20AC</p>\n");
}

// ---- what it refuses ----

// Every value in turn is replaced by every kind of JSON: a page or an error of kind io, never anything else.
void try_all(const Json& whole, Json& part, const std::string& path, int& tried) {
  const Json kept = part;
  for (const Json& other : {Json(), Json(true), Json(-1), Json(1e300), Json("<b>"), Json::list(), Json::object()}) {
    part = other;
    const auto error = error_of([&] { report_page(document::document_from(whole, "report")); });
    if (error) {
      EXPECT_EQ(to_string(error->kind()), to_string(ErrorKind::io)) << path << ": " << error->what();
    }
    ++tried;
  }
  part = kept;
  if (part.is_list() && part.size() > 0) try_all(whole, part.items()[0], path + "[0]", tried);
  if (!part.is_object()) return;
  for (JsonMember& member : part.members()) try_all(whole, member.value, path + "." + member.key, tried);
}

TEST(Page, any_change_of_a_report_is_a_page_or_an_error_of_kind_io) {
  Json json = to_json(image_document());
  int tried = 0;
  try_all(json, json, "", tried);
  EXPECT_GT(tried, 500);
}

}  // namespace
}  // namespace ascribe::core
