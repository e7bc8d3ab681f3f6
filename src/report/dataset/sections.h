// The sections of the page about many rows, one file for each topic, and what they share.
#pragma once

#include "report/dataset_pictures.h"
#include "report/page/sections.h"

namespace ascribe::core::page::dataset {

using document::DatasetDocument, document::DatasetMethod, document::Mean;

void write_first(Html& html, const DatasetDocument& document);       // the first screen
void write_outputs(Html& html, const DatasetDocument& document);     // what the model says
void write_magnitudes(Html& html, const DatasetDocument& document);  // which features matter: means, swarms, maps
void write_dependence(Html& html, const DatasetDocument& document);
void write_groups(Html& html, const DatasetDocument& document);
void write_spectrum(Html& html, const DatasetDocument& document);
void write_agreement(Html& html, const DatasetDocument& document);  // with the rows where methods disagree most
void write_misses(Html& html, const DatasetDocument& document);
void write_failed(Html& html, const DatasetDocument& document);
void write_methods(Html& html, const DatasetDocument& document);
void write_words(Html& html);

// ---- what sections share ----

// A section: a heading, "how to read this" and the content.
void part(Html& html, const std::string& id, const std::string& heading, const std::string& how_to_read,
          const std::function<void()>& content);
// The picture, the ways to save it, and a line that tells what is pointed at. `method`: whose attributions its dots
// are.
void figure(Html& html, const DatasetDocument& document, const DatasetPicture& picture,
            std::optional<size_t> method = {});
// A link to the numbers, which are in the page.
void save_table(Html& html, const std::string& name, const Table& numbers);
// A link to the row's own page, or only its number.
void row_link(Html& html, const DatasetDocument& document, int64_t row);
// How to have the pages of other rows.
void row_command(Html& html, const DatasetDocument& document);
void listed_rows(Html& html, const DatasetDocument& document, const std::vector<document::ListedRow>& rows,
                 const std::string& name, const std::string& measure, bool two_methods);

std::string count_text(int64_t count, const std::string& one);                     // "1 row", "20,640 rows"
std::string mean_text(const Mean& mean);                                           // "0.41 (0.38 to 0.44)"
std::string reason_for(const DatasetDocument& document, const std::string& part);  // why it is absent; empty: it is not
std::string url_part(const std::string& name);                                     // of an address
// "MedInc", quoted where it is not a plain word.
std::string feature_name(const DatasetDocument& document, size_t feature);

}  // namespace ascribe::core::page::dataset
