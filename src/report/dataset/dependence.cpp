#include <cmath>

#include <fmt/format.h>

#include "report/dataset/sections.h"

namespace ascribe::core::page::dataset {

namespace {

constexpr double kWeakEffects = 0.02, kWeakValues = 0.2;

std::string partner_text(const DatasetDocument& document, const document::Dependence& one) {
  if (!one.partner) return "No other column changes what this one does by more than rounding.";
  const std::string& partner = document.features[*one.partner].name;
  const double strength = std::abs(one.strength.value_or(0));
  if (one.rule == "effects") {
    const std::string share = fmt::format("{} of the mean magnitude of this column", percent_text(one.strength));
    return strength < kWeakEffects
               ? fmt::format("Its strongest partner is {}, but what the two do together is only {}.", partner, share)
               : fmt::format("Strongest partner: {}. What the two do together is as large as {}.", partner, share);
  }
  return fmt::format("{}: {} (rank correlation {} with what this column's own value leaves open).",
                     strength < kWeakValues ? "Its values hardly depend on others; the nearest" : "Strongest partner",
                     partner, number_text(one.strength));
}

}  // namespace

void write_dependence(Html& html, const DatasetDocument& document) {
  if (document.dependences.empty()) return;
  bool by_effects = false, by_values = false;
  for (const document::Dependence& one : document.dependences) {
    by_effects = by_effects || one.rule == "effects";
    by_values = by_values || one.rule == "values";
  }
  std::string rule;
  if (by_effects) {
    rule += fmt::format(
        " The partner is found by masking: in {} every set of the strongest columns was masked, and the "
        "partner is the column with the largest mean Shapley interaction index.",
        document.spectrum ? count_text(document.spectrum->rows, "row") : "some rows");
  }
  if (by_values) {
    rule +=
        " Where effects could not be measured, it is the column whose values go best with what the column's own "
        "value leaves open (rank correlation).";
  }
  part(html, "dependence", "What values do",
       "Each dot is a row: how large the value is (across), what it contributed (up), by " +
           document.trusted_method().title +
           ". Dots of the same value at different heights mean that something else matters too: the colour shows "
           "the other column that does so most." +
           rule,
       [&] {
         if (static_cast<int64_t>(document.shown.size()) < document.rows_explained) {
           html.in("p", {{"class", "faint"}},
                   fmt::format("Dots: {} of {}, evenly spaced.", document.shown.size(),
                               count_text(document.rows_explained, "row")));
         }
         html.in("div", {{"class", "grid"}}, [&] {
           for (const document::Dependence& one : document.dependences) {
             html.in("div", {{"class", "cell"}, {"data-feature", std::to_string(one.feature)}}, [&] {
               figure(html, document, dependence_picture(document, one), document.trusted);
               html.in("p", {{"class", "faint"}}, partner_text(document, one));
             });
           }
         });
       });
}

}  // namespace ascribe::core::page::dataset
