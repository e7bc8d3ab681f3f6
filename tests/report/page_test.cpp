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
  for (const char* part : {"“boot” (97.0 %)", "counted twice", "50 % (up to 1 %)", "for a reason", "no layer",
                           "ascribe report net.onnx", "guessed", "<th scope=\"row\">sha256</th>"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  EXPECT_EQ(occurrences(page, "class=\"heat\""), 2U);
}

TEST(Page, the_summary_names_those_that_hold_all_three_principles) {
  const std::string page = report_page(image_document());
  EXPECT_TRUE(has(page, "All three principles hold here for 1 of 2 methods: Shapley value."));
  Document none = image_document();
  none.rows[0].principles->methods.pop_back();
  EXPECT_TRUE(has(report_page(none),
                  "none of 1 method holds all three principles on this question; two of them hold for "
                  "Occlusion-1. Occlusion-1 has the lowest infidelity (0.5; place 1 of all 1)"));
}

TEST(Page, the_summary_counts_methods_that_are_left_open) {
  Document open = image_document();
  document::MethodPrinciples& shapley = open.rows[0].principles->methods.back();
  shapley.complete.holds.reset();
  shapley.held = 2;
  EXPECT_TRUE(has(report_page(open), "For 1 it is left open: Shapley value."));
  EXPECT_FALSE(has(report_page(image_document()), "it is left open"));
}

TEST(Page, a_text_is_there_once_for_every_method) {
  const std::string page = report_page(sample_document({sample_row(RowKind::text)}));
  EXPECT_TRUE(has(page, "The methods as text"));
  EXPECT_EQ(occurrences(page, "class=\"tokens\""), 2U);
  EXPECT_EQ(occurrences(page, "class=\"token nobody\">[CLS]<"), 2U);
  EXPECT_TRUE(has(page, "title=\"a: +1.5\">quick</span><span"));  // no space between pieces of a word
  EXPECT_TRUE(has(page, ">&lt;b&gt;</span>"));
  EXPECT_FALSE(has(page, "class=\"frame"));
}

TEST(Page, a_table_has_a_waterfall_that_says_what_is_missing) {
  const std::string page = report_page(sample_document({sample_row(RowKind::table)}));
  EXPECT_TRUE(has(page, "f(b), the baseline"));
  EXPECT_TRUE(has(page, "a = one"));
  EXPECT_TRUE(has(page, "not accounted for"));  // 1.5 + 0.5 - 0.5 - 1.5 is not 8
  EXPECT_FALSE(has(page, "class=\"frame"));
}

TEST(Page, its_words_are_explained_on_it) {
  const std::string page = report_page(image_document());
  EXPECT_TRUE(has(page, "<a href=\"#words\">"));
  EXPECT_TRUE(has(page, "<section id=\"words\""));
  for (const char* word : {"player", "coalition", "effect", "baseline b", "residual"}) {
    EXPECT_TRUE(has(page, fmt::format("<dt>{}</dt>", word))) << word;
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
