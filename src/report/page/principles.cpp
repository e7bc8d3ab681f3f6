// The three principles of a faithful attribution, measured on this very question.
#include <fmt/format.h>

#include "report/page/places.h"
#include "report/page/sections.h"
#include "study/trusted.h"

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
    html.in("td", {{"class", "words"}},
            [&] { write_gist(html, with_place_names(method.sentence, row.principles->players)); });
  });
}

void write_exactly(Html& html, const Row& row) {
  const Principles& principles = *row.principles;
  html.in("p", {{"class", "faint"}},
          fmt::format("Low error: the method covers all effects, that is, what parts do to the output alone and "
                      "together. No unrelated: no effect reaches a part that takes no part in it. Complete: of every "
                      "effect that it covers all is given, and once. The figures are how far the method is off, as a "
                      "share of the sizes of the effects, so that errors of opposite signs do not hide each other; it "
                      "holds a principle if that is within the tolerance. A figure that an integral, draws or rounding "
                      "may have caused decides nothing: the principle is left open. Players: {} ({}), in {}.",
                      principles.players.count(), principles.players.description,
                      principles.precision.empty() ? "unknown precision" : principles.precision));
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
        for (const MethodPrinciples& method : principles.methods) write_line(html, row, method);
      });
    });
  });
  for (const LeftOut& left : principles.left_out) {
    html.in("p", {{"class", "faint"}}, fmt::format("Not measured: {}: {}", title_of(row, left.method), left.reason));
  }
}

// ---- for everybody ----

constexpr double kAll = 1;  // more is no share of anything

// "yes", or how far it is off: "misses 57 %".
std::string plain_verdict(const Verdict& verdict, const char* verb) {
  if (!verdict.holds) return "not decided";
  if (*verdict.holds) return "yes";
  if (!verdict.figure) return "no";
  if (*verdict.figure > kAll) return fmt::format("no: {} over 100 %", verb);
  return fmt::format("no: {} {}", verb, rough_percent(*verdict.figure));
}

void plain_cell(Html& html, const Verdict& verdict, const char* verb) {
  const std::string kind = !verdict.holds ? "open" : *verdict.holds ? "yes" : "no";
  html.in("td", {{"class", "verdict " + kind}}, [&] {
    html.in("b", std::string(!verdict.holds ? "? " : *verdict.holds ? "✓ " : "✗ ") + plain_verdict(verdict, verb));
  });
}

void write_checks(Html& html, const Row& row) {
  scrolling(html, "Three checks", [&] {
    html.in("table", {{"class", "checks"}}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          for (const char* head :
               {"method", "leaves nothing out?", "credits nobody wrongly?", "counts everything once?"}) {
            html.in("th", {{"scope", "col"}}, head);
          }
        });
      });
      html.in("tbody", {}, [&] {
        for (const MethodPrinciples& method : row.principles->methods) {
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, title_of(row, method.name));
            plain_cell(html, method.low_error, "misses");
            plain_cell(html, method.no_unrelated, "wrongly credits");
            plain_cell(html, method.complete, "miscounts");
          });
        }
      });
    });
  });
}

std::string who_passes(const Row& row) {
  std::vector<std::string> pass, open;
  for (const MethodPrinciples& method : row.principles->methods) {
    const document::Standing standing = document::standing_of(row, method.name);
    if (standing == document::Standing::holds) pass.push_back(title_of(row, method.name));
    if (standing == document::Standing::open) open.push_back(title_of(row, method.name));
  }
  const std::string all = plural(row.principles->methods.size(), "method");
  std::string text = pass.empty() ? fmt::format("None of {} passes all three checks on this input.", all)
                                  : fmt::format("{} of {} pass{} all three checks on this input: {}.", pass.size(), all,
                                                pass.size() == 1 ? "es" : "", listed(pass));
  if (!open.empty()) {
    text += fmt::format(" {} fail{} none, but not all could be decided.", listed(open), open.size() == 1 ? "s" : "");
  }
  return text;
}

}  // namespace

void write_principles(Html& html, const RowPage& page) {
  if (!page.row.principles) return write_absent(html, page, "principles", "Three checks of every method");
  const Principles& principles = *page.row.principles;
  const std::string how = fmt::format(
      "What the model does with every combination of {} is known here, because each of them was tried. So it can be "
      "checked what a method does with it. Leaves nothing out: whatever parts do to the result, alone or together, "
      "shows "
      "up. Credits nobody wrongly: a part gets nothing for what happens without it. Counts everything once: whatever "
      "shows up is counted in full and only once. The percentages are shares of everything that parts do to the "
      "result; "
      "a method fails if it is off by more than a small tolerance, and “not decided” means that it could not be "
      "computed "
      "exactly enough to tell.",
      counted_parts(page.row.kind, principles.players));
  section(html, page.id("principles"), "Three checks of every method", how, [&] {
    html.in("p", who_passes(page.row));
    write_checks(html, page.row);
    if (!principles.left_out.empty()) {
      std::vector<std::string> titles;
      for (const LeftOut& left : principles.left_out) titles.push_back(title_of(page.row, left.method));
      html.in("p", {{"class", "faint"}}, fmt::format("Not checked: {}.", listed(titles)));
    }
    for_experts(html, "the principles with their figures, tolerances and reasons",
                [&] { write_exactly(html, page.row); });
  });
}

}  // namespace ascribe::core::page
