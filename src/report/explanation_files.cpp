#include "report/explanation_files.h"

#include <filesystem>

#include "base/ascii.h"
#include "data/png.h"
#include "report/attribution_pictures.h"
#include "report/attribution_table.h"
#include "study/joint_inputs.h"
#include "tensor/npy.h"

namespace ascribe::core {

namespace {

using study::ExplainResult;
using study::MethodAnswer;
using study::RowQuestion;

constexpr const char* kDocument = "explanation.json";
constexpr const char* kTable = "attributions.csv";

std::string summary_name(const std::string& method) { return "summary_" + method + ".svg"; }

// Of several rows each has its number before the names of its files.
std::string prefix_of(size_t row, size_t rows) {
  return rows == 1 ? "" : fmt::format("row_{:0{}}_", row, fmt::formatted_size("{}", rows - 1));
}

// What can be in the name of a file.
std::string file_name_of(const std::string& input) {
  std::string name;
  for (const char c : input) name += is_ascii_letter_or_digit(c) || c == '-' ? c : '_';
  return name;
}

// Of several inputs each that is an image has pictures of its own.
void add_part_pictures(std::vector<NamedBytes>& files, const ExplainResult& result, size_t row) {
  const RowQuestion& question = result.rows[row];
  for (const study::RowPart& part : question.parts) {
    const Players players = study::players_of(question, part);
    if (!players.image || !part.picture || players.image->height < 1) continue;
    std::vector<Attribution> attributions;
    for (const MethodAnswer& method : result.methods) {
      attributions.push_back(study::attribution_of(method.attributions[row], part));
    }
    AttributionPictures pictures{
        fmt::format("{}, {}", question.title(std::filesystem::path(result.model).filename().string()), part.name),
        players,
        players.names,
        {},
        {}};
    pictures.input = picture_of(question.part_of_x(part), *players.image, part.picture->preprocess);
    for (size_t i = 0; i < attributions.size(); ++i) {
      pictures.methods.push_back({result.methods[i].chosen.method, attributions[i]});
    }
    const std::string prefix = prefix_of(row, result.rows.size());
    for (size_t i = 0; i < attributions.size(); ++i) {
      const std::string name = fmt::format("{}{}_{}", prefix, pictures.methods[i].method.name, file_name_of(part.name));
      files.push_back({name + ".svg", attribution_svg(pictures, i)});
      files.push_back({name + ".png", encode_png(attribution_map(pictures, i))});
    }
  }
}

void add_pictures(std::vector<NamedBytes>& files, const ExplainResult& result, size_t row) {
  const RowQuestion& question = result.rows[row];
  AttributionPictures pictures{question.title(std::filesystem::path(result.model).filename().string()),
                               question.players,
                               question.player_labels(),
                               {},
                               {},
                               question.tokens ? &*question.tokens : nullptr};
  if (question.players.image && question.picture) {
    pictures.input = picture_of(question.x(), *question.players.image, question.picture->preprocess);
  }
  for (const MethodAnswer& method : result.methods) {
    pictures.methods.push_back({method.chosen.method, method.attributions[row]});
  }
  if (question.players.series) pictures.x = &question.x();
  const std::string prefix = prefix_of(row, result.rows.size());
  for (size_t i = 0; i < pictures.methods.size(); ++i) {
    const std::string name = prefix + pictures.methods[i].method.name;
    files.push_back({name + ".svg", attribution_svg(pictures, i)});
    if (pictures.input) files.push_back({name + ".png", encode_png(attribution_map(pictures, i))});
  }
  files.push_back({prefix + "sheet.svg", contact_sheet_svg(pictures)});
  add_part_pictures(files, result, row);
}

}  // namespace

std::vector<NamedBytes> explanation_files(const ExplainResult& result, const Json& document) {
  std::vector<NamedBytes> files;
  for (size_t row = 0; row < result.rows.size(); ++row) add_pictures(files, result, row);
  if (std::string table = attribution_table(result); !table.empty()) files.push_back({kTable, std::move(table)});
  for (size_t m = 0; m < result.methods.size(); ++m) {
    std::string summary = attribution_summary_svg(result, m);
    if (!summary.empty()) files.push_back({summary_name(result.methods[m].name()), std::move(summary)});
  }
  files.push_back({kExplanationArrays, format_npz(arrays_of(result))});
  files.push_back({kDocument, document.dump() + "\n"});
  return files;
}

std::vector<std::string> explanation_file_names(const std::vector<std::string>& methods, size_t rows) {
  std::vector<std::string> names = {kExplanationArrays, kDocument, kTable};
  for (const std::string& method : methods) names.push_back(summary_name(method));
  for (size_t row = 0; row < rows; ++row) {
    const std::string prefix = prefix_of(row, rows);
    names.push_back(prefix + "sheet.svg");
    for (const std::string& method : methods) {
      for (const char* suffix : {".svg", ".png"}) names.push_back(prefix + method + suffix);
    }
  }
  return names;
}

}  // namespace ascribe::core
