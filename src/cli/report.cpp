// ascribe report MODEL INPUT: everything about one or several decisions on one page (docs/howto/report.md).
#include "cli/report.h"

#include <chrono>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/method_option.h"
#include "cli/output_file.h"
#include "cli/prediction.h"
#include "cli/terminal.h"
#include "data/png.h"
#include "metrics/metric.h"
#include "report/page.h"
#include "report/svg.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kTopClasses = 5;
constexpr int64_t kSmallWork = 50'000'000;  // multiply-adds per row: such a model is asked many times a second
constexpr const char* kFinePlayers = "grid:14x14";
constexpr const char* kCoarsePlayers = "grid:7x7";
constexpr const char* kShapleyOrders = "32";  // permutations, where the model is large
constexpr int64_t kStripLength = 40;          // more numbers than these are a sequence, not a table

// ---- what is asked ----

// Images are shared among some hundred players at most, so that masking methods take seconds; the others show pixels
// all the same.
void choose_players(std::vector<RowQuestion>& rows, int64_t work, std::vector<std::string>& notes) {
  bool changed = false;
  const char* wanted = work <= kSmallWork ? kFinePlayers : kCoarsePlayers;
  for (RowQuestion& row : rows) {
    if (!row.players.image) continue;
    Players players = make_players({wanted, row.row, row.picture->shape, {}, &row.point[row.input]});
    if (players.count() >= row.players.count()) continue;
    row.players = std::move(players);
    changed = true;
  }
  if (changed) notes.push_back(fmt::format("players: {}; --players chooses others", wanted));
}

// What a large model can afford: fewer orders for Shapley values, and DeepSHAP without those of every neuron; unless
// --set says otherwise.
std::vector<ChosenMethod> affordable_methods(const ReportRequest& request, int64_t work) {
  std::vector<ChosenMethod> methods;
  for (const ChosenMethod& chosen : choose_methods(request.methods, request.settings)) {
    std::map<std::string, std::string> given = chosen.given;
    if (work > kSmallWork && chosen.method.name == "shapley") given.try_emplace("samples", kShapleyOrders);
    if (work > kSmallWork && chosen.method.name == "deep_shap") given.try_emplace("granularity", "component");
    methods.push_back(
        {chosen.method, given, Parameters(chosen.method.name, chosen.method.parameters, given), chosen.asked_for});
  }
  return methods;
}

// What was chosen for the user, to be said.
std::vector<std::string> notes_on_settings(const std::vector<ChosenMethod>& asked,
                                           const std::vector<ChosenMethod>& taken) {
  std::vector<std::string> notes;
  for (size_t m = 0; m < asked.size(); ++m) {
    for (const auto& [key, value] : taken[m].given) {
      if (asked[m].given.contains(key)) continue;
      notes.push_back(fmt::format("{}: {}={}, because the model is large; --set chooses otherwise",
                                  taken[m].method.name, key, value));
    }
  }
  return notes;
}

std::vector<std::string> usual_metrics() { return {"infidelity", "infidelity_scaled", "deletion", "insertion"}; }

// ---- what is written ----

Json model_as_json(const Model& model, const ReportRequest& request) {
  const auto port = [](const DeclaredValue& value) {
    std::vector<std::string> extents;
    for (const int64_t extent : value.shape) extents.push_back(extent < 0 ? "?" : std::to_string(extent));
    return fmt::format("{} [{}]", value.name, fmt::join(extents, ", "));
  };
  std::vector<std::string> inputs, outputs;
  for (const DeclaredValue& value : model.info().inputs) inputs.push_back(port(value));
  for (const DeclaredValue& value : model.info().outputs) outputs.push_back(port(value));
  const std::string& path = request.model.path;
  return {{"file", std::filesystem::path(path).filename().string()},
          {"sha256", sha256(read_file(path))},
          {"producer", model.info().producer},
          {"parameters", model.cost().parameters},
          {"macs_per_row", model.cost().macs_per_row},
          {"input", fmt::format("{}", fmt::join(inputs, ", "))},
          {"output", fmt::format("{}", fmt::join(outputs, ", "))}};
}

Json settings_as_json(const Model& model, const RowQuestion& first, const ReportRequest& request) {
  Json json = {{"command", command_line_text()},
               {"seed", request.general.seed},
               {"threads", thread_count()},
               {"memory", request.general.memory},
               {"precision", to_string(model.precision())},
               {"explain", first.explains},
               {"target", request.question.target},
               {"baseline", first.baselines_text(request.question.baseline)},
               {"players", first.players.description},
               {"parts", request.parts.empty() ? "as the model allows" : request.parts}};
  if (first.picture && first.picture->preprocess) json["preprocess"] = describe(*first.picture->preprocess);
  return json;
}

