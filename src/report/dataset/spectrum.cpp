#include <fmt/format.h>

#include "report/dataset/sections.h"

namespace ascribe::core::page::dataset {

void write_spectrum(Html& html, const DatasetDocument& document) {
  part(html, "spectrum", "Alone or together",
       fmt::format("The change of the output is taken apart into what single {0}s do and what {0}s do only together, "
                   "by masking every set of them (Harsanyi dividends). A column of the picture is the share of the "
                   "strength of all these effects. Where much of it lies beyond “alone”, one number per {0} cannot "
                   "tell the whole story.",
                   document.noun),
       [&] {
         if (!document.spectrum) {
           html.in("p", "Not measured: " + reason_for(document, "spectrum") + ".");
           return;
         }
         const document::DatasetSpectrum& spectrum = *document.spectrum;
         const std::string rest = spectrum.rest ? ", all other " + document.noun + "s taken as one" : "";
         html.in("p",
                 fmt::format("In {}, every set of the strongest {} was masked{}.", count_text(spectrum.rows, "row"),
                             plural(spectrum.players.size() - (spectrum.rest ? 1 : 0), document.noun), rest));
         if (spectrum.undefined > 0) {
           html.in(
               "p", {{"class", "faint"}},
               fmt::format("In {} nothing changed at all; they are left out.", count_text(spectrum.undefined, "row")));
         }
         if (spectrum.undefined < spectrum.rows) figure(html, document, spectrum_picture(document));
       });
}

}  // namespace ascribe::core::page::dataset
