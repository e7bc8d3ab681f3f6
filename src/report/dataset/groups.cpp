#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "report/dataset/sections.h"

namespace ascribe::core::page::dataset {

namespace {

constexpr size_t kFeaturesOfGroup = 8;

// The features that matter most in any group.
std::vector<size_t> shown_features(const DatasetDocument& document) {
  std::vector<double> strength(document.features.size(), 0.0);
  for (const document::ExplanationGroup& group : document.groups->groups) {
    for (size_t f = 0; f < strength.size(); ++f) {
      strength[f] = std::max(strength[f], std::abs(group.means[f].value_or(0)));
    }
  }
  std::vector<size_t> order(strength.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strength[a] > strength[b]; });
  order.resize(std::min(order.size(), kFeaturesOfGroup));
  return order;
}

std::string said(const document::ExplanationGroup& group) {
  if (group.classes.empty()) return "";
  std::vector<std::string> parts;
  for (const document::OutputClass& one : group.classes) {
    parts.push_back(
        fmt::format("{} ({:.0f} %)", one.name,
                    100 * static_cast<double>(one.rows) / static_cast<double>(std::max<int64_t>(1, group.rows))));
  }
  return listed(parts);
}

void table(Html& html, const DatasetDocument& document) {
  const std::vector<size_t> features =
      document.kind == RowKind::image ? std::vector<size_t>{} : shown_features(document);
  const bool classes = !document.groups->groups[0].classes.empty();
  double largest = 0;
  for (const document::ExplanationGroup& group : document.groups->groups) {
    for (const size_t f : features) largest = std::max(largest, std::abs(group.means[f].value_or(0)));
  }
  scrolling(html, "Groups", [&] {
    html.in("table", {{"class", "sortable groups"}}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          sortable_head(html, "group", false);
          sortable_head(html, "rows");
          html.in("th", {{"scope", "col"}}, "typical row");
          if (classes) html.in("th", {{"scope", "col"}}, "the model says");
          sortable_head(html, "output: mean (middle 90 %)");
          for (const size_t f : features) sortable_head(html, document.features[f].name);
        });
      });
      html.in("tbody", {}, [&] {
        for (size_t g = 0; g < document.groups->groups.size(); ++g) {
          const document::ExplanationGroup& group = document.groups->groups[g];
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, std::to_string(g + 1));
            number_cell(html, static_cast<double>(group.rows), std::to_string(group.rows));
            html.in("td", {}, [&] { row_link(html, document, group.typical); });
            if (classes) html.in("td", said(group));
            number_cell(html, group.output_mean,
                        fmt::format("{} ({} to {})", number_text(group.output_mean), number_text(group.output_low),
                                    number_text(group.output_high)));
            for (const size_t f : features) {
              const Number& mean = group.means[f];
              html.in("td",
                      {{"class", "number"},
                       {"data-v", exact_text(mean)},
                       {"style", cell_style(largest > 0 ? mean.value_or(0) / largest : 0)}},
                      mean ? fmt::format("{:+.0f} %", 100 * *mean) : "–");
            }
          });
        }
      });
    });
  });
  html.in("p", {{"class", "saves"}}, [&] { save_table(html, "groups", groups_table(document)); });
}

}  // namespace

void write_groups(Html& html, const DatasetDocument& document) {
  const std::string reason = reason_for(document, "groups");
  part(html, "groups", "Kinds of explanations",
       "Rows that the model decides for like reasons, by " + document.trusted_method().title +
           ": each explanation is scaled until the magnitudes of its values add up to 100 %, and rows are grouped "
           "around a typical row (k-medoids; the distance is half the sum of differences). There are as many groups, "
           "two to six, as make the mean silhouette largest; groups of fewer than 2 % of the rows are not made. The "
           "numbers are the group's mean: the share of the strength, with its sign.",
       [&] {
         if (!reason.empty() || !document.groups || document.groups->groups.empty()) {
           html.in("p", reason.empty() ? "No row has an explanation that could be compared: the method says that "
                                         "nothing matters in any of them."
                                       : "Not shown: " + reason + ".");
           return;
         }
         const document::GroupList& list = *document.groups;
         html.in("p", list.clear
                          ? fmt::format("{} groups (silhouette {}).", list.groups.size(), number_text(list.silhouette))
                          : fmt::format("There are no clear groups (silhouette {} at best; 0.25 would be some "
                                        "structure): the explanations vary gradually. All rows together:",
                                        number_text(list.silhouette)));
         if (list.drawn < document.rows_explained - list.without) {
           html.in("p", {{"class", "faint"}},
                   fmt::format("Found with {}; all others are in the group whose typical row is nearest.",
                               count_text(list.drawn, "row")));
         }
         if (list.without > 0) {
           html.in("p", {{"class", "faint"}},
                   fmt::format("In {} nothing matters; they are in no group.", count_text(list.without, "row")));
         }
         if (document.picture) figure(html, document, groups_picture(document));
         table(html, document);
       });
}

}  // namespace ascribe::core::page::dataset
