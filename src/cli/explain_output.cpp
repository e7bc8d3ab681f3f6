// The answers of ascribe explain as text, as JSON and as files.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "cli/explain.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "cli/terminal_map.h"
#include "data/png.h"
#include "report/attribution_pictures.h"
#include "tensor/npy.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

constexpr int64_t kMostValues = 4096;  // players in a JSON document, if there is a file for them
constexpr const char* kArrays = "arrays.npz";
constexpr const char* kDocument = "explanation.json";

bool into_folder(const ExplainRequest& request) {
  return !request.file.path.empty() && !request.file.path.ends_with(".npz");
}

// ---- as text ----

std::string signed_number(double value) { return fmt::format("{:+.5g}", value); }

double total_of(const Method& method, const Attribution& a) {
  return method.total == Total::change ? a.output - a.baseline_output : a.output;
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

std::string accuracy(const Attribution& a) {
  if (!a.standard_errors.empty()) return fmt::format("+- {:.2g}", largest(a.standard_errors));
  return a.exact ? "exact" : "approximate";
}

std::string strongest(const Attribution& a, const Players& players, int64_t most) {
  std::vector<size_t> ranking(a.values.size());
  std::iota(ranking.begin(), ranking.end(), 0);
  const size_t count = std::min(ranking.size(), static_cast<size_t>(most));
  std::partial_sort(ranking.begin(), ranking.begin() + static_cast<int64_t>(count), ranking.end(),
                    [&](size_t i, size_t j) {
                      const double p = std::abs(a.values[i]), q = std::abs(a.values[j]);
                      return p != q ? p > q : i < j;
                    });
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += fmt::format("{}{} {:+.3g}", text.empty() ? "" : ", ", printable(players.names[ranking[i]]),
                        a.values[ranking[i]]);
  }
  return text;
}

// For people without a browser: the maps on the terminal itself, if it has colours.
void print_maps(const ExplainAnswer& answer, size_t row) {
  const RowQuestion& question = answer.rows[row];
  const int64_t columns = colored_columns();
  if (columns == 0 || !question.players.image) return;
  std::vector<TerminalMap> maps;
  for (const MethodAnswer& method : answer.methods) {
    maps.push_back(
        {method.chosen.method.name, pixel_values({method.chosen.method, method.attributions[row]}, question.players)});
  }
  const ImageShape& image = *question.players.image;
  fmt::print("\n");
  for (const std::string& line : terminal_maps(maps, image.height, image.width, columns - 2)) {
    fmt::print("  {}\n", line);
  }
  fmt::print("\n  {} raises the output, {} lowers it; each map has a scale of its own.\n", red("red"), blue("blue"));
}

void print_row(const ExplainAnswer& answer, size_t row, const ExplainRequest& request) {
  const RowQuestion& question = answer.rows[row];
  const Attribution& first = answer.methods[0].attributions[row];
  fmt::print("{}\n", question.title(request.model.path));
  fmt::print("  f(x) {:.6g}, f(b) {:.6g}, change {}; {} players ({}), baseline b {}\n\n", first.output,
             first.baseline_output, signed_number(first.output - first.baseline_output), question.players.count(),
             printable(question.players.description), question.baselines_text(request.question.baseline));
  Lines lines = {{"method", "sum", "explains", "residual", "accuracy", "evaluations", "seconds", "strongest"}};
  for (const MethodAnswer& method : answer.methods) {
    const Attribution& a = method.attributions[row];
    const bool shares = method.chosen.method.kind == AttributionKind::contribution;  // slopes add up to nothing
    lines.push_back({method.chosen.method.name, signed_number(a.sum()),
                     shares ? signed_number(total_of(method.chosen.method, a)) : "-",
                     shares ? fmt::format("{:+.2g}", a.residual) : "-", accuracy(a), with_thousands(a.evaluations),
                     fmt::format("{:.3f}", method.seconds / static_cast<double>(answer.rows.size())),
                     strongest(a, question.players, request.top)});
  }
  print_columns(lines, 2);
  if (request.allocations) print_allocations(answer, row, request);
  print_maps(answer, row);
}

// Notes of the methods, each once.
std::vector<std::string> notes_of(const ExplainAnswer& answer) {
  std::vector<std::string> notes;
  for (const MethodAnswer& method : answer.methods) {
    for (const Attribution& a : method.attributions) {
      for (const std::string& note : a.notes) {
        std::string text = fmt::format("{}: {}", method.chosen.method.name, note);
        if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
      }
    }
  }
  return notes;
}

// ---- as JSON ----

// Whether values are in the arrays' file only.
bool values_in_file(const RowQuestion& question, const ExplainRequest& request) {
  return question.players.count() > kMostValues && !request.file.path.empty();
}

std::string arrays_path(const ExplainRequest& request) {
  return into_folder(request) ? (std::filesystem::path(request.file.path) / kArrays).string() : request.file.path;
}

