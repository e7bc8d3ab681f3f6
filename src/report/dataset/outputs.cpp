#include <fmt/format.h>

#include "report/dataset/sections.h"

namespace ascribe::core::page::dataset {

namespace {

void classes(Html& html, const DatasetDocument& document) {
  const document::Outputs& outputs = document.outputs;
  Table table{{"class", "rows", "mean_" + outputs.explains}};
  scrolling(html, "Classes", [&] {
    html.in("table", {{"class", "sortable"}}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          sortable_head(html, "class", false);
          sortable_head(html, "rows");
          sortable_head(html, "share");
          sortable_head(html, "mean " + outputs.explains);
        });
      });
      html.in("tbody", {}, [&] {
        for (const document::OutputClass& one : outputs.classes) {
          const double share = static_cast<double>(one.rows) / static_cast<double>(document.rows_explained);
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, one.name);
            number_cell(html, static_cast<double>(one.rows), std::to_string(one.rows));
            html.in("td", {{"class", "number"}, {"data-v", exact_text(share)}}, [&] {
              html.text(percent_text(share));
              html.in("span", {{"class", "meter"}}, [&] {
                html.in("span", {{"style", fmt::format("width:{:.1f}%", 100 * share)}}, "");
              });
            });
            number_cell(html, one.mean, number_text(one.mean));
          });
          table.rows.push_back({plain_cell(one.name), std::to_string(one.rows), exact_text(one.mean)});
        }
      });
    });
  });
  if (outputs.other_classes > 0) {
    html.in("p", {{"class", "faint"}},
            fmt::format("{} more with {} are not listed.",
                        outputs.other_classes == 1 ? "1 class" : fmt::format("{} classes", outputs.other_classes),
                        count_text(outputs.other_rows, "row")));
  }
  html.in("p", {{"class", "saves"}}, [&] { save_table(html, "classes", table); });
}

}  // namespace

void write_outputs(Html& html, const DatasetDocument& document) {
  part(html, "outputs", "What the model says",
       "What the model says of the rows, and how large the number is that the methods explain.", [&] {
         html.in("div", {{"class", "columns"}}, [&] {
           if (!document.outputs.classes.empty()) {
             html.in("div", {{"class", "wide"}}, [&] { classes(html, document); });
           }
           if (!document.outputs.counts.empty()) {
             html.in("div", {{"class", "wide"}}, [&] { figure(html, document, outputs_picture(document)); });
           }
         });
       });
}

}  // namespace ascribe::core::page::dataset
