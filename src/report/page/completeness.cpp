// Whether what a method hands out adds up, and what it cost.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/page/sections.h"

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

Number share_of_target(const MethodResult& method) {
  if (!method.residual || !method.explains || *method.explains == 0) return std::nullopt;
  return *method.residual / std::abs(*method.explains);
}

void write_line(Html& html, const MethodResult& method) {
  html.in("tr", {}, [&] {
    html.in("th", {{"scope", "row"}, {"data-v", method.title}}, method.title);
    number_cell(html, method.sum, signed_number_text(method.sum));
    number_cell(html, method.explains, signed_number_text(method.explains));
    const Number share = share_of_target(method);
    const Number size = method.residual ? Number(std::abs(*method.residual)) : Number();
    number_cell(html, size, signed_number_text(method.residual));
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

}  // namespace

void write_completeness(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "A contribution method hands out a change of the output: the sum over all players should be what it explains, "
      "and "
      "the residual is what is missing. A large residual means that part of the answer is unaccounted for or counted "
      "twice. Sensitivity methods explain no change, so they have no residual. Cost: evaluations of the network "
      "(passes "
      "for one input) and the time they took here.";
  section(html, page.id("completeness"), "Completeness and cost", how, [&] {
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
    write_notes(html, row);
    html.in("details", {{"class", "formulas screen"}}, [&] {
      html.in("summary", "What each method computes");
      html.in("dl", {}, [&] {
        for (const MethodResult& method : row.methods) {
          html.in("dt", method.title);
          html.in("dd", method.formula + (method.cost.empty() ? "" : " · cost: " + method.cost));
        }
      });
    });
  });
}

}  // namespace ascribe::core::page
