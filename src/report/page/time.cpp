// What a limit of time cut, in plain words, and where the time went.
#include <algorithm>

#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

std::string seconds_cell(const Number& seconds) {
  if (!seconds) return "–";
  return *seconds < 0.05 ? "< 0.1 s" : fmt::format("{:.1f} s", *seconds);
}

std::string shared_text(const TimeSpent& time) {
  if (time.masked_asked == 0) return "";
  return fmt::format(
      "Sections asked for {} masked inputs; {} of them had been computed for another section already and were not "
      "computed again.",
      time.masked_asked, time.masked_asked - time.masked_computed);
}

std::string pace_text(const TimeSpent& time) {
  if (!time.forward) return "";
  const std::string gradient =
      time.gradient ? fmt::format(", and {:.3g} ms with its gradient", 1e3 * *time.gradient) : "";
  return fmt::format("One input takes the model {:.3g} ms{}, measured before the work: the plan was made from this. ",
                     1e3 * *time.forward, gradient);
}

void write_part(Html& html, const SpentPart& part) {
  html.in("tr", {}, [&] {
    html.in("th", {{"scope", "row"}}, part.part);
    number_cell(html, part.planned, seconds_cell(part.planned));
    number_cell(html, part.seconds, seconds_cell(part.seconds));
    html.in("td", {{"class", "words"}}, part.stopped ? "stopped, and left out" : part.decision);
  });
}

// ---- what was cut, for everybody ----

std::string word_of_part(const Document& document, const std::string& part) {
  if (part == "players") return "the division into parts";
  if (part == "decomposition") return "what parts do together";
  if (part == "principles") return "the three checks";
  for (const Row& row : document.rows) {
    if (const std::string& title = title_of(row, part); title != part) return title;
  }
  return metric_heading(part, part);
}

// "principles, shapley", "infidelity, infidelity_scaled"
std::string words_of_part(const Document& document, const std::string& part) {
  if (part.starts_with("principles, ")) {
    return "the three checks of " + word_of_part(document, part.substr(std::string_view("principles, ").size()));
  }
  std::vector<std::string> words;
  for (size_t at = 0; at <= part.size();) {
    const size_t end = std::min(part.find(", ", at), part.size());
    words.push_back(word_of_part(document, part.substr(at, end - at)));
    at = end + 2;
  }
  return listed(words);
}

void write_plain_cuts(Html& html, const Document& document) {
  std::vector<std::string> missing, smaller;
  for (const CutPart& cut : document.time->cuts) {
    (cut.what.find("left out") != std::string::npos ? missing : smaller).push_back(words_of_part(document, cut.part));
  }
  html.in("ul", {}, [&] {
    if (!missing.empty()) html.in("li", "Missing: " + listed(missing) + ".");
    if (!smaller.empty()) html.in("li", "Coarser or less exact than usual: " + listed(smaller) + ".");
  });
}

}  // namespace

void write_cuts(Html& html, const Document& document) {
  if (!document.time || document.time->cuts.empty()) return;
  const TimeSpent& time = *document.time;
  html.in("section", {{"id", "cuts"}, {"class", "cuts"}, {"aria-labelledby", "cuts-heading"}}, [&] {
    html.in("h2", {{"id", "cuts-heading"}}, "What was cut to save time");
    html.in("p",
            fmt::format(
                "This report was given {:g} seconds, and not everything fits. What is shown is computed as it says.",
                time.budget.value_or(0)));
    write_plain_cuts(html, document);
    for_experts(html, "what exactly, and how to get it", [&] {
      html.in("ul", {}, [&] {
        for (const CutPart& cut : time.cuts) {
          html.in("li", {}, [&] {
            html.in("b", cut.part);
            html.text(": " + cut.what + ". ");
            html.in("span", {{"class", "faint"}}, cut.instead.empty() ? "" : cut.instead + ".");
          });
        }
      });
    });
  });
}

void write_cut_notice(Html& html, const Document& document) {
  if (!document.time || document.time->cuts.empty()) return;
  html.in("p", {{"class", "notice"}}, [&] {
    html.text(fmt::format("To be done within {:g} seconds, this report is smaller than usual in {}: ",
                          document.time->budget.value_or(0), plural(document.time->cuts.size(), "place")));
    html.in("a", {{"href", "#cuts"}}, "what was cut");
    html.text(".");
  });
}

void write_time(Html& html, const Document& document) {
  if (!document.time || document.time->parts.empty()) return;
  const TimeSpent& time = *document.time;
  for_experts(
      html, "where the time went",
      [&] {
        html.in("p", pace_text(time) + shared_text(time));
        scrolling(html, "Where the time went", [&] {
          html.in("table", {{"class", "sortable"}}, [&] {
            html.in("thead", {}, [&] {
              html.in("tr", {}, [&] {
                sortable_head(html, "part", false);
                sortable_head(html, "planned");
                sortable_head(html, "took");
                html.in("th", {{"scope", "col"}}, "decision");
              });
            });
            html.in("tbody", {}, [&] {
              for (const SpentPart& part : time.parts) write_part(html, part);
            });
          });
        });
      },
      Paper::without);
}

void write_absent(Html& html, const RowPage& page, const std::string& part, const std::string& heading) {
  for (const Absent& absent : page.row.absent) {
    if (absent.part != part) continue;
    section(html, page.id(part), heading, "", [&] {
      html.in("p", "This was not computed for this input.");
      for_experts(html, "why", [&] { html.in("p", "Not computed: " + absent.reason + "."); });
    });
  }
}

}  // namespace ascribe::core::page
