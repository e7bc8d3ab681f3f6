#include "report/page.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "draw/diverging.h"
#include "report/page/assets.h"
#include "report/page/sections.h"

namespace ascribe::core {

namespace page {
namespace {

// As Content-Security-Policy wants it: base64 of the bytes.
std::string policy_hash(std::string_view code) {
  const std::string digits = sha256(code);
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return "'sha256-" + base64(bytes) + "'";
}

// Nothing is fetched from anywhere, and no script runs but the page's own.
std::string content_policy() {
  return "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src " + policy_hash(kReportJs) +
         "; base-uri 'none'; form-action 'none'";
}

// The colours of report/diverging.h from -1 to 1, for the script and for the ramps beside the maps.
std::vector<std::string> color_table() {
  constexpr int kSteps = 100;
  std::vector<std::string> colors;
  for (int i = -kSteps; i <= kSteps; ++i) colors.push_back(hex(diverging(static_cast<double>(i) / kSteps)));
  return colors;
}

std::string own_styles(const Document& document) {
  std::string css = ".ramp{background:linear-gradient(to right";
  for (int i = -10; i <= 10; ++i) css += "," + hex(diverging(i / 10.0));
  css += ")}\n";
  for (size_t i = 0; i < document.rows.size(); ++i) {
    for (size_t k = 0; k < document.rows[i].parts.size(); ++k) {
      const auto& image = document.rows[i].parts[k].image;
      if (image) css += fmt::format(".ground{}-{}{{background-image:url({})}}\n", i, k, data_uri(*image));
    }
    if (!document.rows[i].image) continue;
    css += fmt::format(".ground{}{{background-image:url({})}}\n", i, data_uri(*document.rows[i].image));
  }
  return css;
}

void write_head(Html& html, const Document& document) {
  html.in("head", {}, [&] {
    html.single("meta", {{"charset", "utf-8"}});
    html.single("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", content_policy()}});
    html.single("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html.single("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
    html.single("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
    html.single("meta", {{"name", "generator"}, {"content", "ascribe"}});
    html.single("link", {{"rel", "icon"}, {"href", "data:,"}});
    html.in("title", document.title);
    html.style_sheet(kReportCss);
    html.style_sheet(own_styles(document));
  });
}

struct Entry {
  std::string id, text;
};

std::vector<Entry> contents(const RowPage& page) {
  const Row& row = page.row;
  std::vector<Entry> entries = {{"summary", "In short"}, {"prediction", "Prediction"}};
  entries.push_back({"maps", !row.parts.empty()            ? "Inputs"
                             : row.kind == RowKind::image  ? "Maps"
                             : row.kind == RowKind::table  ? "Bars"
                             : row.kind == RowKind::text   ? "Text"
                             : row.kind == RowKind::series ? "Over time"
                                                           : "Strips"});
  entries.push_back({"players", "Players"});
  entries.push_back({"completeness", "Completeness"});
  if (row.effects) entries.push_back({"effects", "Alone and together"});
  if (row.principles) entries.push_back({"principles", "Principles"});
  if (row.agreement || !row.differences.empty()) entries.push_back({"agreement", "Agreement"});
  if (!row.metrics.empty()) entries.push_back({"metrics", "Tests"});
  return entries;
}

void link(Html& html, const std::string& id, const std::string& text) {
  html.in("li", {}, [&] { html.in("a", {{"href", "#" + id}}, text); });
}

// Of one row its sections, of several the rows.
void write_navigation(Html& html, const Document& document) {
  html.in("nav", {{"aria-label", "Contents"}}, [&] {
    html.in("ul", {}, [&] {
      if (document.rows.size() == 1) {
        const RowPage page{document, document.rows[0], 0};
        for (const Entry& entry : contents(page)) link(html, page.id(entry.id), entry.text);
      } else {
        link(html, "inputs", "Inputs");
      }
      if (document.time && !document.time->cuts.empty()) link(html, "cuts", "What was cut");
      link(html, "settings", "How this was made");
      link(html, "words", "Words");
    });
  });
}

void write_index(Html& html, const Document& document) {
  html.in("section", {{"id", "inputs"}, {"aria-labelledby", "inputs-heading"}}, [&] {
    html.in("h2", {{"id", "inputs-heading"}}, plural(document.rows.size(), "input"));
    html.in("ol", {{"class", "index"}}, [&] {
      for (size_t i = 0; i < document.rows.size(); ++i) {
        const Row& row = document.rows[i];
        html.in("li", {}, [&] {
          html.in("a", {{"href", "#row" + std::to_string(i)}}, [&] {
            if (row.image) html.in("span", {{"class", "thumb ground" + std::to_string(i)}}, "");
            html.in("span", {}, [&] {
              html.in("b", row.source);
              html.in("span", {{"class", "faint"}}, fmt::format("{} {}", target_text(row), number_text(row.output)));
            });
          });
        });
      }
    });
  });
}

void write_row(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string id = "row" + std::to_string(page.number);
  html.in("article", {{"id", id}, {"data-row", std::to_string(page.number)}, {"aria-labelledby", id + "-heading"}},
          [&] {
            html.in("h2", {{"id", id + "-heading"}}, fmt::format("{}: {}", row.source, explained_text(row)));
            if (page.document.rows.size() > 1) {
              html.in("nav", {{"class", "inner"}, {"aria-label", "Sections of " + row.source}}, [&] {
                html.in("ul", {}, [&] {
                  for (const Entry& entry : contents(page)) link(html, page.id(entry.id), entry.text);
                });
              });
            }
            write_summary(html, page);
            write_prediction(html, page);
            if (!row.parts.empty()) write_inputs(html, page);
            else if (row.kind == RowKind::text) write_text(html, page);
            else if (row.kind == RowKind::series) write_series(html, page);
            else if (row.kind == RowKind::table) write_bars(html, page);
            else write_maps(html, page);
            write_players(html, page);
            write_completeness(html, page);
            write_effects(html, page);
            write_principles(html, page);
            write_agreement(html, page);
            write_metrics(html, page);
          });
}

void write_header(Html& html, const Document& document) {
  html.in("header", {}, [&] {
    html.in("div", {{"class", "title"}}, [&] {
      html.in("h1", document.title);
      html.in("p", {{"class", "faint"}},
              document.created.empty() ? document.model_file() : document.model_file() + ", " + document.created);
    });
    html.in("button", {{"type", "button"}, {"id", "theme"}, {"hidden", ""}}, "Dark");
  });
}

void write_body(Html& html, const Document& document) {
  html.in("a", {{"class", "skip"}, {"href", "#main"}}, "Skip to the content");
  write_header(html, document);
  write_navigation(html, document);
  html.in("main", {{"id", "main"}, {"tabindex", "-1"}}, [&] {
    write_cut_notice(html, document);
    if (document.rows.size() > 1) write_index(html, document);
    for (size_t i = 0; i < document.rows.size(); ++i) write_row(html, {document, document.rows[i], i});
    write_cuts(html, document);
    write_settings(html, document);
    write_words(html);
  });
  html.in("footer", {}, [&] {
    html.in("p", {{"class", "faint"}},
            fmt::format("Made by {} {}. This page holds all its data and fetches nothing.", document.program.name,
                        document.program.version));
  });
  Json rows = Json::list();
  for (const Row& row : document.rows) rows.push(script_data(row));
  html.data("report-data", Json::object({{"colors", color_table()}, {"rows", std::move(rows)}}));
  html.script(kReportJs);
}

}  // namespace
}  // namespace page

std::string report_page(const document::Document& document) {
  page::Html html;
  html.in("html", {{"lang", "en"}}, [&] {
    page::write_head(html, document);
    html.in("body", {}, [&] { page::write_body(html, document); });
  });
  return "<!doctype html>\n" + html.str();
}

}  // namespace ascribe::core
