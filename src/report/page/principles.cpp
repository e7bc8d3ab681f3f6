// The three principles of a faithful attribution, measured on this very question.
#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

// With three digits, however small: it is compared with tolerances of a millionth.
constexpr double kRounding = 1e-9;  // less than this share is nothing

std::string figure_text(const Number& figure) {
  if (!figure) return "–";
  return *figure < kRounding ? "0 %" : fmt::format("{:.3g} %", 100 * *figure);
}

void verdict_cell(Html& html, const Verdict& verdict) {
  const bool open = !verdict.holds, holds = verdict.holds.value_or(false);
  const std::string kind = open ? "open" : (holds ? "yes" : "no");
  html.in("td", {{"class", "number verdict " + kind}, {"data-v", exact_text(verdict.figure)}}, [&] {
    html.in("b", open ? "? left open" : (holds ? "✓ holds" : "✗ fails"));
    html.in("span", {{"class", "faint"}, {"title", verdict.reason}},
            verdict.tolerance ? fmt::format("{} (up to {:g} %)", figure_text(verdict.figure), 100 * *verdict.tolerance)
                              : figure_text(verdict.figure));
  });
}

void write_line(Html& html, const Row& row, const MethodPrinciples& method) {
  html.in("tr", {}, [&] {
    html.in("th", {{"scope", "row"}}, title_of(row, method.name));
    verdict_cell(html, method.low_error);
    verdict_cell(html, method.no_unrelated);
    verdict_cell(html, method.complete);
    number_cell(html, static_cast<double>(method.held), fmt::format("{} of 3", method.held));
    html.in("td", {{"class", "words"}}, [&] { write_gist(html, method.sentence); });
  });
}

}  // namespace

void write_principles(Html& html, const RowPage& page) {
  if (!page.row.principles) return write_absent(html, page, "principles", "Three principles on this question");
  const Principles& principles = *page.row.principles;
  const std::string how = fmt::format(
      "Low error: the method covers all effects, that is, what parts do to the output alone and together. No "
      "unrelated: no effect reaches a part that takes no part in it. Complete: of every effect that it covers all is "
      "given, and once. The figures are how far the method is off, as a share of the sizes of the effects, so that "
      "errors of opposite signs do not hide each other; it holds a principle if that is within the tolerance. A figure "
      "that an integral, draws or rounding may have caused decides nothing: the principle is left open. Measured with "
      "{} ({}), by running the method on inputs with parts replaced by the baseline.",
      plural(principles.players.count(), "part"), principles.players.description);
  section(html, page.id("principles"), "Three principles on this question", how, [&] {
    scrolling(html, "Three principles", [&] {
      html.in("table", {{"class", "sortable principles"}}, [&] {
        html.in("thead", {}, [&] {
          html.in("tr", {}, [&] {
            sortable_head(html, "method", false);
            for (const char* head : {"low error", "no unrelated", "complete", "held"}) sortable_head(html, head);
            html.in("th", {{"scope", "col"}}, "in words");
          });
        });
        html.in("tbody", {}, [&] {
          for (const MethodPrinciples& method : principles.methods) write_line(html, page.row, method);
        });
      });
    });
    for (const LeftOut& left : principles.left_out) {
      html.in("p", {{"class", "faint"}},
              fmt::format("Not measured: {}: {}", title_of(page.row, left.method), left.reason));
    }
  });
}

}  // namespace ascribe::core::page
