#include "cli/predict/print_dense.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "cli/shared_options.h"
#include "cli/terminal_map.h"

namespace ascribe::core::cli::command_predict {

namespace {

using study::OutputForm;
using study::OutputKind;
using study::Prediction;
using study::PredictResult;
using study::ScoreKind;

constexpr int64_t kMostMaps = 4;

bool named(const PredictResult& result, const Prediction& answer) {
  return !result.labels.empty() && std::ssize(result.labels) == answer.form.class_count();
}

// "2", or "2  cat": the number of a class and its label, cells of a line.
std::vector<std::string> class_cells(const PredictResult& result, const Prediction& answer, int64_t index) {
  std::vector<std::string> cells = {fmt::format("{}", index)};
  if (named(result, answer)) cells.push_back(printable(result.labels[static_cast<size_t>(index)]));
  return cells;
}

void append(std::vector<std::string>& line, const std::vector<std::string>& cells) {
  line.insert(line.end(), cells.begin(), cells.end());
}

std::vector<std::string> head(const PredictResult& result, const Prediction& answer, const std::string& word) {
  return named(result, answer) ? std::vector<std::string>{word, "label"} : std::vector<std::string>{word};
}

void print_summaries(const PredictResult& result, const Prediction& answer, int64_t row, int64_t top) {
  const std::vector<study::ClassSummary> summaries = study::class_summaries(answer, row);
  const bool map = answer.form.kind == OutputKind::map, shares = summaries[0].share.has_value();
  Lines lines = {head(result, answer, map ? answer.form.axis_names()[answer.form.class_axis] : "axis 0")};
  if (shares) lines[0].push_back(answer.form.head == "sigmoid" ? "above 0.5" : "largest at");
  append(lines[0], {"least", "mean", "most"});
  for (const study::ClassSummary& one : summaries) {
    if (std::ssize(lines) > top) break;
    std::vector<std::string> line =
        map ? class_cells(result, answer, one.index) : std::vector<std::string>{fmt::format("{}", one.index)};
    if (shares) line.push_back(fmt::format("{:.1f} %", 100 * *one.share));
    append(line, {fmt::format("{:.4g}", one.least), fmt::format("{:.4g}", one.mean), fmt::format("{:.4g}", one.most)});
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

// The numbers of the classes with the largest shares, place by place.
void print_maps(const PredictResult& result, const Prediction& answer, int64_t row, int64_t top) {
  const OutputForm& form = answer.form;
  const Shape places = form.place_shape();
  const int64_t columns = colored_columns();
  if (columns == 0 || places.size() != 2) return;
  std::vector<TerminalMap> maps;
  for (const study::ClassSummary& one : study::class_summaries(answer, row)) {
    if (std::ssize(maps) == std::min(top, kMostMaps)) break;
    TerminalMap& map = maps.emplace_back();
    map.title = fmt::format("{}", fmt::join(class_cells(result, answer, one.index), " "));
    for (int64_t i = 0; i < form.places(); ++i) map.values.push_back(answer.at(row, form.at_place(one.index, i)));
  }
  for (const std::string& line : terminal_maps(maps, places[0], places[1], columns)) fmt::print("  {}\n", line);
}

void print_boxes(const PredictResult& result, const Prediction& answer, int64_t row, int64_t top) {
  Lines lines = {{"box"}};
  append(lines[0], head(result, answer, "class"));
  append(lines[0], {"score", "four numbers of the box"});
  for (const study::ShownBox& shown : study::best_boxes(result, answer, row, top)) {
    std::vector<std::string> line = {fmt::format("{}", shown.box.box)};
    append(line, class_cells(result, answer, shown.box.class_index));
    line.push_back(fmt::format("{:.4f}", shown.box.score));
    std::vector<std::string> corners;
    for (const double corner : shown.corners) corners.push_back(fmt::format("{:.4g}", corner));
    line.push_back(corners.empty() ? "not known" : fmt::format("{}", fmt::join(corners, ", ")));
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

void print_tokens(const PredictResult& result, const Prediction& answer, int64_t row, int64_t top) {
  const bool values = answer.scores == ScoreKind::values;
  const bool both = answer.scores == ScoreKind::logits;
  Lines lines = {{"position"}};
  append(lines[0], head(result, answer, answer.form.axis_names()[1]));
  if (values || both) lines[0].push_back(values ? "value" : "logit");
  if (!values) lines[0].push_back("probability");
  for (const int64_t position : study::shown_positions(answer, row)) {
    std::string shown = fmt::format("{}", position);
    for (const study::Ranked& ranked : study::ranking_at(answer, row, position, top)) {
      std::vector<std::string> line = {shown};
      append(line, class_cells(result, answer, ranked.index));
      if (values || both) line.push_back(fmt::format("{:.4f}", ranked.score));
      if (!values) line.push_back(fmt::format("{:.4f}", ranked.probability));
      lines.push_back(line);
      shown.clear();
    }
  }
  print_columns(lines, 2);
}

}  // namespace

void print_dense(const PredictResult& result, const Prediction& answer, int64_t row, int64_t top) {
  fmt::print("{} of {}: {}\n", printable(answer.name), printable(result.sources[static_cast<size_t>(row)]),
             answer.form.axes_text());
  switch (answer.form.kind) {
    case OutputKind::sequence: return print_tokens(result, answer, row, top);
    case OutputKind::boxes: return print_boxes(result, answer, row, top);
    case OutputKind::map: print_maps(result, answer, row, top); [[fallthrough]];
    default: print_summaries(result, answer, row, top);
  }
}

}  // namespace ascribe::core::cli::command_predict
