// How alike the methods are, in pairs, and why they differ.
#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::page {

namespace {

void write_matrix(Html& html, const Row& row, const Agreement& agreement,
                  const std::vector<std::vector<Number>>& matrix, const std::string& caption) {
  scrolling(html, caption, [&] {
    html.in("table", {{"class", "matrix"}}, [&] {
      html.in("caption", caption);
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          html.in("td", "");
          for (size_t i = 0; i < agreement.methods.size(); ++i) {
            html.in("th", {{"scope", "col"}, {"title", title_of(row, agreement.methods[i])}}, std::to_string(i + 1));
          }
        });
      });
      html.in("tbody", {}, [&] {
        for (size_t i = 0; i < agreement.methods.size(); ++i) {
          html.in("tr", {}, [&] {
            const std::string title = title_of(row, agreement.methods[i]);
            html.in("th", {{"scope", "row"}}, fmt::format("{} {}", i + 1, title));
            for (size_t j = 0; j < agreement.methods.size(); ++j) {
              const Number value = matrix[i][j];
              html.in("td",
                      {{"style", i == j ? std::string("opacity:.35") : cell_style(value.value_or(0))},
                       {"title", title + " – " + title_of(row, agreement.methods[j])}},
                      value ? fmt::format("{:.2f}", *value) : "–");
            }
          });
        }
      });
    });
  });
}

void write_differences(Html& html, const Row& row) {
  if (row.differences.empty()) return;
  html.in("h4", "Why do they differ?");
  html.in("ul", {{"class", "differences"}}, [&] {
    for (const Difference& difference : row.differences) {
      html.in("li", {}, [&] {
        html.in("b", fmt::format("{} – {}", title_of(row, difference.first), title_of(row, difference.second)));
        html.in("span", {{"class", "faint"}}, fmt::format(" cosine {}", number_text(difference.cosine)));
        html.in("p", difference.sentence);
      });
    }
  });
}

}  // namespace

void write_agreement(Html& html, const RowPage& page) {
  const Row& row = page.row;
  if (!row.agreement && row.differences.empty()) return;
  const std::string how =
      "Rank correlation compares the order in which two methods put the players: 1 is the same order, 0 no relation, "
      "-1 "
      "the opposite. That methods agree does not make them right, but where they disagree at least one of them "
      "misleads, "
      "or they answer different questions.";
  section(html, page.id("agreement"), "Agreement", how, [&] {
    if (row.agreement) {
      write_matrix(html, row, *row.agreement, row.agreement->rank_correlation, "Rank correlation");
      html.in("details", {}, [&] {
        html.in("summary", fmt::format("Overlap of the {} strongest players", row.agreement->k));
        write_matrix(
            html, row, *row.agreement, row.agreement->top_overlap,
            fmt::format("Share of the {} strongest players that two methods have in common", row.agreement->k));
      });
    }
    write_differences(html, row);
  });
}

}  // namespace ascribe::page
