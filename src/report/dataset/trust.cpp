// Where explanations cannot be trusted: methods that disagree, sums that miss, rows without an explanation.
#include <algorithm>

#include <fmt/format.h>

#include "report/dataset/sections.h"

namespace ascribe::core::page::dataset {

namespace {

std::string title_of_method(const DatasetDocument& document, const std::string& name) {
  const auto found = std::find_if(document.methods.begin(), document.methods.end(),
                                  [&](const DatasetMethod& method) { return method.name == name; });
  return found == document.methods.end() ? name : found->title;
}

void matrix(Html& html, const DatasetDocument& document) {
  scrolling(html, "Agreement of methods", [&] {
    html.in("table", {{"class", "matrix"}}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          html.in("td", "");
          for (const std::string& name : document.agreeing) {
            html.in("th", {{"scope", "col"}}, title_of_method(document, name));
          }
        });
      });
      html.in("tbody", {}, [&] {
        for (size_t i = 0; i < document.agreement.size(); ++i) {
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, title_of_method(document, document.agreeing[i]));
            for (const Number& one : document.agreement[i]) {
              html.in("td", {{"style", cell_style(one ? 2 * *one - 1 : 0)}}, percent_text(one));
            }
          });
        }
      });
    });
  });
}

}  // namespace

void write_agreement(Html& html, const DatasetDocument& document) {
  part(html, "disagreement", "Where the methods disagree",
       "Two explanations of a row are compared after each is scaled until the magnitudes of its values add up to "
       "100 %: the share of the strength that both place alike is their agreement, signs included. 100 %: the same "
       "but for a factor; 0 %: nothing in common, or opposite. Methods that give slopes are not compared.",
       [&] {
         if (document.agreeing.size() < 2) {
           html.in("p", "There is one method only; there is nothing to compare it with.");
           return;
         }
         html.in("p", fmt::format("Mean agreement over all rows and pairs of methods: {}.",
                                  percent_text(document.agreement_mean.mean)));
         matrix(html, document);
         html.in("h3", "Rows where they disagree most");
         if (document.disagreements.empty()) {
           html.in("p", "In no row do two methods differ.");
           return;
         }
         listed_rows(html, document, document.disagreements, "disagreements", "placed differently", true);
         row_command(html, document);
       });
}

void write_misses(Html& html, const DatasetDocument& document) {
  const bool promised = document.misses_of_promised.value_or(0) > document::kSmallMiss;
  part(html, "misses", "Where values do not add up",
       "The contributions of a row should add up to the change of the output. What is missing is given as a share "
       "of the strength of the row's values. Some methods promise that nothing is missing; for the others it is "
       "their nature.",
       [&] {
         const bool any = std::any_of(document.methods.begin(), document.methods.end(),
                                      [](const DatasetMethod& method) { return method.complete; });
         if (any && !promised) {
           html.in("p", "Methods that promise to add up do so in every row (less than 1 % is missing).");
         }
         if (document.misses.empty()) {
           html.in("p", "In no row does any method miss more than 1 %.");
           return;
         }
         html.in("p", promised ? "The worst rows of methods that promise to add up:"
                               : "The worst rows of methods that do not promise it:");
         listed_rows(html, document, document.misses, "misses", "missing", false);
       });
}

void write_failed(Html& html, const DatasetDocument& document) {
  if (document.failed_rows == 0) return;
  part(html, "failed", "Rows without an explanation", "", [&] {
    html.in("p", fmt::format("{} could not be explained, and no figure on this page has them.",
                             count_text(document.failed_rows, "row")));
    Table table{{"row", "source", "reason"}};
    scrolling(html, "Rows without an explanation", [&] {
      html.in("table", {{"class", "sortable"}}, [&] {
        html.in("thead", {}, [&] {
          html.in("tr", {}, [&] {
            for (const char* head : {"row", "source", "reason"}) sortable_head(html, head, false);
          });
        });
        html.in("tbody", {}, [&] {
          for (const document::FailedRow& row : document.failed) {
            html.in("tr", {}, [&] {
              html.in("th", {{"scope", "row"}}, fmt::format("row {}", row.number));
              html.in("td", row.source);
              html.in("td", {{"class", "words"}}, row.reason);
            });
            table.rows.push_back({std::to_string(row.number), plain_cell(row.source), plain_cell(row.reason)});
          }
        });
      });
    });
    if (document.failed_rows > std::ssize(document.failed)) {
      html.in("p", {{"class", "faint"}}, fmt::format("The first {} are listed.", document.failed.size()));
    }
    html.in("p", {{"class", "saves"}}, [&] { save_table(html, "failed", table); });
  });
}