Json method_as_json(const MethodAnswer& answer, size_t row, const RowQuestion& question, size_t rows,
                    const ExplainRequest& request) {
  const Method& method = answer.chosen.method;
  const Attribution& a = answer.attributions[row];
  Json json = {{"name", method.name}, {"parameters", answer.chosen.parameters.all()}};
  if (values_in_file(question, request)) {
    json["file"] = arrays_path(request);
    json["array"] = method.name + "_players";
  } else {
    json["values"] = a.values;
  }
  json["kind"] = to_string(method.kind);
  json["explains"] = method.total == Total::change ? "change" : "output";
  json["sum"] = a.sum();
  json["residual"] = a.residual;
  json["exact"] = a.exact;
  json["standard_error"] = nullptr;
  if (!a.standard_errors.empty()) {
    if (values_in_file(question, request)) json["standard_error"] = largest(a.standard_errors);
    else json["standard_error"] = a.standard_errors;
  }
  json["evaluations"] = a.evaluations;
  json["seconds"] = answer.seconds / static_cast<double>(rows);
  json["notes"] = a.notes;
  if (request.allocations) json["allocations"] = allocation_as_json(answer.allocations[row]);
  return json;
}

Json row_as_json(const ExplainAnswer& answer, size_t row, const ExplainRequest& request) {
  const RowQuestion& question = answer.rows[row];
  const Attribution& first = answer.methods[0].attributions[row];
  Json json = {{"input", question.source},
               {"target", question.target_as_json()},
               {"explains", question.explains},
               {"output", first.output},
               {"baseline_output", first.baseline_output},
               {"baseline", request.question.baseline},
               {"baselines", question.baseline_count()},
               {"grouping", question.players.description}};
  if (!values_in_file(question, request)) json["players"] = question.players.names;
  json["methods"] = Json::array();
  for (const MethodAnswer& method : answer.methods) {
    json["methods"].push_back(method_as_json(method, row, question, answer.rows.size(), request));
  }
  return json;
}

// ---- as files ----

using Arrays = std::vector<std::pair<std::string, Tensor>>;

// Rows of different lengths behind one another; what is missing is NaN.
Tensor padded(const std::vector<std::span<const double>>& rows) {
  size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  std::vector<double> flat;
  for (const auto& row : rows) {
    flat.insert(flat.end(), row.begin(), row.end());
    flat.resize(flat.size() + longest - row.size(), std::numeric_limits<double>::quiet_NaN());
  }
  return Tensor::of<double>({std::ssize(rows), static_cast<int64_t>(longest)}, flat);
}

// One tensor of rows. All have this shape.
Tensor stacked(const std::vector<Tensor>& rows, Shape row) {
  std::vector<Tensor> parts;
  row.insert(row.begin(), 1);
  for (const Tensor& one : rows) parts.push_back(one.reshaped(row));
  return stacked_rows(parts);
}

void add_method(Arrays& arrays, const MethodAnswer& answer, const Shape& row) {
  const std::string& name = answer.chosen.method.name;
  std::vector<std::span<const double>> values, errors;
  std::vector<Tensor> elements, maps;
  for (const Attribution& a : answer.attributions) {
    elements.push_back(a.elements);
    values.emplace_back(a.values);
    if (!a.standard_errors.empty()) errors.emplace_back(a.standard_errors);
    if (a.layer_map) maps.push_back(*a.layer_map);
  }
  arrays.emplace_back(name, stacked(elements, row));
  arrays.emplace_back(name + "_players", padded(values));
  if (errors.size() == values.size()) arrays.emplace_back(name + "_standard_error", padded(errors));
  if (maps.size() == values.size()) arrays.emplace_back(name + "_layer_map", stacked(maps, maps[0].shape()));
  if (answer.allocations.empty()) return;
  for (auto& array : allocation_arrays(answer)) arrays.push_back(std::move(array));
}

// Every array has the rows first, as the model's input has them.
std::string arrays_of(const ExplainAnswer& answer, const ExplainRequest& request) {
  Arrays arrays;
  const Shape& row = answer.rows[0].row;
  for (const MethodAnswer& method : answer.methods) add_method(arrays, method, row);
  std::vector<Tensor> x, owners, baselines;
  for (const RowQuestion& question : answer.rows) {
    const std::vector<int64_t> owner(question.players.owner.begin(), question.players.owner.end());
    owners.push_back(Tensor::of<int64_t>(row, owner));
    x.push_back(question.point[question.input]);
    baselines.push_back(question.baselines);
  }
  arrays.emplace_back("owner", stacked(owners, row));
  arrays.emplace_back("x", stacked(x, row));
  arrays.emplace_back("baselines",
                      depends_on_input(request.question.baseline) ? stacked_rows(baselines) : baselines[0]);
  return format_npz(arrays);
}

