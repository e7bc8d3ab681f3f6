#include "study/target_region.h"

#include "methods/compile.h"

namespace ascribe::core::study {

namespace {

// Whether a cell is read, in any of its classes.
std::vector<bool> cells_read(const RowQuestion& question, const OutputForm& form) {
  const int64_t classes = form.row[form.class_axis];
  std::vector<bool> read(static_cast<size_t>(form.places()), false);
  const auto part = static_cast<size_t>(question.target);
  for (int64_t place = 0; place < form.places(); ++place) {
    for (int64_t c = 0; c < classes; ++c) {
      const int64_t element = form.at_place(c, place);
      const bool own = question.readout ? question.readout->weights[part].at(element) != 0 : element == question.target;
      if (own) read[static_cast<size_t>(place)] = true;
    }
  }
  return read;
}

}  // namespace

std::optional<document::Region> region_of(const RowQuestion& question, const Graph& model, int64_t labels) {
  const OutputForm form = output_form(model, explained_output(model, question.output), labels);
  if (form.kind != OutputKind::map) return std::nullopt;
  if (question.readout && question.readout->kind != Readout::Kind::linear) return std::nullopt;
  if (question.readout && question.readout->row != form.row) return std::nullopt;
  const Shape places = form.place_shape();
  if (places.empty() || places.size() > 2) return std::nullopt;
  document::Region region;
  region.height = places.size() == 2 ? places[0] : 1;
  region.width = places.back();
  const std::vector<bool> read = cells_read(question, form);
  for (size_t i = 0; i < read.size(); ++i) {
    if (!read[i]) continue;
    const bool goes_on =
        !region.runs.empty() && region.runs.back().first + region.runs.back().count == static_cast<int64_t>(i);
    if (goes_on) ++region.runs.back().count;
    else region.runs.push_back({static_cast<int64_t>(i), 1});
  }
  return region;
}

}  // namespace ascribe::core::study
