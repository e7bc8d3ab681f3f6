// All that is needed to make the page again.
#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

void write_table(Html& html, const std::string& caption, const NamedTexts& entries) {
  scrolling(html, caption, [&] {
    html.in("table", {{"class", "settings"}}, [&] {
      html.in("caption", caption);
      html.in("tbody", {}, [&] {
        for (const auto& [name, value] : entries) {
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, name);
            html.in("td", value);
          });
        }
      });
    });
  });
}

NamedTexts settings_of(const Report& report) {
  NamedTexts entries = {{"program", report.program + " " + report.version}};
  if (!report.created.empty()) entries.emplace_back("created", report.created);
  if (report.seconds) entries.emplace_back("seconds", fmt::format("{:.1f}", *report.seconds));
  for (const auto& entry : report.settings) {
    if (entry.first != "command") entries.push_back(entry);
  }
  return entries;
}

}  // namespace

void write_settings(Html& html, const Report& report) {
  html.in("section", {{"id", "settings"}, {"aria-labelledby", "settings-heading"}}, [&] {
    html.in("h2", {{"id", "settings-heading"}}, "How this was made");
    html.in("p", "The same program, model, input and settings give the same numbers again; only the times differ.");
    if (!report.command.empty()) {
      html.in("div", {{"class", "command"}}, [&] {
        html.in("pre", {{"tabindex", "0"}, {"role", "region"}, {"aria-label", "Command to make this report again"}},
                [&] { html.in("code", report.command); });
        html.in("button", {{"type", "button"}, {"class", "copy"}, {"hidden", ""}}, "Copy");
      });
    }
    html.in("div", {{"class", "columns"}}, [&] {
      html.in("div", {{"class", "wide"}}, [&] { write_table(html, "Model", report.model); });
      html.in("div", {{"class", "wide"}}, [&] { write_table(html, "Settings", settings_of(report)); });
    });
    for (const std::string& note : report.notes) html.in("p", {{"class", "faint"}}, "Note: " + note);
  });
}

}  // namespace ascribe::core::page
