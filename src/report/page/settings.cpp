// All that is needed to make the page again.
#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

void write_table(Html& html, const std::string& caption, const Facts& facts) {
  scrolling(html, caption, [&] {
    html.in("table", {{"class", "settings"}}, [&] {
      html.in("caption", caption);
      html.in("tbody", {}, [&] {
        for (const auto& fact : facts) {
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, fact.key);
            html.in("td", fact_text(fact.value));
          });
        }
      });
    });
  });
}

Facts settings_of(const Document& document, const std::string& record) {
  Facts facts = {{"program", document.program.name + " " + document.program.version}};
  if (!document.created.empty()) facts.push_back({"created", document.created});
  facts.push_back({"SHA-256 of report.json", record});
  if (document.seconds) facts.push_back({"seconds", fmt::format("{:.1f}", *document.seconds)});
  for (const JsonMember& fact : document.settings) {
    if (fact.key != "command") facts.push_back(fact);
  }
  return facts;
}

}  // namespace

void write_settings(Html& html, const Document& document, const std::string& record) {
  html.in("section", {{"id", "settings"}, {"aria-labelledby", "settings-heading"}}, [&] {
    html.in("h2", {{"id", "settings-heading"}}, "How this was made");
    html.in("p", fmt::format("By {} {}, from the model {}{}. The same program, model, input and settings give the same "
                             "numbers again; only the times differ.",
                             document.program.name, document.program.version, document.model_file(),
                             document.created.empty() ? "" : ", on " + document.created));
    if (!document.notes.empty()) {
      html.in("p", plural(document.notes.size(), "thing") + " had to be assumed or chosen; they are listed below.");
    }
    if (!document.command().empty()) {
      html.in("div", {{"class", "command"}}, [&] {
        html.in("pre", {{"tabindex", "0"}, {"role", "region"}, {"aria-label", "Command to make this report again"}},
                [&] { html.in("code", document.command()); });
        html.in("button", {{"type", "button"}, {"class", "copy"}, {"hidden", ""}}, "Copy");
      });
    }
    if (!document.notes.empty()) {
      for_experts(html, "what was assumed or chosen", [&] {
        for (const std::string& note : document.notes) html.in("p", {{"class", "faint"}}, "Note: " + note);
      });
    }
    for_experts(html, "the model and all settings", [&] {
      html.in("div", {{"class", "columns"}}, [&] {
        html.in("div", {{"class", "wide"}}, [&] { write_table(html, "Model", document.model); });
        html.in("div", {{"class", "wide"}}, [&] { write_table(html, "Settings", settings_of(document, record)); });
      });
    });
    write_time(html, document);
  });
}

}  // namespace ascribe::core::page
