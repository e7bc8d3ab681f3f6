#include <cmath>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "report/dataset/sections.h"

namespace ascribe::core::page::dataset {

std::string url_part(const std::string& name) {
  std::string part;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = is_ascii_letter_or_digit(c) || std::string_view("-_.~").find(c) != std::string_view::npos;
    part += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return part;
}

std::string count_text(int64_t count, const std::string& one) {
  std::string digits = std::to_string(count);
  for (int64_t at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return fmt::format("{} {}{}", digits, one, count == 1 ? "" : "s");
}

std::string mean_text(const Mean& mean) {
  if (!mean.mean) return "–";
  if (!mean.low || !mean.high) return number_text(mean.mean);
  return fmt::format("{} ({} to {})", number_text(mean.mean), number_text(mean.low), number_text(mean.high));
}

std::string reason_for(const DatasetDocument& document, const std::string& part) {
  for (const Absent& absent : document.absent) {
    if (absent.part == part) return absent.reason;
  }
  return "";
}

std::string feature_name(const DatasetDocument& document, size_t feature) {
  const std::string& name = document.features[feature].name;
  return document.kind != RowKind::image ? name : fmt::format("{} {}", document.noun, name);
}

void part(Html& html, const std::string& id, const std::string& heading, const std::string& how_to_read,
          const std::function<void()>& content) {
  html.in("section", {{"id", id}, {"aria-labelledby", id + "-heading"}}, [&] {
    html.in("h2", {{"id", id + "-heading"}}, heading);
    if (!how_to_read.empty()) {
      html.in("details", {{"class", "how"}}, [&] {
        html.in("summary", "How to read this");
        html.in("p", how_to_read);
      });
    }
    content();
  });
}

void save_table(Html& html, const std::string& name, const Table& numbers) {
  html.in("a",
          {{"class", "save"}, {"download", name + ".csv"}, {"href", "data:text/csv;base64," + base64(numbers.csv())}},
          "Save as CSV");
}

void figure(Html& html, const DatasetDocument& document, const DatasetPicture& picture, std::optional<size_t> method) {
  const std::string of_method = method ? std::to_string(*method) : "";
  html.in("div", {{"class", "picture"}, {"data-name", picture.name}, {"data-method", of_method}}, [&] {
    scrolling(html, picture.label, [&] { html.drawing(picture.svg, picture.label, {{"class", "chart"}}); });
    if (method) html.in("p", {{"class", "reading faint"}, {"aria-live", "polite"}}, "");
    html.in("p", {{"class", "saves"}}, [&] {
      const std::string beside =
          document.folder.empty() ? "" : "./" + url_part(document.folder) + "/" + url_part(picture.name) + ".svg";
      if (beside.empty()) {
        html.in("a", {{"class", "save svg"}, {"hidden", ""}, {"download", picture.name + ".svg"}}, "Save as SVG");
      } else {
        html.in("a", {{"class", "save svg"}, {"download", picture.name + ".svg"}, {"href", beside}}, "Save as SVG");
      }
      save_table(html, picture.name, picture.numbers);
    });
  });
}

void row_link(Html& html, const DatasetDocument& document, int64_t row) {
  const bool has_page =
      !document.folder.empty() && std::find(document.pages.begin(), document.pages.end(), row) != document.pages.end();
  if (!has_page) {
    html.text(fmt::format("row {}", row));
    return;
  }
  html.in("a", {{"href", fmt::format("./{}/row-{}.html", url_part(document.folder), row)}}, fmt::format("row {}", row));
}

void row_command(Html& html, const DatasetDocument& document) {
  if (document.row_command.empty()) return;
  html.in("p", {{"class", "faint"}}, [&] {
    html.text("Any row has a page of its own when this is run, with its number for {row}: ");
    html.in("code", document.row_command);
  });
}

void listed_rows(Html& html, const DatasetDocument& document, const std::vector<document::ListedRow>& rows,
                 const std::string& name, const std::string& measure, bool two_methods) {
  const bool pictures = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.picture.has_value(); });
  // Where the model gives one number, all rows have the same said of it.
  const bool targets =
      std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.target != rows[0].target; });
  scrolling(html, measure, [&] {
    html.in("table", {{"class", "sortable"}}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          sortable_head(html, "row", false);
          if (pictures) html.in("th", {{"scope", "col"}}, "input");
          sortable_head(html, "source", false);
          if (targets) sortable_head(html, "explained", false);
          sortable_head(html, "output");
          sortable_head(html, measure);
          sortable_head(html, two_methods ? "furthest apart" : "method", false);
        });
      });
      html.in("tbody", {}, [&] {
        for (const document::ListedRow& row : rows) {
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, [&] { row_link(html, document, row.number); });
            if (pictures) {
              html.in("td", {}, [&] {
                if (!row.picture) return;
                html.single("img", {{"class", "thumb"}, {"alt", row.source}, {"src", data_uri(*row.picture)}});
              });
            }
            html.in("td", row.source);
            if (targets) html.in("td", row.target);
            number_cell(html, row.output, number_text(row.output));
            number_cell(html, row.measure, percent_text(row.measure));
            html.in("td", two_methods ? row.first + " and " + row.second : row.first);
          });
        }
      });
    });
  });
  html.in("p", {{"class", "saves"}}, [&] { save_table(html, name, listed_table(rows, "share")); });
}

}  // namespace ascribe::core::page::dataset
