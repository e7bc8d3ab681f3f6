// The pictures of a report on many rows, each with its numbers as a table: what the page shows, and what lies beside it
// as SVG and CSV.
#pragma once

#include <string>
#include <vector>

#include "base/table.h"
#include "draw/svg.h"
#include "study/dataset_document.h"

namespace ascribe::core {

struct DatasetPicture {
  std::string name;   // of its files: "beeswarm-shapley"
  std::string label;  // what it shows, for those who cannot see it
  Svg svg;
  Table numbers;
};

DatasetPicture outputs_picture(const document::DatasetDocument& document);     // a histogram
DatasetPicture magnitudes_picture(const document::DatasetDocument& document);  // all methods that contribute
DatasetPicture swarm_picture(const document::DatasetDocument& document, size_t method);
DatasetPicture dependence_picture(const document::DatasetDocument& document, const document::Dependence& dependence);
DatasetPicture spectrum_picture(const document::DatasetDocument& document);  // needs a spectrum
DatasetPicture maps_picture(const document::DatasetDocument& document);      // of images: needs the mean picture
DatasetPicture groups_picture(const document::DatasetDocument& document);    // of images: needs groups

// Tables that have no picture.
Table groups_table(const document::DatasetDocument& document);
Table listed_table(const std::vector<document::ListedRow>& rows, const std::string& measure);

std::vector<DatasetPicture> dataset_pictures(const document::DatasetDocument& document);

// Text that a spreadsheet does not take for a formula.
std::string plain_cell(const std::string& text);

}  // namespace ascribe::core
