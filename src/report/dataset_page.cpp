#include "report/dataset_page.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "report/dataset/sections.h"
#include "report/page.h"
#include "report/page/assets.h"
#include "report/page/head.h"
#include "report/pdf.h"
#include "report/report_files.h"

namespace ascribe::core {

namespace page::dataset {
namespace {

// Nothing is fetched from anywhere, and no script runs but the page's own.
void head(Html& html, const DatasetDocument& document, const std::string& record) {
  const std::string policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src " +
                             policy_hash(kDatasetJs) + "; base-uri 'none'; form-action 'none'";
  html.single("meta", {{"charset", "utf-8"}});
  html.single("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}});
  html.single("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.single("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  html.single("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  html.single("meta", {{"name", "generator"}, {"content", "ascribe"}});
  html.single("link", {{"rel", "icon"}, {"href", "data:,"}});
  html.in("title", document.head.title);
  html.style_sheet(kDatasetCss);
  html.style_sheet(paper_styles(document.head, record));
}

void navigation(Html& html, const DatasetDocument& document) {
  const auto link = [&](const char* id, const std::string& text) {
    html.in("li", {}, [&] { html.in("a", {{"href", std::string("#") + id}}, text); });
  };
  html.in("nav", {{"aria-label", "Contents"}}, [&] {
    html.in("ul", {}, [&] {
      link("summary", "In short");
      link("outputs", "What the model says");
      link("magnitudes", "What matters");
      if (!document.dependences.empty()) link("dependence", "What values do");
      link("groups", "Kinds");
      link("spectrum", "Alone or together");
      link("disagreement", "Disagreement");
      link("misses", "Not adding up");
      if (document.failed_rows > 0) link("failed", "Failed rows");
      link("methods", "Methods");
      if (document.head.time && !document.head.time->cuts.empty()) link("cuts", "What was cut");
      link("settings", "How this was made");
      link("words", "Words");
    });
  });
}

// Numbers for pointing at dots: what the pictures have, once.
Json script_data(const DatasetDocument& document) {
  Json rows = Json::list();
  for (const document::ShownRow& row : document.shown) {
    rows.push(Json::object({{"number", row.number},
                            {"source", row.source},
                            {"target", row.target},
                            {"output", row.output},
                            {"values", row.values},
                            {"attributions", row.attributions}}));
  }
  Json features = Json::list();
  for (const size_t f : document.drawn) {
    features.push(Json::object({{"name", document.features[f].name}, {"categories", document.features[f].categories}}));
  }
  Json methods = Json::list();
  for (const DatasetMethod& method : document.methods) methods.push(method.title);
  return Json::object({{"colors", Json::list()},
                       {"rows", std::move(rows)},
                       {"features", std::move(features)},
                       {"methods", std::move(methods)},
                       {"trusted", document.trusted}});
}

void body(Html& html, const DatasetDocument& document, const std::string& record) {
  html.in("a", {{"class", "skip"}, {"href", "#main"}}, "Skip to the content");
  html.in("header", {}, [&] {
    html.in("div", {{"class", "title"}}, [&] {
      html.in("h1", document.head.title);
      html.in("p", {{"class", "faint"}},
              document.head.created.empty() ? document.head.model_file()
                                            : document.head.model_file() + ", " + document.head.created);
    });
    html.in("button", {{"type", "button"}, {"id", "theme"}, {"hidden", ""}}, "Dark");
  });
  navigation(html, document);
  html.in("main", {{"id", "main"}, {"tabindex", "-1"}}, [&] {
    write_cut_notice(html, document.head);
    write_first(html, document);
    write_outputs(html, document);
    write_magnitudes(html, document);
    write_dependence(html, document);
    write_groups(html, document);
    write_spectrum(html, document);
    write_agreement(html, document);
    write_misses(html, document);
    write_failed(html, document);
    write_methods(html, document);
    write_cuts(html, document.head);
    write_settings(html, document.head, record);
    dataset::write_words(html);
  });
  html.in("footer", {}, [&] {
    html.in("p", {{"class", "faint"}},
            fmt::format("Made by {} {}. This page holds all its data and fetches nothing.", document.head.program.name,
                        document.head.program.version));
  });
  html.data("report-data", script_data(document));
  html.script(kDatasetJs);
}

}  // namespace
}  // namespace page::dataset

std::string dataset_page(const document::DatasetDocument& document) {
  const std::string record = sha256(file_text(document));
  page::Html html;
  html.in("html", {{"lang", "en"}}, [&] {
    html.in("head", {}, [&] { page::dataset::head(html, document, record); });
    html.in("body", {}, [&] { page::dataset::body(html, document, record); });
  });
  return "<!doctype html>\n" + html.str();
}

std::string dataset_bytes(const document::DatasetDocument& document, const std::filesystem::path& page) {
  std::string html = dataset_page(document);
  return page.extension() == ".pdf" ? pdf_of(html) : html;
}

std::string dataset_folder(const std::filesystem::path& page) { return page.stem().string() + "_files"; }

DatasetFiles dataset_files(study::DatasetReport& report, const std::filesystem::path& page) {
  const std::string name = page.filename().string();
  const std::string data = std::filesystem::path(name).replace_extension(".json").string();
  if (name.empty() || name == data) {
    fail(ErrorKind::argument, page.string(),
         "expected the name of a page, such as report.html; its data are beside it");
  }
  DatasetFiles files;
  files.folder = dataset_folder(page);
  report.document.folder = files.folder;
  files.beside = {{data, file_text(report.document)}, {name, dataset_bytes(report.document, page)}};
  for (const DatasetPicture& picture : dataset_pictures(report.document)) {
    files.inside.push_back({picture.name + ".svg", picture.svg.finish()});
    files.inside.push_back({picture.name + ".csv", picture.numbers.csv()});
  }
  for (const study::RowPageOf& row : report.pages) {
    files.inside.push_back({fmt::format("row-{}.html", row.row), report_page(row.document)});
  }
  return files;
}

}  // namespace ascribe::core
