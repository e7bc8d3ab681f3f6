#include "report/page.h"

#include <cstdint>

#include <fmt/format.h>

#include "report/page/assets.h"
#include "report/page/first_words.h"
#include "report/page/head.h"
#include "report/page/sections.h"
#include "study/trusted.h"

namespace ascribe::core {

namespace page {
namespace {

// Nothing is fetched from anywhere, and no script runs but the page's own.
std::string content_policy() {
  return "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src " + policy_hash(kReportJs) +
         "; base-uri 'none'; form-action 'none'";
}

std::string own_styles(const Document& document, const std::string& record) {
  std::string css = ramp_style() + paper_styles(document, record);
  for (size_t i = 0; i < document.rows.size(); ++i) {
    if (document.rows[i].image) css += ground_style(i, *document.rows[i].image);
    for (size_t k = 0; k < document.rows[i].parts.size(); ++k) {
      const auto& image = document.rows[i].parts[k].image;
      if (image) css += fmt::format(".ground{}-{}{{background-image:url({})}}\n", i, k, data_uri(*image));
    }
  }
  return css;
}

void write_head(Html& html, const Document& document, const std::string& record) {
  html.in("head", {}, [&] {
    html.single("meta", {{"charset", "utf-8"}});
    html.single("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", content_policy()}});
    html.single("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html.single("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
    html.single("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
    html.single("meta", {{"name", "generator"}, {"content", "ascribe"}});
    html.single("link", {{"rel", "icon"}, {"href", "data:,"}});
    html.in("title", page_title(document));
    html.style_sheet(kReportCss);
    html.style_sheet(own_styles(document, record));
  });
}

struct Entry {
  std::string id, text;
};

std::vector<Entry> contents(const RowPage& page) {
  const Row& row = page.row;
  std::vector<Entry> entries = {{"summary", "In short"},
                                {"prediction", "What it said"},
                                {"maps", "All methods"},
                                {"players", "All values"},
                                {"completeness", "Does it add up?"}};
  if (row.effects) entries.push_back({"effects", "Alone and together"});
  if (row.estimated) entries.push_back({"estimated", "In finer parts"});
  if (row.principles) entries.push_back({"principles", "Three checks"});
  if (row.agreement || !row.differences.empty()) entries.push_back({"agreement", "Do they agree?"});
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
              html.in("span", {{"class", "faint"}}, headline({document, row, i}));
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
            // Of a single row the first screen says what it is.
            html.in("h2", {{"id", id + "-heading"}, {"class", page.document.rows.size() == 1 ? "hidden" : "source"}},
                    row.source);
            if (page.document.rows.size() > 1) {
              html.in("nav", {{"class", "inner"}, {"aria-label", "Sections of " + row.source}}, [&] {
                html.in("ul", {}, [&] {
                  for (const Entry& entry : contents(page)) link(html, page.id(entry.id), entry.text);
                });
              });
            }
            write_first_screen(html, page);
            write_prediction(html, page);
            if (!row.parts.empty()) write_inputs(html, page);
            else if (row.kind == RowKind::text) write_text(html, page);
            else if (row.kind == RowKind::series) write_series(html, page);
            else if (row.kind == RowKind::table) write_bars(html, page);
            else write_maps(html, page);
            write_players(html, page);
            write_completeness(html, page);
            write_effects(html, page);
            write_estimated(html, page);
            write_principles(html, page);
            write_agreement(html, page);
            write_metrics(html, page);
          });
}

void write_header(Html& html, const Document& document) {
  html.in("header", {}, [&] {
    html.in("div", {{"class", "title"}}, [&] {
      html.in("h1", page_title(document));
      html.in("p", {{"class", "faint"}},
              document.created.empty() ? document.model_file() : document.model_file() + ", " + document.created);
    });
    html.in("div", {{"class", "switches"}}, [&] {
      html.in("button", {{"type", "button"}, {"id", "depth"}, {"aria-pressed", "false"}, {"hidden", ""}},
              "For experts");
      html.in("button", {{"type", "button"}, {"id", "theme"}, {"hidden", ""}}, "Dark");
    });
  });
}

void write_body(Html& html, const Document& document, const std::string& record) {
  html.in("a", {{"class", "skip"}, {"href", "#main"}}, "Skip to the content");
  write_header(html, document);
  write_navigation(html, document);
  html.in("main", {{"id", "main"}, {"tabindex", "-1"}}, [&] {
    write_cut_notice(html, document);
    if (document.rows.size() > 1) write_index(html, document);
    for (size_t i = 0; i < document.rows.size(); ++i) write_row(html, {document, document.rows[i], i});
    write_cuts(html, document);
    write_settings(html, document, record);
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

std::string report_page(const document::Document& given) {
  document::Document document = given;
  for (document::Row& row : document.rows) row.trusted = document::trusted_in(row);  // found once
  const std::string record = file_hash(given);
  page::Html html;
  html.in("html", {{"lang", "en"}}, [&] {
    page::write_head(html, document, record);
    html.in("body", {}, [&] { page::write_body(html, document, record); });
  });
  return "<!doctype html>\n" + html.str();
}

}  // namespace ascribe::core