std::string kind_of(const RowQuestion& row) {
  if (row.players.image && row.picture) return "image";
  const bool long_row = element_count(row.row) > kStripLength;
  return row.row.size() > 1 || long_row ? "sequence" : "table";
}

Json top_as_json(const Prediction& prediction, int64_t row, int64_t target, const std::vector<std::string>& labels) {
  Json list = Json::array();
  const auto label = [&](int64_t index) {
    const bool known = index < std::ssize(labels);
    return known ? Json(labels[static_cast<size_t>(index)]) : Json();
  };
  if (prediction.scores == ScoreKind::values) {
    return {{{"index", target},
             {"label", label(target)},
             {"value", number(prediction.at(row, target))},
             {"probability", nullptr}}};
  }
  for (const Ranked& ranked : ranking(prediction, row, kTopClasses)) {
    list.push_back({{"index", ranked.index},
                    {"label", label(ranked.index)},
                    {"value", number(ranked.score)},
                    {"probability", number(ranked.probability)}});
  }
  return list;
}

Json image_as_json(const RowQuestion& row) {
  if (!row.players.image || !row.picture) return {};
  const Image image = picture_of(row.point[row.input], *row.players.image, row.picture->preprocess);
  return {{"width", image.width}, {"height", image.height}, {"png", base64(encode_png(image))}};
}

// What is asked of one row, and what the model says.
Json row_head(const ExplainAnswer& answer, size_t index, const std::vector<Prediction>& predictions,
              const ReportRequest& request) {
  const RowQuestion& row = answer.rows[index];
  const Attribution& first = answer.methods[0].attributions[index];
  Json target = {{"index", row.target}};
  target["label"] = row.label.empty() ? Json() : Json(row.label);
  Json json = {{"source", row.source},
               {"kind", kind_of(row)},
               {"target", target},
               {"output_name", row.output},
               {"explains", row.explains},
               {"output", number(first.output)},
               {"baseline_output", number(first.baseline_output)},
               {"change", number(first.output - first.baseline_output)},
               {"baseline", row.baselines_text(request.question.baseline)}};
  const auto own = std::find_if(predictions.begin(), predictions.end(),
                                [&](const Prediction& one) { return one.name == row.output; });
  json["top"] = top_as_json(*own, static_cast<int64_t>(index), row.target, read_labels(request.input.labels));
  json["image"] = image_as_json(row);
  json["players"] = players_as_json(row, row.players);
  return json;
}

Json left_out_as_json(const ExplainAnswer& answer) {
  Json list = Json::array();
  for (const LeftOut& one : answer.left_out) list.push_back({{"method", one.method}, {"reason", one.reason}});
  return list;
}

std::string default_title(const ExplainAnswer& answer, const ReportRequest& request) {
  const std::string model = std::filesystem::path(request.model.path).filename().string();
  if (answer.rows.size() == 1) return answer.rows[0].title(request.model.path);
  return fmt::format("{}: {} decisions", model, answer.rows.size());
}

// ---- the work ----

// All rows of the model's inputs together, as the questions hold them.
std::vector<Tensor> rows_together(const std::vector<RowQuestion>& rows) {
  std::vector<Tensor> together;
  for (size_t input = 0; input < rows[0].point.size(); ++input) {
    std::vector<Tensor> parts;
    for (const RowQuestion& row : rows) parts.push_back(row.point[input]);
    together.push_back(rows.size() == 1 ? parts[0] : stacked_rows(parts));
  }
  return together;
}

std::vector<std::string> sources_of(const std::vector<RowQuestion>& rows) {
  std::vector<std::string> sources;
  for (const RowQuestion& row : rows) sources.push_back(row.source);
  return sources;
}

std::vector<ChosenMethod> methods_of(const ExplainAnswer& answer) {
  std::vector<ChosenMethod> methods;
  for (const MethodAnswer& method : answer.methods) methods.push_back(method.chosen);
  return methods;
}

