// How alike the methods are, in pairs, and why they differ.
#include <algorithm>

#include <fmt/format.h>

#include "report/page/places.h"
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

void write_matrix(Html& html, const Row& row, const Agreement& agreement,
                  const std::vector<std::vector<Number>>& matrix, const std::string& caption) {
  scrolling(html, caption, [&] {
    html.in("table", {{"class", "matrix choosable"}}, [&] {
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

constexpr size_t kShownAtOnce = 6;  // pairs; the others can be opened

constexpr size_t kOnPaper = 3;

void write_difference_list(Html& html, const Row& row, size_t from, size_t to) {
  html.in("ul", {{"class", "differences"}}, [&] {
    for (size_t i = from; i < to; ++i) {
      const Difference& difference = row.differences[i];
      html.in("li", {{"class", i < kOnPaper ? "pair" : "pair screen"}}, [&] {
        html.in("b", fmt::format("{} – {}", title_of(row, difference.first), title_of(row, difference.second)));
        html.in("span", {{"class", "faint"}}, fmt::format(" cosine {}", number_text(difference.cosine)));
        html.in("p",
                row.principles ? with_place_names(difference.sentence, row.principles->players) : difference.sentence);
      });
    }
  });
}

void write_differences(Html& html, const Row& row) {
  if (row.differences.empty()) return;
  const size_t shown = std::min(kShownAtOnce, row.differences.size()), all = row.differences.size();
  html.in("h4", "Why do they differ?");
  write_difference_list(html, row, 0, shown);
  if (shown == all) return;
  on_paper(html,
           fmt::format("The {} pairs that are least alike; the other {} are in the page on screen and in its data.",
                       kOnPaper, all - kOnPaper));
  html.in("details", {{"class", "screen"}}, [&] {
    html.in("summary", plural(all - shown, "more pair"));
    write_difference_list(html, row, shown, all);
  });
}

std::string strongest_text(int64_t k) { return k == 1 ? "strongest part" : fmt::format("{} strongest parts", k); }

// ---- for everybody ----

const char* degree(double correlation) {
  if (correlation >= 0.8) return "nearly the same picture";
  if (correlation >= 0.5) return "the same in the main";
  if (correlation >= 0.2) return "only loosely alike";
  return correlation > -0.2 ? "a different picture" : "rather the opposite";
}

// Every method beside the one to trust, the most alike first.
void write_likeness(Html& html, const Row& row) {
  const Agreement& agreement = *row.agreement;
  const MethodResult* trusted = trusted_method(row);
  const auto own = std::find_if(agreement.methods.begin(), agreement.methods.end(),
                                [&](const std::string& name) { return trusted != nullptr && name == trusted->name; });
  if (own == agreement.methods.end()) return;
  const std::vector<Number>& line = agreement.rank_correlation[static_cast<size_t>(own - agreement.methods.begin())];
  std::vector<size_t> order;
  for (size_t i = 0; i < agreement.methods.size(); ++i) {
    if (agreement.methods[i] != trusted->name) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return line[a].value_or(-2) > line[b].value_or(-2); });
  html.in("p", fmt::format("How alike the other methods are to {}, by the order in which they put the parts:",
                           trusted->title));
  html.in("div", {{"class", "bars likeness"}}, [&] {
    for (const size_t i : order) {
      html.in("div", {{"class", "bar"}}, [&] {
        html.in("span", {{"class", "name"}}, title_of(row, agreement.methods[i]));
        html.in("span", {{"class", "track"}}, [&] {
          const double length = std::clamp(line[i].value_or(0), 0.0, 1.0);
          html.in("span", {{"class", "fill plain"}, {"style", fmt::format("left:0;width:{:.2f}%", 100 * length)}}, "");
        });
        html.in("span", {{"class", "faint"}}, line[i] ? degree(*line[i]) : "cannot be compared");
      });
    }
  });
}

}  // namespace

void write_agreement(Html& html, const RowPage& page) {
  const Row& row = page.row;
  if (!row.agreement && row.differences.empty()) return;
  const std::string how =
      "Methods answer the same question in different ways. A full bar means that a method puts the parts of the input "
      "in "
      "the same order as the one shown first, an empty bar that it does not at all. That methods agree does not make "
      "them "
      "right, but where they disagree at least one of them misleads, or they answer different questions.";
  section(html, page.id("agreement"), "Do the methods agree?", how, [&] {
    if (row.agreement) write_likeness(html, row);
    for_experts(html, "every two methods compared, and why they differ", [&] {
      if (row.agreement) {
        on_paper(html, "How every two methods agree is in the page on screen and in its data.");
        html.in("p", {{"class", "faint screen"}},
                "Rank correlation compares the order in which two methods put the players: 1 is the same order, 0 no "
                "relation, -1 the opposite.");
        html.in("div", {{"class", "screen"}}, [&] {
          write_matrix(html, row, *row.agreement, row.agreement->rank_correlation, "Rank correlation");
          write_matrix(
              html, row, *row.agreement, row.agreement->top_overlap,
              fmt::format("Share of the {} that two methods have in common", strongest_text(row.agreement->k)));
        });
      }
      write_differences(html, row);
    });
  });
}

}  // namespace ascribe::core::page
