#include "cli/shared_options.h"

#include <charconv>
#include <filesystem>

#include "cli/program.h"
#include "study/records/run_log.h"

namespace ascribe::core::cli {

namespace {

// "1x3x224x224" or "1,3,224,224".
Shape parse_shape(std::string_view text, const std::string& whole) {
  Shape shape;
  while (!text.empty()) {
    int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const bool more = text.starts_with('x') || text.starts_with(',');
    if (error != std::errc() || extent < 1 || (!text.empty() && !more)) {
      fail(ErrorKind::argument, "shape", "got '{}'; expected something like 1x3x224x224 or NAME=1x3x224x224", whole);
    }
    shape.push_back(extent);
    if (more) text.remove_prefix(1);
  }
  return shape;
}

}  // namespace

// ---- general ----

// "512M", "4G", "1000000"
size_t General::memory_bytes() const {
  double value = 0.0;
  const char* last = memory.data() + memory.size();
  const auto [end, error] = std::from_chars(memory.data(), last, value);
  const std::string_view unit(end, static_cast<size_t>(last - end));
  double factor = 0.0;
  if (unit.empty() || unit == "B") factor = 1.0;
  if (unit == "K" || unit == "k") factor = 0x1p10;
  if (unit == "M" || unit == "m") factor = 0x1p20;
  if (unit == "G" || unit == "g") factor = 0x1p30;
  if (unit == "T" || unit == "t") factor = 0x1p40;
  if (error != std::errc() || factor == 0.0 || !(value * factor >= 1.0 && value * factor < 0x1p60)) {
    fail(ErrorKind::argument, "memory", "got '{}'; expected something like 512M or 4G", memory);
  }
  return static_cast<size_t>(value * factor);
}

std::optional<DType> General::real() const {
  if (precision.empty()) return std::nullopt;
  return precision == "double" ? DType::f64 : DType::f32;
}

study::Run General::run() const {
  if (!log.empty()) study::check_log(log);  // before the work
  study::Run run;
  run.seed = seed;
  run.threads = threads;
  if (quiet) return run;
  run.progress = shown_progress();
  run.note = [](const std::string& note) { print_note(spelled(note)); };
  return run;
}

void General::notes(const std::vector<std::string>& notes) const {
  for (const std::string& note : notes) {
    if (!quiet) print_note(spelled(note));
  }
}

// Notes and reasons speak of requests; whoever reads them has a command line.
Json General::spelled_json(Json json, bool is_note) {
  if (json.is_text()) return is_note ? Json(spelled(json.text())) : json;
  if (json.is_list()) {
    for (Json& item : json.items()) item = spelled_json(std::move(item), is_note);
  }
  if (json.is_object()) {
    for (JsonMember& member : json.members()) {
      const bool note = member.key == "notes" || member.key == "reason" || member.key == "refused";
      member.value = spelled_json(std::move(member.value), note);
    }
  }
  return json;
}

void add_json(Options& options, General& general) {
  options.flag("--json", general.json, "Print one JSON document");
  options.flag("--quiet", general.quiet, "No notes and no progress");
}

void add_general(Options& options, General& general) {
  options
      .add("--precision", general.precision, "Compute in float or double; default: as the model file does",
           "float|double")
      .one_of({"float", "double"});
  options.add("--threads", general.threads, "Number of threads; default: as many as the machine has", "N")
      .range(1, 4096);
  options.add("--memory", general.memory, "Memory for weights and temporary values, such as 512M", "SIZE")
      .shows_default();
  options.add("--seed", general.seed, "Seed of everything random", "N").shows_default();
  add_json(options, general);
}

// ---- the model ----

study::ModelSource ModelChoice::source(const General& general) const {
  study::ModelSource source;
  source.path = path;
  source.precision = general.real();
  source.memory = general.memory_bytes();
  for (const std::string& text : shapes) {
    const size_t equals = text.rfind('=');
    const bool named = equals != std::string::npos;
    source.shapes[named ? text.substr(0, equals) : ""] =
        parse_shape(std::string_view(text).substr(named ? equals + 1 : 0), text);
  }
  return source;
}

study::Subject ModelChoice::open(const General& general) const { return study::Subject::open(source(general)); }

Option add_model(Options& options, ModelChoice& model) {
  Option path = options.add("MODEL", model.path, "The model: an .onnx file").required();
  options
      .add("--shape", model.shapes,
           "Shape of an input whose size the file leaves open: 1x3x224x224,\nor NAME=1x3x224x224", "SHAPE")
      .one_word();
  return path;
}

// ---- data ----

void add_reading(Options& options, study::RowSource& rows) {
  options.add("--columns", rows.columns, "Columns of a table, by name or number: age,height or 0:8", "COLUMNS").list();
  options.add("--preprocess", rows.preprocess,
              "unit (x/255), imagenet, raw, or JSON (text or file) with resize, crop, scale,\n"
              "mean, std, layout, color; if not given, it is guessed for images, with a note",
              "HOW");
}

Option add_rows(Options& options, study::RowSource& rows) {
  Option input = options
                     .add("INPUT", rows.files,
                          "Data: .png .jpg .npy .npz .csv .idx, also with .gz; several make a batch.\n"
                          "A model with several inputs takes NAME=FILE, or an .npz file with those names")
                     .required();
  options.add("--row", rows.rows, "Rows of the data, counted from 0: 7, or 0:10 for the first ten", "ROWS").list();
  add_reading(options, rows);
  return input;
}

void add_labels(Options& options, std::string& labels) {
  options.add("--labels", labels, "Names of the classes: one per line, or JSON such as {\"0\": \"tench\", ...}",
              "FILE");
}

// ---- the question ----

Option add_methods(Options& options, std::vector<std::string>& methods) {
  return options
      .add("-m,--method", methods, "Methods, or all for the fourteen of the paper; ascribe methods lists them",
           "NAME[,NAME...]|all")
      .list();
}

void add_settings(Options& options, std::vector<std::string>& settings) {
  options
      .add("--set", settings,
           "A parameter of all chosen methods that have it, or of one of them: steps=64,\n"
           "lrp_epsilon.epsilon=1e-6; ascribe methods NAME lists them; may be repeated",
           "[METHOD.]KEY=VALUE")
      .one_word();
}

void add_players(Options& options, study::QuestionRequest& question) {
  options.add("--players", question.players,
              "The players: elements, pixels, patch:K, grid:RxC, superpixels:N, columns, inputs or\n"
              "groups:FILE.json; of series time, time:K or channel; of tokens positions, words or\n"
              "spans:K; default: pixels for images, columns for tables, steps of series, positions",
              "P");
}

void add_explained(Options& options, study::QuestionRequest& question) {
  options
      .add("--explain", question.explain,
           "The logit, skipping a final softmax or sigmoid, or the probability; default: the logit\n"
           "where the numbers are of classes, otherwise the value",
           "logit|probability")
      .one_of({"logit", "probability"});
  options.add("--output", question.output, "Which output of the model; default: the first real one", "NAME");
}

void add_entrance(Options& options, study::QuestionRequest& question) {
  options.add("--tokens", question.tokens,
              "What token ids mean: a tokenizer.json, or a vocab.txt with a token per line", "FILE");
  options.add("--at", question.at,
              "Explain what this node of the model gives, instead of an input; token ids are\n"
              "explained behind their embedding by themselves",
              "NODE");
}

void add_question(Options& options, study::QuestionRequest& question, const std::string& baselines) {
  add_players(options, question);
  options.add("--baseline", question.baseline,
              fmt::format("{}: zero, mean, value:V, blur:SIGMA,\n"
                          "gaussian:SIGMA, file:F or data:F (the mean over its rows), of tokens also\n"
                          "token:ID and pad; default: zero, and for tokens pad if --tokens has it",
                          baselines),
              "B");
  options
      .add("--target", question.target,
           "What to explain: top, a class by number or label; of outputs with several axes\n"
           "2,38,15, class=2,sum (mean, mask=FILE, box=x0:y0:x1:y1), rank=0,class=2,\n"
           "position=-1,token=318, tokens=12,55,9; or weights=FILE.npy",
           "top|CLASS|...")
      .shows_default();
  add_explained(options, question);
  options.add("--input", question.input,
              "Which inputs have the players, joined by commas; default: all of numbers or categories", "NAMES");
  add_entrance(options, question);
}

void add_absence(Options& options, std::string& absence) {
  options.add("--absence", absence,
              "What absent players are: baseline, one row; marginal, the rows of --baseline data:F;\n"
              "conditional, what they could be given the players that are there, by a Gaussian of\n"
              "those rows; conditional:kernel[:WIDTH] or conditional:equal, by rows like the input",
              "A");
}

void add_budget(Options& options, std::string& budget) {
  options
      .add("--budget", budget,
           "How long it may take: 60s, 5m, 1h or none. What does not fit is made smaller or left\n"
           "out, and named",
           "TIME")
      .shows_default();
}

Option add_output(Options& options, Output& output, const std::string& what) {
  Option path = options.add("-o,--out", output.path, what, "FILE");
  options.flag("--force", output.force, "Replace existing output files");
  return path;
}

std::vector<study::MethodWish> wishes(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

void print_question(const study::RowQuestion& question, const std::string& model, double baseline_output,
                    double change) {
  fmt::print("{}\n", printable(question.title(std::filesystem::path(model).filename().string())));
  fmt::print("  f(x) {:.6g}, f(b) {:.6g}, change {:+.6g}; {} players ({}), baseline b {}\n\n", baseline_output + change,
             baseline_output, change, question.players.count(), printable(question.players.description),
             printable(question.baselines_text()));
}

}  // namespace ascribe::core::cli
