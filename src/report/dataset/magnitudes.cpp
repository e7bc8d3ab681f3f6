// Which features matter: means with intervals, one dot per row, or maps.
#include <fmt/format.h>

#include "report/dataset/sections.h"

namespace ascribe::core::page::dataset {

namespace {

void swarms(Html& html, const DatasetDocument& document) {
  html.in("h3", fmt::format("Every row: a dot for each row and {}", document.noun));
  html.in("p", {{"class", "faint"}}, [&] {
    html.text(
        "A dot to the right raised the output of its row, one to the left lowered it. Its colour is the value that the "
        "row has there.");
    html.in("span", {{"class", "screen"}},
            " Point at a dot, or move from dot to dot with the arrow keys, to read its row.");
  });
  html.in("p", {{"class", "controls choose-method"}, {"hidden", ""}}, [&] {
    html.in("label", {}, [&] {
      html.text("Method ");
      html.in("select", {{"id", "method"}}, [&] {
        for (size_t m = 0; m < document.methods.size(); ++m) {
          html.in(
              "option",
              {{"value", std::to_string(m)}, {m == document.trusted ? Literal("selected") : Literal("data-other"), ""}},
              document.methods[m].title);
        }
      });
    });
  });
  const auto swarm = [&](size_t m) {
    figure(html, document, swarm_picture(document, m), m);
    if (!document.methods[m].contributes()) {
      html.in("p", {{"class", "faint"}}, "This method gives slopes: they do not add up to the output.");
    }
  };
  html.in("div", {{"class", "swarm"}, {"data-method", std::to_string(document.trusted)}},
          [&] { swarm(document.trusted); });
  for (size_t m = 0; m < document.methods.size(); ++m) {
    if (m == document.trusted) continue;
    html.in("details", {{"class", "swarm"}, {"data-method", std::to_string(m)}}, [&] {
      html.in("summary", "The same by " + document.methods[m].title);
      swarm(m);
    });
  }
}

void words(Html& html, const DatasetDocument& document) {
  Table table{{"word", "rows", "mean_magnitude", "low", "high", "mean"}};
  scrolling(html, "Words", [&] {
    html.in("table", {{"class", "sortable"}}, [&] {
      html.in("thead", {}, [&] {
        html.in("tr", {}, [&] {
          sortable_head(html, "word", false);
          for (const char* head : {"rows", "mean magnitude", "mean with sign"}) sortable_head(html, head);
        });
      });
      html.in("tbody", {}, [&] {
        for (const document::WordStrength& word : document.words) {
          html.in("tr", {}, [&] {
            html.in("th", {{"scope", "row"}}, word.word);
            number_cell(html, static_cast<double>(word.rows), std::to_string(word.rows));
            number_cell(html, word.magnitude.mean, mean_text(word.magnitude));
            number_cell(html, word.mean, signed_number_text(word.mean));
          });
          table.rows.push_back({plain_cell(word.word), std::to_string(word.rows), exact_text(word.magnitude.mean),
                                exact_text(word.magnitude.low), exact_text(word.magnitude.high),
                                exact_text(word.mean)});
        }
      });
    });
  });
  html.in("p", {{"class", "saves"}}, [&] { save_table(html, "words", table); });
}

}  // namespace

void write_magnitudes(Html& html, const DatasetDocument& document) {
  part(html, "magnitudes", fmt::format("Which {}s matter", document.noun),
       fmt::format("The magnitude of a contribution, averaged over all rows: how far a {} moves the output, in "
                   "whichever direction. The lines are 95 % intervals of the mean, from its standard error: other "
                   "rows of the same kind would give means in there.",
                   document.noun),
       [&] {
         if (document.drawn.empty()) {
           html.in("p",
                   "These rows have no features in common: what stands at a place differs from row to row. So there "
                   "are no dots, no dependence and no groups here; words that several rows have are compared where "
                   "they stand.");
           if (!document.words.empty()) words(html, document);
           else html.in("p", "No two rows share a word.");
           return;
         }
         if (document.picture) figure(html, document, maps_picture(document));
         figure(html, document, magnitudes_picture(document));
         const size_t shown = std::min<size_t>(12, document.drawn.size());
         if (shown < document.features.size()) {
           html.in("p", {{"class", "faint"}},
                   fmt::format("The strongest {} of {}; the CSV file has all.", shown,
                               plural(document.features.size(), document.noun)));
         }
         if (document.picture) {
           html.in("p", {{"class", "faint"}},
                   "A region of an image has no single value, so there is no dot for each row: the maps show the "
                   "means instead.");
         } else {
           swarms(html, document);
         }
       });
}

}  // namespace ascribe::core::page::dataset
