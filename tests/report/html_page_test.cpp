// The reader that judges pages in the fuzzer: it must find what a text could do to a page.
#include "support/html_page.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "report/page.h"
#include "report/page/assets.h"

namespace ascribe::core {
namespace {

std::string some_page() {
  const std::string path = ASCRIBE_SOURCE_DIR "/tests/fuzz/seeds/report/row.json";
  return report_page(document::document_from(parse_json(read_file(path), path), path));
}

PageParts parts_of(const std::string& page) { return parts_of_page(page, page::kReportJs, page::kReportCss); }

// With a text in front of the first of another.
std::string with(std::string page, std::string_view text, std::string_view before) {
  const size_t place = page.find(before);
  EXPECT_NE(place, std::string::npos) << before;
  return page.insert(place, text);
}

TEST(HtmlPage, APageOfOursIsRight) {
  const PageParts parts = parts_of(some_page());
  EXPECT_EQ(parts.problem, "");
  EXPECT_GT(parts.elements, 100U);
  EXPECT_GT(parts.attributes, 100U);
}

TEST(HtmlPage, WhatATextCouldDoIsFound) {
  const std::string page = some_page();
  for (const std::string_view harm :
       {"<iframe></iframe>", "<script>steal()</script>", "<b onclick=\"x\"></b>",
        "<img src=\"http://a.example/x.png\">", "<a href=\"javascript:x\"></a>", "<a href=\"//a.example/x.html\"></a>",
        "<b>", "</div>", "<p style=\"background:url(x)\"></p>", "<style>@import \"x\";</style>", "a < b", "a & b",
        "\x1b[2J", "<!-- -->", "<P></P>"}) {
    EXPECT_NE(parts_of(with(page, harm, "</main>")).problem, "") << harm;
  }
}

// An element that the program writes itself, whole and harmless, is one more than there should be.
TEST(HtmlPage, ElementsAndAttributesAreCounted) {
  const std::string page = some_page();
  const PageParts as_it_is = parts_of(page), element = parts_of(with(page, "<b></b>", "</main>")),
                  attribute = parts_of(with(page, " title=\"x\"", " tabindex=\"-1\">"));
  EXPECT_EQ(element.problem, "");
  EXPECT_EQ(element.elements, as_it_is.elements + 1);
  EXPECT_EQ(element.attributes, as_it_is.attributes);
  EXPECT_EQ(attribute.attributes, as_it_is.attributes + 1);
}

TEST(HtmlPage, ADocumentWithoutMarkupKeepsItsShape) {
  const Json json = parse_json(R"({"a": "<b>\"&'</b>", "list": [1, "plain", {"c": ">"}]})", "a.json");
  EXPECT_EQ(without_markup(json), parse_json(R"({"a": "~b~~~~~/b~", "list": [1, "plain", {"c": "~"}]})", "b.json"));
}

}  // namespace
}  // namespace ascribe::core
