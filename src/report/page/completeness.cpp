// Whether the values of a method add up to what they should, and what they cost.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/page/sections.h"
#include "study/trusted.h"

namespace ascribe::core::page {

namespace {

std::string exactness(const MethodResult& method) {
  if (method.exact) return "exact";
  if (method.interval) return fmt::format("± {:.2g} (95 %)", *method.interval);
  return method.standard_error ? fmt::format("standard error {:.2g}", *method.standard_error) : "approximate";
}

std::string seconds_text(const Number& seconds) {
  if (!seconds) return "–";
  return *seconds < 0.1 ? fmt::format("{:.1f} ms", 1000 * *seconds) : fmt::format("{:.2f} s", *seconds);
}

// Nothing for those that are no shares: they have nothing to add up to.
Number share_of_target(const MethodResult& method) {
  if (!document::is_share(method) || !method.residual || !method.explains || *method.explains == 0) return std::nullopt;
  return *method.residual / std::abs(*method.explains);
}

constexpr double kAddsUp = 0.01, kFar = 2;  // of what it should be

// What the values of a method add up to, in words.
std::string adds_up_text(const MethodResult& method) {
  if (!document::is_share(method)) return "Not meant to add up: it shows where the model reacts.";
  if (!method.sum || !method.explains) return "Not known.";
  const Number off = share_of_target(method);
  if (off && std::abs(*off) <= kAddsUp) return "Yes.";
  if (!off) return *method.sum == 0 ? "Yes: there is nothing to explain." : "No: there is nothing to explain.";
  const double part = *method.sum / *method.explains;
  if (part < 0) return "No: the sum points the wrong way.";
  if (part > kFar) return fmt::format("No: {} times too much.", plain_number(part));
  return part > 1 ? fmt::format("No: {} too much.", rough_percent(part - 1))
                  : fmt::format("No: {} is missing.", rough_percent(1 - part));
}

void write_plain(Html& html, const Row& row) {
  scrolling(html, "Does it add up?", [&] {
    html.in("table", {{"class", "sortable adds-up"}}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          sortable_head(html, "method", false);
          sortable_head(html, "adds up to");
          sortable_head(html, "should be");
          html.in("th", {{"scope", "col"}}, "does it add up?");
        });
      });
      html.in("tbody", {}, [&] {
        for (const MethodResult& method : row.methods) {
          const bool share = document::is_share(method);
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}, {"data-v", method.title}}, method.title);
            number_cell(html, share ? method.sum : Number(), share ? plain_signed_number(method.sum) : "–");
            number_cell(html, share ? method.explains : Number(), share ? plain_signed_number(method.explains) : "–");
            html.in("td", adds_up_text(method));
          });
        }
      });
    });
  });
}

void write_line(Html& html, const MethodResult& method) {
  html.in("tr", {}, [&] {
    html.in("th", {{"scope", "row"}, {"data-v", method.title}}, method.title);
    number_cell(html, method.sum, signed_number_text(method.sum));
    number_cell(html, method.explains, signed_number_text(method.explains));
    const Number share = share_of_target(method);
    const Number residual = document::is_share(method) ? method.residual : Number();
    number_cell(html, residual ? Number(std::abs(*residual)) : Number(), signed_number_text(residual));
    html.in("td", {{"class", "number"}, {"data-v", exact_text(share ? Number(std::abs(*share)) : Number())}}, [&] {
      html.text(percent_text(share));
      html.in("span", {{"class", "meter"}, {"aria-hidden", "true"}}, [&] {
        const double length = share ? std::min(std::abs(*share), 1.0) : 0;
        html.in("span", {{"style", fmt::format("width:{:.1f}%", 100 * length)}}, "");
      });
    });
    html.in("td", exactness(method));
    number_cell(html, static_cast<double>(method.evaluations), fmt::format("{}", method.evaluations));
    number_cell(html, method.seconds, seconds_text(method.seconds));
    html.in("td", {{"class", "small"}}, method.parameters.empty() ? "–" : facts_text(method.parameters));
  });
}

void write_notes(Html& html, const Row& row) {
  for (const MethodResult& method : row.methods) {
    for (const std::string& note : method.notes) {
      html.in("p", {{"class", "faint"}}, fmt::format("{}: {}", method.title, note));
    }
  }
}

// Every figure, and what it took.
void write_exactly(Html& html, const Row& row) {
  html.in(
      "p", {{"class", "faint"}},
      "The residual is what a method explains less the sum of its values. Cost: evaluations of the network (passes for "
      "one input) and the time they took here.");
  scrolling(html, "Completeness and cost", [&] {
    html.in("table", {{"class", "sortable choosable"}}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          sortable_head(html, "method", false);
          for (const char* head : {"sum", "explains"}) sortable_head(html, head, true, false);
          for (const char* head : {"residual", "of it"}) sortable_head(html, head);
          sortable_head(html, "precision", false, false);
          sortable_head(html, "evaluations", true, false);
          sortable_head(html, "time", true, false);
          html.in("th", {{"scope", "col"}, {"class", "later"}}, "parameters");
        });
      });
      html.in("tbody", {}, [&] {
        for (const MethodResult& method : row.methods) write_line(html, method);
      });
    });
  });
}

void write_formulas(Html& html, const Row& row) {
  html.in("dl", {{"class", "formulas"}}, [&] {
    for (const MethodResult& method : row.methods) {
      html.in("dt", method.title);
      html.in("dd", method.formula + (method.cost.empty() ? "" : " · cost: " + method.cost));
    }
  });
}

}  // namespace

void write_completeness(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "A method shares the difference that is explained out among the parts of the input. If its shares add up to more "
      "or less than that, part of the answer is missing or counted twice. Some methods explain the result itself "
      "instead of the difference; their sum is compared with that.";
  section(html, page.id("completeness"), "Does it add up?", how, [&] {
    write_plain(html, row);
    for_experts(html, "how exact, what it took and the settings of every method", [&] {
      write_exactly(html, row);
      write_notes(html, row);
    });
    for_experts(
        html, "what each method computes", [&] { write_formulas(html, row); }, Paper::without);
  });
}

}  // namespace ascribe::core::page