void write_methods(Html& html, const DatasetDocument& document) {
  part(html, "methods", "The methods",
       "Infidelity: how far the values are from predicting what the model does when parts of the input are removed; "
       "less is better. Missing: what the values leave out of the change, as a share of their strength.",
       [&] {
         html.in("p", document.choice + ".");
         html.in("p", document.trust);
         scrolling(html, "Methods", [&] {
           html.in("table", {{"class", "sortable"}}, [&] {
             html.in("thead", {}, [&] {
               html.in("tr", {}, [&] {
                 sortable_head(html, "method", false);
                 html.in("th", {{"scope", "col"}}, "promises");
                 for (const char* head : {"infidelity", "missing, mean", "missing, worst", "seconds"}) {
                   sortable_head(html, head);
                 }
                 html.in("th", {{"scope", "col"}}, "settings");
               });
             });
             html.in("tbody", {}, [&] {
               for (size_t m = 0; m < document.methods.size(); ++m) {
                 const DatasetMethod& method = document.methods[m];
                 html.in("tr", {}, [&] {
                   html.in("th", {{"scope", "row"}},
                           m == document.trusted ? method.title + " (trusted here)" : method.title);
                   html.in("td", {{"class", "small"}}, method.holds.empty() ? "nothing" : listed(method.holds));
                   number_cell(html, method.infidelity.mean, mean_text(method.infidelity));
                   number_cell(html, method.mean_miss, percent_text(method.mean_miss));
                   number_cell(html, method.worst_miss, percent_text(method.worst_miss));
                   number_cell(html, method.seconds, method.seconds ? fmt::format("{:.1f}", *method.seconds) : "–");
                   html.in("td", {{"class", "small"}}, facts_text(method.parameters));
                 });
               }
             });
           });
         });
         if (document.tested > 0) {
           html.in("p", {{"class", "faint"}},
                   fmt::format("Infidelity: mean of {}, with 95 % interval.", count_text(document.tested, "row")));
         }
         for (const LeftOut& left : document.left_out) {
           html.in("p", {{"class", "faint"}}, fmt::format("{} is left out: {}.", left.method, left.reason));
         }
         for (const DatasetMethod& method : document.methods) {
           for (const std::string& note : method.notes) {
             html.in("p", {{"class", "faint"}}, method.title + ": " + note);
           }
         }
       });
}

void write_words(Html& html) {
  html.in("section", {{"id", "words"}, {"aria-labelledby", "words-heading"}}, [&] {
    html.in("h2", {{"id", "words-heading"}}, "Words");
    html.in("dl", {{"class", "glossary"}}, [&] {
      const auto word = [&](const char* term, const char* meaning) {
        html.in("dt", term);
        html.in("dd", meaning);
      };
      word("attribution", "What a method says that a feature contributed to the output in one row.");
      word("magnitude", "Its size without the sign.");
      word("strength", "All magnitudes of a row together.");
      word("baseline", "What features are replaced by when the model is asked what it would say without them.");
      word("masked", "Replaced by the baseline.");
      word("95 % interval", "Where the mean over very many rows of the same kind would lie, in 95 of 100 such pages.");
      word("silhouette", "From −1 to 1: how much nearer rows are to their own group than to the next.");
    });
  });
}

}  // namespace ascribe::core::page::dataset