// Of several rows each has its number before the names of its files.
std::string prefix_of(size_t row, size_t rows) {
  return rows == 1 ? "" : fmt::format("row_{:0{}}_", row, fmt::formatted_size("{}", rows - 1));
}

// "rooms = 4" where a player is one number.
std::vector<std::string> labels_of(const RowQuestion& question) {
  std::vector<std::string> labels = question.players.names;
  std::vector<int> elements(labels.size(), 0);
  std::vector<double> values(labels.size(), 0.0);
  const Tensor& x = question.point[question.input];
  for (size_t i = 0; i < question.players.owner.size(); ++i) {
    const int32_t owner = question.players.owner[i];
    if (owner < 0) continue;
    ++elements[static_cast<size_t>(owner)];
    values[static_cast<size_t>(owner)] = x.at(static_cast<int64_t>(i));
  }
  for (size_t p = 0; p < labels.size(); ++p) {
    if (elements[p] == 1) labels[p] += fmt::format(" = {:.4g}", values[p]);
  }
  return labels;
}

void add_pictures(std::vector<NamedBytes>& files, const ExplainAnswer& answer, size_t row,
                  const ExplainRequest& request) {
  const RowQuestion& question = answer.rows[row];
  AttributionPictures pictures{question.title(request.model.path), question.players, labels_of(question), {}, {}};
  if (question.players.image && question.picture) {
    pictures.input = picture_of(question.point[question.input], *question.players.image, question.picture->preprocess);
  }
  for (const MethodAnswer& method : answer.methods) {
    pictures.methods.push_back({method.chosen.method, method.attributions[row]});
  }
  const std::string prefix = prefix_of(row, answer.rows.size());
  for (size_t i = 0; i < pictures.methods.size(); ++i) {
    const std::string name = prefix + pictures.methods[i].method.name;
    files.push_back({name + ".svg", attribution_svg(pictures, i)});
    if (pictures.input) files.push_back({name + ".png", encode_png(attribution_map(pictures, i))});
  }
  files.push_back({prefix + "sheet.svg", contact_sheet_svg(pictures)});
}

std::vector<std::string> file_names(const std::vector<ChosenMethod>& methods, size_t rows) {
  std::vector<std::string> names = {kArrays, kDocument};
  for (size_t row = 0; row < rows; ++row) {
    const std::string prefix = prefix_of(row, rows);
    names.push_back(prefix + "sheet.svg");
    for (const ChosenMethod& chosen : methods) {
      for (const char* suffix : {".svg", ".png"}) names.push_back(prefix + chosen.method.name + suffix);
    }
  }
  return names;
}

}  // namespace

void print_explanation(const ExplainAnswer& answer, const ExplainRequest& request) {
  print_notes(notes_of(answer), request.general.quiet);
  for (size_t row = 0; row < answer.rows.size(); ++row) {
    if (row > 0) fmt::print("\n");
    print_row(answer, row, request);
  }
}

Json explanation_as_json(const ExplainAnswer& answer, const ExplainRequest& request) {
  Json json = {{"model", request.model.path}};
  if (answer.rows.size() == 1) {
    json.update(row_as_json(answer, 0, request));
  } else {
    json["rows"] = Json::array();
    for (size_t row = 0; row < answer.rows.size(); ++row) json["rows"].push_back(row_as_json(answer, row, request));
  }
  json["left_out"] = Json::array();
  for (const LeftOut& one : answer.left_out) {
    json["left_out"].push_back({{"name", one.method}, {"reason", one.reason}});
  }
  json["notes"] = answer.notes;
  return json;
}

void check_explanation_files(const ExplainRequest& request, const std::vector<ChosenMethod>& methods, size_t rows) {
  if (request.file.path.empty()) return;
  if (!into_folder(request)) {
    check_output(request.file, {".npz"});
    return;
  }
  const std::string suffix = std::filesystem::path(request.file.path).extension().string();
  for (const std::string_view known : {".npy", ".json", ".png", ".svg", ".html", ".csv"}) {
    if (suffix == known) fail(ErrorKind::argument, request.file.path, "expected a folder, or a name that ends in .npz");
  }
  check_output_folder(request.file, file_names(methods, rows));
}

void write_explanation(const ExplainAnswer& answer, const ExplainRequest& request) {
  if (request.file.path.empty()) return;
  if (!into_folder(request)) {
    write_output(request.file, arrays_of(answer, request));
    return;
  }
  std::vector<NamedBytes> files;
  for (size_t row = 0; row < answer.rows.size(); ++row) add_pictures(files, answer, row, request);
  files.push_back({kArrays, arrays_of(answer, request)});
  const std::string json = explanation_as_json(answer, request).dump(2, ' ', false, Json::error_handler_t::replace);
  files.push_back({kDocument, json + "\n"});
  write_output_folder(request.file, files);
}

}  // namespace ascribe::core
