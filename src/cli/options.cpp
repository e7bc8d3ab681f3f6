#include "cli/options.h"

#include <charconv>
#include <limits>

#include "base/file.h"
#include "base/parallel.h"

namespace ascribe::core {

namespace {

constexpr size_t kLargestLabelFile = size_t{1} << 26;

// "1x3x224x224" or "1,3,224,224".
Shape parse_shape(std::string_view text, const std::string& whole) {
  Shape shape;
  while (!text.empty()) {
    int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const bool more = text.starts_with('x') || text.starts_with(',');
    if (error != std::errc() || extent < 1 || (!text.empty() && !more)) {
      fail(ErrorKind::argument, "--shape", "got '{}'; expected something like 1x3x224x224 or NAME=1x3x224x224", whole);
    }
    shape.push_back(extent);
    if (more) text.remove_prefix(1);
  }
  return shape;
}

}  // namespace

void add_json_options(CLI::App& command, GeneralOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON document");
  command.add_flag("--quiet", options.quiet, "No notes and no progress");
}

void add_general_options(CLI::App& command, GeneralOptions& options) {
  command.add_option("--precision", options.precision, "Compute in float or double; as the model file if not given")
      ->check(CLI::IsMember({"float", "double"}).description(""))
      ->type_name("float|double");
  command.add_option("--threads", options.threads, "Threads; as many as the machine has if not given")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N");
  command.add_option("--memory", options.memory, "Memory for weights and temporary values, like 512M")
      ->capture_default_str()
      ->type_name("SIZE");
  command.add_option("--seed", options.seed, "Seed of everything random")->capture_default_str()->type_name("N");
  add_json_options(command, options);
}

// Options that may be repeated take one word each, so that they do not swallow what follows.
void add_model_options(CLI::App& command, ModelOptions& options) {
  command.add_option("MODEL", options.path, "The model: an .onnx file")->required()->type_name("");
  command
      .add_option("--shape", options.shapes,
                  "Shape of an input whose size the file leaves open: 1x3x224x224,\nor NAME=1x3x224x224")
      ->allow_extra_args(false)
      ->type_name("SHAPE");
}

void add_reading_options(CLI::App& command, InputOptions& options) {
  command.add_option("--columns", options.columns, "Columns of a table, by name or number: age,height or 0:8")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COLUMNS");
  command
      .add_option("--preprocess", options.preprocess,
                  "unit (x/255), imagenet, raw, or JSON (text or file) with resize, crop, scale,\n"
                  "mean, std, layout, color; guessed for images if not given, and said so")
      ->type_name("HOW");
}

void add_input_options(CLI::App& command, InputOptions& options) {
  command
      .add_option("INPUT", options.paths,
                  "Data: .png .jpg .npy .npz .csv .idx, also with .gz; several make a batch.\n"
                  "A model of several inputs takes NAME=FILE, or an .npz file with those names")
      ->required()
      ->type_name("");
  command.add_option("--row", options.rows, "Rows of the data, counted from 0: 7, or 0:10 for the first ten")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ROWS");
  add_reading_options(command, options);
  command.add_option("--labels", options.labels, "Names of the classes, one per line")->type_name("FILE");
}

void add_output_options(CLI::App& command, OutputOptions& options, const std::string& what) {
  command.add_option("-o,--out", options.path, what)->type_name("FILE");
  command.add_flag("--force", options.force, "Replace an output file that exists");
}

size_t parse_memory(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  double factor = 0.0;
  if (unit.empty() || unit == "B") factor = 1.0;
  if (unit == "K" || unit == "k") factor = 0x1p10;
  if (unit == "M" || unit == "m") factor = 0x1p20;
  if (unit == "G" || unit == "g") factor = 0x1p30;
  if (unit == "T" || unit == "t") factor = 0x1p40;
  if (error != std::errc() || factor == 0.0 || !(value * factor >= 1.0 && value * factor < 0x1p60)) {
    fail(ErrorKind::argument, "--memory", "got '{}'; expected something like 512M or 4G", text);
  }
  return static_cast<size_t>(value * factor);
}

LoadOptions load_options(const ModelOptions& model, const GeneralOptions& general,
                         const std::vector<std::string>& inputs) {
  LoadOptions options;
  if (!general.precision.empty()) options.precision = general.precision == "double" ? DType::f64 : DType::f32;
  options.memory = parse_memory(general.memory);
  for (const std::string& text : model.shapes) {
    const size_t equals = text.rfind('=');
    const bool named = equals != std::string::npos;
    if (!named && inputs.size() != 1) {
      fail(ErrorKind::argument, "--shape", "the model has {} inputs; expected NAME=1x3x224x224", inputs.size());
    }
    const std::string name = named ? text.substr(0, equals) : inputs[0];
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) {
      fail(ErrorKind::argument, "--shape", "the model has no input '{}'; got {}", name, fmt::join(inputs, ", "));
    }
    options.shapes[name] = parse_shape(std::string_view(text).substr(named ? equals + 1 : 0), text);
  }
  return options;
}

DataOptions data_options(const InputOptions& input) {
  DataOptions options;
  options.rows = input.rows;
  options.columns = input.columns;
  if (!input.preprocess.empty()) options.preprocess = parse_preprocess(input.preprocess);
  return options;
}

std::vector<std::string> read_labels(const std::string& path) {
  std::vector<std::string> labels;
  if (path.empty()) return labels;
  const std::string text = read_file(path, kLargestLabelFile);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string label = text.substr(at, end - at);
    if (label.ends_with('\r')) label.pop_back();
    labels.push_back(label);
    at = end + 1;
  }
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  if (labels.empty()) fail(ErrorKind::io, path, "the file holds no labels; expected one per line");
  return labels;
}

Model load_model(const ModelOptions& model, const GeneralOptions& general) {
  set_thread_count(general.threads);
  std::vector<std::string> names;
  if (!model.shapes.empty()) {
    for (const DeclaredValue& input : describe_model(model.path).inputs) names.push_back(input.name);
  }
  return Model::load(model.path, load_options(model, general, names));
}

}  // namespace ascribe::core
