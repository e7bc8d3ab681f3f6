#include "serve/drawing.h"

#include "report/page/head.h"
#include "report/page/sections.h"
#include "study/trusted.h"

namespace ascribe::core::serve {

namespace {

using namespace page;

void write_methods(Html& html, const RowPage& page) {
  switch (page.row.kind) {
    case RowKind::text: return write_text(html, page);
    case RowKind::series: return write_series(html, page);
    case RowKind::table: return write_bars(html, page);
    default: return write_maps(html, page);
  }
}

void write_notes(Html& html, const Row& row) {
  bool any = false;
  for (const MethodResult& method : row.methods) any = any || !method.notes.empty();
  if (!any) return;
  html.in("details", {{"class", "how"}}, [&] {
    html.in("summary", "Notes on the methods");
    html.in("ul", {}, [&] {
      for (const MethodResult& method : row.methods) {
        for (const std::string& note : method.notes) html.in("li", method.title + ": " + note);
      }
    });
  });
}

// No method could be run.
void write_reasons(Html& html, const Row& row) {
  html.in("section", {}, [&] {
    html.in("h3", "None of these methods suits the model");
    for (const LeftOut& left : row.left_out) html.in("p", left.method + ": " + left.reason);
  });
}

}  // namespace

Json drawing(const document::Row& row, size_t number) {
  Document document;
  document.rows = {row};
  document.rows[0].trusted = document::trusted_in(row);
  const RowPage page{document, document.rows[0], number};
  Html html;
  if (row.image) html.style_sheet(ground_style(number, *row.image));
  html.in("article", {{"data-row", std::to_string(number)}, {"aria-label", "What the methods say"}}, [&] {
    if (row.methods.empty()) return write_reasons(html, row);
    write_methods(html, page);
    write_notes(html, row);
  });
  return Json::object({{"html", html.str()}, {"data", row.methods.empty() ? Json() : script_data(row)}});
}

Json top_json(const std::vector<document::TopClass>& top) {
  Json list = Json::list();
  for (const document::TopClass& one : top) {
    list.push(Json::object(
        {{"index", one.index}, {"label", one.label}, {"value", one.value}, {"probability", one.probability}}));
  }
  return list;
}

}  // namespace ascribe::core::serve