Json compute(const ReportRequest& request) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Model model = load_model(request.model, request.general);
  const int64_t work = model.cost().macs_per_row;
  const std::vector<ChosenMethod> methods = affordable_methods(request, work);
  ExplainAnswer answer;
  answer.notes = model.notes();
  for (std::string& note : notes_on_settings(choose_methods(request.methods, request.settings), methods)) {
    answer.notes.push_back(std::move(note));
  }
  QuestionMaker maker(model, request.question, request.input, request.general.seed, answer.notes);
  maker.read_rows();
  if (request.question.players.empty()) choose_players(maker.questions(), work, answer.notes);
  maker.take_baselines();
  maker.take_targets();
  answer.rows = std::move(maker.questions());
  const std::vector<Prediction> predictions =
      predictions_of(model, rows_together(answer.rows), sources_of(answer.rows), {});

  const size_t memory = parse_memory(request.general.memory);
  const auto explained = [&](DType precision) {
    return ExplainedModel(
        model.graph(),
        {request.question.output, request.question.probability(), request.question.input, {precision, memory, 0}});
  };
  ExplainedModel asked = explained(model.precision());
  answer.notes.insert(answer.notes.end(), asked.notes().begin(), asked.notes().end());
  print_notes(answer.notes, request.general.quiet);
  run_methods(answer, methods, asked, request);

  std::optional<ExplainedModel> exact;
  if (model.precision() != DType::f64 && request.general.precision.empty() && affords_double(work)) {
    exact.emplace(explained(DType::f64));
  }
  ExplainedModel& few = exact ? *exact : asked;
  std::vector<std::string> notes;
  Json rows = Json::array();
  for (size_t r = 0; r < answer.rows.size(); ++r) {
    Json row = row_head(answer, r, predictions, request);
    row["methods"] = methods_as_json(answer, r);
    row["left_out"] = left_out_as_json(answer);
    row["agreement"] = agreement_as_json(answer, r);
    row["metrics"] = metrics_as_json(asked, work, answer, r, request, notes);
    PartsSections parts = parts_sections({few, work}, answer.rows[r], methods_of(answer), request, notes);
    row["effects"] = std::move(parts.effects);
    row["principles"] = std::move(parts.principles);
    row["differences"] = std::move(parts.differences);
    rows.push_back(std::move(row));
  }
  print_notes(notes, request.general.quiet);
  answer.notes.insert(answer.notes.end(), notes.begin(), notes.end());

  Json json = {{"format", "ascribe report"},
               {"version", 1},
               {"title", request.title.empty() ? default_title(answer, request) : request.title},
               {"program", {{"name", "ascribe"}, {"version", ASCRIBE_VERSION}}},
               {"model", model_as_json(model, request)},
               {"settings", settings_as_json(model, answer.rows[0], request)},
               {"seconds", number(std::chrono::duration<double>(Clock::now() - start).count())},
               {"notes", answer.notes}};
  json["rows"] = std::move(rows);
  return json;
}

std::string json_path(const std::string& page) {
  return std::filesystem::path(page).replace_extension(".json").string();
}

void make_report(const ReportRequest& request) {
  const OutputOptions page{request.file.path, request.file.force};
  const OutputOptions data{json_path(page.path), request.file.force};
  choose_methods(request.methods, request.settings);  // complains before the work
  for (const std::string& name : request.metrics) metric_named(name);
  check_output(page, {".html"});
  check_output(data, {".json"});
  const Json json = compute(request);
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  // From the text, so that rendering the file again gives the same page.
  const std::string html = report_page(Json::parse(text));
  write_output(data, text);
  write_output(page, html);
  if (request.general.json) return print_json(json);
  fmt::print("{}\n", printable(json["title"].get<std::string>()));
  fmt::print("  {}  ({}), made from {} in {:.1f} s\n", printable(page.path), human_bytes(html.size()),
             printable(data.path), json["seconds"].get<double>());
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("report", "One page that a person can judge a decision by");
  auto request = std::make_shared<ReportRequest>();
  request->methods = {"all"};
  request->file.path = "report.html";
  request->metrics = usual_metrics();
  add_model_options(command, request->model);
  add_input_options(command, request->input);
  add_method_option(command, request->methods);
  add_setting_option(command, request->settings);
  command.add_option("--metric", request->metrics, "Metrics to show; ascribe metrics lists them")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME...]");
  command.add_option("--title", request->title, "The title of the page")->type_name("TEXT");
  add_question_options(command, request->question, "What the input is compared with, and absent players replaced by");
  command
      .add_option("--parts", request->parts,
                  "The few players for the decomposition and the principles, of which every set is masked;\n"
                  "grid:3x3 or coarser for images, the columns of tables, as the model allows")
      ->type_name("P");
  add_output_options(command, request->file, "The page; its data go beside it, as .json");
  add_general_options(command, request->general);
  command.callback([request] { make_report(*request); });
}

}  // namespace ascribe::core
